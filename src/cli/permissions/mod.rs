//! `opmx permissions`: the permissions that an installation needs, and those that are missing.

mod diff;
mod policy;
mod requested;
mod user;

use crate::bundle::location::Location;
use crate::cli::Context;
use crate::cli::arguments::{OutputArguments, RegistryArguments};
use crate::cli::error::{CommandError, CommandResult, Status};
use crate::cli::policy::PolicyArguments;
use crate::cli::requests;
use crate::cli::values::filled;
use crate::cli::what_if::{self, InstallArguments, OlmArgument};
use crate::cluster::State;
use crate::csv::Csv;
use crate::diagnostic::Diagnostic;
use crate::image::Reference;
use crate::install::apis::Apis;
use crate::install::permissions::{self, Need, Permission, Purpose, Review, not_held, pending};
use crate::install::requests::account;
use crate::kubernetes::rbac::account::{Account, Grants};
use crate::olm::releases::Olm;
use crate::steps::Content;
use crate::steps::{self, Step, Target};
use crate::terminal::{self, Format};
use crate::validation::policy::Terms;
use clap::{Args, Subcommand, ValueEnum};
use serde_json::Value;
use user::{Approval, Question, UserArguments};

const EXAMPLES: &str = "\
Examples:
  Show all permissions that the installation and the operator need
  $ opmx permissions etcd

  Print the missing permissions of a service account as an Install resource
  $ opmx permissions etcd --state cluster.yaml --service-account olm/installer -o yaml

  Review an Install resource
  $ opmx permissions install.yaml --cluster dump.yaml

  Review an Operator resource
  $ opmx permissions operator.yaml --catalog community=registry.example.com/index:v1

  Print roles that grant the missing permissions
  $ opmx permissions etcd --service-account olm/installer --as role

  Check whether a user may approve the installation and use the catalog
  $ opmx permissions etcd --user ann --group team --catalog olm/community --cluster dump.yaml

  Check against the policy of an administrator
  $ opmx permissions etcd --policy policy.yaml

  List the catalogs that a user may use
  $ opmx permissions --user ann --group team --cluster dump.yaml

  Stop a pipeline if an upgrade needs more permissions
  $ opmx permissions diff registry.example.com/etcd-bundle:v0.9.2 etcd";

/// Review the permissions that the installation of a bundle needs
///
/// These are the permissions for the requests of the installation itself, and those that the bundle grants to its
/// operator and to other accounts. The latter are needed because an account that writes or binds a role must hold the
/// permissions in the role, unless it is granted the verb escalate or bind. Objects that already exist require
/// permissions to read and change them; for an upgrade, describe the installed objects with --cluster. OLM v0 writes
/// CustomResourceDefinitions with its own account, so no other account needs permissions for them, except to set up
/// conversion webhooks; releases of OLM v1 that use spec.serviceAccount of a ClusterExtension write everything with
/// that account. Permissions for optional manifests are listed separately and are not required: without them, these
/// manifests are not created, but the installation completes.
///
/// The permissions that the operator's accounts have after the installation are also listed, each with its reason. They
/// can exceed the requested permissions: if the OperatorGroup has no target namespaces, OLM extends permissions that
/// are requested for one namespace to all namespaces. The OperatorGroup is read from the files; without an
/// OperatorGroup, the target namespaces follow from the install modes that the bundle supports. The permissions of
/// other users and groups that the bundle changes are also listed: by its own bindings, by a role that is already bound
/// in the cluster, and by a ClusterRole that the cluster adds to another one, such as view, edit or admin, because of
/// its labels. OLM creates such ClusterRoles for every API that the operator owns.
///
/// With --service-account, the permissions that the account already has are subtracted: those that the what-if file
/// grants it, and those that it has through bindings among the objects. The output formats yaml and json show the
/// Install resource with the pending permissions.
///
/// Instead of a bundle, a YAML or JSON file with Install and Operator resources may be specified. Without a bundle or a
/// file, the resources in --cluster or --state are reviewed. An Install is applied by the service account of the only
/// OperatorGroup in its namespace; if the namespace has none or several, by the service account with the name of the
/// Install.
///
/// With --user or --group, checks whether a user may approve the installation and use catalogs. An approval requires
/// the pending permissions; the use of a catalog requires the verb install on the CatalogSource. With --as role, prints
/// the roles that would allow the user to do so. The exit status is 3 if the answer is no. If a file contains several
/// Installs, they cannot be checked together.
///
/// With --policy, checks the bundle against the policy of an administrator, including the terms for the user if a user
/// is specified. Permissions that OLM extends to all namespaces count as permissions for the whole cluster. The exit
/// status is 3 if something is not allowed; the formats yaml and json list the reasons under refusedByPolicy.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct PermissionsArguments {
    #[command(subcommand)]
    command: Option<PermissionsCommand>,
    /// Bundle: a folder, HOST/NAME:TAG, oci:DIR:TAG or oci-archive:FILE:TAG, or with --index a bundle name; or a file
    /// with Operator and Install resources, - for standard input
    #[arg(value_name = "BUNDLE|FILE", required_unless_present_any = ["state", "cluster", "user", "group"], value_parser = filled())]
    bundle: Option<String>,
    /// Print this output instead of the review
    #[arg(long = "as", value_enum, value_name = "KIND")]
    shape: Option<Shape>,
    /// Exit with status 3 if permissions are missing
    #[arg(long)]
    exit_code: bool,
    #[command(flatten)]
    user: UserArguments,
    #[command(flatten)]
    policy: PolicyArguments,
    #[command(flatten)]
    installer: InstallerArguments,
    #[command(flatten)]
    output: OutputArguments,
}

/// The options for the installation and its service account.
#[derive(Debug, Args)]
struct InstallerArguments {
    /// Service account of the installation [default: from the OperatorGroup in the files]
    #[arg(long, value_name = "NS/NAME")]
    service_account: Option<Account>,
    #[command(flatten)]
    olm: OlmArgument,
    #[command(flatten)]
    install: InstallArguments,
}

impl InstallerArguments {
    /// Returns the account that installs the version with this name. Without a dump, the OperatorGroups of the cluster
    /// are unknown.
    fn account(&self, state: &State, version: &str) -> Option<Account> {
        let namespace = self.install.namespace(state);
        self.service_account
            .clone()
            .or_else(|| match self.install.cluster.cluster[..] {
                [] => permissions::account_of(state, namespace),
                _ => account::of_install(state, namespace, version),
            })
    }

    /// Returns the account that installs the version with this name, and the permissions of the account.
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

impl PermissionsArguments {
    /// Returns the terms of the policy for the specified user.
    fn terms(&self, context: &Context<'_>) -> Result<Option<Terms>, CommandError> {
        let user = self.user.user().unwrap_or_default();
        let limits = self.installer.install.limits.text();
        self.policy.terms(user.name.as_deref(), &user.groups, &limits, context)
    }
}

#[derive(Debug, Subcommand)]
enum PermissionsCommand {
    Diff(diff::DiffArguments),
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Shape {
    /// Roles and ClusterRoles with their bindings, which grant the missing permissions
    Role,
}

pub(crate) fn run(arguments: &PermissionsArguments, context: &Context<'_>) -> CommandResult {
    let bundle = arguments.bundle.as_ref().filter(|file| !requests::is_file(file));
    if arguments.command.is_none() && bundle.is_none() {
        arguments.installer.install.form.require_bundle()?;
    }
    match (&arguments.command, &arguments.bundle) {
        (Some(PermissionsCommand::Diff(arguments)), _) => diff::run(arguments, context),
        (None, Some(file)) if requests::is_file(file) => requested::run(Some(file), arguments, context),
        (None, Some(bundle)) => review(bundle, arguments, context),
        (None, None) if arguments.user.user().is_some() => {
            let install = &arguments.installer.install;
            let state = install.cluster.read(&install.limits, context)?;
            let terms = arguments.terms(context)?;
            let nothing = Grants::default();
            asked(None, arguments, (&state, &nothing), (terms.as_ref(), &[]), context)
        }
        (None, None) => requested::run(None, arguments, context),
    }
}

/// Reports whether the specified user may approve the installation and use catalogs.
fn asked(
    content: Option<&Content>,
    arguments: &PermissionsArguments,
    (state, installer): (&State, &Grants),
    (terms, refused): (Option<&Terms>, &[Diagnostic]),
    context: &Context<'_>,
) -> CommandResult {
    let Some(user) = arguments.user.user() else {
        return Err(CommandError::usage("no bundle was specified"));
    };
    let approval = match content {
        None => None,
        Some(content) => {
            let namespace = arguments.installer.install.namespace(state);
            let needs = needs(content, namespace, state, arguments.installer.olm.get())?;
            Some(Approval {
                is_install: false,
                name: &content.name,
                installer,
                pending: pending(&needs, installer)?,
                needs,
            })
        }
    };
    let question = Question {
        user: &user,
        catalogs: arguments.user.catalogs()?,
        approval,
        shape: arguments.shape,
        terms,
        refused,
        output: &arguments.output,
    };
    user::answer(&question, state, context)
}

fn review(bundle: &str, arguments: &PermissionsArguments, context: &Context<'_>) -> CommandResult {
    arguments.user.check()?;
    let install = &arguments.installer.install;
    let olm = arguments.installer.olm.announced(context);
    let state = install.state(olm, context)?;
    let user = arguments.user.user();
    // The bundle can determine the name of the account, but not whether there is an account.
    if arguments.shape.is_some() && arguments.installer.account(&state, "").is_none() && user.is_none() {
        return Err(CommandError::usage(
            "--as role requires a service account; specify it with --service-account NAMESPACE/NAME, or with an \
             OperatorGroup in the files",
        ));
    }
    let Some(content) = install.content(bundle, context)? else {
        return Ok(Status::Failure);
    };
    install.note_suggested(&content, &state, context);
    let (account, held) = arguments.installer.held(&state, &content.name, context);
    let terms = arguments.terms(context)?;
    let refused = match &terms {
        Some(terms) => policy::findings(bundle, &content, terms, install, &state)?,
        None => Vec::new(),
    };
    context.printer.report(&refused);
    if user.is_some() {
        return asked(
            Some(&content),
            arguments,
            (&state, &held),
            (terms.as_ref(), &refused),
            context,
        );
    }
    let namespace = install.namespace(&state);
    let steps = steps_of(&content, namespace, olm)?;
    let needs = permissions::needed(&steps, namespace, &Apis::of(&state), &state.objects)?;
    let operators = permissions::operators(&steps, namespace, &state)?;
    for note in operators.iter().flat_map(|operator| &operator.notes) {
        context.printer.warning(note);
    }
    let missing = pending(&needs, &held)?;
    if *olm == Olm::Proposed && pending(&self::needs(&content, namespace, &state, &Olm::newest())?, &held)? != missing {
        let requires = "requires every manifest, including optional manifests, and therefore more permissions";
        what_if::note_released(requires, context);
    }
    let status = Status::of_answer(refused.is_empty() && (!arguments.exit_code || missing.is_empty()));
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
        terminal::permissions::operators(&context.printer, &operators)?;
        return Ok(status);
    }
    let review = Review {
        name: Csv(&content.csv).name().to_owned(),
        content: vec![match install.index {
            // An index contains the manifests themselves, regardless of their original image.
            Some(_) => permissions::Content::raw(&content),
            // The image with the form in which the bundle is shipped does not exist yet.
            None if install.form.is_given() => permissions::Content::raw(&content),
            None => reviewed(bundle, &content, &install.registry, context)?,
        }],
        namespaces: permissions::namespaces_of(&content, namespace),
        account,
        pending: missing,
        operators,
        refused_by_policy: refused.iter().map(|finding| finding.message.clone()).collect(),
    };
    let install = permissions::install(&review);
    context.printer.document(arguments.output.output, &install)?;
    Ok(status)
}

/// Returns the steps of a bundle in the order of a plan.
fn steps_of(content: &Content, namespace: &str, olm: &Olm) -> Result<Vec<Step>, CommandError> {
    let target = Target {
        namespace: namespace.to_owned(),
        olm: olm.clone(),
        ..Target::default()
    };
    Ok(steps::in_order(steps::of_bundle(content, &target, "")?))
}

/// Returns the permissions that the steps of a bundle need.
fn needs(content: &Content, namespace: &str, state: &State, olm: &Olm) -> Result<Vec<Need>, CommandError> {
    let steps = steps_of(content, namespace, olm)?;
    Ok(permissions::needed(
        &steps,
        namespace,
        &Apis::of(state),
        &state.objects,
    )?)
}

/// Returns the reviewed content, with the digest that an image resolves to.
fn reviewed(
    bundle: &str,
    content: &Content,
    registry: &RegistryArguments,
    context: &Context<'_>,
) -> Result<permissions::Content, CommandError> {
    match bundle.parse()? {
        // Clusters cannot pull from a layout or an archive.
        Location::Directory(_) | Location::Image(Reference::Layout { .. } | Reference::Archive { .. }) => {
            Ok(permissions::Content::raw(content))
        }
        Location::Image(reference @ Reference::Registry(_)) => {
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
            .status("no permissions are missing, so no role is needed");
    }
    Ok(())
}

/// Prints a table for each purpose: the installation itself, the operator, and optional manifests.
fn print(
    needs: &[Need],
    missing: &[Permission],
    held: &Grants,
    account: Option<&Account>,
    context: &Context<'_>,
) -> Result<(), CommandError> {
    let printer = &context.printer;
    let who = account.map_or("needed".to_owned(), |account| format!("{account} is missing"));
    let mut first = !missing.is_empty();
    if missing.is_empty() {
        let nothing = account.map_or("nothing is needed".to_owned(), |_| format!("{who} nothing"));
        printer.line(nothing)?;
    }
    let parts = [
        (Purpose::Install, "for the installation itself"),
        (Purpose::Operator, "to grant to the operator"),
        (
            Purpose::Optional,
            "for optional manifests, without which the installation also completes",
        ),
    ];
    for (purpose, what) in parts {
        let own: Vec<Need> = needs.iter().filter(|need| need.purpose == purpose).cloned().collect();
        let missing = not_held(&own, held)?;
        if missing.is_empty() {
            continue;
        }
        if !std::mem::take(&mut first) {
            printer.line("")?;
        }
        printer.line(format!("{who} {what}:"))?;
        terminal::permissions::permissions(printer, &missing)?;
    }
    Ok(())
}
