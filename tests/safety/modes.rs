//! The permissions of the files that opmx writes.

use crate::bundles::Release;
use crate::common::Sandbox;
use crate::indexes::{self, wrapped};
use crate::leftovers::{Serving, own_folder};
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::path::Path;

/// Runs the remaining arguments with the umask 000.
const OPEN: [&str; 4] = ["sh", "-c", "umask 000; exec \"$@\"", "sh"];
/// Runs the remaining arguments with the usual umask.
const USUAL: [&str; 4] = ["sh", "-c", "umask 022; exec \"$@\"", "sh"];

fn mode(path: &Path) -> u32 {
    fs::symlink_metadata(path).unwrap().mode() & 0o7777
}

#[test]
fn temporarily_unpacked_files_are_private() {
    for (form, unpacked) in [("database", "content/index.db"), ("catalog", "content/a.yaml")] {
        let sandbox = Sandbox::new();
        let image = match form {
            "database" => indexes::database_image(&sandbox, 0),
            _ => indexes::catalog_image(),
        };
        indexes::layout(&image, &sandbox.path("layout"));
        fs::create_dir(sandbox.path("tmp")).unwrap();
        let _serving = Serving::start(&sandbox, &OPEN, "oci:layout:v1", unpacked);
        let mut seen = 0;
        for entry in walkdir::WalkDir::new(own_folder(&sandbox)) {
            let entry = entry.unwrap();
            let expected = if entry.file_type().is_dir() { 0o700 } else { 0o600 };
            assert_eq!(mode(entry.path()), expected, "{form}: {:?}", entry.path());
            seen += 1;
        }
        assert!(seen >= 5, "{form}: {seen}");
    }
}

/// Command lines that write files, and the written files.
const WRITING: [(&str, &[&str]); 2] = [
    ("bundle build -q bundle -t oci-archive:bundle.tar:v1", &["bundle.tar"]),
    (
        "index prune -q -f old.db -p tool --generate --out-dockerfile index.Dockerfile",
        &["database/index.db", "index.Dockerfile"],
    ),
];

fn place() -> Sandbox {
    let sandbox = Sandbox::new();
    Release::new("tool", 0).write(&sandbox.path("bundle"));
    indexes::database(&sandbox.path("old.db"));
    sandbox
}

fn write(sandbox: &Sandbox, program: &[&str], line: &str) {
    let outcome = wrapped(sandbox, program, line);
    assert_eq!(outcome.status, Some(0), "{line}: {outcome}");
}

#[test]
fn the_mode_of_a_new_output_follows_the_umask() {
    for (program, expected) in [(USUAL, 0o644), (OPEN, 0o666)] {
        let sandbox = place();
        for (line, files) in WRITING {
            write(&sandbox, &program, line);
            for file in files {
                assert_eq!(mode(&sandbox.path(file)), expected, "{line}: {file}");
            }
        }
    }
}

#[test]
fn an_output_keeps_the_mode_of_the_replaced_file() {
    let sandbox = place();
    for (line, files) in WRITING {
        write(&sandbox, &OPEN, line);
        for kept in [0o600, 0o640, 0o444] {
            for file in files {
                let file = sandbox.path(file);
                fs::remove_file(&file).unwrap();
                fs::write(&file, "old").unwrap();
                fs::set_permissions(file, fs::Permissions::from_mode(kept)).unwrap();
            }
            write(&sandbox, &OPEN, line);
            for file in files {
                assert_ne!(fs::read(sandbox.path(file)).unwrap(), b"old", "{line}: {file}");
                assert_eq!(mode(&sandbox.path(file)), kept, "{line}: {file}");
            }
        }
    }
}

#[test]
fn an_output_written_by_root_keeps_the_owner_of_the_replaced_file() {
    let sandbox = place();
    let (line, file) = (WRITING[0].0, sandbox.path("bundle.tar"));
    fs::write(&file, "old").unwrap();
    if chown(&file, Some(65534), Some(65534)).is_err() {
        // Past the test harness, which would keep it to itself.
        std::io::Write::write_all(
            &mut std::io::stderr(),
            b"not run: files can be given away only by the superuser\n",
        )
        .unwrap();
        return;
    }
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    write(&sandbox, &USUAL, line);
    let metadata = fs::metadata(&file).unwrap();
    assert_eq!(
        (metadata.uid(), metadata.gid(), metadata.mode() & 0o777),
        (65534, 65534, 0o600)
    );
    assert!(metadata.len() > 3);
}

#[test]
fn a_link_named_as_an_output_is_kept_and_its_target_replaced() {
    let sandbox = place();
    fs::create_dir(sandbox.path("behind")).unwrap();
    for (line, link) in [
        ("bundle build -q bundle -t oci-archive:bundle.tar:v1", "bundle.tar"),
        (
            "index prune -q -f old.db -p tool --generate -d named.Dockerfile",
            "named.Dockerfile",
        ),
        (
            "bundle build -q bundle -t oci:layout:v1 --pins-out pins.txt",
            "pins.txt",
        ),
    ] {
        let target = sandbox.path("behind").join(link);
        fs::write(&target, "old").unwrap();
        fs::set_permissions(&target, fs::Permissions::from_mode(0o640)).unwrap();
        symlink(Path::new("behind").join(link), sandbox.path(link)).unwrap();
        write(&sandbox, &OPEN, line);
        assert!(fs::symlink_metadata(sandbox.path(link)).unwrap().is_symlink(), "{line}");
        assert_ne!(fs::read(&target).unwrap(), b"old", "{line}");
        assert_eq!(mode(&target), 0o640, "{line}");
    }
    assert_eq!(fs::read_dir(sandbox.path("behind")).unwrap().count(), 3);
}

/// The content of a checkout or a shared folder is not trusted.
#[test]
fn a_link_under_a_default_name_is_not_followed() {
    let sandbox = place();
    let other = sandbox.path("other");
    fs::write(&other, "mine").unwrap();
    fs::create_dir_all(sandbox.path("database")).unwrap();
    let link = |name: &str| {
        let path = sandbox.path(name);
        symlink(&other, &path).unwrap();
        path
    };
    // A file of opmx's own is refused beside what it changes, and a file that it only makes takes the place of a link.
    let database = link("database/index.db");
    let line = "index prune -q -f old.db -p tool --generate";
    let refused = wrapped(&sandbox, &USUAL, line);
    assert_eq!(refused.status, Some(1), "{refused}");
    assert!(refused.stderr.contains("database/index.db"), "{refused}");
    fs::remove_file(database).unwrap();
    let dockerfiles = ["index.Dockerfile", "bundle.Dockerfile"].map(link);
    write(&sandbox, &USUAL, line);
    write(
        &sandbox,
        &USUAL,
        "bundle generate -q bundle --package tool --channels stable",
    );
    for link in &dockerfiles {
        assert!(fs::symlink_metadata(link).unwrap().is_file(), "{link:?}");
    }
    assert_eq!(fs::read_to_string(&other).unwrap(), "mine");
}
