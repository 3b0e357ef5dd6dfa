//! Images that a bundle mentions in places that tools do not check: in arguments, environment variables, volumes and
//! ConfigMaps. A mirror of the bundle contains such an image only if the image is also a related image.

use super::image_use::{self, CONTAINERS, ImageUse, RELATED_IMAGE};
use super::references::{in_text, reference, words, written_out};
use super::{Bundle, MediaType};
use crate::manifest::{Layout, Manifests, Object};
use crate::olm::annotation::EXAMPLES;
use crate::text::{Document, Limits, Path};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The suffix of the names of variables that contain images.
const IMAGE_SUFFIX: &str = "_IMAGE";

/// The key that documents the other keys of a ConfigMap. Nothing reads its value.
const DOCUMENTATION: &str = "_example";

/// The characters that separate the words of an annotation.
const ANNOTATION_ENDS: [char; 4] = [',', ';', '\n', ' '];

/// Returns the images in arguments, variables, volumes and ConfigMaps, in the order of the objects.
pub fn of_bundle(bundle: &Bundle) -> Vec<ImageUse> {
    let mut uses = Vec::new();
    for object in &bundle.objects {
        let (document, root) = object.document();
        if object.gvk().is("", "ConfigMap") {
            of_config_map(document, &root.key("data"), &mut uses);
        }
        for template in pod_templates(bundle, object) {
            of_pod(document, &template.key("spec"), &mut uses);
        }
    }
    uses
}

/// Returns the paths of the pod templates in a Deployment or a CSV.
fn pod_templates(bundle: &Bundle, object: &Object) -> Vec<Path> {
    let (document, root) = object.document();
    if object.gvk().is("apps", "Deployment") && bundle.media_type == MediaType::K8sV1 {
        vec![root.key("spec").key("template")]
    } else if super::is_csv(object) {
        let keys = ["spec", "install", "spec", "deployments"];
        let deployments = keys.iter().fold(root.clone(), |path, key| path.key(key));
        let deployments = (0..length(document, &deployments)).map(|index| deployments.index(index));
        deployments
            .map(|deployment| deployment.key("spec").key("template"))
            .collect()
    } else {
        Vec::new()
    }
}

/// Returns all places where the text of a bundle can be edited to name another image: where it names and mentions
/// images, in annotations, and in examples.
pub(crate) fn replaceable(bundle: &Bundle) -> Vec<ImageUse> {
    let mut uses = image_use::of_bundle(bundle);
    uses.extend(of_bundle(bundle));
    uses.extend(in_annotations(bundle));
    uses.extend(in_examples(bundle));
    uses
}

/// Returns the images that a bundle names, and those in annotations, where tools also look for images. An image that is
/// mentioned elsewhere might not exist.
pub(crate) fn with_annotations(bundle: &Bundle) -> Vec<ImageUse> {
    let mut uses = image_use::of_bundle(bundle);
    uses.extend(in_annotations(bundle).into_iter().filter(|used| used.name != EXAMPLES));
    uses
}

/// Returns the images in the annotations of the objects and the pod templates of a bundle.
fn in_annotations(bundle: &Bundle) -> Vec<ImageUse> {
    let mut uses = Vec::new();
    if let Some(olm) = &bundle.olm {
        uses.extend(in_map(olm, &Path::from("annotations")));
    }
    for object in &bundle.objects {
        uses.extend(of_annotations(bundle, object));
    }
    uses
}

/// Returns the images in the annotations of an object and its pod templates.
pub(crate) fn of_annotations(bundle: &Bundle, object: &Object) -> Vec<ImageUse> {
    let (document, root) = object.document();
    let mut uses = in_map(document, &root.key("metadata").key("annotations"));
    for template in pod_templates(bundle, object) {
        uses.extend(in_map(document, &template.key("metadata").key("annotations")));
    }
    uses
}

/// Returns the images in annotations. Each word of an annotation may be an image.
fn in_map(document: &Document, map: &Path) -> Vec<ImageUse> {
    let mut uses = Vec::new();
    let annotations = map.get(document.value()).and_then(Value::as_object);
    for (key, value) in annotations.into_iter().flatten() {
        let text = value.as_str().unwrap_or_default();
        for (start, word) in words(text, |letter| ANNOTATION_ENDS.contains(&letter)) {
            let (path, is_alone) = (map.key(key), word == text);
            uses.push(ImageUse::within(document, path, key, (start, word), is_alone));
        }
    }
    uses
}

/// Returns the images in the examples of custom resources.
pub(crate) fn in_examples(bundle: &Bundle) -> Vec<ImageUse> {
    let mut uses = Vec::new();
    let mut add = |document: &Document, annotations: &Path| {
        of_strings(document, &annotations.key(EXAMPLES), &mut uses);
    };
    if let Some(olm) = &bundle.olm {
        add(olm, &Path::from("annotations"));
    }
    for object in bundle.objects.iter().filter(|object| super::is_csv(object)) {
        let (document, root) = object.document();
        add(document, &root.key("metadata").key("annotations"));
    }
    uses.into_iter().map(ImageUse::in_example).collect()
}

/// Adds the images in the strings of a value.
fn of_strings(document: &Document, path: &Path, uses: &mut Vec<ImageUse>) {
    match path.get(document.value()) {
        Some(Value::String(text)) => of_words(document, path, text, uses),
        Some(Value::Array(items)) => {
            (0..items.len()).for_each(|index| of_strings(document, &path.index(index), uses));
        }
        Some(Value::Object(map)) => map.keys().for_each(|key| of_strings(document, &path.key(key), uses)),
        _ => {}
    }
}

/// Returns the images in arguments, variables, volumes and ConfigMaps that are neither container images nor related
/// images. Each image comes with all places that mention it. An index lists the images of containers, but not those of
/// volumes.
pub fn unlisted(bundle: &Bundle) -> Vec<Vec<ImageUse>> {
    let known: BTreeSet<String> = image_use::of_bundle(bundle)
        .into_iter()
        .filter(|used| used.is_container() || used.is_related())
        .map(|used| used.image)
        .collect();
    let mut missing: BTreeMap<String, Vec<ImageUse>> = BTreeMap::new();
    for used in of_bundle(bundle) {
        if !known.contains(&used.image) {
            missing.entry(used.image.clone()).or_default().push(used);
        }
    }
    missing.into_values().collect()
}

/// Like [`unlisted`], for the manifests of a `registry+v1` bundle, as an index contains them.
pub(crate) fn unlisted_in(manifests: &[&str]) -> BTreeSet<String> {
    let mut read = Manifests::default();
    for manifest in manifests {
        read.read_file("", manifest.as_bytes(), Layout::Flat, &Limits::default());
    }
    let missing = unlisted(&Bundle::of_manifests(read.objects));
    missing.into_iter().flatten().map(|used| used.image).collect()
}

/// Returns the images with tags that a bundle only mentions, also in examples, and that `pinned` does not contain, each
/// at its first place.
pub(crate) fn unpinned(bundle: &Bundle, pinned: &BTreeMap<String, String>) -> Vec<ImageUse> {
    let mut seen = BTreeSet::new();
    let mut uses = of_bundle(bundle);
    uses.extend(in_examples(bundle));
    uses.retain(|used| {
        let is_pinned = used.image.contains('@') || pinned.contains_key(&used.image);
        !is_pinned && seen.insert(used.image.clone())
    });
    uses
}

/// Returns the entries that are missing from the related images of a bundle. An image in a variable `RELATED_IMAGE_*`
/// is named after the variable, any other image after its first place.
pub fn missing_entries(bundle: &Bundle) -> Vec<Value> {
    let (related, others): (Vec<ImageUse>, Vec<ImageUse>) =
        image_use::of_bundle(bundle).into_iter().partition(ImageUse::is_related);
    let mut variables: BTreeMap<&str, &ImageUse> = BTreeMap::new();
    for variable in others.iter().filter(|used| used.is_variable() && used.is_alone()) {
        variables.entry(&variable.image).or_insert(variable);
    }
    let missing = unlisted(bundle);
    let named = missing.iter().filter_map(|places| {
        let first = places.first()?;
        Some(variables.get(first.image.as_str()).copied().unwrap_or(first))
    });
    entries(named, related.into_iter().map(|related| related.name).collect())
}

/// Returns the entries for the variables `RELATED_IMAGE_*` that are missing from the related images of a bundle, each
/// named after its variable.
pub fn entries_of_variables(bundle: &Bundle) -> Vec<Value> {
    let (related, others): (Vec<ImageUse>, Vec<ImageUse>) =
        image_use::of_bundle(bundle).into_iter().partition(ImageUse::is_related);
    let mut listed: BTreeSet<String> = related.iter().map(|related| related.image.clone()).collect();
    let mut names: BTreeSet<String> = related.into_iter().map(|related| related.name).collect();
    let mut entries = Vec::new();
    for variable in others.into_iter().filter(ImageUse::is_variable) {
        if listed.insert(variable.image.clone()) {
            let name = free_name(variable.name.to_lowercase().replace('_', "-"), &mut names);
            entries.push(json!({"name": name, "image": variable.image}));
        }
    }
    entries
}

/// Returns entries of `relatedImages` for images. Each entry gets a name that is not among the `names` in use.
fn entries<'u>(images: impl IntoIterator<Item = &'u ImageUse>, mut names: BTreeSet<String>) -> Vec<Value> {
    let mut entries = Vec::new();
    for used in images {
        let name = free_name(entry_name(used), &mut names);
        entries.push(json!({"name": name, "image": used.image}));
    }
    entries
}

/// Picks an unused name and adds it to `names`.
fn free_name(name: String, names: &mut BTreeSet<String>) -> String {
    let numbered = (2..).map(|number| format!("{name}-{number}"));
    let free = std::iter::once(name.clone())
        .chain(numbered)
        .find(|name| !names.contains(name));
    let name = free.unwrap_or(name);
    names.insert(name.clone());
    name
}

/// Returns the name for an image, such as `agent` for `AGENT_IMAGE`, `--agent-image` and `agent.image`.
fn entry_name(used: &ImageUse) -> String {
    let plain = |letter: char| {
        if letter.is_ascii_alphanumeric() {
            letter.to_ascii_lowercase()
        } else {
            '-'
        }
    };
    let name: String = used.name.chars().map(plain).collect();
    let name = name.trim_matches('-');
    let name = name.strip_suffix("-image").unwrap_or(name);
    if !name.is_empty() && name != "image" {
        return name.to_owned();
    }
    let repository = used.image.split('@').next().unwrap_or_default();
    let last = repository.rsplit('/').next().unwrap_or_default();
    last.split(':').next().unwrap_or_default().to_lowercase()
}

fn of_pod(document: &Document, pod: &Path, uses: &mut Vec<ImageUse>) {
    for field in CONTAINERS {
        let list = pod.key(field);
        for index in 0..length(document, &list) {
            let container = list.index(index);
            for field in ["command", "args"] {
                let words = container.key(field);
                for index in 0..length(document, &words) {
                    argument(document, words.index(index), uses);
                }
            }
            let variables = container.key("env");
            for index in 0..length(document, &variables) {
                let variable = variables.index(index);
                let name = text(document, &variable.key("name")).unwrap_or_default();
                let value = text(document, &variable.key("value")).unwrap_or_default();
                let is_meant = name.starts_with(RELATED_IMAGE) || name.ends_with(IMAGE_SUFFIX);
                let named = is_meant && value.contains(['/', ':', '@']) && reference(value).is_some();
                let path = variable.key("value");
                if named || written_out(value).is_some() {
                    let short = name.strip_prefix(RELATED_IMAGE).unwrap_or(name);
                    uses.push(ImageUse::within(document, path, short, (0, value), true));
                } else {
                    of_words(document, &path, value, uses);
                }
            }
        }
    }
    let volumes = pod.key("volumes");
    for index in 0..length(document, &volumes) {
        let volume = volumes.index(index);
        let path = volume.key("image").key("reference");
        if let Some(image) = text(document, &path).filter(|image| reference(image).is_some()) {
            let name = text(document, &volume.key("name")).unwrap_or_default();
            uses.push(ImageUse::within(document, path.clone(), name, (0, image), true));
        }
    }
}

/// Adds the images in an argument: the argument itself, the value of an option `--name=IMAGE`, or words within it.
fn argument(document: &Document, path: Path, uses: &mut Vec<ImageUse>) {
    let word = text(document, &path).unwrap_or_default();
    let (option, value) = match word.split_once('=') {
        Some((option, value)) if option.starts_with('-') => (option, value),
        _ => ("", word),
    };
    if written_out(value).is_some() {
        let start = word.len() - value.len();
        uses.push(ImageUse::within(document, path, option, (start, value), true));
    } else {
        of_words(document, &path, word, uses);
    }
}

/// Adds the images in the values of a ConfigMap, which are often entire files.
fn of_config_map(document: &Document, data: &Path, uses: &mut Vec<ImageUse>) {
    let Some(Value::Object(map)) = data.get(document.value()) else {
        return;
    };
    for (key, value) in map.iter().filter(|(key, _)| *key != DOCUMENTATION) {
        let Some(value) = value.as_str() else { continue };
        let path = data.key(key);
        if written_out(value).is_some() {
            uses.push(ImageUse::within(document, path, key, (0, value), true));
            continue;
        }
        of_words(document, &path, value, uses);
    }
}

/// Adds the images among the words of a longer text.
fn of_words(document: &Document, path: &Path, value: &str, uses: &mut Vec<ImageUse>) {
    for word in in_text(value) {
        uses.push(ImageUse::within(document, path.clone(), "", word, false));
    }
}

fn length(document: &Document, list: &Path) -> usize {
    list.get(document.value()).and_then(Value::as_array).map_or(0, Vec::len)
}

fn text<'a>(document: &'a Document, path: &Path) -> Option<&'a str> {
    path.get(document.value())?.as_str()
}

/// Returns the related images that seem outdated, each with the image that is used now. A related image seems outdated
/// if nothing in the bundle uses it, and the bundle uses another tag or digest of the same repository. Only a registry
/// knows the digest of a tag, so a tag never contradicts a digest.
pub fn outdated(bundle: &Bundle) -> Vec<(ImageUse, ImageUse)> {
    let (related, mut used): (Vec<ImageUse>, Vec<ImageUse>) =
        image_use::of_bundle(bundle).into_iter().partition(ImageUse::is_related);
    used.extend(of_bundle(bundle).into_iter().filter(ImageUse::is_alone));
    let listed: BTreeSet<&str> = related.iter().map(|entry| entry.image.as_str()).collect();
    let named: BTreeSet<&str> = used.iter().map(|one| one.image.as_str()).collect();
    let is_new = |one: &&ImageUse| one.is_alone() && !listed.contains(one.image.as_str());
    let new: Vec<&ImageUse> = used.iter().filter(is_new).collect();
    let stale = related.iter().filter(|entry| !named.contains(entry.image.as_str()));
    stale
        .filter_map(|entry| {
            let now = new.iter().find(|one| contradict(&entry.image, &one.image))?;
            Some((entry.clone(), (*now).clone()))
        })
        .collect()
}

/// Whether two images of the same repository have different tags, or different digests.
fn contradict(one: &str, other: &str) -> bool {
    let (Some(one), Some(other)) = (reference(one), reference(other)) else {
        return false;
    };
    let differ = match (one.digest(), other.digest()) {
        (Some(one), Some(other)) => one != other,
        _ => matches!((one.tag(), other.tag()), (Some(one), Some(other)) if one != other),
    };
    differ && (one.registry(), one.repository()) == (other.registry(), other.repository())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bundle::{self, BundleLimits};
    use crate::tree::Tree;

    fn read(files: &[(&str, &str)]) -> Bundle {
        let limits = BundleLimits::default();
        let mut tree = Tree::new("operator");
        for (path, text) in files {
            tree.insert(path, text.as_bytes().to_vec(), &limits.tree).unwrap();
        }
        bundle::read(&tree, &limits.text).bundle.unwrap()
    }

    const OPERATOR: &str = "\
apiVersion: apps/v1
kind: Deployment
metadata: {name: op}
spec:
  template:
    spec:
      containers:
      - name: manager
        image: example.com/op:1
        command: [/manager, example.com/first:1]
        args: ['--agent-image=example.com/agent:1', '--leader-elect', '--metrics=0.0.0.0:8080', '-c=a.b/c']
        env:
        - {name: PROXY_IMAGE, value: 'proxy:1'}
        - {name: RELATED_IMAGE_SIDE, value: example.com/side:1}
        - {name: PULL_IMAGE, value: 'true'}
        - {name: DEFAULT, value: 'example.com:5000/default@sha256:0123456789012345678901234567890123456789012345678901234567890123'}
        - {name: URL, value: 'https://example.com/a:1'}
        - {name: BROKERS, value: \"4.0=example.com/broker:4.0\\n4.1=example.com/broker:4.1\\n\"}
";
    const SETTINGS: &str = "\
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data:
  _example: |
    image: example.com/documented:1
  worker.image: example.com/worker:1
  config.yaml: |
    image: \"example.com/inner:1\"
    path: /etc/x/y:ro
    taint: node.kubernetes.io/unreachable:NoExecute
";

    #[test]
    fn images_in_arguments_variables_and_config_maps_are_found() {
        let files = [
            ("manifests/op.yaml", OPERATOR),
            ("manifests/settings.yaml", SETTINGS),
            (
                "metadata/olm.yaml",
                "relatedImages: [{name: agent, image: 'example.com/agent:1'}]\n",
            ),
        ];
        let bundle = read(&files);
        let missing = unlisted(&bundle);
        let first: Vec<&ImageUse> = missing.iter().filter_map(|places| places.first()).collect();
        let entries = entries(first, BTreeSet::from(["side".to_owned()]));
        let entries: Vec<String> = entries
            .iter()
            .map(|entry| {
                format!(
                    "{} {}",
                    entry["name"].as_str().unwrap(),
                    entry["image"].as_str().unwrap()
                )
            })
            .collect();
        let digest = "0123456789".repeat(6) + "0123";
        assert_eq!(
            entries,
            [
                "broker example.com/broker:4.0",
                "broker-2 example.com/broker:4.1",
                "first example.com/first:1",
                "inner example.com/inner:1",
                "side-2 example.com/side:1",
                "worker example.com/worker:1",
                &format!("default example.com:5000/default@sha256:{digest}"),
                "proxy proxy:1",
            ]
        );
    }

    #[test]
    fn images_in_comment_lines_are_ignored() {
        let settings = SETTINGS.replace(
            "    path:",
            "    # before 2.0 this was example.com/old:1\n      #OLD=example.com/older:1\n    other: example.com/new:1 # new\n    path:",
        );
        let bundle = read(&[
            ("manifests/settings.yaml", &settings),
            ("metadata/olm.yaml", "name: a\n"),
        ]);
        let images: Vec<String> = of_bundle(&bundle).into_iter().map(|used| used.image).collect();
        assert_eq!(
            images,
            ["example.com/worker:1", "example.com/inner:1", "example.com/new:1"]
        );
    }

    #[test]
    fn a_related_image_variable_names_its_image_in_any_order_of_the_documents() {
        let settings = SETTINGS
            .replace("worker.image", "default-side")
            .replace("worker:1", "side:1");
        for (first, second) in [("a", "b"), ("b", "a")] {
            let bundle = read(&[
                (&format!("manifests/{first}.yaml"), OPERATOR),
                (&format!("manifests/{second}.yaml"), &settings),
                ("metadata/olm.yaml", "name: a\n"),
            ]);
            let entries = missing_entries(&bundle);
            assert!(
                entries.contains(&json!({"name": "side", "image": "example.com/side:1"})),
                "{entries:?}"
            );
            assert_eq!(
                entries
                    .iter()
                    .filter(|entry| entry["image"] == "example.com/side:1")
                    .count(),
                1
            );
        }
    }

    #[test]
    fn an_image_volume_is_missing_unless_it_is_a_related_image() {
        let volume = "      volumes: [{name: models, image: {reference: 'example.com/llm:1'}}]\n";
        let operator = format!("{OPERATOR}{volume}");
        let missing = |olm: &str| {
            let bundle = read(&[("manifests/op.yaml", &operator), ("metadata/olm.yaml", olm)]);
            missing_entries(&bundle).contains(&json!({"name": "models", "image": "example.com/llm:1"}))
        };
        assert!(missing("name: a\n"));
        assert!(!missing("relatedImages: [{name: llm, image: 'example.com/llm:1'}]\n"));
    }

    #[test]
    fn a_related_image_of_the_previous_release_is_outdated() {
        let outdated_with = |olm: &str| {
            let bundle = read(&[("manifests/op.yaml", OPERATOR), ("metadata/olm.yaml", olm)]);
            let found = outdated(&bundle).into_iter();
            found
                .map(|(old, new)| format!("{} {}", old.image, new.image))
                .collect::<Vec<_>>()
        };
        let entry = |image: &str| format!("{{name: a, image: '{image}'}}");
        for (old, new) in [("op:0", "op:1"), ("agent:0", "agent:1"), ("side:0", "side:1")] {
            let (old, new) = (format!("example.com/{old}"), format!("example.com/{new}"));
            assert_eq!(
                outdated_with(&format!("relatedImages: [{}]\n", entry(&old))),
                [format!("{old} {new}")]
            );
            // A bundle that lists both images supports both.
            let both = format!("relatedImages: [{}, {}]\n", entry(&old), entry(&new));
            assert_eq!(outdated_with(&both), [""; 0]);
        }
        assert_eq!(
            outdated_with(&format!("relatedImages: [{}]\n", entry("example.com/other:0"))),
            [""; 0]
        );
    }

    #[test]
    fn only_different_tags_or_digests_contradict_each_other() {
        let digest = |letter: &str| format!("example.com/op@sha256:{}", letter.repeat(64));
        let one = "example.com/op:1";
        assert!(contradict(one, "example.com/op:2"));
        assert!(contradict(&digest("a"), &digest("b")));
        for (left, right) in [
            (one, &*digest("a")),
            (one, "example.com/other:2"),
            (one, "op:2"),
            (one, one),
        ] {
            assert!(!contradict(left, right), "{left} and {right}");
        }
    }
}
