//! The lifecycles of a package: versions, phases that follow each other, and platforms.

use super::found::Found;
use super::reader::{Fields, Reader};
use super::scratch::Scratch;
use crate::catalog::file_based::lifecycle::{Date, MinorVersion, OPENSHIFT};
use crate::catalog::file_based::{Schema, Subject};
use crate::rules::{self, Rule, Severity};
use crate::text::Path;
use std::collections::HashMap;

pub(super) fn check(reader: &mut Reader<'_>, fields: &Fields<'_>, work: &mut Scratch) {
    let root = Path::root();
    let before = reader.found.len();
    let (package, is_missing) = reader.required_name(fields, "package", &root);
    reader.subject = Subject::new(Schema::Lifecycles, &package, "").to_string();
    reader.known(fields, Schema::Lifecycles.fields(), &root);
    versions(reader, fields);
    for found in reader.found.iter_mut().skip(before) {
        // Clients drop the whole document if any field is unknown or has the wrong type.
        let of_form = [
            &rules::CATALOG_FIELD_TYPE,
            &rules::CATALOG_FIELD_UNKNOWN,
            &rules::CATALOG_FIELD_CASE,
            &rules::CATALOG_FIELD_REPEATED,
        ];
        if of_form.contains(&found.diagnostic.rule) {
            found.diagnostic.rule = &rules::CATALOG_LIFECYCLE_FIELD;
            found.diagnostic.severity = Severity::Error;
        }
    }
    if is_missing {
        let message = "the lifecycles document does not name a package".to_owned();
        report(reader, &rules::CATALOG_LIFECYCLE_PACKAGE, &root.key("package"), message);
    }
    work.keep(Schema::Lifecycles, reader.id, &package, Vec::new());
}

fn report(reader: &mut Reader<'_>, rule: &'static Rule, path: &Path, message: String) {
    let at = reader.at(path);
    reader.report(Found::new(rule, message, at));
}

/// Returns the objects of a list, which must not be empty.
fn objects<'a>(
    reader: &mut Reader<'_>,
    rule: &'static Rule,
    fields: &Fields<'a>,
    (name, path, of): (&str, &Path, &str),
) -> Vec<(usize, Fields<'a>)> {
    let before = reader.found.len();
    let objects = reader.objects(fields, name, path);
    if objects.is_empty() && reader.found.len() == before {
        report(reader, rule, &path.key(name), format!("{of} has no {name}"));
    }
    objects
}

fn versions(reader: &mut Reader<'_>, fields: &Fields<'_>) {
    let (root, of) = (Path::root(), reader.subject.clone());
    let rule = &rules::CATALOG_LIFECYCLE_VERSION;
    let mut seen: HashMap<MinorVersion, usize> = HashMap::new();
    let list = root.key("versions");
    for (index, fields) in objects(reader, rule, fields, ("versions", &root, "the lifecycles document")) {
        let path = list.index(index);
        reader.known(&fields, &["name", "phases", "platformCompatibility"], &path);
        let at = path.key("name");
        let (name, is_missing) = reader.required_name(&fields, "name", &path);
        match name.parse::<MinorVersion>() {
            Ok(version) => {
                if let Some(first) = seen.get(&version) {
                    let message = format!("{of} list version {version} twice");
                    let found = Found::new(rule, message, reader.at(&at));
                    reader.report(found.also(reader.at(&list.index(*first).key("name")), "the first one"));
                }
                seen.entry(version).or_insert(index);
            }
            Err(expected) if is_missing || !name.is_empty() => {
                let message = format!("the name {name:?} of entry {index} of {of} is not a version: {expected}");
                report(reader, rule, &at, message);
            }
            Err(_) => {}
        }
        let of = format!("version {name:?} of {of}");
        phases(reader, &fields, &path, &of);
        platforms(reader, &fields, &path, &of);
    }
}

fn phases(reader: &mut Reader<'_>, fields: &Fields<'_>, path: &Path, of: &str) {
    let rule = &rules::CATALOG_LIFECYCLE_PHASE;
    let list = path.key("phases");
    let mut last: Option<(String, Date)> = None;
    for (index, fields) in objects(reader, rule, fields, ("phases", path, of)) {
        let path = list.index(index);
        reader.known(&fields, &["name", "startDate", "endDate"], &path);
        let (name, is_missing) = reader.required_name(&fields, "name", &path);
        let name = name.into_owned();
        if is_missing {
            let message = format!("phase {index} of {of} has no name");
            report(reader, rule, &path.key("name"), message);
        }
        let mut date = |key: &str| {
            let before = reader.found.len();
            let text = reader.text(&fields, key, &path);
            let read = text.parse::<Date>();
            if let Err(expected) = &read
                && reader.found.len() == before
            {
                let message = format!("{key} {text:?} of phase {name:?} of {of} is not a date: {expected}");
                report(reader, &rules::CATALOG_LIFECYCLE_DATE, &path.key(key), message);
            }
            read.ok()
        };
        let (start, end) = (date("startDate"), date("endDate"));
        if let (Some(start), Some(end)) = (start, end)
            && end <= start
        {
            let message = format!("phase {name:?} of {of} ends on {end}, which is not after its start on {start}");
            report(reader, &rules::CATALOG_LIFECYCLE_DATE, &path.key("endDate"), message);
        }
        if let (Some(start), Some((before, day))) = (start, last.take())
            && day.next() != Some(start)
        {
            let next = day.next().map_or_else(String::new, |next| format!(", not on {next}"));
            let message =
                format!("phase {name:?} of {of} begins on {start}{next}; the previous phase {before:?} ends on {day}");
            report(reader, rule, &path.key("startDate"), message);
        }
        last = end.map(|end| (name, end));
    }
}

fn platforms(reader: &mut Reader<'_>, fields: &Fields<'_>, path: &Path, of: &str) {
    let rule = &rules::CATALOG_LIFECYCLE_PLATFORM;
    let list = path.key("platformCompatibility");
    for (index, fields) in reader.objects(fields, "platformCompatibility", path) {
        let path = list.index(index);
        reader.known(&fields, &["name", "versions"], &path);
        let (name, is_missing) = reader.required_name(&fields, "name", &path);
        if is_missing || !name.is_empty() && name != OPENSHIFT {
            let message = format!("{of} specifies the platform {name:?}, which is not used by any program");
            let found = Found::new(rule, message, reader.at(&path.key("name")));
            reader.report(if name.is_empty() { found } else { found.warning() });
        }
        let before = reader.found.len();
        let versions = reader.list(&fields, "versions", &path);
        let at = path.key("versions");
        if versions.is_empty() && reader.found.len() == before {
            let message = format!("platform {name:?} of {of} has no versions");
            report(reader, rule, &at, message);
        }
        for (number, version) in versions.into_iter().enumerate() {
            let (at, before) = (at.index(number), reader.found.len());
            let text = reader.item(version, &at);
            if let Err(expected) = text.parse::<MinorVersion>()
                && reader.found.len() == before
            {
                let message = format!("{text:?} of platform {name:?} of {of} is not a version: {expected}");
                report(reader, rule, &at, message);
            }
        }
    }
}
