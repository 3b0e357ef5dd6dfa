//! `opmx catalog add`: bundles into channels of one catalog or several.

use super::edit::{self, Opened};
use crate::catalog::file_based::draft::{NewBundle, Placement};
use crate::catalog::file_based::edit::template::{TemplateBundle, TemplateEditor};
use crate::catalog::file_based::edit::{CatalogEditError, Edited, Editor};
use crate::catalog::file_based::template::{ARCHETYPES, Kind};
use crate::cli::additions::Mode;
use crate::cli::arguments::{DatabaseLimitArguments, LimitArguments, RegistryArguments};
use crate::cli::catalog_output::ContentArguments;
use crate::cli::error::{CommandError, CommandResult, Status};
use crate::cli::strictness::{self, StrictnessArguments};
use crate::cli::{Context, guesses};
use crate::index::intake::IntakeError;
use crate::index::render::bundle::{BundleError, RenderedBundle, render_bundle};
use crate::index::render::sources::SourceOptions;
use crate::version::parse_tolerant;
use clap::Args;
use semver::Version;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  The next version, by what its ClusterServiceVersion replaces and skips
  $ opmx catalog add catalog -b registry.example.com/etcd-bundle:v0.9.4 \\
      --channel stable

  By its version, into two channels of three catalogs
  $ opmx catalog add v4.20 v4.21 v4.22 -b registry.example.com/etcd-bundle:v0.9.4 \\
      --channel candidate,stable --mode semver

  With edges of this catalog
  $ opmx catalog add catalog -b registry.example.com/etcd-bundle:v0.9.4 \\
      --channel stable --replaces etcdoperator.v0.9.2 --skips etcdoperator.v0.9.3

  Into two lists of a semver template
  $ opmx catalog add template.yaml -b registry.example.com/etcd-bundle:v0.9.4 \\
      --channel candidate,fast";

/// Add bundles to channels of a catalog
///
/// Each bundle is fetched and rendered once for all catalogs. Packages and channels are made where they are absent. The
/// same bundle again changes nothing; another content under the same name is an error. Every catalog changes as a whole,
/// one after the other; a command that was interrupted can be given again.
///
/// In a basic template, a bundle gets an entry with its image and its name. In a semver template, its image is added to the
/// lists that --channel names: candidate, fast or stable.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct AddArguments {
    /// Folders of the catalogs, or files of templates
    #[arg(required = true, value_name = "DIR|FILE")]
    catalogs: Vec<PathBuf>,
    /// Bundles to add: HOST/NAME:TAG, oci:DIR:TAG, oci-archive:FILE:TAG, or folders; may be given several times
    #[arg(
        short,
        long = "bundle",
        alias = "bundles",
        required = true,
        value_name = "REF|DIR",
        value_delimiter = ','
    )]
    bundles: Vec<String>,
    /// Channels to add them to [default: those of their annotations]
    #[arg(long = "channel", alias = "channels", value_name = "CHANNELS", value_delimiter = ',')]
    channels: Vec<String>,
    /// How a bundle takes its place: replaces, semver or semver-skippatch
    ///
    /// With "replaces" by what it says that it replaces and skips. With "semver" by its version: it replaces the next
    /// lower one. With "semver-skippatch" it replaces the highest one of the minor version before, and skips all lower
    /// patch versions.
    #[arg(
        long,
        value_enum,
        value_name = "MODE",
        default_value_t,
        ignore_case = true,
        hide_possible_values = true
    )]
    mode: Mode,
    /// Bundle that the new one replaces in these channels [default: what its ClusterServiceVersion says]
    #[arg(long, value_name = "NAME")]
    replaces: Option<String>,
    /// Bundles that it skips in these channels [default: what its ClusterServiceVersion says]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    skips: Vec<String>,
    /// Range of versions that it skips in these channels [default: what its ClusterServiceVersion says]
    #[arg(long, value_name = "RANGE")]
    skip_range: Option<String>,
    /// Default channel of the package; a new package with several channels needs one
    #[arg(long, value_name = "CHANNEL")]
    default_channel: Option<String>,
    /// Replace a bundle of the same name that has another content or other edges
    #[arg(long)]
    overwrite: bool,
    /// Print what would change as a diff, and write nothing
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    content: ContentArguments,
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
    let edges = arguments.has_edges();
    if edges && arguments.bundles.len() > 1 {
        return Err(CommandError::usage(
            "--replaces, --skips and --skip-range are about one bundle: give one --bundle",
        ));
    }
    if edges && arguments.mode != Mode::Replaces {
        return Err(CommandError::usage(
            "--replaces, --skips and --skip-range are for --mode replaces",
        ));
    }
    let limits = arguments.limits.source(&arguments.database, &arguments.registry);
    let packages = arguments.rendered(context)?;
    let Some(packages) = packages else {
        return Ok(Status::Failure);
    };
    let placement = Placement {
        channels: arguments.channels.clone(),
        mode: arguments.mode.into(),
        default_channel: arguments.default_channel.clone(),
        overwrite: arguments.overwrite,
    };
    let mut changes = Vec::new();
    for path in &arguments.catalogs {
        let opened = match Opened::open(path, limits.index.catalog) {
            Ok(opened) => opened,
            Err(error) => return edit::refused(error, printer),
        };
        let changed = match opened {
            Opened::Catalog(editor) => in_catalog(editor, &packages, &placement),
            Opened::Template(editor) if editor.kind() == Kind::Semver => {
                arguments.require_lists(path)?;
                in_semver_template(editor, &packages, &arguments.channels)
            }
            Opened::Template(editor) => {
                let versions = match arguments.mode {
                    Mode::Replaces => BTreeMap::new(),
                    _ => arguments.versions(&editor, context)?,
                };
                in_basic_template(editor, &packages, &placement, &versions)
            }
        };
        match changed {
            Ok(change) => changes.push((path, change)),
            Err(error) => return edit::refused(error, printer),
        }
    }
    for (path, (change, added)) in &changes {
        edit::show(change, arguments.dry_run, printer)?;
        if !arguments.dry_run {
            change.write()?;
        }
        for (bundle, channels) in added.iter().filter(|(_, channels)| !channels.is_empty()) {
            printer.status(format_args!("added {bundle} to {}", channels.join(", ")));
        }
        edit::written(change, arguments.dry_run, path, printer);
    }
    Ok(Status::Success)
}

/// The bundles of each package, from the lowest version up.
type Packages = BTreeMap<String, Vec<TemplateBundle>>;

/// A change, and for each bundle the channels that it was not in before.
type Change = (Edited, Vec<(String, Vec<String>)>);

fn in_catalog(mut editor: Editor, packages: &Packages, placement: &Placement) -> Result<Change, CatalogEditError> {
    let mut added = Vec::new();
    for (package, bundles) in packages {
        let bundles: Vec<NewBundle> = bundles.iter().map(|bundle| bundle.bundle.clone()).collect();
        let channels = editor.add(package, &bundles, placement)?.into_iter();
        let names = bundles.iter().map(|bundle| bundle.entry.name.clone());
        added.extend(names.zip(channels));
    }
    Ok((editor.finish()?, added))
}

fn in_basic_template(
    mut editor: TemplateEditor,
    packages: &Packages,
    placement: &Placement,
    versions: &BTreeMap<String, Version>,
) -> Result<Change, CatalogEditError> {
    let mut added = Vec::new();
    for (package, bundles) in packages {
        let channels = editor.add(package, bundles, placement, versions)?.into_iter();
        let names = bundles.iter().map(|bundle| bundle.bundle.entry.name.clone());
        added.extend(names.zip(channels));
    }
    Ok((editor.finish()?, added))
}

fn in_semver_template(
    mut editor: TemplateEditor,
    packages: &Packages,
    lists: &[String],
) -> Result<Change, CatalogEditError> {
    let mut added = Vec::new();
    for TemplateBundle { image, bundle } in packages.values().flatten() {
        let lists = editor.add_image(image, lists)?;
        added.push((bundle.entry.name.clone(), lists));
    }
    Ok((editor.finish()?, added))
}

impl AddArguments {
    /// The bundles, rendered; none where one has errors, which are shown.
    fn rendered(&self, context: &Context<'_>) -> Result<Option<Packages>, CommandError> {
        let printer = &context.printer;
        let transports = self.registry.transports(context);
        let opening = self.opening();
        let level = self.content.level(false)?;
        let mut packages = Packages::new();
        for reference in &self.bundles {
            let rendered = context
                .runtime
                .block_on(render_bundle(reference, &transports, &opening));
            let mut rendered = match rendered {
                Err(BundleError::Intake(IntakeError::Findings { diagnostics, .. })) => {
                    printer.report(&diagnostics);
                    printer.error(format_args!("{reference} has errors; nothing was written"));
                    return Ok(None);
                }
                rendered => rendered.map_err(|error| {
                    let error = CommandError::from(error).context(format!("cannot render {reference}"));
                    guesses::with_index_guess(error, reference)
                })?,
            };
            strictness::warn(&rendered.findings, printer);
            self.place(&mut rendered);
            let new = TemplateBundle {
                image: reference.clone(),
                bundle: rendered.to_add(level).map_err(CatalogEditError::Write)?,
            };
            packages.entry(rendered.bundle.package.clone()).or_default().push(new);
        }
        for bundles in packages.values_mut() {
            bundles.sort_by(|one, other| one.bundle.version.cmp(&other.bundle.version));
        }
        Ok(Some(packages))
    }

    /// The versions of the bundles that a template has, by name.
    fn versions(
        &self,
        template: &TemplateEditor,
        context: &Context<'_>,
    ) -> Result<BTreeMap<String, Version>, CommandError> {
        let transports = self.registry.transports(context);
        let opening = self.opening();
        let mut versions = BTreeMap::new();
        for image in template.images() {
            let rendered = context.runtime.block_on(render_bundle(image, &transports, &opening));
            let rendered = rendered.map_err(|error| {
                let error = CommandError::from(error).context(format!("cannot render {image}, which the template has"));
                guesses::with_index_guess(error, image)
            })?;
            versions.extend(parse_tolerant(&rendered.version).map(|version| (rendered.entry.name, version)));
        }
        Ok(versions)
    }

    fn opening(&self) -> SourceOptions<'_> {
        SourceOptions {
            limits: self.limits.source(&self.database, &self.registry),
            strictness: self.strictness.strictness(),
            options: self.content.options(),
            published: None,
        }
    }

    /// Makes sure that the options fit to a semver template, in which bundles are in lists.
    fn require_lists(&self, template: &Path) -> Result<(), CommandError> {
        let lists = ARCHETYPES.join(", ");
        let template = template.display();
        let (message, hint) = if self.channels.is_empty() {
            let message =
                format!("{template} is a semver template, in which a bundle is in one or more of the lists {lists}");
            (message, "name them with --channel")
        } else if self.has_edges() || self.mode != Mode::Replaces || self.default_channel.is_some() || self.overwrite {
            let message =
                format!("{template} is a semver template, whose channels follow from the versions of its bundles");
            (message, "give --bundle and --channel alone")
        } else {
            return Ok(());
        };
        Err(CommandError::usage(message).hint(hint))
    }

    fn has_edges(&self) -> bool {
        self.replaces.is_some() || !self.skips.is_empty() || self.skip_range.is_some()
    }

    /// Gives a bundle the edges that were asked for.
    fn place(&self, rendered: &mut RenderedBundle) {
        let entry = &mut rendered.entry;
        if let Some(replaces) = &self.replaces {
            replaces.clone_into(&mut entry.replaces);
        }
        if !self.skips.is_empty() {
            entry.skips.clone_from(&self.skips);
        }
        if let Some(range) = &self.skip_range {
            range.clone_into(&mut entry.skip_range);
        }
    }
}
