//! Names with invisible characters are rejected wherever names are read.

use crate::common::{Outcome, Sandbox, copy_folder};
use crate::visible_text::operator;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

const RULE: &str = "name-hidden-character";

/// A line break, a tab, an escape character, a C1 control, a direction override, and a zero-width character.
const HIDDEN: [&str; 6] = ["\n", "\t", "\u{1b}", "\u{9b}", "\u{202e}", "\u{200b}"];

/// The findings of the rule, each as its file, its line and its message.
fn found(outcome: &Outcome, list: &str) -> Vec<(String, u64, String)> {
    let report: Value = serde_json::from_str(&outcome.stdout).unwrap();
    let findings = report.pointer(list).and_then(Value::as_array).unwrap();
    let of_rule = findings.iter().filter(|finding| finding["rule"] == RULE);
    let parts = of_rule.map(|finding| {
        assert_eq!(finding["severity"], "error", "{finding}");
        let text = |key: &str| finding[key].as_str().unwrap().to_owned();
        (text("file"), finding["line"].as_u64().unwrap(), text("message"))
    });
    parts.collect()
}

#[test]
fn bundle_validate_reports_hidden_characters_with_file_and_line() {
    for hidden in HIDDEN {
        let sandbox = Sandbox::new();
        operator(&sandbox, "rake", hidden, "");
        let outcome = sandbox.run(["bundle", "validate", "rake", "-o", "json"]);
        assert_eq!(outcome.status, Some(1), "{outcome}");
        let code = format!("U+{:04X}", u32::from(hidden.chars().next().unwrap()));
        let found = found(&outcome, "/bundles/0/findings");
        assert!(
            found
                .iter()
                .all(|(_, line, message)| *line > 0 && message.contains(&code)),
            "{found:?}"
        );
        let names: BTreeSet<&str> = found
            .iter()
            .filter_map(|(_, _, message)| message.split('"').next())
            .collect();
        for name in [
            "the package ",
            "one of the channels ",
            "the default channel ",
            "the name ",
            "the replaces ",
            "the type ",
            "the packageName ",
            "the image ",
            "the key ",
            "the serviceAccountName ",
        ] {
            assert!(names.contains(name), "{name}is not among {names:?}");
        }
        let files: BTreeSet<&str> = found.iter().map(|(file, ..)| file.as_str()).collect();
        assert_eq!(files.len(), 5, "{files:?}");
    }
}

/// Names in plain manifests, and in `olm.yaml`, from which the names in a ClusterServiceVersion are derived.
#[test]
fn bundle_validate_checks_manifests_of_plain_bundles() {
    let original = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/greenhouse-operator");
    for (file, from, to) in [
        ("manifests/crds.yaml", "kind: Greenhouse\n", "kind: \"Green\\thouse\"\n"),
        (
            "manifests/deployment.yaml",
            "serviceAccountName: ",
            "serviceAccountName: \"\\u202e\" # ",
        ),
        (
            "metadata/olm.yaml",
            "version: 1.2.0\n",
            "version: 1.2.0\nnativeAPIs: [{group: g, version: v1, kind: \"K\\x1b\"}]\n",
        ),
    ] {
        let sandbox = Sandbox::new();
        copy_folder(&original, &sandbox.path("bundle"));
        let path = sandbox.path("bundle").join(file);
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(from), "{file}");
        fs::write(&path, text.replacen(from, to, 1)).unwrap();
        let outcome = sandbox.run(["bundle", "validate", "bundle", "-o", "json"]);
        let found = found(&outcome, "/bundles/0/findings");
        assert!(
            found.iter().any(|(named, ..)| named.ends_with(file)),
            "{file}: {found:?}"
        );
    }
}

#[test]
fn no_index_accepts_hidden_characters() {
    let sandbox = Sandbox::new();
    operator(&sandbox, "sound", "", "");
    assert_eq!(
        sandbox
            .run(["registry", "add", "-q", "-b", "sound", "-d", "index.db"])
            .status,
        Some(0)
    );
    let before = fs::read(sandbox.path("index.db")).unwrap();
    for (number, hidden) in HIDDEN.iter().enumerate() {
        let folder = format!("rake{number}");
        operator(&sandbox, &folder, hidden, "");
        for line in [
            format!("registry add -b {folder} -d index.db"),
            format!("registry add -b {folder} -d new.db"),
            format!("index add -f index.db -b {folder} -t oci:other:v1"),
            format!("bundle build {folder} -t oci:image:v1"),
        ] {
            let outcome = sandbox.run(line.split(' '));
            assert_eq!(outcome.status, Some(1), "{line}: {outcome}");
            assert!(
                outcome.stderr.contains(&format!("error[{RULE}]: ")),
                "{line}: {outcome}"
            );
        }
    }
    assert_eq!(fs::read(sandbox.path("index.db")).unwrap(), before);
    for absent in ["new.db", "other", "image"] {
        assert!(!sandbox.path(absent).exists(), "{absent}");
    }
}

#[test]
fn validate_reports_hidden_characters_of_a_catalog_with_file_and_line() {
    for hidden in HIDDEN {
        let sandbox = Sandbox::new();
        let named = |name: &str| format!("{name}{hidden}");
        let documents = [
            json!({"schema": "olm.package", "name": named("etcd"), "defaultChannel": named("stable")}),
            json!({"schema": "olm.channel", "package": named("etcd"), "name": named("stable"), "entries": [
                {"name": named("etcd.v1.0.0"), "replaces": named("etcd.v0.9.0"), "skips": [named("etcd.v0.8.0")]},
            ]}),
            json!({"schema": "olm.bundle", "package": named("etcd"), "name": named("etcd.v1.0.0"), "image": named("registry.example.com/etcd:1"),
                "properties": [
                    {"type": "olm.package", "value": {"packageName": named("etcd"), "version": "1.0.0"}},
                    {"type": named("acme.note"), "value": 1},
                ],
                "relatedImages": [{"name": named("agent"), "image": "registry.example.com/agent:1"}],
            }),
            json!({"schema": "olm.deprecations", "package": named("etcd"), "entries": [
                {"reference": {"schema": "olm.bundle", "name": named("etcd.v1.0.0")}, "message": "old"},
            ]}),
        ];
        fs::create_dir(sandbox.path("catalog")).unwrap();
        let lines: Vec<String> = documents.iter().map(Value::to_string).collect();
        fs::write(sandbox.path("catalog/catalog.json"), lines.join("\n")).unwrap();
        let outcome = sandbox.run(["validate", "catalog", "-o", "json"]);
        assert_eq!(outcome.status, Some(1), "{outcome}");
        let found = found(&outcome, "/findings");
        let places: BTreeSet<(u64, &str)> = found
            .iter()
            .filter_map(|(_, line, message)| Some((*line, message.split(' ').next()?)))
            .collect();
        let expected = [
            (1, "defaultChannel"),
            (1, "name"),
            (2, "entries[0].name"),
            (2, "entries[0].replaces"),
            (2, "entries[0].skips[0]"),
            (2, "name"),
            (2, "package"),
            (3, "image"),
            (3, "name"),
            (3, "package"),
            (3, "properties[0].value.packageName"),
            (3, "properties[1].type"),
            (3, "relatedImages[0].name"),
            (4, "entries[0].reference.name"),
            (4, "package"),
        ];
        assert_eq!(places, BTreeSet::from(expected), "{hidden:?}");
        assert!(
            found.iter().all(|(file, ..)| file == "catalog/catalog.json"),
            "{found:?}"
        );
    }
}

/// A file name can contain anything but a slash and a null byte.
#[test]
fn hidden_characters_in_file_names_of_a_bundle_are_rejected() {
    for hidden in HIDDEN {
        let sandbox = Sandbox::new();
        operator(&sandbox, "rake", "", "");
        let files = [
            format!("metadata/no{hidden}te.yaml"),
            format!("tests/a{hidden}b/config.yaml"),
        ];
        for file in &files {
            let file = sandbox.path("rake").join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, "a: 1\n").unwrap();
        }
        let outcome = sandbox.run(["bundle", "validate", "rake", "-o", "json"]);
        assert_eq!(outcome.status, Some(1), "{outcome}");
        let found = found(&outcome, "/bundles/0/findings");
        let named: Vec<_> = found.iter().map(|(file, ..)| file.as_str()).collect();
        assert_eq!(named, files.each_ref().map(|file| format!("rake/{file}")), "{outcome}");
        assert!(
            found.iter().all(|(.., message)| message.starts_with("the path ")),
            "{found:?}"
        );
        for line in ["registry add -b rake -d index.db", "bundle build rake -t oci:image:v1"] {
            let outcome = sandbox.run(line.split(' '));
            assert_eq!(outcome.status, Some(1), "{line}: {outcome}");
            assert!(
                outcome.stderr.contains(&format!("error[{RULE}]: the path ")),
                "{outcome}"
            );
        }
        assert!(!sandbox.path("index.db").exists() && !sandbox.path("image").exists());
    }
}

#[test]
fn hidden_characters_in_file_names_of_a_catalog_are_rejected() {
    for hidden in HIDDEN {
        let sandbox = Sandbox::new();
        let file = format!("catalog/a{hidden}b/pack{hidden}age.json");
        fs::create_dir_all(sandbox.path(&file).parent().unwrap()).unwrap();
        fs::write(sandbox.path(&file), "").unwrap();
        let outcome = sandbox.run(["validate", "catalog", "-o", "json"]);
        assert_eq!(outcome.status, Some(1), "{outcome}");
        let found = found(&outcome, "/findings");
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!((found[0].0.as_str(), found[0].1), (file.as_str(), 1));
    }
}

#[test]
fn names_in_every_script_are_accepted() {
    let sandbox = Sandbox::new();
    operator(&sandbox, "rake", "", "Über 日本 👩‍💻 می‌خواهم\n\tIndented.\n");
    let outcome = sandbox.run(["bundle", "validate", "rake"]);
    assert!(!outcome.stdout.contains(RULE), "{outcome}");
}
