//! Checks whether registries contain the images of an index. Only manifests are requested, never layers.

use super::listed::listed;
use crate::catalog::{BundleId, Catalog};
use crate::causes::with_causes;
use crate::concurrent;
use crate::diagnostic::{self, Diagnostic};
use crate::image::{ImageError, Reference, RegistryError, RegistryFailure, RegistryReference, Transports};
use crate::index::open::{Index, OpenError};
use crate::rules;
use futures_util::StreamExt;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

/// The number of images that are checked at once. The transports limit how many requests run at once.
const AT_ONCE: usize = 8;

/// The images to look for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// The image of each bundle for which the index records an image.
    Bundles,
    /// The images of the bundles, and the images that the bundles run or list as related images.
    All,
}

/// An image, and the bundles that need it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// The reference as stored.
    pub image: String,
    /// The bundles that are in this image, sorted.
    pub bundles: Vec<String>,
    /// The other bundles that run or list the image, sorted.
    pub users: Vec<String>,
}

/// Returns the images of an index, each once, sorted by reference.
///
/// # Errors
/// Returns an error if the index cannot be read or changes while it is being read.
pub fn wanted(index: &Index, which: Which) -> Result<Vec<Wanted>, OpenError> {
    let catalog = index.catalog_without_skip_ranges()?;
    let places = places(&catalog);
    let mut all: BTreeMap<String, (BTreeSet<String>, BTreeSet<String>)> = BTreeMap::new();
    let described = |name: &str| match places.get(name) {
        Some(places) => format!("bundle {name:?} ({places})"),
        None => format!("bundle {name:?} (in no channel)"),
    };
    for bundle in &catalog.bundles {
        if let Some(image) = bundle.image.as_deref().filter(|image| !image.is_empty()) {
            let (bundles, _) = all.entry(image.to_owned()).or_default();
            bundles.insert(described(&bundle.name));
        }
    }
    if which == Which::All {
        let every = (0..catalog.bundles.len()).filter_map(|at| u32::try_from(at).ok());
        let every = every.map(BundleId).collect();
        for (id, images) in index.related_images(&catalog, &every)? {
            let Some(bundle) = catalog.bundle(id) else { continue };
            for image in images.into_iter().filter(|image| !image.is_empty()) {
                let (bundles, users) = all.entry(image).or_default();
                let user = described(&bundle.name);
                if !bundles.contains(&user) {
                    users.insert(user);
                }
            }
        }
    }
    let wanted = all.into_iter().map(|(image, (bundles, users))| Wanted {
        image,
        bundles: bundles.into_iter().collect(),
        users: users.into_iter().collect(),
    });
    Ok(wanted.collect())
}

/// Returns the channels of each bundle, formatted for messages.
fn places(catalog: &Catalog) -> BTreeMap<&str, String> {
    let mut places: BTreeMap<&str, BTreeMap<&str, BTreeSet<String>>> = BTreeMap::new();
    for package in &catalog.packages {
        for channel in &package.channels {
            let bundles = channel.entries.iter().filter_map(|entry| catalog.bundle(entry.bundle));
            for bundle in bundles {
                let packages = places.entry(&bundle.name).or_default();
                let channels = packages.entry(&package.name).or_default();
                channels.insert(format!("{:?}", channel.name));
            }
        }
    }
    let shown = |(package, channels): (&str, BTreeSet<String>)| {
        let word = if channels.len() == 1 { "channel" } else { "channels" };
        let channels: Vec<String> = channels.into_iter().collect();
        format!("{word} {} of package {package:?}", channels.join(", "))
    };
    let places = places.into_iter().map(|(bundle, packages)| {
        let packages: Vec<String> = packages.into_iter().map(shown).collect();
        (bundle, packages.join("; "))
    });
    places.collect()
}

/// The answer of a registry: success if the registry contains the image, or `None` if the registry was not queried.
pub type Answer = Option<Result<(), ImageError>>;

/// A function that returns the hint for a failed request, if there is a hint.
pub type Advice = fn(&RegistryError) -> Option<&'static str>;

/// Queries the registries for all images, several at once, and returns the findings in a fixed order. A registry that
/// does not answer even after retries is not queried for further images, so it costs only the time of a few requests.
pub async fn ask(wanted: &[Wanted], transports: &Transports, advice: Advice) -> Vec<Diagnostic> {
    let silent = Mutex::default();
    let silent = &silent;
    let ask = |wanted| async move { (wanted, ask_once(wanted, transports, silent).await) };
    let answers = concurrent::unordered(wanted, AT_ONCE, ask);
    findings(answers.collect().await, advice)
}

/// `silent` contains the registries that do not answer.
async fn ask_once(wanted: &Wanted, transports: &Transports, silent: &Mutex<BTreeSet<String>>) -> Answer {
    let reference = registry_reference(&wanted.image).ok()?;
    let silent = || concurrent::lock(silent);
    if silent().contains(reference.registry()) {
        return None;
    }
    let registry = reference.registry().to_owned();
    let answer = transports.resolve(&Reference::Registry(reference)).await;
    if answer.as_ref().is_err_and(is_silence) {
        silent().insert(registry);
    }
    Some(answer.map(drop))
}

/// Returns the reference by which a cluster would pull the image, or the reason why no cluster can pull it.
fn registry_reference(image: &str) -> Result<RegistryReference, String> {
    match image.parse() {
        Ok(Reference::Registry(reference)) => Ok(reference),
        Ok(_) => Err("clusters pull images from registries only".to_owned()),
        Err(error) => Err(with_causes(&error)),
    }
}

/// Returns whether a failure, after all retries, is caused by the registry or by a local file, and not by the image.
fn is_silence(error: &ImageError) -> bool {
    let ImageError::Registry(error) = error else {
        return false;
    };
    let failure = &*error.failure;
    failure.is_local()
        || matches!(
            failure,
            RegistryFailure::Connection { .. }
                | RegistryFailure::Stalled { .. }
                | RegistryFailure::Tls { .. }
                | RegistryFailure::AuthorityAsServer
                | RegistryFailure::PlainHttp
                | RegistryFailure::HttpsExpected
                | RegistryFailure::RateLimited { .. }
                | RegistryFailure::Unavailable { .. }
        )
}

/// Returns the findings for these answers, in a fixed order: at most one for each image, and one for all images of a
/// registry that does not answer.
pub fn findings(answers: Vec<(&Wanted, Answer)>, advice: Advice) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let mut silent: BTreeMap<String, Silence<'_>> = BTreeMap::new();
    for (wanted, answer) in answers {
        let Wanted { image, .. } = wanted;
        let registry = match registry_reference(image) {
            Ok(reference) => reference.registry().to_owned(),
            Err(reason) => {
                let meaning = meaning(wanted);
                let message = format!("no cluster can pull {image:?}, {meaning}: {reason}");
                found.push(Diagnostic::new(&rules::INDEX_IMAGE_REFERENCE, message));
                continue;
            }
        };
        match answer {
            Some(Ok(())) => {}
            Some(Err(error)) if is_missing(&error) => {
                let message = format!("the registry does not have {image}, {}", meaning(wanted));
                found.push(Diagnostic::new(&rules::INDEX_IMAGE_MISSING, message));
            }
            Some(Err(error)) if !is_silence(&error) => {
                let (reason, hint) = reason(&error, advice);
                let meaning = meaning(wanted);
                let message = format!("cannot determine whether the registry has {image}, {meaning}: {reason}");
                found.push(advised(Diagnostic::new(&rules::INDEX_IMAGE_UNKNOWN, message), hint));
            }
            answer => {
                let silence = silent.entry(registry).or_default();
                silence.images.push(wanted);
                silence
                    .reasons
                    .extend(answer.and_then(Result::err).map(|error| reason(&error, advice)));
            }
        }
    }
    found.extend(silent.into_iter().map(|(registry, silence)| silence.finding(&registry)));
    diagnostic::sort(&mut found);
    found
}

/// A registry that does not answer.
#[derive(Default)]
struct Silence<'a> {
    images: Vec<&'a Wanted>,
    reasons: BTreeSet<(String, Option<&'static str>)>,
}

impl Silence<'_> {
    fn finding(mut self, registry: &str) -> Diagnostic {
        self.images.sort_unstable_by_key(|wanted| &wanted.image);
        let (reason, hint) = self.reasons.pop_first().unwrap_or_default();
        let mut message = format!("cannot determine whether registry {registry} has ");
        if let [first, more @ ..] = &self.images[..] {
            message.push_str(&format!("{}, {}", first.image, meaning(first)));
            match more.len() {
                0 => {}
                1 => message.push_str(", and one other image"),
                count => message.push_str(&format!(", and {count} other images")),
            }
        }
        message.push_str(&format!(": {reason}"));
        advised(Diagnostic::new(&rules::INDEX_IMAGE_UNKNOWN, message), hint)
    }
}

fn is_missing(error: &ImageError) -> bool {
    match error {
        ImageError::Registry(error) => matches!(*error.failure, RegistryFailure::NotFound { .. }),
        ImageError::NotFound { .. } => true,
        _ => false,
    }
}

/// Returns the error message (without the image and the request) and the hint.
fn reason(error: &ImageError, advice: Advice) -> (String, Option<&'static str>) {
    match error {
        ImageError::Registry(error) => (with_causes(error.failure.as_ref()), advice(error)),
        error => (with_causes(error), None),
    }
}

/// Describes an image for a message.
fn meaning(Wanted { bundles, users, .. }: &Wanted) -> String {
    if bundles.is_empty() {
        format!("an image of {}", listed(users))
    } else {
        format!("the image of {}", listed(bundles))
    }
}

fn advised(finding: Diagnostic, hint: Option<&'static str>) -> Diagnostic {
    let Some(hint) = hint else { return finding };
    let mut letters = hint.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    finding.help(format!("{}.", first.chain(letters).collect::<String>()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::database::read::Database;
    use crate::database::sample;

    fn opened() -> (tempfile::TempDir, Index) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("index.db");
        sample::write(&path);
        (directory, Database::open(&path).unwrap().into())
    }

    #[test]
    fn each_image_is_listed_once_with_the_channels_of_its_bundles() {
        let (_directory, index) = opened();
        let bundles = wanted(&index, Which::Bundles).unwrap();
        let shown: Vec<_> = bundles
            .iter()
            .map(|wanted| (wanted.image.as_str(), wanted.bundles.join(", ")))
            .collect();
        let stable = r#"channel "stable" of package "k""#;
        assert_eq!(
            shown,
            [
                (
                    "registry.example.com/k:1.0",
                    r#"bundle "k.v1.0.0" (channels "old", "stable" of package "k")"#.to_owned()
                ),
                ("registry.example.com/k:1.1", format!(r#"bundle "k.v1.1.0" ({stable})"#)),
                ("registry.example.com/k:1.2", format!(r#"bundle "k.v1.2.0" ({stable})"#)),
                (
                    "registry.example.com/s:1",
                    r#"bundle "stranded.v1" (in no channel)"#.to_owned()
                ),
            ]
        );
        let all = wanted(&index, Which::All).unwrap();
        let more = all.iter().find(|wanted| wanted.image == "registry.example.com/run:1");
        assert_eq!(all.len(), 5);
        assert_eq!(
            more.unwrap().users,
            [
                r#"bundle "a.v1" (channel "alpha" of package "a")"#,
                r#"bundle "k.v1.0.0" (channels "old", "stable" of package "k")"#
            ]
        );
    }

    #[test]
    fn advice_about_requests_becomes_a_sentence() {
        let finding = Diagnostic::new(&rules::INDEX_IMAGE_UNKNOWN, "m");
        assert_eq!(advised(finding.clone(), Some("log in")).advice(), "Log in.");
        assert_eq!(advised(finding, None).advice(), rules::INDEX_IMAGE_UNKNOWN.help);
    }
}
