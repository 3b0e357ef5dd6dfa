//! Verifying a mirror, comparing plans, and deleting content.

use super::garden::{Garden, INDEX, MANIFEST, said};
use super::killed_until_it_ends;
use super::proxy::{Act, Proxy};
use crate::policy::{KINDS, image_of, make_key, path, payload, sign};
use crate::tools::{installed, run};
use opmx::image::{Digest, fallback_tag};
use serde_json::{Value, json};
use std::fs;
use std::time::Duration;

const PART: &str = "greenhouse-operator=stable@all";

/// Returns the exit status and the problems.
fn verify(garden: &Garden, plan: &str, at: &str, more: &str) -> (Option<i32>, Vec<Value>) {
    let output = garden.run(&format!("mirror verify {plan} --at {at} --use-http -o json {more}"));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", said(&output)));
    (output.status.code(), report["problems"].as_array().unwrap().clone())
}

#[test]
fn lost_or_changed_content_at_the_target_is_reported() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let garden = Garden::new();
    let to = garden.to();
    garden.plan(PART);
    garden.ok("mirror copy plan.json --use-http");
    assert_eq!(verify(&garden, "plan.json", &to, "--read"), (Some(0), vec![]));

    let client = garden.client();
    client.artifact(&format!("{to}/proxy/rbac"), Some("v0.15"), None, "something else");
    let [index, _, second] = garden.operator;
    client.delete(&format!("{to}/garden/greenhouse:{}", fallback_tag(&second)));
    client.delete(&format!("{to}/garden/greenhouse:{}.sig", fallback_tag(&index)));
    let (code, problems) = verify(&garden, "plan.json", &to, "");
    assert_eq!(code, Some(3));
    let text = format!("{problems:?}");
    for expected in [
        "proxy/rbac:v0.15",
        "the tag refers to",
        "the tag is missing",
        "it is not listed among the referrers of",
    ] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
    // A second copy repairs it.
    garden.ok("mirror copy plan.json --use-http");
    assert_eq!(verify(&garden, "plan.json", &to, "").0, Some(0));
}

#[test]
fn status_reports_how_much_of_a_plan_the_target_has() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let garden = Garden::new();
    let to = garden.to();
    let line = format!("mirror plan --catalog catalog.yaml -p {PART} --no-binary --use-http --to {to} --check-target");
    let totals = || {
        let told = garden.ok(&line);
        (garden.json("plan.json")["totals"].clone(), told)
    };
    let (before, told) = totals();
    assert_eq!(before["bytes_present"], 0);
    assert!(told.contains("of which 0 B are already at the target"), "{told}");
    garden.ok("mirror copy plan.json --use-http");
    let (after, _) = totals();
    assert_eq!(after["bytes_present"], after["bytes_unique"]);
    let mut other = after.clone();
    other["bytes_present"] = before["bytes_present"].clone();
    assert_eq!(before, other);
}

#[test]
fn reading_blobs_detects_those_that_a_registry_lost() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let garden = Garden::new();
    garden.plan(PART);
    garden.ok("mirror copy plan.json --use-http");
    let target = Proxy::start(&garden.target.host, |request, _| {
        if request.method == "GET" && request.path.contains("/blobs/") {
            Act::Lie
        } else {
            Act::Pass
        }
    });
    garden.plan_to(PART, &format!("{}/ocp", target.host()));
    let at = format!("{}/ocp", target.host());
    assert_eq!(verify(&garden, "plan.json", &at, "--retries 0").0, Some(0));
    let (code, problems) = verify(&garden, "plan.json", &at, "--read --retries 0");
    assert_eq!(code, Some(3));
    assert!(
        problems[0]["problem"].as_str().unwrap().contains("digest"),
        "{problems:?}"
    );
}

#[test]
fn an_archive_is_verified_against_a_plan() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let garden = Garden::new();
    garden.plan("certs-operator");
    garden.ok("mirror copy plan.json --to-archive archive --use-http");
    assert_eq!(verify(&garden, "plan.json", "archive", ""), (Some(0), vec![]));
    garden.plan(PART);
    let (code, problems) = verify(&garden, "plan.json", "archive", "");
    assert_eq!(code, Some(3));
    assert!(!problems.is_empty());
}

#[test]
fn content_omitted_from_an_archive_is_not_reported_as_unsigned() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let garden = Garden::new();
    garden.plan(PART);
    garden.ok("mirror copy plan.json --to-archive base --use-http");
    garden.ok("mirror copy plan.json --to-archive more --base base --use-http");
    let key = "LS0tLS1CRUdJTiBQVUJMSUMgS0VZLS0tLS0KTUZrd0V3WUhLb1pJemowQ0FRWUlLb1pJemowREFRY0RRZ0FFOHlQd1FwZVRKSk1XTFdISmVtSUNtUVJsMWVGNwpNYm91VHpnQ0ZuQjZETHl1dFlwTTU1Tk5MY0Q4RW5vM0NUZ3ZLZE9TeUNwWTBCbzFzMWlRS0JOYVV3PT0KLS0tLS1FTkQgUFVCTElDIEtFWS0tLS0tCg==";
    let image = format!("{}/garden/greenhouse", garden.source.host);
    let policy = json!({"default": [{"type": "insecureAcceptAnything"}],
        "transports": {"docker": {image: [{"type": "sigstoreSigned", "keyData": key}]}}});
    fs::write(garden.path("policy.json"), policy.to_string()).unwrap();
    let output = garden.run("mirror verify plan.json --at more --policy policy.json");
    let text = said(&output);
    assert_eq!(output.status.code(), Some(3), "{text}");
    let refused = "its signature cannot be read: it is in an earlier archive, on which this one is based";
    assert!(text.contains(refused), "{text}");
    let told = "are only in an earlier archive, on which this one is based, and were not checked";
    assert!(text.contains(told), "{text}");
}

#[test]
fn a_policy_rejects_unsigned_images() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let garden = Garden::new();
    garden.plan("certs-operator");
    garden.ok("mirror copy plan.json --use-http");
    let host = &garden.source.host;
    let policy = json!({"default": [{"type": "insecureAcceptAnything"}],
        "transports": {"docker": {format!("{host}/certs/op"): [{"type": "reject"}]}}});
    fs::write(garden.path("policy.json"), policy.to_string()).unwrap();
    let output = garden.run(&format!(
        "mirror verify plan.json --at {} --use-http --policy policy.json",
        garden.to()
    ));
    assert_eq!(output.status.code(), Some(3), "{}", said(&output));
    assert!(said(&output).contains("/certs/op:v1.4.0"), "{}", said(&output));
}

#[test]
fn a_catalog_must_be_signed_for_its_name_at_the_mirror_and_can_be_signed_there() {
    if !installed(&["docker-registry", "openssl"]) {
        return;
    }
    let garden = Garden::new();
    let plan = garden.plan("certs-operator");
    garden.ok("mirror copy plan.json --use-http");
    let (folder, catalog) = (garden.folder.path(), format!("{}/catalog", garden.to()));
    make_key(folder, "ec", KINDS[0].1);
    let signed = json!({"type": "sigstoreSigned", "keyPath": path(folder, "ec.pub"),
        "signedIdentity": {"type": "matchRepository"}});
    let policy = json!({"default": [{"type": "insecureAcceptAnything"}],
        "transports": {"docker": {&catalog: [signed]}}});
    fs::write(garden.path("policy.json"), policy.to_string()).unwrap();
    let line = "mirror verify plan.json --use-http --policy policy.json";
    let output = garden.run(line);
    let text = said(&output);
    assert_eq!(output.status.code(), Some(3), "{text}");
    assert!(
        text.contains("/catalog:latest") && text.contains("it has no signature"),
        "{text}"
    );
    let digest = plan["catalogs"][0]["digest_after"].as_str().unwrap();
    let listed = plan["manifests"][digest]["manifests"].as_array().into_iter().flatten();
    for digest in listed.map(|digest| digest.as_str().unwrap()).chain([digest]) {
        let digest: Digest = digest.parse().unwrap();
        let payload = payload(&catalog, digest);
        let signature = sign(folder, "ec", &payload);
        let tag = format!("{}.sig", fallback_tag(&digest));
        garden
            .client()
            .push(&image_of(payload, &signature), &format!("{catalog}:{tag}"));
    }
    let text = garden.ok(line);
    let names = plan["images"].as_array().unwrap().len();
    let told = format!(
        "the policy accepts {names} of {names} image names; {} of them are in no scope other than the default",
        names - 1
    );
    assert!(text.contains(&told), "{text}");
    let report: Value = serde_json::from_slice(&garden.run(&format!("{line} -o json")).stdout).unwrap();
    assert_eq!(report["verdicts"].as_array().unwrap().len(), names, "{report:#}");
}

#[test]
fn a_tag_of_a_referrer_in_a_kept_plan_is_not_listed_for_a_deleted_one() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let garden = Garden::new();
    let old = garden.plan(PART);
    garden.ok("mirror copy plan.json --use-http");
    for file in ["json", "catalogs"] {
        fs::rename(
            garden.path(&format!("plan.{file}")),
            garden.path(&format!("old.{file}")),
        )
        .unwrap();
    }
    let tag = format!("{}.sig", fallback_tag(&garden.operator[0]));
    let operator = format!("{}/garden/greenhouse", garden.source.host);
    garden
        .client()
        .artifact(&operator, Some(&tag), None, "another signature");
    garden.plan(PART);
    garden.ok("mirror copy plan.json --use-http");
    let mut extras = old["extras"].as_array().unwrap().iter();
    let signature = extras.find(|extra| extra["tag"] == json!(tag)).unwrap();
    let line = format!(
        "mirror delete old.json --keep plan.json --at {} --use-http --apply",
        garden.to()
    );
    let text = garden.ok(&line);
    let row = text
        .lines()
        .find(|line| line.contains(signature["digest"].as_str().unwrap()))
        .unwrap();
    assert!(row.contains("deleted") && !row.contains(&tag), "{row}");
    assert_eq!(verify(&garden, "plan.json", &garden.to(), ""), (Some(0), vec![]));
}

#[test]
fn a_plan_diff_lists_images_and_bytes() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let garden = Garden::new();
    garden.plan("greenhouse-operator=stable@<=1.1.0");
    fs::rename(garden.path("plan.json"), garden.path("old.json")).unwrap();
    let plan = garden.plan("greenhouse-operator=stable@>=1.1.1");
    let output = garden.run("mirror diff old.json plan.json -o json");
    let difference: Value = serde_json::from_slice(&output.stdout).unwrap();
    let names = |list: &Value| -> Vec<String> {
        let images = list.as_array().unwrap().iter();
        images
            .map(|image| image["source"].as_str().unwrap().split('@').next().unwrap().to_owned())
            .collect()
    };
    let host = &garden.source.host;
    assert!(names(&difference["added"]).contains(&format!("{host}/proxy/rbac")));
    assert!(names(&difference["removed"]).contains(&format!("{host}/garden/greenhouse-bundle")));
    assert_eq!(difference["kept"], json!(1), "{difference:#}");
    let all = plan["totals"]["bytes_unique"].as_u64().unwrap();
    let added = difference["to_add"]["bytes"].as_u64().unwrap();
    assert!(
        added > 0 && added < all - 300 * 1024,
        "the shared layer is there: {added} of {all}"
    );
    let text = garden.ok("mirror diff old.json plan.json");
    assert!(text.contains('+') && text.contains("g.v1.2.0"), "{text}");
    assert!(!text.contains("catalog:0"), "{text}");
    assert!(
        garden
            .ok("mirror diff plan.json plan.json")
            .contains("0 images (0 B) to add")
    );
}

#[test]
fn a_plan_diff_lists_images_with_different_referrers_or_platforms() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let garden = Garden::new();
    garden.plan(PART);
    let plan = format!("mirror plan --catalog catalog.yaml -p {PART} --no-binary --use-http");
    for option in ["--no-extras", "--platforms linux/arm64"] {
        garden.ok(&format!("{plan} {option} -o less.json"));
        let output = garden.run("mirror diff less.json plan.json -o json");
        let difference: Value = serde_json::from_slice(&output.stdout).unwrap();
        let image = &difference["extended"][0];
        assert!(
            image["source"].as_str().unwrap().contains("/garden/greenhouse@"),
            "{difference:#}"
        );
        assert!(image["bytes"].as_u64().unwrap() > 0, "{difference:#}");
        assert_eq!(difference["added"], json!([]), "{difference:#}");
        let text = garden.ok("mirror diff plan.json less.json");
        assert!(text.contains(" (referrers or platforms)  "), "{text}");
        assert!(
            text.contains(" to drop, 1 with other referrers or platforms, "),
            "{text}"
        );
    }
}

#[test]
fn only_content_that_no_kept_plan_needs_is_deleted_and_only_on_request() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let garden = Garden::new();
    let to = garden.to();
    garden.plan(PART);
    garden.ok("mirror copy plan.json --use-http");
    fs::rename(garden.path("plan.json"), garden.path("old.json")).unwrap();
    fs::rename(garden.path("plan.catalogs"), garden.path("old.catalogs")).unwrap();
    // The new plan has one of the images behind the index of the old one, by its own digest.
    let [index, first, second] = garden.operator;
    let host = &garden.source.host;
    garden.ok(&format!(
        "mirror plan --image {host}/garden/greenhouse@{second} --image {host}/certs/op:v1.4.0 --to {to} --use-http"
    ));
    garden.ok("mirror copy plan.json --use-http");
    let line = format!("mirror delete old.json --keep plan.json --at {to} --use-http");
    assert_eq!(
        garden.run(&format!("mirror delete old.json --at {to}")).status.code(),
        Some(2)
    );
    let text = garden.ok(&line);
    assert!(text.contains("would be deleted"), "{text}");
    assert!(text.contains(&first.to_string()), "{text}");
    assert!(!text.contains(&format!("greenhouse@{second}")), "{text}");
    let client = garden.client();
    let there = |name: &str| client.find(&format!("{to}/{name}")).is_some();
    assert!(there("proxy/rbac:v0.15"));

    let text = garden.ok(&format!("{line} --apply"));
    assert!(text.contains(", failed: 0"), "{text}");
    assert!(!there("proxy/rbac:v0.15"));
    assert!(!there(&format!("garden/greenhouse@{index}")));
    assert!(!there(&format!("garden/greenhouse:{}.sig", fallback_tag(&index))));
    assert!(!there("catalog:latest"));
    assert!(there("certs/op:v1.4.0"));
    // The signature of the image that stays is listed still.
    assert_eq!(verify(&garden, "plan.json", &to, "--read"), (Some(0), vec![]));
    let text = garden.ok(&format!("{line} --apply"));
    assert!(
        text.contains("absent") && text.contains("deleted 0 manifests"),
        "{text}"
    );
    let text = garden.ok(&line);
    assert!(text.contains("would delete 0 manifests; already absent: "), "{text}");
    assert!(!text.contains("would be deleted"), "{text}");
}

#[test]
fn a_deletion_at_a_mistyped_path_is_an_error() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let garden = Garden::new();
    garden.ok("mirror plan --catalog catalog.yaml -p certs-operator --no-binary --use-http -o plan.json");
    let to = garden.to();
    garden.ok(&format!("mirror copy plan.json --to {to} --use-http"));
    for apply in ["", " --apply"] {
        let line = format!("mirror delete plan.json --keep-nothing --at {to}x --use-http{apply}");
        let output = garden.run(&line);
        assert_eq!(output.status.code(), Some(1), "{}", said(&output));
        let none = format!("{to}x contains none of the repositories of the plan");
        assert!(said(&output).contains(&none), "{}", said(&output));
    }
    garden.ok(&format!(
        "mirror delete plan.json --keep-nothing --at {to} --use-http --apply"
    ));
}

#[test]
fn nothing_is_deleted_before_the_catalog_of_a_kept_plan_exists() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let garden = Garden::new();
    let to = garden.to();
    garden.plan(PART);
    garden.ok("mirror copy plan.json --use-http");
    fs::rename(garden.path("plan.json"), garden.path("old.json")).unwrap();
    garden.plan("certs-operator");
    let output = garden.run(&format!("mirror delete old.json --at {to} --use-http"));
    assert_eq!(output.status.code(), Some(2));
    assert!(said(&output).contains("or use --keep-nothing"), "{}", said(&output));
    let line = format!("mirror delete old.json --keep plan.json --at {to} --use-http");
    // The tag has not moved to the new catalog yet.
    let text = garden.ok(&line);
    let row = text.lines().find(|line| line.contains("/catalog@")).unwrap();
    assert!(
        row.contains("latest") && row.contains("kept: tag of a kept plan"),
        "{row}"
    );
    assert!(
        text.contains("does not exist, so --apply would delete nothing"),
        "{text}"
    );
    let output = garden.run(&format!("{line} --apply"));
    assert_eq!(output.status.code(), Some(1));
    let text = said(&output);
    assert!(
        text.contains("nothing was deleted") && text.contains("copy or load that plan first"),
        "{text}"
    );
    assert_eq!(verify(&garden, "old.json", &to, ""), (Some(0), vec![]));
    garden.ok("mirror copy plan.json --use-http");
    assert!(garden.ok(&format!("{line} --apply")).contains(", failed: 0"));
    assert_eq!(verify(&garden, "plan.json", &to, ""), (Some(0), vec![]));
}

#[test]
fn a_tag_of_a_kept_plan_moved_by_another_plan_is_not_deleted() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let garden = Garden::new();
    let to = garden.to();
    garden.plan(PART);
    garden.ok("mirror copy plan.json --use-http");
    for file in ["json", "catalogs"] {
        fs::rename(
            garden.path(&format!("plan.{file}")),
            garden.path(&format!("old.{file}")),
        )
        .unwrap();
    }
    garden.plan("certs-operator");
    garden.ok("mirror copy plan.json --use-http");
    let line = format!("mirror delete plan.json --keep old.json --at {to} --use-http --apply");
    let text = garden.ok(&format!("{line} --other-tags"));
    let row = text.lines().find(|line| line.contains("/catalog@")).unwrap();
    assert!(
        row.contains("latest") && row.contains("kept: tag of a kept plan"),
        "{row}"
    );
    assert!(text.contains("copy the plans to keep again"), "{text}");
    garden.ok("mirror copy old.json --use-http");
    let text = garden.ok(&line);
    assert!(
        text.contains("deleted 1 manifest;") && !text.contains("kept:"),
        "{text}"
    );
    assert_eq!(verify(&garden, "old.json", &to, ""), (Some(0), vec![]));
}

#[test]
fn an_unreachable_target_is_one_error_with_a_hint() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let garden = Garden::new();
    let to = garden.to();
    garden.plan(PART);
    let output = garden.run(&format!("mirror delete plan.json --keep-nothing --at {to} --apply"));
    let text = said(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert_eq!(text.matches("error: ").count(), 1, "{text}");
    assert!(text.contains("--use-http"), "{text}");
    // A plan of which no image can be looked at is no success.
    let output = garden.run(&format!("mirror plan --image {}/certs/op:v1.4.0", garden.source.host));
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    assert!(said(&output).contains("--use-http"), "{}", said(&output));
}

#[test]
fn a_killed_deletion_is_resumed_and_the_rest_stays_complete() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let garden = Garden::new();
    let target = Proxy::start(&garden.target.host, |request, _| {
        if request.method == "DELETE" {
            std::thread::sleep(Duration::from_millis(30));
        }
        Act::Pass
    });
    let to = format!("{}/ocp", target.host());
    garden.plan_to(PART, &to);
    garden.ok("mirror copy plan.json --use-http");
    fs::rename(garden.path("plan.json"), garden.path("old.json")).unwrap();
    let host = &garden.source.host;
    garden.ok(&format!(
        "mirror plan --image {host}/certs/op:v1.4.0 --to {to} --use-http"
    ));
    let line = format!("mirror delete old.json --keep plan.json --at {to} --use-http --apply");
    let kills = killed_until_it_ends(&garden, &line);
    assert!(kills > 1, "{kills}");
    assert!(garden.ok(&line).contains("absent"));
    let client = garden.client();
    assert!(client.find(&format!("{to}/proxy/rbac:v0.15")).is_none());
    assert_eq!(verify(&garden, "plan.json", &to, "--read"), (Some(0), vec![]));
}

#[test]
fn generated_files_redirect_container_engines_to_the_mirror() {
    if !installed(&["docker-registry", "skopeo"]) {
        return;
    }
    let garden = Garden::new();
    garden.plan(PART);
    garden.ok("mirror manifests plan.json -o manifests --kind idms,itms,catalogsource,registries.conf,mapping.txt");
    let before = fs::read(garden.path("manifests/itms.yaml")).unwrap();
    garden.ok("mirror manifests plan.json -o manifests");
    assert_eq!(fs::read(garden.path("manifests/itms.yaml")).unwrap(), before);
    assert!(
        !garden.path("manifests/idms.yaml").exists(),
        "nothing is named by digest"
    );
    garden.ok("mirror copy plan.json --use-http");

    // The registries of this test speak plain HTTP, which is for whoever configures an engine to say.
    let written = fs::read_to_string(garden.path("manifests/registries.conf")).unwrap();
    let plain: Vec<String> = written
        .lines()
        .map(|line| {
            if line.starts_with("location") {
                format!("{line}\ninsecure = true")
            } else {
                line.to_owned()
            }
        })
        .collect();
    fs::write(garden.path("registries.conf"), plain.join("\n")).unwrap();
    let conf = garden.path("registries.conf");
    let host = garden.source.host.clone();
    let asked = garden.source.log();
    for image in ["proxy/rbac:v0.15", "garden/greenhouse:v1.2.0", "certs/op:v1.4.0"] {
        let arguments = [
            "--registries-conf",
            conf.to_str().unwrap(),
            "inspect",
            "--raw",
            &format!("docker://{host}/{image}"),
        ];
        let text = run("skopeo", &arguments);
        assert!(text.contains("schemaVersion"), "{text}");
    }
    assert_eq!(garden.source.log(), asked, "the source is not asked");
}

#[test]
fn manifests_with_tags_outside_the_plans_are_kept_unless_allowed() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let garden = Garden::new();
    let to = garden.to();
    garden.plan(PART);
    garden.ok("mirror copy plan.json --use-http");
    let client = garden.client();
    let operator = format!("{to}/garden/greenhouse");
    let [index, first, second] = garden.operator;
    let content = client.find(&format!("{operator}:v1.2.0")).unwrap();
    assert_eq!(client.put(&format!("{operator}:prod"), INDEX, &content), index);

    let line = format!("mirror delete plan.json --keep-nothing --at {to} --use-http");
    let text = garden.ok(&line);
    let row = text.lines().find(|line| line.contains(&index.to_string())).unwrap();
    assert!(row.contains("prod") && row.contains("kept: other tags"), "{row}");
    assert!(text.contains("kept because of tags outside the plans"), "{text}");
    garden.ok(&format!("{line} --apply"));
    let there = |name: &str| client.find(&format!("{to}/{name}")).is_some();
    assert!(!there("proxy/rbac:v0.15"));
    for digest in [index, first, second] {
        assert!(there(&format!("garden/greenhouse@{digest}")), "{digest}");
    }
    assert!(there(&format!("garden/greenhouse:{}.sig", fallback_tag(&index))));
    assert!(there(&format!("garden/greenhouse:{}", fallback_tag(&second))));
    garden.ok(&format!("{line} --apply --other-tags"));
    assert!(!there("garden/greenhouse:prod") && !there(&format!("garden/greenhouse@{first}")));
}

#[test]
fn parts_of_image_indexes_with_tags_outside_the_plans_are_kept() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let garden = Garden::new();
    let to = garden.to();
    garden.plan(PART);
    garden.ok("mirror copy plan.json --use-http");
    let client = garden.client();
    let operator = format!("{to}/garden/greenhouse");
    let [index, first, second] = garden.operator;
    let entry = |digest: Digest, media_type: &str| {
        let content = client.find(&format!("{operator}@{digest}")).unwrap();
        json!({"mediaType": media_type, "digest": digest.to_string(), "size": content.to_string().len()})
    };
    // A team has an index of its own, within another one, that lists one of the two images of the operator.
    let list = |entries: Value| json!({"schemaVersion": 2, "mediaType": INDEX, "manifests": entries});
    let inner = list(json!([entry(first, MANIFEST)]));
    let inner = client.put(
        &format!("{operator}@{}", Digest::of(inner.to_string().as_bytes())),
        INDEX,
        &inner,
    );
    client.put(&format!("{operator}:team"), INDEX, &list(json!([entry(inner, INDEX)])));

    let line = format!("mirror delete plan.json --keep-nothing --at {to} --use-http");
    let text = garden.ok(&line);
    let row = text.lines().find(|line| line.contains(&first.to_string())).unwrap();
    assert!(row.contains("kept: part of the image with the tag team"), "{row}");
    garden.ok(&format!("{line} --apply"));
    let there = |digest: Digest| client.find(&format!("{operator}@{digest}")).is_some();
    assert!(there(inner) && there(first));
    assert!(!there(index) && !there(second));
    garden.ok(&format!("{line} --apply --other-tags"));
    assert!(there(inner) && !there(first));
}

#[test]
fn referrers_of_a_kept_image_are_listed_without_the_deleted_ones() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let garden = Garden::new();
    let to = garden.to();
    garden.plan(PART);
    garden.ok("mirror copy plan.json --use-http");
    garden.ok(&format!(
        "mirror plan --catalog catalog.yaml -p {PART} --to {to} --no-binary --use-http --no-extras -o kept.json"
    ));
    let client = garden.client();
    let operator = format!("{to}/garden/greenhouse");
    let second = garden.operator[2];
    let tag = format!("{operator}:{}", fallback_tag(&second));
    let mut list = client.find(&tag).unwrap();
    let other = client
        .artifact(&operator, None, Some(second), "something of a different tool")
        .to_string();
    let digest = Digest::of(other.as_bytes()).to_string();
    let entry = json!({"mediaType": MANIFEST, "digest": digest, "size": other.len()});
    list["manifests"].as_array_mut().unwrap().push(entry.clone());
    client.put(&tag, INDEX, &list);
    let line = format!("mirror delete plan.json --keep kept.json --at {to} --use-http --apply");
    garden.ok(&line);
    assert_eq!(client.find(&tag).unwrap()["manifests"], json!([entry]));
    assert_eq!(verify(&garden, "kept.json", &to, "--read"), (Some(0), vec![]));
    // A list of which nothing is left goes, too.
    garden.ok("mirror copy plan.json --use-http");
    client.delete(&tag);
    garden.ok("mirror copy plan.json --use-http");
    assert!(client.find(&tag).is_some());
    garden.ok(&line);
    assert_eq!(client.find(&tag), None);
}

#[test]
fn files_of_an_earlier_run_are_not_mixed_with_new_ones() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let garden = Garden::new();
    garden.plan("certs-operator");
    garden.ok("mirror manifests plan.json -o manifests --kind itms,mapping.txt");
    let output = garden.run("mirror manifests plan.json -o manifests --kind catalogsource");
    let text = said(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("itms.yaml; nothing was written"), "{text}");
    assert!(!garden.path("manifests/catalogsource-catalog-latest.yaml").exists());
    garden.ok("mirror manifests plan.json -o manifests --kind itms,catalogsource");
}
