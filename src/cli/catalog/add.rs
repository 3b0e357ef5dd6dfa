//! `opmx catalog add`: adding bundles to channels of one or more catalogs.

mod change;
mod rendering;

use super::edit::{self, Opened};
use crate::bundle::location::Location;
use crate::bundle::stated::Stated;
use crate::catalog::file_based::draft::Placement;
use crate::catalog::file_based::edit::Edited;
use crate::catalog::file_based::migrate::Level;
use crate::catalog::file_based::template::{ARCHETYPES, Kind};
use crate::cli::Context;
use crate::cli::additions::Mode;
use crate::cli::api_sources::ApiSourceArguments;
use crate::cli::arguments::{DatabaseLimitArguments, LimitArguments, RegistryArguments};
use crate::cli::catalog_output::MigrateLevel;
use crate::cli::error::{CommandError, CommandResult, Status};
use crate::cli::strictness::{self, StrictnessArguments};
use crate::cli::values::name;
use crate::image::Reference;
use crate::index::render::bundle::RenderedBundle;
use crate::terminal::Printer;
use crate::version::{RangeError, VersionRange, is_name_of_higher, parse_tolerant};
use change::{Change, in_basic_template, in_catalog, in_semver_template};
use clap::Args;
use rendering::{Packages, Renderer, known};
use semver::Version;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  Add the next version, with the edges from its ClusterServiceVersion
  $ opmx catalog add catalog -b registry.example.com/etcd-bundle:v0.9.4 \\
      --channel stable

  Add a bundle to two channels of three catalogs, in version order
  $ opmx catalog add v4.20 v4.21 v4.22 -b registry.example.com/etcd-bundle:v0.9.4 \\
      --channel candidate,stable --mode semver

  Set edges for this catalog
  $ opmx catalog add catalog -b registry.example.com/etcd-bundle:v0.9.4 \\
      --channel stable --replaces etcdoperator.v0.9.2 --skips etcdoperator.v0.9.3

  Add a bundle to two lists of a semver template
  $ opmx catalog add template.yaml -b registry.example.com/etcd-bundle:v0.9.4 \\
      --channel candidate,fast";

/// Add bundles to channels of a catalog
///
/// Each bundle is fetched and rendered once for all catalogs. Missing packages and channels are created. Adding the
/// same bundle again changes nothing; different content under the same name is an error. Either all catalogs change or
/// none, so several catalogs must be on the same file system, at most three levels below a common folder.
///
/// In a basic template, the entry of a bundle contains its image and name. In a semver template, the image of a bundle
/// is added to the lists that --channel names: candidate, fast or stable.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct AddArguments {
    /// Catalog folders or template files
    #[arg(required = true, value_name = "DIR|FILE")]
    catalogs: Vec<PathBuf>,
    /// Bundles to add: HOST/NAME:TAG, oci:DIR:TAG, oci-archive:FILE:TAG, or folders; may be repeated
    #[arg(
        short,
        long = "bundle",
        alias = "bundles",
        required = true,
        value_name = "REF|DIR",
        value_delimiter = ',',
        value_parser = name
    )]
    bundles: Vec<String>,
    /// Channels to add the bundles to [default: the channels in their annotations]
    #[arg(
        short,
        long = "channel",
        alias = "channels",
        value_name = "CHANNELS",
        value_delimiter = ',',
        value_parser = name
    )]
    channels: Vec<String>,
    /// Mode for placing a bundle in its channels: replaces, semver or semver-skippatch
    ///
    /// With "replaces", the replaces and skips fields of the bundle are used. With "semver", the bundle replaces the
    /// next lower version. With "semver-skippatch", it replaces the highest version of the previous minor version, and
    /// skips all lower patch versions.
    #[arg(
        long,
        value_enum,
        value_name = "MODE",
        default_value_t,
        ignore_case = true,
        hide_possible_values = true
    )]
    mode: Mode,
    /// Bundle that the new bundle replaces in these channels [default: from its ClusterServiceVersion]
    #[arg(long, value_name = "NAME", value_parser = bundle_name)]
    replaces: Option<String>,
    /// Bundles that the new bundle skips in these channels [default: from its ClusterServiceVersion]
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = bundle_name)]
    skips: Vec<String>,
    /// Version range that the new bundle skips in these channels [default: from its ClusterServiceVersion]
    #[arg(long, value_name = "RANGE", value_parser = range)]
    skip_range: Option<String>,
    /// Default channel of the package [default: the channel in the annotations of the bundle, or the only channel]
    #[arg(long, value_name = "CHANNEL", value_parser = name)]
    default_channel: Option<String>,
    /// Replace an existing bundle of the same name, even if its content or edges differ
    #[arg(long)]
    overwrite: bool,
    /// Print the changes as a diff without writing anything
    #[arg(long)]
    dry_run: bool,
    /// Replace old forms of content with newer forms, up to this level [default: the form of the other bundles in the
    /// package or catalog]
    ///
    /// "bundle-object-to-csv-metadata" replaces the manifests of a bundle with the metadata that user interfaces show,
    /// if the bundle has an image that contains the manifests. The catalog becomes much smaller, but requires a version
    /// of OLM from 2023 or later. In a catalog without other bundles, manifests are not replaced by default.
    #[arg(long, value_enum, value_name = "LEVEL")]
    migrate_level: Option<MigrateLevel>,
    /// Omit recommended and optional dependencies
    ///
    /// OLM versions that do not support these dependencies treat them as required.
    #[arg(long)]
    required_only: bool,
    #[command(flatten)]
    sources: ApiSourceArguments,
    #[command(flatten)]
    strictness: StrictnessArguments,
    #[command(flatten)]
    registry: RegistryArguments,
    #[command(flatten)]
    limits: LimitArguments,
    #[command(flatten)]
    database: DatabaseLimitArguments,
}

pub(crate) fn run(arguments: &AddArguments, context: &Context<'_>) -> CommandResult {
    let printer = &context.printer;
    arguments.check_usage()?;
    let renderer = Renderer {
        transports: arguments.registry.transports(context),
        opening: arguments.opening(context)?,
        context,
    };
    let packages = match arguments.rendered(&renderer) {
        Ok(packages) => packages,
        Err(status) => return Ok(status),
    };
    let placement = Placement {
        channels: arguments.channels.clone(),
        mode: arguments.mode.into(),
        default_channel: arguments.default_channel.clone(),
        overwrite: arguments.overwrite,
    };
    let mut changes = Vec::new();
    for path in &arguments.catalogs {
        match arguments.edit_one(path, &packages, &placement, &renderer)? {
            Ok(change) => changes.push((path, change)),
            Err(status) => return Ok(status),
        }
    }
    let strictness = arguments.strictness.strictness();
    if changes
        .iter()
        .any(|(_, change)| edit::denied(&change.edited, &strictness, printer))
    {
        return Ok(Status::Failure);
    }
    arguments.remark(&packages, printer);
    if !arguments.dry_run {
        let all: Vec<&Edited> = changes.iter().map(|(_, change)| &change.edited).collect();
        Edited::write_all(&all)?;
    }
    for (path, change) in &changes {
        arguments.report(path, change, printer)?;
    }
    Ok(Status::Success)
}

/// Returns how to start the catalog or template at a path that does not exist.
fn how_to_start(path: &Path) -> String {
    let shown = path.display();
    let schema = Kind::Semver.schema();
    let template = match path.extension().and_then(OsStr::to_str) {
        Some("yaml" | "yml") => format!("schema: {schema}"),
        Some("json") => format!("{{\"schema\": \"{schema}\"}}"),
        _ => return format!("to start a catalog, create its folder: mkdir -p {shown}"),
    };
    let parent = path
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty() && !parent.exists());
    let folder = parent
        .map(|parent| format!("mkdir -p {} && ", parent.display()))
        .unwrap_or_default();
    format!(
        "to start a template, write its schema, {schema} or {}, to the file: {folder}echo '{template}' > {shown}",
        Kind::Basic.schema()
    )
}

/// Checks the name of a bundle.
fn bundle_name(text: &str) -> Result<String, &'static str> {
    let name = text.trim();
    if name.is_empty() {
        return Err("the name is empty");
    }
    if name.contains(char::is_whitespace) {
        return Err("a bundle name contains no spaces; separate names with commas");
    }
    Ok(name.to_owned())
}

/// Checks a version range.
fn range(text: &str) -> Result<String, RangeError> {
    VersionRange::parse(text).map(|_| text.to_owned())
}

/// Returns the versions of bundles by name.
fn versions<'b>(bundles: impl Iterator<Item = &'b RenderedBundle>) -> BTreeMap<String, Version> {
    let versions = bundles.filter_map(|bundle| Some((bundle.entry.name.clone(), parse_tolerant(&bundle.version)?)));
    versions.collect()
}

/// Returns the reason why a catalog stores the manifests of a bundle instead of a reference to its image.
fn why_inline(reference: &str) -> &'static str {
    match reference.parse() {
        Ok(Location::Image(Reference::Registry(_))) => {
            "OLM unpacks only images of registry+v1 bundles; publish the bundle with \
             opmx bundle build --media-type registry+v1"
        }
        _ => {
            "it is not in a registry; to store only its reference, publish the bundle to a registry and add it from there"
        }
    }
}

impl AddArguments {
    /// Checks that the options can be used together.
    fn check_usage(&self) -> Result<(), CommandError> {
        let edges = self.has_edges();
        if edges && self.bundles.len() > 1 {
            return Err(CommandError::usage(
                "--replaces, --skips and --skip-range apply to a single bundle; use --bundle only once",
            ));
        }
        if edges && self.mode != Mode::Replaces {
            return Err(CommandError::usage(
                "--replaces, --skips and --skip-range require --mode replaces",
            ));
        }
        Ok(())
    }

    /// Adds the bundles to a catalog or template, without writing it. If it has errors, reports them, and returns the
    /// exit status.
    fn edit_one(
        &self,
        path: &Path,
        packages: &Packages,
        placement: &Placement,
        renderer: &Renderer<'_>,
    ) -> Result<Result<Change, Status>, CommandError> {
        let printer = &renderer.context.printer;
        let limits = renderer.opening.limits.index.catalog;
        edit::require_catalog(path)?;
        let opened = match Opened::open(path, limits) {
            Ok(opened) => opened,
            Err(error) if !path.exists() => {
                return Err(CommandError::from(error).hint(how_to_start(path)));
            }
            Err(error) => return edit::refused(error, printer).map(Err),
        };
        let changed = match opened {
            Opened::Catalog(editor) => in_catalog(editor, packages, placement, self.migrate_level.map(Level::from)),
            Opened::Template(editor) if editor.kind() == Kind::Semver => {
                self.require_lists(path)?;
                let known = known(&editor, packages, renderer)?;
                in_semver_template(editor, packages, &self.channels, known)
            }
            Opened::Template(editor) => {
                let versions = if self.mode == Mode::Replaces {
                    BTreeMap::new()
                } else {
                    let known = known(&editor, packages, renderer)?;
                    let added = packages.values().flatten().map(|(_, bundle)| bundle);
                    versions(known.values().chain(added))
                };
                in_basic_template(editor, packages, placement, &versions)
            }
        };
        let error = match changed {
            Ok(change) => return Ok(Ok(change)),
            Err(error) => error,
        };
        edit::warn_of_earlier(path, limits, printer);
        let refused = edit::refused(error, printer).map(Err);
        if self.catalogs.len() == 1 {
            return refused;
        }
        refused.map_err(|error| error.context(format!("cannot add to {}", path.display())))
    }

    /// Reports the changes to a catalog or template.
    fn report(&self, path: &Path, change: &Change, printer: &Printer) -> Result<(), CommandError> {
        let Change {
            edited,
            added,
            started,
            channels,
        } = change;
        edit::show(edited, self.dry_run, printer)?;
        let done = if self.dry_run { "would create" } else { "created" };
        for package in started {
            let place = change.new_file().unwrap_or_else(|| path.to_owned());
            printer.status(format_args!("{done} package {package} in {}", place.display()));
        }
        for (package, channel) in channels {
            printer.status(format_args!("{done} channel {channel} of package {package}"));
        }
        let done = if self.dry_run { "would add" } else { "added" };
        for (bundle, channels) in added.iter().filter(|(_, channels)| !channels.is_empty()) {
            printer.status(format_args!("{done} {bundle} to {}", channels.join(", ")));
        }
        edit::written(edited, self.dry_run, path, &self.strictness.strictness(), printer);
        Ok(())
    }

    /// Reports the warnings about the bundles, and the bundles that are stored with their manifests.
    fn remark(&self, packages: &Packages, printer: &Printer) {
        let in_catalog = self.catalogs.iter().any(|path| !path.is_file());
        for (reference, rendered) in packages.values().flatten() {
            strictness::warn(&rendered.findings, printer);
            if let Some(replaces) = &self.replaces
                && is_name_of_higher(replaces, &rendered.version)
            {
                printer.warning(format_args!(
                    "version {} replaces {replaces}, which has a higher version",
                    rendered.version
                ));
            }
            if rendered.bundle.image.is_empty() && in_catalog {
                printer.status(format_args!(
                    "{} is stored with its manifests because {}",
                    rendered.entry.name,
                    why_inline(reference)
                ));
            }
        }
    }

    /// Checks that the options are valid for a semver template, which keeps bundles in lists.
    fn require_lists(&self, template: &Path) -> Result<(), CommandError> {
        let lists = ARCHETYPES.join(", ");
        let template = template.display();
        let (message, hint) = if self.channels.is_empty() {
            let message =
                format!("{template} is a semver template, whose bundles are in one or more of the lists {lists}");
            (message, "specify the lists with --channel")
        } else if self.has_edges() || self.mode != Mode::Replaces || self.default_channel.is_some() || self.overwrite {
            let message =
                format!("{template} is a semver template, whose channels follow from the versions of its bundles");
            (message, "use only --bundle and --channel")
        } else {
            return Ok(());
        };
        Err(CommandError::usage(message).hint(hint))
    }

    fn has_edges(&self) -> bool {
        self.replaces.is_some() || !self.skips.is_empty() || self.skip_range.is_some()
    }

    /// Sets the requested edges of a bundle.
    fn place(&self, rendered: &mut RenderedBundle) {
        let entry = &mut rendered.entry;
        if let Some(replaces) = &self.replaces {
            replaces.clone_into(&mut entry.replaces);
            rendered.stated.remove(&Stated::Replaces);
        }
        if !self.skips.is_empty() {
            entry.skips.clone_from(&self.skips);
        }
        if let Some(range) = &self.skip_range {
            range.clone_into(&mut entry.skip_range);
        }
    }
}
