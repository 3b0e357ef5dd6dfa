//! `opmx operator migrate`: the Operators and Installs that take the place of Subscriptions and OperatorGroups.

use crate::catalog::Catalog;
use crate::cli::arguments::{DatabaseLimitArguments, LimitArguments, OutputArguments, RegistryArguments};
use crate::cli::error::{CommandError, CommandResult, Status};
use crate::cli::what_if::{named_indexes, read_cluster};
use crate::cli::{Context, sources};
use crate::index::open::Index;
use crate::install::operator::migrate::{CopiedVersion, Group, Migration, Replaced, migrate};
use crate::terminal::Format;
use crate::terminal::table::Table;
use clap::Args;
use serde_json::{Value, json};
use std::borrow::Cow;
use std::convert;

const EXAMPLES: &str = "\
Examples:
  What would take the place of what
  $ kubectl get sub,csv,og,installplans -A -o yaml > dump.yaml
  $ opmx operator migrate dump.yaml --catalog registry.example.com/index:v1

  The resources themselves
  $ opmx operator migrate dump.yaml --catalog registry.example.com/index:v1 -o yaml > operators.yaml";

/// Print the Operators and Installs that take the place of Subscriptions and OperatorGroups
///
/// A Subscription goes where an Operator has its package, channel and catalog; one is made where there is none. An
/// Install names the bundle that is installed: the image that a catalog or the InstallPlan has for it, else the
/// manifests of the InstallPlan. It has the service account of the only OperatorGroup of its namespace, else one of its
/// own name. ClusterServiceVersions that OLM copied go where the original belongs to an Operator.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct MigrateArguments {
    /// Files or folders with what kubectl get -o yaml or -o json prints, or - for standard input
    #[arg(value_name = "FILE|DIR", required = true)]
    files: Vec<String>,
    /// An index that the installed bundles come from, that of the CatalogSource with this name, or of any; may be
    /// repeated
    #[arg(long, value_name = "[NAME=]INDEX")]
    catalog: Vec<String>,
    #[command(flatten)]
    output: OutputArguments,
    #[command(flatten)]
    registry: RegistryArguments,
    #[command(flatten)]
    limits: LimitArguments,
    #[command(flatten)]
    database: DatabaseLimitArguments,
}

pub(super) fn run(arguments: &MigrateArguments, context: &Context<'_>) -> CommandResult {
    let state = read_cluster(None, &arguments.files, convert::identity, &arguments.limits, context)?;
    let limits = arguments.limits.index(&arguments.database, &arguments.registry);
    let mut indexes = Vec::new();
    for named in named_indexes(&arguments.catalog) {
        let index = sources::open_catalog(&named.index, &arguments.registry, limits, context)?;
        indexes.push((named.name, index));
    }
    let mut catalogs: Vec<(Option<&str>, Cow<'_, Catalog>)> = Vec::new();
    for (name, index) in &indexes {
        catalogs.push((name.as_deref(), Index::catalog(index)?));
    }
    let image = |catalog: &str, bundle: &str| {
        let mut own = catalogs
            .iter()
            .filter(|(name, _)| name.is_none_or(|name| name == catalog));
        own.find_map(|(_, catalog)| {
            let found = catalog.bundle(catalog.find(bundle)?)?;
            found
                .image
                .as_deref()
                .filter(|image| !image.is_empty())
                .map(str::to_owned)
        })
    };
    let migration = migrate(&state.objects, &image);
    if migration.subscriptions.is_empty() {
        return Err(CommandError::failure("nothing in what was read is a Subscription")
            .hint("give what \"kubectl get sub,csv,og,installplans -A -o yaml\" prints"));
    }
    for note in &migration.notes {
        context.printer.warning(note);
    }
    match arguments.output.output {
        Format::Text => print(&migration, context)?,
        format => {
            for line in goes(&migration) {
                context.printer.status(line);
            }
            let made: Vec<&Value> = migration.operators.iter().chain(&migration.installs).collect();
            resources(&made, format, context)?;
        }
    }
    Ok(Status::Success)
}

fn resources(made: &[&Value], format: Format, context: &Context<'_>) -> Result<(), CommandError> {
    if format == Format::Json {
        let list = json!({"apiVersion": "v1", "kind": "List", "items": made});
        return Ok(context.printer.document(format, &list)?);
    }
    for (number, resource) in made.iter().enumerate() {
        if number > 0 {
            context.printer.line("---")?;
        }
        context.printer.document(format, resource)?;
    }
    Ok(())
}

fn print(migration: &Migration, context: &Context<'_>) -> Result<(), CommandError> {
    let columns = ["SUBSCRIPTION", "OPERATOR", "INSTALL", "CONTENT"];
    let mut table = Table::new(context.printer.stdout(), columns);
    for Replaced {
        subscription,
        operator,
        is_there,
        install,
    } in &migration.subscriptions
    {
        let operator = if *is_there {
            format!("{operator} (there already)")
        } else {
            operator.clone()
        };
        let install = install.as_deref().unwrap_or_default();
        table.row([subscription, &operator, install, &content(migration, install)])?;
    }
    table.finish()?;
    context.printer.line("")?;
    for line in goes(migration) {
        context.printer.line(line)?;
    }
    Ok(())
}

/// The content of an Install, in a word.
fn content(migration: &Migration, install: &str) -> String {
    let mut installs = migration.installs.iter();
    let found = installs.find(|found| found.pointer("/metadata/name").and_then(Value::as_str) == Some(install));
    let content = found.and_then(|install| install.pointer("/spec/content")?.as_array());
    let image = |entry: &Value| entry.get("manifestImage").and_then(Value::as_str).map(str::to_owned);
    match content.map(Vec::as_slice) {
        None => String::new(),
        Some([entry]) => image(entry).unwrap_or_else(|| "1 manifest".to_owned()),
        Some(entries) => format!("{} manifests", entries.len()),
    }
}

/// What goes, a line for each.
fn goes(migration: &Migration) -> Vec<String> {
    let mut lines = Vec::new();
    for Group {
        group,
        account,
        targets,
    } in &migration.groups
    {
        let mut line = match account {
            Some(account) => format!("OperatorGroup {group} goes: the Installs have its service account {account}"),
            None => format!("OperatorGroup {group} goes"),
        };
        if !targets.is_empty() {
            line.push_str(&format!(
                "; an Install does not say the namespaces to watch: {}",
                targets.join(", ")
            ));
        }
        lines.push(line);
    }
    for CopiedVersion { copy, operator, owned } in &migration.copies {
        lines.push(match operator {
            None => format!("ClusterServiceVersion {copy} stays: its original belongs to no Operator"),
            Some(operator) if owned.is_empty() => {
                format!("ClusterServiceVersion {copy} goes: it is a copy, of Operator {operator}")
            }
            Some(operator) => format!(
                "ClusterServiceVersion {copy} goes: it is a copy, and Operator {operator} becomes the owner of {}",
                owned.join(", ")
            ),
        });
    }
    lines
}
