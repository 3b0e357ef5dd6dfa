//! `registry add`: a database is changed completely or not at all.

use crate::bundles::{assert_sound, bundle_names, fail, garden, names, operator, outcome_of, rake, succeed};
use crate::common::{Outcome, Sandbox};
use std::fmt::Write as _;
use std::fs;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

const BEFORE: &str = "compost-operator.v0.3.1";

/// A sandbox with a database of one bundle, in a folder of its own.
fn with_database() -> Sandbox {
    let sandbox = garden();
    fs::create_dir(sandbox.path("db")).unwrap();
    succeed(&sandbox, "registry add -q -b compost -d db/index.db");
    sandbox
}

/// Bundles with a few megabytes of manifests each, and their names as an argument.
fn large(sandbox: &Sandbox, count: usize) -> String {
    let mut list = Vec::new();
    for number in 0..count {
        let name = format!("large{number}");
        operator(sandbox, &name, &name, "1.0.0", None);
        let mut map = format!("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\ndata:\n");
        for line in 0..40_000 {
            writeln!(
                map,
                "  key{line}: a value of some length that fills the pages of {name}"
            )
            .unwrap();
        }
        fs::write(sandbox.path(&name).join("manifests/map.yaml"), map).unwrap();
        list.push(name);
    }
    list.join(",")
}

#[test]
fn the_database_is_created_and_then_changed_in_place() {
    let sandbox = garden();
    rake(&sandbox, "rake", "1.0.0", None);
    let first = outcome_of(&sandbox, "registry add -b rake -d index.db");
    insta::assert_snapshot!(first, @"
    ------- stderr -------
    added rake.v1.0.0 to package rake (stable)
    ");
    let second = outcome_of(
        &sandbox,
        "registry add --bundle-images greenhouse,./compost --database index.db -c podman",
    );
    insta::assert_snapshot!(second, @"
    ------- stderr -------
    warning: ignoring --container-tool because opmx pulls and builds images itself
    added compost-operator.v0.3.1 to package compost-operator (alpha)
    added greenhouse-operator.v1.2.0 to package greenhouse-operator (candidate, stable)
    ");
    assert_sound(&sandbox.path("index.db"));
    let all = ["compost-operator.v0.3.1", "greenhouse-operator.v1.2.0", "rake.v1.0.0"];
    assert_eq!(bundle_names(&sandbox.path("index.db")), all);
    assert_eq!(names(&sandbox.path("")), ["compost", "greenhouse", "index.db", "rake"]);
}

#[test]
fn an_existing_bundle_changes_nothing() {
    let sandbox = with_database();
    let before = fs::read(sandbox.path("db/index.db")).unwrap();
    insta::assert_snapshot!(fail(&sandbox, "registry add -b greenhouse,compost -d db/index.db"), @r#"
    ------- stderr -------
    error: bundle compost-operator.v0.3.1 of compost is already in package "compost-operator" of the index, with the same image, content and channels
      hint: skip existing bundles with --if-exists skip
    ------- exit 1 -------
    "#);
    assert!(fs::read(sandbox.path("db/index.db")).unwrap() == before);
    assert_eq!(names(&sandbox.path("db")), ["index.db"]);
}

/// A moment in the run of a command, recognized by the files next to the database.
type Moment = fn(&Path) -> bool;

fn length(path: &Path) -> u64 {
    fs::metadata(path).map_or(0, |metadata| metadata.len())
}

/// Whether the moment came before the command ended.
fn wait_for(child: &mut Child, folder: &Path, moment: Moment) -> bool {
    loop {
        if moment(folder) {
            return true;
        }
        if child.try_wait().unwrap().is_some() {
            return false;
        }
        std::thread::yield_now();
    }
}

#[test]
fn a_killed_writer_leaves_the_old_database_or_the_new_one() {
    let sandbox = with_database();
    let list = large(&sandbox, 6);
    let folder = sandbox.path("db");
    let old = fs::read(folder.join("index.db")).unwrap();
    let line = format!("registry add -q -b {list} -d db/index.db");
    let moments: [Moment; 5] = [
        |_| true,
        |folder| folder.join("index.db-journal").exists(),
        |folder| length(&folder.join("index.db-journal")) > 0,
        |folder| length(&folder.join("index.db")) > 1 << 20,
        |folder| length(&folder.join("index.db")) > 12 << 20,
    ];
    let mut inside = 0;
    for (number, moment) in moments.into_iter().enumerate() {
        fs::write(folder.join("index.db"), &old).unwrap();
        let mut child = sandbox.command(line.split(' ')).stderr(Stdio::null()).spawn().unwrap();
        let reached = wait_for(&mut child, &folder, moment);
        child.kill().unwrap();
        child.wait().unwrap();
        let left = names(&folder);
        if reached && left.len() > 1 {
            inside += 1;
        }
        // A reader sees the old state, and leaves the recovery to the next writer.
        let seen = sandbox.run(["index", "list", "packages", "db/index.db", "-o", "json"]);
        assert_eq!(seen.status, Some(0), "moment {number}: {seen}");
        let packages = seen.stdout.matches("\"name\"").count();
        assert!(packages == 1 || packages == 7, "moment {number}: {seen}");
        assert_eq!(names(&folder), left, "moment {number}: reading changed the folder");

        let next = sandbox.run(line.split(' '));
        if packages == 1 {
            assert_eq!(next.status, Some(0), "moment {number}: {next}");
        } else {
            assert_eq!(next.status, Some(1), "moment {number}: {next}");
        }
        assert_eq!(names(&folder), ["index.db"], "moment {number}: something is left");
        assert_sound(&folder.join("index.db"));
        assert_eq!(bundle_names(&folder.join("index.db")).len(), 7, "moment {number}");
    }
    println!("killed {inside} of 5 writers inside their transaction");
    assert!(inside > 0, "no writer was killed inside its transaction");
}

#[test]
fn a_killed_first_writer_leaves_no_partial_database() {
    let sandbox = garden();
    fs::create_dir(sandbox.path("db")).unwrap();
    let list = large(&sandbox, 3);
    let folder = sandbox.path("db");
    let line = format!("registry add -q -b {list} -d db/index.db");
    let mut child = sandbox.command(line.split(' ')).stderr(Stdio::null()).spawn().unwrap();
    let inside: Moment = |folder| {
        let mut names = names(folder).into_iter();
        names.any(|name| name.starts_with(".index.db.opmx-"))
    };
    let reached = wait_for(&mut child, &folder, inside);
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(reached);
    if folder.join("index.db").exists() {
        assert_eq!(bundle_names(&folder.join("index.db")).len(), 3);
        fs::remove_file(folder.join("index.db")).unwrap();
    }
    succeed(&sandbox, &line);
    assert_eq!(names(&folder), ["index.db"]);
    assert_sound(&folder.join("index.db"));
}

/// Runs a command with a limit on the size of files, in kilobytes.
fn limited(sandbox: &Sandbox, kilobytes: u32, line: &str) -> Outcome {
    let mut command = Command::new("bash");
    command
        .args(["-c", &format!("ulimit -f {kilobytes}; exec \"$0\" \"$@\"")])
        .arg(env!("CARGO_BIN_EXE_opmx"))
        .args(line.split(' '));
    sandbox.surround(&mut command);
    sandbox.finish(&mut command)
}

#[test]
fn a_full_disk_leaves_the_old_database_and_is_reported() {
    let sandbox = with_database();
    let folder = sandbox.path("db");
    let before = fs::read(folder.join("index.db")).unwrap();
    let list = large(&sandbox, 1);
    // At the first byte of the journal, inside it, and when the database grows.
    for kilobytes in [0, 8, 64, 1000] {
        let outcome = limited(
            &sandbox,
            kilobytes,
            &format!("registry add -q -b greenhouse,{list} -d db/index.db"),
        );
        assert_eq!(outcome.status, Some(1), "{kilobytes}: {outcome}");
        insta::allow_duplicates! {
            insta::assert_snapshot!(outcome, @"
            ------- stderr -------
            error: an I/O operation on db/index.db failed: Error code 778: disk I/O error
              hint: check the disk, its free space, the quota and the limit on file sizes
            ------- exit 1 -------
            ");
        }
        assert_sound(&folder.join("index.db"));
        assert_eq!(bundle_names(&folder.join("index.db")), [BEFORE]);
        assert_eq!(names(&folder), ["index.db"], "{kilobytes}");
    }
    assert_eq!(fs::read(folder.join("index.db")).unwrap().len(), before.len());
    let outcome = limited(&sandbox, 50, "registry add -q -b greenhouse -d db/new.db");
    assert_eq!(outcome.status, Some(1), "{outcome}");
    assert_eq!(names(&folder), ["index.db"]);
}

#[test]
fn a_file_that_is_not_an_index_is_left_unchanged() {
    let sandbox = garden();
    fs::write(sandbox.path("text.db"), "hello\n").unwrap();
    rusqlite::Connection::open(sandbox.path("other.db"))
        .unwrap()
        .execute_batch("CREATE TABLE flowers (name TEXT)")
        .unwrap();
    let other = fs::read(sandbox.path("other.db")).unwrap();
    let into = |database: &str| sandbox.run(["registry", "add", "-b", "compost", "-d", database]);
    insta::assert_snapshot!(into("text.db"), @"
    ------- stderr -------
    error: text.db is not a database; specify an index database or a file that does not exist yet
    ------- exit 1 -------
    ");
    insta::assert_snapshot!(into("other.db"), @"
    ------- stderr -------
    error: other.db is a database, but not an operator index: it has no schema version
    ------- exit 1 -------
    ");
    insta::assert_snapshot!(into("absent/index.db"), @"
    ------- stderr -------
    error: the folder of absent/index.db does not exist; create it first
    ------- exit 4 -------
    ");
    insta::assert_snapshot!(into("compost"), @"
    ------- stderr -------
    error: compost cannot be opened; check that it is a file, and that the file and its folder are readable and writable
    ------- exit 1 -------
    ");
    assert_eq!(fs::read(sandbox.path("text.db")).unwrap(), b"hello\n");
    assert!(fs::read(sandbox.path("other.db")).unwrap() == other);
    assert_eq!(
        names(&sandbox.path("")),
        ["compost", "greenhouse", "other.db", "text.db"]
    );
}

#[test]
fn a_read_only_folder_is_reported() {
    let sandbox = with_database();
    let folder = sandbox.path("db");
    let readable = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    // For root nothing is read-only, so the command runs as nobody.
    let root = is_root();
    if root {
        for path in sandbox.path("").ancestors().take(2) {
            readable(path, 0o755);
        }
    }
    readable(&folder.join("index.db"), 0o444);
    readable(&folder, 0o555);
    let run = |line: &str| {
        let words = line.split(' ');
        if !root {
            return sandbox.run(words);
        }
        let mut command = Command::new("setpriv");
        command
            .args(["--reuid=65534", "--regid=65534", "--clear-groups"])
            .arg(env!("CARGO_BIN_EXE_opmx"))
            .args(words)
            .current_dir(sandbox.path(""));
        sandbox.finish(&mut command)
    };
    let (change, create) = (
        run("registry add --no-cache -b greenhouse -d db/index.db"),
        run("registry add --no-cache -b greenhouse -d db/new.db"),
    );
    readable(&folder, 0o755);
    insta::assert_snapshot!(change, @"
    ------- stderr -------
    error: db/index.db cannot be changed because the file or its folder is read-only
    ------- exit 1 -------
    ");
    assert_eq!(create.status, Some(1));
    assert!(create.stderr.starts_with("error: cannot create db/"), "{create}");
    assert!(create.stderr.contains("Permission denied"), "{create}");
    assert_eq!(names(&folder), ["index.db"]);
    assert_eq!(bundle_names(&folder.join("index.db")), [BEFORE]);
}

fn is_root() -> bool {
    let output = Command::new("id").arg("-u").output().unwrap();
    output.stdout == b"0\n"
}

#[test]
fn concurrent_writers_all_succeed() {
    for database in ["db/index.db", "db/new.db"] {
        let sandbox = with_database();
        let writers: Vec<_> = ["spade", "fork", "hoe"]
            .into_iter()
            .map(|package| {
                operator(&sandbox, package, package, "1.0.0", None);
                let line = format!("registry add -q -b {package} -d {database}");
                sandbox.command(line.split(' ')).stderr(Stdio::piped()).spawn().unwrap()
            })
            .collect();
        for mut writer in writers {
            let status = writer.wait().unwrap();
            let mut said = String::new();
            writer.stderr.take().unwrap().read_to_string(&mut said).unwrap();
            assert!(status.success(), "{database}: {said}");
        }
        assert_sound(&sandbox.path(database));
        let mut expected = vec!["fork.v1.0.0", "hoe.v1.0.0", "spade.v1.0.0"];
        if database == "db/index.db" {
            expected.insert(0, BEFORE);
        }
        assert_eq!(bundle_names(&sandbox.path(database)), expected);
    }
}

#[test]
fn a_patch_that_would_cut_off_a_lower_minor_version_is_rejected() {
    let sandbox = garden();
    let versions = ["1.6.0", "1.7.0", "1.7.1"];
    for version in versions {
        rake(&sandbox, version, version, None);
    }
    let line = format!(
        "registry add --mode semver-skippatch -b {} -d index.db",
        versions.join(",")
    );
    insta::assert_snapshot!(fail(&sandbox, &line), @r#"
    ------- stderr -------
    error: channel "stable" of package "rake" (head rake.v1.7.1) would lose the update path from rake.v1.6.0: rake.v1.7.1 would skip rake.v1.7.0, and the edges of skipped bundles to lower versions do not count; use semver or replaces mode for this package
    ------- exit 1 -------
    "#);
    succeed(&sandbox, &line.replace("semver-skippatch", "semver"));
}

#[test]
fn version_modes_ignore_replaces_even_in_another_package() {
    let sandbox = garden();
    rake(&sandbox, "rake1", "1.0.0", None);
    rake(&sandbox, "hoe", "2.0.0", Some("rake.v1.0.0"));
    for file in [
        "manifests/operator.clusterserviceversion.yaml",
        "metadata/annotations.yaml",
    ] {
        let path = sandbox.path("hoe").join(file);
        let text = std::fs::read_to_string(&path).unwrap();
        let text = text
            .replace("name: rake.v2.0.0", "name: hoe.v2.0.0")
            .replace("package.v1: rake", "package.v1: hoe");
        std::fs::write(&path, text).unwrap();
    }
    succeed(&sandbox, "registry add -b rake1 -d index.db -q");
    let outcome = fail(&sandbox, "registry add -b hoe -d index.db");
    let words = "bundle rake.v1.0.0 belongs to package \"rake\" of the index";
    assert!(outcome.stderr.contains(words), "{outcome}");
    succeed(&sandbox, "registry add -b hoe -d index.db --mode semver -q");
}

#[test]
fn overwriting_a_promoted_bundle_with_itself_keeps_its_channels() {
    let sandbox = garden();
    rake(&sandbox, "old", "1.0.0", None);
    succeed(&sandbox, "registry add -q -b old -d index.db");
    succeed(&sandbox, "registry promote -q rake.v1.0.0 -c fast -d index.db");
    let before = fs::read(sandbox.path("index.db")).unwrap();
    let outcome = outcome_of(&sandbox, "registry add -b old -d index.db --overwrite-latest");
    assert!(outcome.stderr.contains("already in the index"), "{outcome}");
    assert_eq!(fs::read(sandbox.path("index.db")).unwrap(), before);
}

#[test]
fn a_deprecated_bundle_is_kept_and_cannot_be_added_again() {
    let sandbox = garden();
    rake(&sandbox, "old", "1.0.0", None);
    rake(&sandbox, "new", "2.0.0", None);
    let annotations = sandbox.path("new/metadata/annotations.yaml");
    let text = fs::read_to_string(&annotations).unwrap();
    let fast = "channels.v1: fast\n  operators.operatorframework.io.bundle.channel.default.v1: fast";
    fs::write(annotations, text.replace("channels.v1: stable", fast)).unwrap();
    succeed(&sandbox, "registry add -q -b old,new -d index.db");
    succeed(&sandbox, "registry deprecatetruncate -b rake.v1.0.0 -d index.db");
    let outcome = fail(&sandbox, "registry add -b old -d index.db");
    assert!(outcome.stderr.contains("is deprecated and in no channel"), "{outcome}");
}
