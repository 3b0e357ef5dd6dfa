//! Unreachable registries, and content omitted from plans.

use super::garden::{Garden, MANIFEST, said};
use super::proxy::{Act, Proxy};
use crate::http::Reply;
use crate::tools::installed;
use opmx::image::Digest;
use serde_json::json;
use std::fs;
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

#[test]
fn a_plan_without_readable_images_fails_with_the_cause_and_a_hint() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let garden = Garden::new();
    let output = garden.run("mirror plan --catalog catalog.yaml --no-binary");
    let text = said(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    let cause = format!(
        "and 5 more images: the registry {} cannot be reached: the server responded with plain HTTP, but HTTPS was \
         expected\n  hint: pass --use-http if this registry does not support HTTPS\n",
        garden.source.host
    );
    assert_eq!(text.matches(&cause).count(), 1, "{text}");
    assert!(
        text.contains("error: none of 6 selected images could be read, so plan.json was not written"),
        "{text}"
    );
}

#[test]
fn an_unreachable_registry_is_requested_once_per_run() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let host = listener.local_addr().unwrap().to_string();
    let connections = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&connections);
    thread::spawn(move || {
        for connection in listener.incoming() {
            drop(connection);
            counted.fetch_add(1, Ordering::SeqCst);
        }
    });
    let folder = tempfile::tempdir().unwrap();
    let images: Vec<String> = (0..20).map(|number| format!("--image {host}/a{number}:v1")).collect();
    let line = format!("mirror plan --use-http --retries 0 {}", images.join(" "));
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_opmx"))
        .args(line.split_whitespace())
        .current_dir(folder.path())
        .env("HOME", folder.path())
        .env_remove("http_proxy")
        .output()
        .unwrap();
    let text = said(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(
        text.contains(&format!("the registry {host} cannot be reached: cannot connect: ")),
        "{text}"
    );
    assert_eq!(connections.load(Ordering::SeqCst), 1, "{text}");
}

#[test]
fn an_unreachable_registry_is_reported_even_if_its_images_are_cached() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let garden = Garden::new();
    let plan = garden.plan("certs-operator");
    let images = plan["images"].as_array().unwrap().iter();
    let images = images.filter_map(|image| image["source"].as_str().filter(|source| source.contains('@')));
    let images: Vec<String> = images.map(|source| format!("--image {source}")).collect();
    assert_eq!(images.len(), 2);
    let output = garden.run(&format!("mirror plan {} --no-binary -o cached.json", images.join(" ")));
    let text = said(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    let cause = format!(
        " and 1 more image: its referrers cannot be listed: the registry {} cannot be reached: the server responded with \
         plain HTTP, but HTTPS was expected\n  hint: pass --use-http if this registry does not support HTTPS\n",
        garden.source.host
    );
    assert_eq!(text.matches(&cause).count(), 1, "{text}");
}

#[test]
fn a_copy_from_an_unreachable_registry_shows_the_hint_once() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let garden = Garden::new();
    garden.plan("greenhouse-operator");
    fs::remove_dir_all(garden.path("cache")).unwrap();
    let copies = [
        "mirror copy plan.json --to-archive archive".to_owned(),
        "mirror copy plan.json --to-use-http".to_owned(),
    ];
    for line in copies {
        let output = garden.run(&line);
        let text = said(&output);
        assert_eq!(output.status.code(), Some(1), "{text}");
        let cause = format!(
            "warning: the registry {} cannot be reached: the server responded with plain HTTP, but HTTPS was \
             expected\n  hint: pass --use-http if this registry does not support HTTPS\n",
            garden.source.host
        );
        assert_eq!(text.matches(&cause).count(), 1, "{text}");
    }
}

#[test]
fn every_command_repeats_what_the_plan_omits() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let garden = Garden::new();
    let host = &garden.source.host;
    let catalog = fs::read_to_string(garden.path("catalog.yaml")).unwrap();
    let gone = catalog.replace(&format!("{host}/certs/op:v1.4.0"), &format!("{host}/certs/gone:v1.4.0"));
    fs::write(garden.path("catalog.yaml"), gone).unwrap();
    let plan = garden.plan("greenhouse-operator");
    assert_eq!(plan["left_out"][0]["why"], json!("not found: manifest unknown"));
    for line in [
        "mirror copy plan.json --use-http",
        "mirror copy plan.json --to-archive archive --use-http",
        "mirror load archive --use-http",
        "mirror verify plan.json --use-http",
        "mirror verify plan.json --at archive",
        "mirror manifests plan.json -o manifests",
    ] {
        let text = garden.ok(line);
        let told = "warning: 1 selected image is left out of the plan, so the mirror is incomplete; the field left_out \
                    in ";
        assert_eq!(text.matches(told).count(), 1, "{line}: {text}");
    }
}

#[test]
fn an_image_without_a_foreign_layer_is_not_counted_as_missing() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let garden = Garden::new();
    let stored = format!("{}/tools/foreign", garden.source.host);
    let mut manifest = garden.client().artifact(&stored, None, None, "base");
    let layer = Digest::of(b"foreign").to_string();
    manifest["layers"].as_array_mut().unwrap().push(json!({
        "mediaType": "application/vnd.oci.image.layer.nondistributable.v1.tar+gzip", "digest": layer, "size": 9,
        "urls": ["https://example.com/layer"]
    }));
    // docker-registry does not store such a manifest.
    let source = Proxy::start(&garden.source.host, move |request, _| {
        if request.path.contains("/foreign/manifests/") {
            Act::Answer(Reply::new(200, manifest.to_string()).header("Content-Type", MANIFEST))
        } else {
            Act::Pass
        }
    });
    let image = format!("{}/tools/foreign:v1", source.host());
    let line = format!(
        "mirror plan --image {image} --to {} --use-http --no-extras",
        garden.to()
    );
    let text = garden.ok(&line);
    let told = format!("warning: left out a part of {image}: its layer {layer} is distributed by the vendor");
    assert!(text.contains(&told), "{text}");
    let text = garden.ok("mirror manifests plan.json -o manifests");
    assert!(text.contains("warning: 1 image is only partly in the plan"), "{text}");
    assert!(!text.contains("left out of the plan"), "{text}");
    let output = garden.run(&format!("{line} --deny left-out"));
    assert_eq!(output.status.code(), Some(3));
    assert!(
        said(&output).contains("the plan lacks 1 image part"),
        "{}",
        said(&output)
    );
}

#[test]
fn a_failed_plan_gives_the_reason_even_without_warnings() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let garden = Garden::new();
    let image = format!("{}/tools/gone:v1", garden.source.host);
    let output = garden.run(&format!(
        "mirror plan --image {image} --to {} --use-http -q",
        garden.to()
    ));
    let text = said(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains(&format!("was not written: {image}: not found")), "{text}");
}

#[test]
fn a_mirror_is_verified_at_the_target_of_its_plan_and_each_problem_reported_once() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let garden = Garden::new();
    garden.plan("greenhouse-operator");
    let output = garden.run("mirror verify plan.json --use-http");
    let text = said(&output);
    assert_eq!(output.status.code(), Some(3), "{text}");
    let header = text.lines().next().unwrap();
    assert_eq!(
        header.split_whitespace().collect::<Vec<_>>(),
        ["CONTENT", "PROBLEM", "NEEDED", "BY"]
    );
    assert!(text.contains("the manifest is missing"), "{text}");
    assert!(!text.contains("http://") && !text.contains("catalog:0"), "{text}");
    let tag = text.lines().find(|line| line.contains("/ocp/catalog:latest")).unwrap();
    assert!(
        tag.contains(" the tag is missing ") && tag.ends_with(" catalog.yaml"),
        "{text}"
    );
    let naked = "mirror plan --image {}/proxy/rbac:v0.15 --use-http -o naked.json".replace("{}", &garden.source.host);
    garden.ok(&naked);
    let output = garden.run("mirror verify naked.json --use-http");
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    assert!(said(&output).contains("hint: specify the registry or the archive with --at"));
}

#[test]
fn a_plan_without_its_catalogs_is_not_copied() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let garden = Garden::new();
    garden.plan("greenhouse-operator");
    fs::rename(garden.path("plan.catalogs"), garden.path("elsewhere")).unwrap();
    for line in [
        "mirror copy plan.json --use-http",
        "mirror copy plan.json --to-archive archive --use-http",
    ] {
        let output = garden.run(line);
        let text = said(&output);
        assert_eq!(output.status.code(), Some(4), "{text}");
        let words =
            "error: plan.catalogs, which contains the catalogs of the plan, does not exist\n  hint: move the folder";
        assert!(text.starts_with(words), "{text}");
    }
}

#[test]
fn a_damaged_catalog_is_distinguished_from_an_error_of_the_target() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let garden = Garden::new();
    let plan = garden.plan("greenhouse-operator");
    let digest = plan["catalogs"][0]["digest_after"].as_str().unwrap();
    let layer = plan["manifests"][digest]["blobs"][1].as_str().unwrap();
    let name = format!("plan.catalogs/blobs/sha256/{}", &layer["sha256:".len()..]);
    let mut bytes = fs::read(garden.path(&name)).unwrap();
    bytes[0] ^= 1;
    for (content, problem) in [(&bytes[1..], "bytes instead of "), (&bytes, "has the digest sha256:")] {
        fs::write(garden.path(&name), content).unwrap();
        for line in [
            "mirror copy plan.json --use-http",
            "mirror copy plan.json --to-archive archive --use-http",
        ] {
            let output = garden.run(line);
            let text = said(&output);
            assert_eq!(output.status.code(), Some(1), "{text}");
            let words = format!("error: catalog.yaml was not copied: {name}: the blob has ");
            assert!(text.contains(&words) && text.contains(problem), "{text}");
        }
    }
    fs::remove_dir_all(garden.path("plan.catalogs")).unwrap();
    fs::write(garden.path("plan.catalogs"), "").unwrap();
    let output = garden.run("mirror copy plan.json --use-http");
    let words = "error: plan.catalogs, which contains the catalogs of the plan, is not a folder\n  hint: ";
    assert_eq!(output.status.code(), Some(1));
    assert!(said(&output).starts_with(words), "{}", said(&output));
}

#[test]
fn a_version_that_no_selected_package_has_is_an_error() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let garden = Garden::new();
    fs::write(garden.path("plan.json"), "an earlier plan").unwrap();
    let output =
        garden.run("mirror plan --catalog catalog.yaml -p greenhouse-operator --from 0.0.1 --use-http --no-binary");
    let text = said(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    let words = "error: no selected package has an update path from 0.0.1, so plan.json was not written";
    assert!(text.contains(words), "{text}");
    assert_eq!(fs::read_to_string(garden.path("plan.json")).unwrap(), "an earlier plan");
}

#[test]
fn an_unfinished_archive_is_distinguished_from_a_wrong_folder() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let garden = Garden::new();
    garden.plan("greenhouse-operator");
    garden.ok("mirror copy plan.json --to-archive archive --use-http");
    fs::remove_file(garden.path("archive/mirror.json")).unwrap();
    let output = garden.run("mirror load archive --use-http --to localhost:1");
    let text = said(&output);
    let words =
        "error: the archive in archive is not finished: it has volumes, but no list\n  hint: run opmx mirror copy";
    assert!(text.starts_with(words), "{text}");
}

#[test]
fn a_damaged_archive_list_is_reported_with_a_hint() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let garden = Garden::new();
    garden.plan("greenhouse-operator");
    let copy = "mirror copy plan.json --to-archive archive --use-http";
    garden.ok(copy);
    let list = garden.path("archive/mirror.json");
    let whole = fs::read(&list).unwrap();
    for damaged in [&b""[..], b"{}", &whole[..whole.len() / 2]] {
        fs::write(&list, damaged).unwrap();
        for command in [
            "mirror load archive --use-http --to localhost:1",
            "mirror load archive/mirror.json --use-http --to localhost:1",
            "mirror verify plan.json --at archive",
            copy,
        ] {
            let text = said(&garden.run(command));
            let words = "archive/mirror.json is not an archive list, or is damaged: ";
            assert!(text.starts_with(&format!("error: {words}")), "{command}: {text}");
            assert!(text.contains("hint: transfer the list again"), "{command}: {text}");
        }
        // The copy does not overwrite the file, because it may be something else.
        assert_eq!(fs::read(&list).unwrap(), damaged);
        fs::remove_file(&list).unwrap();
        garden.ok(copy);
        assert_eq!(fs::read(&list).unwrap(), whole);
    }
}
