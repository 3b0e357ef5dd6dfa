//! Memory: input that would take too much memory is rejected with the exceeded limit before it is loaded. A value takes
//! a hundred bytes of memory and two bytes of text, and compressed content a thousandth of that.

use crate::common::Sandbox;
use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};
use std::fs;
use std::path::Path;
use std::process::Command;

/// The size of a hostile file in bytes; for most of them, a tenth of it would use all available memory.
const BYTES: usize = 4 << 20;

/// The memory limit of a command in KiB: what it uses without work, and 100 MB.
const MEMORY: &str = "131072";

/// Returns a command with little memory.
fn limited(sandbox: &Sandbox, arguments: &[&str]) -> Command {
    let mut command = Command::new("sh");
    command.args([
        "-c",
        "ulimit -d \"$0\" && exec \"$@\"",
        MEMORY,
        env!("CARGO_BIN_EXE_opmx"),
    ]);
    command.args(arguments);
    sandbox.surround(&mut command);
    command
}

/// Asserts that a command rejects its input with all of `words` in its message, and with little memory.
fn refused(sandbox: &Sandbox, arguments: &[&str], words: &[&str]) {
    let outcome = sandbox.finish(&mut limited(sandbox, arguments));
    let said: String = outcome
        .stderr
        .chars()
        .chain(outcome.stdout.chars())
        .take(4_000)
        .collect();
    assert_eq!(outcome.status, Some(1), "{arguments:?}: {said}");
    for word in words {
        assert!(said.contains(word), "{arguments:?} does not say {word:?}: {said}");
    }
}

fn write(sandbox: &Sandbox, path: &str, content: impl AsRef<[u8]>) {
    let path = sandbox.path(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

/// Texts that use much more memory than they have bytes, each with its file name.
fn hostile() -> Vec<(&'static str, String)> {
    let repeated = |before: &str, part: &str, after: &str| {
        let parts = part.repeat((BYTES - before.len() - after.len()) / part.len());
        format!("{before}{parts}{after}")
    };
    let keys: String = (0..BYTES / 10).map(|number| format!("k{number:x}:\n")).collect();
    vec![
        ("numbers.yaml", repeated("a: [", "0,", "0]\n")),
        ("maps.yaml", repeated("a: [", "{},", "{}]\n")),
        ("items.yaml", repeated("", "- \n", "")),
        ("keys.yaml", keys),
        ("anchors.yaml", repeated("a: [", "&a 0,", "0]\n")),
        ("numbers.json", repeated("[", "0,", "0]")),
        ("strings.json", repeated("{\"a\": [", "\"\",", "\"\"]}")),
        // JSON in a string, which readers of annotations parse.
        ("annotation.yaml", repeated("a: '[", "0,", "0]'\n")),
    ]
}

fn bundle(sandbox: &Sandbox, folder: &str) {
    write(
        sandbox,
        &format!("{folder}/metadata/annotations.yaml"),
        "annotations:\n  operators.operatorframework.io.bundle.mediatype.v1: registry+v1\n  \
         operators.operatorframework.io.bundle.manifests.v1: manifests/\n  \
         operators.operatorframework.io.bundle.metadata.v1: metadata/\n  \
         operators.operatorframework.io.bundle.package.v1: hostile\n  \
         operators.operatorframework.io.bundle.channels.v1: stable\n",
    );
}

#[test]
fn a_manifest_with_too_many_values_is_rejected_within_100_mb() {
    for (name, text) in hostile() {
        let sandbox = Sandbox::new();
        bundle(&sandbox, "bundle");
        let path = format!("bundle/manifests/{name}");
        write(&sandbox, &path, text);
        let says = ["yaml-too-many-values", &path, "500000 keys and values", "--max-values"];
        let says = if name == "anchors.yaml" { &says[1..2] } else { &says[..] };
        refused(&sandbox, &["bundle", "validate", "bundle"], says);
    }
}

#[test]
fn a_manifest_with_only_wrong_values_below_the_limit_is_checked_within_100_mb() {
    let sandbox = Sandbox::new();
    for item in ["1,", "{},"] {
        bundle(&sandbox, "bundle");
        let items = item.repeat(200_000);
        let csv = format!(
            "apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nmetadata:\n  name: hostile.v1.0.0\n\
             spec:\n  version: 1.0.0\n  keywords: [{items}]\n"
        );
        write(&sandbox, "bundle/manifests/hostile.clusterserviceversion.yaml", csv);
        refused(
            &sandbox,
            &["bundle", "validate", "bundle"],
            &["spec.keywords[0] must be"],
        );
    }
}

#[test]
fn the_limit_applies_to_all_files_of_a_bundle_together() {
    let sandbox = Sandbox::new();
    bundle(&sandbox, "bundle");
    let text = format!("a: [{}0]\n", "0,".repeat(200_000));
    for number in 0..4 {
        write(&sandbox, &format!("bundle/manifests/{number}.yaml"), &text);
    }
    let says = [
        "bundle/manifests/2.yaml:1:",
        "the files together exceed the limit of 500000 keys and values",
    ];
    refused(&sandbox, &["bundle", "validate", "bundle"], &says);
}

#[test]
fn a_bundle_with_too_many_documents_is_rejected_within_100_mb() {
    let sandbox = Sandbox::new();
    bundle(&sandbox, "bundle");
    let text = "a\n---\n".repeat(9_000);
    for number in 0..40 {
        write(&sandbox, &format!("bundle/manifests/{number}.yaml"), &text);
    }
    let says = ["the files together exceed the limit of 500000 keys and values"];
    refused(&sandbox, &["bundle", "validate", "bundle"], &says);
}

#[test]
fn the_alias_limit_applies_to_many_small_files_together() {
    let sandbox = Sandbox::new();
    bundle(&sandbox, "bundle");
    let text = format!(
        "a: &a [{}]\nb: &b [{}]\nc: [{}]\n",
        vec!["x"; 100].join(", "),
        vec!["*a"; 30].join(", "),
        vec!["*b"; 30].join(", ")
    );
    for number in 0..100 {
        write(&sandbox, &format!("bundle/manifests/{number}.yaml"), &text);
    }
    let says = [
        "yaml-excessive-aliasing",
        "the anchors and aliases make the document too large",
    ];
    refused(&sandbox, &["bundle", "validate", "bundle"], &says);
}

#[test]
fn a_bundle_that_is_too_large_in_total_is_rejected_within_100_mb() {
    let sandbox = Sandbox::new();
    bundle(&sandbox, "bundle");
    let text = "# a comment takes memory, too\n".repeat((15 << 20) / 30);
    for number in 0..6 {
        write(&sandbox, &format!("bundle/manifests/{number}.yaml"), &text);
    }
    refused(&sandbox, &["bundle", "validate", "bundle"], &["--max-total-size"]);
}

#[test]
fn a_small_image_that_expands_is_rejected_within_100_mb() {
    let sandbox = Sandbox::new();
    bundle(&sandbox, "bundle");
    write(&sandbox, "bundle/manifests/numbers.yaml", &hostile()[0].1);
    let compressed = layout(&sandbox.path("bundle"), &sandbox.path("layout"));
    assert!(compressed < 200_000, "{compressed} bytes");
    let says = ["manifests/numbers.yaml:1:", "500000 keys and values", "--max-values"];
    refused(&sandbox, &["bundle", "validate", "oci:layout:v1"], &says);
}

/// Writes the files of a folder to a layout as an image with one layer, and returns its size.
fn layout(folder: &Path, layout: &Path) -> usize {
    let mut tar = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::best()));
    tar.append_dir_all(".", folder).unwrap();
    let layer = tar.into_inner().unwrap().finish().unwrap();
    let blobs = layout.join("blobs/sha256");
    fs::create_dir_all(&blobs).unwrap();
    let put = |bytes: &[u8], media_type: &str| {
        let hex: String = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        fs::write(blobs.join(&hex), bytes).unwrap();
        serde_json::json!({"mediaType": media_type, "digest": format!("sha256:{hex}"), "size": bytes.len()})
    };
    let config =
        serde_json::json!({"architecture": "amd64", "os": "linux", "rootfs": {"type": "layers", "diff_ids": []}});
    let config = put(
        config.to_string().as_bytes(),
        "application/vnd.oci.image.config.v1+json",
    );
    let size = layer.len();
    let layer = put(&layer, "application/vnd.oci.image.layer.v1.tar+gzip");
    let media_type = "application/vnd.oci.image.manifest.v1+json";
    let manifest =
        serde_json::json!({"schemaVersion": 2, "mediaType": media_type, "config": config, "layers": [layer]});
    let mut manifest = put(manifest.to_string().as_bytes(), media_type);
    manifest["annotations"] = serde_json::json!({"org.opencontainers.image.ref.name": "v1"});
    let index = serde_json::json!({"schemaVersion": 2, "manifests": [manifest]});
    fs::write(layout.join("index.json"), index.to_string()).unwrap();
    fs::write(layout.join("oci-layout"), r#"{"imageLayoutVersion":"1.0.0"}"#).unwrap();
    size
}

/// The commands that read a catalog.
const OF_CATALOG: [&[&str]; 3] = [
    &["validate", "catalog"],
    &["render", "catalog"],
    &["serve", "catalog", "--port", "0"],
];

#[test]
fn a_catalog_document_with_too_many_values_is_rejected_within_100_mb() {
    let fields = |count: usize| {
        (0..count)
            .map(|number| format!(",\"{number:x}\":0"))
            .collect::<String>()
    };
    let documents = [
        (
            "catalog.yaml",
            format!("schema: olm.channel\nentries: [{}0]\n", "0,".repeat(BYTES / 2)),
        ),
        (
            "catalog.json",
            format!(
                "{{\"schema\": \"olm.channel\",\n\"entries\": [{}{{}}]}}",
                "{},".repeat(BYTES / 3)
            ),
        ),
        ("catalog.json", format!("{{\"schema\":\"x\"{}}}", fields(BYTES / 10))),
    ];
    for (file, document) in documents {
        let sandbox = Sandbox::new();
        write(&sandbox, &format!("catalog/{file}"), document);
        for command in OF_CATALOG {
            refused(
                &sandbox,
                command,
                &[&format!("catalog/{file}:"), "500000 keys and values"],
            );
        }
    }
}

#[test]
fn a_catalog_is_formatted_document_after_document_within_100_mb() {
    let sandbox = Sandbox::new();
    let document = format!("{{\"schema\":\"x\",\"a\":[{}0]}}\n", "0,".repeat(100_000));
    write(&sandbox, "catalog/catalog.json", document.repeat(10));
    let outcome = sandbox.finish(&mut limited(&sandbox, &["catalog", "fmt", "catalog", "--check"]));
    assert_eq!(outcome.status, Some(3), "{outcome}");
}

#[test]
fn a_catalog_with_too_much_retained_content_is_rejected() {
    let bundle = |number: usize, property: &str| {
        format!(
            "{{\"schema\":\"olm.bundle\",\"package\":\"p\",\"name\":\"p.v{number}\",\"properties\":[{property}]}}\n"
        )
    };
    let property = format!("{{\"type\":\"t\",\"value\":\"{}\"}}", "x".repeat(100_000));
    let documents: [String; 3] = [
        (0..10).map(|number| bundle(number, &property)).collect(),
        (0..5_000).map(|number| bundle(number, "")).collect(),
        // Nothing is kept of them but that they are there.
        (0..5_000)
            .map(|number| format!("{{\"schema\":\"{number}\"}}\n"))
            .collect(),
    ];
    for document in documents {
        let sandbox = Sandbox::new();
        write(&sandbox, "catalog/catalog.json", document);
        for command in OF_CATALOG {
            let command = [command, &["--max-total-size", "1MiB"]].concat();
            let says = ["catalog/catalog.json:", "1048576 bytes", "--max-total-size"];
            refused(&sandbox, &command, &says);
        }
    }
}

#[test]
fn documents_that_are_all_wrong_are_rejected_within_100_mb() {
    let sandbox = Sandbox::new();
    write(&sandbox, "catalog/catalog.json", "{}\n".repeat(150_000));
    refused(
        &sandbox,
        &["validate", "catalog"],
        &["catalog/catalog.json:", "67108864 bytes"],
    );
}

#[test]
fn a_what_if_file_or_dump_with_too_many_values_is_rejected_within_100_mb() {
    let sandbox = Sandbox::new();
    bundle(&sandbox, "bundle");
    for (name, text) in hostile() {
        if name != "anchors.yaml" && name != "annotation.yaml" {
            write(&sandbox, name, &text);
            let says = [name, "500000 keys and values"];
            refused(&sandbox, &["plan", "bundle", "--state", name], &says);
            // A list in a dump is read item by item, and a number is none.
            if name != "numbers.json" {
                refused(&sandbox, &["plan", "bundle", "--cluster", name], &says);
            }
        }
    }
    let item =
        "{\"apiVersion\":\"example.com/v1\",\"kind\":\"A\",\"metadata\":{\"name\":\"a\"},\"spec\":[0,0,0,0,0,0]}";
    let list = format!("{{\"kind\":\"List\",\"items\":[{}]}}", vec![item; 2_000].join(",\n"));
    write(&sandbox, "many.json", list);
    let says = ["many.json:", "1048576 bytes", "--max-total-size"];
    let command = ["plan", "bundle", "--cluster", "many.json", "--max-total-size", "1MiB"];
    refused(&sandbox, &command, &says);
}

#[test]
fn a_higher_limit_is_accepted() {
    let sandbox = Sandbox::new();
    write(
        &sandbox,
        "catalog/catalog.json",
        "{\"schema\": \"x\", \"a\": [1, 2, 3]}",
    );
    let low = ["validate", "catalog", "--max-values", "8"];
    refused(&sandbox, &low, &["catalog/catalog.json:1:", "8 keys and values"]);
    let outcome = sandbox.run(["validate", "catalog", "--max-values", "20"]);
    assert_eq!(outcome.status, Some(0), "{outcome}");
}
