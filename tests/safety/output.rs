//! A result that cannot be written is a failure, unless the reader has closed the pipe.

use crate::common::{Outcome, Sandbox};
use std::fs::File;
use std::io::Read;
use std::process::{Command, Stdio};

/// Commands that print in every possible way: lines, tables, documents, findings, drawings, help.
const PRINTING: &[&str] = &[
    "version",
    "--help",
    "index list --help",
    "bundle rules",
    "bundle rules name-hidden-character",
    "bundle rules -o json",
    "bundle schema",
    "completion bash",
    "operator crds -o yaml",
    "init etcd",
    "upgrade-check init --name x.v1.0.0 --namespace y",
    "bundle validate nothing-there",
];

const CANNOT: &str = "error: cannot write to standard output: ";

#[test]
fn a_closed_or_full_standard_output_is_a_failure() {
    let sandbox = Sandbox::new();
    for line in PRINTING {
        for (redirection, why) in [
            (">&-", "Bad file descriptor"),
            ("1</dev/null", "Bad file descriptor"),
            (">/dev/full", "No space left on device"),
        ] {
            let outcome = in_shell(&sandbox, &format!("{line} {redirection}"));
            assert_eq!(outcome.status, Some(1), "{line} {redirection}: {outcome}");
            let said = outcome.stderr.contains(&format!("{CANNOT}{why}"));
            assert!(said, "{line} {redirection}: {outcome}");
        }
    }
}

#[test]
fn commands_that_print_nothing_do_not_need_standard_output() {
    let sandbox = Sandbox::new();
    for line in [
        "man pages >&-",
        "init >&-",
        "man pages >/dev/null",
        "version >/dev/null",
        "version 1<>/dev/null",
    ] {
        let outcome = in_shell(&sandbox, line);
        assert!(!outcome.stderr.contains(CANNOT), "{line}: {outcome}");
    }
    // Without standard error, too, nothing else is written into a file that got its number.
    assert_eq!(in_shell(&sandbox, "version >&- 2>&-").status, Some(1));
    assert_eq!(in_shell(&sandbox, "man pages >&- 2>&- <&-").status, Some(0));
}

#[test]
fn the_answer_does_not_depend_on_the_reader_of_the_output() {
    let sandbox = Sandbox::new();
    for line in PRINTING {
        let alone = sandbox.run(line.split(' ')).status;
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut command = sandbox.command(line.split(' '));
        let mut child = command.stdout(writer).stderr(Stdio::piped()).spawn().unwrap();
        let mut stderr = String::new();
        child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
        let status = child.wait().unwrap().code();
        assert!(!stderr.contains("standard output"), "{line}: {stderr}");
        assert_eq!(status, alone, "{line}: {stderr}");
    }
}

#[test]
fn output_is_identical_in_a_file_and_in_a_pipe() {
    let sandbox = Sandbox::new();
    for line in PRINTING {
        let piped = sandbox.run(line.split(' '));
        let file = sandbox.path("printed");
        let mut command = sandbox.command(line.split(' '));
        let status = command
            .stdout(File::create(&file).unwrap())
            .stderr(Stdio::null())
            .status()
            .unwrap();
        assert_eq!(status.code(), piped.status, "{line}");
        let printed = std::fs::read_to_string(&file).unwrap();
        assert_eq!(
            printed.replace(sandbox.path("").to_str().unwrap(), "[DIR]/"),
            piped.stdout,
            "{line}"
        );
    }
}

/// Runs `opmx` with a shell command line.
fn in_shell(sandbox: &Sandbox, line: &str) -> Outcome {
    let mut command = Command::new("sh");
    command.args(["-c", &format!("exec \"$0\" {line}"), env!("CARGO_BIN_EXE_opmx")]);
    sandbox.surround(&mut command);
    sandbox.finish(&mut command)
}
