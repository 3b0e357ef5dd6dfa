//! How large an InstallPlan is, which a cluster stores as one object.

use super::{Content, Step, Target, in_order, of_bundle};
use crate::diagnostic::Diagnostic;
use crate::olm::limits::{MESSAGE, OBJECT};
use crate::rules;
use crate::text::canonical;
use serde_json::Value;
use std::io::{self, Write};

/// Bytes of an InstallPlan beside its steps: its names, its owners, its conditions.
const FRAME: usize = 512;
/// Bytes of manifests whose plan is never too large, however many escapes and steps there are.
const SMALL: usize = 64 << 10;

/// The bytes of the InstallPlan of these steps, as a cluster stores it: each step with its frame, and its manifest as a
/// string of JSON, with the escapes of that.
pub fn size(steps: &[Step]) -> usize {
    struct Count(usize);
    impl Write for Count {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 = self.0.saturating_add(bytes.len());
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut count = Count(FRAME);
    // Counting does not fail, and steps are JSON.
    let written = serde_json::to_writer(&mut count, steps);
    debug_assert!(written.is_ok());
    count.0
}

/// The bytes of the InstallPlan of a bundle whose manifests a catalog holds itself, where they are more than a cluster
/// stores. `content` is asked for only where the manifests are long. Of what OLM cannot read the manifests alone count.
///
/// Of a bundle in an image of its own the plan holds only references.
pub fn excess<'a>(
    manifests: impl Iterator<Item = &'a [u8]> + Clone,
    content: impl FnOnce() -> Option<Content>,
) -> Option<usize> {
    let bytes = manifests.clone().map(<[u8]>::len);
    if bytes.fold(0_usize, usize::saturating_add) < SMALL {
        return None;
    }
    let target = Target {
        namespace: "operators".to_owned(),
        catalog: "catalog".to_owned(),
        catalog_namespace: "olm".to_owned(),
        ..Target::default()
    };
    let steps = content().and_then(|content| of_bundle(&content, &target, "").ok());
    let size = steps.map_or_else(|| manifests.map(escaped).sum(), |steps| size(&in_order(steps)));
    (size > OBJECT).then_some(size)
}

/// What is to be said of a bundle whose manifests an index is to hold itself, where they are more than OLM can take
/// from there.
pub fn inline_finding<'a>(csv: &'a Value, others: impl Iterator<Item = &'a Value> + Clone) -> Option<Diagnostic> {
    let objects = std::iter::once(csv).chain(others);
    let texts: Vec<String> = objects.clone().map(canonical::to_string).collect();
    let all = texts.iter().map(String::len).fold(0_usize, usize::saturating_add);
    // An index sends the version twice: by itself and among the objects.
    let message = all.saturating_add(texts.first().map_or(0, String::len));
    let why = if message > MESSAGE {
        format!("a message of {message} bytes, and OLM takes {MESSAGE}")
    } else {
        let content = || Content::of_objects("", objects.clone().cloned());
        let size = excess(texts.iter().map(String::as_bytes), content)?;
        format!("an InstallPlan of {size} bytes, and a cluster stores objects of at most {OBJECT}")
    };
    let message =
        format!("an index that holds the manifests of this bundle itself makes {why}, so OLM cannot install it");
    Some(Diagnostic::new(&rules::BUNDLE_INLINE_SIZE, message))
}

/// The bytes of a manifest as a string of JSON.
fn escaped(manifest: &[u8]) -> usize {
    manifest.len() + manifest.iter().filter(|byte| b"\"\\".contains(byte)).count()
}

#[cfg(test)]
mod tests {
    use super::super::content::tests::content;
    use super::super::tests::csv;
    use super::*;
    use serde_json::{Value, json};

    /// A version with this many rules for each of two accounts, and a ConfigMap with this text.
    fn bundle(rules: usize, text: &str) -> Content {
        let rule =
            |index: usize| json!({"apiGroups": ["example.com"], "resources": [format!("r{index}")], "verbs": ["get"]});
        let rules: Vec<Value> = (0..rules).map(rule).collect();
        let permission = |account: &str| json!({"serviceAccountName": account, "rules": rules});
        let mut csv = csv("memo.v1");
        csv["spec"]["install"]["spec"]["clusterPermissions"] = json!([permission("a"), permission("b")]);
        let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "m"}, "data": {"text": text}});
        content(csv, vec![map])
    }

    #[test]
    fn generated_rbac_and_escapes_count() {
        let long = vec![b' '; SMALL];
        let of = |bundle: Content| excess(std::iter::once(&long[..]), || Some(bundle));
        assert_eq!(of(bundle(1, "small")), None);
        assert!(of(bundle(1, &"x".repeat(OBJECT))).unwrap() > OBJECT);
        // A quote is written with a backslash in the manifest, and both with one more in the plan.
        assert!(of(bundle(1, &"\"".repeat(OBJECT / 4))).unwrap() > OBJECT);
        assert_eq!(of(bundle(1, &"x".repeat(OBJECT / 4))), None);
        // The rules stand in the version, and once more in the roles that OLM makes of it.
        let many = bundle(6000, "");
        let version = many.csv.to_string();
        let escaped = version.len() + version.matches('"').count();
        assert!(escaped < OBJECT, "{escaped}");
        assert!(of(many).unwrap() > OBJECT);
        assert_eq!(
            excess(std::iter::once(&long[1..]), || Some(bundle(6000, ""))),
            None,
            "nobody looks"
        );
        let quotes = vec![b'"'; OBJECT];
        assert_eq!(excess(std::iter::once(&quotes[..]), || None), Some(2 * OBJECT));
    }
}
