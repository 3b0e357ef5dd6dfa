//! `opmx index page`: an index as a site to look at.

use crate::catalog::Catalog;
use crate::cli::arguments::{IndexLimitArguments, RegistryArguments};
use crate::cli::error::{CommandError, CommandResult, Status};
use crate::cli::{Context, sources};
use crate::page::{SiteOptions, write};
use crate::terminal::counted;
use clap::Args;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  The site of an index, to open from the disk or to put on any web server
  $ opmx index page registry.example.com/index:v1 -o site

  With what has changed since the version before
  $ opmx index page index.db -o site --title \"Garden operators\" --compare registry.example.com/index:v1

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
/// where something is missing.
///
/// Where the folder holds a site already, the new one takes its place. Files that are not part of a site stay.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct PageArguments {
    /// The index: HOST/NAME:TAG, oci:DIR:TAG, oci-archive:FILE:TAG, a database file, or the folder of a file-based
    /// catalog
    #[arg(value_name = "REF|FILE|DIR")]
    index: String,
    /// Folder for the site
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    /// Title of the site
    #[arg(long, value_name = "TITLE")]
    title: Option<String>,
    /// Address that the site will have, for the links of its feed and its page for errors
    #[arg(long, value_name = "URL", value_parser = address)]
    base_url: Option<String>,
    /// Name of the catalog on clusters, for the manifests to copy; without it, taken from the name of the index
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Older index; a page lists what has changed since then
    #[arg(long, value_name = "INDEX")]
    compare: Option<String>,
    /// Another index, for a page that shows the versions of all side by side; may be repeated
    #[arg(long, value_name = "NAME=INDEX", value_parser = named)]
    catalog: Vec<(String, String)>,
    #[command(flatten)]
    registry: RegistryArguments,
    #[command(flatten)]
    limits: IndexLimitArguments,
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

fn named(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, index)) if !name.is_empty() && !index.is_empty() => Ok((name.to_owned(), index.to_owned())),
        _ => Err("give a name and an index, as in 4.21=registry.example.com/index:v4.21".to_owned()),
    }
}

pub(crate) fn run(arguments: &PageArguments, context: &Context<'_>) -> CommandResult {
    let opened = arguments.open(&arguments.index, context)?;
    let compare = arguments.compare.as_deref();
    let compare = compare.map(|name| Ok((name, arguments.catalog_of(name, context)?)));
    let compare: Option<(&str, Catalog)> = compare.transpose().map_err(|error: CommandError| error)?;
    let beside = arguments.catalog.iter();
    let beside = beside.map(|(name, index)| Ok((name.clone(), arguments.catalog_of(index, context)?)));
    let beside: Vec<(String, Catalog)> = beside.collect::<Result<_, CommandError>>()?;
    let own_name = arguments.name.clone().unwrap_or_else(|| short_name(&arguments.index));
    let options = SiteOptions {
        title: arguments.title.as_deref(),
        source: &arguments.index,
        source_name: &own_name,
        base: arguments.base_url.as_deref(),
        compare: compare.as_ref().map(|(name, catalog)| (*name, catalog)),
        beside: &beside,
        live: false,
    };
    let site = write(&opened, &arguments.output, &options)?;
    let (packages, versions) = (counted(site.packages, "package"), counted(site.versions, "version"));
    let folder = arguments.output.display();
    context
        .printer
        .status(format_args!("wrote a site of {packages} and {versions} to {folder}"));
    Ok(Status::Success)
}

impl PageArguments {
    fn open(&self, index: &str, context: &Context<'_>) -> Result<crate::index::open::Index, CommandError> {
        sources::open_catalog(index, &self.registry, self.limits.index(&self.registry), context)
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
