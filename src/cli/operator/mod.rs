//! `opmx operator`: what a cluster has of an operator, in one resource.

mod crds;
mod migrate;

use crate::cli::api_sources::ApiSourceArguments;
use crate::cli::arguments::{DatabaseLimitArguments, LimitArguments, OutputArguments, RegistryArguments};
use crate::cli::error::{CommandError, CommandResult, Status};
use crate::cli::what_if::{bundle_content, read_cluster};
use crate::cli::{Context, requests, sources};
use crate::cluster::labels::LabelStyle;
use crate::index::open::Index;
use crate::install::content::{self, ContentError};
use crate::install::operator::{Operator, OperatorOptions, ResolvedFrom, compare, operators};
use crate::steps::Content;
use crate::terminal::Format;
use crate::terminal::operator_view;
use clap::{Args, Subcommand, ValueEnum};
use serde_json::{Value, json};
use std::convert;
use std::path::Path;

const EXAMPLES: &str = "\
Examples:
  What there is of each operator in a dump
  $ kubectl get csv,sub,installplans,deploy,crd,role,rolebinding,sa -A -o yaml > dump.yaml
  $ opmx operator dump.yaml

  One of them as a resource, with the updates that an index has for it
  $ opmx operator dump.yaml --name etcd.operators -o yaml \\
      --catalog registry.example.com/index:v1

  Whether its components are those of a bundle, field by field
  $ opmx operator dump.yaml --name etcd.operators --bundle registry.example.com/etcd-bundle:v0.9.4

  The Operators and Installs that take the place of Subscriptions and OperatorGroups
  $ opmx operator migrate dump.yaml --catalog registry.example.com/index:v1 -o yaml

  The CustomResourceDefinitions of such resources
  $ opmx operator crds > crds.yaml";

/// Show what a cluster has of an operator, in one resource
///
/// Components are found by their label operators.coreos.com/NAME, which OLM gives them, and by what belongs to them: a
/// Subscription to the Operator with the same package, channel and catalog, and to a version all that it owns. Shown
/// are the components with what is out of order about them, what the newest version that works says of itself, the
/// channels with an update, and what there is to say of the whole.
///
/// With --bundle, or with a --catalog that has the installed version, the components are compared with what was
/// resolved, field by field. What the API server and OLM fill in does not count.
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
    /// Files or folders with what kubectl get -o yaml or -o json prints, or - for standard input
    #[arg(value_name = "FILE|DIR", required_unless_present = "state")]
    files: Vec<String>,
    /// What-if file with the objects of the cluster; - is standard input
    #[arg(long, value_name = "FILE")]
    state: Option<String>,
    /// The operator to show, where there are several
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Index to look for updates in: HOST/NAME:TAG, oci:DIR:TAG, oci-archive:FILE:TAG, a database file, or a folder
    #[arg(long, value_name = "INDEX")]
    catalog: Option<String>,
    /// Bundle that the components are compared with: a folder, HOST/NAME:TAG, oci:DIR:TAG or oci-archive:FILE:TAG
    #[arg(long, value_name = "BUNDLE")]
    bundle: Option<String>,
    /// Show also the conditions that are as they should be
    #[arg(long)]
    all_conditions: bool,
    /// How the label of the components is written
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
    /// operators.coreos.com/NAME, as OLM writes it
    #[default]
    Shipped,
    /// v2alpha1.operators.coreos.com/NAME
    Versioned,
    /// operators.coreos.com/operator:v2alpha1/NAME, as it was proposed; no cluster takes it
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
    let state = read_cluster(state, &arguments.files, convert::identity, &arguments.limits, context)?;
    let objects = [state.objects, state.conditions].concat();
    let index = arguments.catalog.as_deref();
    let limits = arguments.limits.index(&arguments.database, &arguments.registry);
    let index = index.map(|name| sources::open_catalog(name, &arguments.registry, limits, context));
    let index = index.transpose()?;
    let catalog = index.as_ref().map(Index::catalog).transpose()?;
    let options = OperatorOptions {
        label_style: arguments.label_style.into(),
        all_conditions: arguments.all_conditions,
    };
    let mut found = chosen(
        operators(&objects, catalog.as_deref(), options),
        arguments.name.as_deref(),
    )?;
    if !compared(&mut found, &objects, index.as_ref(), arguments, context)? {
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

/// Compares the components of operators with the bundle that is named, else with that of the catalog. `false` where the
/// bundle has errors; they have been reported.
fn compared(
    found: &mut [Operator],
    objects: &[Value],
    index: Option<&Index>,
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
    let mut is_used = false;
    for operator in found {
        let Some(installed) = operator.installed.clone() else {
            continue;
        };
        let is_it =
            |content: &Content| content.name == installed.name || installed.package.as_ref() == Some(&content.package);
        let (content, from) = match (&bundle, index) {
            (Some((content, from)), _) if is_it(content) => (content.clone(), from.clone()),
            (None, Some(index)) => match content::of_index(index, &installed.name) {
                Ok(content) => (content, ResolvedFrom::Catalog(installed.name.clone())),
                // What a catalog does not have was resolved from another one.
                Err(ContentError::Unknown { .. }) => continue,
                Err(error @ ContentError::NoCsv { .. }) => {
                    context
                        .printer
                        .warning(format_args!("{error}; --bundle compares with it"));
                    continue;
                }
                Err(error) => return Err(error.into()),
            },
            _ => continue,
        };
        is_used = true;
        let comparison = compare(&content, &installed.name, &installed.namespace, objects)?;
        for kind in &comparison.unknown {
            context.printer.status(format_args!(
                "{}: what was read has no object of kind {kind}, so those of {} are not compared",
                operator.metadata.name, content.name
            ));
        }
        operator.resolved(from);
        operator.diverge(comparison);
    }
    if let Some((content, _)) = bundle.filter(|_| !is_used) {
        let (name, package) = (content.name, content.package);
        let message = format!("nothing of the package {package} is installed in what was read, of which {name} is");
        return Err(CommandError::failure(message));
    }
    Ok(true)
}

/// All operators, or the one of a name.
fn chosen(mut found: Vec<Operator>, name: Option<&str>) -> Result<Vec<Operator>, CommandError> {
    if found.is_empty() {
        return Err(CommandError::failure(
            "nothing in what was read is a Subscription, or has a label operators.coreos.com/NAME",
        )
        .hint("give what \"kubectl get -A -o yaml\" prints of the kinds that an operator is made of"));
    }
    let Some(name) = name else {
        return Ok(found);
    };
    let names: Vec<String> = found.iter().map(|operator| operator.metadata.name.clone()).collect();
    found.retain(|operator| operator.metadata.name == name);
    if found.is_empty() {
        let names = names.join(", ");
        return Err(CommandError::missing(format!("there is no operator {name}")).hint(format!("there is {names}")));
    }
    Ok(found)
}
