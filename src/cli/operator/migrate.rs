//! `opmx operator migrate`: the Operators and Installs that replace Subscriptions and OperatorGroups.

use crate::catalog::Catalog;
use crate::cli::arguments::{DatabaseLimitArguments, LimitArguments, OutputArguments, RegistryArguments};
use crate::cli::cluster_files::read_cluster;
use crate::cli::error::{CommandError, CommandResult, Status};
use crate::cli::values::filled;
use crate::cli::{Context, named_catalogs};
use crate::cluster::{CatalogName, dump, subscribed_catalogs};
use crate::index::open::Index;
use crate::install::named_catalog::stands_for;
use crate::install::operator::migrate::{CopiedVersion, Group, Migration, Replaced, migrate};
use crate::terminal::Format;
use crate::terminal::table::Table;
use clap::Args;
use serde_json::{Value, json};
use std::borrow::Cow;
use std::collections::HashMap;

const EXAMPLES: &str = "\
Examples:
  Show the replacement of each resource
  $ kubectl get sub,csv,og,installplans -A -o yaml > dump.yaml
  $ opmx operator migrate dump.yaml --catalog registry.example.com/index:v1

  Print the new resources
  $ opmx operator migrate dump.yaml --catalog registry.example.com/index:v1 -o yaml > operators.yaml";

/// Print the Operators and Installs that replace Subscriptions and OperatorGroups
///
/// A Subscription is replaced by the Operator with the same package, channel and catalog, which is created if absent.
/// An Install specifies the installed bundle by the image that a catalog or the InstallPlan names, or otherwise by the
/// manifests in the InstallPlan. It uses the service account of the OperatorGroup in its namespace; if there is no
/// OperatorGroup, or more than one, it uses the service account with the name of the Install. ClusterServiceVersions
/// that OLM copied are removed if the original belongs to an Operator.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct MigrateArguments {
    /// Files or folders with the output of kubectl get -o yaml or -o json, or - for standard input
    #[arg(value_name = "FILE|DIR", required = true, value_parser = filled())]
    files: Vec<String>,
    /// Index that contains installed bundles, for the CatalogSource NAME or for all CatalogSources; may be repeated
    ///
    /// NAME is NAMESPACE/NAME if several CatalogSources have this name.
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
    let state = read_cluster(None, &arguments.files, dump::kept_whole, &arguments.limits, context)?;
    let limits = arguments.limits.index(&arguments.database, &arguments.registry);
    let used = subscribed_catalogs(&state.objects);
    let indexes = named_catalogs::open(&arguments.catalog, &used, &arguments.registry, limits, context)?;
    let mut catalogs: Vec<(Option<&CatalogName>, Cow<'_, Catalog>)> = Vec::new();
    for (name, index) in &indexes {
        catalogs.push((name.as_ref(), Index::catalog(index)?));
    }
    let image = |source: (&str, &str), package: &str, bundle: &str| {
        let mut own = catalogs.iter().filter(|(name, _)| stands_for(*name, Some(source)));
        own.find_map(|(_, catalog)| {
            let found = catalog.bundle(catalog.find_in(package, bundle)?)?;
            found
                .image
                .as_deref()
                .filter(|image| !image.is_empty())
                .map(str::to_owned)
        })
    };
    let migration = migrate(&state.objects, &image);
    if migration.subscriptions.is_empty() {
        return Err(CommandError::failure("the input contains no Subscription")
            .hint("pass the output of \"kubectl get sub,csv,og,installplans -A -o yaml\""));
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
    let named = |install| Some((Value::pointer(install, "/metadata/name")?.as_str()?, install));
    let installs: HashMap<&str, &Value> = migration.installs.iter().rev().filter_map(named).collect();
    for Replaced {
        subscription,
        operator,
        is_there,
        install,
    } in &migration.subscriptions
    {
        let operator = if *is_there {
            format!("{operator} (already exists)")
        } else {
            operator.clone()
        };
        let install = install.as_deref().unwrap_or_default();
        let content = content(installs.get(install).copied());
        table.row([subscription, &operator, install, &content])?;
    }
    table.finish()?;
    context.printer.line("")?;
    for line in goes(migration) {
        context.printer.line(line)?;
    }
    Ok(())
}

/// Returns a short description of an Install's content.
fn content(install: Option<&Value>) -> String {
    let content = install.and_then(|install| install.pointer("/spec/content")?.as_array());
    let image = |entry: &Value| entry.get("manifestImage").and_then(Value::as_str).map(str::to_owned);
    match content.map(Vec::as_slice) {
        None => String::new(),
        Some([entry]) => image(entry).unwrap_or_else(|| "1 manifest".to_owned()),
        Some(entries) => format!("{} manifests", entries.len()),
    }
}

/// Describes the removed resources, one per line.
fn goes(migration: &Migration) -> Vec<String> {
    let mut lines = Vec::new();
    for Group {
        group,
        account,
        targets,
    } in &migration.groups
    {
        let mut line = match account {
            Some(account) => {
                format!("OperatorGroup {group} is removed because the Installs use its service account {account}")
            }
            None => format!("OperatorGroup {group} is removed"),
        };
        if !targets.is_empty() {
            line.push_str(&format!(
                "; an Install has no field for the namespaces to watch: {}",
                targets.join(", ")
            ));
        }
        lines.push(line);
    }
    for CopiedVersion { copy, operator, owned } in &migration.copies {
        lines.push(match operator {
            None => format!("ClusterServiceVersion {copy} is kept because its original belongs to no Operator"),
            Some(operator) if owned.is_empty() => {
                format!(
                    "ClusterServiceVersion {copy} is removed because it is a copy that belongs to Operator \
                    {operator}"
                )
            }
            Some(operator) => format!(
                "ClusterServiceVersion {copy} is removed because it is a copy, and Operator {operator} becomes the \
                owner of {}",
                owned.join(", ")
            ),
        });
    }
    lines
}
