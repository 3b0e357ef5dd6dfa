//! Mirroring through an archive.

use super::garden::{Garden, said};
use super::proxy::{Act, Proxy};
use super::{assert_all_there, assert_valid, is_blob, killed_until_it_ends, until_killed_enough};
use crate::http::Reply;
use crate::tools::{installed, run};
use opmx::image::Digest;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

const PART: &str = "greenhouse-operator=stable@all";
/// A volume size that is too small for the shared layer.
const SMALL: &str = "--volume-size 200KiB";

/// The files of an archive.
fn files(folder: &Path) -> BTreeMap<String, Digest> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let file = |path: std::path::PathBuf| {
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        (name, Digest::of(&fs::read(&path).unwrap()))
    };
    entries.map(file).collect()
}

fn pack(garden: &Garden, folder: &str, more: &str) -> Value {
    garden.ok(&format!(
        "mirror copy plan.json --to-archive {folder} --use-http {more}"
    ));
    garden.json(&format!("{folder}/mirror.json"))
}

#[test]
fn an_archive_is_reproducible_and_read_by_other_tools() {
    if !installed(&["docker-registry", "skopeo", "umoci", "tar"]) {
        return;
    }
    let garden = Garden::new();
    let source = Proxy::start(&garden.source.host, |_, _| Act::Pass);
    garden.named(source.host());
    let plan = garden.plan(PART);
    let list = pack(&garden, "one", SMALL);
    let blobs = plan["blobs"].as_object().unwrap();
    let read = blobs.values().filter(|blob| blob["sources"] != json!(["catalog:0"]));
    let bytes: u64 = read.map(|blob| blob["bytes"].as_u64().unwrap()).sum();
    assert_eq!(source.blob_bytes(), bytes);
    pack(&garden, "two", &format!("{SMALL} --concurrency 1"));
    assert_eq!(files(&garden.path("one")), files(&garden.path("two")));
    let volumes = list["volumes"].as_array().unwrap();
    assert!(volumes.len() > 1, "{list:#}");
    assert_valid("archive", &list);
    for volume in volumes {
        let path = garden.path("one").join(volume["name"].as_str().unwrap());
        assert!(path.metadata().unwrap().len() <= 200 << 10);
        run("tar", &["-tf", path.to_str().unwrap()]);
    }

    pack(&garden, "whole", "");
    let host = source.host();
    let archive = garden.path("whole/mirror-0001.tar");
    let image = format!("oci-archive:{}:{host}/proxy/rbac:v0.15", archive.display());
    let copied = format!("oci:{}:v1", garden.path("layout").display());
    run("skopeo", &["copy", &image, &copied]);
    let bundle = garden.path("unpacked");
    let arguments = [
        "unpack",
        "--rootless",
        "--image",
        &copied["oci:".len()..],
        bundle.to_str().unwrap(),
    ];
    run("umoci", &arguments);
    let own = fs::read_to_string(bundle.join("rootfs/own")).unwrap();
    assert_eq!(own, "proxy 0.15 amd64\n");
}

#[test]
fn an_archive_is_loaded_where_only_the_target_can_be_reached() {
    if !installed(&["docker-registry", "unshare", "ip"]) {
        return;
    }
    let garden = Garden::new();
    let opmx = env!("CARGO_BIN_EXE_opmx");
    let storage = garden.path("far");
    fs::write(
        garden.path("far.yml"),
        format!(
            "version: 0.1\nstorage: {{filesystem: {{rootdirectory: {}}}}}\nhttp: {{addr: 127.0.0.1:5000, secret: test}}\n",
            storage.display()
        ),
    )
    .unwrap();
    let script = format!(
        "ip link set lo up\nenv -i PATH=$PATH docker-registry serve far.yml >far.log 2>&1 &\n\
         sleep 0.3; kill -0 %1 || exit 9\n\
         until (exec 3<>/dev/tcp/127.0.0.1/5000) 2>/dev/null; do sleep 0.05; done\n\
         {opmx} mirror load archive --to 127.0.0.1:5000/far --keep-host --use-http\n\
         status=$?; kill %1; exit $status"
    );
    // The plan is for another registry, so one without a target is packed.
    let host = &garden.source.host;
    garden.ok(&format!("mirror plan --image {host}/proxy/rbac:v0.15 --use-http"));
    pack(&garden, "archive", "");
    let mut command = Command::new("unshare");
    command
        .args(["-rn", "bash", "-c", &script])
        .current_dir(garden.folder.path());
    command
        .env("REGISTRY_AUTH_FILE", garden.path("auth.json"))
        .env("HOME", garden.folder.path());
    let output = command.output().unwrap();
    if said(&output).contains("unshare failed") || said(&output).contains("Operation not permitted") {
        crate::tools::not_run("this system has no user namespaces");
        return;
    }
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let repositories = storage.join("docker/registry/v2/repositories/far");
    let host = host.replace(':', "-");
    assert!(
        repositories
            .join(host)
            .join("proxy/rbac/_manifests/tags/v0.15")
            .is_dir()
    );
}

#[test]
fn damaged_missing_or_swapped_volumes_are_rejected_before_anything_is_sent() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let garden = Garden::new();
    let target = Proxy::start(&garden.target.host, |_, _| Act::Pass);
    garden.plan_to(PART, &format!("{}/ocp", target.host()));
    pack(&garden, "archive", SMALL);
    let load = || {
        let output = garden.run("mirror load archive --use-http");
        (output.status.code(), said(&output))
    };
    let volume = |number: usize| garden.path(&format!("archive/mirror-000{number}.tar"));
    let second = fs::read(volume(2)).unwrap();

    let mut damaged = second.clone();
    damaged[second.len() / 2] ^= 1;
    fs::write(volume(2), &damaged).unwrap();
    let (code, text) = load();
    assert_eq!(code, Some(1));
    assert!(text.contains("mirror-0002.tar is damaged"), "{text}");

    fs::write(volume(2), &second[..second.len() - 1]).unwrap();
    assert!(load().1.contains("mirror-0002.tar is damaged"));

    fs::remove_file(volume(2)).unwrap();
    let (_, text) = load();
    assert!(text.contains("mirror-0002.tar is missing"), "{text}");

    let first = fs::read(volume(1)).unwrap();
    fs::write(volume(1), &second).unwrap();
    fs::write(volume(2), &first).unwrap();
    assert!(load().1.contains("mirror-0001.tar is damaged"));
    assert_eq!(target.requests().len(), 0);

    fs::write(volume(1), &first).unwrap();
    fs::write(volume(2), &second).unwrap();
    let (code, text) = load();
    assert_eq!(code, Some(0), "{text}");
}

#[test]
fn an_incomplete_archive_reports_what_is_missing_and_is_completed_by_the_next_run() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let garden = Garden::new();
    let broken = garden.path("broken");
    let flag = broken.clone();
    let source = Proxy::start(&garden.source.host, move |request, _| {
        if flag.exists() && is_blob(request) && request.path.contains("/proxy/rbac/") {
            return Act::Answer(Reply::new(
                404,
                r#"{"errors":[{"code":"BLOB_UNKNOWN","message":"gone"}]}"#,
            ));
        }
        Act::Pass
    });
    garden.named(source.host());
    let plan = garden.plan(PART);
    pack(&garden, "expected", SMALL);
    fs::write(&broken, "").unwrap();
    let output = garden.run(&format!(
        "mirror copy plan.json --to-archive archive --use-http {SMALL}"
    ));
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    let list = garden.json("archive/mirror.json");
    assert_eq!(list["complete"], json!(false));
    assert!(!list["missing"].as_object().unwrap().is_empty());
    let result = garden.json("plan.result.json");
    let failed: Vec<&Value> = result["items"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|item| item["state"] == json!("failed"))
        .collect();
    assert_eq!(failed.len(), 1, "{failed:?}");

    // What is there can be loaded, and the exit status says that it is not all.
    let output = garden.run("mirror load archive --use-http");
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    let text = said(&output);
    let image = format!("{}/proxy/rbac@", source.host());
    for expected in [
        format!("warning: the archive archive/mirror.json is incomplete: it lacks parts of {image}"),
        "run opmx mirror copy --to-archive again".to_owned(),
        "was not copied: the archive lacks a part of it: ".to_owned(),
        "lists the missing images; complete the archive, and load it again".to_owned(),
    ] {
        assert!(text.contains(&expected), "{expected}\n{text}");
    }
    assert!(!text.contains("no repository is known"), "{text}");
    assert!(
        garden
            .client()
            .find(&format!("{}/garden/greenhouse:v1.2.0", garden.to()))
            .is_some()
    );

    fs::remove_file(&broken).unwrap();
    for file in ["mirror.result.json", "mirror.journal"] {
        fs::remove_file(garden.path("archive").join(file)).unwrap();
    }
    let before = source.count("GET", "/blobs/");
    pack(&garden, "archive", SMALL);
    assert_eq!(
        source.count("GET", "/blobs/"),
        before + list["missing"].as_object().unwrap().len()
    );
    assert_eq!(files(&garden.path("archive")), files(&garden.path("expected")));
    garden.ok("mirror load archive --use-http");
    assert_all_there(&garden, &plan);
}

#[test]
fn a_blob_missing_from_the_disk_does_not_affect_the_rest_of_the_archive() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let garden = Garden::new();
    let plan = garden.plan(PART);
    pack(&garden, "expected", SMALL);
    let mut blobs = plan["blobs"].as_object().unwrap().iter();
    let local = blobs
        .find(|(_, blob)| blob["sources"] == json!(["catalog:0"]))
        .unwrap()
        .0;
    let blob = garden.path("plan.catalogs/blobs").join(local.replace(':', "/"));
    let kept = garden.path("kept");
    fs::rename(&blob, &kept).unwrap();
    let output = garden.run(&format!(
        "mirror copy plan.json --to-archive archive --use-http {SMALL}"
    ));
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    let list = garden.json("archive/mirror.json");
    let missing = list["missing"].as_object().unwrap();
    assert_eq!(missing.keys().collect::<Vec<_>>(), [local]);
    assert!(missing[local].as_str().unwrap().contains("cannot read"), "{missing:?}");
    fs::rename(&kept, &blob).unwrap();
    pack(&garden, "archive", SMALL);
    assert_eq!(files(&garden.path("archive")), files(&garden.path("expected")));
}

#[test]
fn a_killed_run_is_resumed_and_gives_the_same_bytes() {
    if !installed(&["docker-registry"]) {
        return;
    }
    until_killed_enough(packed_and_loaded_under_kills);
}

/// Packs and loads with kills, and returns their number.
fn packed_and_loaded_under_kills() -> usize {
    let garden = Garden::new();
    let source = Proxy::start(&garden.source.host, |request, _| {
        if is_blob(request) {
            std::thread::sleep(Duration::from_millis(20));
        }
        Act::Pass
    });
    garden.named(source.host());
    let plan = garden.plan(PART);
    pack(&garden, "expected", SMALL);
    let before = source.count("GET", "/blobs/");
    let line = format!("mirror copy plan.json --to-archive archive --use-http --concurrency 2 {SMALL}");
    let kills = killed_until_it_ends(&garden, &line);
    assert!(kills > 2, "{kills}");
    assert_eq!(files(&garden.path("archive")), files(&garden.path("expected")));
    let blobs = plan["blobs"].as_object().unwrap().len();
    let read = source.count("GET", "/blobs/") - before;
    assert!(read <= blobs + 2 * kills, "{read} > {blobs} + 2 * {kills}");
    let of_load = killed_until_it_ends(&garden, "mirror load archive --use-http --concurrency 2");
    assert!(of_load > 0);
    assert_all_there(&garden, &plan);
    kills + of_load
}

#[test]
fn an_increment_contains_what_is_new_and_requires_what_existed() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let garden = Garden::new();
    garden.plan("greenhouse-operator=stable@<=1.1.0");
    let base = pack(&garden, "base", "");
    let plan = garden.plan(PART);
    let list = pack(&garden, "more", "--base base");
    assert_eq!(pack(&garden, "same", "--base base/mirror.json"), list);
    for digest in base["blobs"].as_object().unwrap().keys() {
        assert!(list["blobs"].get(digest).is_none());
        assert!(list["omitted"].get(digest).is_some());
    }
    assert!(!list["blobs"].as_object().unwrap().is_empty());
    let output = garden.run("mirror load more --use-http");
    assert_eq!(output.status.code(), Some(1));
    assert!(
        said(&output).contains("load the base archive first"),
        "{}",
        said(&output)
    );
    assert!(
        garden
            .client()
            .tags(&format!("{}/garden/greenhouse-bundle", garden.to()))
            .is_empty()
    );
    garden.ok("mirror load base --use-http");
    garden.ok("mirror load more --use-http");
    assert_all_there(&garden, &plan);
}

#[test]
fn an_archive_is_neither_overwritten_nor_created_twice() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let garden = Garden::new();
    garden.plan(PART);
    pack(&garden, "archive", "");
    let before = files(&garden.path("archive"));
    pack(&garden, "archive", "");
    assert_eq!(files(&garden.path("archive")), before);
    garden.plan("certs-operator");
    let output = garden.run("mirror copy plan.json --to-archive archive --use-http");
    assert_eq!(output.status.code(), Some(1));
    assert!(said(&output).contains("--name"), "{}", said(&output));
    assert_eq!(files(&garden.path("archive")), before);
    garden.ok("mirror copy plan.json --to-archive archive --name certs --use-http --state-dir state");
    assert!(garden.path("state/plan.result.json").exists());
    let output = garden.run("mirror copy plan.json --to-archive archive --name certs --use-http --volume-size 1MiB");
    assert_eq!(output.status.code(), Some(1));
    let text = said(&output);
    assert!(
        text.contains("with volumes of up to 4294967296 bytes instead of 1048576")
            && text.contains("--volume-size 4GiB"),
        "{text}"
    );
    let output = garden.run("mirror load archive --use-http");
    assert!(
        said(&output).contains("contains 2 archives instead of one"),
        "{}",
        said(&output)
    );
    garden.ok("mirror load archive/certs.json --use-http --state-dir .");
    assert!(garden.path("certs.result.json").exists());
}

#[test]
fn a_volume_given_instead_of_its_archive_is_reported() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let garden = Garden::new();
    garden.plan("certs-operator");
    pack(&garden, "archive", "");
    for line in [
        "mirror load archive/mirror-0001.tar --use-http",
        "mirror verify plan.json --at archive/mirror-0001.tar",
        "mirror copy plan.json --to-archive more --use-http --base archive/mirror-0001.tar",
    ] {
        let text = said(&garden.run(line));
        assert!(
            text.contains("mirror-0001.tar is a volume of an archive"),
            "{line}: {text}"
        );
        assert!(
            text.contains("hint: specify the folder of the archive or its list"),
            "{line}: {text}"
        );
    }
}

#[test]
fn missing_or_damaged_volumes_are_rewritten() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let garden = Garden::new();
    let source = Proxy::start(&garden.source.host, |_, _| Act::Pass);
    garden.named(source.host());
    garden.plan(PART);
    pack(&garden, "archive", SMALL);
    let before = files(&garden.path("archive"));
    let states = || {
        let result = garden.json("plan.result.json");
        let items = result["items"].as_array().unwrap().iter();
        let state = |item: &Value| item["state"].as_str().unwrap().to_owned();
        items.map(state).collect::<BTreeSet<String>>()
    };
    assert_eq!(states(), BTreeSet::from(["copied".to_owned()]));
    let second = garden.path("archive/mirror-0002.tar");
    let whole = fs::read(&second).unwrap();
    let mut damaged = whole.clone();
    damaged[whole.len() / 2] ^= 1;
    for broken in [None, Some(&damaged[..]), Some(&whole[..1000])] {
        match broken {
            None => fs::remove_file(&second).unwrap(),
            Some(bytes) => fs::write(&second, bytes).unwrap(),
        }
        let read = source.blob_bytes();
        pack(&garden, "archive", SMALL);
        assert_eq!(files(&garden.path("archive")), before);
        assert!(states().contains("copied"), "{:?}", states());
        assert!(source.blob_bytes() - read <= whole.len() as u64 * 2);
    }
    let read = source.requests().len();
    let told = garden.ok(&format!(
        "mirror copy plan.json --to-archive archive --use-http {SMALL}"
    ));
    assert_eq!(states(), BTreeSet::from(["present".to_owned()]), "{told}");
    assert_eq!(source.requests().len(), read);
}

#[test]
fn a_blob_with_a_wrong_digest_is_reported_before_anything_is_sent() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let garden = Garden::new();
    let target = Proxy::start(&garden.target.host, |_, _| Act::Pass);
    let plan = garden.plan_to(PART, &format!("{}/ocp", target.host()));
    let largest = plan["blobs"].as_object().unwrap().iter();
    let largest = largest.max_by_key(|(_, blob)| blob["bytes"].as_u64()).unwrap().0;
    // A whole blob, and one in parts.
    for (folder, size, digest, part) in [
        ("whole", "", Digest::of(b"signature").to_string(), ""),
        ("parts", SMALL, largest.clone(), ".part-0002"),
    ] {
        let mut list = pack(&garden, folder, size);
        let header = format!("blobs/{}{part}\0", digest.replace(':', "/")).into_bytes();
        for volume in list["volumes"].as_array_mut().unwrap() {
            let path = garden.path(folder).join(volume["name"].as_str().unwrap());
            let mut bytes = fs::read(&path).unwrap();
            let Some(at) = bytes.windows(header.len()).position(|window| window == header) else {
                continue;
            };
            bytes[at + 512 + 4] ^= 1;
            fs::write(&path, &bytes).unwrap();
            volume["sha256"] = json!(Digest::of(&bytes).to_string());
        }
        let path = garden.path(folder).join("mirror.json");
        let before = fs::read(&path).unwrap();
        fs::write(&path, list.to_string()).unwrap();
        assert_ne!(fs::read(&path).unwrap(), before);
        for (line, status) in [
            (format!("mirror verify plan.json --at {folder}"), 3),
            (format!("mirror load {folder} --use-http"), 1),
        ] {
            let output = garden.run(&line);
            assert_eq!(output.status.code(), Some(status), "{line}: {}", said(&output));
            let named = format!("the blob {digest} in {folder} is damaged");
            assert!(said(&output).contains(&named), "{line}: {}", said(&output));
        }
    }
    assert_eq!(target.requests().len(), 0);
}

#[test]
fn concurrent_runs_do_not_interfere() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let garden = Garden::new();
    let go = garden.path("go");
    let flag = go.clone();
    // No blob is sent before a file says so.
    let source = Proxy::start(&garden.source.host, move |request, _| {
        while is_blob(request) && !flag.exists() {
            std::thread::sleep(Duration::from_millis(5));
        }
        Act::Pass
    });
    garden.named(source.host());
    garden.plan(PART);
    for line in [
        "mirror copy plan.json --use-http",
        "mirror copy plan.json --use-http --to-archive archive",
    ] {
        let before = source.count("GET", "/blobs/");
        let mut first = garden
            .command(line)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        while source.count("GET", "/blobs/") == before {
            assert!(first.try_wait().unwrap().is_none(), "{line}");
            std::thread::sleep(Duration::from_millis(5));
        }
        let second = garden.run(line);
        let text = said(&second);
        assert_eq!(second.status.code(), Some(1), "{line}: {text}");
        assert!(text.contains("another run is "), "{line}: {text}");
        fs::write(&go, "").unwrap();
        assert_eq!(first.wait().unwrap().code(), Some(0), "{line}");
        garden.ok(line);
        fs::remove_file(&go).unwrap();
    }
}
