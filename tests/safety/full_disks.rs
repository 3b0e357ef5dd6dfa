//! A full disk or a limit on the size of files: the command fails with a message and keeps the old state.

use crate::bundles::Release;
use crate::common::Sandbox;
use crate::indexes::{self, wrapped};
use crate::workshop::{State, View, Workshop};
use crate::writing::{ALL, Writing};
use std::path::Path;
use std::process::Command;

/// Asserts that a command that may have been stopped leaves one of two states, and that repeating it with enough room
/// gives the new one. Returns whether it was stopped.
fn check(workshop: &Workshop, writing: &Writing, program: &[&str], [old, new]: [&View; 2], of: &str) -> bool {
    workshop.fresh(writing);
    let outcome = workshop.sandbox.finish(&mut workshop.command(program, writing.line));
    let of = format!("{}, {of}", writing.name());
    let view = workshop.view(writing);
    let state = view.which(old, new, writing.unit);
    let state = state.unwrap_or_else(|| panic!("{of}: neither old nor new: {outcome}\n{view:#?}"));
    match outcome.status {
        Some(0) => assert_eq!(state, State::New, "{of}: {outcome}"),
        Some(1) => {
            assert!(state != State::New, "{of}: {outcome}");
            assert!(outcome.stderr.contains("error: "), "{of}: {outcome}");
        }
        _ => panic!("{of}: {outcome}"),
    }
    // A database may keep the journal of what could not be undone for want of room.
    let left: Vec<_> = view.leftovers().filter(|path| !path.ends_with("-journal")).collect();
    assert!(left.is_empty(), "{of}: {left:?} is left");
    let next = workshop.run(writing.line);
    let expected = if state == State::New { writing.again } else { 0 };
    assert_eq!(next.status, Some(expected), "{of}, and run again: {next}");
    workshop.assert_tidy(writing, &format!("{of}, and run again"));
    assert_eq!(workshop.view(writing), *new, "{of}, and run again");
    outcome.status == Some(1)
}

#[test]
fn a_file_size_limit_leaves_the_old_state() {
    let workshop = Workshop::new();
    for writing in ALL {
        let (old, new, _) = workshop.undisturbed(writing);
        let stopped = [0, 4].into_iter().filter(|limit| {
            let script = format!("ulimit -f {limit}; exec \"$0\" \"$@\"");
            let of = format!("with files of at most {limit} KiB");
            check(&workshop, writing, &["bash", "-c", &script], [&old, &new], &of)
        });
        let stopped = stopped.count();
        println!("{}: stopped by {stopped} of 2 limits", writing.name());
        assert!(stopped > 0, "{}", writing.name());
    }
}

/// Returns whether a file system can be mounted on this folder, for one program only. If not, says so.
pub(crate) fn can_mount(folder: &Path) -> bool {
    let mounted = Command::new("unshare")
        .args(["--mount", "mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs"])
        .arg(folder)
        .output();
    let mounted = mounted.is_ok_and(|output| output.status.success());
    if !mounted {
        // Past the test harness, which would keep it to itself.
        std::io::Write::write_all(&mut std::io::stderr(), b"not run: no file system can be mounted here\n").unwrap();
    }
    mounted
}

/// Runs the remaining arguments on a disk with this many free KiB, and then copies the content of the disk back. A disk
/// of size zero would be unlimited, so a file takes up some of it.
const ON_A_SMALL_DISK: &str = r#"
    free=$1; shift
    mount -t tmpfs -o size=64m tmpfs ../empty && cp -a . ../empty/ && cd ../empty || exit 99
    head -c 4096 /dev/zero > ../empty/.filler
    used=$(df --output=used -k . | tail -1)
    mount -o "remount,size=$((used + free))k" . || exit 99
    "$@"
    code=$?
    rm .filler
    find ../run -mindepth 1 -delete
    cp -a . ../run/
    exit $code"#;

#[test]
fn a_full_disk_leaves_the_old_state() {
    let workshop = Workshop::new();
    if !can_mount(&workshop.sandbox.path("empty")) {
        return;
    }
    for writing in ALL {
        let (old, new, _) = workshop.undisturbed(writing);
        let stopped = [0_u32, 16].into_iter().filter(|free| {
            let program = [
                "unshare",
                "--mount",
                "sh",
                "-c",
                ON_A_SMALL_DISK,
                "sh",
                &free.to_string(),
            ];
            let of = format!("with {free} KiB free");
            check(&workshop, writing, &program, [&old, &new], &of)
        });
        let stopped = stopped.count();
        println!("{}: stopped by {stopped} of 2 full disks", writing.name());
        assert!(stopped > 0, "{}", writing.name());
    }
}

#[test]
fn the_error_names_the_unwritable_output_and_not_the_input_index() {
    let sandbox = Sandbox::new();
    Release::new("tool", 0).write(&sandbox.path("bundle"));
    indexes::database(&sandbox.path("old.db"));
    let program = ["bash", "-c", "ulimit -f 4; exec \"$@\"", "bash"];
    let outcome = wrapped(&sandbox, &program, "index prune -q -f old.db -p tool --generate");
    assert_eq!(outcome.status, Some(1), "{outcome}");
    assert!(outcome.stderr.contains(" database/index.db failed: "), "{outcome}");
    assert!(!outcome.stderr.contains("old.db"), "{outcome}");
}
