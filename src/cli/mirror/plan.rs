//! `opmx mirror plan`: planning a mirror.

use super::naming::NamingArguments;
use super::needed::{needed, without_packages};
use super::planned::{refused, remark, table};
use super::target::{TargetArguments, for_target};
use crate::catalog::selection::part::{Versions, WrittenPart};
use crate::cli::arguments::{DatabaseLimitArguments, LimitArguments, RegistryArguments};
use crate::cli::error::{CommandError, CommandResult, Status};
use crate::cli::following::DependencyArguments;
use crate::cli::index::publication::ServerArguments;
use crate::cli::parts::PartArguments;
use crate::cli::values::{Item, name, output};
use crate::cli::{Context, environment};
use crate::cluster::CatalogName;
use crate::files;
use crate::image::Platform;
use crate::index::catalog_image::{CatalogImageOptions, CatalogServer};
use crate::index::render::sources::SourceOptions;
use crate::mirror::CONCURRENCY;
use crate::mirror::beside::layout_of;
use crate::mirror::collect::{Collected, PlanOptions, collect};
use crate::mirror::imageset::{self, ImageSet};
use crate::mirror::plan::LeftOut;
use crate::mirror::present::bytes_present;
use crate::mirror::request::{CatalogRequest, ImageRequest, MirrorRequest, Place, platform};
use crate::mirror::target::Target;
use crate::terminal::counted;
use crate::validation::Strictness;
use clap::{Arg, Args, ValueEnum, value_parser};
use indicatif::BinaryBytes;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  Mirror the newest version of one package, with all possible dependencies
  $ opmx mirror plan --catalog registry.example.com/catalog:v1 -p etcd -o plan.json

  Mirror one channel, starting with a version, and a second package to a target registry
  $ opmx mirror plan --catalog registry.example.com/catalog:v1 \\
      -p 'etcd=stable@>=0.9.0' -p prometheus --to mirror.example.com:5000/olm -o plan.json

  Mirror the upgrade path of a cluster that runs 0.9.0
  $ opmx mirror plan --catalog registry.example.com/catalog:v1 -p etcd=stable \\
      --from 0.9.0 -o plan.json

  Use an image set configuration
  $ opmx mirror plan -c imageset.yaml --to mirror.example.com:5000/olm -o plan.json

  Mirror the installed versions of a cluster, and their upgrades
  $ kubectl get subscriptions,csv,catalogsources -A -o yaml > dump.yaml
  $ opmx mirror plan --cluster dump.yaml -o plan.json

  Mirror a whole catalog, and an additional image
  $ opmx mirror plan --catalog registry.example.com/catalog:v1 --all \\
      --image registry.example.com/tools/must-gather:v1 -o plan.json";

/// The default name of the plan.
const PLAN: &str = "plan.json";

/// Plan a mirror: the images of a part of a catalog, their sizes and their destinations
///
/// Without --package, the heads of all channels are selected. The dependencies of the selected bundles are included,
/// whether required, recommended or optional. The cluster decides which bundle satisfies a dependency, so the plan
/// includes all bundles of the catalog that could satisfy it and, recursively, the bundles that they require. A channel
/// also keeps the bundles that are needed to connect the selected bundles; the plan lists them and the reasons.
///
/// A catalog image is mirrored unchanged only with --all, or if an image set configuration selects all of it and blocks
/// no image. Otherwise, an image of the kept part is built next to the plan in an OCI layout, such as plan.catalogs
/// for plan.json. An unchanged image that is not in a registry is copied to this layout. "opmx mirror copy" reads the
/// images from the layout, so keep the plan and the layout together. The same part of the same catalog always has the
/// same digest.
///
/// Only the manifests of images are read. The plan includes signatures, attestations, bills of materials and other
/// referrers. An image that cannot be read is left out; the plan contains the reason, and with --deny left-out, the
/// exit status is 3. If no image can be read, the exit status is 1.
///
/// Bundles may mention images that they do not list as related images, for example in environment variables. The plan
/// does not include them, but warns of them if the catalog contains the manifests of the bundles.
///
/// If references of the form REPOSITORY:TAG@DIGEST give one tag to several images, these images are mirrored by digest,
/// without the tag.
///
/// For each package, and for each channel if there are several, the table shows the number of images and bytes. It also
/// shows the number of bytes that you would save by leaving out the package or channel.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, mut_args(of_target))]
#[expect(clippy::struct_excessive_bools, reason = "each is a separate flag")]
pub(super) struct PlanArguments {
    /// Catalog: an image, a folder or a database; may be repeated
    ///
    /// With --cluster, NAME=INDEX sets another index for the CatalogSource or ClusterCatalog of this name. If several
    /// CatalogSources have it, NAME is NAMESPACE/NAME.
    #[arg(long = "catalog", value_name = "INDEX", value_parser = name)]
    catalogs: Vec<String>,
    /// ImageSetConfiguration (mirror.openshift.io/v2alpha1) that describes the mirror
    ///
    /// The fields operators, additionalImages and blockedImages are supported; releases, Helm charts and samples are
    /// not. Version ranges have the meaning that the format of the file defines. Unlike other tools, opmx also includes
    /// the dependencies of the packages, unless skipDependencies is set.
    #[arg(
        short,
        long,
        value_name = "FILE",
        conflicts_with_all = [
            "catalogs", "images", "platforms", "default_channel", "parts", "range_style", "from", "all"
        ]
    )]
    config: Option<PathBuf>,
    /// File or folder with objects of a cluster, or - for standard input; may be repeated
    ///
    /// Mirrors the versions that the cluster's Subscriptions and ClusterExtensions have installed, and the upgrades
    /// from them. For a Subscription, these are the shortest path from the installed version to the head of its
    /// channel; for a ClusterExtension, the versions that OLM v1 installs one after the other, up to the first that it
    /// chooses but does not install. If the default channel of a package is not kept, another channel becomes the
    /// default channel. The objects are the output of "kubectl get subscriptions,csv,catalogsources -A -o yaml", or of
    /// "kubectl get" for ClusterExtensions and ClusterCatalogs.
    #[arg(
        long,
        value_name = "PATH",
        conflicts_with_all = ["config", "parts", "range_style", "from", "all", "default_channel"]
    )]
    cluster: Vec<String>,
    /// Part to mirror: PACKAGE or PACKAGE=CHANNEL,CHANNEL, optionally followed by the versions: @heads (the default),
    /// @all or a range such as @>=1.2.0; may be repeated
    #[arg(short, long = "package", value_name = "PART", requires = "catalogs")]
    parts: Vec<WrittenPart>,
    #[command(flatten)]
    versions: PartArguments,
    /// Mirror whole catalogs, with their original images
    #[arg(long, requires = "catalogs", conflicts_with_all = ["parts", "from"])]
    all: bool,
    /// New default channel of a package whose default channel is not kept; may be repeated
    #[arg(long, value_name = "PACKAGE=CHANNEL", value_parser = pair, requires = "catalogs")]
    default_channel: Vec<(String, String)>,
    /// Also mirror this image; may be repeated
    #[arg(long = "image", value_name = "REF", value_parser = name)]
    images: Vec<String>,
    /// Mirror only these platforms of images, separated by commas
    ///
    /// An image is left out if it is only for other platforms. Bundles and other images that start no program suit
    /// every platform.
    ///
    /// The image index of a multi-platform image is not changed, so that its digest stays the same. Registries reject
    /// the index if they require all images that it lists.
    #[arg(long, value_name = "PLATFORMS", value_delimiter = ',', value_parser = Item(platform))]
    platforms: Vec<Platform>,
    #[command(flatten)]
    dependencies: DependencyArguments,
    /// Do not include signatures and other referrers
    #[arg(long)]
    no_extras: bool,
    /// Target registry of the mirror, with an optional path for the images
    #[arg(long, value_name = "REGISTRY[/PREFIX]")]
    to: Option<Target>,
    /// Check how much content the target already contains
    #[arg(long, requires = "to")]
    check_target: bool,
    #[command(flatten)]
    naming: NamingArguments,
    /// File for the plan
    #[arg(short, long, value_name = "FILE", default_value = PLAN, value_parser = output())]
    output: PathBuf,
    /// Exit with status 3 if the plan lacks such content; may be repeated
    #[arg(long, value_enum, value_name = "PROBLEM")]
    deny: Vec<Denied>,
    #[command(flatten)]
    server: ServerArguments,
    /// Build catalog images without a program
    #[arg(long, conflicts_with_all = ["binary_image", "binaries"])]
    no_binary: bool,
    /// Number of images to inspect at once
    #[arg(long, value_name = "N", default_value_t = CONCURRENCY, value_parser = value_parser!(u16).range(1..=256))]
    concurrency: u16,
    #[command(flatten)]
    target: TargetArguments,
    #[command(flatten)]
    registry: RegistryArguments,
    #[command(flatten)]
    limits: LimitArguments,
    #[command(flatten)]
    database: DatabaseLimitArguments,
}

/// Makes the options for the target, which other commands also have, require the options that give them an effect.
fn of_target(argument: Arg) -> Arg {
    match argument.get_id().as_str() {
        "keep_host" | "max_nested_paths" => argument.requires("to"),
        id if id.starts_with("to_") => argument.requires("check_target"),
        _ => argument,
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Denied {
    /// Images that cannot be copied, except blocked images, and packages of a cluster that are skipped
    LeftOut,
    /// Images that bundles mention, such as in variables, but do not list as related images
    Unlisted,
}

pub(super) fn pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((package, channel)) if !package.is_empty() && !channel.is_empty() => {
            Ok((package.to_owned(), channel.to_owned()))
        }
        _ => Err("expected two names separated by =".to_owned()),
    }
}

impl PlanArguments {
    /// Returns the request, and the number of packages of a cluster that it lacks.
    fn request(&self, context: &Context<'_>) -> Result<(MirrorRequest, usize), CommandError> {
        let printer = &context.printer;
        let naming = self.to.as_ref().map(|target| self.naming.naming(target));
        if let Some(path) = &self.config {
            let set = self.image_set(path)?;
            for remark in &set.remarks {
                printer.warning(remark);
            }
            return Ok((MirrorRequest { naming, ..set.request }, 0));
        }
        if !self.cluster.is_empty() {
            let catalogs = self.catalogs.iter().map(|catalog| {
                let (name, index) = pair(catalog)
                    .map_err(|_| CommandError::usage("with --cluster, --catalog requires the form NAME=INDEX"))?;
                Ok::<_, CommandError>((CatalogName::from(&*name), index))
            });
            let catalogs = catalogs.collect::<Result<BTreeMap<_, _>, _>>()?;
            let follow = self.dependencies.follow();
            let needed = needed(&self.cluster, &catalogs, &follow, &self.limits, context)?;
            for skipped in &needed.skipped {
                printer.warning(skipped);
            }
            if needed.request.catalogs.is_empty() && self.images.is_empty() {
                return Err(without_packages(!needed.skipped.is_empty()));
            }
            let images = self.images.iter().map(|image| self.image(image)).collect();
            let mut request = MirrorRequest {
                images,
                naming,
                ..needed.request
            };
            for catalog in &mut request.catalogs {
                catalog.platforms = self.platforms.iter().cloned().collect();
            }
            return Ok((request, needed.skipped.len()));
        }
        if self.catalogs.is_empty() && self.images.is_empty() {
            let error = CommandError::usage("nothing to mirror");
            return Err(error.hint("specify a catalog with --catalog, an image with --image, or a file with --config"));
        }
        if self.catalogs.len() > 1 && !self.parts.is_empty() {
            let error = CommandError::usage("--package requires a single catalog, but several were specified");
            return Err(error.hint("create a separate plan for each catalog"));
        }
        let platforms: BTreeSet<Platform> = self.platforms.iter().cloned().collect();
        let parts = self.versions.parts(&self.parts, &Versions::Head, true)?;
        if parts.is_empty() && self.versions.from().is_some() {
            return Err(CommandError::usage("--from requires --package"));
        }
        let catalog = |catalog: &String| CatalogRequest {
            catalog: catalog.clone(),
            parts: parts.clone(),
            versions: if self.all { Versions::All } else { Versions::Head },
            installed: BTreeMap::new(),
            is_of_cluster: false,
            default_channels: self.default_channel.iter().cloned().collect(),
            objects: Vec::new(),
            follow: self.dependencies.follow(),
            place: Place::default(),
            platforms: platforms.clone(),
        };
        let request = MirrorRequest {
            catalogs: self.catalogs.iter().map(catalog).collect(),
            extensions: Vec::new(),
            images: self.images.iter().map(|image| self.image(image)).collect(),
            blocked: Vec::new(),
            naming,
        };
        Ok((request, 0))
    }

    fn image(&self, image: &str) -> ImageRequest {
        ImageRequest {
            image: image.to_owned(),
            place: Place::default(),
            platforms: self.platforms.iter().cloned().collect(),
        }
    }

    fn image_set(&self, path: &Path) -> Result<ImageSet, CommandError> {
        let limits = self.limits.text();
        let bytes = files::read_small(path, limits.file_bytes)?;
        Ok(imageset::read(
            &path.display().to_string(),
            &bytes,
            &limits,
            &self.dependencies.follow(),
        )?)
    }

    fn server(&self) -> Result<CatalogServer, CommandError> {
        Ok(if self.no_binary {
            CatalogServer::Absent(vec![self.registry.platform.clone().unwrap_or_default()])
        } else {
            CatalogServer::Program(self.server.server()?)
        })
    }
}

pub(super) fn run(arguments: &PlanArguments, context: &Context<'_>) -> CommandResult {
    let printer = &context.printer;
    let (request, skipped) = arguments.request(context)?;
    let strictness = Strictness::default();
    let limits = arguments.limits.source(&arguments.database, &arguments.registry);
    let options = PlanOptions {
        building: CatalogImageOptions {
            server: arguments.server()?,
            labels: BTreeMap::new(),
            limits: limits.index.catalog,
            strictness: &strictness,
            epoch: environment::epoch()?,
        },
        reading: SourceOptions {
            limits,
            ..SourceOptions::default()
        },
        layout: layout_of(&arguments.output),
        extras: !arguments.no_extras,
        parallel: arguments.concurrency.into(),
    };
    let transports = arguments.registry.transports(context);
    let mut collected = match context.runtime.block_on(collect(&request, &transports, &options)) {
        Ok(collected) => collected,
        Err(error) => return refused(error, printer),
    };
    if arguments.check_target {
        let target = arguments.target.transports(&arguments.registry.connection, context);
        let asked = bytes_present(&collected.plan, &target, options.parallel);
        let present = context.runtime.block_on(asked);
        let present = present.map_err(|error| CommandError::from(error).map_hints(for_target))?;
        collected.plan.totals.bytes_present = Some(present);
    }
    remark(&collected, printer);
    check(&collected, arguments)?;
    let file = files::behind_links_unless(PLAN, &arguments.output)?;
    collected.plan.write(&file)?;
    table(&collected.plan, printer)?;
    let plan = &collected.plan;
    let present = plan.totals.bytes_present;
    let present = present.map(|bytes| format!(", of which {} are already at the target", BinaryBytes(bytes)));
    printer.status(format_args!(
        "{} with {}: {}{} ({} if nothing were shared); the plan is in {}",
        counted(plan.images.len(), "image"),
        counted(plan.extras.len(), "referrer"),
        BinaryBytes(plan.totals.bytes_unique),
        present.unwrap_or_default(),
        BinaryBytes(plan.totals.bytes_referenced),
        arguments.output.display()
    ));
    let missing = plan.missing();
    let skipped = skipped + collected.notes.skipped.len();
    let mut is_denied = false;
    for (denied, count, what, name) in [
        (Denied::LeftOut, skipped, "cluster package", "left-out"),
        (Denied::LeftOut, missing.len(), "selected image", "left-out"),
        (Denied::LeftOut, plan.partial().len(), "image part", "left-out"),
        (
            Denied::Unlisted,
            collected.notes.unlisted.len(),
            "mentioned image",
            "unlisted",
        ),
    ] {
        if arguments.deny.contains(&denied) && count > 0 {
            let lacking = counted(count, what);
            printer.error(format_args!("the plan lacks {lacking}, which --deny {name} forbids"));
            is_denied = true;
        }
    }
    Ok(Status::of_answer(!is_denied))
}

/// Makes sure that the plan contains a part of what was requested. Otherwise, it must not replace an earlier plan.
fn check(collected: &Collected, arguments: &PlanArguments) -> Result<(), CommandError> {
    let Collected { plan, notes } = collected;
    let output = arguments.output.display();
    if plan.catalogs.is_empty() && !notes.skipped.is_empty() && arguments.images.is_empty() {
        return Err(without_packages(true));
    }
    if notes.is_empty {
        let mut left_out = plan.left_out.iter().filter(|left_out| !left_out.blocked);
        let why = left_out
            .next()
            .map(|LeftOut { image, why, .. }| format!(": {image}: {why}"));
        return Err(CommandError::failure(format!(
            "none of {} could be read, so {output} was not written{}",
            counted(plan.missing().len(), "selected image"),
            why.unwrap_or_default()
        )));
    }
    let is_unreached = |package: &str| notes.unreached.iter().any(|unreached| unreached.package == package);
    if let Some(from) = arguments.versions.from()
        && !arguments.parts.is_empty()
        && arguments.parts.iter().all(|part| is_unreached(&part.package))
    {
        let message = format!("no selected package has an update path from {from}, so {output} was not written");
        return Err(CommandError::failure(message).hint("list the versions with opmx index list bundles CATALOG"));
    }
    Ok(())
}
