//! Reads a policy file from its text; errors point at the place of the problem.

use super::keys::SHAPE;
use super::matching::CORE;
use super::{Policy, Section, VERSION, unmatched};
use crate::kubernetes::builtin;
use crate::shape::{self, Fault};
use crate::source::{Place, SourceFile};
use crate::text::{self, Document, Limits, Path};
use serde_json::Value;

/// The maximum number of patterns with `*` for kinds, registries or catalogs: each is compared with every name.
const MOST_WILD: usize = 1000;

/// The reason why a file is not a valid policy file.
#[derive(Debug, thiserror::Error)]
#[error("{place}: {message}")]
pub struct PolicyError {
    /// The place of the problem.
    pub place: Place,
    /// A description of the problem.
    pub message: String,
}

/// Reads a policy file. `name` is the path that errors and findings show.
///
/// # Errors
/// Returns an error if the file is not YAML or JSON, or has an unknown key or an invalid value; the error points at the
/// line.
pub fn read(name: &str, bytes: &[u8], limits: &Limits) -> Result<Policy, PolicyError> {
    let mut reading = text::read(name, bytes, limits);
    let whole = || Place::new(&SourceFile::new(name, ""), 0..0);
    if let Some(finding) = reading.diagnostics.iter().find(|finding| finding.is_error()) {
        return Err(PolicyError {
            place: finding.place.clone().unwrap_or_else(whole),
            message: finding.message.clone(),
        });
    }
    reading.documents.retain(|document| !document.value().is_null());
    let count = reading.documents.len();
    let (Some(document), 1) = (reading.documents.pop(), count) else {
        return Err(PolicyError {
            place: whole(),
            message: format!("expected 1 document in a policy file, found {count}"),
        });
    };
    let mut policy = of_document(&document)?;
    policy.name = name.to_owned();
    Ok(policy)
}

/// Returns the patterns of `allow` and `deny` below `path`.
fn patterns<'d>(document: &'d Document, path: &Path) -> impl Iterator<Item = (Path, &'d str)> + use<'d> {
    let lists = ["allow", "deny"].map(|list| path.key(list));
    lists.into_iter().flat_map(|list| {
        let items = list.get(document.value()).and_then(Value::as_array);
        let items = items.into_iter().flatten().enumerate();
        items.filter_map(move |(index, item)| Some((list.index(index), item.as_str()?)))
    })
}

/// Returns why an entry matches nothing; `None` if it can match.
type Reason = fn(&str) -> Option<String>;

/// Returns the first entry below `base` that matches nothing, and why.
fn unmatched_entry<'d>(document: &'d Document, base: &Path) -> Option<(Path, &'d str, String)> {
    let names: [(&str, Reason); 2] = [("kinds", unmatched::kind), ("registries", unmatched::registry)];
    for (key, reason) in names {
        let mut all = patterns(document, &base.key(key));
        if let Some(found) = all.find_map(|(path, text)| Some((path, text, reason(text)?))) {
            return Some(found);
        }
    }
    permissions(document, base).find_map(|(key, path, text)| {
        let reason = match key {
            "apiGroups" => unmatched::api_group(text),
            "resources" => unmatched::resource(text),
            "nonResourceURLs" => unmatched::path(text),
            _ => unmatched::verb(text),
        };
        Some((path, text, reason?))
    })
}

/// Returns the first permission below `base` that matches nothing because of an empty list: the path of the list, and
/// why.
fn unmatched_permission(document: &Document, base: &Path) -> Option<(Path, String)> {
    permission_paths(document, base).find_map(|path| {
        let size = |key: &str| path.key(key).get(document.value())?.as_array().map(Vec::len);
        let (key, reason) = unmatched::empty_list(size)?;
        Some((path.key(key), reason))
    })
}

/// Returns the paths of the permissions below `base`.
fn permission_paths<'d>(document: &'d Document, base: &Path) -> impl Iterator<Item = Path> + use<'d> {
    let lists = ["allow", "deny"].map(|list| base.key("permissions").key(list));
    lists.into_iter().flat_map(|list| {
        let items = list.get(document.value()).and_then(Value::as_array);
        let count = items.map_or(0, Vec::len);
        (0..count).map(move |index| list.index(index))
    })
}

/// Returns the strings in the permissions below `base`: each with its key and its path.
fn permissions<'d>(
    document: &'d Document,
    base: &Path,
) -> impl Iterator<Item = (&'static str, Path, &'d str)> + use<'d> {
    const KEYS: [&str; 4] = ["apiGroups", "resources", "nonResourceURLs", "verbs"];
    let parts = permission_paths(document, base).flat_map(|entry| KEYS.map(|key| (key, entry.key(key))));
    parts.flat_map(move |(key, path)| {
        let items = path.get(document.value()).and_then(Value::as_array);
        let items = items.into_iter().flatten().enumerate();
        items.filter_map(move |(index, item)| Some((key, path.index(index), item.as_str()?)))
    })
}

/// Returns the built-in kind that a pattern misspells. A kind of a group that is not built in is never a misspelling.
fn meant_kind(pattern: &str) -> Option<String> {
    if pattern.contains('*') {
        return None;
    }
    let (group, kind) = match pattern.split_once('/') {
        Some((group, kind)) => (Some(if group == CORE { "" } else { group }), kind),
        None => (None, pattern),
    };
    let kinds = builtin::all()
        .iter()
        .filter(|row| group.is_none_or(|group| row.group == group));
    let kinds: Vec<&str> = kinds.map(|row| row.kind).collect();
    if kinds.contains(&kind) {
        return None;
    }
    // A short kind of a custom resource can resemble a built-in kind.
    let written = kind.to_lowercase();
    let is_near = |known: &&str| strsim::damerau_levenshtein(&known.to_lowercase(), &written) <= 1;
    let near = kinds.into_iter().find(is_near)?;
    Some(pattern.strip_suffix(kind).unwrap_or_default().to_owned() + near)
}

fn of_document(document: &Document) -> Result<Policy, PolicyError> {
    let value = document.value();
    if let Some(problem) = shape::check(value, &SHAPE, 1).pop() {
        let place = match &problem.fault {
            Fault::UnknownKey { .. } => document.key_place(&problem.path),
            _ => document.place(&problem.path),
        };
        let advice = match &problem.fault {
            Fault::Missing { field, .. } if field.key == "version" => {
                format!("; add `version: {VERSION}`, the version of the format")
            }
            _ => problem.advice(),
        };
        let message = format!("{}{advice}", problem.message("the file"));
        return Err(PolicyError { place, message });
    }
    let read: Result<Policy, _> = serde_json::from_value(shape::given(value, &SHAPE));
    let mut policy = read.map_err(|error| PolicyError {
        place: document.place(&Path::root()),
        message: error.to_string(),
    })?;
    let bases = std::iter::once(Path::root())
        .chain((0..policy.sections.len()).map(|index| Path::root().key("for").index(index)));
    for base in bases {
        for key in ["registries", "catalogs"] {
            if let Some((path, text)) = patterns(document, &base.key(key)).find(|(_, text)| text.contains("://")) {
                return Err(PolicyError {
                    place: document.place(&path),
                    message: format!("{text:?} matches nothing, because names of images contain no scheme"),
                });
            }
        }
        for key in ["kinds", "registries", "catalogs"] {
            let mut wild = patterns(document, &base.key(key)).filter(|(_, text)| text.contains('*'));
            if let Some((path, _)) = wild.nth(MOST_WILD) {
                return Err(PolicyError {
                    place: document.place(&path),
                    message: format!("{key} has more than {MOST_WILD} patterns with *"),
                });
            }
        }
        if let Some((path, text, reason)) = unmatched_entry(document, &base) {
            return Err(PolicyError {
                place: document.place(&path),
                message: format!("{text:?} {reason}"),
            });
        }
        if let Some((path, reason)) = unmatched_permission(document, &base) {
            return Err(PolicyError {
                place: document.place(&path),
                message: format!("the permission {reason}"),
            });
        }
        let kinds = patterns(document, &base.key("kinds")).filter_map(|(path, text)| {
            let doubt = format!("{text} is not a Kubernetes kind; did you mean {}?", meant_kind(text)?);
            Some((path, doubt))
        });
        let parts = permissions(document, &base).filter_map(|(key, path, text)| {
            let doubt = match key {
                "resources" => unmatched::meant_resource(text),
                "verbs" => unmatched::meant_verbs(text),
                _ => None,
            };
            Some((path, doubt?))
        });
        let doubts = kinds.chain(parts);
        let doubts = doubts.map(|(path, doubt)| format!("{}: {doubt}", document.place(&path)));
        policy.doubts.extend(doubts);
    }
    let is_for_nobody = |section: &Section| section.users.is_empty() && section.groups.is_empty();
    if let Some(index) = policy.sections.iter().position(is_for_nobody) {
        return Err(PolicyError {
            place: document.place(&Path::root().key("for").index(index)),
            message: "the section names neither users nor groups, so it has no effect".to_owned(),
        });
    }
    Ok(policy)
}
