//! The size of an InstallPlan, which a cluster stores as one object.

use super::{Content, Csv, Step, Target, in_order, name_of, of_bundle};
use crate::csv;
use crate::diagnostic::Diagnostic;
use crate::olm::limits::{MESSAGE, OBJECT};
use crate::rules;
use memchr::memchr_iter;
use memchr::memmem::Finder;
use serde_json::{Value, json};
use std::io::{self, Write};

/// The size of an InstallPlan apart from its steps: its names, its owners and its conditions.
const FRAME: usize = 512;
/// The total size of manifests below which their plan is never too large, regardless of the number of escapes and
/// steps.
const SMALL: usize = 64 << 10;
/// The maximum size of a step apart from its manifest.
const STEP: usize = 4 << 10;
/// The maximum number of steps for an account of a version: the account, and a role and a binding in each scope.
const STEPS_OF_ACCOUNT: usize = 5;

/// Returns the size in bytes of the InstallPlan of these steps, as a cluster stores it. The manifest of each step is an
/// escaped JSON string.
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
    // Counting never fails, and steps can always be serialized.
    let written = serde_json::to_writer(&mut count, steps);
    debug_assert!(written.is_ok());
    count.0
}

/// Returns the size in bytes of the InstallPlan of a bundle whose manifests a catalog embeds, if the plan is too large
/// for a cluster. `content` is called only if the manifests are long. If OLM cannot read the bundle, only the size of
/// the manifests is used.
///
/// For a bundle in its own image, the plan contains only references.
pub fn excess<'a>(
    manifests: impl Iterator<Item = &'a [u8]> + Clone,
    content: impl FnOnce() -> Option<Content>,
) -> Option<usize> {
    let bytes = manifests.clone().map(<[u8]>::len);
    if bytes.fold(0_usize, usize::saturating_add) < SMALL || at_most(manifests.clone()) <= OBJECT {
        return None;
    }
    let steps = content().and_then(|content| of_bundle(&content, &usual_target(), "").ok());
    let size = steps.map_or_else(|| manifests.map(escaped).sum(), |steps| size(&in_order(steps)));
    (size > OBJECT).then_some(size)
}

/// Returns a target with names of usual lengths.
fn usual_target() -> Target {
    Target {
        namespace: "operators".to_owned(),
        catalog: "catalog".to_owned(),
        catalog_namespace: "olm".to_owned(),
        ..Target::default()
    }
}

/// Returns a finding if OLM could not install a bundle from an index that embeds its manifests, because of their size.
/// Each object comes with its canonical text.
pub fn inline_finding<'a>(
    csv: (&'a Value, &'a [u8]),
    others: impl Iterator<Item = (&'a Value, &'a [u8])> + Clone,
) -> Option<Diagnostic> {
    let texts = std::iter::once(csv).chain(others.clone()).map(|(_, text)| text);
    // An index sends the version twice: separately and among the objects.
    let message = texts.clone().map(<[u8]>::len).fold(csv.1.len(), usize::saturating_add);
    let why = if message > MESSAGE {
        format!("the message about the bundle would take {message} bytes, but OLM accepts at most {MESSAGE} bytes")
    } else if at_most(texts) <= OBJECT {
        return None;
    } else {
        let plan = inline_plan(csv, others);
        if plan <= OBJECT {
            return None;
        }
        format!("the InstallPlan would take {plan} bytes, but a cluster stores objects of at most {OBJECT} bytes")
    };
    let message =
        format!("with an index that embeds the manifests of this bundle, {why}, so OLM cannot install the bundle");
    Some(Diagnostic::new(&rules::BUNDLE_INLINE_SIZE, message))
}

/// Returns the size of the InstallPlan of a bundle whose manifests an index embeds. If OLM cannot read the version,
/// returns the size of the manifests in it. Only the steps of the version and its generated RBAC are created; all other
/// objects are measured one by one.
fn inline_plan<'a>(csv: (&'a Value, &'a [u8]), others: impl Iterator<Item = (&'a Value, &'a [u8])>) -> usize {
    let (csv, text) = csv;
    let target = usual_target();
    let own = Content::of_objects("", [csv.clone()]).and_then(|content| of_bundle(&content, &target, "").ok());
    let resolving = Csv(csv).name();
    let of_other = |(object, text): (&Value, &[u8])| {
        let kind = object.get("kind").and_then(Value::as_str);
        match (&own, kind) {
            (None, _) => escaped(text),
            // Not part of the plan.
            (Some(_), None | Some(csv::KIND)) => 0,
            (Some(_), Some(_)) => frame(resolving, object, &target) + escaped(text),
        }
    };
    let of_version = own.as_deref().map_or_else(|| escaped(text), size);
    others.map(of_other).fold(of_version, usize::saturating_add)
}

/// Returns the size of the step of an object apart from its manifest, with the comma before the step.
fn frame(resolving: &str, object: &Value, target: &Target) -> usize {
    let identity = json!({
        "apiVersion": object.get("apiVersion"),
        "kind": object.get("kind"),
        "metadata": {"name": name_of(object)},
    });
    let mut step = Step::of(resolving, identity, target);
    step.resource.manifest = Value::Null;
    serde_json::to_string(&step).map_or(0, |step| ",".len() + step.len() - "null".len())
}

/// The bytes of JSON text for which a plan may need more than one byte, each with the number of additional bytes. A
/// byte that Go might escape as `\uXXXX` needs seven bytes, because the plan escapes the backslash once more.
const ESCAPED: [(u8, usize); 6] = [(b'"', 1), (b'\\', 1), (b'<', 6), (b'>', 6), (b'&', 6), (0xE2, 6)];

/// Returns an upper bound on the size of the plan of these manifests, without creating it. The version counts twice,
/// because the plan repeats its rules, and all other manifests count once. There is no bound for YAML, because its size
/// as JSON is unknown.
fn at_most<'a>(manifests: impl Iterator<Item = &'a [u8]>) -> usize {
    let [compact, spaced] = [&b"\"apiVersion\":\""[..], b"\"apiVersion\": \""].map(Finder::new);
    let (version, account) = (Finder::new(csv::KIND), Finder::new("\"serviceAccountName\""));
    let of_one = |manifest: &[u8]| {
        if !manifest.trim_ascii_start().starts_with(b"{") {
            return usize::MAX;
        }
        // A manifest may contain several objects in sequence.
        let objects = 1 + compact.find_iter(manifest).count() + spaced.find_iter(manifest).count();
        let added = |(byte, added)| added * memchr_iter(byte, manifest).count();
        let planned = manifest.len() + ESCAPED.map(added).iter().sum::<usize>();
        if version.find(manifest).is_none() {
            return planned + STEP * objects;
        }
        2 * planned + STEP * (objects + STEPS_OF_ACCOUNT * account.find_iter(manifest).count())
    };
    manifests.map(of_one).fold(FRAME, usize::saturating_add)
}

/// Returns the size of a manifest as a JSON string.
fn escaped(manifest: &[u8]) -> usize {
    manifest.len() + memchr_iter(b'"', manifest).count() + memchr_iter(b'\\', manifest).count()
}

#[cfg(test)]
mod tests {
    use super::super::content::tests::content;
    use super::super::tests::csv;
    use super::*;
    use crate::text::canonical;
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
    fn no_plan_is_larger_than_estimated_from_its_manifests() {
        let target = Target::default();
        for (rules, text) in [
            (0, "x"),
            (1, "<<>>&&\u{2028}"),
            (500, "\"\\\n"),
            (3000, ""),
            (1, &"\"".repeat(OBJECT / 5000)),
        ] {
            let bundle = bundle(rules, &text.repeat(1000));
            let mut manifests = vec![canonical::to_string(&bundle.csv)];
            manifests.extend(bundle.objects.iter().map(canonical::to_string));
            let size = size(&in_order(of_bundle(&bundle, &target, "").unwrap()));
            let bound = at_most(manifests.iter().map(String::as_bytes));
            assert!(size <= bound, "{size} {bound}");
        }
        assert_eq!(at_most(std::iter::once(&b"kind: ConfigMap"[..])), usize::MAX);
    }

    #[test]
    fn the_plan_is_measured_without_its_steps() {
        for (rules, text) in [(0, "x"), (3, "<<>>&&\u{2028}\u{7f}"), (500, "\"\\\n\t\u{1}")] {
            let mut bundle = bundle(rules, &text.repeat(1000));
            bundle
                .objects
                .push(json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"generateName": "s"}}));
            bundle.objects.push(json!({"kind": "Odd"}));
            bundle.objects.push(json!({"metadata": {"name": "of no kind"}}));
            bundle.objects.push(csv("memo.v2"));
            let objects = std::iter::once(&bundle.csv).chain(&bundle.objects).cloned();
            let content = Content::of_objects("", objects).unwrap();
            let steps = of_bundle(&content, &usual_target(), "").unwrap();
            let texts: Vec<String> = bundle.objects.iter().map(canonical::to_string).collect();
            let others = bundle.objects.iter().zip(texts.iter().map(String::as_bytes));
            let csv = canonical::to_string(&bundle.csv);
            assert_eq!(
                inline_plan((&bundle.csv, csv.as_bytes()), others),
                size(&in_order(steps))
            );
        }
        let mut unreadable = csv("memo.v1");
        unreadable["spec"]["keywords"] = json!("all");
        let other = json!({"a": "\""});
        let manifests = [&unreadable, &other].map(canonical::to_string);
        let all: usize = manifests.iter().map(|manifest| escaped(manifest.as_bytes())).sum();
        let [csv, text] = manifests.each_ref().map(String::as_bytes);
        assert_eq!(inline_plan((&unreadable, csv), std::iter::once((&other, text))), all);
    }

    #[test]
    fn generated_rbac_and_escapes_are_counted() {
        let long = vec![b' '; SMALL];
        let of = |bundle: Content| excess(std::iter::once(&long[..]), || Some(bundle));
        assert_eq!(of(bundle(1, "small")), None);
        assert!(of(bundle(1, &"x".repeat(OBJECT))).unwrap() > OBJECT);
        // The manifest escapes a quote with a backslash, and the plan escapes both characters again.
        assert!(of(bundle(1, &"\"".repeat(OBJECT / 4))).unwrap() > OBJECT);
        assert_eq!(of(bundle(1, &"x".repeat(OBJECT / 4))), None);
        // The rules are in the version, and also in the roles that OLM generates from it.
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
