//! Changes the media type in the files that name it: the annotations file, and the Dockerfile that repeats the
//! annotations.

use super::files::{Files, is_read};
use crate::bundle::annotations::MEDIA_TYPE;
use crate::bundle::{DOCKERFILE, METADATA, MediaType, OLM_YAML};
use crate::text::{self, Format, Limits, Path, to_json, to_yaml};
use crate::tree::Tree;
use serde_json::Value;

/// Copies the annotations file and the Dockerfile with the new media type. All other content is kept, including
/// comments.
pub(super) fn carry(tree: &Tree, files: &mut Files, to: MediaType, limits: &Limits) {
    let prefix = format!("{METADATA}/");
    let annotations = tree.below(METADATA).find_map(|(path, content)| {
        // The annotations in `olm.yaml` are those of the ClusterServiceVersion.
        let inside = path.strip_prefix(&prefix).filter(|_| path != OLM_YAML)?;
        (is_read(inside) && !inside.contains('/') && !inside.starts_with('.'))
            .then(|| changed(path, content, to, limits))?
            .map(|changed| (path.to_owned(), changed))
    });
    if let Some((path, content)) = annotations {
        files.put(&path, content);
    }
    if let Some(content) = tree.get(DOCKERFILE) {
        let text = String::from_utf8_lossy(content);
        let lines = text.split_inclusive('\n').map(|line| match line.split_once('=') {
            Some((label, _)) if label.trim_start().starts_with("LABEL ") && label.trim_end().ends_with(MEDIA_TYPE) => {
                let end = if line.ends_with('\n') { "\n" } else { "" };
                format!("{label}={to}{end}")
            }
            _ => line.to_owned(),
        });
        files.put(DOCKERFILE, lines.collect::<String>().into_bytes());
    }
}

/// Returns the text of an annotations file with the new media type; `None` if the file contains no annotations.
fn changed(path: &str, content: &[u8], to: MediaType, limits: &Limits) -> Option<Vec<u8>> {
    let document = text::read(path, content, limits).documents.into_iter().next()?;
    let mut wanted = document.value().clone();
    let map = wanted
        .get_mut("annotations")?
        .as_object_mut()
        .filter(|map| !map.is_empty())?;
    map.insert(MEDIA_TYPE.to_owned(), Value::from(to.as_str()));
    let key = Path::root().key("annotations").key(MEDIA_TYPE);
    if key.get(document.value()).is_some() {
        let place = document.place(&key);
        let quote = place.text().chars().next().filter(|first| matches!(first, '"' | '\''));
        let quote = quote.map(String::from).unwrap_or_default();
        let mut text = document.source().text().to_owned();
        text.replace_range(place.span, &format!("{quote}{to}{quote}"));
        let read = text::read(path, text.as_bytes(), limits).documents.into_iter().next();
        if read.is_some_and(|read| *read.value() == wanted) {
            return Some(text.into_bytes());
        }
    }
    let text = match document.format() {
        Format::Json => to_json(&wanted),
        Format::Yaml => to_yaml(&wanted),
    };
    Some(text.into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::TreeLimits;

    fn text_of(path: &str, content: &str) -> String {
        let changed = changed(path, content.as_bytes(), MediaType::K8sV1, &Limits::default()).unwrap();
        String::from_utf8(changed).unwrap()
    }

    #[test]
    fn only_the_media_type_changes() {
        let yaml = "# ours\nannotations:\n  a.b: \"1\" # why\n  operators.operatorframework.io.bundle.mediatype.v1: registry+v1\n";
        assert_eq!(
            text_of("metadata/annotations.yaml", yaml),
            yaml.replace("registry+v1", "k8s+v1")
        );
        let json = "{\"annotations\": {\"operators.operatorframework.io.bundle.mediatype.v1\": \"registry+v1\", \"a\": \"b\"}}";
        assert_eq!(
            text_of("metadata/annotations.json", json),
            json.replace("registry+v1", "k8s+v1")
        );
    }

    #[test]
    fn a_missing_media_type_is_added() {
        let yaml = "annotations:\n  a: b\n";
        let added = "annotations:\n  a: b\n  operators.operatorframework.io.bundle.mediatype.v1: k8s+v1\n";
        assert_eq!(text_of("metadata/annotations.yaml", yaml), added);
    }

    #[test]
    fn annotations_from_olm_yaml_are_not_bundle_annotations() {
        let mut tree = Tree::new("bundle");
        let text = b"annotations:\n  a: b\n".to_vec();
        tree.insert(OLM_YAML, text, &TreeLimits::UNLIMITED).unwrap();
        let mut files = Files::default();
        carry(&tree, &mut files, MediaType::RegistryV1, &Limits::default());
        assert_eq!(files.get(OLM_YAML), None);
    }

    #[test]
    fn the_label_in_a_dockerfile_is_changed() {
        let mut tree = Tree::new("bundle");
        let text = format!("FROM scratch\nLABEL {MEDIA_TYPE}=registry+v1\nLABEL a=registry+v1\n");
        tree.insert(DOCKERFILE, text.into_bytes(), &TreeLimits::UNLIMITED)
            .unwrap();
        let mut files = Files::default();
        carry(&tree, &mut files, MediaType::K8sV1, &Limits::default());
        let expected = format!("FROM scratch\nLABEL {MEDIA_TYPE}=k8s+v1\nLABEL a=registry+v1\n");
        assert_eq!(files.get(DOCKERFILE), Some(expected.as_bytes()));
    }
}
