//! `opmx resolve`: which bundles OLM would install or update to.

use crate::catalog::Catalog;
use crate::cli::arguments::{OutputArguments, RegistryArguments};
use crate::cli::contents::open_catalogs;
use crate::cli::error::{CommandError, CommandResult, Status};
use crate::cli::{Context, input};
use crate::cluster;
use crate::cluster::state::{CatalogSource, Installed, State, Subscription};
use crate::resolver::{self, Options, Problem, Unresolved};
use crate::terminal::{Format, resolution};
use crate::text::Limits;
use clap::Args;
use serde_json::json;
use std::borrow::Cow;

const EXAMPLES: &str = "\
Examples:
  What a subscription to a package would install
  $ opmx resolve etcd --catalog registry.example.com/index:v1

  Of one channel, with a second catalog that is preferred
  $ opmx resolve etcd=stable --catalog main=index.db --catalog own=catalog/,10

  What the installed version would be updated to, and why
  $ opmx resolve etcd --catalog index.db --installed etcdoperator.v0.9.0 --explain

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
    #[arg(value_name = "PACKAGE[=CHANNEL]", required_unless_present_any = ["state", "schema"])]
    packages: Vec<String>,
    /// A file that says what the cluster is like: catalogs, subscriptions and what is installed; - is standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = ["packages", "catalog", "installed", "starting_csv", "namespace"])]
    state: Option<String>,
    /// An index to take operators from: an image, a database or a folder with a file-based catalog; may be repeated
    ///
    /// The first one is subscribed to. Without a name it is called catalog, the second catalog-2 and so on. A higher
    /// priority is preferred for dependencies.
    #[arg(long, value_name = "[NAME=]INDEX[,PRIORITY]", required_unless_present_any = ["state", "schema"])]
    catalog: Vec<String>,
    /// What is installed, by the name of its ClusterServiceVersion; may be repeated
    #[arg(long, value_name = "CSV")]
    installed: Vec<String>,
    /// The version that the first installation takes
    #[arg(long, value_name = "CSV")]
    starting_csv: Option<String>,
    /// Namespace that operators are installed into
    #[arg(short, long, value_name = "NAME", default_value = cluster::state::NAMESPACE)]
    namespace: String,
    /// Leave out dependencies that are only recommended
    #[arg(long)]
    without_recommended: bool,
    /// Take this package where it can be, although it is only optional to a bundle; may be repeated
    #[arg(long, value_name = "PACKAGE")]
    with_optional: Vec<String>,
    /// Say of every candidate why it was taken or not
    #[arg(long)]
    explain: bool,
    /// How many candidates are tried at most
    #[arg(long, value_name = "N", default_value_t = Options::default().steps)]
    max_steps: u64,
    /// Print the JSON Schema of the file for --state
    #[arg(long, exclusive = true)]
    schema: bool,
    #[command(flatten)]
    output: OutputArguments,
    #[command(flatten)]
    registry: RegistryArguments,
}

pub(crate) fn run(arguments: &ResolveArguments, context: &Context<'_>) -> CommandResult {
    if arguments.schema {
        context.printer.document(Format::Json, &cluster::json_schema())?;
        return Ok(Status::Success);
    }
    let mut state = match &arguments.state {
        Some(file) => {
            let limits = Limits::default();
            let (name, bytes) = input::read(file, limits.file_bytes, context)?;
            cluster::read(&name, &bytes, &limits)?
        }
        None => given(arguments)?,
    };
    let catalogs = open_catalogs(&state, arguments.state.as_deref(), &arguments.registry, context)?;
    // Only an update asks for the ranges that are skipped, which take long to read.
    let updates = state.subscriptions.iter().any(|to| to.installed_csv.is_some()) || !arguments.installed.is_empty();
    let read = catalogs.read(updates)?;
    if arguments.state.is_none() {
        install(arguments, &mut state, &read)?;
    }
    let problem = Problem::of_state(&state, catalogs.sources(&state, &read));
    let options = Options {
        without_recommended: arguments.without_recommended,
        with_optional: arguments.with_optional.iter().cloned().collect(),
        steps: arguments.max_steps,
        explain: arguments.explain,
    };
    match resolver::resolve(&problem, &options) {
        Ok(found) => {
            match arguments.output.output {
                Format::Text => resolution::print(&context.printer, &found)?,
                format => context.printer.document(format, &found)?,
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

/// The state that the command line describes; what is installed comes when the catalogs are open.
fn given(arguments: &ResolveArguments) -> Result<State, CommandError> {
    let mut state = State {
        namespace: arguments.namespace.clone(),
        ..State::default()
    };
    for (number, text) in (1..).zip(&arguments.catalog) {
        let (text, priority) = match text
            .rsplit_once(',')
            .map(|(text, priority)| (text, priority.parse::<i32>()))
        {
            Some((text, Ok(priority))) => (text, priority),
            _ => (text.as_str(), 0),
        };
        let is_name = |name: &str| !name.is_empty() && !name.contains(['/', ':', '.']);
        let (name, source) = match text.split_once('=') {
            Some((name, source)) if is_name(name) => (name.to_owned(), source),
            _ if number == 1 => ("catalog".to_owned(), text),
            _ => (format!("catalog-{number}"), text),
        };
        if state.catalogs.iter().any(|catalog| catalog.name == name) {
            return Err(CommandError::usage(format!("two catalogs are called {name}")));
        }
        state.catalogs.push(CatalogSource {
            name,
            namespace: arguments.namespace.clone(),
            priority: i64::from(priority),
            source: Some(source.to_owned()),
            packages: Vec::new(),
        });
    }
    let first = state.catalogs.first().map(|catalog| catalog.name.clone());
    for text in &arguments.packages {
        let (package, channel) = match text.split_once('=') {
            Some((package, channel)) => (package, Some(channel.to_owned()).filter(|channel| !channel.is_empty())),
            None => (text.as_str(), None),
        };
        if state.subscriptions.iter().any(|known| known.package == package) {
            return Err(CommandError::usage(format!("the package {package} is named twice")));
        }
        state.subscriptions.push(Subscription {
            name: package.to_owned(),
            package: package.to_owned(),
            channel,
            catalog: first.clone().unwrap_or_default(),
            catalog_namespace: arguments.namespace.clone(),
            starting_csv: arguments.starting_csv.clone(),
            ..Subscription::default()
        });
    }
    Ok(state)
}

/// Puts in what is installed, as the catalogs know it, and tells the subscriptions to the same packages.
fn install(arguments: &ResolveArguments, state: &mut State, catalogs: &[Cow<'_, Catalog>]) -> Result<(), CommandError> {
    for name in &arguments.installed {
        let found = catalogs.iter().find_map(|catalog| {
            let id = catalog.find(name)?;
            let bundle = catalog.bundle(id)?;
            let mut packages = catalog.packages.iter();
            let package = packages.find(|package| {
                let mut entries = package.channels.iter().flat_map(|channel| &channel.entries);
                entries.any(|entry| entry.bundle == id)
            });
            Some((bundle, package.map(|package| package.name.to_string())))
        });
        let Some((bundle, package)) = found else {
            return Err(
                CommandError::failure(format!("no catalog has a bundle {name}, which is to be installed"))
                    .hint("describe what is installed in a file, and give it with --state"),
            );
        };
        for subscription in &mut state.subscriptions {
            if Some(&subscription.package) == package.as_ref() {
                subscription.installed_csv = Some(name.clone());
                subscription.current_csv = Some(name.clone());
            }
        }
        state.installed.push(Installed {
            name: name.clone(),
            version: bundle.version.as_deref().map(str::to_owned),
            properties: resolver::annotation(package.as_deref().unwrap_or_default(), bundle),
            ..Installed::default()
        });
    }
    Ok(())
}
