//! The rules that need only one document, and the data that is kept in memory from that document.

use super::bundle;
use super::contents::{Channel, Package};
use super::found::{DocumentId, Found, Inside};
use super::graph::{self, CheckedEntry};
use super::lifecycle;
use super::reader::{Fields, Reader};
use super::scratch::{Scratch, package_of};
use crate::catalog::file_based::schema::{REFERENCE, Referred};
use crate::catalog::file_based::{Schema, Subject, memory};
use crate::catalog::{Text, Texts};
use crate::kubernetes::names::is_dns1123_label;
use crate::rules;
use crate::shape::nearest;
use crate::text::Path;
use crate::version::VersionRange;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::value::RawValue;
use std::collections::HashMap;

/// Schemas of catalog templates, which have no effect inside a catalog.
const TEMPLATES: [&str; 4] = [
    "olm.template.basic",
    "olm.semver",
    "olm.template.substitutes",
    "olm.composite",
];

/// The maximum number of findings per document.
const MOST_FINDINGS: usize = 1_000;

/// Checks a JSON document. Returns the number of bytes that are kept in memory for the document.
///
/// # Errors
/// Returns an error if the text is not a JSON object.
pub(super) fn check(id: DocumentId, json: &str, work: &mut Scratch) -> Result<usize, serde_json::Error> {
    let fields: Fields<'_> = serde_json::from_str(json)?;
    let root = Path::root();
    let mut found = std::mem::take(&mut work.contents.found);
    let mut reader = Reader {
        id,
        subject: "the document".to_owned(),
        most: found.len() + MOST_FINDINGS,
        found: &mut found,
    };
    let schema = Schema::from(&*reader.name(&fields, "schema", &root));
    if schema.is_of_olm()
        && let Some(package) = unread_package(&schema, &fields)
    {
        work.contents.unread.insert(work.texts.share(&package));
    }
    match &schema {
        Schema::Package => package(&mut reader, &fields, work),
        Schema::Channel => channel(&mut reader, &fields, work),
        Schema::Bundle => bundle::check(&mut reader, &fields, work),
        Schema::Deprecations => deprecations(&mut reader, &fields, work),
        Schema::Lifecycles => lifecycle::check(&mut reader, &fields, work),
        Schema::Other(none) if none.is_empty() => {
            let typed = fields.get("schema").is_some_and(|value| !value.get().starts_with('"'));
            if !typed {
                let message = "the document has no schema, which every catalog document needs";
                reader.report(Found::new(&rules::CATALOG_SCHEMA_MISSING, message, id.path(root)));
            }
        }
        Schema::Other(other) => {
            reader.repeated(&fields);
            unknown(&mut reader, other);
        }
    }
    work.contents.found = found;
    Ok(memory::kept(&schema, |name| fields.get(name)))
}

/// Returns whether a value of the wrong type has been reported since `before`.
fn unread(reader: &Reader<'_>, before: usize) -> bool {
    let mut new = reader.found.iter().skip(before);
    new.any(|found| found.diagnostic.rule == &rules::CATALOG_FIELD_TYPE)
}

/// Returns the package of which other rules cannot be checked, because a name in the document has the wrong type.
fn unread_package(schema: &Schema, fields: &Fields<'_>) -> Option<String> {
    let of_package = if *schema == Schema::Package { "name" } else { "package" };
    let mut names = [of_package, "name", "defaultChannel"].into_iter();
    let is_text = |value: &RawValue| value.get().starts_with('"');
    let unread = names.any(|name| fields.get(name).is_some_and(|value| !is_text(value)));
    let package = fields.get(of_package).filter(|_| unread);
    unread.then(|| {
        package
            .and_then(|package| serde_json::from_str(package.get()).ok())
            .unwrap_or_default()
    })
}

fn unknown(reader: &mut Reader<'_>, schema: &str) {
    let at = reader.id.at("schema");
    if TEMPLATES.contains(&schema) {
        let message = format!("a document of schema {schema:?} is a catalog template, not part of a catalog");
        let help = "Render the template, and add the output to the catalog.";
        reader.report(Found::new(&rules::CATALOG_SCHEMA_UNKNOWN, message, at).help(help));
    } else if let Some(meant) = nearest(schema, Schema::KNOWN.iter().map(Schema::name)) {
        let message = format!("the schema {schema:?} is unknown");
        let finding = Found::new(&rules::CATALOG_SCHEMA_UNKNOWN, message, at);
        reader.report(finding.meant(Some(meant)));
    }
}

fn package(reader: &mut Reader<'_>, fields: &Fields<'_>, work: &mut Scratch) {
    let (id, root) = (reader.id, Path::root());
    let (name, lacks_name) = reader.required_name(fields, "name", &root);
    reader.subject = Subject::new(Schema::Package, &name, "").to_string();
    reader.known(fields, Schema::Package.fields(), &root);
    if lacks_name {
        let message = "a package has no name";
        reader.report(Found::new(&rules::CATALOG_PACKAGE_NAMELESS, message, id.at("name")));
    } else if !name.is_empty() && !is_dns1123_label(&name) {
        let message = format!(
            "the package name {name:?} must consist of at most 63 lowercase letters, digits and hyphens, with a letter \
                 or digit at both ends"
        );
        reader.report(Found::new(&rules::CATALOG_PACKAGE_NAME, message, id.at("name")));
    }
    let default_channel = reader.name(fields, "defaultChannel", &root);
    reader.text(fields, "description", &root);
    if let Some(value) = fields.get("icon") {
        icon(reader, value);
    }
    properties(reader, fields);
    let package = Package {
        id,
        name: work.texts.share(&name),
        default_channel: work.texts.share(&default_channel),
    };
    work.contents.packages.push(package);
}

fn icon(reader: &mut Reader<'_>, value: &RawValue) {
    let path = Path::from("icon");
    let Some(fields) = reader.object(value, &path) else {
        return;
    };
    reader.known(&fields, &["base64data", "mediatype"], &path);
    let before = reader.found.len();
    let data = reader.text(&fields, "base64data", &path);
    let lacks_data = data.is_empty() && reader.found.len() == before;
    let before = reader.found.len();
    let media_type = reader.text(&fields, "mediatype", &path);
    let lacks_media_type = media_type.is_empty() && reader.found.len() == before;
    let subject = reader.subject.clone();
    let mut report = |key: &str, message: String, fails: bool| {
        let finding = Found::new(&rules::CATALOG_PACKAGE_ICON, message, reader.at(&path.key(key)));
        reader.report(if fails { finding } else { finding.warning() });
    };
    let lines: String = data.chars().filter(|letter| !matches!(letter, '\r' | '\n')).collect();
    if let Err(error) = STANDARD.decode(lines) {
        report(
            "base64data",
            format!("the icon of {subject} is not base64: {error}"),
            true,
        );
    } else if lacks_data {
        report("base64data", format!("the icon of {subject} is empty"), false);
    }
    if lacks_media_type {
        report("mediatype", format!("the icon of {subject} has no media type"), false);
    }
}

/// Checks the properties of a package or a channel, which have no effect.
fn properties(reader: &mut Reader<'_>, fields: &Fields<'_>) {
    let root = Path::root();
    for (index, fields) in reader.objects(fields, "properties", &root) {
        bundle::property(reader, &fields, &root.key("properties").index(index));
    }
}

fn channel(reader: &mut Reader<'_>, fields: &Fields<'_>, work: &mut Scratch) {
    let (id, root) = (reader.id, Path::root());
    let (name, lacks_name) = reader.required_name(fields, "name", &root);
    let first = reader.found.len();
    let (package, _) = package_of(reader, fields, Schema::Channel, &name);
    if lacks_name {
        let message = format!("a channel of package {package:?} has no name");
        reader.report(Found::new(&rules::CATALOG_CHANNEL_NAME, message, id.at("name")));
    }
    properties(reader, fields);
    let before = reader.found.len();
    let list = reader.list(fields, "entries", &root);
    if list.is_empty() && reader.found.len() == before {
        let message = format!("{} has no entries", reader.subject);
        reader.report(Found::new(&rules::CATALOG_CHANNEL_EMPTY, message, id.at("entries")));
    }
    let mut entries: Vec<CheckedEntry> = Vec::with_capacity(list.len());
    let mut places: HashMap<Text, usize> = HashMap::with_capacity(list.len());
    for (index, value) in list.into_iter().enumerate() {
        let Some(entry) = entry(reader, value, index, &mut work.texts) else {
            continue;
        };
        if let Some(first) = places.get(&entry.name) {
            let message = format!("{} has two entries for bundle {:?}", reader.subject, entry.name);
            let at = id.at(&format!("entries[{index}].name"));
            let finding = Found::new(&rules::CATALOG_ENTRY_DUPLICATE, message, at);
            reader.report(finding.also(id.at(&format!("entries[{first}].name")), "the first one"));
            continue;
        }
        places.insert(Text::clone(&entry.name), index);
        entries.push(entry);
    }
    let subject = reader.subject.clone();
    if unread(reader, before) {
        // An edge may be missing.
        work.contents.unread.insert(work.texts.share(&package));
    } else {
        graph::check(id, &subject, &entries, reader.found);
    }
    // The items name the package instead of the channel, so that an existing fault is still recognized after its
    // channel is renamed.
    let of_package = format!("package {package:?}");
    for found in reader.found.iter_mut().skip(first) {
        let finding = &mut found.diagnostic;
        if finding.about.is_empty() {
            finding.about.push(finding.message.replace(&subject, &of_package));
        } else {
            let names = finding.about.iter_mut();
            names.for_each(|name| *name = format!("bundle {name:?} of {of_package}"));
        }
    }
    work.contents.channels.push(Channel {
        id,
        package: work.texts.share(&package),
        name: work.texts.share(&name),
        entries: entries.into_iter().map(|entry| (entry.index, entry.name)).collect(),
    });
}

/// Checks an entry of a channel. Returns `None` if it has no name.
fn entry(reader: &mut Reader<'_>, value: &RawValue, index: usize, texts: &mut Texts) -> Option<CheckedEntry> {
    let path = Path::from("entries").index(index);
    let fields = reader.object(value, &path)?;
    reader.known(&fields, &["name", "replaces", "skips", "skipRange"], &path);
    let (name, lacks_name) = reader.required_name(&fields, "name", &path);
    let replaces = reader.name(&fields, "replaces", &path);
    let range = reader.text(&fields, "skipRange", &path);
    let entry_of = format!("the entry for bundle {name:?} in {}", reader.subject);
    if !range.is_empty()
        && let Err(error) = VersionRange::parse(&range)
    {
        let message = format!("the skipRange {range:?} of {entry_of} is not a range: {error}");
        let at = reader.at(&path.key("skipRange"));
        reader.report(Found::new(&rules::CATALOG_SKIP_RANGE, message, at));
    }
    if !name.is_empty() && name == replaces {
        let at = reader.at(&path.key("replaces"));
        let message = format!("{entry_of} names itself in replaces");
        reader.report(Found::new(&rules::CATALOG_ENTRY_ITSELF, message, at));
    }
    let mut skips = Vec::new();
    for (number, value) in reader.list(&fields, "skips", &path).into_iter().enumerate() {
        let path = path.key("skips").index(number);
        let before = reader.found.len();
        let skipped = reader.item(value, &path);
        if reader.found.len() > before {
            continue;
        }
        reader.look_at_name(&skipped, &path);
        let at = reader.at(&path);
        if skipped.is_empty() {
            let message = format!("in {entry_of}, item {number} of skips is empty");
            reader.report(Found::new(&rules::CATALOG_SKIPS_EMPTY, message, at));
        } else if skipped == name {
            let message = format!("{entry_of} names itself in skips");
            reader.report(Found::new(&rules::CATALOG_ENTRY_SKIPS_ITSELF, message, at));
        } else {
            skips.push(texts.share(&skipped));
        }
    }
    if lacks_name {
        let message = format!("an entry of {} has no name", reader.subject);
        reader.report(Found::new(
            &rules::CATALOG_ENTRY_NAME,
            message,
            reader.at(&path.key("name")),
        ));
    }
    (!name.is_empty()).then(|| CheckedEntry {
        index,
        name: texts.share(&name),
        replaces: texts.share(&replaces),
        skips,
    })
}

fn deprecations(reader: &mut Reader<'_>, fields: &Fields<'_>, work: &mut Scratch) {
    let (id, root) = (reader.id, Path::root());
    let (package, _) = package_of(reader, fields, Schema::Deprecations, "");
    let mut seen: HashMap<(Referred, String), usize> = HashMap::new();
    let mut references = Vec::new();
    for (index, fields) in reader.objects(fields, "entries", &root) {
        let path = root.key("entries").index(index);
        reader.known(&fields, &["reference", "message"], &path);
        let before = reader.found.len();
        let text = reader.text(&fields, "message", &path);
        if text.is_empty() && reader.found.len() == before {
            let message = format!("entry {index} of {} has no message", reader.subject);
            let at = reader.at(&path.key("message"));
            reader.report(Found::new(&rules::CATALOG_DEPRECATION_MESSAGE, message, at));
        }
        let Some((referred, name)) = reference(reader, &fields, index) else {
            continue;
        };
        if let Some(first) = seen.get(&(referred, name.clone())) {
            let message = format!(
                "entry {index} of {} refers to the same item as entry {first}",
                reader.subject
            );
            let at = reader.at(&path.key("reference"));
            let finding = Found::new(&rules::CATALOG_DEPRECATION_DUPLICATE, message, at);
            reader.report(finding.also(id.at(&format!("entries[{first}].reference")), "the first one"));
            continue;
        }
        if referred != Referred::Package {
            references.push((index, referred, work.texts.share(&name)));
        }
        seen.insert((referred, name), index);
    }
    work.keep(Schema::Deprecations, id, &package, references);
}

/// Returns the item that an entry of deprecations refers to, or `None` if the reference has a fault.
fn reference(reader: &mut Reader<'_>, entry: &Fields<'_>, index: usize) -> Option<(Referred, String)> {
    let path = Path::from("entries").index(index).key("reference");
    let wrong = |reader: &mut Reader<'_>, key: &str, message: String| {
        let mut at = reader.at(&path.key(key));
        if key.is_empty() {
            at.place = Inside::Value(path.clone());
        }
        reader.report(Found::new(&rules::CATALOG_DEPRECATION_REFERENCE, message, at));
        None
    };
    let of = format!("entry {index} of {}", reader.subject);
    let Some(value) = entry.get("reference") else {
        return wrong(reader, "", format!("{of} refers to nothing"));
    };
    let fields = reader.object(value, &path)?;
    reader.known(&fields, REFERENCE, &path);
    let before = reader.found.len();
    let schema = reader.text(&fields, "schema", &path);
    let name = reader.name(&fields, "name", &path);
    if unread(reader, before) {
        return None;
    }
    if schema.is_empty() {
        return wrong(reader, "schema", format!("{of} refers to an item without a schema"));
    }
    let Some(referred) = Schema::from(&*schema).referred() else {
        let message = format!("{of} refers to an item of schema {schema:?}, which cannot be deprecated");
        return wrong(reader, "schema", message);
    };
    if name.is_empty() && referred != Referred::Package {
        return wrong(reader, "name", format!("{of} refers to an {schema} without a name"));
    }
    if !name.is_empty() && referred == Referred::Package {
        let message =
            format!("{of} refers to its package by the name {name:?}, but a reference to the package has no name");
        return wrong(reader, "name", message);
    }
    Some((referred, name.into_owned()))
}
