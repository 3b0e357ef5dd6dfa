//! Checks an operator's files against each other.

use super::template::{entries, list_of};
use super::{Mapping, OperatorFiles, Released, TemplateRelease, config, openshift};
use crate::catalog::file_based::template::Kind;
use crate::catalog::file_based::{Schema, WrittenEntry};
use crate::diagnostic::{self, Diagnostic};
use crate::rules::{self, Rule, Severity};
use crate::shape::nearest;
use crate::text::{Document, Path};
use crate::version::VersionRange;
use serde_json::Value;
use std::collections::BTreeSet;

/// Returns the contents of all files together, with the faults. `bundle` is the name of the released bundle, if it is
/// known.
pub(super) fn released(files: &OperatorFiles, bundle: Option<&str>) -> Released {
    let mut released = Released::default();
    let Some(operator) = &files.operator else {
        return released;
    };
    let mappings = config::operator(operator, &mut released.findings);
    catalogs(operator, &mappings, &mut released.findings);
    for (path, mapping) in &mappings {
        if let Some(template) = files.templates.get(&mapping.template) {
            kind(operator, path, mapping, template, &mut released.findings);
        }
    }
    for document in &files.releases {
        for (path, release) in config::release(document, &mut released.findings) {
            let mapping = mappings
                .iter()
                .find(|(_, mapping)| mapping.template == release.template);
            let mut check = Check {
                document,
                path,
                bundle,
                findings: &mut released.findings,
            };
            match mapping {
                Some((_, mapping)) => check.release(&release, mapping.kind, files.templates.get(&release.template)),
                None if !mappings.is_empty() => check.unmapped(&release, &mappings),
                None => {}
            }
            released.templates.push(release);
        }
    }
    diagnostic::sort(&mut released.findings);
    released.mappings = mappings.into_iter().map(|(_, mapping)| mapping).collect();
    released
}

fn catalogs(document: &Document, mappings: &[(Path, Mapping)], findings: &mut Vec<Diagnostic>) {
    let all = || {
        mappings
            .iter()
            .flat_map(|(path, mapping)| mapping.catalogs.iter().map(move |name| (path, name)))
    };
    for (place, (path, name)) in all().enumerate() {
        let list = path.key("catalog_names");
        let names = list.get(document.value()).and_then(Value::as_array);
        let index = names.and_then(|names| names.iter().position(|known| known == name.as_str()));
        let at = document.place(&list.index(index.unwrap_or_default()));
        if all().take(place).any(|(_, before)| before == name) {
            let message = format!("the catalog {name:?} is rendered from two templates");
            findings.push(Diagnostic::new(&rules::RELEASE_CATALOG_TWICE, message).at(at));
        } else if openshift(name).is_none() {
            let message = format!(
                "the name of the catalog {name:?} contains no OpenShift version, so bundles keep their \
                         manifests"
            );
            findings.push(Diagnostic::new(&rules::RELEASE_CATALOG_VERSION, message).at(at));
        }
    }
}

fn kind(document: &Document, path: &Path, mapping: &Mapping, template: &Document, findings: &mut Vec<Diagnostic>) {
    let schema = super::template::schema(template.value()).unwrap_or_default();
    if schema == mapping.kind.schema() {
        return;
    }
    let message = format!(
        "ci.yaml specifies that {} has the type {}, but its schema is {schema:?}",
        mapping.template,
        mapping.kind.schema()
    );
    let finding = Diagnostic::new(&rules::RELEASE_TEMPLATE_TYPE, message).at(document.place(&path.key("type")));
    findings.push(finding);
}

struct Check<'d> {
    document: &'d Document,
    path: Path,
    bundle: Option<&'d str>,
    findings: &'d mut Vec<Diagnostic>,
}

impl Check<'_> {
    fn report(&mut self, rule: &'static Rule, path: &Path, message: String) -> Option<&mut Diagnostic> {
        let place = self.document.place(path);
        self.findings.push(Diagnostic::new(rule, message).at(place));
        self.findings.last_mut()
    }

    fn unmapped(&mut self, release: &TemplateRelease, mappings: &[(Path, Mapping)]) {
        let names = mappings.iter().map(|(_, mapping)| mapping.template.as_str());
        let meant = nearest(&release.template, names).map(str::to_owned);
        let message = format!("ci.yaml maps the template {:?} to no catalog", release.template);
        let path = self.path.key("template_name");
        let finding = self.report(&rules::RELEASE_TEMPLATE_UNMAPPED, &path, message);
        if let (Some(finding), Some(meant)) = (finding, meant) {
            finding.help = Some(format!("Did you mean {meant:?}? {}", finding.rule.help));
        }
    }

    fn release(&mut self, release: &TemplateRelease, kind: Kind, template: Option<&Document>) {
        if let Some(range) = &release.skip_range
            && let Err(error) = VersionRange::parse(range)
        {
            let path = self.path.key("skipRange");
            self.report(
                &rules::RELEASE_VALUE,
                &path,
                format!("skipRange {range:?} is not a range: {error}"),
            );
        }
        if kind == Kind::Semver {
            self.semver(release);
            return;
        }
        for channel in &release.channels {
            self.edges(release, channel, template);
        }
        self.default_channel(release, template);
    }

    fn semver(&mut self, release: &TemplateRelease) {
        for (index, channel) in release.channels.iter().enumerate() {
            if list_of(channel).is_none() {
                let message = format!("{} does not have a list {channel:?}", release.template);
                let path = self.path.key("channels").index(index);
                self.report(&rules::RELEASE_CHANNEL, &path, message);
            }
        }
        for key in ["defaultChannel", "replaces", "skips", "skipRange"] {
            let path = self.path.key(key);
            if path.get(self.document.value()).is_some_and(|value| !value.is_null()) {
                let message = format!(
                    "{key} has no effect for {}, which is a semver template",
                    release.template
                );
                self.report(&rules::RELEASE_UNUSED, &path, message);
            }
        }
    }

    /// Checks that the bundle to replace is in the channel.
    fn edges(&mut self, release: &TemplateRelease, channel: &str, template: Option<&Document>) {
        let Some(replaces) = &release.replaces else { return };
        let listed = template
            .map(|template| entries(template.value(), channel))
            .unwrap_or_default();
        // If the name of the bundle is unknown, an existing entry with the same edge might be its own.
        let is_own = |entry: &WrittenEntry| match self.bundle {
            Some(bundle) => entry.name == bundle,
            None => entry.replaces == *replaces,
        };
        let (own, others): (Vec<WrittenEntry>, Vec<WrittenEntry>) = listed.into_iter().partition(is_own);
        if others.iter().any(|entry| entry.name == *replaces) {
            return;
        }
        let (of, path) = (&release.template, self.path.key("replaces"));
        let message = if own.is_empty() && others.is_empty() {
            format!("channel {channel:?} of {of} is new and does not contain {replaces:?}, which the version replaces")
        } else {
            format!("channel {channel:?} of {of} does not contain {replaces:?}, which the version replaces")
        };
        let meant = nearest(replaces, others.iter().map(|entry| entry.name.as_str())).map(str::to_owned);
        let Some(finding) = self.report(&rules::RELEASE_EDGE, &path, message) else {
            return;
        };
        let skips = release.skips.iter().chain(others.iter().flat_map(|entry| &entry.skips));
        let skips: BTreeSet<&String> = skips.collect();
        // The chain of a channel may end with a bundle that is not in the channel, unless others are left beside it.
        if !own.is_empty() || others.iter().all(|entry| skips.contains(&entry.name)) {
            finding.severity = Severity::Warning;
        } else if let Some(meant) = meant {
            finding.help = Some(format!("Did you mean {meant:?}? {}", finding.rule.help));
        }
    }

    fn default_channel(&mut self, release: &TemplateRelease, template: Option<&Document>) {
        let (Some(wanted), Some(template)) = (&release.default_channel, template) else {
            return;
        };
        let items = template
            .value()
            .get("entries")
            .and_then(Value::as_array)
            .into_iter()
            .flatten();
        let mut packages = items.filter(|item| item["schema"] == Schema::Package.name());
        let current = packages.find_map(|package| package["defaultChannel"].as_str());
        if let Some(current) = current.filter(|current| current != wanted) {
            let message = format!(
                "the default channel of {} remains {current:?}, because the template already exists",
                release.template
            );
            let path = self.path.key("defaultChannel");
            self.report(&rules::RELEASE_DEFAULT_CHANNEL, &path, message);
        }
    }
}
