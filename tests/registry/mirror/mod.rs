//! Mirrors between real registries, with a proxy between them that counts, truncates and falsifies.

mod archive;
mod changed_archive;
mod copy;
mod garden;
mod guide;
mod proxy;
mod referrers;
mod repair;
mod selection;
mod target;
mod unreachable;
mod upkeep;

use crate::http::Request;
use garden::Garden;
use serde_json::Value;
use std::io::Read;
use std::process::Stdio;
use std::time::{Duration, Instant};

fn is_blob(request: &Request) -> bool {
    request.method == "GET" && request.path.contains("/blobs/")
}

/// Asserts that every image and extra of the plan is at its destination.
fn assert_all_there(garden: &Garden, plan: &Value) {
    let client = garden.client();
    for image in plan["images"].as_array().unwrap() {
        let destination = image["destination"].as_str().unwrap();
        let tags = client.tags(destination);
        for tag in image["tags"].as_array().unwrap() {
            let digest = image["digest"].as_str().unwrap().parse().unwrap();
            assert!(
                tags.contains(&(tag.as_str().unwrap().to_owned(), digest)),
                "{image} {tags:?}"
            );
        }
    }
    for extra in plan["extras"].as_array().unwrap() {
        let digest = extra["digest"].as_str().unwrap();
        let there = client.find(&format!("{}/garden/greenhouse@{digest}", garden.to()));
        assert!(there.is_some(), "{extra}");
    }
}

/// Runs a command repeatedly, killing it a little later each time, until it ends by itself. Returns the number of
/// kills.
fn killed_until_it_ends(garden: &Garden, line: &str) -> usize {
    for kills in 0.. {
        let mut child = garden
            .command(line)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let deadline = Instant::now() + Duration::from_millis(40 + 15 * kills as u64);
        while Instant::now() < deadline {
            if let Some(status) = child.try_wait().unwrap() {
                let mut said = String::new();
                child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
                assert_eq!(status.code(), Some(0), "{said}");
                return kills;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }
    unreachable!()
}

/// The number of kills per test without OPMX_KILLS.
const KILLS: usize = 40;

/// Repeats a round until OPMX_KILLS commands were killed.
fn until_killed_enough(round: impl Fn() -> usize) {
    let wanted = std::env::var("OPMX_KILLS").map_or(KILLS, |kills| kills.parse().unwrap());
    let mut kills = 0;
    while kills < wanted {
        kills += round();
    }
}

/// Asserts that a file written by opmx matches its schema.
pub(crate) fn assert_valid(of: &str, file: &Value) {
    let path = format!("{}/src/schemas/mirror-{of}.schema.json", env!("CARGO_MANIFEST_DIR"));
    let schema: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let problems: Vec<String> = validator
        .iter_errors(file)
        .map(|error| format!("{error} at {}", error.instance_path()))
        .collect();
    assert!(problems.is_empty(), "{problems:?}");
}
