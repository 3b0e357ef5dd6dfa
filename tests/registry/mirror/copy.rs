//! Mirroring from registry to registry.

use super::garden::{Garden, INDEX, MANIFEST, image, inspect, said};
use super::proxy::{Act, Proxy};
use super::{assert_all_there, assert_valid, is_blob, killed_until_it_ends, until_killed_enough};
use crate::http::{Reply, Server};
use crate::tools::installed;
use opmx::image::{Digest, fallback_tag};
use serde_json::{Value, json};
use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// All of the channel `stable`, with its dependencies.
const PART: &str = "greenhouse-operator=stable@all";
const COPY: &str = "mirror copy plan.json --use-http --retries 2";

/// The number of bytes of blobs that are read from a registry.
fn bytes_to_read(plan: &Value) -> u64 {
    let blobs = plan["blobs"].as_object().unwrap().values();
    let read = blobs.filter(|blob| blob["sources"] != json!(["catalog:0"]));
    read.map(|blob| blob["bytes"].as_u64().unwrap()).sum()
}

fn blobs_to_read(plan: &Value) -> usize {
    let blobs = plan["blobs"].as_object().unwrap().values();
    blobs.filter(|blob| blob["sources"] != json!(["catalog:0"])).count()
}

#[test]
fn everything_in_a_plan_is_copied_and_each_byte_transferred_once() {
    if !installed(&["docker-registry", "skopeo"]) {
        return;
    }
    let garden = Garden::new();
    let source = Proxy::start(&garden.source.host, |_, _| Act::Pass);
    garden.named(source.host());
    let plan = garden.plan(PART);
    assert_eq!(source.blob_bytes(), 0, "a plan is made of manifests");
    assert_eq!(plan["left_out"], json!([]));

    garden.ok(COPY);
    assert_eq!(source.blob_bytes(), bytes_to_read(&plan));
    assert_all_there(&garden, &plan);
    let result = garden.json("plan.result.json");
    assert_valid("plan", &plan);
    assert_valid("result", &result);
    assert_eq!(result["complete"], json!(true));
    let blobs = plan["blobs"].as_object().unwrap();
    assert_eq!(result["moved"]["sent"], json!(blobs.len()));
    let places: usize = blobs.values().map(|blob| blob["in"].as_array().unwrap().len()).sum();
    let mounted = result["moved"]["mounted"].as_u64().unwrap() + result["moved"]["there"].as_u64().unwrap();
    assert_eq!(mounted, (places - blobs.len()) as u64);
    assert!(!garden.path("plan.journal").exists());

    // The target has no list of referrers, so a tag takes its place.
    let to = garden.to();
    let [index, _, second] = garden.operator;
    let signature = inspect(&format!("{to}/garden/greenhouse:{}.sig", fallback_tag(&index)));
    assert_eq!(signature["layers"][0]["size"], json!("signature".len()));
    let listed = inspect(&format!("{to}/garden/greenhouse:{}", fallback_tag(&second)));
    assert_eq!(listed["manifests"].as_array().unwrap().len(), 1);

    let gets = source.count("GET", "/blobs/");
    let asked = source.requests().len();
    garden.ok(COPY);
    assert_eq!(source.count("GET", "/blobs/"), gets);
    assert_eq!(
        source.requests().len(),
        asked,
        "what is there is not asked for at its source"
    );
    let result = garden.json("plan.result.json");
    assert_eq!(result["moved"]["sent"], json!(0));
    assert_eq!(result["moved"]["manifests"], json!(0));
}

#[test]
fn a_failing_image_stops_only_its_dependents_and_the_next_run_continues() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let garden = Garden::new();
    let broken = fs::canonicalize(garden.folder.path()).unwrap().join("broken");
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
    fs::write(&broken, "").unwrap();
    let output = garden.run(COPY);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    assert!(said(&output).contains("/proxy/rbac"), "{}", said(&output));
    let result = garden.json("plan.result.json");
    assert_eq!(result["complete"], json!(false));
    let items = result["items"].as_array().unwrap();
    let state = |name: &str| {
        let item = items.iter().find(|item| item["name"].as_str().unwrap().contains(name));
        item.unwrap()["state"].as_str().unwrap().to_owned()
    };
    assert_eq!(state("proxy/rbac"), "failed");
    assert_eq!(state("catalog:0"), "failed");
    let copied = items.iter().filter(|item| item["state"] == json!("copied")).count();
    assert_eq!(copied, items.len() - 2, "{result:#}");
    let rbac = items
        .iter()
        .find(|item| item["name"].as_str().unwrap().contains("proxy/rbac"));
    assert_eq!(rbac.unwrap()["bundles"], json!(["g.v1.2.0"]));
    assert!(
        garden
            .client()
            .find(&format!("{}/catalog:latest", garden.to()))
            .is_none()
    );

    fs::remove_file(&broken).unwrap();
    let read: BTreeSet<String> = read_blobs(&source);
    garden.ok(COPY);
    assert_all_there(&garden, &plan);
    let now: Vec<String> = source
        .requests()
        .iter()
        .filter(|one| is_blob(one))
        .map(|one| one.path.clone())
        .collect();
    for path in read.iter().filter(|path| !path.contains("/proxy/rbac/")) {
        let times = now.iter().filter(|other| digest_of(other) == digest_of(path)).count();
        assert_eq!(times, 1, "{path}");
    }
}

fn read_blobs(source: &Proxy) -> BTreeSet<String> {
    let requests = source.requests();
    requests
        .iter()
        .filter(|one| is_blob(one))
        .map(|one| one.path.clone())
        .collect()
}

fn digest_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap()
}

#[test]
fn nothing_starts_after_a_failure_on_request() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let garden = Garden::new();
    let source = Proxy::start(&garden.source.host, |request, _| {
        if is_blob(request) {
            Act::Answer(Reply::new(403, "no"))
        } else {
            Act::Pass
        }
    });
    garden.named(source.host());
    garden.plan(PART);
    let output = garden.run(&format!("{COPY} --fail-fast --concurrency 1"));
    assert_eq!(output.status.code(), Some(1));
    // Each place of the first blob was asked.
    let digests: BTreeSet<String> = read_blobs(&source)
        .iter()
        .map(|path| digest_of(path).to_owned())
        .collect();
    assert_eq!(digests.len(), 1);
    let result = garden.json("plan.result.json");
    assert_eq!(result["moved"]["manifests"], json!(0));
}

#[test]
fn rate_limits_failures_truncations_and_wrong_bytes_are_overcome() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let garden = Garden::new();
    // Every blob meets something else the first time that it is asked for.
    let source = Proxy::start(&garden.source.host, |request, before| {
        if !is_blob(request) || before > 0 {
            return Act::Pass;
        }
        match request.path.as_bytes().last().unwrap() % 5 {
            0 => Act::Answer(Reply::new(429, "slow down").header("Retry-After", "1")),
            1 => Act::Answer(Reply::new(503, "not now")),
            2 => Act::Cut(40),
            3 => Act::Lie,
            _ => Act::Answer(Reply::new(500, "oh")),
        }
    });
    let target = Proxy::start(&garden.target.host, |request, before| {
        let begins = request.method == "POST" || request.path.contains("/manifests/");
        if begins && before == 0 && request.path.contains("greenhouse") {
            return Act::Answer(Reply::new(502, "bad gateway"));
        }
        Act::Pass
    });
    garden.named(source.host());
    let plan = garden.plan_to(PART, &format!("{}/ocp", target.host()));
    garden.ok("mirror copy plan.json --use-http --retries 4");
    assert!(source.blob_bytes() < bytes_to_read(&plan) * 5 / 2);
    let result = garden.json("plan.result.json");
    assert_eq!(result["complete"], json!(true), "{result:#}");
}

#[test]
fn expired_tokens_are_renewed() {
    const LASTS: usize = 9;
    if !installed(&["docker-registry"]) {
        return;
    }
    let garden = Garden::new();
    let given = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&given);
    let tokens = Server::start(move |_, _| {
        let token = counter.fetch_add(1, Ordering::SeqCst);
        Reply::new(200, format!(r#"{{"token":"t{token}","expires_in":3600}}"#))
    });
    // A token opens so many requests, whatever was said of its time.
    let guarded = |upstream: &str| {
        let used: Mutex<HashMap<String, usize>> = Mutex::default();
        let realm = tokens.host.clone();
        Proxy::start(upstream, move |request, _| {
            let mut used = used.lock().unwrap();
            let token = request.headers.get("authorization").cloned().unwrap_or_default();
            let before = used.entry(token.clone()).or_default();
            *before += 1;
            if token.starts_with("Bearer t") && *before <= LASTS {
                return Act::Pass;
            }
            let challenge = format!(r#"Bearer realm="http://{realm}/token",service="s""#);
            Act::Answer(Reply::new(401, "").header("WWW-Authenticate", challenge))
        })
    };
    let (source, target) = (guarded(&garden.source.host), guarded(&garden.target.host));
    garden.named(source.host());
    let plan = garden.plan_to(PART, &format!("{}/ocp", target.host()));
    let planned = given.load(Ordering::SeqCst);
    garden.ok("mirror copy plan.json --use-http");
    assert!(given.load(Ordering::SeqCst) > planned + 10);
    assert_all_there(&garden, &plan);
}

#[test]
fn a_killed_run_is_resumed_without_reading_completed_work_again() {
    if !installed(&["docker-registry"]) {
        return;
    }
    until_killed_enough(copied_under_kills);
}

/// Copies with kills, and returns their number.
fn copied_under_kills() -> usize {
    let garden = Garden::new();
    let source = Proxy::start(&garden.source.host, |request, _| {
        if is_blob(request) {
            std::thread::sleep(Duration::from_millis(25));
        }
        Act::Pass
    });
    garden.named(source.host());
    let plan = garden.plan(PART);
    let kills = killed_until_it_ends(&garden, &format!("{COPY} --concurrency 2"));
    assert!(kills > 2, "{kills}");
    assert_all_there(&garden, &plan);
    // A kill can lose what was under way, and nothing else.
    let most = blobs_to_read(&plan) + 2 * kills;
    assert!(
        source.count("GET", "/blobs/") <= most,
        "{} > {most}",
        source.count("GET", "/blobs/")
    );
    kills
}

#[test]
fn two_sources_with_one_destination_are_rejected_before_anything_is_copied() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let garden = Garden::new();
    let (one, other) = (&garden.source.host, &garden.target.host);
    let two = |more: &str| {
        let output = garden.run(&format!(
            "mirror plan --image {one}/proxy/rbac:v0.15 --image {other}/proxy/rbac:v0.15 --to mirror.example.com/a \
             --use-http {more}"
        ));
        (output.status.code(), said(&output))
    };
    let client = garden.client();
    client.artifact(&format!("{other}/proxy/rbac"), Some("v0.15"), None, "another");
    let (code, text) = two("");
    assert_eq!(code, Some(1), "{text}");
    assert!(
        text.contains("would both be copied to mirror.example.com/a/proxy/rbac:v0.15"),
        "{text}"
    );
    assert!(text.contains("--keep-host"), "{text}");
    assert!(!garden.path("plan.json").exists());
    let (code, text) = two("--keep-host");
    assert_eq!(code, Some(0), "{text}");
}

#[test]
fn a_plan_without_a_target_gets_one_and_a_plan_with_a_target_keeps_it() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let garden = Garden::new();
    let host = &garden.source.host;
    garden.ok(&format!("mirror plan --image {host}/proxy/rbac:v0.15 --use-http"));
    let output = garden.run(COPY);
    assert_eq!(output.status.code(), Some(2));
    assert!(said(&output).contains("--to"), "{}", said(&output));
    let to = garden.to();
    garden.ok(&format!("{COPY} --to {to}"));
    assert!(garden.client().find(&format!("{to}/proxy/rbac:v0.15")).is_some());
    garden.ok(&format!(
        "mirror plan --image {host}/proxy/rbac:v0.15 --use-http --to {to}"
    ));
    let output = garden.run(&format!("{COPY} --to mirror.example.com"));
    assert_eq!(output.status.code(), Some(1));
    assert!(said(&output).contains(", not mirror.example.com"), "{}", said(&output));
}

#[test]
fn names_other_than_those_of_the_last_copy_are_reported() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let garden = Garden::new();
    let (host, to) = (&garden.source.host, garden.to());
    garden.ok(&format!("mirror plan --image {host}/proxy/rbac:v0.15 --use-http"));
    garden.ok(&format!("{COPY} --to {to} --keep-host"));
    let manifests = format!("mirror manifests plan.json --to {to}");
    let text = garden.ok(&format!("{manifests} -o other"));
    assert!(text.contains("warning: plan.result.json records that "), "{text}");
    assert!(
        text.contains("hint: use --keep-host and --max-nested-paths as for "),
        "{text}"
    );
    let text = garden.ok(&format!("{manifests} --keep-host -o same"));
    assert!(!text.contains("records that"), "{text}");
    let verify = format!("mirror verify plan.json --at {to} --use-http");
    let output = garden.run(&verify);
    assert_eq!(output.status.code(), Some(3), "{}", said(&output));
    assert!(said(&output).contains("records that"), "{}", said(&output));
    let text = garden.ok(&format!("{verify} --keep-host"));
    assert!(!text.contains("records that"), "{text}");
    let delete = format!("mirror delete plan.json --at {to} --keep-nothing --use-http");
    assert!(said(&garden.run(&delete)).contains("records that"));
}

#[test]
fn a_moved_tag_is_reported_with_both_images() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let garden = Garden::new();
    let catalog = |plan: &Value| plan["catalogs"][0]["digest_after"].as_str().unwrap().to_owned();
    let before = catalog(&garden.plan("certs-operator"));
    let told = garden.ok(COPY);
    assert!(!told.contains("replaced"), "{told}");
    let after = catalog(&garden.plan("greenhouse-operator"));
    assert_ne!(before, after);
    let told = garden.ok(COPY);
    let name = format!("{}/catalog:latest", garden.to());
    assert!(
        told.contains(&format!("replaced {name}@{before} with {after}\n")),
        "{told}"
    );
    assert_eq!(told.matches("replaced").count(), 1, "{told}");
    let result = garden.json("plan.result.json");
    assert_valid("result", &result);
    let items = result["items"].as_array().unwrap().iter();
    let replaced: Vec<&Value> = items
        .map(|item| &item["replaced"])
        .filter(|found| !found.is_null())
        .collect();
    assert_eq!(replaced, [&json!({"latest": before})]);
    assert!(!garden.ok(COPY).contains("replaced"));
}

#[test]
fn signatures_that_were_added_at_the_mirror_survive_the_next_copy() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let garden = Garden::new();
    let plan = garden.plan(PART);
    garden.ok(COPY);
    let client = garden.client();
    let tag = format!("{}.sig", fallback_tag(&garden.operator[0]));
    let name = format!("{}/garden/greenhouse:{tag}", garden.to());
    let planned = client.find(&name).unwrap();
    let mut added = planned["layers"][0].clone();
    added["annotations"] = json!({"signature": "another"});
    let with = |layers: Vec<&Value>| {
        let mut manifest = planned.clone();
        manifest["layers"] = json!(layers);
        client.put(&name, MANIFEST, &manifest);
        manifest
    };
    let both = with(vec![&planned["layers"][0], &added]);
    let told = garden.ok(COPY);
    assert!(!told.contains("replaced"), "{told}");
    assert_eq!(client.find(&name).unwrap(), both);
    let result = garden.json("plan.result.json");
    let states = result["items"].as_array().unwrap().iter().map(|item| &item["state"]);
    assert!(states.clone().all(|state| *state == json!("present")), "{result:#}");
    garden.ok("mirror verify plan.json --use-http");
    // Without the signature in the plan, the tag is replaced.
    let only = with(vec![&added]);
    let told = garden.ok(COPY);
    let before = Digest::of(only.to_string().as_bytes());
    assert!(told.contains(&format!("replaced {name}@{before} with ")), "{told}");
    assert!(told.contains("lacks 1 layer that the mirror had"), "{told}");
    assert_eq!(client.find(&name).unwrap(), planned);
    let result = garden.json("plan.result.json");
    assert_valid("result", &result);
    let lost = result["items"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|item| item["lost"] == json!(1));
    assert_eq!(lost.count(), 1, "{result:#}");
    assert_all_there(&garden, &plan);
}

#[test]
fn an_image_index_among_the_referrers_is_copied_with_its_manifests() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let garden = Garden::new();
    let (client, subject) = (garden.client(), garden.operator[1]);
    let operator = format!("{}/garden/greenhouse", garden.source.host);
    let child = client.artifact(&operator, None, None, "child").to_string();
    let entry = |text: &str| {
        let digest = Digest::of(text.as_bytes()).to_string();
        json!({"mediaType": MANIFEST, "digest": digest, "size": text.len()})
    };
    let index = json!({"schemaVersion": 2, "mediaType": INDEX, "manifests": [entry(&child)],
        "subject": {"mediaType": MANIFEST, "digest": subject.to_string(), "size": 1}});
    let digest = Digest::of(index.to_string().as_bytes());
    client.put(&format!("{operator}@{digest}"), INDEX, &index);
    client.list(&operator, subject, &[&index]);
    let plan = garden.plan(PART);
    assert_eq!(plan["left_out"], json!([]));
    garden.ok(COPY);
    assert_all_there(&garden, &plan);
    let child = Digest::of(child.as_bytes());
    assert!(
        client
            .find(&format!("{}/garden/greenhouse@{child}", garden.to()))
            .is_some()
    );
    garden.ok("mirror verify plan.json --use-http");
}

#[test]
fn omitted_platforms_are_neither_read_nor_hidden() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let garden = Garden::new();
    let host = &garden.source.host;
    let to = garden.to();
    garden.ok(&format!(
        "mirror plan --image {host}/garden/greenhouse:v1.2.0 --platforms linux/arm64 --use-http --to {to}"
    ));
    let plan = garden.json("plan.json");
    assert_eq!(plan["images"][0]["platforms_left_out"], json!(["linux/amd64"]));
    let [index, first, second] = garden.operator.map(|digest| digest.to_string());
    assert!(plan["manifests"].get(&first).is_none());
    assert_eq!(plan["manifests"][&index]["manifests"], json!([second]));
    // This registry wants every image of an index.
    let output = garden.run(COPY);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        said(&output).contains("some of its platforms are excluded"),
        "{}",
        said(&output)
    );
}

#[test]
fn a_plan_with_destinations_outside_its_target_is_rejected() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let garden = Garden::new();
    let to = garden.to();
    let mut plan = garden.plan("certs-operator");
    garden.ok("mirror copy plan.json --use-http");
    let other = format!("{}/stolen/x", garden.source.host);
    plan["images"][1]["destination"] = json!(other);
    fs::write(garden.path("plan.json"), plan.to_string()).unwrap();
    for line in [
        format!("mirror copy plan.json --to {to} --use-http"),
        format!("mirror delete plan.json --keep-nothing --at {to} --use-http --apply"),
        format!("mirror verify plan.json --at {to} --use-http"),
    ] {
        let output = garden.run(&line);
        let text = said(&output);
        assert_eq!(output.status.code(), Some(1), "{line}: {text}");
        assert!(
            text.contains(&format!("has the destination {other}, but the plan is for {to}")),
            "{text}"
        );
    }
    assert_eq!(garden.client().tags(&other), []);
    let empty = json!({"schema": plan["schema"], "catalogs": [], "images": [], "extras": [], "manifests": {}, "blobs": {},
        "totals": {"images": 0, "manifests": 0, "blobs": 0, "bytes_referenced": 0, "bytes_unique": 0}, "because": [], "left_out": []});
    fs::write(garden.path("plan.json"), empty.to_string()).unwrap();
    let text = garden.ok(&format!("mirror copy plan.json --to {to} --use-http"));
    assert!(text.contains("the plan contains no images"), "{text}");
}

#[test]
fn a_tag_that_is_not_a_list_of_referrers_is_not_overwritten() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let garden = Garden::new();
    garden.plan("greenhouse-operator=stable");
    let client = garden.client();
    let repository = format!("{}/garden/greenhouse", garden.to());
    let tag = fallback_tag(&garden.operator[2]);
    let before = client.artifact(&repository, Some(&tag), None, "an image of a different tool");
    let output = garden.run("mirror copy plan.json --use-http");
    let text = said(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(
        text.contains(&format!("the tag {tag} does not refer to a list of referrers")),
        "{text}"
    );
    assert_eq!(client.find(&format!("{repository}:{tag}")), Some(before));
}

#[test]
fn a_failing_image_withholds_only_the_catalogs_that_need_it() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let garden = Garden::new();
    let broken = garden.path("broken");
    let flag = broken.clone();
    let source = Proxy::start(&garden.source.host, move |request, _| {
        let failing = fs::read_to_string(&flag).unwrap_or_default();
        if !failing.is_empty() && is_blob(request) && request.path.contains(&failing) {
            return Act::Answer(Reply::new(
                404,
                r#"{"errors":[{"code":"BLOB_UNKNOWN","message":"gone"}]}"#,
            ));
        }
        Act::Pass
    });
    let (host, to) = (source.host(), garden.to());
    garden.named(host);
    garden.client().artifact(
        &format!("{}/proxy/alone", garden.source.host),
        Some("v1"),
        None,
        "alone",
    );
    fs::write(
        garden.path("certs.yaml"),
        format!(
            "schema: olm.package\nname: certs-operator\ndefaultChannel: stable\n---\nschema: olm.channel\n\
             package: certs-operator\nname: stable\nentries: [{{name: c.v1.4.0}}]\n---\nschema: olm.bundle\n\
             name: c.v1.4.0\npackage: certs-operator\nimage: {host}/certs/bundle:v1.4.0\nproperties:\n\
             - {{type: olm.package, value: {{packageName: certs-operator, version: 1.4.0}}}}\n"
        ),
    )
    .unwrap();
    garden.ok(&format!(
        "mirror plan --catalog catalog.yaml --catalog certs.yaml --image {host}/proxy/alone:v1 --to {to} --no-binary --use-http"
    ));
    let client = garden.client();
    let states = |failing: &str| {
        fs::write(&broken, failing).unwrap();
        let output = garden.run(COPY);
        assert_eq!(output.status.code(), Some(1), "{}", said(&output));
        let items = garden.json("plan.result.json")["items"].clone();
        let items = items.as_array().unwrap().iter();
        let failed = items.filter(|item| item["state"] == json!("failed"));
        failed
            .map(|item| (item["name"].as_str().unwrap().to_owned(), item["why"].clone()))
            .collect::<Vec<_>>()
    };
    let failed = states("/proxy/rbac/");
    assert_eq!(failed.len(), 2, "{failed:?}");
    let (rbac, catalog) = (&failed[0], &failed[1]);
    assert!(rbac.0.contains("/proxy/rbac@"), "{failed:?}");
    assert_eq!(catalog.0, "catalog:0");
    assert_eq!(catalog.1, json!(format!("it depends on {}, which failed", rbac.0)));
    assert!(client.find(&format!("{to}/catalog:latest")).is_none());
    assert!(client.find(&format!("{to}/certs:latest")).is_some());

    garden.ok(&format!(
        "mirror plan --catalog catalog.yaml --image {host}/proxy/alone:v1 --to {to}/alone --no-binary --use-http"
    ));
    let failed = states("/proxy/alone/");
    assert_eq!(failed.len(), 1, "{failed:?}");
    assert!(failed[0].0.contains("/proxy/alone@"), "{failed:?}");
    assert!(client.find(&format!("{to}/alone/catalog:latest")).is_some());
}

#[test]
fn references_with_one_tag_and_two_digests_are_mirrored_by_digest() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let garden = Garden::new();
    let repository = format!("{}/proxy/rbac", garden.source.host);
    let client = garden.client();
    let put = |text: &str| {
        client.artifact(&repository, Some("v1"), None, text);
        client
            .tags(&repository)
            .into_iter()
            .find(|(tag, _)| tag == "v1")
            .unwrap()
            .1
    };
    let (one, other) = (put("one"), put("other"));
    let plan = format!("mirror plan --image {repository}:v1@{one} --image {repository}:v1@{other} --use-http");
    let text = garden.ok(&plan);
    assert!(
        text.contains(&format!("warning: the catalogs use {repository}:v1 for 2 images")),
        "{text}"
    );
    garden.ok("mirror copy plan.json --to-archive archive --use-http");
    let to = garden.to();
    garden.ok(&format!("mirror load archive --to {to} --use-http"));
    let tags = client.tags(&format!("{to}/proxy/rbac"));
    let mut expected = [one, other].map(|digest| (format!("digest-{}", digest.hex()), digest));
    expected.sort();
    assert_eq!(tags, expected);
    // An image that is pulled by the tag keeps it.
    garden.ok(&format!("{plan} --image {repository}:v1 --to {to}/tagged"));
    garden.ok(COPY);
    let tags = client.tags(&format!("{to}/tagged/proxy/rbac"));
    assert_eq!(tags.len(), 3, "{tags:?}");
    assert!(tags.contains(&("v1".to_owned(), other)), "{tags:?}");
}

#[test]
fn names_that_differ_from_the_plan_are_rejected() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let garden = Garden::new();
    let (host, to) = (&garden.source.host, garden.to());
    let plan = format!("mirror plan --image {host}/proxy/rbac:v0.15 --use-http --to {to}");
    let refused = |line: &str| {
        let output = garden.run(line);
        assert_eq!(output.status.code(), Some(1), "{line}: {}", said(&output));
        let text = said(&output);
        assert!(
            text.contains("error: the plan copies ") && text.contains("--max-nested-paths"),
            "{text}"
        );
    };
    garden.ok(&plan);
    garden.ok("mirror copy plan.json --to-archive archive --use-http");
    for line in [
        COPY,
        "mirror load archive --use-http",
        "mirror verify plan.json --use-http",
        "mirror manifests plan.json -o manifests",
        &format!("mirror delete plan.json --keep-nothing --use-http --at {to}"),
        &format!("{COPY} --to {to}"),
    ] {
        refused(&format!("{line} --keep-host"));
        refused(&format!("{line} --max-nested-paths 1"));
    }
    garden.ok(&format!("{plan} --keep-host"));
    garden.ok(&format!("{COPY} --keep-host"));
    garden.ok(COPY);
    garden.ok("mirror verify plan.json --use-http --keep-host");
}

/// A catalog in a layout or archive has no image in a registry.
#[test]
fn a_whole_catalog_outside_a_registry_is_copied_and_verified() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let garden = Garden::new();
    fs::create_dir(garden.path("catalog")).unwrap();
    fs::rename(garden.path("catalog.yaml"), garden.path("catalog/catalog.yaml")).unwrap();
    let set = format!(
        "apiVersion: mirror.openshift.io/v2alpha1\nkind: ImageSetConfiguration\nmirror:\n  operators:\n  \
         - {{catalog: 'oci://{}', full: true}}\n",
        garden.path("lay").display()
    );
    fs::write(garden.path("set.yaml"), set).unwrap();
    garden.ok("catalog build catalog --no-binary -t oci:lay:v1");
    garden.ok("catalog build catalog --no-binary -t oci-archive:lay.tar:v1");
    for (name, choice) in [
        ("layout", "--catalog oci:lay:v1 --all"),
        ("tar", "--catalog oci-archive:lay.tar:v1 --all"),
        ("set", "-c set.yaml"),
    ] {
        let to = format!("{}/{name}", garden.target.host);
        garden.ok(&format!("mirror plan {choice} --use-http --to {to} -o {name}.json"));
        let plan = garden.json(&format!("{name}.json"));
        let catalog = &plan["catalogs"][0];
        assert_eq!(catalog["rebuilt"], json!(false));
        assert_eq!(catalog["digest"], catalog["digest_after"]);
        // The plan and its layout are enough to copy, also to another machine.
        fs::create_dir_all(garden.path("moved")).unwrap();
        for part in ["json", "catalogs"] {
            let part = format!("{name}.{part}");
            fs::rename(garden.path(&part), garden.path("moved").join(&part)).unwrap();
        }
        let aside = garden.path("aside");
        fs::create_dir_all(&aside).unwrap();
        for original in ["lay", "lay.tar"] {
            fs::rename(garden.path(original), aside.join(original)).unwrap();
        }
        garden.ok(&format!("mirror copy moved/{name}.json --use-http"));
        garden.ok(&format!("mirror verify moved/{name}.json --use-http"));
        let there = garden.client().find(catalog["destination"].as_str().unwrap());
        assert!(there.is_some(), "{catalog}");
        let archive = format!("archive-{name}");
        garden.ok(&format!(
            "mirror copy moved/{name}.json --to-archive {archive} --use-http"
        ));
        garden.ok(&format!("mirror verify moved/{name}.json --at {archive}"));
        for original in ["lay", "lay.tar"] {
            fs::rename(aside.join(original), garden.path(original)).unwrap();
        }
    }
}

#[test]
fn referrers_of_a_catalog_in_a_layout_are_reported_because_they_are_not_mirrored() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let garden = Garden::new();
    fs::create_dir(garden.path("catalog")).unwrap();
    fs::rename(garden.path("catalog.yaml"), garden.path("catalog/catalog.yaml")).unwrap();
    garden.ok("catalog build catalog --no-binary -t oci:lay:v1");
    let line = "mirror plan --catalog oci:lay:v1 --all --use-http";
    assert!(!garden.ok(line).contains("left out"));
    let digest = garden.json("plan.json")["catalogs"][0]["digest"]
        .as_str()
        .unwrap()
        .to_owned();
    let lay = garden.path("lay");
    let signature = format!("oci:{}:{}.sig", lay.display(), digest.replace(':', "-"));
    garden.client().push(&image("signature", "1", "amd64"), &signature);
    let referrer = json!({"schemaVersion": 2, "mediaType": MANIFEST, "config": {}, "layers": [],
        "subject": {"mediaType": MANIFEST, "digest": digest, "size": 1}})
    .to_string();
    let of_referrer = Digest::of(referrer.as_bytes());
    fs::write(lay.join("blobs/sha256").join(of_referrer.hex()), &referrer).unwrap();
    let mut index = garden.json("lay/index.json");
    let entry = json!({"mediaType": MANIFEST, "digest": of_referrer.to_string(), "size": referrer.len()});
    index["manifests"].as_array_mut().unwrap().push(entry);
    fs::write(lay.join("index.json"), index.to_string()).unwrap();
    let text = garden.ok(line);
    let told = "left out a part of oci:lay:v1: its referrers (2), such as signatures, are not mirrored";
    assert!(text.contains(told), "{text}");
    assert!(!garden.ok(&format!("{line} --no-extras")).contains("left out"));
    // The signature of the original does not apply to a part of it.
    let text = garden.ok("mirror plan --catalog oci:lay:v1 -p certs-operator --no-binary --use-http");
    assert!(!text.contains("left out"), "{text}");
}
