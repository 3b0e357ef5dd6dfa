//! `opmx permissions diff`: the additional permissions that an upgrade needs.

use super::{InstallerArguments, steps_of};
use crate::catalog::published::published;
use crate::cli::arguments::OutputArguments;
use crate::cli::error::{CommandError, CommandResult, Status};
use crate::cli::values::filled;
use crate::cli::{Context, sources};
use crate::csv::Csv;
use crate::diagnostic::Diagnostic;
use crate::install::apis::Apis;
use crate::install::content::{ContentError, IndexBundles};
use crate::install::permissions::{
    self, Gain, Need, Operator, Permission, approved, gained as gains, operators, pending,
};
use crate::kubernetes::rbac::account::Grants;
use crate::rules::Severity;
use crate::steps::Content;
use crate::terminal::{self, Format};
use crate::version::parse_tolerant;
use clap::Args;
use serde_json::json;

const EXAMPLES: &str = "\
Examples:
  Check whether the new version needs more permissions
  $ opmx permissions diff registry.example.com/etcd-bundle:v0.9.2 etcd

  Compare with all versions that were approved before
  $ opmx permissions diff etcd-0.9.0 etcd-0.9.2 etcd-0.9.4

  Compare with the head of the package in the index before publishing
  $ opmx permissions diff etcd --index registry.example.com/index:v1 --package etcd

  Print the result as JSON
  $ opmx permissions diff etcd-0.9.2 etcd-0.9.4 -o json";

/// Show the permissions of an upgrade that were not approved for earlier versions
///
/// The permissions that the installation of NEW needs are compared with all permissions of the OLD bundles and, if
/// specified, of the service account. So are the permissions that the operator's accounts, and others whom a bundle
/// grants permissions, have after the installation; a new owned API is a new permission for everyone who may view, edit
/// or administer. The exit status is 3 if there are additional permissions, because the upgrade then requires approval;
/// a version with fewer permissions requires no approval.
///
/// With --package, the head of the package in the index counts as an OLD bundle. Any other OLD bundles are also looked
/// up in the index, but NEW is not.
#[derive(Debug, Args)]
#[command(
    after_help = EXAMPLES,
    override_usage = "opmx permissions diff [OPTIONS] <OLD>... <NEW>
       opmx permissions diff [OPTIONS] --index <INDEX> --package <NAME> <NEW>"
)]
pub(crate) struct DiffArguments {
    /// Approved bundles, followed by the new bundle
    ///
    /// Each bundle is a folder, HOST/NAME:TAG, oci:DIR:TAG or oci-archive:FILE:TAG; with --index, it is the name of a
    /// bundle in the index, except that with --package, NEW is still a folder or an image.
    #[arg(value_name = "OLD... NEW", required = true, num_args = 1.., value_parser = filled())]
    bundles: Vec<String>,
    /// Package in the index whose published head counts as approved
    #[arg(long, value_name = "NAME", requires = "index")]
    package: Option<String>,
    /// Channel whose head counts as approved [default: the default channel]
    #[arg(long, value_name = "NAME", requires = "package")]
    channel: Option<String>,
    #[command(flatten)]
    installer: InstallerArguments,
    #[command(flatten)]
    output: OutputArguments,
}

pub(super) fn run(arguments: &DiffArguments, context: &Context<'_>) -> CommandResult {
    let install = &arguments.installer.install;
    let olm = arguments.installer.olm.announced(context);
    let state = install.state(olm, context)?;
    let mut findings = Vec::new();
    let Some((olds, new)) = contents(arguments, &mut findings, context)? else {
        context.printer.report(&findings);
        return Ok(Status::Failure);
    };
    for doubt in olds.iter().filter_map(|old| doubt(old, &new)) {
        context.printer.warning(doubt);
    }
    let namespace = install.namespace(&state);
    let (_, mut held) = arguments.installer.held(&state, &new.name, context);
    // What the account of the installation may grant needs no approval, whoever receives it.
    let of_account = held.clone();
    let read = |content: &Content| -> Result<(Vec<Need>, Vec<Operator>), CommandError> {
        let steps = steps_of(content, namespace, olm)?;
        let needs = permissions::needed(&steps, namespace, &Apis::of(&state), &state.objects)?;
        Ok((needs, operators(&steps, namespace, &state)?))
    };
    let (needed, after) = read(&new)?;
    for note in after.iter().flat_map(|operator| &operator.notes) {
        context.printer.warning(note);
    }
    let enough = approved(&needed, Grants::default());
    let (mut fewer, mut of_olds, mut earlier) = (false, Grants::default(), Vec::new());
    for old in &olds {
        let (needed, operators) = read(old)?;
        fewer |= !pending(&needed, &enough)?.is_empty();
        for operator in &operators {
            fewer |= !gains(operator, &after, &Grants::default())?.is_empty();
        }
        held = approved(&needed, held);
        of_olds = approved(&needed, of_olds);
        earlier.extend(operators);
    }
    let added = pending(&needed, &held)?;
    let (mut gained, mut is_same) = (Vec::new(), !fewer && pending(&needed, &of_olds)?.is_empty());
    for operator in &after {
        gained.extend(gains(operator, &earlier, &of_account)?);
        is_same &= gains(operator, &earlier, &Grants::default())?.is_empty();
    }
    let names: Vec<&str> = olds.iter().map(|old| old.name.as_str()).collect();
    match arguments.output.output {
        Format::Text if is_same => {
            let before = in_words(&names);
            let answer = format!("no differences: {} needs the same permissions as {before}", new.name);
            context.printer.line(answer)?;
        }
        Format::Text => print(&new.name, &names, &added, &gained, context)?,
        format => {
            let answer = json!({
                "old": names.last(), "approved": names, "new": new.name, "permissions": added, "gained": gained,
            });
            context.printer.document(format, &answer)?;
        }
    }
    // The answer comes before the findings. Findings of severity info do not affect it, so they are omitted.
    context.printer.flush()?;
    findings.retain(|finding| finding.severity != Severity::Info);
    context.printer.report(&findings);
    Ok(Status::of_answer(added.is_empty() && gained.is_empty()))
}

/// Prints the permissions to approve: those that the installation needs, and those that subjects gain.
fn print(
    new: &str,
    olds: &[&str],
    added: &[Permission],
    gained: &[Gain],
    context: &Context<'_>,
) -> Result<(), CommandError> {
    let printer = &context.printer;
    let before = in_words(olds);
    if added.is_empty() && gained.is_empty() {
        let were = if olds.len() == 1 { "was" } else { "were" };
        printer.line(format!(
            "nothing to approve: {new} needs only permissions that {before} {were} approved for"
        ))?;
    }
    if !added.is_empty() {
        printer.line(format!(
            "to approve: {new} needs these permissions in addition to those of {before}:"
        ))?;
        terminal::permissions::permissions(printer, added)?;
    }
    if !added.is_empty() && !gained.is_empty() {
        printer.line("")?;
    }
    if !gained.is_empty() {
        printer.line(format!(
            "to approve: after the installation of {new}, these subjects have more permissions than with {before}:"
        ))?;
        terminal::permissions::gains(printer, gained)?;
    }
    Ok(())
}

/// Lists names: `a, b and c`.
fn in_words(names: &[&str]) -> String {
    match names {
        [rest @ .., last] if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        names => names.concat(),
    }
}

/// Returns why a bundle is probably not a predecessor of the new bundle.
fn doubt(old: &Content, new: &Content) -> Option<String> {
    if !old.package.is_empty() && !new.package.is_empty() && old.package != new.package {
        return Some(format!(
            "{} is of the package {}, but {} is of the package {}; compare versions of one package",
            new.name, new.package, old.name, old.package
        ));
    }
    let version = |content: &Content| parse_tolerant(Csv(&content.csv).version());
    let is_lower = version(new)?.cmp_precedence(&version(old)?).is_lt();
    is_lower.then(|| {
        format!(
            "the version of {} is lower than that of {}; specify the new bundle last",
            new.name, old.name
        )
    })
}

/// Returns the approved bundles and the new bundle, or `None` if a bundle has errors, which are among the findings.
fn contents(
    arguments: &DiffArguments,
    findings: &mut Vec<Diagnostic>,
    context: &Context<'_>,
) -> Result<Option<(Vec<Content>, Content)>, CommandError> {
    let install = &arguments.installer.install;
    let Some((new, olds)) = arguments.bundles.split_last() else {
        return Err(CommandError::usage("specify the new bundle"));
    };
    let mut found = Vec::new();
    let mut noted = |(content, of_bundle): (Option<Content>, Vec<Diagnostic>)| {
        findings.extend(of_bundle);
        content
    };
    let new = match (&arguments.package, &install.index) {
        (Some(package), Some(index)) => {
            let opened = sources::open_catalog(index, &install.registry, install.index_limits(), context)?;
            let bundles = IndexBundles::of(&opened)?;
            let head = published(bundles.catalog(), package, arguments.channel.as_deref());
            let head = head?;
            for name in olds.iter().map(String::as_str).filter(|old| *old != head).chain([head]) {
                found.push(noted(of_index(&bundles, name, arguments, context)?));
            }
            noted(install.content_at_with_findings(new, context)?)
        }
        _ if olds.is_empty() => {
            let usage =
                CommandError::usage("there is nothing to compare with; specify the bundle that was approved before");
            return Err(usage.hint("use --index INDEX --package NAME to compare with the published bundle"));
        }
        _ => {
            for old in olds {
                found.push(noted(install.content_with_findings(old, context)?));
            }
            noted(install.content_with_findings(new, context)?)
        }
    };
    let found: Option<Vec<Content>> = found.into_iter().collect();
    Ok(found.zip(new))
}

/// Reads a bundle of an index, from its image if the index does not contain its manifests.
fn of_index(
    bundles: &IndexBundles<'_>,
    name: &str,
    arguments: &DiffArguments,
    context: &Context<'_>,
) -> Result<(Option<Content>, Vec<Diagnostic>), CommandError> {
    match bundles.content(arguments.package.as_deref(), name) {
        Err(ContentError::NoCsv { image, .. }) if !image.is_empty() => {
            arguments.installer.install.content_at_with_findings(&image, context)
        }
        read => Ok((Some(read?), Vec::new())),
    }
}
