use super::schema::RELEASE_LENGTH;
use super::{FIELDS, Field, Olm, REQUIRED_HELP, Shape};
use crate::diagnostic::{Diagnostic, Edit};
use crate::kubernetes::names;
use crate::nearest::nearest;
use crate::rules;
use crate::source::Place;
use crate::text::{Format, Path, Step, kind_of, mend};
use crate::version::{parse_strict, strict_part};
use serde_json::{Map, Value};

/// Checks keys, types and the values that have a syntax of their own. `reading` are the findings of reading the file:
/// keys that stand twice are not judged again.
pub fn check(olm: Olm<'_>, reading: &[Diagnostic]) -> Vec<Diagnostic> {
    let mut checker = Checker {
        olm,
        findings: Vec::new(),
        misindented: Vec::new(),
    };
    match olm.document().value() {
        Value::Object(map) => {
            checker.find_misindentation(map, reading);
            checker.map(&Path::root(), map, FIELDS);
            if checker.misindented.is_empty() {
                checker.relations();
            }
        }
        other => {
            let message = format!("metadata/olm.yaml is {}, not a map", kind_of(other));
            checker.report(&rules::OLM_TYPE, message, &Path::root());
        }
    }
    checker.findings
}

struct Checker<'a> {
    olm: Olm<'a>,
    findings: Vec<Diagnostic>,
    /// Top-level keys that belong into the block above them, and the blocks that lack them for that reason.
    misindented: Vec<&'static str>,
}

impl Checker<'_> {
    fn report(&mut self, rule: &'static rules::Rule, message: impl Into<String>, path: &Path) -> &mut Diagnostic {
        let finding = Diagnostic::new(rule, message).at(self.olm.place(path));
        self.findings.push(finding);
        let last = self.findings.len() - 1;
        &mut self.findings[last]
    }

    fn map(&mut self, path: &Path, map: &Map<String, Value>, fields: &[Field]) {
        for (key, value) in map {
            match fields.iter().find(|field| field.key == key) {
                Some(_) if value.is_null() => {}
                Some(field) => self.value(&path.key(key), value, field),
                None => self.unknown_key(path, key, fields),
            }
        }
        for field in fields.iter().filter(|field| field.required) {
            let value = map.get(field.key);
            let empty = match value {
                None | Some(Value::Null) => true,
                // Only the file's own required keys may not be empty: a group or a name can be "" elsewhere.
                Some(Value::String(text)) => path.is_root() && text.is_empty(),
                Some(Value::Array(list)) => list.is_empty(),
                Some(_) => false,
            };
            if empty {
                let message = if path.is_root() {
                    format!("metadata/olm.yaml has no {}", field.key)
                } else {
                    format!("{path} has no {}", field.key)
                };
                let help = if path.is_root() { REQUIRED_HELP } else { field.about };
                let place = if value.is_some() {
                    path.key(field.key)
                } else {
                    path.clone()
                };
                let finding = Diagnostic::new(&rules::OLM_REQUIRED, message).help(help);
                let finding = if value.is_some() || !path.is_root() {
                    finding.at(self.olm.place(&place))
                } else {
                    finding.at(crate::source::Place::new(self.olm.document().source(), 0..0))
                };
                self.findings.push(finding);
            }
        }
    }

    fn value(&mut self, path: &Path, value: &Value, field: &Field) {
        match (field.shape, value) {
            (Shape::Any, _) | (Shape::Text | Shape::Icon(_), Value::String(_)) | (Shape::Boolean, Value::Bool(_)) => {}
            (Shape::Name | Shape::Version | Shape::Release | Shape::Choice(..), Value::String(text)) => {
                // A name that stands at the left margin by mistake is no name of a version.
                if self.misindented.is_empty() {
                    self.syntax(path, text, field);
                }
            }
            (Shape::Map(fields) | Shape::Icon(fields), Value::Object(map)) => self.map(path, map, fields),
            (Shape::List(fields), Value::Array(items)) => {
                for (index, item) in items.iter().enumerate() {
                    let path = path.index(index);
                    match item {
                        Value::Object(map) => self.map(&path, map, fields),
                        other => self.wrong_type(&path, "a map", other),
                    }
                }
            }
            (Shape::TextList, Value::Array(items)) => {
                for (index, item) in items.iter().enumerate() {
                    self.text(&path.index(index), item);
                }
            }
            (Shape::TextMap, Value::Object(map)) => {
                for (key, item) in map {
                    self.text(&path.key(key), item);
                }
            }
            (Shape::AnnotationMap(_), Value::Object(map)) => {
                for (key, item) in map {
                    if !item.is_object() && !item.is_array() {
                        self.text(&path.key(key), item);
                    }
                }
            }
            (Shape::Icon(fields), Value::Array(items)) => {
                for (index, item) in items.iter().enumerate() {
                    match item {
                        Value::Object(map) => self.map(&path.index(index), map, fields),
                        other => self.wrong_type(&path.index(index), "a map with base64data and mediatype", other),
                    }
                }
            }
            (Shape::Text | Shape::Name | Shape::Version | Shape::Release | Shape::Choice(..), other) => {
                self.text(path, other);
            }
            (Shape::Boolean, other) => self.wrong_type(path, "true or false", other),
            (Shape::Map(_) | Shape::TextMap | Shape::AnnotationMap(_), other) => self.wrong_type(path, "a map", other),
            (Shape::List(_) | Shape::TextList, other) => self.wrong_type(path, "a list", other),
            (Shape::Icon(_), other) => {
                self.wrong_type(path, "the path of a file, base64 text or a list of images", other);
            }
        }
    }

    fn text(&mut self, path: &Path, value: &Value) {
        if !value.is_string() {
            self.wrong_type(path, "a text", value);
        }
    }

    fn wrong_type(&mut self, path: &Path, wanted: &str, value: &Value) {
        let place = self.olm.place(path);
        let is_version = ["version", "minKubeVersion"]
            .iter()
            .any(|key| *path == Path::root().key(key));
        let help = match value {
            Value::Number(_) if is_version && place.text().split('.').count() < 3 => {
                let zeros = if place.text().contains('.') { ".0" } else { ".0.0" };
                Some(format!("Write all three numbers: {}{zeros}.", place.text()))
            }
            Value::Number(_) | Value::Bool(_) if wanted == "a text" => Some(format!("Quote it: \"{}\".", place.text())),
            Value::String(_) if wanted == "a list" => Some(format!("Write a list: [{}].", place.text().trim())),
            _ => None,
        };
        let document = self.olm.document();
        let edit = match value {
            // A version in quotes still lacks a number.
            Value::Number(_) | Value::Bool(_) if wanted == "a text" && !is_version => mend::quote(document, path),
            Value::String(_) if wanted == "a list" && is_text_list(path) => mend::enlist(document, path),
            Value::Array(_) if wanted == "a text" => mend::delist(document, path),
            _ => None,
        };
        let finding = self.report(
            &rules::OLM_TYPE,
            format!("{path} must be {wanted}, not {}", kind_of(value)),
            path,
        );
        finding.edits.extend(edit);
        if help.is_some() {
            finding.help = help;
        }
    }

    fn unknown_key(&mut self, path: &Path, key: &str, fields: &[Field]) {
        if path.is_root() && self.misindented.contains(&key) {
            return;
        }
        let nearest = nearest(key, fields.iter().map(|field| field.key));
        let help = match (key, nearest) {
            ("skipRange", _) if path.is_root() => {
                "The range is an annotation: annotations: {olm.skipRange: …}.".to_owned()
            }
            (_, Some(known)) => format!("Did you mean {known}?"),
            _ => format!(
                "Known keys are {}.",
                fields.iter().map(|field| field.key).collect::<Vec<_>>().join(", ")
            ),
        };
        let full = path.key(key);
        let finding = Diagnostic::new(
            &rules::OLM_UNKNOWN_KEY,
            format!("{full} is not a key of metadata/olm.yaml"),
        );
        self.findings
            .push(finding.at(self.olm.document().key_place(&full)).help(help));
    }

    /// Finds the children of a block that stand at the left margin, as in the proposal's own example:
    /// each is said once, with the shape that was meant.
    fn find_misindentation(&mut self, map: &Map<String, Value>, reading: &[Diagnostic]) {
        let lacks = |list: &str, key: &str| {
            let items = map.get(list).and_then(Value::as_array);
            items
                .and_then(|items| items.last())
                .is_some_and(|item| item.get(key).is_none())
        };
        let document = self.olm.document();
        let start = |key: &str| document.key_place(&Path::root().key(key)).span.start;
        for (block, key, shape) in [
            ("maintainers", "email", "maintainers:\n- name: …\n  email: …"),
            ("links", "url", "links:\n- name: …\n  url: …"),
        ] {
            let follows = map.contains_key(key) && map.contains_key(block) && start(block) < start(key);
            if follows && lacks(block, key) {
                let message = format!("{key} stands at the left margin, but belongs into the last entry of {block}");
                let path = Path::root().key(key);
                let finding = Diagnostic::new(&rules::OLM_MISINDENTED, message)
                    .at(document.key_place(&path))
                    .help(format!("Indent it:\n{shape}"))
                    .mended_by(self.indented(block, key));
                self.findings.push(finding);
                self.misindented.extend([key, block]);
            }
        }
        let twice = reading
            .iter()
            .filter(|finding| finding.rule == &rules::YAML_DUPLICATE_KEY)
            .filter_map(|finding| finding.place.as_ref());
        for place in twice {
            let after_provider = map.get("provider").is_some_and(Value::is_null)
                && start("provider") < place.span.start
                && !map
                    .keys()
                    .any(|key| (start("provider") + 1..place.span.start).contains(&start(key)));
            if after_provider {
                let finding = Diagnostic::new(
                    &rules::OLM_MISINDENTED,
                    "name stands at the left margin, but belongs into provider",
                );
                let help = "Indent it:\nprovider:\n  name: …";
                let edit = self.after(start("provider"), place.span.start, "  ");
                self.findings.push(finding.at(place.clone()).help(help).mended_by(edit));
                self.misindented.extend(["name", "provider"]);
            }
        }
    }

    /// Puts a key that stands straight below the last item of a list where the keys of that item begin.
    fn indented(&self, block: &str, key: &str) -> Option<Edit> {
        let document = self.olm.document();
        let list = Path::root().key(block);
        let items = list.get(document.value())?.as_array()?;
        let last = list.index(items.len().checked_sub(1)?);
        let first = last.get(document.value())?.as_object()?.keys().next()?;
        let column = document.key_place(&last.key(first)).start().column;
        let above = document.key_place(&last).span.start;
        let start = document.key_place(&Path::root().key(key)).span.start;
        self.after(above, start, &" ".repeat(column.checked_sub(1)?))
    }

    /// Blanks before what begins at `start`, if it is a line of its own that no other key separates from `above`.
    fn after(&self, above: usize, start: usize, indentation: &str) -> Option<Edit> {
        let document = self.olm.document();
        let text = document.source().text();
        let between = text.get(above..start)?;
        let mut lines = between.split('\n').skip(1);
        let inside = |line: &str| line.is_empty() || line.starts_with([' ', '-', '#', '\r']);
        let block = between.ends_with('\n') && lines.all(inside) && !between.contains(['{', '[']);
        (block && document.format() == Format::Yaml).then(|| Edit {
            place: Place::new(document.source(), start..start),
            replacement: indentation.to_owned(),
        })
    }

    /// A text with a syntax of its own. An empty one is absent.
    fn syntax(&mut self, path: &Path, text: &str, field: &Field) {
        match field.shape {
            Shape::Name if !text.is_empty() && !names::is_csv_name(text) => {
                let message = format!("{path} is {text:?}, which cannot name a ClusterServiceVersion");
                let help =
                    "Use at most 63 lower-case letters, digits, dots and dashes, with a letter or digit at both ends.";
                self.report(&rules::CSV_NAME_FORMAT, message, path).help = Some(help.to_owned());
            }
            Shape::Version if !text.is_empty() => {
                if let Err(reason) = parse_strict(text) {
                    let message = format!("{path} {text:?} is not a semantic version: {reason}");
                    let edit = strict_part(text).and_then(|bare| mend::rewrite(self.olm.document(), path, bare));
                    self.report(&rules::OLM_VERSION, message, path).edits.extend(edit);
                }
            }
            Shape::Release if !text.is_empty() => {
                if text.len() > RELEASE_LENGTH {
                    let message = format!("{path} {text:?} is longer than {RELEASE_LENGTH} characters");
                    self.report(&rules::OLM_RELEASE, message, path);
                } else if let Err(error) = semver::Prerelease::new(text) {
                    let message = format!("{path} {text:?} is no release: {error}");
                    self.report(&rules::OLM_RELEASE, message, path);
                }
            }
            Shape::Choice(of, rule) if !of.contains(&text) => {
                let choices = match of.split_last() {
                    Some((last, first)) if !first.is_empty() => format!("{} or {last}", first.join(", ")),
                    _ => of.concat(),
                };
                self.report(rule, format!("{path} is {text:?}; it must be {choices}"), path);
            }
            _ => {}
        }
    }

    /// What no single value shows.
    fn relations(&mut self) {
        let olm = self.olm;
        let replaces = olm.text(&["replaces"]).filter(|replaces| !replaces.is_empty());
        if replaces.is_some() && replaces == olm.text(&["name"]) {
            let message = "replaces names this version itself";
            self.report(&rules::CSV_REPLACES_ITSELF, message, &Path::root().key("replaces"));
        }
        let modes = olm.list(&["installModes"]);
        let root = Path::root().key("installModes");
        let mut seen = Vec::new();
        for (index, mode) in modes.iter().enumerate() {
            let Some(kind) = mode.get("type").and_then(Value::as_str) else {
                continue;
            };
            if seen.contains(&kind) {
                let path = root.index(index).key("type");
                self.report(&rules::INSTALLMODES_DUPLICATE, format!("{kind} stands twice"), &path);
            }
            seen.push(kind);
        }
        let supported = |mode: &Value| mode.get("supported") == Some(&Value::Bool(true));
        if !modes.is_empty() && !modes.iter().any(supported) {
            let message = "no install mode is supported";
            self.report(&rules::INSTALLMODES_NONE_SUPPORTED, message, &root);
        }
    }
}

/// Whether a list of texts belongs here, and not one of maps.
fn is_text_list(path: &Path) -> bool {
    let field = path.steps().iter().try_fold(None::<&Field>, |above, step| match step {
        Step::Key(key) => {
            let fields = match above.map(|field| field.shape) {
                None => FIELDS,
                Some(Shape::Map(fields) | Shape::List(fields) | Shape::Icon(fields)) => fields,
                Some(_) => return None,
            };
            fields.iter().find(|field| field.key == key).map(Some)
        }
        Step::Index(_) => Some(above),
    });
    matches!(field.flatten().map(|field| field.shape), Some(Shape::TextList))
}
