use super::*;
use crate::bundle::{self, BundleLimits};
use crate::tree::Tree;
use serde_json::json;

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
    let entries = related::entries(first, BTreeSet::from(["side".to_owned()]));
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
