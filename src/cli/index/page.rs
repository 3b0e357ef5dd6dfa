//! `opmx index page`: writing a website that shows an index.

use crate::catalog::Catalog;
use crate::cli::arguments::{DatabaseLimitArguments, LimitArguments, RegistryArguments};
use crate::cli::error::{CommandError, CommandResult, Status};
use crate::cli::values::{filled, output};
use crate::cli::{Context, containment, sources};
use crate::index::object_name::object_name;
use crate::index::open::Index;
use crate::kubernetes::names::is_dns1123_subdomain;
use crate::page::live::{LiveSite, state_of};
use crate::page::{
    Images, Probe, SiteOptions, Summary, Unprobed, Unpublished, Unread, catalog_schema, package_schema, write,
};
use crate::server;
use crate::terminal::{Format, counted};
use clap::{Args, ValueEnum};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  Write a site to open from disk, or to host on a web server
  $ opmx index page registry.example.com/index:v1 -o site

  Include information that only the bundle images contain
  $ opmx index page catalog -o site --images

  Include the sizes and platforms of all images
  $ opmx index page catalog -o site --probe

  Include the changes since the previous version
  $ opmx index page index.db -o site --title \"Garden operators\" \\
      --compare registry.example.com/index:v1

  Preview a catalog while working on it, at http://127.0.0.1:8080/
  $ opmx index page catalog --serve :8080

  Print the JSON Schema of catalog.json
  $ opmx index page --schema catalog > catalog.schema.json

  Show several catalogs side by side
  $ opmx index page catalog -o site --catalog 4.21=registry.example.com/index:v4.21";

/// Generate a static website from an index
///
/// The site lists all packages, with search and filters. Each package has a page with its channels and update graphs,
/// and each version has a page with its APIs, permissions, images and dependencies. The site also shows the changes
/// from each version to the next. The site consists of plain files. It works from disk, from any path on a web server
/// and from a bucket, loads nothing from other hosts, and can be read without JavaScript. The same index always gives
/// the same files.
///
/// A catalog without manifests contains little information about permissions, API fields and Deployments. The pages
/// mention missing information; --images reads it from the bundle images.
///
/// An existing site in the folder is replaced. The file .opmx-site lists its files; all other files are kept.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct PageArguments {
    /// The index: HOST/NAME:TAG, oci:DIR:TAG, oci-archive:FILE:TAG, a database file, or the folder of a file-based
    /// catalog
    #[arg(value_name = "REF|FILE|DIR", required_unless_present = "schema", value_parser = filled())]
    index: Option<String>,
    /// Folder for the site; required without --serve
    #[arg(short, long, value_name = "DIR", value_parser = output())]
    output: Option<PathBuf>,
    /// Serve the site instead of writing it; without ADDRESS, only on the loopback address
    ///
    /// The site is rebuilt when the files of the index change, and open pages reload themselves. Each image is read
    /// once.
    #[arg(long, value_name = "[ADDRESS]:PORT", value_parser = endpoint, conflicts_with = "output")]
    serve: Option<SocketAddr>,
    /// Title of the site
    #[arg(long, value_name = "TITLE", value_parser = title)]
    title: Option<String>,
    /// URL of the published site, for the links in its feed and on its error page
    #[arg(long, value_name = "URL", value_parser = address)]
    base_url: Option<String>,
    /// Name of the CatalogSource in the manifests that the pages show [default: from the name and the tag of the index]
    #[arg(long, value_name = "NAME", value_parser = object)]
    name: Option<String>,
    /// Read the images of bundles whose manifests the index does not contain
    ///
    /// Their permissions, API fields and Deployments are then also shown. Warnings list images that cannot be read.
    #[arg(long)]
    images: bool,
    /// Show the sizes and platforms of the images of each version
    ///
    /// Only the manifests are read from the registries, not the layers. Warnings list images that cannot be read.
    #[arg(long)]
    probe: bool,
    /// Older index to compare with; a page lists the changes
    #[arg(long, value_name = "INDEX", value_parser = filled())]
    compare: Option<String>,
    /// Additional index, for a page that shows the versions of all indexes side by side; may be repeated
    #[arg(long, value_name = "NAME=INDEX", value_parser = named)]
    catalog: Vec<(String, String)>,
    /// Print the JSON Schema of catalog.json, or of the data of a package
    #[arg(long, value_enum, value_name = "SUBJECT", exclusive = true)]
    schema: Option<Data>,
    #[command(flatten)]
    registry: RegistryArguments,
    #[command(flatten)]
    limits: LimitArguments,
    #[command(flatten)]
    database: DatabaseLimitArguments,
}

/// The data files of a site.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Data {
    /// All packages
    Catalog,
    /// One package
    Package,
}

fn title(text: &str) -> Result<String, String> {
    if text.trim().is_empty() {
        Err("expected a title that is not blank".to_owned())
    } else {
        Ok(text.to_owned())
    }
}

fn object(text: &str) -> Result<String, String> {
    if is_dns1123_subdomain(text) {
        Ok(text.to_owned())
    } else {
        Err(
            "expected the name of a CatalogSource: lowercase letters, digits, - and ., beginning and ending with a \
             letter or digit"
                .to_owned(),
        )
    }
}

fn address(text: &str) -> Result<String, String> {
    let known = ["https://", "http://"].iter().any(|scheme| text.starts_with(scheme));
    let plain =
        !text.contains(|letter: char| letter.is_whitespace() || letter.is_control() || "<>\"'?#".contains(letter));
    if known && plain {
        Ok(text.to_owned())
    } else {
        Err(
            "expected a URL that begins with https:// or http:// and contains no spaces, no query and no fragment"
                .to_owned(),
        )
    }
}

/// Parses an address and a port. The default address is the loopback address.
fn endpoint(text: &str) -> Result<SocketAddr, String> {
    let parsed = match text.strip_prefix(':') {
        Some(port) => port
            .parse()
            .ok()
            .map(|port: u16| SocketAddr::from(([127, 0, 0, 1], port))),
        None => text.parse().ok(),
    };
    parsed.ok_or_else(|| {
        "expected an address and a port, such as 127.0.0.1:8080, or :8080 for the loopback address".to_owned()
    })
}

fn named(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, index)) if !name.is_empty() && !index.is_empty() => Ok((name.to_owned(), index.to_owned())),
        _ => Err("expected a name and an index, such as 4.21=registry.example.com/index:v4.21".to_owned()),
    }
}

pub(crate) fn run(arguments: &PageArguments, context: &Context<'_>) -> CommandResult {
    if let Some(data) = arguments.schema {
        let schema = match data {
            Data::Catalog => catalog_schema(),
            Data::Package => package_schema(),
        };
        context.printer.document(Format::Json, &schema)?;
        return Ok(Status::Success);
    }
    if arguments.output.is_none() && arguments.serve.is_none() {
        return Err(no_place());
    }
    let index = arguments.index();
    if let Some(output) = &arguments.output {
        containment::require_outside(output, Path::new(index))?;
    }
    let own_name = arguments.name.clone().unwrap_or_else(|| object_name(index));
    check_names(&own_name, &arguments.catalog)?;
    let opened = arguments.open(index, context)?;
    let compare = arguments.compare.as_deref();
    let compare = compare.map(|name| Ok((name, arguments.catalog_of(name, context)?)));
    let compare: Option<(&str, Catalog)> = compare.transpose().map_err(|error: CommandError| error)?;
    let beside = arguments.catalog.iter();
    let beside = beside.map(|(name, index)| Ok((name.clone(), arguments.catalog_of(index, context)?)));
    let beside: Vec<(String, Catalog)> = beside.collect::<Result<_, CommandError>>()?;
    let transports = arguments.registry.transports(context);
    let images = Images {
        transports: &transports,
        runtime: context.runtime,
        limits: arguments.limits.bundle(),
    };
    let probe = Probe::new(&transports, context.runtime);
    let options = SiteOptions {
        title: arguments.title.as_deref(),
        source: index,
        source_name: &own_name,
        base: arguments.base_url.as_deref(),
        compare: compare.as_ref().map(|(name, catalog)| (*name, catalog)),
        beside: &beside,
        images: arguments.images.then_some(images),
        probe: arguments.probe.then_some(&probe),
        live: false,
    };
    match (&arguments.output, arguments.serve) {
        (Some(folder), _) => {
            let site = write(&opened, folder, &options)?;
            warn(&site, context);
            context.printer.status(format_args!(
                "wrote a site with {} to {}",
                summary_of(&site),
                folder.display()
            ));
            Ok(Status::Success)
        }
        (None, Some(address)) => serve(opened, address, &options, arguments, context),
        (None, None) => Err(no_place()),
    }
}

/// Checks that the catalogs that are shown side by side have different names.
fn check_names(own: &str, beside: &[(String, String)]) -> Result<(), CommandError> {
    let names: Vec<&str> = std::iter::once(own)
        .chain(beside.iter().map(|(name, _)| name.as_str()))
        .collect();
    for (place, name) in names.iter().enumerate() {
        if names.iter().take(place).any(|other| other == name) {
            let hint = if *name == own {
                "; change the name, or set --name"
            } else {
                ""
            };
            return Err(CommandError::usage(format!(
                "two catalogs have the name {name}, but catalogs shown side by side need different names{hint}"
            )));
        }
    }
    Ok(())
}

/// Warns of packages that cannot be installed, and of images that could not be read.
fn warn(site: &Summary, context: &Context<'_>) {
    const SHOWN: usize = 20;
    let printer = &context.printer;
    for Unpublished { package, reason } in site.unpublished.iter().take(SHOWN) {
        printer.warning(format_args!(
            "a new installation of package {package} gets no version: {reason}"
        ));
    }
    for Unread { bundle, image, reason } in site.unread.iter().take(SHOWN) {
        printer.warning(format_args!(
            "the image {image} of bundle {bundle} cannot be read: {reason}"
        ));
    }
    for Unprobed { image, reason } in site.unprobed.iter().take(SHOWN) {
        printer.warning(format_args!("the size of {image} is unknown: {reason}"));
    }
    if let Some(more @ 1..) = site.unpublished.len().checked_sub(SHOWN) {
        let more = counted(more, "more package");
        printer.warning(format_args!("new installations of {more} get no version either"));
    }
    if let Some(more @ 1..) = site.unread.len().checked_sub(SHOWN) {
        let more = counted(more, "more bundle");
        printer.warning(format_args!("the images of {more} cannot be read either"));
    }
    if let Some(more @ 1..) = site.unprobed.len().checked_sub(SHOWN) {
        let more = counted(more, "more image");
        printer.warning(format_args!("the sizes of {more} are also unknown"));
    }
}

fn summary_of(site: &Summary) -> String {
    let (packages, versions) = (counted(site.packages, "package"), counted(site.versions, "version"));
    format!("{packages} and {versions}")
}

/// The interval at which the files of the index are checked for changes.
const PAUSE: Duration = Duration::from_millis(500);

/// Serves the site until a signal arrives, and rebuilds it when the files of the index change.
fn serve(
    opened: Index,
    address: SocketAddr,
    options: &SiteOptions<'_>,
    arguments: &PageArguments,
    context: &Context<'_>,
) -> CommandResult {
    let printer = &context.printer;
    let path = Path::new(arguments.index());
    let mut known = state_of(path);
    let (site, summary) = LiveSite::new(&opened, options)?;
    drop(opened);
    warn(&summary, context);
    let site = Arc::new(site);
    let ended = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !ended.load(Ordering::Relaxed) {
                thread::sleep(PAUSE);
                let now = state_of(path);
                if now == known {
                    continue;
                }
                known = now;
                let renewed =
                    || Ok::<_, CommandError>(site.renew(&arguments.open(arguments.index(), context)?, options)?);
                match renewed() {
                    Ok(summary) => {
                        warn(&summary, context);
                        printer.status(format_args!("the site now has {}", summary_of(&summary)));
                    }
                    // A file that is being written may be incomplete; the last valid site is served until the file is
                    // complete.
                    Err(error) => printer.warning(format_args!("the site was not updated: {error}")),
                }
            }
        });
        let served = context.runtime.block_on(async {
            let shutdown = server::shutdown_signal().map_err(|error| {
                CommandError::from(error).context("cannot wait for the signals that stop the server")
            })?;
            let listener = server::listen(Some(address.ip()), address.port())?;
            if let Ok(address) = listener.local_addr() {
                printer.status(format_args!(
                    "showing a site with {} at http://{address}/",
                    summary_of(&summary)
                ));
            }
            let shutdown = async {
                shutdown.await;
            };
            Arc::clone(&site).serve(listener, shutdown).await;
            Ok(Status::Success)
        });
        ended.store(true, Ordering::Relaxed);
        served
    })
}

impl PageArguments {
    /// Returns the index, which is present unless a schema is printed.
    fn index(&self) -> &str {
        self.index.as_deref().unwrap_or_default()
    }

    fn open(&self, index: &str, context: &Context<'_>) -> Result<Index, CommandError> {
        let limits = self.limits.index(&self.database, &self.registry);
        sources::open_catalog(index, &self.registry, limits, context)
    }

    fn catalog_of(&self, index: &str, context: &Context<'_>) -> Result<Catalog, CommandError> {
        let opened = self.open(index, context)?;
        Ok(opened.catalog()?.into_owned())
    }
}

fn no_place() -> CommandError {
    CommandError::usage("specify a folder for the site with --output, or an address with --serve")
}
