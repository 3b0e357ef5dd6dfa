//! The size of an InstallPlan, which a cluster stores as one object.

use super::{Content, Csv, Step, Target, in_order, name_of, of_bundle};
use crate::csv;
use crate::diagnostic::Diagnostic;
use crate::olm::limits::{MESSAGE, OBJECT};
use crate::rules;
use crate::text::canonical;
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
pub fn inline_finding<'a>(csv: &'a Value, others: impl Iterator<Item = &'a Value> + Clone) -> Option<Diagnostic> {
    if is_small(csv, others.clone()) {
        return None;
    }
    let Inline { message, plan } = inline(csv, others);
    let why = if message > MESSAGE {
        format!("the message about the bundle would take {message} bytes, but OLM accepts at most {MESSAGE} bytes")
    } else if plan > OBJECT {
        format!("the InstallPlan would take {plan} bytes, but a cluster stores objects of at most {OBJECT} bytes")
    } else {
        return None;
    };
    let message =
        format!("with an index that embeds the manifests of this bundle, {why}, so OLM cannot install the bundle");
    Some(Diagnostic::new(&rules::BUNDLE_INLINE_SIZE, message))
}

/// The sizes in bytes of what an index that embeds a bundle's manifests causes.
#[derive(Debug, PartialEq, Eq)]
struct Inline {
    /// The message about the bundle.
    message: usize,
    /// The InstallPlan. If OLM cannot read the version, the size of the manifests in it.
    plan: usize,
}

/// Returns the sizes for a bundle. Only the steps of the version and its generated RBAC are created; all other objects
/// are measured one by one.
fn inline<'a>(csv: &'a Value, others: impl Iterator<Item = &'a Value>) -> Inline {
    let target = usual_target();
    let own = Content::of_objects("", [csv.clone()]).and_then(|content| of_bundle(&content, &target, "").ok());
    let resolving = Csv(csv).name();
    let mut text = Vec::new();
    let mut sizes = |object: &Value| {
        text.clear();
        canonical::write(object, &mut text);
        (text.len(), escaped(&text))
    };
    let (bytes, manifest) = sizes(csv);
    // An index sends the version twice: separately and among the objects.
    let mut message = 2 * bytes;
    let mut plan = own.as_deref().map_or(manifest, size);
    for object in others {
        let (bytes, manifest) = sizes(object);
        message = message.saturating_add(bytes);
        let kind = object.get("kind").and_then(Value::as_str);
        let step = match (&own, kind) {
            (None, _) => manifest,
            // Not part of the plan.
            (Some(_), None | Some(csv::KIND)) => 0,
            (Some(_), Some(_)) => frame(resolving, object, &target) + manifest,
        };
        plan = plan.saturating_add(step);
    }
    Inline { message, plan }
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

/// Upper bounds on the size of JSON: as Go writes it, and as a string in a plan.
#[derive(Debug, Clone, Copy, Default)]
struct Bytes {
    written: usize,
    planned: usize,
}

impl Bytes {
    /// Returns the size of every possible byte in JSON text (if `json` is set) or in a string. A byte that Go or JSON
    /// might escape as `\uXXXX` counts as six bytes. In the plan, each quote and backslash needs one more backslash.
    const fn weigh(json: bool) -> [Bytes; 256] {
        let mut weights = [Self { written: 0, planned: 0 }; 256];
        let mut byte = 0_u8;
        loop {
            let weight = match (byte, json) {
                (b'"' | b'\\', true) => Self { written: 1, planned: 2 },
                (b'"' | b'\\', false) => Self { written: 2, planned: 4 },
                (b'\n' | b'\r' | b'\t', false) => Self { written: 2, planned: 3 },
                (b'<' | b'>' | b'&' | 0xE2, _) | (..0x20, false) => Self { written: 6, planned: 7 },
                _ => Self { written: 1, planned: 1 },
            };
            weights[byte as usize] = weight;
            if byte == u8::MAX {
                return weights;
            }
            byte += 1;
        }
    }

    /// Returns the size of JSON text, or of the content of a JSON string.
    fn of_text(text: &[u8], weights: &[Bytes; 256]) -> Self {
        let mut bytes = Self::default();
        for byte in text {
            let weight = weights.get(usize::from(*byte)).copied().unwrap_or_default();
            bytes.written += weight.written;
            bytes.planned += weight.planned;
        }
        bytes
    }

    /// Returns the size of the content of a string.
    fn of_string(text: &str) -> Self {
        static WEIGHTS: [Bytes; 256] = Bytes::weigh(false);
        Self::of_text(text.as_bytes(), &WEIGHTS)
    }

    /// Like [`Bytes::of_string`], but a larger bound, for which the string is not read.
    fn of_any_string(text: &str) -> Self {
        Self {
            written: 6 * text.len(),
            planned: 7 * text.len(),
        }
    }

    /// Adds a value and a comma. `string` returns the size of the content of a string.
    fn add(&mut self, value: &Value, string: fn(&str) -> Self) {
        /// The length of the longest number that Go writes.
        const NUMBER: usize = 26;
        let fixed = match value {
            Value::Null | Value::Bool(_) => 6,
            Value::Number(_) => NUMBER,
            Value::String(text) => {
                self.add_string(string(text));
                1
            }
            Value::Array(items) => {
                for item in items {
                    self.add(item, string);
                }
                3
            }
            Value::Object(fields) => {
                for (key, value) in fields {
                    self.add_string(string(key));
                    self.add(value, string);
                }
                3 + fields.len()
            }
        };
        self.written += fixed;
        self.planned += fixed;
    }

    /// Adds the content of a string, with quotes.
    fn add_string(&mut self, content: Self) {
        self.written += content.written + 2;
        self.planned += content.planned + 4;
    }
}

/// Returns an upper bound on the size of the plan of these manifests, without creating it. The version counts twice,
/// because the plan repeats its rules, and all other manifests count once. There is no bound for YAML, because its size
/// as JSON is unknown.
fn at_most<'a>(manifests: impl Iterator<Item = &'a [u8]>) -> usize {
    static WEIGHTS: [Bytes; 256] = Bytes::weigh(true);
    let [compact, spaced] = [&b"\"apiVersion\":\""[..], b"\"apiVersion\": \""].map(Finder::new);
    let (version, account) = (Finder::new(csv::KIND), Finder::new("\"serviceAccountName\""));
    let of_one = |manifest: &[u8]| {
        if !manifest.trim_ascii_start().starts_with(b"{") {
            return usize::MAX;
        }
        // A manifest may contain several objects in sequence.
        let objects = 1 + compact.find_iter(manifest).count() + spaced.find_iter(manifest).count();
        let planned = Bytes::of_text(manifest, &WEIGHTS).planned;
        if version.find(manifest).is_none() {
            return planned + STEP * objects;
        }
        2 * planned + STEP * (objects + STEPS_OF_ACCOUNT * account.find_iter(manifest).count())
    };
    manifests.map(of_one).fold(FRAME, usize::saturating_add)
}

/// Whether OLM can certainly install these objects from an index that embeds them. The objects are not serialized for
/// this check, and the strings of most bundles are not read.
fn is_small<'a>(csv: &'a Value, others: impl Iterator<Item = &'a Value> + Clone) -> bool {
    is_small_with(csv, others.clone(), Bytes::of_any_string) || is_small_with(csv, others, Bytes::of_string)
}

/// Like [`is_small`]. `string` returns the size of the content of a string.
fn is_small_with<'a>(csv: &'a Value, others: impl Iterator<Item = &'a Value>, string: fn(&str) -> Bytes) -> bool {
    let bytes = |value: &Value| {
        let mut bytes = Bytes::default();
        bytes.add(value, string);
        bytes
    };
    let of_csv = bytes(csv);
    let list = |pointer: &str| csv.pointer(pointer).and_then(Value::as_array).map_or(0, Vec::len);
    let accounts = list("/spec/install/spec/permissions") + list("/spec/install/spec/clusterPermissions");
    let mut message = 2 * of_csv.written;
    let mut plan = FRAME + 2 * of_csv.planned + STEP * (1 + STEPS_OF_ACCOUNT * accounts);
    for other in others {
        let bytes = bytes(other);
        message = message.saturating_add(bytes.written);
        plan = plan.saturating_add(bytes.planned + STEP);
    }
    message <= MESSAGE && plan <= OBJECT
}

/// Returns the size of a manifest as a JSON string.
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
            for string in [Bytes::of_any_string, Bytes::of_string] {
                let is_small = is_small_with(&bundle.csv, bundle.objects.iter(), string);
                assert!(size <= OBJECT || !is_small, "{size}");
            }
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
            let sizes = inline(&bundle.csv, bundle.objects.iter());
            assert_eq!(sizes.plan, size(&in_order(steps)));
            let objects = bundle.objects.iter().map(|object| canonical::to_string(object).len());
            let message = 2 * canonical::to_string(&bundle.csv).len() + objects.sum::<usize>();
            assert_eq!(sizes.message, message);
        }
        let mut unreadable = csv("memo.v1");
        unreadable["spec"]["keywords"] = json!("all");
        let other = json!({"a": "\""});
        let manifests = [&unreadable, &other].map(canonical::to_string);
        let all: usize = manifests.iter().map(|manifest| escaped(manifest.as_bytes())).sum();
        assert_eq!(inline(&unreadable, std::iter::once(&other)).plan, all);
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
