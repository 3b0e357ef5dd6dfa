//! `opmx mirror verify`: verifying a mirror.

use super::left_out::LeftOut;
use super::naming::{NamingArguments, warn_of_other_names};
use crate::bundle::location::is_path;
use crate::cli::Context;
use crate::cli::arguments::{ConnectionArguments, OutputArguments};
use crate::cli::error::{CommandError, CommandResult, Status};
use crate::cli::guesses::names_host;
use crate::files;
use crate::image::volumes::VolumesError;
use crate::mirror::CONCURRENCY;
use crate::mirror::archive::{Archive, ArchiveError};
use crate::mirror::naming;
use crate::mirror::placed::placed;
use crate::mirror::plan::Plan;
use crate::mirror::policy::{Policy, Verdict, Verdicts, evidence_of, read, verdicts};
use crate::mirror::target::Target;
use crate::mirror::verify::{Verified, VerifyOptions, evidence_in, verify, verify_archive};
use crate::terminal::table::Table;
use crate::terminal::{Format, Printer, counted};
use crate::text::Limits;
use clap::{Args, value_parser};
use serde::Serialize;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  $ opmx mirror verify plan.json

  Also read every byte, and check signatures
  $ opmx mirror verify plan.json --at mirror.example.com:5000/olm --read --policy policy.json

  Verify an archive before transport
  $ opmx mirror verify plan.json --at archive";

/// The maximum size in bytes of a policy.
const POLICY_LIMIT: usize = 16 << 20;

/// Verify that a registry or an archive contains the content of a plan
///
/// In a registry, checks that every tag, manifest and blob is in every repository that needs it, and that signatures
/// and other referrers can be found. The content of blobs is read only with --read. An archive is read completely, but
/// not the earlier archives on which it is based. It must contain the same plan, because opmx mirror load copies the
/// plan in the archive.
///
/// With --policy, every image must have the signatures that the policy requires for its names in the catalogs. Catalogs
/// must have those for their names at the mirror, from which clusters pull them. In an image index, every image must be
/// signed, because container engines ignore signatures of the index itself. In a registry, signatures that were added
/// there also count. Keys are checked offline. Requirements for certificates or a transparency log are not supported,
/// and are treated as violated.
///
/// The exit status is 3 if something is missing, differs, or is rejected.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct VerifyArguments {
    /// Plan written by opmx mirror plan
    plan: PathBuf,
    /// Mirror to verify: a registry with an optional path, the folder of an archive, or the list of an archive; by
    /// default, the target in the plan
    #[arg(long, value_name = "MIRROR", value_parser = place)]
    at: Option<Place>,
    #[command(flatten)]
    naming: NamingArguments,
    /// Read every blob, instead of only checking that it exists
    #[arg(long)]
    read: bool,
    /// Policy that images must satisfy: a container engine's policy.json, or a ClusterImagePolicy
    #[arg(long, value_name = "FILE")]
    policy: Option<PathBuf>,
    /// Number of concurrent requests
    #[arg(long, value_name = "N", default_value_t = CONCURRENCY, value_parser = value_parser!(u16).range(1..=256))]
    concurrency: u16,
    #[command(flatten)]
    output: OutputArguments,
    #[command(flatten)]
    registry: ConnectionArguments,
}

/// The location of a mirror.
#[derive(Debug, Clone)]
enum Place {
    Registry(Target),
    Archive(PathBuf),
    /// A path that does not exist.
    Absent(PathBuf),
}

/// Whether the name of a place that does not exist is more likely that of an archive than a misspelled registry.
fn may_be_path(text: &str) -> bool {
    is_path(text) || !text.contains([':', '@']) && !names_host(text)
}

fn place(text: &str) -> Result<Place, String> {
    // Folder names do not usually look like a host with a port.
    if Path::new(text).exists() {
        return Ok(Place::Archive(text.into()));
    }
    match text.parse::<Target>() {
        Ok(target) => Ok(Place::Registry(target)),
        Err(error) if !error.in_capitals && may_be_path(text) => Ok(Place::Absent(text.into())),
        Err(error) => Err(format!("{error}, or an existing archive")),
    }
}

/// The report that is printed.
#[derive(Debug, Serialize)]
struct Report {
    #[serde(flatten)]
    verified: Verified,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    refused: Vec<Verdict>,
    /// All verdicts, if there is a policy.
    #[serde(skip_serializing_if = "Option::is_none")]
    verdicts: Option<Verdicts>,
}

impl Report {
    fn new(verified: Verified, verdicts: Option<Verdicts>) -> Self {
        let refused = verdicts.iter().flat_map(Verdicts::refused).cloned().collect();
        Self {
            verified,
            refused,
            verdicts,
        }
    }
}

pub(super) fn run(arguments: &VerifyArguments, context: &Context<'_>) -> CommandResult {
    arguments.check()?;
    let plan = Plan::read(&arguments.plan)?;
    let policy = arguments.policy.as_deref().map(policy).transpose()?;
    if plan.to.is_none() && arguments.at.is_none() {
        let error = CommandError::usage("the plan specifies no target");
        return Err(error.hint("specify the registry or the archive with --at"));
    }
    let left_out = LeftOut::of(&plan);
    let catalogs = plan.catalog_names();
    let report = match &arguments.at {
        Some(Place::Archive(path)) => {
            let archive = match Archive::open(path) {
                // If a volume is missing or damaged, the answer is no. If a volume cannot be read, the command fails.
                Err(ArchiveError::Volumes(error)) if !matches!(error, VolumesError::File(_)) => {
                    CommandError::from(error).print(&context.printer);
                    return Ok(Status::of_answer(false));
                }
                archive => archive?,
            };
            let judged = policy.map(|policy| verdicts(&plan, &policy, &evidence_in(&archive)));
            Report::new(verify_archive(&plan, &archive), judged)
        }
        place => {
            let at = match place {
                Some(Place::Registry(target)) => Some(target),
                _ => None,
            };
            let naming = arguments.naming.requested(at, plan.to.as_deref());
            let plan = placed(plan, naming.as_ref())?;
            warn_of_other_names(&plan, &arguments.plan, &context.printer)?;
            let transports = arguments.registry.transports(context);
            let options = VerifyOptions {
                read: arguments.read,
                parallel: arguments.concurrency.into(),
            };
            let verified = context.runtime.block_on(verify(&plan, &transports, options))?;
            let judged = policy.map(|policy: Policy| {
                let evidence = evidence_of(&plan, &transports, options.parallel);
                verdicts(&plan, &policy, &context.runtime.block_on(evidence))
            });
            Report::new(verified, judged)
        }
    };
    let status = shown(&report, &catalogs, arguments.output.output, &context.printer)?;
    let unread = usize::try_from(report.verified.unchecked).unwrap_or(usize::MAX);
    if unread > 0 {
        let (is, was) = if unread == 1 { ("is", "was") } else { ("are", "were") };
        context.printer.status(format_args!(
            "{} of the plan {is} only in an earlier archive, on which this one is based, and {was} not checked; to check \
             everything, load the archive and verify the registry",
            counted(unread, "blob"),
        ));
    }
    left_out.warn(&arguments.plan, &context.printer);
    Ok(status)
}

impl VerifyArguments {
    fn check(&self) -> Result<(), CommandError> {
        match &self.at {
            Some(Place::Absent(path)) => {
                let error = CommandError::missing(format!("{} does not exist", path.display()));
                Err(error.hint("specify an archive, or a registry such as mirror.example.com:5000/operators"))
            }
            Some(Place::Archive(_)) if self.naming.is_used() => Err(CommandError::usage(
                "--keep-host and --max-nested-paths cannot be used with an archive",
            )),
            _ => Ok(()),
        }
    }
}

fn policy(path: &Path) -> Result<Policy, CommandError> {
    let bytes = files::read_small(path, POLICY_LIMIT)?;
    Ok(read(&path.display().to_string(), &bytes, &Limits::default())?)
}

fn shown(report: &Report, catalogs: &[String], format: Format, printer: &Printer) -> CommandResult {
    let verified = &report.verified;
    if format == Format::Text {
        let mut table = Table::new(printer.stdout(), ["CONTENT", "PROBLEM", "NEEDED BY"]);
        for problem in &verified.problems {
            let images: Vec<&str> = problem
                .images
                .iter()
                .map(|image| short(naming::shown(image, catalogs)))
                .collect();
            table.row([short(&problem.place), &problem.problem, &images.join(", ")])?;
        }
        for verdict in &report.refused {
            let why = verdict.refused.as_deref().unwrap_or_default();
            table.row([
                short(naming::shown(&verdict.image, catalogs)),
                &format!("rejected by the policy: {why}"),
                "-",
            ])?;
        }
        if !verified.problems.is_empty() || !report.refused.is_empty() {
            table.finish()?;
        }
    } else {
        printer.document(format, report)?;
    }
    if let Some(verdicts) = &report.verdicts {
        let accepted = verdicts.images.len() - report.refused.len();
        printer.status(format_args!(
            "the policy accepts {accepted} of {}; {} no scope other than the default",
            counted(verdicts.images.len(), "image name"),
            match verdicts.unscoped() {
                1 => "1 of them is in".to_owned(),
                unscoped => format!("{unscoped} of them are in"),
            }
        ));
    }
    let looked = format!(
        "{}, {}, {}",
        counted(usize::try_from(verified.images).unwrap_or(usize::MAX), "image"),
        counted(usize::try_from(verified.manifests).unwrap_or(usize::MAX), "manifest"),
        counted(usize::try_from(verified.blobs).unwrap_or(usize::MAX), "blob")
    );
    let wrong = verified.problems.len() + report.refused.len();
    if wrong == 0 {
        let what = if verified.unchecked == 0 {
            "in the plan"
        } else {
            "that was checked"
        };
        printer.status(format_args!("everything {what} is present: {looked}"));
    } else {
        printer.status(format_args!("{} among {looked}", counted(wrong, "problem")));
    }
    if wrong as u64 >= verified.manifests + verified.blobs && verified.manifests > 0 {
        printer.status("nothing in the plan is present; copy it with opmx mirror copy");
    }
    Ok(Status::of_answer(wrong == 0))
}

/// Returns the name of an image with a shortened digest.
fn short(image: &str) -> &str {
    const SHOWN: usize = 12;
    match image.find("@sha256:") {
        Some(at) => image.get(..at + "@sha256:".len() + SHOWN).unwrap_or(image),
        None => image,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::Digest;

    #[test]
    fn a_long_digest_is_abbreviated() {
        let digest = Digest::of(b"x");
        let name = format!("registry.example.com/a@{digest}");
        assert_eq!(short(&name).len(), "registry.example.com/a@sha256:".len() + 12);
        assert_eq!(short("catalog:0"), "catalog:0");
    }
}
