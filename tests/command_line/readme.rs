//! The commands of the README, and what it says that they print.

use crate::common::Sandbox;
use std::path::Path;
use std::process::Command;

/// A command and the lines that follow it.
type Step<'a> = (&'a str, Vec<&'a str>);

/// The commands of all `console` blocks, in order.
fn steps(readme: &str) -> Vec<Step<'_>> {
    let mut steps: Vec<Step<'_>> = Vec::new();
    let mut inside = false;
    for line in readme.lines() {
        match line {
            "```console" => inside = true,
            "```" => inside = false,
            _ if !inside => {}
            _ => match (line.strip_prefix("$ "), steps.last_mut()) {
                (Some(command), _) => steps.push((command, Vec::new())),
                (None, Some((_, output))) => output.push(line),
                (None, None) => panic!("output before any command: {line}"),
            },
        }
    }
    steps
}

/// Whether the lines are the expected ones, where `…` stands for the rest of a line, and alone for any lines.
fn agree(expected: &[&str], found: &[&str]) -> bool {
    match expected.split_first() {
        None => found.is_empty(),
        Some((&"…", rest)) => (0..=found.len()).any(|skipped| agree(rest, &found[skipped..])),
        Some((line, rest)) => found.split_first().is_some_and(|(first, others)| {
            let same = match line.split_once('…') {
                Some((start, end)) => first.starts_with(start) && first.ends_with(end),
                None => first == line,
            };
            same && agree(rest, others)
        }),
    }
}

#[test]
fn the_readme_shows_what_happens() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = std::fs::read_to_string(root.join("README.md")).unwrap();
    let sandbox = Sandbox::new();
    let copied = Command::new("cp")
        .arg("-r")
        .arg(root.join("testdata"))
        .arg(sandbox.path(""))
        .status();
    assert!(copied.unwrap().success());
    let program = Path::new(env!("CARGO_BIN_EXE_opmx")).parent().unwrap();
    let steps = steps(&readme);
    assert!(steps.len() >= 8, "the README shows {} commands", steps.len());
    for (line, expected) in steps {
        let mut shell = sandbox.command([""; 0]);
        let path = format!("{}:/usr/bin:/bin", program.display());
        let mut command = Command::new("bash");
        command
            .args(["-c", &format!("{{ {line}\n}} 2>&1")])
            .current_dir(sandbox.path(""))
            .env_clear();
        command
            .envs(shell.get_envs().filter_map(|(name, value)| Some((name, value?))))
            .env("PATH", path);
        shell.env_clear();
        let output = command.output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let found: Vec<&str> = text.lines().collect();
        assert!(
            agree(&expected, &found),
            "$ {line}\nthe README says\n{}\nit prints\n{text}",
            expected.join("\n")
        );
    }
}

#[test]
fn the_quickstart_ends_with_what_is_in_the_index() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let sandbox = Sandbox::new();
    let mut command = Command::new(root.join("scripts/quickstart"));
    sandbox.surround(&mut command);
    let output = command
        .env("OPMX", env!("CARGO_BIN_EXE_opmx"))
        .env("QUICKSTART_DIR", sandbox.path("out"))
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        output.status.success(),
        "{text}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let readme = std::fs::read_to_string(root.join("README.md")).unwrap();
    let block = readme.split_once("It ends with what is in the new index").unwrap().1;
    let said = steps(block.split("\n```\n").next().unwrap());
    let mut printed: Vec<&str> = Vec::new();
    for (_, lines) in &said[..3] {
        printed.extend(lines);
    }
    let out = sandbox.path("out").display().to_string();
    let text = text.replace(&out, "out");
    let found: Vec<&str> = text
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with("$ "))
        .collect();
    assert!(
        agree(&printed, &found),
        "the README says\n{}\nit prints\n{text}",
        printed.join("\n")
    );
}
