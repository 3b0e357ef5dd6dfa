//! The rules of one bundle.

use super::contents::Bundle;
use super::found::Found;
use super::object::{self, Objects};
use super::reader::{Fields, Reader};
use super::scratch::{Scratch, package_of};
use crate::catalog::Text;
use crate::catalog::file_based::Schema;
use crate::image::check_pullable;
use crate::olm::dependency::{DependencyKind, Spelling};
use crate::olm::property::{
    BUNDLE_OBJECT, CSV_METADATA, MAX_OPENSHIFT_VERSION, OPTIONAL_MANIFESTS, PACKAGE, PACKAGE_REQUIRED, texts,
};
use crate::olm::{openshift, optional_manifest};
use crate::rules;
use crate::text::Path;
use crate::version::{VersionRange, parse_strict};
use serde_json::Value;
use serde_json::value::RawValue;
use std::borrow::Cow;

/// The maximum length of a release, in characters.
const RELEASE: usize = 20;

pub(super) fn check(reader: &mut Reader<'_>, fields: &Fields<'_>, work: &mut Scratch) {
    let (id, root) = (reader.id, Path::root());
    let (name, lacks_name) = reader.required_name(fields, "name", &root);
    let (package, lacks_package) = package_of(reader, fields, Schema::Bundle, &name);
    if lacks_name {
        let message = format!("a bundle of package {package:?} has no name");
        reader.report(Found::new(&rules::CATALOG_BUNDLE_NAME, message, id.at("name")));
    }
    let before = reader.found.len();
    let image = reader.name(fields, "image", &root);
    let wrong_image = reader.found.len() > before;
    related_images(reader, fields);
    check_image(reader, &image, &root.key("image"));

    let mut seen = Properties {
        name: &name,
        package: &package,
        lacks_name,
        lacks_package,
        inline: image.is_empty(),
        ..Properties::default()
    };
    for (index, of_property) in reader.objects(fields, "properties", &root) {
        if let Some((kind, value)) = property(reader, &of_property, &root.key("properties").index(index)) {
            seen.add(reader, &kind, value, index, work);
        }
    }
    seen.finish(reader);
    if image.is_empty() && !wrong_image {
        if seen.objects.count == 0 {
            let message = format!("{} has neither an image nor manifests", reader.subject);
            reader.report(Found::new(&rules::CATALOG_BUNDLE_IMAGE, message, id.at("image")));
        }
        seen.objects.check_size(reader, &name, &work.limits);
    }
    let version = seen.version;
    let (name, package) = (work.texts.share(&name), work.texts.share(&package));
    work.contents.bundles.push(Bundle {
        id,
        package,
        name,
        version,
    });
}

fn check_image(reader: &mut Reader<'_>, image: &str, path: &Path) {
    if image.is_empty() {
        return;
    }
    if let Err(problem) = check_pullable(image) {
        let message = format!("{path} of {} {problem}", reader.subject);
        reader.report(Found::new(&rules::CATALOG_IMAGE_REFERENCE, message, reader.at(path)));
    }
}

fn related_images(reader: &mut Reader<'_>, fields: &Fields<'_>) {
    let root = Path::root();
    for (index, fields) in reader.objects(fields, "relatedImages", &root) {
        let path = root.key("relatedImages").index(index);
        reader.known(&fields, &["name", "image"], &path);
        reader.name(&fields, "name", &path);
        let image = reader.name(&fields, "image", &path);
        check_image(reader, &image, &path.key("image"));
    }
}

/// Returns the type and value of a property. If one of them is missing, reports that and returns `None`.
pub(super) fn property<'a>(
    reader: &mut Reader<'_>,
    fields: &Fields<'a>,
    path: &Path,
) -> Option<(Cow<'a, str>, &'a RawValue)> {
    reader.known(fields, &["type", "value"], path);
    let before = reader.found.len();
    let kind = reader.name(fields, "type", path);
    let value = fields.get("value");
    if let (false, Some(value)) = (kind.is_empty(), value) {
        return Some((kind, value));
    }
    if reader.found.len() == before {
        let lacks = if kind.is_empty() { "type" } else { "value" };
        let message = format!("{path} of {} has no {lacks}", reader.subject);
        reader.report(Found::new(&rules::CATALOG_PROPERTY, message, reader.at(path)));
    }
    None
}

/// The combined contents of a bundle's properties.
#[derive(Default)]
struct Properties<'a> {
    name: &'a str,
    package: &'a str,
    /// Whether the fields are missing, rather than of the wrong type.
    lacks_name: bool,
    lacks_package: bool,
    /// Whether the bundle has no image, so that its manifests are only in its properties.
    inline: bool,
    /// The position of the first property `olm.package`.
    identity: Option<usize>,
    version: Option<(usize, Text)>,
    csv_metadata: Option<usize>,
    /// The position of the first property `olm.maxOpenShiftVersion`.
    max_openshift: Option<usize>,
    objects: Objects,
}

impl Properties<'_> {
    fn add(&mut self, reader: &mut Reader<'_>, kind: &str, value: &RawValue, index: usize, work: &mut Scratch) {
        let path = Path::from("properties").index(index);
        let inside = path.key("value");
        if let Some(texts) = texts(kind) {
            let before = reader.found.len();
            let mut values = [const { Cow::Borrowed("") }; 3];
            if let Some(fields) = reader.object(value, &inside) {
                for (value, name) in values.iter_mut().zip(texts.iter()) {
                    *value = reader.name(&fields, name, &inside);
                }
            }
            let wrong = reader.found.iter_mut().skip(before);
            let sound = wrong.len() == 0;
            if kind != PACKAGE {
                wrong.for_each(Found::is_of_property);
            }
            let [first, second, third] = values;
            match kind {
                PACKAGE => self.identify(reader, [&first, &second, &third], sound, index, work),
                PACKAGE_REQUIRED if sound => require(reader, &second, &inside),
                _ => {}
            }
            if kind == PACKAGE_REQUIRED {
                intent(reader, value, &inside);
            }
            return;
        }
        match kind {
            BUNDLE_OBJECT => {
                if let Some(fields) = reader.object(value, &inside) {
                    let object = object::read(reader, &fields, &inside, self.inline, work);
                    // A manifest in another file is not served.
                    if fields.get("ref").is_none() || fields.get("data").is_some() {
                        self.objects.add(reader, object, self.name, &inside);
                    }
                }
            }
            OPTIONAL_MANIFESTS => {
                for (path, problem) in optional_manifest::problems(&parsed(value)) {
                    let message = format!("{problem}, in {}", reader.subject);
                    let at = reader.at(&inside.join(&path));
                    reader.report(Found::new(&rules::OPT_VALUE_SHAPE, message, at));
                }
            }
            MAX_OPENSHIFT_VERSION => {
                if let Some(problem) = openshift::max_version_problem(&parsed(value)) {
                    let message = format!("{MAX_OPENSHIFT_VERSION} of {} {problem}", reader.subject);
                    reader.report(Found::new(&rules::PROP_MAX_OPENSHIFT, message, reader.at(&inside)));
                }
                match self.max_openshift {
                    Some(first) => {
                        let message = format!("{} has a second property {MAX_OPENSHIFT_VERSION}", reader.subject);
                        let finding = Found::new(&rules::PROP_MAX_OPENSHIFT, message, reader.at(&path));
                        let first = reader.id.at(&format!("properties[{first}]"));
                        reader.report(
                            finding
                                .also(first, "the first one")
                                .help("Keep one of the two properties."),
                        );
                    }
                    None => self.max_openshift = Some(index),
                }
            }
            CSV_METADATA => {
                reader.object(value, &inside);
                match self.csv_metadata {
                    Some(first) => {
                        let message = format!("{} has a second property olm.csv.metadata", reader.subject);
                        let finding = Found::new(&rules::CATALOG_CSV_METADATA, message, reader.at(&path));
                        let first = reader.id.at(&format!("properties[{first}]"));
                        reader.report(finding.also(first, "the first one"));
                    }
                    None => self.csv_metadata = Some(index),
                }
            }
            _ => {}
        }
    }

    /// Checks the property that specifies the package and version of the bundle.
    fn identify(
        &mut self,
        reader: &mut Reader<'_>,
        [package, version, release]: [&str; 3],
        sound: bool,
        index: usize,
        work: &mut Scratch,
    ) {
        let path = Path::from("properties").index(index);
        if let Some(first) = self.identity {
            let message = format!("{} has a second property olm.package", reader.subject);
            let finding = Found::new(&rules::CATALOG_BUNDLE_IDENTITY, message, reader.at(&path));
            let first = reader.id.at(&format!("properties[{first}]"));
            reader.report(finding.also(first, "the first one"));
            return;
        }
        self.identity = Some(index);
        if !sound {
            return;
        }
        let value = path.key("value");
        let is_known = !self.package.is_empty() || self.lacks_package;
        if package != self.package && is_known {
            let message = format!(
                "{} names the package {package:?} in its property olm.package",
                reader.subject
            );
            let at = reader.at(&value.key("packageName"));
            let help = format!(
                "Set packageName to {}, or correct the package of the bundle.",
                self.package
            );
            reader.report(Found::new(&rules::CATALOG_BUNDLE_IDENTITY, message, at).help(help));
        }
        let parsed = match parse_strict(version) {
            Ok(parsed) => parsed,
            Err(_) if version.is_empty() => {
                let message = format!("{} has no version", reader.subject);
                let at = reader.at(&value.key("version"));
                reader.report(Found::new(&rules::CATALOG_VERSION_MISSING, message, at));
                return;
            }
            Err(problem) => {
                let message = format!(
                    "the version {version:?} of {} is not a semantic version: {problem}",
                    reader.subject
                );
                let at = reader.at(&value.key("version"));
                reader.report(Found::new(&rules::CATALOG_BUNDLE_VERSION, message, at));
                return;
            }
        };
        if release.is_empty() {
            self.version = Some((index, work.texts.share(version)));
            return;
        }
        let at = reader.at(&value.key("release"));
        if !is_release(release) {
            let message = format!(
                "the release {release:?} of {} must consist of identifiers of letters, digits and hyphens, separated by \
                 dots and with at most {RELEASE} characters in total",
                reader.subject
            );
            reader.report(Found::new(&rules::CATALOG_BUNDLE_RELEASE, message, at));
            return;
        }
        if !parsed.build.is_empty() {
            let message = format!(
                "the version {version:?} of {} has build metadata and a release",
                reader.subject
            );
            let help = "Remove either the build metadata (the + in the version and the text after it) or the release.";
            reader.report(Found::new(&rules::CATALOG_BUNDLE_RELEASE, message, at).help(help));
            return;
        }
        let expected = format!("{package}-v{version}-{release}");
        if self.name != expected && is_known && (!self.name.is_empty() || self.lacks_name) {
            let message = format!(
                "{} has the release {release:?}, but is not named {expected:?}",
                reader.subject
            );
            let at = reader.id.at("name");
            reader.report(Found::new(&rules::CATALOG_BUNDLE_RELEASE, message, at));
        }
        self.version = Some((index, work.texts.share(&format!("{version} release {release}"))));
    }

    fn finish(&self, reader: &mut Reader<'_>) {
        if self.identity.is_none() {
            let message = format!("{} has no property olm.package", reader.subject);
            let at = reader.id.at("properties");
            reader.report(Found::new(&rules::CATALOG_BUNDLE_IDENTITY, message, at));
        }
    }
}

fn parsed(value: &RawValue) -> Value {
    serde_json::from_str(value.get()).unwrap_or_default()
}

/// Reports an intent that cannot be read.
fn intent(reader: &mut Reader<'_>, value: &RawValue, inside: &Path) {
    let reading = DependencyKind::Package.read(&parsed(value), value.get().len(), Spelling::Property);
    for problem in reading.problems.iter().filter(|problem| problem.is_of_intent()) {
        let path = inside.join(&problem.path);
        let message = format!("{path} of {} {}", reader.subject, problem.what);
        reader.report(Found::new(&rules::DEP_INTENT_VALUE, message, reader.at(&path)));
    }
}

fn require(reader: &mut Reader<'_>, range: &str, value: &Path) {
    if let Err(error) = VersionRange::parse(range) {
        let message = format!(
            "{} requires a package version in {range:?}, which is not a range: {error}",
            reader.subject
        );
        let at = reader.at(&value.key("versionRange"));
        let help = "Use a range such as >=1.0.0 <2.0.0.";
        reader.report(Found::new(&rules::CATALOG_PROPERTY, message, at).help(help).warning());
    }
}

/// Returns whether the string is a valid release: not too long, and a sequence of dot-separated identifiers, like the
/// pre-release of a version.
fn is_release(text: &str) -> bool {
    let identifier = |part: &str| {
        let digits = part.bytes().all(|byte| byte.is_ascii_digit());
        let letters = part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        !part.is_empty() && letters && !(digits && part.len() > 1 && part.starts_with('0'))
    };
    text.len() <= RELEASE && text.split('.').all(identifier)
}
