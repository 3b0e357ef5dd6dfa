//! `opmx resolve`: which bundles OLM would install or update to.

use crate::cli::Context;
use crate::cli::arguments::{DatabaseLimitArguments, LimitArguments, OutputArguments, RegistryArguments};
use crate::cli::error::{CommandError, CommandResult, Status};
use crate::cli::following::PreferenceArguments;
use crate::cli::hint::MORE_STEPS;
use crate::cli::what_if::{self, ClusterArguments, OlmArgument};
use crate::cluster;
use crate::install::resolve::{PackageChannel, ResolveOptions};
use crate::olm::capabilities::{Need, Olm};
use crate::resolver::{ResolverOptions, Unresolved};
use crate::terminal::{Format, resolution};
use clap::Args;
use serde_json::json;

const EXAMPLES: &str = "\
Examples:
  What a subscription to a package would install
  $ opmx resolve etcd --catalog registry.example.com/index:v1

  Of one channel, with a second catalog that is preferred
  $ opmx resolve etcd=stable --catalog main=index.db --catalog own=catalog/,10

  What the installed version would be updated to, and why
  $ opmx resolve etcd --catalog index.db --installed etcdoperator.v0.9.0 --explain

  What a cluster would do with a newer index
  $ kubectl get sub,csv,og,catsrc -A -o yaml > dump.yaml
  $ opmx resolve --cluster dump.yaml --namespace operators --catalog operatorhubio-catalog=registry.example.com/index:v2

  What a released OLM would do, which knows no intents
  $ opmx resolve etcd --catalog index.db --olm 0.28.0

  A cluster as a file says it is
  $ opmx resolve --state state.yaml -o yaml

  The JSON Schema of that file, for editors
  $ opmx resolve --schema > state.schema.json";

/// Say what OLM would install or update to, with no cluster
///
/// Subscriptions are resolved as OLM resolves them: over channels, updates, dependencies and what is installed. A
/// recommended dependency is taken where it can be, an optional one is not.
///
/// The exit status is 1 where there is no answer. Why is said in the words of OLM, then in plain ones.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ResolveArguments {
    /// What to subscribe to: a package, or one channel of it; without a channel, any
    #[arg(value_name = "PACKAGE[=CHANNEL]", required_unless_present_any = ["state", "cluster", "schema"], conflicts_with = "state")]
    packages: Vec<String>,
    /// An index to take operators from: an image, a database or a folder with a file-based catalog; may be repeated
    ///
    /// The first one is subscribed to. Without a name it is called catalog, the second catalog-2 and so on. A higher
    /// priority is preferred for dependencies. A catalog of the cluster with the same name is read from here.
    #[arg(long, value_name = "[NAME=]INDEX[,PRIORITY]", required_unless_present_any = ["state", "cluster", "schema"], conflicts_with = "state")]
    catalog: Vec<String>,
    /// What is installed, by the name of its ClusterServiceVersion; may be repeated
    #[arg(long, value_name = "CSV", conflicts_with = "state")]
    installed: Vec<String>,
    /// The version that the first installation takes
    #[arg(long, value_name = "CSV", conflicts_with = "state")]
    starting_csv: Option<String>,
    /// Namespace that operators are installed into; without it that of the files, else operators
    #[arg(short, long, value_name = "NS", conflicts_with = "state")]
    namespace: Option<String>,
    /// Say of every candidate why it was taken or not
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

/// What OLM does not decide by itself.
#[derive(Debug, Args)]
pub(crate) struct IntentArguments {
    #[command(flatten)]
    preferences: PreferenceArguments,
    /// How many candidates are tried at most
    #[arg(long, value_name = "N", default_value_t = ResolverOptions::default().steps)]
    max_steps: u64,
}

impl IntentArguments {
    /// The options of a resolution by this OLM.
    pub(crate) fn options(&self, olm: &Olm) -> Result<ResolverOptions, CommandError> {
        if self.preferences.is_given() && !olm.does(Need::Intent) {
            return Err(CommandError::usage(format!(
                "{olm} knows no intents: it requires every dependency, and nobody can leave one out or ask for one"
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
    let state = arguments
        .cluster
        .read_observed(arguments.namespace.as_deref(), &arguments.limits, context)?;
    let options = ResolveOptions {
        catalogs: what_if::named_indexes(&arguments.catalog),
        packages: arguments.packages.iter().map(|text| package_channel(text)).collect(),
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

/// Says why there is no answer.
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
    }
    if let Unresolved::Unsatisfiable { reasons, remedies, .. } = error {
        for reason in reasons {
            printer.detail("because", reason);
        }
        for remedy in remedies {
            printer.detail("it would work with", remedy);
        }
    }
    Ok(Status::Failure)
}

/// What is written as `PACKAGE[=CHANNEL]`.
fn package_channel(text: &str) -> PackageChannel {
    let (package, channel) = text.split_once('=').unwrap_or((text, ""));
    PackageChannel {
        package: package.to_owned(),
        channel: Some(channel.to_owned()).filter(|channel| !channel.is_empty()),
    }
}
