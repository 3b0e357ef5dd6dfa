//! `opmx index check`: checking an index, and fixing unambiguous problems.

use crate::cli::Context;
use crate::cli::additions;
use crate::cli::arguments::{IndexLimitArguments, RegistryArguments};
use crate::cli::checked::{print, unreadable};
use crate::cli::error::{CommandError, CommandResult, Status};
use crate::cli::guesses;
use crate::cli::hint::registry_hint;
use crate::cli::policy::PolicyArguments;
use crate::cli::schema_note;
use crate::cli::values::{OLM_V1, filled};
use crate::database;
use crate::database::read::stated_version;
use crate::diagnostic::{self, Diagnostic};
use crate::index::check::images::Which;
use crate::index::check::{CheckOptions, check};
use crate::index::location::{FetchError, IndexLocation};
use crate::index::open::OpenError;
use crate::olm::releases::{Olm, UnknownOlm};
use crate::terminal::output::{Format, OutputError};
use crate::terminal::reports::ReportFormat;
use crate::terminal::{Printer, counted};
use crate::text::Limits;
use crate::tree::LAYOUT_FILE;
use clap::{Args, ValueEnum};
use std::str::FromStr;

const EXAMPLES: &str = "\
Examples:
  Check an index image
  $ opmx index check registry.example.com/index:v1

  Check a database file, and fix unambiguous problems
  $ opmx index check index.db --fix

  Before publishing, check that the registries have all bundles
  $ opmx index check oci:index:v1 --images

  Check a file-based catalog, and that the registries have its bundles
  $ opmx index check catalog --images

  Write a JUnit report for a pipeline
  $ opmx index check index.db -o junit > opmx.xml

  Check against the policy of an administrator
  $ opmx index check registry.example.com/index:v1 --policy policy.yaml

  Find bundles that clusters with OLM 0.18 cannot use, and the updates that these bundles block
  $ opmx index check registry.example.com/index:v1 --for 0.18.0

  Find packages that OLM v1 does not install
  $ opmx index check catalog --for olm-v1";

/// Check an index: its channels, its rows and the sizes of its manifests
///
/// Finds bundles that no update leads to or that OLM does not see, entries for missing bundles, invalid heads and
/// default channels, cycles in the graph, and manifests that are unreadable or too large. In a database, also finds
/// orphaned rows and damage to the file; in a file-based catalog, everything that opmx validate finds. Nothing is
/// changed without --fix, which is for databases only. The exit status is 0 if no error is found; warnings do not
/// affect it.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct CheckArguments {
    /// The index: HOST/NAME:TAG, oci:DIR:TAG, oci-archive:FILE:TAG, a database file, or the folder of a file-based
    /// catalog
    #[arg(value_name = "REF|FILE|DIR", value_parser = filled())]
    index: String,
    /// Fix unambiguous problems in a database file, in one step
    ///
    /// Stores names as text that are stored as bytes; removes rows of missing bundles, bundles that are not in any
    /// channel, channels without bundles, and APIs that no bundle provides or requires; corrects rows whose version or
    /// image differs from that of their bundle; sets the image of a bundle to an empty string if it is NULL and the
    /// index contains the manifests; sets the head of a channel if only one bundle can be the head; and adds a missing
    /// package, or sets its default channel, if it has only one channel. Content that is missing or not valid JSON is
    /// not fixed: overwrite or add the bundle. Reports the fixes and the remaining findings.
    #[arg(long)]
    fix: bool,
    /// Check that the registries have the images of the bundles or, with --images=all, also the images that the
    /// operators run and list
    ///
    /// Only manifests are requested, not layers, and each image only once. A missing image is an error, and so is an
    /// image whose registry does not respond, because an index with such an image should not be published. Each of
    /// the two errors has its own rule. A registry that does not respond is not queried for further images.
    #[arg(
        long,
        value_enum,
        value_name = "WHICH",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "bundles"
    )]
    images: Option<ImagesArgument>,
    /// Find bundles that clusters with this OLM version cannot use; registry+v1 stands for all released versions before
    /// OLM v1
    ///
    /// A bundle that cannot be installed is an error, which lists the channels in which the bundle blocks installations
    /// and updates. A bundle that can be installed but works differently than intended is a warning. If your
    /// clusters have different OLM versions, specify the oldest, because newer versions support everything that it
    /// supports. The version is that of OLM, such as 0.18.0, not that of OpenShift. The default, "proposed", is for an
    /// OLM that implements the proposals.
    ///
    /// With "olm-v1", reports the bundles that OLM v1 chooses but does not install, and the installations and updates
    /// that they block: from each channel, and from all channels together, as for a ClusterExtension without channels.
    /// For an installation, OLM v1 chooses the highest version that is not deprecated, whether or not it is the head of
    /// the channel; for an update, it does so among the bundles that replace or skip the installed one. Bundles are
    /// checked for dependencies; install modes; APIServices; the media type; a missing image; the names of deployments;
    /// the kinds and API versions of objects; missing or repeated objects; objects that OLM v1 also creates; and the
    /// names, deployments, ports, rules and conversions of webhooks. Also reports names of packages and channels that a
    /// ClusterExtension cannot contain.
    #[arg(
        long = "for",
        visible_alias = "olm",
        value_name = "registry+v1|OLM-VERSION|proposed|olm-v1",
        default_value = "proposed"
    )]
    olm: Cluster,
    #[command(flatten)]
    policy: PolicyArguments,
    /// Output format
    #[arg(short, long, value_enum, value_name = "FORMAT", default_value_t)]
    output: ReportFormat,
    #[command(flatten)]
    registry: RegistryArguments,
    #[command(flatten)]
    limits: IndexLimitArguments,
}

/// The OLM of the clusters.
#[derive(Debug, Clone)]
enum Cluster {
    Olm(Olm),
    OlmV1,
}

impl FromStr for Cluster {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            OLM_V1 => Ok(Self::OlmV1),
            _ => text
                .parse()
                .map(Self::Olm)
                .map_err(|error: UnknownOlm| format!("{error}; for OLM v1, use {OLM_V1}")),
        }
    }
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ImagesArgument {
    /// The images of the bundles
    Bundles,
    /// Also the images that the operators run, and related images
    All,
}

impl From<ImagesArgument> for Which {
    fn from(argument: ImagesArgument) -> Self {
        match argument {
            ImagesArgument::Bundles => Self::Bundles,
            ImagesArgument::All => Self::All,
        }
    }
}

pub(crate) fn run(arguments: &CheckArguments, context: &Context<'_>) -> CommandResult {
    let printer = &context.printer;
    let (olm, olm_v1) = match &arguments.olm {
        Cluster::Olm(olm) => (olm.clone(), false),
        Cluster::OlmV1 => (Olm::default(), true),
    };
    if let Some(caution) = olm.caution() {
        printer.warning(caution);
    }
    if arguments.fix {
        let path = match arguments.index.parse()? {
            IndexLocation::File(path) if !path.join(LAYOUT_FILE).is_file() => path,
            IndexLocation::File(_) | IndexLocation::Image(_) => {
                return Err(CommandError::usage("--fix changes a database file, not an image")
                    .hint("extract the database from the image, or build a new image with opmx index prune-stranded"));
            }
        };
        if path.is_dir() {
            let usage = CommandError::usage("--fix changes a database file, not a file-based catalog");
            return Err(usage.hint("use opmx migrate and opmx validate for the files of a catalog"));
        }
        let before = stated_version(&path);
        for repair in database::check::repair::repair(&path, &additions::writing(&arguments.limits.database)?)? {
            printer.status(repair);
        }
        schema_note::report(before, &path, printer);
    }
    let transports = arguments.registry.transports(context);
    let options = CheckOptions {
        olm,
        olm_v1,
        images: arguments.images.map(Which::from),
        policy: arguments.policy.terms(None, &[], &Limits::default(), context)?,
        advice: Some(registry_hint),
        limits: arguments.limits.index(&arguments.registry),
    };
    let asking = |count| printer.status(format_args!("checking {} in the registries", counted(count, "image")));
    let location: IndexLocation = arguments.index.parse()?;
    let checking = check(&location, &transports, &options, asking);
    let checked = context.runtime.block_on(checking);
    let checked = match checked {
        Ok(checked) => checked,
        Err(error) => {
            let is_bundle = matches!(error, OpenError::Fetch(FetchError::Bundle { .. }));
            let error = guesses::with_index_guess(error.into(), &arguments.index);
            let error = if olm_v1 && is_bundle {
                error.first_hint(format!(
                    "use opmx bundle validate --suite {OLM_V1} to check a bundle for OLM v1"
                ))
            } else {
                error
            };
            if arguments.output != ReportFormat::Text {
                write(arguments, vec![unreadable(&error)], printer)?;
            }
            return Err(error);
        }
    };
    if olm_v1 && checked.is_database {
        printer.warning("OLM v1 does not read databases; convert the index to a file-based catalog with opmx migrate");
    }
    let form = if checked.is_database { "database" } else { "catalog" };
    if !checked.is_complete && (options.olm != Olm::Proposed || olm_v1 || options.images.is_some()) {
        printer.warning(format_args!(
            "the {form} has errors, so its images and its use on clusters were not checked"
        ));
    }
    if !checked.is_complete && options.policy.is_some() {
        printer.warning(format_args!(
            "the {form} has errors, so it was not checked against the policy"
        ));
    }
    let mut findings = checked.findings;
    let failed = diagnostic::has_errors(&findings);
    diagnostic::limit_each_rule(&mut findings);
    write(arguments, findings, printer)?;
    Ok(if failed { Status::Failure } else { Status::Success })
}

fn write(arguments: &CheckArguments, findings: Vec<Diagnostic>, printer: &Printer) -> Result<(), OutputError> {
    match arguments.output {
        ReportFormat::Text => printer.findings(Format::Text, &findings),
        ReportFormat::Json => printer.findings(Format::Json, &findings),
        ReportFormat::Yaml => printer.findings(Format::Yaml, &findings),
        other => print("opmx index check", &arguments.index, findings, other, printer),
    }
}
