//! Leftovers of killed processes are removed, and nothing else is.

use crate::bundles::Release;
use crate::common::Sandbox;
use crate::indexes::{self, pipe, prepared, run, tree};
use std::fs;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::thread;
use std::time::Duration;

/// A temporary name of opmx, of a process that ended long ago.
const DEAD: &str = "1-0123456789abcdef";
/// A command that only reads, and unpacks its input.
const READING: &str = "index list packages oci:layout:v1";

/// A sandbox with the image of an index.
fn place() -> Sandbox {
    let sandbox = Sandbox::new();
    indexes::layout(&indexes::database_image(&sandbox, 0), &sandbox.path("layout"));
    fs::create_dir(sandbox.path("tmp")).unwrap();
    sandbox
}

/// The folder for the temporary folders of the current user.
pub(crate) fn own_folder(sandbox: &Sandbox) -> PathBuf {
    let user = fs::metadata(sandbox.path("")).unwrap().uid();
    sandbox.path(format!("tmp/opmx-{user}"))
}

fn succeed(sandbox: &Sandbox, line: &str) {
    let outcome = run(sandbox, line);
    assert_eq!(
        (outcome.status, outcome.stderr.as_str()),
        (Some(0), ""),
        "{line}: {outcome}"
    );
}

/// A server that has unpacked its input.
pub(crate) struct Serving(Child);

impl Serving {
    pub(crate) fn start(sandbox: &Sandbox, program: &[&str], index: &str, unpacked: &str) -> Self {
        let line = format!("serve {index} --address 127.0.0.1 --port 0");
        let mut command = prepared(sandbox, program, &line);
        let mut serving = Self(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
        let ready = |entry: walkdir::DirEntry| {
            entry.path().ends_with(unpacked) && entry.metadata().is_ok_and(|metadata| metadata.len() > 0)
        };
        for _ in 0..6000 {
            if walkdir::WalkDir::new(sandbox.path("tmp"))
                .into_iter()
                .flatten()
                .any(ready)
            {
                return serving;
            }
            assert!(serving.0.try_wait().unwrap().is_none(), "the server has ended");
            thread::sleep(Duration::from_millis(10));
        }
        panic!("nothing is unpacked");
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect()
}

#[test]
fn temporary_folders_are_removed_only_after_their_process_ended() {
    let sandbox = place();
    let serving = Serving::start(&sandbox, &["env"], "oci:layout:v1", "content/index.db");
    let in_use = tree(&own_folder(&sandbox));
    succeed(&sandbox, READING);
    assert_eq!(tree(&own_folder(&sandbox)), in_use);
    drop(serving);
    assert_eq!(tree(&own_folder(&sandbox)), in_use);
    succeed(&sandbox, READING);
    assert_eq!(names(&sandbox.path("tmp")), [""; 0]);
}

#[test]
fn nothing_a_user_could_have_created_is_removed_from_the_temporary_directory() {
    let sandbox = place();
    let temporary = sandbox.path("tmp");
    let own = own_folder(&sandbox);
    fs::DirBuilder::new().mode(0o700).create(&own).unwrap();
    for folder in [
        temporary.join("opmx-index-notes"),
        temporary.join("opmx-notes"),
        temporary.join("elsewhere/content"),
        own.join("notes"),
        own.join(DEAD),
    ] {
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("notes"), "mine").unwrap();
    }
    // Marked as ours, though not in our folder.
    fs::write(temporary.join("elsewhere/opmx-2.lock"), "").unwrap();
    symlink("../elsewhere", own.join("2-0123456789abcdef")).unwrap();
    pipe(&temporary.join("opmx-index-pipe"));
    pipe(&own.join("3-0123456789abcdef"));
    let before = tree(&temporary);
    succeed(&sandbox, READING);
    assert_eq!(tree(&temporary), before);
}

#[test]
fn a_temporary_folder_that_others_can_access_is_not_used() {
    let sandbox = place();
    let own = own_folder(&sandbox);
    let marked = |folder: &Path| {
        fs::create_dir_all(folder.join(DEAD).join("content")).unwrap();
        fs::write(folder.join(DEAD).join("opmx-1.lock"), "").unwrap();
    };
    let unusable: [(&str, &dyn Fn()); 3] = [
        ("a link", &|| {
            let elsewhere = sandbox.path("tmp/elsewhere");
            marked(&elsewhere);
            fs::set_permissions(&elsewhere, fs::Permissions::from_mode(0o700)).unwrap();
            symlink("elsewhere", &own).unwrap();
        }),
        ("a folder that others may enter", &|| {
            marked(&own);
            fs::set_permissions(&own, fs::Permissions::from_mode(0o777)).unwrap();
        }),
        ("a file", &|| fs::write(&own, "mine").unwrap()),
    ];
    for (what, make) in unusable {
        fs::remove_dir_all(sandbox.path("tmp")).unwrap();
        fs::create_dir(sandbox.path("tmp")).unwrap();
        make();
        let before = tree(&sandbox.path("tmp"));
        succeed(&sandbox, READING);
        assert_eq!(tree(&sandbox.path("tmp")), before, "{what}");
    }
}

#[test]
fn next_to_an_output_only_leftovers_of_opmx_are_removed() {
    let sandbox = place();
    Release::new("tool", 0).write(&sandbox.path("bundle"));
    let beside = |name: &str| sandbox.path(format!("out/.index.db.opmx-{name}"));
    fs::create_dir(sandbox.path("out")).unwrap();
    for name in ["notes", "1-0", "1-0123456789abcdef.bak"] {
        fs::write(beside(name), "mine").unwrap();
    }
    pipe(&beside("2-0123456789abcdef"));
    symlink(".index.db.opmx-notes", beside("3-0123456789abcdef")).unwrap();
    fs::create_dir(beside("4-0123456789abcdef")).unwrap();
    fs::write(beside("4-0123456789abcdef").join("notes"), "mine").unwrap();
    let before = tree(&sandbox.path("out"));
    fs::write(beside(DEAD), "half").unwrap();
    let outcome = run(&sandbox, "registry add -b bundle -d out/index.db");
    assert_eq!(outcome.status, Some(0), "{outcome}");
    fs::remove_file(sandbox.path("out/index.db")).unwrap();
    assert_eq!(tree(&sandbox.path("out")), before);
}
