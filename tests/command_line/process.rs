//! Exit status, streams and pipes.

use crate::common::Sandbox;
use std::process::Stdio;

#[test]
fn an_invalid_command_line_exits_with_2_and_a_suggestion() {
    let sandbox = Sandbox::new();
    insta::assert_snapshot!(sandbox.run(["compltion", "bash"]), @"
    ------- stderr -------
    error: unrecognized subcommand 'compltion'

      tip: a similar subcommand exists: 'completion'

    Usage: opmx [OPTIONS] <COMMAND>

    For more information, try '--help'.
    ------- exit 2 -------
    ");
    insta::assert_snapshot!(sandbox.run(["completion", "tcsh"]), @"
    ------- stderr -------
    error: invalid value 'tcsh' for '<SHELL>'
      [possible values: bash, elvish, fish, powershell, zsh]

      tip: a similar value exists: 'zsh'

    For more information, try '--help'.
    ------- exit 2 -------
    ");
    insta::assert_snapshot!(sandbox.run(["completion", "bash", "--quite"]), @"
    ------- stderr -------
    error: unexpected argument '--quite' found

      tip: a similar argument exists: '--quiet'

    Usage: opmx completion --quiet <SHELL>

    For more information, try '--help'.
    ------- exit 2 -------
    ");
    insta::assert_snapshot!(sandbox.run(["man"]), @"
    ------- stderr -------
    error: the following required arguments were not provided:
      <DIR>

    Usage: opmx man <DIR>

    For more information, try '--help'.
    ------- exit 2 -------
    ");
}

#[test]
fn the_version_is_printed_to_standard_output() {
    let sandbox = Sandbox::new();
    for option in ["--version", "-V"] {
        let outcome = sandbox.run([option]);
        assert_eq!(outcome.to_string(), concat!("opmx ", env!("CARGO_PKG_VERSION"), "\n"));
    }
}

#[test]
fn a_failure_names_the_path_and_shows_no_backtrace() {
    let sandbox = Sandbox::new();
    std::fs::write(sandbox.path("file"), "").unwrap();
    let mut command = sandbox.command(["man", "file/man1"]);
    let outcome = sandbox.finish(command.env("RUST_BACKTRACE", "1"));
    insta::assert_snapshot!(outcome, @"
    ------- stderr -------
    error: cannot read file/man1: Not a directory (os error 20)
    ------- exit 1 -------
    ");
}

#[test]
fn a_closed_pipe_is_a_silent_success() {
    let sandbox = Sandbox::new();
    for arguments in [&["completion", "bash"][..], &["--help"], &["--version"]] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut command = sandbox.command(arguments);
        let child = command.stdout(writer).stderr(Stdio::piped()).spawn().unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{arguments:?}");
    }
}

#[test]
fn a_full_disk_on_standard_output_is_a_failure() {
    let Ok(full) = std::fs::OpenOptions::new().write(true).open("/dev/full") else {
        println!("not run: /dev/full is not here");
        return;
    };
    let sandbox = Sandbox::new();
    let mut command = sandbox.command(["completion", "bash"]);
    let child = command.stdout(full).stderr(Stdio::piped()).spawn().unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.starts_with("error: cannot write to standard output: "), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
}

#[test]
fn colour_is_never_written_to_a_pipe_unless_requested() {
    let sandbox = Sandbox::new();
    let escape = '\u{1b}';
    assert!(!sandbox.run(["bogus"]).stderr.contains(escape));
    assert!(sandbox.run(["--color", "always", "bogus"]).stderr.contains(escape));
    assert!(sandbox.run(["--color=always", "--help"]).stdout.contains(escape));
    assert!(
        sandbox
            .run(["--color=always", "man", "/dev/null/x"])
            .stderr
            .contains(escape)
    );
    assert!(
        !sandbox
            .run(["--color=never", "man", "/dev/null/x"])
            .stderr
            .contains(escape)
    );
}

#[test]
fn no_color_is_respected_on_a_terminal() {
    let sandbox = Sandbox::new();
    let on_a_terminal = |no_color: &str| {
        let mut command = std::process::Command::new("script");
        command
            .args(["--quiet", "--return", "--command"])
            .arg(format!("{} bogus", env!("CARGO_BIN_EXE_opmx")))
            .arg("/dev/null")
            .stdin(Stdio::null())
            .current_dir(sandbox.path(""))
            .env("TERM", "xterm")
            .env("NO_COLOR", no_color)
            .output()
    };
    let (Ok(plain), Ok(colored)) = (on_a_terminal("1"), on_a_terminal("")) else {
        crate::shared::not_run("script is not installed");
        return;
    };
    let text = |output: std::process::Output| String::from_utf8_lossy(&output.stdout).into_owned();
    let (plain, colored) = (text(plain), text(colored));
    assert!(
        plain.contains("unrecognized subcommand") && !plain.contains("\u{1b}["),
        "{plain:?}"
    );
    assert!(colored.contains("\u{1b}["), "{colored:?}");
}

#[test]
fn quiet_suppresses_notes_and_verbose_logs_do_not_reach_stdout() {
    let sandbox = Sandbox::new();
    let written = sandbox.run(["man", "pages"]);
    assert!(
        written.stderr.starts_with("wrote ") && written.stderr.ends_with(" pages to pages\n"),
        "{written}"
    );
    insta::assert_snapshot!(sandbox.run(["man", "pages", "--quiet"]), @"");
    let plain = sandbox.run(["completion", "fish"]).stdout;
    assert_eq!(sandbox.run(["-vvv", "completion", "fish"]).stdout, plain);
}
