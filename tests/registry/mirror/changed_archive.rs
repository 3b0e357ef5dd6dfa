//! Archives that somebody changed during their transport.

use super::assert_all_there;
use super::garden::{Garden, image, said};
use super::proxy::{Act, Proxy};
use crate::tools::installed;
use opmx::image::Digest;
use serde_json::{Value, json};
use std::fs;

const PART: &str = "greenhouse-operator=stable@all";

fn pack(garden: &Garden, plan: &str, folder: &str) {
    garden.ok(&format!("mirror copy {plan} --to-archive {folder} --use-http"));
}

/// Changes the list of an archive.
fn change_list(garden: &Garden, folder: &str, change: impl FnOnce(&mut Value)) {
    let mut list = garden.json(&format!("{folder}/mirror.json"));
    change(&mut list);
    fs::write(garden.path(&format!("{folder}/mirror.json")), list.to_string()).unwrap();
}

/// Changes the volume of an archive, and its digest in the list.
fn change_volume(garden: &Garden, folder: &str, change: impl FnOnce(Vec<u8>) -> Vec<u8>) {
    let path = garden.path(&format!("{folder}/mirror-0001.tar"));
    let bytes = change(fs::read(&path).unwrap());
    fs::write(&path, &bytes).unwrap();
    change_list(garden, folder, |list| {
        list["volumes"][0]["bytes"] = json!(bytes.len());
        list["volumes"][0]["sha256"] = json!(Digest::of(&bytes).to_string());
    });
}

/// Asserts that a command ends with a status and a message.
fn assert_ends(garden: &Garden, line: &str, status: i32, message: &str) {
    let output = garden.run(line);
    let text = said(&output);
    assert_eq!(output.status.code(), Some(status), "{line}: {text}");
    assert!(text.contains(message), "{line}: {text}");
}

#[test]
fn a_header_of_any_size_in_a_volume_is_rejected() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let garden = Garden::new();
    let plan = garden.plan(PART);
    for kind in [tar::EntryType::GNULongName, tar::EntryType::XHeader] {
        pack(&garden, "plan.json", "archive");
        change_volume(&garden, "archive", |bytes| {
            let mut header = tar::Header::new_gnu();
            header.set_path("long").unwrap();
            header.set_entry_type(kind);
            header.set_size(2 << 20);
            header.set_cksum();
            [header.as_bytes().to_vec(), vec![0; 2 << 20], bytes].concat()
        });
        let refused = "mirror-0001.tar is not a valid tar file: a member's headers are larger than 1 MiB";
        assert_ends(&garden, "mirror load archive --use-http", 1, refused);
        assert_ends(&garden, "mirror verify plan.json --at archive", 3, refused);
    }
    // Like any other damaged volume, it is written again.
    pack(&garden, "plan.json", "archive");
    garden.ok("mirror load archive --use-http");
    assert_all_there(&garden, &plan);
}

#[test]
fn an_archive_of_another_plan_is_reported_even_if_it_contains_all_content() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let garden = Garden::new();
    let (host, to) = (&garden.source.host, garden.to());
    let wanted = format!("mirror plan --image {host}/proxy/rbac:v0.15 --to {to} --use-http");
    garden.ok(&format!("{wanted} -o own.json"));
    garden.ok(&format!("{wanted} --image {host}/certs/op:v1.4.0 -o other.json"));
    pack(&garden, "own.json", "own");
    pack(&garden, "other.json", "other");
    garden.ok("mirror verify own.json --at own");
    let problem = "it contains another plan, which would be loaded instead";
    assert_ends(&garden, "mirror verify own.json --at other", 3, problem);
    let line = "mirror load other --plan own.json --use-http";
    assert_ends(&garden, line, 1, "other/mirror.json contains another plan");
    assert!(garden.client().tags(&format!("{to}/proxy/rbac")).is_empty());
    let text = garden.ok("mirror load own --plan own.json --use-http");
    let target = format!("the target is {to}, as specified by the plan in the archive");
    assert!(text.contains(&target), "{text}");
    let text = garden.ok(&format!("mirror load own --to {to} --use-http"));
    assert!(!text.contains("the target is"), "{text}");
}

#[test]
fn an_archive_cannot_omit_manifests_or_call_unchecked_blobs_present() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let garden = Garden::new();
    let plan = garden.plan(PART);
    pack(&garden, "plan.json", "archive");
    let digest = plan["manifests"].as_object().unwrap().keys().next().unwrap();
    let blob = plan["blobs"].as_object().unwrap().keys().next().unwrap();
    for omitted in [digest, blob] {
        change_volume(&garden, "archive", |mut bytes| {
            let name = format!("blobs/{}", omitted.replace(':', "/")).into_bytes();
            let at = bytes.windows(name.len()).position(|window| window == name).unwrap();
            let mut header = tar::Header::from_byte_slice(&bytes[at..at + 512]).clone();
            header.set_path("aside").unwrap();
            header.set_cksum();
            bytes[at..at + 512].copy_from_slice(header.as_bytes());
            bytes
        });
    }
    let omit = |list: &mut Value| list["omitted"] = json!({ digest.as_str(): [], blob.as_str(): [] });
    change_list(&garden, "archive", omit);
    let line = "mirror verify plan.json --at archive";
    assert_ends(
        &garden,
        line,
        1,
        "omits blobs, but names no archive on which it is based",
    );
    change_list(&garden, "archive", |list| list["base"] = list["plan"].clone());
    assert_ends(&garden, line, 3, "it is missing");
    let output = garden.run(&format!("{line} -o json"));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let problems = report["problems"].as_array().unwrap();
    assert_eq!(problems.len(), 1, "{report:#}");
    assert_eq!(problems[0]["place"], json!(digest));
    assert_eq!(report["unchecked"], json!(1));
    assert_eq!(report["blobs"], json!(plan["blobs"].as_object().unwrap().len() - 1));
}

/// A mirror of an image whose target already contains the blobs of the image in other repositories.
struct Mounts {
    garden: Garden,
    target: Proxy,
    blobs: Vec<String>,
}

impl Mounts {
    fn new() -> Self {
        let garden = Garden::new();
        let target = Proxy::start(&garden.target.host, |_, _| Act::Pass);
        let (host, to) = (&garden.source.host, target.host());
        let line = format!("mirror plan --image {host}/proxy/rbac:v0.15 --to {to}/ocp --use-http -o plan.json");
        garden.ok(&line);
        pack(&garden, "plan.json", "archive");
        let proxy = image("proxy", "0.15", "amd64");
        for repository in ["private/x", "ocp/earlier"] {
            let name = format!("{}/{repository}:v1", garden.target.host);
            garden.client().push(&proxy, &name);
        }
        let blobs = garden.json("plan.json")["blobs"]
            .as_object()
            .unwrap()
            .keys()
            .cloned()
            .collect();
        Self { garden, target, blobs }
    }

    /// Makes the archive say that the blobs are in this repository.
    fn omit(&self, repository: &str) {
        let place = format!("{}/{repository}", self.target.host());
        let omitted = self.blobs.iter().map(|digest| (digest.clone(), json!([place])));
        let omitted: serde_json::Map<_, _> = omitted.collect();
        change_list(&self.garden, "archive", |list| {
            list["omitted"] = omitted.into();
            list["base"] = list["plan"].clone();
        });
    }

    /// The number of requests that name this repository.
    fn asked(&self, repository: &str) -> usize {
        let requests = self.target.requests().into_iter();
        requests.filter(|request| request.path.contains(repository)).count()
    }
}

#[test]
fn an_archive_cannot_name_repositories_outside_the_target_to_mount_from() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let mounts = Mounts::new();
    mounts.omit("private/x");
    assert_ends(
        &mounts.garden,
        "mirror load archive --use-http",
        1,
        "of the base archive",
    );
    assert_eq!(mounts.asked("private"), 0);
    let copied = format!("{}/ocp/proxy/rbac", mounts.garden.target.host);
    assert!(mounts.garden.client().tags(&copied).is_empty());
    // An earlier archive may have copied the blobs to other repositories of the mirror.
    mounts.omit("ocp/earlier");
    mounts.garden.ok("mirror load archive --use-http");
    assert!(mounts.asked("earlier") > 0);
    assert_eq!(mounts.garden.client().tags(&copied).len(), 1);
}

#[test]
fn a_journal_cannot_name_other_repositories_to_mount_from() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let mounts = Mounts::new();
    let plan = Digest::of(&fs::read(mounts.garden.path("plan.json")).unwrap());
    let lines = mounts.blobs.iter().map(|digest| format!("{digest} private/x\n"));
    let lines: String = lines.collect();
    let journal = format!("opmx.mirror.journal/v1 {plan} {}/ocp\n{lines}", mounts.target.host());
    fs::write(mounts.garden.path("archive/mirror.journal"), journal).unwrap();
    mounts.garden.ok("mirror load archive --use-http");
    assert_eq!(mounts.asked("private"), 0);
}
