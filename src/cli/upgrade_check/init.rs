//! `opmx upgrade-check init`: a condition resource, and the permission to write it.

use crate::cli::Context;
use crate::cli::error::{CommandError, CommandResult, Status};
use crate::cluster::conditions::{Starter, starter};
use crate::kubernetes::names::{is_csv_name, is_dns1123_label, is_dns1123_subdomain};
use crate::text::to_yaml;
use clap::Args;

const EXAMPLES: &str = "\
Examples:
  For the account default
  $ opmx upgrade-check init --name etcd.v0.9.4 --namespace operators

  For the account of the operator, and its deployment
  $ opmx upgrade-check init --name etcd.v0.9.4 --namespace operators \\
      --service-account etcd-operator --deployment etcd-operator";

/// Write a condition resource, and the permission to write it
///
/// Printed are an OperatorCondition, and a Role with its RoleBinding that let the accounts get, update and patch this
/// one resource. OLM makes the same objects, with the same names and verbs, when it installs an operator; this is for trying
/// an operator without OLM, and for review.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct InitArguments {
    /// Name of the ClusterServiceVersion, which the resource has, too
    #[arg(long, value_name = "CSV")]
    name: String,
    /// Namespace of the operator
    #[arg(long, value_name = "NAMESPACE")]
    namespace: String,
    /// Service account of the operator; can be repeated. Without it the account is default
    #[arg(long, value_name = "NAME")]
    service_account: Vec<String>,
    /// Deployment whose containers get the name of the resource as OPERATOR_CONDITION_NAME; can be repeated
    #[arg(long, value_name = "NAME")]
    deployment: Vec<String>,
}

pub(super) fn run(arguments: &InitArguments, context: &Context<'_>) -> CommandResult {
    let refuse = |option: &str, value: &str, wanted: &str| {
        Err(CommandError::usage(format!("{option} {value:?} is not {wanted}")))
    };
    if !is_csv_name(&arguments.name) {
        let wanted = "the name of a ClusterServiceVersion: at most 63 lower-case letters, digits, dots and dashes";
        return refuse("--name", &arguments.name, wanted);
    }
    if !is_dns1123_label(&arguments.namespace) {
        let wanted = "a namespace: at most 63 lower-case letters, digits and dashes";
        return refuse("--namespace", &arguments.namespace, wanted);
    }
    for (option, names) in [
        ("--service-account", &arguments.service_account),
        ("--deployment", &arguments.deployment),
    ] {
        if let Some(name) = names.iter().find(|name| !is_dns1123_subdomain(name)) {
            return refuse(option, name, "a name of lower-case letters, digits, dots and dashes");
        }
    }
    let objects = starter(Starter {
        operator: &arguments.name,
        namespace: &arguments.namespace,
        service_accounts: &arguments.service_account,
        deployments: &arguments.deployment,
    });
    let documents: Vec<String> = objects.iter().map(to_yaml).collect();
    context.printer.written(&documents.join("---\n"))?;
    Ok(Status::Success)
}
