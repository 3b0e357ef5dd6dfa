//! `opmx permissions`: what an install needs, and what of it somebody does not hold.

mod diff;
mod requested;

use crate::bundle::location::Location;
use crate::cli::Context;
use crate::cli::arguments::{OutputArguments, RegistryArguments};
use crate::cli::error::{CommandError, CommandResult, Status};
use crate::cli::requests;
use crate::cli::what_if::InstallArguments;
use crate::cluster::State;
use crate::csv::Csv;
use crate::install::apis::Apis;
use crate::install::content::Content;
use crate::install::permissions::{self, Need, Permission, Purpose, Review, pending};
use crate::install::requests::account;
use crate::install::steps::{self, Repetition, Target};
use crate::kubernetes::rbac::account::{Account, Grants};
use crate::terminal::Format;
use crate::terminal::table::Table;
use clap::{Args, Subcommand, ValueEnum};
use serde_json::Value;

const EXAMPLES: &str = "\
Examples:
  All that the install and the operator need
  $ opmx permissions etcd

  What a service account is missing, as the Install resource
  $ opmx permissions etcd --state cluster.yaml --service-account olm/installer -o yaml

  What an Install resource needs, whatever it maps and however much it installs
  $ opmx permissions install.yaml --cluster dump.yaml

  What would come of an Operator resource
  $ opmx permissions operator.yaml --catalog community=registry.example.com/index:v1

  The roles that give it
  $ opmx permissions etcd --service-account olm/installer --as role

  Stop a pipeline where an upgrade asks for more
  $ opmx permissions diff registry.example.com/etcd-bundle:v0.9.2 etcd";

/// Review the permissions that a bundle needs to be installed
///
/// That is what the install itself asks the API server, and what the bundle hands on to its operator and to others: who
/// writes a role or binds one must hold what is in it, unless he may escalate or bind.
///
/// With --service-account what that account holds is taken off: the grants of the what-if file, and the bindings among
/// its objects. -o yaml and json give the Install resource with what is pending.
///
/// In place of a bundle a YAML or JSON file with Install and Operator resources may be named. Without any, those that --cluster
/// or --state has are reviewed. An Install is applied by the service account of the only OperatorGroup of its namespace; where
/// there is none or more than one, by one with the name of the Install.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct PermissionsArguments {
    #[command(subcommand)]
    command: Option<PermissionsCommand>,
    /// The bundle: a folder, HOST/NAME:TAG, oci:DIR:TAG or oci-archive:FILE:TAG; with --index its name. Or a file with Operator and
    /// Install resources, - for standard input
    #[arg(value_name = "BUNDLE|FILE", required_unless_present_any = ["state", "cluster"])]
    bundle: Option<String>,
    /// An index that the Operators take bundles from, in place of the CatalogSource of this name; may be repeated
    #[arg(long, value_name = "[NAME=]INDEX[,PRIORITY]")]
    catalog: Vec<String>,
    /// Print something else
    #[arg(long = "as", value_enum, value_name = "WHAT")]
    shape: Option<Shape>,
    /// End with exit status 1 where something is missing
    #[arg(long)]
    exit_code: bool,
    #[command(flatten)]
    installer: InstallerArguments,
    #[command(flatten)]
    output: OutputArguments,
}

/// What is installed where, and by whom.
#[derive(Debug, Args)]
struct InstallerArguments {
    /// Service account that installs; without it that of the OperatorGroup, where the files have one
    #[arg(long, value_name = "NS/NAME")]
    service_account: Option<Account>,
    #[command(flatten)]
    install: InstallArguments,
}

impl InstallerArguments {
    /// The account that installs the version of this name. Without a dump nothing is known of the OperatorGroups of the
    /// cluster.
    fn account(&self, state: &State, version: &str) -> Option<Account> {
        let namespace = self.install.namespace(state);
        self.service_account
            .clone()
            .or_else(|| match self.install.cluster.cluster[..] {
                [] => permissions::account_of(state, namespace),
                _ => account::of_install(state, namespace, version),
            })
    }

    /// The account that installs the version of this name, and what it holds.
    fn held(&self, state: &State, version: &str, context: &Context<'_>) -> (Option<Account>, Grants) {
        let account = self.account(state, version);
        let held = account.as_ref().map(|account| permissions::held(account, state));
        let (held, notes) = held.unwrap_or_default();
        for note in notes {
            context.printer.warning(note);
        }
        (account, held)
    }
}

#[derive(Debug, Subcommand)]
enum PermissionsCommand {
    Diff(diff::DiffArguments),
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Shape {
    /// Roles and ClusterRoles with their bindings, which give what is missing
    Role,
}

pub(crate) fn run(arguments: &PermissionsArguments, context: &Context<'_>) -> CommandResult {
    match (&arguments.command, &arguments.bundle) {
        (Some(PermissionsCommand::Diff(arguments)), _) => diff::run(arguments, context),
        (None, Some(file)) if requests::is_file(file) => requested::run(Some(file), arguments, context),
        (None, Some(bundle)) => review(bundle, arguments, context),
        (None, None) => requested::run(None, arguments, context),
    }
}

fn review(bundle: &str, arguments: &PermissionsArguments, context: &Context<'_>) -> CommandResult {
    let install = &arguments.installer.install;
    let state = install.state(context)?;
    if !arguments.catalog.is_empty() {
        return Err(CommandError::usage(
            "--catalog says where Operators take bundles from; --index says where BUNDLE is taken from",
        ));
    }
    // Who installs does not depend on the bundle, but for a name.
    if arguments.shape.is_some() && arguments.installer.account(&state, "").is_none() {
        return Err(CommandError::usage(
            "--as role writes roles for a service account: name it with --service-account, or give an OperatorGroup that does",
        ));
    }
    let Some(content) = install.content(bundle, context)? else {
        return Ok(Status::Failure);
    };
    let (account, held) = arguments.installer.held(&state, &content.name, context);
    let namespace = install.namespace(&state);
    let needs = needs(&content, namespace, &state)?;
    let missing = pending(&needs, &held);
    let status = if arguments.exit_code && !missing.is_empty() {
        Status::Failure
    } else {
        Status::Success
    };
    if let (Some(Shape::Role), Some(account)) = (arguments.shape, &account) {
        roles(
            &permissions::roles(&content.name, account, &missing),
            arguments.output.output,
            context,
        )?;
        return Ok(status);
    }
    if arguments.output.output == Format::Text {
        print(&needs, &missing, &held, account.as_ref(), context)?;
        return Ok(status);
    }
    let review = Review {
        name: Csv(&content.csv).name().to_owned(),
        content: vec![match install.index {
            // What an index holds is there, whatever image it came from.
            Some(_) => permissions::Content::raw(&content),
            None => reviewed(bundle, &content, &install.registry, context)?,
        }],
        namespaces: permissions::namespaces_of(&content, namespace),
        account,
        pending: missing,
    };
    let install = permissions::install(&review);
    context.printer.document(arguments.output.output, &install)?;
    Ok(status)
}

/// What the steps of a bundle need.
fn needs(content: &Content, namespace: &str, state: &State) -> Result<Vec<Need>, CommandError> {
    let target = Target {
        namespace: namespace.to_owned(),
        catalog: String::new(),
        catalog_namespace: String::new(),
        repetition: Repetition::Once,
    };
    let steps = steps::in_order(steps::of_bundle(content, &target, "")?);
    let apis = Apis::of(state);
    Ok(permissions::needed(&steps, namespace, &apis, &state.objects)?)
}

/// What is reviewed, with the digest that an image stands for.
fn reviewed(
    bundle: &str,
    content: &Content,
    registry: &RegistryArguments,
    context: &Context<'_>,
) -> Result<permissions::Content, CommandError> {
    match bundle.parse()? {
        Location::Directory(_) => Ok(permissions::Content::raw(content)),
        Location::Image(reference) => {
            let transports = registry.transports(context);
            let digest = context.runtime.block_on(transports.resolve(&reference))?;
            Ok(permissions::Content::Image {
                named: requests::without_transport(&reference),
                resolved: requests::without_transport(&reference.with_digest(&digest)),
            })
        }
    }
}

fn roles(objects: &[Value], format: Format, context: &Context<'_>) -> Result<(), CommandError> {
    if format == Format::Json {
        let list = serde_json::json!({"apiVersion": "v1", "kind": "List", "items": objects});
        return Ok(context.printer.document(format, &list)?);
    }
    for (index, object) in objects.iter().enumerate() {
        if index > 0 {
            context.printer.line("---")?;
        }
        context.printer.document(Format::Yaml, object)?;
    }
    if objects.is_empty() {
        context
            .printer
            .status("nothing is missing, so there is no role to write");
    }
    Ok(())
}

/// Two tables: for the install itself, and for what it hands on.
fn print(
    needs: &[Need],
    missing: &[Permission],
    held: &Grants,
    account: Option<&Account>,
    context: &Context<'_>,
) -> Result<(), CommandError> {
    let printer = &context.printer;
    let who = account.map_or("needed".to_owned(), |account| format!("{account} is missing"));
    if missing.is_empty() {
        let nothing = account.map_or("nothing is needed".to_owned(), |_| format!("{who} nothing"));
        return Ok(printer.line(nothing)?);
    }
    let parts = [
        (Purpose::Install, "for the install itself"),
        (Purpose::Operator, "to hand on to the operator"),
    ];
    let mut first = true;
    for (purpose, what) in parts {
        let own: Vec<Need> = needs.iter().filter(|need| need.purpose == purpose).cloned().collect();
        let missing = pending(&own, held);
        if missing.is_empty() {
            continue;
        }
        if !std::mem::take(&mut first) {
            printer.line("")?;
        }
        printer.line(format!("{who} {what}:"))?;
        table(&missing, context)?;
    }
    Ok(())
}

/// The verbs in the order in which people write them.
const VERBS: [&str; 8] = [
    "get",
    "list",
    "watch",
    "create",
    "update",
    "patch",
    "delete",
    "deletecollection",
];

/// One row for each rule.
fn table(permissions: &[Permission], context: &Context<'_>) -> Result<(), CommandError> {
    let mut table = Table::new(
        context.printer.stdout(),
        ["NAMESPACE", "GROUP", "RESOURCE", "NAMES", "VERBS"],
    );
    for Permission { rule, namespaces } in permissions {
        let place = if namespaces.is_empty() {
            "(all)".to_owned()
        } else {
            namespaces.join(", ")
        };
        let group = match &rule.api_groups[..] {
            [group] if group.is_empty() => "(core)".to_owned(),
            groups => groups.join(", "),
        };
        let what = [&rule.resources[..], &rule.non_resource_urls[..]].concat().join(", ");
        let names = rule.resource_names.join(", ");
        let mut verbs = rule.verbs.clone();
        verbs.sort_by_key(|verb| VERBS.iter().position(|usual| usual == verb).unwrap_or(VERBS.len()));
        table.row([&*place, &group, &what, &names, &verbs.join(", ")])?;
    }
    Ok(table.finish()?)
}
