//! Targets that lost content, and registries that reject requests.

use super::garden::{Garden, said};
use super::proxy::{Act, Proxy};
use super::{assert_all_there, is_blob};
use crate::http::Reply;
use crate::tools::installed;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;

const PART: &str = "greenhouse-operator=stable@all";
const COPY: &str = "mirror copy plan.json --use-http --retries 0";

/// The names of the items in a state.
fn in_state(garden: &Garden, state: &str) -> Vec<String> {
    let result = garden.json("plan.result.json");
    let items = result["items"].as_array().unwrap().iter();
    let items = items.filter(|item| item["state"] == json!(state));
    items.map(|item| item["name"].as_str().unwrap().to_owned()).collect()
}

fn largest_blob(plan: &Value) -> String {
    let blobs = plan["blobs"].as_object().unwrap().iter();
    let largest = blobs.max_by_key(|(_, blob)| blob["bytes"].as_u64()).unwrap();
    largest.0.trim_start_matches("sha256:").to_owned()
}

#[test]
fn content_missing_behind_existing_tags_is_copied_again() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let garden = Garden::new();
    let to = garden.to();
    let plan = garden.plan(PART);
    garden.ok(COPY);
    let [_, first, _] = garden.operator;
    garden.client().delete(&format!("{to}/garden/greenhouse@{first}"));
    garden.ok(COPY);
    let copied = in_state(&garden, "copied");
    assert!(
        copied.len() == 1 && copied[0].contains("/garden/greenhouse@"),
        "{copied:?}"
    );
    let verify = format!("mirror verify plan.json --at {to} --use-http --read");
    garden.ok(&verify);

    let hex = largest_blob(&plan);
    let blobs = garden.path("target/registry/docker/registry/v2/blobs/sha256");
    fs::remove_dir_all(blobs.join(&hex[..2]).join(&hex)).unwrap();
    assert_eq!(garden.run(&verify).status.code(), Some(3));
    garden.ok(COPY);
    assert_eq!(garden.json("plan.result.json")["moved"]["sent"], json!(1));
    garden.ok(&verify);
    assert_all_there(&garden, &plan);

    // The size that the registry reports shows that the blob is damaged, even if it is not read.
    fs::write(blobs.join(&hex[..2]).join(&hex).join("data"), "cut").unwrap();
    let quick = verify.trim_end_matches(" --read");
    let outcome = garden.run(quick);
    assert_eq!(outcome.status.code(), Some(3));
    let said = said(&outcome);
    assert!(said.contains("the blob is missing or has a wrong size"), "{said}");
}

#[test]
fn a_second_run_queries_the_target_once_and_changes_nothing() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let garden = Garden::new();
    let target = Proxy::start(&garden.target.host, |_, _| Act::Pass);
    let plan = garden.plan_to(PART, &format!("{}/ocp", target.host()));
    garden.ok(COPY);
    let before = target.requests().len();
    garden.ok(COPY);
    let mut heads: BTreeMap<String, usize> = BTreeMap::new();
    for request in &target.requests()[before..] {
        assert!(["GET", "HEAD"].contains(&request.method.as_str()), "{request:?}");
        assert!(!is_blob(request), "{request:?}");
        if request.method == "HEAD" {
            *heads.entry(request.path.clone()).or_default() += 1;
        }
    }
    assert!(heads.values().all(|times| *times == 1), "{heads:?}");
    let places = |of: &str| -> usize {
        let all = plan[of].as_object().unwrap().values();
        all.map(|one| one["in"].as_array().unwrap().len()).sum()
    };
    let count = |part: &str| heads.keys().filter(|path| path.contains(part)).count();
    assert_eq!(count("/manifests/"), places("manifests"), "{heads:?}");
    assert_eq!(count("/blobs/"), places("blobs"), "{heads:?}");
}

#[test]
fn a_target_repository_that_rejects_requests_affects_only_its_own_images() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let garden = Garden::new();
    let target = Proxy::start(&garden.target.host, |request, _| {
        if ["POST", "PUT"].contains(&request.method.as_str()) && request.path.contains("/ocp/certs/") {
            return Act::Answer(Reply::new(403, "not here"));
        }
        Act::Pass
    });
    garden.plan_to(PART, &format!("{}/ocp", target.host()));
    let output = garden.run(COPY);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    let failed = in_state(&garden, "failed");
    assert!(
        failed.len() == 3
            && failed
                .iter()
                .all(|name| name.contains("/certs/") || name == "catalog:0"),
        "{failed:?}"
    );
    let result = garden.json("plan.result.json");
    let items = result["items"].as_array().unwrap();
    assert_eq!(in_state(&garden, "copied").len(), items.len() - 3);
    for item in items
        .iter()
        .filter(|item| item["name"].as_str().unwrap().contains("/certs/"))
    {
        // Each failure is that of its own repository.
        let (repository, why) = (item["destination"].as_str().unwrap(), item["why"].as_str().unwrap());
        assert!(why.contains(repository) && why.contains("access denied"), "{item}");
    }
}

#[test]
fn a_blob_is_read_from_another_repository_if_the_first_rejects_the_request() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let garden = Garden::new();
    let source = Proxy::start(&garden.source.host, |request, _| {
        if is_blob(request) && request.path.contains("/certs/bundle/") {
            return Act::Answer(Reply::new(403, "not here"));
        }
        Act::Pass
    });
    garden.named(source.host());
    garden.plan(PART);
    let output = garden.run(COPY);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    let failed = in_state(&garden, "failed");
    assert!(
        failed.len() == 2
            && failed
                .iter()
                .all(|name| name.contains("/certs/bundle") || name == "catalog:0"),
        "{failed:?}"
    );
}
