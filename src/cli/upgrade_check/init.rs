//! `opmx upgrade-check init`: printing a condition resource, and the permission to write it.

use crate::cli::Context;
use crate::cli::error::{CommandError, CommandResult, Status};
use crate::cluster::conditions::{ENVIRONMENT, Starter, aggregate, environment_patch, proposed, starter};
use crate::kubernetes::names::{is_csv_name, is_dns1123_label, is_dns1123_subdomain};
use crate::terminal::shell::word;
use crate::text::to_yaml;
use clap::{Args, ValueEnum};
use serde_json::Value;

const EXAMPLES: &str = "\
Examples:
  Print the objects for the service account named default
  $ opmx upgrade-check init --name etcd.v0.9.4 --namespace operators

  Print the objects for the service account and the Deployment of the operator
  $ opmx upgrade-check init --name etcd.v0.9.4 --namespace operators \\
      --service-account etcd-operator --deployment etcd-operator

  Label the objects as components of an operator, and print the patch for a container
  $ opmx upgrade-check init --name etcd.v0.9.4 --namespace operators \\
      --operator etcd.operators --deployment etcd-operator/manager

  Print the Condition that was first proposed
  $ opmx upgrade-check init --kind condition --operator etcd.operators \\
      --name etcd.v0.9.4 --namespace operators";

/// Print a condition resource, and the permission to write it
///
/// Prints an OperatorCondition, and a Role and a RoleBinding that allow the accounts to get, update and patch only this
/// resource. OLM creates the same objects, with the same names and verbs, when it installs an operator; this command is
/// for testing an operator without OLM, and for review.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct InitArguments {
    /// Name of the ClusterServiceVersion, and of the resource
    #[arg(long, value_name = "CSV")]
    name: String,
    /// Namespace of the operator
    #[arg(long, value_name = "NAMESPACE")]
    namespace: String,
    /// Service account of the operator; may be repeated [default: default]
    #[arg(long, value_name = "NAME")]
    service_account: Vec<String>,
    /// Deployment whose containers get the name of the resource in OPERATOR_CONDITION_NAME; may be repeated
    #[arg(long, value_name = "NAME[/CONTAINER]")]
    deployment: Vec<String>,
    /// Operator that the resource is a component of, such as etcd.operators, for the label operators.coreos.com/NAME
    ///
    /// The name that OLM uses is PACKAGE.NAMESPACE. With this option, comments show the commands that set
    /// OPERATOR_CONDITION_NAME in the Deployments, for clusters where OLM does not set it.
    #[arg(long, value_name = "NAME")]
    operator: Option<String>,
    /// Resource to print: the resource that OLM serves, or the resource that was first proposed
    #[arg(
        long,
        value_enum,
        value_name = "KIND",
        default_value_t,
        requires_if("condition", "operator")
    )]
    kind: Kind,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// OperatorCondition, as served by OLM
    #[default]
    OperatorCondition,
    /// Condition, as in the proposal operator-conditions; no released OLM supports it
    Condition,
}

pub(super) fn run(arguments: &InitArguments, context: &Context<'_>) -> CommandResult {
    let refuse = |option: &str, value: &str, wanted: &str| {
        Err(CommandError::usage(format!("{option} {value:?} is not {wanted}")))
    };
    if !is_csv_name(&arguments.name) {
        let wanted = "the name of a ClusterServiceVersion: at most 63 lowercase letters, digits, dots and hyphens, with \
                      a letter or digit at both ends";
        return refuse("--name", &arguments.name, wanted);
    }
    if !is_dns1123_label(&arguments.namespace) {
        let wanted =
            "a namespace: at most 63 lowercase letters, digits and hyphens, with a letter or digit at both ends";
        return refuse("--namespace", &arguments.namespace, wanted);
    }
    let deployments = arguments.deployment.iter().map(|text| deployment(text));
    let deployments: Vec<(&str, Option<&str>)> = unique(deployments);
    let names: Vec<String> = unique(deployments.iter().map(|(name, _)| (*name).to_owned()));
    let accounts: Vec<String> = unique(arguments.service_account.iter().cloned());
    for (option, names) in [
        ("--service-account", &accounts),
        ("--deployment", &names),
        ("--operator", &arguments.operator.iter().cloned().collect()),
    ] {
        if let Some(name) = names.iter().find(|name| !is_dns1123_subdomain(name)) {
            let wanted = "a name of lowercase letters, digits, dots and hyphens, with a letter or digit at both ends";
            return refuse(option, name, wanted);
        }
    }
    if let Some(container) = deployments
        .iter()
        .filter_map(|(_, container)| *container)
        .find(|name| !is_dns1123_label(name))
    {
        let wanted = "the name of a container: at most 63 lowercase letters, digits and hyphens, with a letter or digit \
                      at both ends";
        return refuse("--deployment", container, wanted);
    }
    let described = Starter {
        operator: &arguments.name,
        namespace: &arguments.namespace,
        service_accounts: &accounts,
        deployments: &names,
    };
    let mut objects: Vec<Value> = match arguments.kind {
        Kind::OperatorCondition => starter(described).into(),
        Kind::Condition => proposed(described).into(),
    };
    let mut commands = String::new();
    if let Some(operator) = &arguments.operator {
        for object in &mut objects {
            aggregate(object, operator);
        }
        if !deployments.is_empty() {
            commands.push_str("# If OLM does not set OPERATOR_CONDITION_NAME, these commands set it:\n");
        }
        for (name, container) in deployments {
            commands.push_str(&format!("# {}\n", environment(name, container, arguments)));
        }
    }
    let documents: Vec<String> = objects.iter().map(to_yaml).collect();
    context.printer.written(&(documents.join("---\n") + &commands))?;
    Ok(Status::Success)
}

/// Returns the items without repetitions, in their order.
fn unique<T: PartialEq>(items: impl Iterator<Item = T>) -> Vec<T> {
    let mut kept = Vec::new();
    for item in items {
        if !kept.contains(&item) {
            kept.push(item);
        }
    }
    kept
}

/// Parses `NAME[/CONTAINER]`.
fn deployment(text: &str) -> (&str, Option<&str>) {
    match text.split_once('/') {
        Some((name, container)) => (name, Some(container)),
        None => (text, None),
    }
}

/// Returns the command that sets the environment variable in one container or in all containers.
fn environment(deployment: &str, container: Option<&str>, arguments: &InitArguments) -> String {
    let InitArguments { name, namespace, .. } = arguments;
    match container {
        Some(container) => {
            let patch = word(&environment_patch(container, name).to_string());
            format!("kubectl patch deployment {deployment} -n {namespace} -p {patch}")
        }
        None => format!("kubectl set env deployment/{deployment} -n {namespace} {ENVIRONMENT}={name}"),
    }
}
