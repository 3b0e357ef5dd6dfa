//! The indexes that stand for the CatalogSources of a cluster.

use crate::cli::arguments::RegistryArguments;
use crate::cli::error::CommandError;
use crate::cli::{Context, sources};
use crate::cluster::{AmbiguousCatalog, CatalogName};
use crate::index::open::{Index, OpenLimits};
use crate::install::resolve::NamedIndex;
use crate::terminal::Printer;
use crate::terminal::shell::word;
use std::collections::BTreeSet;

/// Parses indexes in the form `[[NAMESPACE/]NAME=]INDEX[,PRIORITY]`.
pub(crate) fn named_indexes(catalogs: &[String]) -> Vec<NamedIndex> {
    let named = catalogs.iter().map(|text| {
        let split = text.rsplit_once(',');
        let (text, priority) = match split.map(|(text, priority)| (text, priority.parse::<i32>())) {
            Some((text, Ok(priority))) => (text, Some(i64::from(priority))),
            _ => (text.as_str(), None),
        };
        // Any other text before an equals sign belongs to a path.
        let is_name = |name: &str| {
            let mut parts = name.split('/');
            name.split('/').count() <= 2 && parts.all(|part| !part.is_empty() && !part.contains([':', '.']))
        };
        let (name, index) = match text.split_once('=') {
            Some((name, index)) if is_name(name) => (Some(CatalogName::from(name)), index),
            _ => (None, text),
        };
        NamedIndex {
            name,
            index: index.to_owned(),
            priority,
        }
    });
    named.collect()
}

/// Opens indexes in the form `[[NAMESPACE/]NAME=]INDEX`. `used` contains the CatalogSources that the cluster uses, by
/// namespace and name.
pub(crate) fn open(
    catalogs: &[String],
    used: &BTreeSet<(&str, &str)>,
    registry: &RegistryArguments,
    limits: OpenLimits,
    context: &Context<'_>,
) -> Result<Vec<(Option<CatalogName>, Index)>, CommandError> {
    let named = named_indexes(catalogs);
    for name in named.iter().filter_map(|named| named.name.as_ref()) {
        let _ = name
            .namespace_among(used.iter().copied())
            .map_err(|error| ambiguous(&error))?;
    }
    let mut indexes = Vec::new();
    for named in named {
        let index = sources::open_catalog(&named.index, registry, limits, context)?;
        indexes.push((named.name, index));
    }
    Ok(indexes)
}

/// Returns the error for a name without a namespace that several CatalogSources have.
pub(crate) fn ambiguous(error: &AmbiguousCatalog) -> CommandError {
    let names = error.names();
    let options: Vec<String> = names
        .iter()
        .map(|name| format!("--catalog {}=INDEX", word(name)))
        .collect();
    CommandError::usage(error.to_string()).hint(format!("use {}", options.join(" or ")))
}

/// Warns of CatalogSources that are used, but that none of the indexes is known to be. `names` contains the names of
/// the indexes.
pub(crate) fn warn_of_unread(used: &BTreeSet<(&str, &str)>, names: &[Option<&CatalogName>], printer: &Printer) {
    if names.is_empty() {
        return;
    }
    let shown = |(namespace, name): &(&str, &str)| CatalogName::shortest(namespace, name, used.iter().copied());
    let is_unnamed = names.iter().any(Option::is_none);
    if is_unnamed && used.len() > 1 {
        let used: Vec<String> = used.iter().map(|source| shown(source).to_string()).collect();
        printer.warning(format_args!(
            "the Subscriptions use the catalogs {}, and the index is searched for all of them; use --catalog NAME=INDEX",
            used.join(", ")
        ));
    } else if !is_unnamed {
        let is_read = |(namespace, name): &&(&str, &str)| {
            let mut names = names.iter().flatten();
            names.any(|own| own.is_of(namespace, name))
        };
        for unread in used.iter().filter(|source| !is_read(source)) {
            let unread = shown(unread);
            printer.warning(format_args!(
                "Subscriptions use the catalog {unread}, whose updates are not shown; add --catalog {unread}=INDEX"
            ));
        }
    }
}
