//! Substitutes templates: a whole catalog, and bundles that substitute for others in it.
//!
//! In every channel, a substitute takes over the edges of the bundle that it substitutes for, and skips that bundle.
//! Bundles that replaced or skipped the substituted bundle replace or skip the substitute instead.

use super::error::{TemplateError, TemplateProblem};
use super::input::Input;
use super::{Content, Image, Template, TemplateDocument, load};
use crate::catalog::file_based::load::{At, heads};
use crate::catalog::file_based::{Blob, Bundle, Identity, Schema};
use crate::text::Path;
use crate::version::parse_strict;
use semver::Version;
use serde_json::value::to_raw_value;
use serde_json::{Value, json};
use std::cmp::Ordering;

/// A substitutes template.
#[derive(Debug)]
pub(super) struct Substitutes {
    at: At,
    documents: Vec<TemplateDocument>,
    /// For each image, the name of the bundle for which the image's bundle substitutes.
    bases: Vec<String>,
}

pub(super) fn read(input: &Input) -> Result<Template, TemplateError> {
    let [_, entries, substitutions] = input.fields(&Path::root(), ["schema", "entries", "substitutions"])?;
    let at = input.at(0, entries.as_ref().unwrap_or(&Path::root()));
    let mut documents = Vec::new();
    for path in entries.map_or(Ok(Vec::new()), |path| input.items(0, &path))? {
        documents.push(TemplateDocument::Written(input.blob(0, &path)?));
    }
    let (mut images, mut bases): (Vec<Image>, Vec<String>) = (Vec::new(), Vec::new());
    for path in substitutions.map_or(Ok(Vec::new()), |path| input.items(0, &path))? {
        let [name, base] = input.fields(&path, ["name", "base"])?;
        let image = input.image(0, &name.unwrap_or_else(|| path.key("name")))?;
        if let Some(known) = images.iter().find(|known| known.reference == image.reference) {
            let (at, line) = (image.at, known.at.line);
            let problem = TemplateProblem::RepeatedImage {
                image: image.reference,
                line,
            };
            return Err(TemplateError {
                at,
                problem: Box::new(problem),
            });
        }
        let base = base.as_ref().map_or(Ok(""), |base| input.text(0, base))?;
        if base.is_empty() {
            let bundle = image.reference;
            let base = base.to_owned();
            return Err(input.wrong(0, path, TemplateProblem::NoBase { base, bundle }));
        }
        images.push(image);
        bases.push(base.to_owned());
    }
    let content = Content::Substitutes(Substitutes { at, documents, bases });
    Ok(Template { images, content })
}

impl Substitutes {
    /// Returns the documents of the catalog, with all substitutes.
    pub(super) fn documents(
        self,
        images: &[Image],
        rendered: Vec<Bundle>,
    ) -> Result<Vec<TemplateDocument>, TemplateError> {
        let Self {
            at,
            mut documents,
            bases,
        } = self;
        check(&documents, &at)?;
        for ((image, base), bundle) in images.iter().zip(bases).zip(rendered) {
            let wrong = |problem| TemplateError {
                at: image.at.clone(),
                problem: Box::new(problem),
            };
            check_order(&documents, &base, &bundle).map_err(wrong)?;
            let mut changed = false;
            for made in &mut documents {
                if let Some(channel) = substituted(made, &base, &bundle) {
                    *made = channel;
                    changed = true;
                }
            }
            if !changed {
                let bundle = bundle.name;
                return Err(wrong(TemplateProblem::NoBase { base, bundle }));
            }
            documents.push(TemplateDocument::Generated(Blob::Bundle(bundle)));
            check(&documents, &image.at)?;
        }
        Ok(documents)
    }
}

/// Makes sure that the documents form a catalog in which each channel has exactly one head.
fn check(documents: &[TemplateDocument], at: &At) -> Result<(), TemplateError> {
    let wrong = |problem| TemplateError {
        at: at.clone(),
        problem: Box::new(problem),
    };
    let loaded = load(documents).map_err(|source| wrong(TemplateProblem::Catalog { source }))?;
    for package in &loaded.catalog.packages {
        for channel in &package.channels {
            let heads = heads(&loaded.catalog, channel).len();
            if heads != 1 {
                return Err(wrong(TemplateProblem::Heads {
                    package: package.name.to_string(),
                    channel: channel.name.to_string(),
                    heads,
                }));
            }
        }
    }
    Ok(())
}

/// Makes sure that a substitute is newer than the bundle for which it substitutes.
fn check_order(documents: &[TemplateDocument], base: &str, bundle: &Bundle) -> Result<(), TemplateProblem> {
    let known = documents.iter().find_map(|made| {
        let document = made.document().ok()?;
        let is_base = document.schema() == Some(Schema::Bundle) && document.text("name") == base;
        is_base.then(|| Identity::among(&document.properties().unwrap_or_default()))
    });
    let Some(of_base) = known else {
        let (base, bundle) = (base.to_owned(), bundle.name.clone());
        return Err(TemplateProblem::NoBase { base, bundle });
    };
    let parse = |name: &str, identity: &Identity| {
        let version = identity.version.as_deref().unwrap_or_default();
        let parsed = parse_strict(version).map_err(|reason| TemplateProblem::Version {
            bundle: name.to_owned(),
            version: version.to_owned(),
            reason,
        });
        Ok((parsed?, identity.release.clone()))
    };
    let own = Identity::among(&bundle.properties);
    if compare(&parse(&bundle.name, &own)?, &parse(base, &of_base)?).is_gt() {
        return Ok(());
    }
    let shown = |Identity { version, release }: Identity| {
        let version = version.unwrap_or_default();
        match release {
            Some(release) => format!("{version}, release {release},"),
            None => version,
        }
    };
    Err(TemplateProblem::NotGreater {
        bundle: bundle.name.clone(),
        version: shown(own),
        base: base.to_owned(),
        base_version: shown(of_base),
    })
}

/// Compares versions, then releases. A release consists of dot-separated identifiers, and numbers are lower than words.
/// Versions that differ only in build metadata are ordered here, because older catalogs store releases in the build
/// metadata.
fn compare(one: &(Version, Option<String>), other: &(Version, Option<String>)) -> Ordering {
    let release = |release: &Option<String>| -> Vec<(bool, u64, String)> {
        let parts = release.iter().flat_map(|release| release.split('.'));
        let key = |part: &str| match part.parse::<u64>() {
            Ok(number) => (false, number, String::new()),
            Err(_) => (true, 0, part.to_owned()),
        };
        parts.map(key).collect()
    };
    one.0
        .cmp(&other.0)
        .then_with(|| release(&one.1).cmp(&release(&other.1)))
}

/// Returns a channel in which `bundle` substitutes for `base`, or `None` if `base` is not an entry or the document is
/// not a channel of the package.
fn substituted(made: &TemplateDocument, base: &str, bundle: &Bundle) -> Option<TemplateDocument> {
    let document = made.document().ok()?;
    if document.schema() != Some(Schema::Channel) || document.text("package") != bundle.package {
        return None;
    }
    let mut entries: Vec<Value> = serde_json::from_str(document.field("entries")?.get()).ok()?;
    let of_base = entries.iter_mut().find(|entry| entry["name"] == base)?;
    let mut stand_in = of_base.clone();
    *of_base = json!({ "name": base });
    stand_in
        .as_object_mut()?
        .insert("name".to_owned(), bundle.name.as_str().into());
    skip(&mut stand_in, base);
    for entry in &mut entries {
        if entry["replaces"] == base {
            entry
                .as_object_mut()?
                .insert("replaces".to_owned(), bundle.name.as_str().into());
            skip(entry, base);
        } else if let Some(skips) = entry.get_mut("skips").and_then(Value::as_array_mut)
            && let Some(skipped) = skips.iter_mut().find(|skipped| **skipped == base)
        {
            *skipped = bundle.name.as_str().into();
        }
    }
    entries.push(stand_in);
    Some(TemplateDocument::Written(
        document.with("entries", to_raw_value(&entries).ok()?),
    ))
}

/// Adds a bundle to the bundles that an entry skips.
fn skip(entry: &mut Value, bundle: &str) {
    let Some(entry) = entry.as_object_mut() else { return };
    let skips = entry.entry("skips").or_insert_with(|| json!([]));
    if skips.is_null() {
        *skips = json!([]);
    }
    if let Some(skips) = skips.as_array_mut()
        && !skips.iter().any(|skipped| skipped == bundle)
    {
        skips.push(bundle.into());
    }
}
