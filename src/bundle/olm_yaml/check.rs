//! Checks of `metadata/olm.yaml`.

use super::fields::ANNOTATIONS;
use super::{Olm, REQUIRED_HELP, SHAPE};
use crate::bundle::OLM_YAML;
use crate::diagnostic::{Diagnostic, Edit};
use crate::olm::annotation::SKIP_RANGE;
use crate::olm::install_mode::INSTALL_MODES;
use crate::rules;
use crate::shape::{self, Fault, Fix, Problem, Shape, nearest};
use crate::source::Place;
use crate::text::{Format, Path, Step, source_edit};
use crate::version::{VersionRange, is_name_of_higher, parse_tolerant, strict_part, with_all_numbers};
use serde_json::{Map, Value};

/// Checks the keys, the types and the syntax of the values. `reading` contains the findings from reading the file, so
/// that duplicate keys are not reported again.
pub fn check(olm: Olm<'_>, reading: &[Diagnostic]) -> Vec<Diagnostic> {
    let mut checker = Checker {
        olm,
        findings: Vec::new(),
        misindented: Vec::new(),
    };
    let value = olm.document().value();
    if let Value::Object(map) = value {
        checker.find_misindentation(map, reading);
    }
    for problem in shape::check(value, &SHAPE, usize::MAX) {
        checker.findings.extend(checker.finding(&problem));
    }
    if checker.misindented.is_empty() {
        checker.relations();
    }
    checker.findings
}

/// Returns the annotation that a key at the top level stands for: the annotation itself, or its last part.
fn annotation_meant(path: &Path) -> Option<&'static str> {
    let [Step::Key(written)] = path.steps() else {
        return None;
    };
    let mut known = ANNOTATIONS.iter().map(|field| field.key);
    known.find(|key| *key == &**written || key.ends_with(&format!(".{written}")))
}

struct Checker<'a> {
    olm: Olm<'a>,
    findings: Vec<Diagnostic>,
    /// The top-level keys that belong in a block above them, and the names of the blocks that lack these keys.
    misindented: Vec<&'static str>,
}

impl Checker<'_> {
    fn report(&mut self, rule: &'static rules::Rule, message: impl Into<String>, path: &Path) {
        let finding = Diagnostic::new(rule, message).at(self.olm.place(path));
        self.findings.push(finding);
    }

    /// Returns the finding for a problem, or `None` if the problem results from wrong indentation, which is reported
    /// separately.
    fn finding(&self, problem: &Problem) -> Option<Diagnostic> {
        let document = self.olm.document();
        let path = &problem.path;
        let place = self.olm.place(path);
        let help = problem.help(place.text());
        let finding = |rule| Diagnostic {
            help: help.clone(),
            ..Diagnostic::new(rule, problem.message(OLM_YAML)).at(place.clone())
        };
        Some(match &problem.fault {
            Fault::UnknownKey { nearest, .. } => {
                let top = |key: &str| *path == Path::root().key(key);
                if self.misindented.iter().any(|key| top(key)) {
                    return None;
                }
                let finding = finding(&rules::OLM_UNKNOWN_KEY).at(document.key_place(path));
                if let Some(annotation) = annotation_meant(path) {
                    finding.help(format!(
                        "Set the value as an annotation: annotations: {{{annotation}: …}}."
                    ))
                } else {
                    finding.fixed_by(nearest.and_then(|key| source_edit::recapitalize(document, path, key)))
                }
            }
            Fault::Missing { field, is_written } => {
                let finding = finding(&rules::OLM_REQUIRED).at(match (is_written, path.is_root()) {
                    (true, _) => self.olm.place(&path.key(field.key)),
                    (false, true) => Place::new(document.source(), 0..0),
                    (false, false) => place.clone(),
                });
                if path.is_root() {
                    finding.help(REQUIRED_HELP)
                } else {
                    finding
                }
            }
            Fault::Type { shape, fix, .. } => {
                let finding = finding(&rules::OLM_TYPE);
                let written = place.text();
                let is_range = path.steps().last() == Some(&Step::from(SKIP_RANGE));
                match shape {
                    // Quotes would not make this range valid.
                    _ if is_range && *fix == Some(Fix::Quote) && VersionRange::parse(written).is_err() => {
                        let complete = with_all_numbers(written);
                        Diagnostic {
                            help: complete.map(|complete| format!("Use all three numbers: {complete}.")),
                            ..finding
                        }
                    }
                    // Quotes would not make this value valid.
                    Shape::Syntax(syntax) if *fix == Some(Fix::Quote) && (syntax.fault)(written).is_some() => {
                        let is_version = syntax.rule == &rules::OLM_VERSION;
                        match with_all_numbers(written).filter(|_| is_version) {
                            Some(complete) => finding.help(format!("Use all three numbers: {complete}.")),
                            None => finding,
                        }
                    }
                    Shape::Object(fields) => {
                        let keys: Vec<&str> = fields.iter().map(|field| field.key).collect();
                        finding.help(format!("Use a map with the keys {}.", keys.join(", ")))
                    }
                    _ => finding.fixed_by(problem.edit(document, &Path::root())),
                }
            }
            Fault::Choice { choices, .. } if **choices == INSTALL_MODES => finding(&rules::INSTALLMODES_UNKNOWN),
            Fault::Choice { choices, .. } => {
                let meant = nearest(place.text(), choices.iter().copied());
                let finding = finding(&rules::OLM_TYPE);
                match meant {
                    Some(meant) => finding.help(format!("Did you mean {meant}?")),
                    None => finding,
                }
            }
            // A name that is at the left margin by mistake is not the name of a version.
            Fault::Syntax { .. } if !self.misindented.is_empty() => return None,
            Fault::Syntax { text, syntax, .. } => {
                let version = strict_part(text).filter(|_| syntax.rule == &rules::OLM_VERSION);
                let edit = version.and_then(|version| source_edit::rewrite(document, path, version));
                finding(syntax.rule).fixed_by(edit)
            }
        })
    }

    /// Finds keys at the left margin that belong to a block above, as in the example in the proposal. Reports each key
    /// once, with the intended indentation.
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
                let message = format!("{key} is at the left margin, but belongs to the last entry of {block}");
                let path = Path::root().key(key);
                let finding = Diagnostic::new(&rules::OLM_MISINDENTED, message)
                    .at(document.key_place(&path))
                    .help(format!("Indent the key:\n{shape}"))
                    .fixed_by(self.indented(block, key));
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
                    "name is at the left margin, but belongs to provider",
                );
                let help = "Indent the key:\nprovider:\n  name: …";
                let edit = self.after(start("provider"), place.span.start, "  ");
                self.findings.push(finding.at(place.clone()).help(help).fixed_by(edit));
                self.misindented.extend(["name", "provider"]);
            }
        }
    }

    /// Returns an edit that aligns a key directly below the last item of a list with the keys of that item.
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

    /// Returns an edit that indents the text at `start`, if this text begins a line and no other key separates it from
    /// `above`.
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

    /// Checks the relations between values.
    fn relations(&mut self) {
        let olm = self.olm;
        let replaces = olm.text(&["replaces"]).filter(|replaces| !replaces.is_empty());
        if replaces.is_some() && replaces == olm.text(&["name"]) {
            let message = "this version replaces itself";
            self.report(&rules::CSV_REPLACES_ITSELF, message, &Path::root().key("replaces"));
        }
        for (index, skipped) in olm.list(&["skips"]).iter().enumerate() {
            let skipped = skipped.as_str().filter(|skipped| !skipped.is_empty());
            if skipped.is_some() && skipped == olm.text(&["name"]) {
                let path = Path::root().key("skips").index(index);
                self.report(&rules::CSV_SKIPS_ITSELF, "this version skips itself", &path);
            }
        }
        if let Some(version) = replaces.filter(|replaces| parse_tolerant(replaces).is_some()) {
            let message = format!("replaces is {version}, which is a version and not the name of a bundle");
            self.report(&rules::CSV_REPLACES_VERSION, message, &Path::root().key("replaces"));
        }
        if let (Some(replaces), Some(version)) = (replaces, olm.text(&["version"]))
            && is_name_of_higher(replaces, version)
        {
            let message = format!("version {version} replaces {replaces}, which has a higher version");
            self.report(&rules::CSV_REPLACES_HIGHER, message, &Path::root().key("replaces"));
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
                self.report(&rules::INSTALLMODES_DUPLICATE, format!("{kind} appears twice"), &path);
            }
            seen.push(kind);
        }
        let known = |mode: &Value| {
            let kind = mode.get("type").and_then(Value::as_str);
            kind.is_none_or(|kind| INSTALL_MODES.contains(&kind))
        };
        let supported = |mode: &Value| known(mode) && mode.get("supported") == Some(&Value::Bool(true));
        // A value that is not a boolean is reported by itself.
        let is_clear = |mode: &Value| mode.get("supported").is_none_or(Value::is_boolean);
        if !modes.is_empty() && modes.iter().all(is_clear) && !modes.iter().any(supported) {
            let message = "no install mode is supported";
            self.report(&rules::INSTALLMODES_NONE_SUPPORTED, message, &root);
        }
    }
}
