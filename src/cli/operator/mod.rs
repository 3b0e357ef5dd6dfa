//! `opmx operator`: showing the components of an operator on a cluster as one resource.

mod crds;
mod migrate;

use crate::cli::api_sources::ApiSourceArguments;
use crate::cli::arguments::{DatabaseLimitArguments, LimitArguments, OutputArguments, RegistryArguments};
use crate::cli::cluster_files::read_cluster;
use crate::cli::error::{CommandError, CommandResult, Status};
use crate::cli::values::filled;
use crate::cli::what_if::bundle_content;
use crate::cli::{Context, named_catalogs, requests};
use crate::cluster::labels::LabelStyle;
use crate::cluster::{CatalogName, dump, subscribed_catalogs};
use crate::index::open::Index;
use crate::install::content::{ContentError, IndexBundles};
use crate::install::named_catalog::{NamedCatalog, stands_for};
use crate::install::operator::{
    InstalledVersion, ObservedObjects, Operator, OperatorOptions, ResolvedFrom, compare, operators,
};
use crate::steps::Content;
use crate::terminal::Format;
use crate::terminal::operator_view;
use clap::{Args, Subcommand, ValueEnum};
use serde_json::{Value, json};
use std::path::Path;

const EXAMPLES: &str = "\
Examples:
  Show the components of each operator in a dump
  $ kubectl get csv,sub,installplans,deploy,crd,role,rolebinding,sa -A -o yaml > dump.yaml
  $ opmx operator dump.yaml

  Print one operator as a resource, with its updates in an index
  $ opmx operator dump.yaml --name etcd.operators -o yaml \\
      --catalog registry.example.com/index:v1

  Compare the components of an operator with those of a bundle, field by field
  $ opmx operator dump.yaml --name etcd.operators --bundle registry.example.com/etcd-bundle:v0.9.4

  Print the Operators and Installs that replace Subscriptions and OperatorGroups
  $ opmx operator migrate dump.yaml --catalog registry.example.com/index:v1 -o yaml

  Print the CustomResourceDefinitions of Operator, Install and Condition
  $ opmx operator crds > crds.yaml";

/// Show the components of an operator on a cluster, as one resource
///
/// Components are found by the label operators.coreos.com/NAME, which OLM sets, and by their relations: a Subscription
/// belongs to the Operator with the same package, channel and catalog, and objects belong to the version that owns
/// them. Shows the components with their problems, the metadata of the newest working version, the channels that
/// contain an update, and the overall state. The condition OpenShiftUpgradeBlocked shows that the property
/// olm.maxOpenShiftVersion of an installed version blocks the upgrade of the cluster; it is Unknown if the input does
/// not contain the ClusterVersion.
///
/// With --bundle, or with a --catalog that contains the installed version, the components are compared with the
/// resolved bundle, field by field. Fields that the API server and OLM fill in are ignored.
#[derive(Debug, Args)]
#[command(
    after_help = EXAMPLES,
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    arg_required_else_help = true
)]
pub(crate) struct OperatorArguments {
    #[command(subcommand)]
    command: Option<OperatorCommand>,
    /// Files or folders with the output of kubectl get -o yaml or -o json, or - for standard input
    #[arg(value_name = "FILE|DIR", required_unless_present = "state", value_parser = filled())]
    files: Vec<String>,
    /// What-if file with the objects of the cluster; - for standard input
    #[arg(long, value_name = "FILE")]
    state: Option<String>,
    /// Operator to show, if there are several
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Index to search for updates: HOST/NAME:TAG, oci:DIR:TAG, oci-archive:FILE:TAG, a database file, or a folder;
    /// may be repeated
    ///
    /// NAME is the name of the CatalogSource that the index stands for, or NAMESPACE/NAME if several have this name;
    /// without a name, the index stands for all of them.
    #[arg(long, value_name = "[NAME=]INDEX", value_parser = filled())]
    catalog: Vec<String>,
    /// Bundle to compare the components with: a folder, HOST/NAME:TAG, oci:DIR:TAG or oci-archive:FILE:TAG
    #[arg(long, value_name = "BUNDLE", value_parser = filled())]
    bundle: Option<String>,
    /// Also show conditions with the expected status
    #[arg(long)]
    all_conditions: bool,
    /// Style of the component label
    #[arg(long, value_enum, value_name = "STYLE", default_value_t)]
    label_style: Style,
    #[command(flatten)]
    sources: ApiSourceArguments,
    #[command(flatten)]
    output: OutputArguments,
    #[command(flatten)]
    registry: RegistryArguments,
    #[command(flatten)]
    limits: LimitArguments,
    #[command(flatten)]
    database: DatabaseLimitArguments,
}

#[derive(Debug, Subcommand)]
enum OperatorCommand {
    Crds(crds::CrdsArguments),
    Migrate(migrate::MigrateArguments),
}

#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum Style {
    /// operators.coreos.com/NAME, as set by OLM
    #[default]
    Shipped,
    /// v2alpha1.operators.coreos.com/NAME
    Versioned,
    /// operators.coreos.com/operator:v2alpha1/NAME, as originally proposed; rejected by clusters
    Seed,
}

impl From<Style> for LabelStyle {
    fn from(style: Style) -> Self {
        match style {
            Style::Shipped => Self::Shipped,
            Style::Versioned => Self::Versioned,
            Style::Seed => Self::Seed,
        }
    }
}

pub(crate) fn run(arguments: &OperatorArguments, context: &Context<'_>) -> CommandResult {
    match &arguments.command {
        Some(OperatorCommand::Crds(arguments)) => return crds::run(arguments, context),
        Some(OperatorCommand::Migrate(arguments)) => return migrate::run(arguments, context),
        None => {}
    }
    let state = arguments.state.as_deref();
    let state = read_cluster(state, &arguments.files, dump::kept_whole, &arguments.limits, context)?;
    let objects = [state.objects, state.conditions].concat();
    let limits = arguments.limits.index(&arguments.database, &arguments.registry);
    let used = subscribed_catalogs(&objects);
    let indexes = named_catalogs::open(&arguments.catalog, &used, &arguments.registry, limits, context)?;
    let mut read = Vec::new();
    for (name, index) in &indexes {
        read.push((name.as_ref(), index.catalog()?));
    }
    let catalogs = read.iter().map(|(name, catalog)| NamedCatalog { name: *name, catalog });
    let catalogs: Vec<NamedCatalog<'_>> = catalogs.collect();
    let options = OperatorOptions {
        label_style: arguments.label_style.into(),
        all_conditions: arguments.all_conditions,
    };
    let mut found = chosen(operators(&objects, &catalogs, options), arguments.name.as_deref())?;
    let followed = found
        .iter()
        .filter_map(|operator| operator.catalog.clone())
        .collect::<Vec<_>>();
    let followed = followed
        .iter()
        .map(|(namespace, name)| (namespace.as_str(), name.as_str()));
    let names: Vec<Option<&CatalogName>> = catalogs.iter().map(|named| named.name).collect();
    named_catalogs::warn_of_unread(&followed.collect(), &names, &context.printer);
    if !compared(&mut found, &objects, &indexes, arguments, context)? {
        return Ok(Status::Failure);
    }
    match (arguments.output.output, found.as_slice()) {
        (Format::Text, _) => {
            for (number, operator) in found.iter().enumerate() {
                if number > 0 {
                    context.printer.line("")?;
                }
                operator_view::print(operator, &context.printer)?;
            }
        }
        (format, [one]) => context.printer.document(format, one)?,
        (format, _) => {
            let list = json!({"apiVersion": "v1", "kind": "List", "items": found});
            context.printer.document(format, &list)?;
        }
    }
    Ok(Status::Success)
}

/// Compares the components of operators with the specified bundle, or otherwise with the bundles in the catalog.
/// Returns `false` if the bundle has errors, which have been reported.
fn compared(
    found: &mut [Operator],
    objects: &[Value],
    indexes: &[(Option<CatalogName>, Index)],
    arguments: &OperatorArguments,
    context: &Context<'_>,
) -> Result<bool, CommandError> {
    let limits = arguments.limits.source(&arguments.database, &arguments.registry);
    let outside = arguments.sources.outside(&arguments.registry, &limits, context)?;
    let outside = outside.as_ref();
    let bundle = match &arguments.bundle {
        None => None,
        Some(name) if Path::new(name).is_dir() => {
            let content = bundle_content(name, outside, &arguments.registry, &arguments.limits, context)?;
            let Some(content) = content else { return Ok(false) };
            Some((content, ResolvedFrom::Unknown))
        }
        Some(name) => {
            let image = requests::pinned_image(name, outside, &arguments.registry, &arguments.limits, context)?;
            let Some(image) = image else { return Ok(false) };
            Some((image.content, ResolvedFrom::Image(image.resolved)))
        }
    };
    let cluster = ObservedObjects::of(objects);
    let mut published = Vec::new();
    for (name, index) in indexes {
        published.push((name.as_ref(), IndexBundles::of(index)?));
    }
    let mut is_used = false;
    for operator in found {
        let Some(installed) = operator.installed.clone() else {
            continue;
        };
        let is_it =
            |content: &Content| content.name == installed.name || installed.package.as_ref() == Some(&content.package);
        let (content, from) = match &bundle {
            Some((content, from)) if is_it(content) => (content.clone(), from.clone()),
            Some(_) => continue,
            None => match published_content(operator, &installed, &published, context)? {
                Some(content) => (content, ResolvedFrom::Catalog(installed.name.clone())),
                None => continue,
            },
        };
        is_used = true;
        let comparison = compare(&content, &installed.name, &installed.namespace, &cluster)?;
        for kind in &comparison.unknown {
            context.printer.status(format_args!(
                "{}: the input contains no object of kind {kind}, so objects of this kind in {} are not compared",
                operator.metadata.name, content.name
            ));
        }
        operator.resolved(from);
        operator.diverge(comparison);
    }
    if let Some((content, _)) = bundle.filter(|_| !is_used) {
        let (name, package) = (content.name, content.package);
        let message = format!("the input contains no installed version of package {package}, which {name} belongs to");
        return Err(CommandError::failure(message));
    }
    Ok(true)
}

/// Returns the content of an installed version in the first catalog that contains the version and stands for the
/// CatalogSource of the operator. A version that no such catalog contains was resolved from another catalog.
fn published_content(
    operator: &Operator,
    installed: &InstalledVersion,
    published: &[(Option<&CatalogName>, IndexBundles<'_>)],
    context: &Context<'_>,
) -> Result<Option<Content>, CommandError> {
    let source = operator.catalog.as_ref();
    let source = source.map(|(namespace, name)| (namespace.as_str(), name.as_str()));
    for (_, bundles) in published.iter().filter(|(name, _)| stands_for(*name, source)) {
        match bundles.content(installed.package.as_deref(), &installed.name) {
            Ok(content) => return Ok(Some(content)),
            Err(ContentError::Unknown { .. }) => {}
            Err(error @ ContentError::NoCsv { .. }) => {
                context
                    .printer
                    .warning(format_args!("{error}; use --bundle to compare with the bundle"));
                return Ok(None);
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(None)
}

/// Returns all operators, or only the operator with this name.
fn chosen(mut found: Vec<Operator>, name: Option<&str>) -> Result<Vec<Operator>, CommandError> {
    if found.is_empty() {
        return Err(CommandError::failure(
            "the input contains neither a Subscription nor a label operators.coreos.com/NAME",
        )
        .hint("pass the output of \"kubectl get -A -o yaml\" for the kinds of an operator's components"));
    }
    let Some(name) = name else {
        return Ok(found);
    };
    let names: Vec<String> = found.iter().map(|operator| operator.metadata.name.clone()).collect();
    found.retain(|operator| operator.metadata.name == name);
    if found.is_empty() {
        let names = names.join(", ");
        return Err(
            CommandError::missing(format!("there is no operator {name}")).hint(format!("available operators: {names}"))
        );
    }
    Ok(found)
}
