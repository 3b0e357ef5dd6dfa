//! The replacement of the images that a bundle names, for example of their tags with digests.

use super::BundleLimits;
use super::edit::{EditError, Edits};
use super::image_use::ImageUse;
use crate::image::{ImageError, Reference, ReferenceError, Transports};
use crate::source::Place;
use crate::text::{Document, Path};
use crate::tree::Tree;
use std::collections::BTreeMap;
use std::ops::Range;

/// An error while determining a digest.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PinError {
    /// The string is not an image reference.
    #[error("{place}: the image {image} cannot be pinned")]
    Name {
        /// The place of the string.
        place: Place,
        /// The string.
        image: String,
        /// The reason why the string is not a reference.
        source: ReferenceError,
    },
    /// The image is not in a registry.
    #[error("{place}: the image {image} cannot be pinned: a cluster pulls images from registries only")]
    Transport {
        /// The place of the string.
        place: Place,
        /// The string.
        image: String,
    },
    /// The registry did not return the digest.
    #[error("{place}: the image {image} cannot be pinned")]
    Registry {
        /// The place of the reference.
        place: Place,
        /// The reference as written.
        image: String,
        /// The error from the registry.
        source: Box<ImageError>,
    },
}

/// Requests the digests of tags from the registries. Returns a map from each image, as written, to the reference with
/// its digest. Omits images that already specify a digest.
///
/// # Errors
/// Returns an error for the first image whose digest cannot be determined.
pub async fn digests(uses: &[ImageUse], transports: &Transports) -> Result<BTreeMap<String, String>, PinError> {
    let mut pinned = BTreeMap::new();
    for used in uses {
        let image = &used.image;
        if pinned.contains_key(image) {
            continue;
        }
        let reference = match image.parse() {
            Ok(Reference::Registry(reference)) => reference,
            Ok(_) => {
                return Err(PinError::Transport {
                    place: used.place(),
                    image: image.clone(),
                });
            }
            Err(source) => {
                return Err(PinError::Name {
                    place: used.place(),
                    image: image.clone(),
                    source,
                });
            }
        };
        if reference.digest().is_some() {
            continue;
        }
        let asked = Reference::Registry(reference.clone());
        let digest = transports.resolve(&asked).await.map_err(|source| PinError::Registry {
            place: used.place(),
            image: image.clone(),
            source: source.into(),
        })?;
        pinned.insert(image.clone(), reference.with_digest(&digest).as_written().to_owned());
    }
    Ok(pinned)
}

/// Replaces images with their references in `pinned`, in the author's text.
///
/// # Errors
/// Returns an error if a changed file exceeds a limit, or if its form does not allow the edit.
pub fn pin(
    tree: &mut Tree,
    uses: &[ImageUse],
    pinned: &BTreeMap<String, String>,
    limits: &BundleLimits,
) -> Result<(), EditError> {
    let replacement = |image: &ImageUse| {
        let text = pinned.get(&image.image)?;
        (*text != image.image).then(|| text.clone())
    };
    replacements(uses, replacement).apply(tree, limits)
}

/// Returns the edits that replace each image for which `replacement` returns a reference.
pub(super) fn replacements<'u>(
    uses: impl IntoIterator<Item = &'u ImageUse>,
    mut replacement: impl FnMut(&ImageUse) -> Option<String>,
) -> Edits {
    let mut strings: BTreeMap<(&str, usize, &Path), (&Document, Parts)> = BTreeMap::new();
    for image in uses {
        let Some(text) = replacement(image) else { continue };
        let (document, path) = (&image.document, &image.path);
        let string = (document.source().name(), document.number(), path);
        let (_, parts) = strings.entry(string).or_insert_with(|| (document, Parts::new()));
        parts.entry((image.part.start, image.part.end)).or_insert(text);
    }
    let mut edits = Edits::default();
    for ((_, _, path), (document, parts)) in strings {
        let parts: Vec<(Range<usize>, &str)> = parts
            .iter()
            .map(|((start, end), text)| (*start..*end, text.as_str()))
            .collect();
        edits.replace_parts(document, path, &parts);
    }
    edits
}

/// The parts of a string to replace, by their bytes.
type Parts = BTreeMap<(usize, usize), String>;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bundle;
    use crate::bundle::image_use::of_bundle;

    fn pinned(files: &[(&str, &str)]) -> (Vec<String>, Result<Tree, EditError>) {
        let limits = BundleLimits::default();
        let mut tree = Tree::new("operator");
        for (path, text) in files {
            tree.insert(path, text.as_bytes().to_vec(), &limits.tree).unwrap();
        }
        let bundle = bundle::read(&tree, &limits.text).bundle.unwrap();
        let uses = of_bundle(&bundle);
        let digests = uses
            .iter()
            .map(|image| (image.image.clone(), format!("{}@pinned", image.image)));
        let digests = digests.filter(|(image, _)| !image.contains('@')).collect();
        let named = uses
            .iter()
            .map(|image| format!("{} {}", image.name, image.image))
            .collect();
        let result = pin(&mut tree, &uses, &digests, &limits);
        (named, result.map(|()| tree))
    }

    const DEPLOYMENT: &str = "\
apiVersion: apps/v1
kind: Deployment
metadata: {name: op}
spec:
  template:
    spec:
      initContainers:
      - {name: setup, image: setup:1}
      containers:
      # ours
      - name: manager
        image: op:1 # the operator
        env:
        - {name: RELATED_IMAGE_AGENT, value: \"agent:1\"}
        - name: RELATED_IMAGE_SIDE
          value: 'side:1'
        - {name: OTHER_IMAGE, value: other:1}
        - {name: RELATED_IMAGE_FROM, valueFrom: {fieldRef: {fieldPath: a}}}
        - {name: RELATED_IMAGE_EMPTY, value: ''}
      - name: proxy
        image: >-
          proxy:1
      - {name: fixed, image: fixed@sha256:0}
      volumes:
      - {name: models, image: {reference: models:1, pullPolicy: Always}}
      - {name: cache, emptyDir: {}}
";

    #[test]
    fn all_images_are_replaced_and_other_text_is_kept() {
        let olm = "relatedImages:\n- {name: agent, image: agent:1} # again\n";
        let list = "{\"apiVersion\": \"v1\", \"kind\": \"List\", \"items\": [{\"apiVersion\": \"apps/v1\", \"kind\": \"Deployment\",\n\
            \"metadata\": {\"name\": \"second\"}, \"spec\": {\"template\": {\"spec\": {\"containers\": [{\"name\": \"b\", \"image\": \"b:1\"}]}}}}]}";
        let files = [
            ("manifests/op.yaml", DEPLOYMENT),
            ("manifests/second.json", list),
            ("metadata/olm.yaml", olm),
        ];
        let (named, tree) = pinned(&files);
        let wanted = [
            "manager op:1",
            "AGENT agent:1",
            "SIDE side:1",
            "proxy proxy:1",
            "fixed fixed@sha256:0",
            "setup setup:1",
            "models models:1",
            "b b:1",
            "agent agent:1",
        ];
        assert_eq!(named, wanted);
        let tree = tree.unwrap();
        let text = |path: &str| String::from_utf8(tree.get(path).unwrap().to_vec()).unwrap();
        assert_eq!(text("metadata/olm.yaml"), olm.replace("agent:1", "agent:1@pinned"));
        assert_eq!(text("manifests/second.json"), list.replace("b:1", "b:1@pinned"));
        let mut expected = DEPLOYMENT.replace(">-\n          proxy:1", "proxy:1@pinned");
        for image in ["setup:1", "op:1", "agent:1", "side:1", "models:1"] {
            expected = expected.replace(image, &format!("{image}@pinned"));
        }
        assert_eq!(text("manifests/op.yaml"), expected);
    }

    #[test]
    fn the_images_of_a_csv_are_replaced() {
        let csv = "apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nmetadata: {name: a.v1}\nspec:\n  \
                   install: {spec: {deployments: [{name: a, spec: {template: {spec: {containers: [{name: a, image: a:1}]}}}}]}}\n  \
                   relatedImages:\n  - name: b\n    image: b:1\n";
        let (named, tree) = pinned(&[("manifests/a.yaml", csv)]);
        assert_eq!(named, ["a a:1", "b b:1"]);
        let text = tree.unwrap().get("manifests/a.yaml").unwrap().to_vec();
        let wanted = csv.replace("a:1", "a:1@pinned").replace("b:1", "b:1@pinned");
        assert_eq!(String::from_utf8(text).unwrap(), wanted);
    }

    #[test]
    fn images_inside_longer_strings_are_replaced_and_the_rest_is_kept() {
        let manifests = r#"apiVersion: apps/v1
kind: Deployment
metadata: {name: op}
spec:
  template:
    spec:
      containers:
      - name: manager
        image: a.example/op:v1
        args: [--images=a=a.example/op:v1;b=a.example/op:v1.2, '--it''s=a.example/op:v1,']
        env:
        - {name: IMAGES, value: "1=a.example/op:v1\n2=a.example/op:v1 \x41"}
        - name: ESCAPED
          value: "1=a.example\/op:v1,2"
        - {name: RELATED_IMAGE_ALL, value: '1=a.example/op:v1,a.example/op:v1'}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data:
  config.yaml: &config |-

    image: "a.example/op:v1" # ours
      deeper: a.example/op:v1

    old: a.example/op:v1-rc
  folded: >
    1=a.example/op:v1
    2=a.example/op:v1
  again: *config
"#;
        let limits = BundleLimits::default();
        let mut tree = Tree::new("operator");
        for (path, text) in [("manifests/op.yaml", manifests), ("metadata/olm.yaml", "name: a\n")] {
            tree.insert(path, text.as_bytes().to_vec(), &limits.tree).unwrap();
        }
        let bundle = bundle::read(&tree, &limits.text).bundle.unwrap();
        let mut uses = of_bundle(&bundle);
        uses.extend(crate::bundle::mentions::of_bundle(&bundle));
        let digests = BTreeMap::from([("a.example/op:v1".to_owned(), "a.example/op@new".to_owned())]);
        pin(&mut tree, &uses, &digests, &limits).unwrap();
        let text = String::from_utf8(tree.get("manifests/op.yaml").unwrap().to_vec()).unwrap();
        let wanted = manifests
            .replace("op:v1", "op@new")
            .replace("op@new.2", "op:v1.2")
            .replace("op@new-rc", "op:v1-rc")
            .replace("a.example\\/op@new", "a.example/op@new");
        assert_eq!(text, wanted);
    }

    #[test]
    fn each_image_in_a_list_in_a_related_image_variable_is_found() {
        let list = "a=example.com/a:1,b=example.com/b:1";
        let deployment = DEPLOYMENT.replace("\"agent:1\"", &format!("'{list}'"));
        let (named, tree) = pinned(&[("manifests/op.yaml", &deployment), ("metadata/olm.yaml", "name: a\n")]);
        assert_eq!(named[1..3], ["AGENT example.com/a:1", "AGENT example.com/b:1"]);
        let text = tree.unwrap().get("manifests/op.yaml").unwrap().to_vec();
        let text = String::from_utf8(text).unwrap();
        assert!(
            text.contains("'a=example.com/a:1@pinned,b=example.com/b:1@pinned'"),
            "{text}"
        );
    }

    #[test]
    fn an_alias_and_its_anchor_get_the_same_image_or_an_error() {
        let anchored = DEPLOYMENT
            .replace("image: op:1 #", "image: &image op:1 #")
            .replace("\"agent:1\"", "*image");
        match pinned(&[("manifests/op.yaml", &anchored), ("metadata/olm.yaml", "name: a\n")]).1 {
            Ok(tree) => {
                let bundle = bundle::read(&tree, &BundleLimits::default().text).bundle.unwrap();
                let images: Vec<_> = of_bundle(&bundle).into_iter().map(|image| image.image).collect();
                assert_eq!(images[0], "op:1@pinned");
                assert_eq!(images[1], "op:1@pinned");
            }
            Err(error) => assert!(error.to_string().contains("an alias"), "{error}"),
        }
    }
}
