//! System limits that are too low for the work.

use crate::common::{Outcome, Sandbox, copy_folder};
use std::fs;
use std::path::Path;
use std::process::Command;

/// A bundle and a database with it.
fn garden() -> Sandbox {
    let sandbox = Sandbox::new();
    let bundle = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/compost-operator");
    copy_folder(&bundle, &sandbox.path("compost"));
    let added = sandbox.run(["registry", "add", "-q", "-b", "compost", "-d", "index.db"]);
    assert_eq!(added.status, Some(0), "{added}");
    sandbox
}

const COMMANDS: [&[&str]; 4] = [
    &[
        "serve",
        "index.db",
        "--address=127.0.0.1",
        "--port=0",
        "--timeout-seconds=0",
    ],
    &["index", "list", "bundles", "index.db"],
    &["bundle", "validate", "compost"],
    &["bundle", "build", "compost", "-t", "oci:layout:v1"],
];

fn run_with_files(sandbox: &Sandbox, files: usize, arguments: &[&str]) -> Outcome {
    let mut command = Command::new("sh");
    let script = format!("ulimit -n {files} && exec \"$@\"");
    command.args(["-c", &script, "sh", env!("CARGO_BIN_EXE_opmx")]);
    command.args(arguments);
    sandbox.surround(&mut command);
    sandbox.finish(&mut command)
}

#[test]
fn a_low_limit_on_open_files_is_reported() {
    let sandbox = garden();
    for arguments in COMMANDS {
        let outcome = run_with_files(&sandbox, 6, arguments);
        assert_eq!(outcome.status, Some(1), "{arguments:?}: {outcome}");
        insta::allow_duplicates! {
            insta::assert_snapshot!(outcome.stderr, @"
            error: cannot open as many files as every command needs: Too many open files (os error 24)
              hint: raise the limit on open files with ulimit -n
            ");
        }
    }
}

#[test]
fn no_limit_on_open_files_causes_a_panic_or_a_damaged_index_error() {
    let sandbox = garden();
    for files in [3, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 22] {
        for arguments in COMMANDS {
            let outcome = run_with_files(&sandbox, files, arguments);
            let ended = matches!(outcome.status, Some(0 | 1)) && !outcome.stderr.contains("panicked");
            assert!(ended, "{files} files, {arguments:?}: {outcome}");
            assert!(
                outcome.status == Some(0) || outcome.stderr.contains("error: "),
                "{outcome}"
            );
            // The index is healthy.
            assert!(
                !outcome.stderr.contains("restore"),
                "{files} files, {arguments:?}: {outcome}"
            );
        }
    }
}

#[test]
fn a_catalog_with_more_files_than_can_be_open_is_served() {
    let sandbox = Sandbox::new();
    let folder = sandbox.path("catalog");
    fs::create_dir(&folder).unwrap();
    for number in 0..100 {
        let package = format!(
            "{{\"schema\":\"olm.package\",\"name\":\"p{number}\",\"defaultChannel\":\"stable\"}}\n\
             {{\"schema\":\"olm.channel\",\"package\":\"p{number}\",\"name\":\"stable\",\"entries\":[{{\"name\":\"p{number}.v1\"}}]}}\n\
             {{\"schema\":\"olm.bundle\",\"package\":\"p{number}\",\"name\":\"p{number}.v1\",\"image\":\"registry.example.com/p:{number}\",\
             \"properties\":[{{\"type\":\"olm.package\",\"value\":{{\"packageName\":\"p{number}\",\"version\":\"1.0.0\"}}}}]}}\n"
        );
        fs::write(folder.join(format!("{number}.json")), package).unwrap();
    }
    let serve = [
        "serve",
        "catalog",
        "--address=127.0.0.1",
        "--port=0",
        "--timeout-seconds=0",
    ];
    let outcome = run_with_files(&sandbox, 64, &serve);
    assert_eq!(outcome.status, Some(0), "{outcome}");
}

#[test]
fn failing_to_start_a_thread_is_reported() {
    let sandbox = garden();
    for arguments in COMMANDS {
        let mut command = sandbox.command(arguments);
        // No system has memory for such a stack.
        let outcome = sandbox.finish(command.env("RUST_MIN_STACK", (1_u64 << 46).to_string()));
        assert_eq!(outcome.status, Some(1), "{arguments:?}: {outcome}");
        insta::allow_duplicates! {
            insta::assert_snapshot!(outcome.stderr, @"
            error: cannot start the threads that the command needs: Resource temporarily unavailable (os error 11)
              hint: raise the thread limit with ulimit -u, or the process limit of the container
            ");
        }
    }
}
