//! `opmx resolve`: the bundles that OLM would install or update to.

use crate::cli::Context;
use crate::cli::arguments::{DatabaseLimitArguments, LimitArguments, OutputArguments, RegistryArguments};
use crate::cli::cluster_files::ClusterArguments;
use crate::cli::error::{CommandError, CommandResult, Status};
use crate::cli::following::PreferenceArguments;
use crate::cli::hint::MORE_STEPS;
use crate::cli::named_catalogs::named_indexes;
use crate::cli::requests::{self, OpenOperator};
use crate::cli::values::namespace;
use crate::cli::what_if::{self, OlmArgument};
use crate::cluster::{self, requested};
use crate::install::requests::installs::OpenInstall;
use crate::install::resolve::{PackageChannel, ResolveOptions};
use crate::olm::releases::{Feature, Olm};
use crate::resolver::{ResolverOptions, Unresolved};
use crate::terminal::table::Table;
use crate::terminal::{Format, counted, resolution};
use clap::Args;
use serde_json::{Value, json};

const EXAMPLES: &str = "\
Examples:
  Show what a subscription to a package would install
  $ opmx resolve etcd --catalog registry.example.com/index:v1

  Subscribe to one channel, and prefer a second catalog for dependencies
  $ opmx resolve etcd=stable --catalog main=index.db --catalog own=catalog/,10

  Show and explain the update of an installed version
  $ opmx resolve etcd --catalog index.db --installed etcdoperator.v0.9.0 --explain

  Show the updates that a newer index brings to a cluster
  $ kubectl get sub,csv,og,catsrc,installplans,operatorconditions -A -o yaml > dump.yaml
  $ opmx resolve --cluster dump.yaml --namespace operators --catalog operatorhubio-catalog=registry.example.com/index:v2

  Resolve like a released OLM, which does not support intents
  $ opmx resolve etcd --catalog index.db --olm 0.28.0

  Show what an Operator resource would install, and resolve the images of an Install resource
  $ opmx resolve operator.yaml --catalog community=registry.example.com/index:v1
  $ opmx resolve install.yaml

  Use a cluster that is described in a file
  $ opmx resolve --state state.yaml -o yaml

  Write the JSON Schema of the file for --state, for editors
  $ opmx resolve --schema > state.schema.json";

/// Show what OLM would install or update to, without a cluster
///
/// Resolves Subscriptions as OLM v0 does, with channels, updates, dependencies and installed versions. Recommended
/// dependencies are installed if possible; optional dependencies are not installed. Notes show which of the selected
/// and installed bundles, their channels and their packages a file-based catalog deprecates.
///
/// An Operator resource is treated as a Subscription to its package, and replaces an existing Subscription to that
/// package. It can be in a file that is specified instead of a package, or among the objects of --cluster. The content
/// of an Install resource in the file is resolved to digests.
///
/// OLM does not resolve a namespace while all its Subscriptions wait for InstallPlans that are not complete. Then
/// nothing is selected, and the notes name the InstallPlans.
///
/// The exit status is 3 if OLM could not resolve the Subscriptions, for example because a package does not exist. The
/// reason is printed first in OLM's words, then in plain English. If nothing has to be installed or updated, the exit
/// status is 0.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ResolveArguments {
    /// Package to subscribe to, optionally with a channel; or a file with Operator and Install resources, - for
    /// standard input
    #[arg(value_name = "PACKAGE[=CHANNEL]|FILE", required_unless_present_any = ["state", "cluster", "schema"])]
    packages: Vec<String>,
    /// Index of operators: an image, a database or a folder with a file-based catalog; may be repeated
    ///
    /// Subscriptions use the first index. The default names are catalog, catalog-2 and so on. For dependencies, indexes
    /// with a higher priority are preferred. An index replaces the catalog of the same name on the cluster; if several
    /// namespaces have a catalog of this name, NAME is NAMESPACE/NAME.
    #[arg(long, value_name = "[NAME=]INDEX[,PRIORITY]", conflicts_with = "state")]
    catalog: Vec<String>,
    /// Name of an installed ClusterServiceVersion; may be repeated
    #[arg(long, value_name = "CSV", conflicts_with = "state")]
    installed: Vec<String>,
    /// ClusterServiceVersion for the first installation
    #[arg(long, value_name = "CSV", conflicts_with = "state")]
    starting_csv: Option<String>,
    /// Namespace to install operators into [default: from the files, or operators]
    #[arg(short, long, value_name = "NS", conflicts_with = "state", value_parser = namespace)]
    namespace: Option<String>,
    /// Explain for every candidate why it was or was not chosen
    #[arg(long)]
    explain: bool,
    /// Print the JSON Schema of the file for --state
    #[arg(long, exclusive = true)]
    schema: bool,
    #[command(flatten)]
    intents: IntentArguments,
    #[command(flatten)]
    olm: OlmArgument,
    #[command(flatten)]
    cluster: ClusterArguments,
    #[command(flatten)]
    output: OutputArguments,
    #[command(flatten)]
    registry: RegistryArguments,
    #[command(flatten)]
    limits: LimitArguments,
    #[command(flatten)]
    database: DatabaseLimitArguments,
}

/// The options for dependencies that are not required, and for the length of the search.
#[derive(Debug, Args)]
pub(crate) struct IntentArguments {
    #[command(flatten)]
    preferences: PreferenceArguments,
    /// Maximum number of candidates to try
    #[arg(long, value_name = "N", default_value_t = ResolverOptions::default().steps)]
    max_steps: u64,
}

impl IntentArguments {
    /// Returns the options for a resolution by this version of OLM.
    pub(crate) fn options(&self, olm: &Olm) -> Result<ResolverOptions, CommandError> {
        if self.preferences.is_given() && !olm.does(Feature::Intent) {
            return Err(CommandError::usage(format!(
                "{olm} does not support intents, and requires every dependency"
            )));
        }
        Ok(ResolverOptions {
            preferences: self.preferences.preferences(),
            steps: self.max_steps,
            explain: false,
        })
    }
}

pub(crate) fn run(arguments: &ResolveArguments, context: &Context<'_>) -> CommandResult {
    if arguments.schema {
        context.printer.document(Format::Json, &cluster::json_schema())?;
        return Ok(Status::Success);
    }
    let olm = arguments.olm.announced(context);
    let (files, packages): (Vec<&String>, Vec<&String>) =
        arguments.packages.iter().partition(|name| requests::is_file(name));
    if let Some(package) = packages.first() {
        if arguments.cluster.state.is_some() {
            return Err(CommandError::usage(format!(
                "{package} is a package, but the what-if file of --state already contains the subscriptions"
            )));
        }
        if arguments.catalog.is_empty() && !arguments.cluster.is_given() {
            return Err(CommandError::usage(format!(
                "specify the index that contains {package} with --catalog"
            )));
        }
    }
    let mut named = Vec::new();
    for file in files {
        named.extend(requests::read(file, olm, &arguments.limits, context)?);
    }
    if installs(&named, arguments, context)? == Status::Failure {
        return Ok(Status::Failure);
    }
    let mut state = arguments
        .cluster
        .read_observed(arguments.namespace.as_deref(), olm, &arguments.limits, context)?;
    requested::add(&named, &mut state.objects);
    let opened = requests::open_operators(&state.objects, None, &arguments.registry, &arguments.limits, context)?;
    let Some(operators) = opened else {
        return Ok(Status::Failure);
    };
    if !named.is_empty() && operators.is_empty() && packages.is_empty() && !arguments.cluster.is_given() {
        // The files contained only Installs.
        return Ok(Status::Success);
    }
    let nothing_else = operators.is_empty() && packages.is_empty() && state.subscriptions.is_empty();
    if named.is_empty() && nothing_else && !requested::installs(&state.objects)?.is_empty() {
        return installs(&state.objects, arguments, context);
    }
    let options = ResolveOptions {
        catalogs: named_indexes(&arguments.catalog),
        packages: packages
            .into_iter()
            .map(|text| package_channel(text))
            .collect::<Result<_, _>>()?,
        operators: operators.iter().map(OpenOperator::asked).collect(),
        starting_csv: arguments.starting_csv.clone(),
        installed: arguments.installed.clone(),
        search: ResolverOptions {
            explain: arguments.explain,
            ..arguments.intents.options(olm)?
        },
        olm: olm.clone(),
        limits: arguments.limits.index(&arguments.database, &arguments.registry),
    };
    let resolved = what_if::resolve(state, &options, &arguments.registry, context)?;
    if let Some(released) = &resolved.released {
        what_if::note_released(&what_if::other_resolution(released), context);
    }
    match resolved.answer {
        Ok(found) => {
            match arguments.output.output {
                Format::Text => resolution::print(&context.printer, &found)?,
                format => {
                    for note in &found.stays {
                        context.printer.warning(note);
                    }
                    context.printer.document(format, &found)?;
                }
            }
            Ok(Status::Success)
        }
        Err(error) => unresolved(&error, &arguments.output, context),
    }
}

/// Prints the content of Installs.
fn installs(objects: &[Value], arguments: &ResolveArguments, context: &Context<'_>) -> CommandResult {
    let opened = requests::open_installs(objects, None, &arguments.registry, &arguments.limits, context)?;
    let Some(installs) = opened else {
        return Ok(Status::Failure);
    };
    match arguments.output.output {
        _ if installs.is_empty() => {}
        Format::Text => {
            let columns = ["INSTALL", "CONTENT", "CONTAINS", "RESOLVED"];
            let mut table = Table::new(context.printer.stdout(), columns);
            for install in &installs {
                for [named, holds, resolved] in requests::contents(install) {
                    table.row([&install.install.name, &named, &holds, &resolved])?;
                }
            }
            table.finish()?;
        }
        format => {
            let written: Vec<Value> = installs.iter().map(OpenInstall::resolved).collect();
            requests::print_all(&written, format, context)?;
        }
    }
    Ok(Status::Success)
}

/// The maximum number of reasons to print for a failed resolution.
const REASONS: usize = 50;

/// Reports why nothing is installed, and returns [`Status::No`], or [`Status::Failure`] if the search was incomplete.
pub(crate) fn unresolved(error: &Unresolved, output: &OutputArguments, context: &Context<'_>) -> CommandResult {
    let printer = &context.printer;
    let explained = match error {
        Unresolved::Unsatisfiable { explain, .. } => &explain[..],
        _ => &[],
    };
    match output.output {
        Format::Text => resolution::explain(printer, explained)?,
        format => {
            let mut answer = json!({"error": error.to_string()});
            if let Some(map) = answer.as_object_mut().filter(|_| !explained.is_empty()) {
                map.insert("explain".to_owned(), json!(explained));
            }
            printer.document(format, &answer)?;
        }
    }
    printer.error(error);
    if let Unresolved::GaveUp { .. } = error {
        printer.detail("hint", MORE_STEPS);
        return Ok(Status::Failure);
    }
    if let Unresolved::Unsatisfiable { reasons, remedies, .. } = error {
        for reason in reasons.iter().take(REASONS) {
            printer.detail("because", reason);
        }
        if let Some(more @ 1..) = reasons.len().checked_sub(REASONS) {
            printer.detail("because", format_args!("of {}", counted(more, "other constraint")));
        }
        for remedy in remedies {
            printer.detail("it would work with", remedy);
        }
    }
    Ok(Status::No)
}

/// Parses `PACKAGE[=CHANNEL]`.
fn package_channel(text: &str) -> Result<PackageChannel, CommandError> {
    let (package, channel) = text.split_once('=').unwrap_or((text, ""));
    let is_name = |name: &str| {
        let usual = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
        !name.is_empty() && name.chars().all(usual)
    };
    if let Some((package, channel)) = package.split_once([':', '@'])
        && is_name(package)
        && is_name(channel)
    {
        let error = CommandError::usage(format!("{text} is not a package"));
        return Err(error.hint(format!("to specify a channel, use {package}={channel}")));
    }
    Ok(PackageChannel {
        package: package.to_owned(),
        channel: Some(channel.to_owned()).filter(|channel| !channel.is_empty()),
    })
}
