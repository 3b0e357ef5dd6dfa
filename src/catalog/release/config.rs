//! The keys of `ci.yaml` and `release-config.yaml`.

use super::{Mapping, TemplateRelease};
use crate::catalog::file_based::template::Kind;
use crate::diagnostic::Diagnostic;
use crate::rules;
use crate::shape::Shape::{self, Boolean, Choice, List, Map, Object, Text};
use crate::shape::{self, Fault, Field, TEXTS, not_empty, optional, required};
use crate::text::{Document, Path};
use serde_json::Value;

/// The maximum number of findings per file.
const MOST: usize = 100;

const MAPPING: &[Field] = &[
    not_empty("template_name", Text, "Use the name of a file in catalog-templates."),
    not_empty("catalog_names", TEXTS, "List the catalogs, such as v4.20."),
    required(
        "type",
        Choice(&[Kind::Basic.schema(), Kind::Semver.schema()]),
        "Set the type to the schema of the template.",
    ),
];

const CATALOGS: &[Field] = &[
    optional("enabled", Boolean, "Whether file-based catalogs are enabled."),
    optional(
        "version_promotion_strategy",
        Choice(&["never", "always", "review-needed"]),
        "The action for a new version of OpenShift.",
    ),
    optional(
        "catalog_mapping",
        List(&Object(MAPPING)),
        "The templates with their catalogs.",
    ),
];

const OPERATOR: Shape = Map(
    &[
        optional(
            "updateGraph",
            Choice(&["replaces-mode", "semver-mode"]),
            "The update mode of the versions.",
        ),
        optional("reviewers", TEXTS, "The users who may approve changes."),
        optional("merge", Boolean, "Whether to merge changes automatically."),
        optional("cert_project_id", Text, "The certification project."),
        optional("fbc", Object(CATALOGS), "The file-based catalogs."),
    ],
    &Shape::Any,
);

const RELEASE: &[Field] = &[
    not_empty("template_name", Text, "Use the name of a file in catalog-templates."),
    not_empty("channels", TEXTS, "List the channels."),
    optional("defaultChannel", Text, "The default channel of a new template."),
    optional("replaces", Text, "The bundle that the version replaces."),
    optional("skips", TEXTS, "The bundles that the version skips."),
    optional("skipRange", Text, "The range of versions that the version skips."),
];

const RELEASES: Shape = Object(&[
    optional("merge", Boolean, "Whether to merge changes automatically."),
    not_empty(
        "catalog_templates",
        List(&Object(RELEASE)),
        "List the templates to which the version is added.",
    ),
]);

/// A file that is being read, with its faults.
struct Config<'d> {
    document: &'d Document,
    /// The name that messages use for the file.
    name: &'static str,
    findings: &'d mut Vec<Diagnostic>,
}

impl Config<'_> {
    fn check(&mut self, shape: &Shape) {
        for problem in shape::check(self.document.value(), shape, MOST) {
            let (rule, place) = match &problem.fault {
                Fault::UnknownKey { .. } => (&rules::RELEASE_KEY, self.document.key_place(&problem.path)),
                _ => (&rules::RELEASE_VALUE, self.document.place(&problem.path)),
            };
            let mut finding = Diagnostic::new(rule, problem.message(self.name)).at(place);
            finding.help = problem.help(finding.place.as_ref().map_or("", |place| place.text()));
            self.findings.push(finding);
        }
    }

    fn wrong(&mut self, path: &Path, message: String) {
        let place = self.document.place(path);
        self.findings
            .push(Diagnostic::new(&rules::RELEASE_VALUE, message).at(place));
    }

    /// Returns the strings of a list, and reports empty and repeated strings.
    fn texts(&mut self, of: &Value, path: &Path, key: &str) -> Vec<String> {
        let list = path.key(key);
        let mut texts: Vec<String> = Vec::new();
        let items = of.get(key).and_then(Value::as_array).into_iter().flatten();
        for (index, item) in items.enumerate() {
            let Some(text) = item.as_str() else { continue };
            if text.is_empty() {
                self.wrong(&list.index(index), format!("{} is empty", list.index(index)));
            } else if texts.iter().any(|known| known == text) {
                self.wrong(&list.index(index), format!("{list} contains {text:?} twice"));
            } else {
                texts.push(text.to_owned());
            }
        }
        texts
    }
}

/// Returns whether a name is a single path component.
fn is_file_name(name: &str) -> bool {
    !name.is_empty() && !matches!(name, "." | "..") && !name.contains(['/', '\\', '\0'])
}

fn text(of: &Value, key: &str) -> Option<String> {
    let text = of.get(key).and_then(Value::as_str);
    text.filter(|text| !text.is_empty()).map(str::to_owned)
}

/// Returns the templates that `ci.yaml` maps to catalogs, with their paths in the file.
pub(super) fn operator(document: &Document, findings: &mut Vec<Diagnostic>) -> Vec<(Path, Mapping)> {
    let mut config = Config {
        document,
        name: super::OPERATOR_FILE,
        findings,
    };
    config.check(&OPERATOR);
    let catalogs = document.value().get("fbc");
    let is_enabled = catalogs.and_then(|catalogs| catalogs.get("enabled")) == Some(&Value::Bool(true));
    let path = Path::from("fbc").key("catalog_mapping");
    let items = path.get(document.value()).and_then(Value::as_array);
    let items = items.map(Vec::as_slice).unwrap_or_default();
    if !is_enabled || items.is_empty() {
        let (at, message) = if is_enabled {
            (path, "fbc of ci.yaml maps no template to catalogs")
        } else {
            (Path::from("fbc").key("enabled"), "catalogs are not enabled in ci.yaml")
        };
        let place = document.place(&at);
        findings.push(Diagnostic::new(&rules::RELEASE_DISABLED, message).at(place));
        return Vec::new();
    }
    let mut mappings: Vec<(Path, Mapping)> = Vec::new();
    for (index, item) in items.iter().enumerate() {
        let at = path.index(index);
        let Some(template) = text(item, "template_name") else {
            continue;
        };
        let catalogs = config.texts(item, &at, "catalog_names");
        for (key, name) in [("template_name", &template)]
            .into_iter()
            .chain(catalogs.iter().map(|name| ("catalog_names", name)))
        {
            if !is_file_name(name) {
                config.wrong(
                    &at.key(key),
                    format!("{name:?} in {} is not a valid file or folder name", at.key(key)),
                );
            }
        }
        if mappings.iter().any(|(_, known)| known.template == template) {
            config.wrong(
                &at.key("template_name"),
                format!("the template {template:?} is mapped twice"),
            );
            continue;
        }
        let kind = text(item, "type").filter(|kind| *kind == Kind::Semver.schema());
        let mapping = Mapping {
            template,
            kind: kind.map_or(Kind::Basic, |_| Kind::Semver),
            catalogs,
        };
        mappings.push((at, mapping));
    }
    mappings
}

/// Returns the template changes that a `release-config.yaml` requests, with their paths in the file.
pub(super) fn release(document: &Document, findings: &mut Vec<Diagnostic>) -> Vec<(Path, TemplateRelease)> {
    let mut config = Config {
        document,
        name: super::RELEASE_FILE,
        findings,
    };
    config.check(&RELEASES);
    let path = Path::from("catalog_templates");
    let items = path.get(document.value()).and_then(Value::as_array);
    let mut releases: Vec<(Path, TemplateRelease)> = Vec::new();
    for (index, item) in items.into_iter().flatten().enumerate() {
        let at = path.index(index);
        let Some(template) = text(item, "template_name") else {
            continue;
        };
        if !is_file_name(&template) {
            config.wrong(
                &at.key("template_name"),
                format!("{template:?} is not a valid file name"),
            );
        }
        if releases.iter().any(|(_, known)| known.template == template) {
            config.wrong(
                &at.key("template_name"),
                format!("the template {template:?} is listed twice"),
            );
            continue;
        }
        let release = TemplateRelease {
            channels: config.texts(item, &at, "channels"),
            default_channel: text(item, "defaultChannel"),
            replaces: text(item, "replaces"),
            skips: config.texts(item, &at, "skips"),
            skip_range: text(item, "skipRange"),
            template,
        };
        if item.get("skips").and_then(Value::as_array).is_some_and(Vec::is_empty) {
            config.wrong(&at.key("skips"), format!("{} is empty", at.key("skips")));
        }
        if let Some(default) = &release.default_channel
            && !release.channels.contains(default)
        {
            let message = format!("the default channel {default:?} is not one of the channels");
            config.wrong(&at.key("defaultChannel"), message);
        }
        releases.push((at, release));
    }
    releases
}
