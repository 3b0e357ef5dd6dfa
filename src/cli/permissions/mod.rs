//! `opmx permissions`: what an install needs, and what of it somebody does not hold.

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
use user::{Question, UserArguments};

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

  Whether somebody may approve it, and may use the catalog that it is in
  $ opmx permissions etcd --user ann --group team --catalog olm/community --cluster dump.yaml

  What an administrator does not allow of it
  $ opmx permissions etcd --policy policy.yaml

  The catalogs that somebody may use
  $ opmx permissions --user ann --group team --cluster dump.yaml

  Stop a pipeline where an upgrade asks for more
  $ opmx permissions diff registry.example.com/etcd-bundle:v0.9.2 etcd";

/// Review the permissions that a bundle needs to be installed
///
/// That is what the install itself asks the API server, and what the bundle hands on to its operator and to others: who
/// writes a role or binds one must hold what is in it, unless allowed to escalate or bind. Objects that are there already
/// are read and changed, too; give what is installed with --cluster for an upgrade. CustomResourceDefinitions OLM
/// writes with its own account, so nobody else needs them. What only optional manifests need is listed apart and counts
/// as needed nowhere: where it is forbidden, they are not created, and the install completes.
///
/// Then comes what the accounts of the operator hold once it is installed, and why: with an OperatorGroup that has no
/// target namespaces OLM turns what is asked for in one namespace into the same in all of them. The OperatorGroup is
/// taken from the files; without one the install modes decide.
///
/// With --service-account what that account holds is taken off: the grants of the what-if file, and the bindings among
/// its objects. -o yaml and json give the Install resource with what is pending.
///
/// In place of a bundle a YAML or JSON file with Install and Operator resources may be named. Without any, those that
/// --cluster or --state has are reviewed. An Install is applied by the service account of the only OperatorGroup of its
/// namespace; where there is none or more than one, by one with the name of the Install.
///
/// With --user or --group the question is what a person may do: approve the install, for which what is pending must be
/// held, and use a catalog, for which the verb install on the CatalogSource is needed. --as role prints the roles that
/// allow it. The exit status is 3 where the answer is no.
///
/// With --policy the bundle is held against what an administrator allows, the user who is named against what is allowed
/// to that user. The exit status is 3 where something is not allowed.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct PermissionsArguments {
    #[command(subcommand)]
    command: Option<PermissionsCommand>,
    /// The bundle: a folder, HOST/NAME:TAG, oci:DIR:TAG or oci-archive:FILE:TAG; with --index its name. Or a file with
    /// Operator and Install resources, - for standard input
    #[arg(value_name = "BUNDLE|FILE", required_unless_present_any = ["state", "cluster", "user", "group"])]
    bundle: Option<String>,
    /// Print something else
    #[arg(long = "as", value_enum, value_name = "WHAT")]
    shape: Option<Shape>,
    /// End with exit status 3 where something is missing
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

/// What is installed where, and by whom.
#[derive(Debug, Args)]
struct InstallerArguments {
    /// Service account that installs; without it that of the OperatorGroup, where the files have one
    #[arg(long, value_name = "NS/NAME")]
    service_account: Option<Account>,
    #[command(flatten)]
    olm: OlmArgument,
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

impl PermissionsArguments {
    /// What the policy says to who is asked about.
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
    /// Roles and ClusterRoles with their bindings, which give what is missing
    Role,
}

pub(crate) fn run(arguments: &PermissionsArguments, context: &Context<'_>) -> CommandResult {
    match (&arguments.command, &arguments.bundle) {
        (Some(PermissionsCommand::Diff(arguments)), _) => diff::run(arguments, context),
        (None, Some(file)) if requests::is_file(file) => requested::run(Some(file), arguments, context),
        (None, Some(bundle)) => review(bundle, arguments, context),
        (None, None) if arguments.user.user().is_some() => {
            let state = arguments.installer.install.state(context)?;
            let terms = arguments.terms(context)?;
            let nothing = Grants::default();
            asked(None, arguments, (&state, &nothing), (terms.as_ref(), &[]), context)
        }
        (None, None) => requested::run(None, arguments, context),
    }
}

/// What the user that is asked about may do.
fn asked(
    content: Option<&Content>,
    arguments: &PermissionsArguments,
    (state, installer): (&State, &Grants),
    (terms, refused): (Option<&Terms>, &[Diagnostic]),
    context: &Context<'_>,
) -> CommandResult {
    let Some(user) = arguments.user.user() else {
        return Err(CommandError::usage("name a bundle"));
    };
    let question = Question {
        user: &user,
        arguments: &arguments.user,
        content: content.map(|content| (content, arguments.installer.install.namespace(state))),
        installer,
        shape: arguments.shape,
        olm: arguments.installer.olm.announced(context),
        terms,
        refused,
        output: &arguments.output,
    };
    user::answer(&question, state, context)
}

fn review(bundle: &str, arguments: &PermissionsArguments, context: &Context<'_>) -> CommandResult {
    arguments.user.check()?;
    let install = &arguments.installer.install;
    let state = install.state(context)?;
    let user = arguments.user.user();
    // Who installs does not depend on the bundle, but for a name.
    if arguments.shape.is_some() && arguments.installer.account(&state, "").is_none() && user.is_none() {
        return Err(CommandError::usage(
            "--as role writes roles for a service account: name it with --service-account, or give an OperatorGroup that does",
        ));
    }
    let Some(content) = install.content(bundle, context)? else {
        return Ok(Status::Failure);
    };
    install.note_suggested(&content, &state, context);
    let (account, held) = arguments.installer.held(&state, &content.name, context);
    let terms = arguments.terms(context)?;
    let refused = match &terms {
        Some(terms) => policy::findings(bundle, &content, terms, install)?,
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
    let olm = arguments.installer.olm.announced(context);
    let steps = steps_of(&content, namespace, olm)?;
    let needs = permissions::needed(&steps, namespace, &Apis::of(&state), &state.objects);
    let operators = permissions::operators(&steps, namespace, &state)?;
    for note in operators.iter().flat_map(|operator| &operator.notes) {
        context.printer.warning(note);
    }
    let missing = pending(&needs, &held)?;
    if *olm == Olm::Proposed && pending(&self::needs(&content, namespace, &state, &Olm::newest())?, &held)? != missing {
        let requires = "requires every manifest, the optional ones, too, and so more permissions";
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
            // What an index holds is there, whatever image it came from.
            Some(_) => permissions::Content::raw(&content),
            None => reviewed(bundle, &content, &install.registry, context)?,
        }],
        namespaces: permissions::namespaces_of(&content, namespace),
        account,
        pending: missing,
        operators,
    };
    let install = permissions::install(&review);
    context.printer.document(arguments.output.output, &install)?;
    Ok(status)
}

/// The steps of a bundle in the order of a plan.
fn steps_of(content: &Content, namespace: &str, olm: &Olm) -> Result<Vec<Step>, CommandError> {
    let target = Target {
        namespace: namespace.to_owned(),
        olm: olm.clone(),
        ..Target::default()
    };
    Ok(steps::in_order(steps::of_bundle(content, &target, "")?))
}

/// What the steps of a bundle need.
fn needs(content: &Content, namespace: &str, state: &State, olm: &Olm) -> Result<Vec<Need>, CommandError> {
    let steps = steps_of(content, namespace, olm)?;
    Ok(permissions::needed(&steps, namespace, &Apis::of(state), &state.objects))
}

/// What is reviewed, with the digest that an image stands for.
fn reviewed(
    bundle: &str,
    content: &Content,
    registry: &RegistryArguments,
    context: &Context<'_>,
) -> Result<permissions::Content, CommandError> {
    match bundle.parse()? {
        // No cluster can pull a layout or an archive.
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
    let mut first = !missing.is_empty();
    if missing.is_empty() {
        let nothing = account.map_or("nothing is needed".to_owned(), |_| format!("{who} nothing"));
        printer.line(nothing)?;
    }
    let parts = [
        (Purpose::Install, "for the install itself"),
        (Purpose::Operator, "to hand on to the operator"),
        (
            Purpose::Optional,
            "for optional manifests, without which the install completes",
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
