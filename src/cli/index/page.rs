//! `opmx index page`: an index as a site to look at.

use crate::catalog::Catalog;
use crate::cli::arguments::{DatabaseLimitArguments, LimitArguments, RegistryArguments};
use crate::cli::error::{CommandError, CommandResult, Status};
use crate::cli::{Context, sources};
use crate::index::open::Index;
use crate::page::live::{LiveSite, state_of};
use crate::page::{Images, SiteOptions, Summary, Unread, catalog_schema, package_schema, write};
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
  The site of an index, to open from the disk or to put on any web server
  $ opmx index page registry.example.com/index:v1 -o site

  With all that only the images of the bundles hold
  $ opmx index page catalog -o site --images

  With what has changed since the version before
  $ opmx index page index.db -o site --title \"Garden operators\" --compare registry.example.com/index:v1

  The site while a catalog is being written, at http://127.0.0.1:8080/
  $ opmx index page catalog --serve :8080

  The JSON Schema of catalog.json
  $ opmx index page --schema catalog > catalog.schema.json

  Several catalogs side by side
  $ opmx index page catalog -o site --catalog 4.21=registry.example.com/index:v4.21";

/// Write a website that shows an index
///
/// The site has a list of all packages with a search and filters, a page for each package with its channels and update
/// graphs, and for each version with its APIs, permissions, images and dependencies. It also shows what changed from
/// each version to the next. The site is plain files: it opens from a disk, from any path of a web server and from a
/// bucket, loads nothing from other hosts, and can be read without JavaScript. The same index gives the same files.
///
/// A catalog that holds no manifests says little about permissions, fields of APIs and Deployments; the pages say so
/// where something is missing, and --images reads it from the images of the bundles.
///
/// Where the folder holds a site already, the new one takes its place. Files that are not part of a site stay.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct PageArguments {
    /// The index: HOST/NAME:TAG, oci:DIR:TAG, oci-archive:FILE:TAG, a database file, or the folder of a file-based
    /// catalog
    #[arg(value_name = "REF|FILE|DIR", required_unless_present = "schema")]
    index: Option<String>,
    /// Folder for the site
    #[arg(short, long, value_name = "DIR", required_unless_present_any = ["serve", "schema"])]
    output: Option<PathBuf>,
    /// Show the site here in place of writing it; without an address on this machine only
    ///
    /// The site is made anew when the files of the index change, and pages that are open load themselves again. An image
    /// is read once.
    #[arg(long, value_name = "[ADDRESS]:PORT", value_parser = endpoint, conflicts_with = "output")]
    serve: Option<SocketAddr>,
    /// Title of the site
    #[arg(long, value_name = "TITLE")]
    title: Option<String>,
    /// Address that the site will have, for the links of its feed and its page for errors
    #[arg(long, value_name = "URL", value_parser = address)]
    base_url: Option<String>,
    /// Name of the catalog on clusters, for the manifests to copy; without it, taken from the name of the index
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Read the images of bundles whose manifests the index does not hold
    ///
    /// Permissions, fields of APIs and Deployments are shown of these, too. Images that cannot be read are named by a
    /// warning.
    #[arg(long)]
    images: bool,
    /// Older index; a page lists what has changed since then
    #[arg(long, value_name = "INDEX")]
    compare: Option<String>,
    /// Another index, for a page that shows the versions of all side by side; may be repeated
    #[arg(long, value_name = "NAME=INDEX", value_parser = named)]
    catalog: Vec<(String, String)>,
    /// Print the JSON Schema of catalog.json, or of the data of a package
    #[arg(long, value_enum, value_name = "WHAT", exclusive = true)]
    schema: Option<Data>,
    #[command(flatten)]
    registry: RegistryArguments,
    #[command(flatten)]
    limits: LimitArguments,
    #[command(flatten)]
    database: DatabaseLimitArguments,
}

/// The data of a site.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Data {
    /// All packages
    Catalog,
    /// One package
    Package,
}

fn address(text: &str) -> Result<String, String> {
    let known = ["https://", "http://"].iter().any(|scheme| text.starts_with(scheme));
    let plain =
        !text.contains(|letter: char| letter.is_whitespace() || letter.is_control() || "<>\"'".contains(letter));
    if known && plain {
        Ok(text.to_owned())
    } else {
        Err("an address begins with https:// or http:// and has no spaces".to_owned())
    }
}

/// An address and a port; without an address that of this machine.
fn endpoint(text: &str) -> Result<SocketAddr, String> {
    let parsed = match text.strip_prefix(':') {
        Some(port) => port
            .parse()
            .ok()
            .map(|port: u16| SocketAddr::from(([127, 0, 0, 1], port))),
        None => text.parse().ok(),
    };
    parsed.ok_or_else(|| "give an address and a port, such as 127.0.0.1:8080, or :8080 for this machine".to_owned())
}

fn named(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, index)) if !name.is_empty() && !index.is_empty() => Ok((name.to_owned(), index.to_owned())),
        _ => Err("give a name and an index, as in 4.21=registry.example.com/index:v4.21".to_owned()),
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
    let index = arguments.index();
    let opened = arguments.open(index, context)?;
    let compare = arguments.compare.as_deref();
    let compare = compare.map(|name| Ok((name, arguments.catalog_of(name, context)?)));
    let compare: Option<(&str, Catalog)> = compare.transpose().map_err(|error: CommandError| error)?;
    let beside = arguments.catalog.iter();
    let beside = beside.map(|(name, index)| Ok((name.clone(), arguments.catalog_of(index, context)?)));
    let beside: Vec<(String, Catalog)> = beside.collect::<Result<_, CommandError>>()?;
    let own_name = arguments.name.clone().unwrap_or_else(|| short_name(index));
    let transports = arguments.registry.transports(context);
    let images = Images {
        transports: &transports,
        runtime: context.runtime,
        limits: arguments.limits.bundle(),
    };
    let options = SiteOptions {
        title: arguments.title.as_deref(),
        source: index,
        source_name: &own_name,
        base: arguments.base_url.as_deref(),
        compare: compare.as_ref().map(|(name, catalog)| (*name, catalog)),
        beside: &beside,
        images: arguments.images.then_some(images),
        live: false,
    };
    match (&arguments.output, arguments.serve) {
        (Some(folder), _) => {
            let site = write(&opened, folder, &options)?;
            warn(&site, context);
            context
                .printer
                .status(format_args!("wrote a site of {} to {}", told(&site), folder.display()));
            Ok(Status::Success)
        }
        (None, Some(address)) => serve(opened, address, &options, arguments, context),
        (None, None) => Err(CommandError::usage("name a folder for the site with --output")),
    }
}

/// Names the bundles whose images could not be read.
fn warn(site: &Summary, context: &Context<'_>) {
    for Unread { bundle, reason } in &site.unread {
        context
            .printer
            .warning(format_args!("the image of bundle {bundle} cannot be read: {reason}"));
    }
}

fn told(site: &Summary) -> String {
    let (packages, versions) = (counted(site.packages, "package"), counted(site.versions, "version"));
    format!("{packages} and {versions}")
}

/// How often the files of the index are looked at.
const PAUSE: Duration = Duration::from_millis(500);

/// Shows the site until a signal comes, and makes it anew when the files of the index change.
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
                        printer.status(format_args!("the site has {} now", told(&summary)));
                    }
                    // What is written right now may be half done; the last good site stays until it is complete.
                    Err(error) => printer.warning(format_args!("the site stays as it was: {error}")),
                }
            }
        });
        let served = context.runtime.block_on(async {
            let shutdown = server::shutdown_signal().map_err(|error| {
                CommandError::from(error).context("cannot wait for the signals that end the server")
            })?;
            let listener = server::listen(Some(address.ip()), address.port())?;
            if let Ok(address) = listener.local_addr() {
                printer.status(format_args!(
                    "showing a site of {} at http://{address}/",
                    told(&summary)
                ));
            }
            Arc::clone(&site).serve(listener, shutdown).await;
            Ok(Status::Success)
        });
        ended.store(true, Ordering::Relaxed);
        served
    })
}

impl PageArguments {
    /// The index, which is named wherever something is read.
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

/// The last part of the name of an index, without a tag, a digest or the end of a file's name.
fn short_name(index: &str) -> String {
    let without_digest = index.split('@').next().unwrap_or_default();
    let last = without_digest
        .trim_end_matches('/')
        .rsplit('/')
        .next()
        .unwrap_or_default();
    let parts = last.trim_start_matches("oci-archive:").trim_start_matches("oci:");
    let name = parts.split(':').next().unwrap_or_default();
    let name = name.strip_suffix(".db").or(name.strip_suffix(".tar")).unwrap_or(name);
    let plain = |letter: char| {
        if letter.is_ascii_alphanumeric() {
            letter.to_ascii_lowercase()
        } else {
            '-'
        }
    };
    let name: String = name.chars().map(plain).collect();
    match name.trim_matches('-') {
        "" => "catalog".to_owned(),
        name => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_catalog_is_named_after_its_index() {
        for (index, name) in [
            ("registry.example.com/garden/index:v1", "index"),
            ("registry.example.com:5000/Index_1@sha256:0", "index-1"),
            ("oci:layouts/tools:v1", "tools"),
            ("oci-archive:tools.tar:v1", "tools"),
            ("dir/index.db", "index"),
            ("catalog/", "catalog"),
            ("..", "catalog"),
        ] {
            assert_eq!(short_name(index), name, "{index}");
        }
    }
}
