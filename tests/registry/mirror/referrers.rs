//! Lists of referrers at a target without the referrers API.

use super::garden::{Garden, INDEX, said};
use super::proxy::{Act, Proxy};
use crate::http::{Reply, Request};
use crate::tools::installed;
use opmx::image::{Digest, fallback_tag};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::sync::{Arc, OnceLock};

const PART: &str = "greenhouse-operator=stable@all";
const COPY: &str = "mirror copy plan.json --use-http --retries 0";

fn is_for(request: &Request, method: &str, tag: &str) -> bool {
    request.method == method && request.path.ends_with(&format!("/manifests/{tag}"))
}

/// The digests that the fallback tag of the signed image lists.
fn listed(garden: &Garden) -> BTreeSet<Digest> {
    let name = format!(
        "{}/garden/greenhouse:{}",
        garden.to(),
        fallback_tag(&garden.operator[2])
    );
    let list = garden.client().find(&name).unwrap();
    let entries = list["manifests"].as_array().unwrap().iter();
    entries
        .map(|entry| entry["digest"].as_str().unwrap().parse().unwrap())
        .collect()
}

/// The digest of the signature that the target must list.
fn signature(plan: &Value) -> Digest {
    let mut extras = plan["extras"].as_array().unwrap().iter();
    let extra = extras.find(|extra| extra["via"] == json!("referrers")).unwrap();
    extra["digest"].as_str().unwrap().parse().unwrap()
}

#[test]
fn an_unreadable_list_of_referrers_is_not_overwritten() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let garden = Garden::new();
    let tag = fallback_tag(&garden.operator[2]);
    let hidden = tag.clone();
    let target = Proxy::start(&garden.target.host, move |request, _| {
        if is_for(request, "GET", &hidden) {
            Act::Answer(Reply::new(403, ""))
        } else {
            Act::Pass
        }
    });
    garden.plan_to(PART, &format!("{}/ocp", target.host()));
    let list = format!("{}/garden/greenhouse:{tag}", garden.to());
    garden.client().put(
        &list,
        INDEX,
        &json!({"schemaVersion": 2, "mediaType": INDEX, "manifests": []}),
    );
    let output = garden.run(COPY);
    let text = said(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(
        text.contains("cannot be listed") && text.contains("access denied"),
        "{text}"
    );
    assert_eq!(listed(&garden), BTreeSet::new());
    assert_eq!(target.count("PUT", &tag), 0);
}

#[test]
fn a_concurrently_replaced_list_of_referrers_gets_the_entries_of_both_clients() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let garden = Garden::new();
    let tag = fallback_tag(&garden.operator[2]);
    let (raced, client) = (tag.clone(), garden.client());
    let (repository, subject) = (format!("{}/garden/greenhouse", garden.to()), garden.operator[2]);
    let other = Arc::new(OnceLock::new());
    let of_other = Arc::clone(&other);
    // The other client read the list before this one wrote it, and writes it right after.
    let target = Proxy::start(&garden.target.host, move |request, before| {
        if !is_for(request, "PUT", &raced) || before > 0 {
            return Act::Pass;
        }
        let manifest = client.artifact(&repository, None, Some(subject), "other");
        client.list(&repository, subject, &[&manifest]);
        of_other.set(Digest::of(manifest.to_string().as_bytes())).unwrap();
        Act::Answer(Reply::new(201, ""))
    });
    let plan = garden.plan_to(PART, &format!("{}/ocp", target.host()));
    garden.ok(COPY);
    assert_eq!(
        listed(&garden),
        BTreeSet::from([*other.get().unwrap(), signature(&plan)])
    );
    assert_eq!(target.count("PUT", &tag), 2);
}

#[test]
fn a_list_of_referrers_that_is_replaced_repeatedly_is_reported() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let garden = Garden::new();
    let tag = fallback_tag(&garden.operator[2]);
    let lost = tag.clone();
    let target = Proxy::start(&garden.target.host, move |request, _| {
        if is_for(request, "PUT", &lost) {
            Act::Answer(Reply::new(201, ""))
        } else {
            Act::Pass
        }
    });
    garden.plan_to(PART, &format!("{}/ocp", target.host()));
    let output = garden.run(COPY);
    let text = said(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("other clients replaced the list 5 times"), "{text}");
    assert_eq!(target.count("PUT", &tag), 5);
}

#[test]
fn content_that_a_target_refuses_to_show_is_not_reported_as_missing() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let garden = Garden::new();
    let (manifest, tag) = (garden.operator[1].to_string(), fallback_tag(&garden.operator[2]));
    let closed = garden.path("closed");
    let flag = fs::canonicalize(garden.folder.path()).unwrap().join("closed");
    let target = Proxy::start(&garden.target.host, move |request, _| {
        let is_hidden = is_for(request, "GET", &manifest) || is_for(request, "GET", &tag);
        if flag.exists() && is_hidden {
            Act::Answer(Reply::new(403, ""))
        } else {
            Act::Pass
        }
    });
    garden.plan_to(PART, &format!("{}/ocp", target.host()));
    garden.ok(COPY);
    garden.ok("mirror verify plan.json --use-http");
    fs::write(closed, "").unwrap();
    let output = garden.run("mirror verify plan.json --use-http -o json");
    assert_eq!(output.status.code(), Some(3), "{}", said(&output));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let problems = report["problems"].as_array().unwrap();
    assert_eq!(problems.len(), 2, "{report:#}");
    assert!(
        problems
            .iter()
            .all(|problem| problem["problem"] == json!("access denied")),
        "{report:#}"
    );
}
