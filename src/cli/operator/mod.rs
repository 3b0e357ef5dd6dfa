//! `opmx operator`: what a cluster has of an operator, in one resource.

mod crds;

use crate::cli::arguments::{DatabaseLimitArguments, LimitArguments, OutputArguments, RegistryArguments};
use crate::cli::error::{CommandError, CommandResult, Status};
use crate::cli::what_if::read_cluster;
use crate::cli::{Context, sources};
use crate::cluster::labels::LabelStyle;
use crate::index::open::Index;
use crate::install::operator::{Operator, OperatorOptions, operators};
use crate::terminal::Format;
use crate::terminal::operator_view;
use clap::{Args, Subcommand, ValueEnum};
use serde_json::json;
use std::convert;

const EXAMPLES: &str = "\
Examples:
  What there is of each operator in a dump
  $ kubectl get csv,sub,installplans,deploy,crd,role,rolebinding,sa -A -o yaml > dump.yaml
  $ opmx operator dump.yaml

  One of them as a resource, with the updates that an index has for it
  $ opmx operator dump.yaml --name etcd.operators -o yaml \\
      --catalog registry.example.com/index:v1

  The CustomResourceDefinitions of such resources
  $ opmx operator crds > crds.yaml";

/// Show what a cluster has of an operator, in one resource
///
/// Components are found by their label operators.coreos.com/NAME, which OLM gives them. Shown are the components with
/// what is out of order about them, what the newest version that works says of itself, the channels with an update, and
/// what there is to say of the whole.
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
    /// Show also the conditions that are as they should be
    #[arg(long)]
    all_conditions: bool,
    /// How the label of the components is written
    #[arg(long, value_enum, value_name = "STYLE", default_value_t)]
    label_style: Style,
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
    if let Some(OperatorCommand::Crds(arguments)) = &arguments.command {
        return crds::run(arguments, context);
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
    let found = chosen(
        operators(&objects, catalog.as_deref(), options),
        arguments.name.as_deref(),
    )?;
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

/// All operators, or the one of a name.
fn chosen(mut found: Vec<Operator>, name: Option<&str>) -> Result<Vec<Operator>, CommandError> {
    if found.is_empty() {
        return Err(
            CommandError::failure("nothing in what was read has a label operators.coreos.com/NAME")
                .hint("give what \"kubectl get -A -o yaml\" prints of the kinds that an operator is made of"),
        );
    }
    let Some(name) = name else {
        return Ok(found);
    };
    let names: Vec<String> = found.iter().map(|operator| operator.metadata.name.clone()).collect();
    found.retain(|operator| operator.metadata.name == name);
    if found.is_empty() {
        let names = names.join(", ");
        return Err(CommandError::failure(format!("there is no operator {name}")).hint(format!("there is {names}")));
    }
    Ok(found)
}
