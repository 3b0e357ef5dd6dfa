//! Concurrent writers of one database file, and of one tag of an index image.

use super::{bundle_names, names, succeed};
use crate::bundles::{self, Release};
use crate::common::Sandbox;
use crate::state::assert_sound;
use opmx::image::{ImageConfig, build, write_layout};
use std::collections::BTreeSet;
use std::fs;
use std::process::{Child, Stdio};

const WRITERS: usize = 8;

/// Starts all commands before waiting for the first one.
fn at_once(sandbox: &Sandbox, lines: &[String]) {
    let begin = |line: &String| -> Child {
        let mut command = sandbox.command(line.split(' '));
        command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let children: Vec<_> = lines.iter().map(begin).collect();
    for (line, child) in lines.iter().zip(children) {
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(0), "{line}: {said}");
    }
}

fn database() -> Sandbox {
    let sandbox = Sandbox::new();
    fs::create_dir(sandbox.path("db")).unwrap();
    sandbox
}

fn package(number: usize) -> String {
    format!("tool{number}")
}

/// The bundles of eight packages, and the command line that adds those of each.
fn additions(sandbox: &Sandbox, versions: usize) -> (BTreeSet<String>, Vec<String>) {
    let (mut all, mut lines) = (BTreeSet::new(), Vec::new());
    for writer in 0..WRITERS {
        let mut folders = Vec::new();
        for release in Release::line_of(&package(writer), versions) {
            release.write(&sandbox.path(release.name()));
            folders.push(release.name());
            all.insert(release.name());
        }
        lines.push(format!("registry add -q -b {} -d db/index.db", folders.join(",")));
    }
    (all, lines)
}

#[test]
fn eight_writers_add_bundles_to_one_database_without_losing_any() {
    for exists in [true, false] {
        let sandbox = database();
        let (mut all, lines) = additions(&sandbox, 5);
        if exists {
            let others: Vec<_> = Release::line_of("other", 5).collect();
            all.extend(others.iter().map(Release::name));
            bundles::add(others, &sandbox.path("db/index.db"));
        }
        at_once(&sandbox, &lines);
        assert_eq!(bundle_names(&sandbox.path("db/index.db")), all);
        assert_eq!(names(&sandbox.path("db")), ["index.db"]);
        assert_sound(&sandbox.path("db/index.db"));
        assert_eq!(succeed(&sandbox, "index check db/index.db"), "no findings\n");
        println!(
            "{WRITERS} writers at once, a database before them: {exists}; {} bundles",
            all.len()
        );
    }
}

#[test]
fn eight_writers_extend_one_package_in_any_order() {
    let sandbox = database();
    bundles::add(Release::line_of("tool", 4), &sandbox.path("db/index.db"));
    let lines: Vec<_> = (4..4 + WRITERS)
        .map(|number| {
            let release = Release::new("tool", number);
            release.write(&sandbox.path(release.name()));
            format!("registry add -q --mode semver -b {} -d db/index.db", release.name())
        })
        .collect();
    at_once(&sandbox, &lines);
    let all: BTreeSet<String> = Release::line_of("tool", 4 + WRITERS)
        .map(|release| release.name())
        .collect();
    assert_eq!(bundle_names(&sandbox.path("db/index.db")), all);
    assert_sound(&sandbox.path("db/index.db"));
    assert_eq!(succeed(&sandbox, "index check db/index.db"), "no findings\n");
}

#[test]
fn eight_writers_add_remove_and_deprecate_concurrently() {
    let sandbox = database();
    let gone = |number: usize| format!("gone{number}");
    let mut there: Vec<Release> = Vec::new();
    for number in 0..3 {
        there.extend(Release::line_of(&gone(number), 6));
    }
    there.extend(Release::line_of("cut", 6));
    bundles::add(there, &sandbox.path("db/index.db"));
    let (_, additions) = additions(&sandbox, 4);
    let mut lines = additions[..4].to_vec();
    lines.extend((0..3).map(|number| format!("registry rm -q -o {} -d db/index.db", gone(number))));
    let cut = Release::new("cut", 3);
    lines.push(format!(
        "registry deprecatetruncate -q -b {} -d db/index.db",
        cut.image()
    ));
    assert_eq!(lines.len(), WRITERS);
    // Removals and additions in turns.
    lines.sort_by_key(|line| line.len() % 3);
    at_once(&sandbox, &lines);
    let mut expected: BTreeSet<String> = (3..6).map(|number| Release::new("cut", number).name()).collect();
    for writer in 0..4 {
        expected.extend(Release::line_of(&package(writer), 4).map(|release| release.name()));
    }
    assert_eq!(bundle_names(&sandbox.path("db/index.db")), expected);
    assert_eq!(names(&sandbox.path("db")), ["index.db"]);
    assert_sound(&sandbox.path("db/index.db"));
    assert_eq!(succeed(&sandbox, "index check db/index.db"), "no findings\n");
}

#[test]
fn eight_pipelines_move_one_tag_without_losing_bundles() {
    let sandbox = database();
    let base = build(&ImageConfig::default(), Vec::new()).unwrap();
    write_layout(&base, &sandbox.path("base"), Some("v1")).unwrap();
    bundles::add(Release::line_of("other", 3), &sandbox.path("db/index.db"));
    succeed(
        &sandbox,
        "index prune -q -p other -f db/index.db -i oci:base:v1 -t oci:index:v1",
    );
    let (mut all, _) = additions(&sandbox, 1);
    all.extend(Release::line_of("other", 3).map(|release| release.name()));
    std::thread::scope(|scope| {
        for number in 0..WRITERS {
            let (sandbox, bundle) = (&sandbox, Release::new(&package(number), 0).name());
            let line = format!("index add -q -i oci:base:v1 -b {bundle} -f oci:index:v1 -t oci:index:v1");
            scope.spawn(move || succeed(sandbox, &line));
        }
    });
    let listed = succeed(&sandbox, "index list bundles oci:index:v1 -o json");
    let listed: serde_json::Value = serde_json::from_str(&listed).unwrap();
    let listed: BTreeSet<String> = listed
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["bundle"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(listed, all);
}
