//! All command lines of opm, as listed in `testdata/opm-commands.yaml`.

use crate::common::{Sandbox, copy_folder};
use clap::error::ErrorKind;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// A command of opm.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    command: String,
    #[serde(default)]
    line: String,
    #[serde(default)]
    flags: Vec<String>,
    does: String,
    #[serde(default)]
    refused: bool,
}

/// An option: its short and long name and a value.
struct Flag<'a> {
    short: Option<&'a str>,
    long: &'a str,
    value: Option<&'a str>,
}

impl<'a> Flag<'a> {
    fn read(text: &'a str) -> Self {
        let (short, rest) = text
            .split_once(", ")
            .map_or((None, text), |(short, rest)| (Some(short), rest));
        let (long, value) = rest
            .split_once(' ')
            .map_or((rest, None), |(long, value)| (long, Some(value)));
        Self { short, long, value }
    }

    /// All ways to write the option.
    fn forms(&self) -> Vec<Vec<String>> {
        let names = self.short.into_iter().chain([self.long]);
        let mut forms: Vec<Vec<String>> = names
            .map(|name| {
                [Some(name), self.value]
                    .into_iter()
                    .flatten()
                    .map(str::to_owned)
                    .collect()
            })
            .collect();
        forms.extend(self.value.map(|value| vec![format!("{}={value}", self.long)]));
        forms
    }
}

fn project(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn rows() -> Vec<Row> {
    let rows = fs::read_to_string(project("testdata/opm-commands.yaml")).unwrap();
    serde_yaml::from_str(&rows).unwrap()
}

/// The words of a command line without an option and its value.
fn words_without(text: &str, flag: Option<&Flag<'_>>) -> Vec<String> {
    let mut words = text.split_whitespace();
    let mut kept = Vec::new();
    while let Some(word) = words.next() {
        match flag {
            Some(flag) if flag.short == Some(word) || flag.long == word => drop(flag.value.and_then(|_| words.next())),
            _ => kept.push(word.to_owned()),
        }
    }
    kept
}

/// Returns whether a command line is accepted.
fn accepts(name: &'static str, words: &[String]) -> Result<(), String> {
    match opmx::cli::parser(name).try_get_matches_from(words) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == ErrorKind::DisplayHelp => Ok(()),
        Err(error) => Err(format!("{name} {}: {error}", words.join(" "))),
    }
}

#[test]
fn every_command_line_of_opm_is_accepted() {
    let (mut lines, mut problems) = (0, Vec::new());
    for row in rows() {
        // "help" is followed by the words of a command only.
        let everywhere: &[&str] = match &*row.command {
            "help" => &[],
            _ => &["--use-http", "--skip-tls-verify", "--skip-tls"],
        };
        let texts = row.flags.iter().map(String::as_str).chain(everywhere.iter().copied());
        let flags: Vec<Flag<'_>> = texts.map(Flag::read).collect();
        let mut all = vec![words_without(&row.line, None)];
        for flag in &flags {
            let line = words_without(&row.line, Some(flag));
            all.extend(flag.forms().into_iter().map(|form| [line.clone(), form].concat()));
            let form = flag.forms().remove(0);
            all.push([line, form.clone(), form].concat());
        }
        for words in all {
            let words = [words_without(&row.command, None), words].concat();
            lines += 1;
            for name in ["opm", "opmx"] {
                problems.extend(accepts(name, &words).err());
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    println!("{lines} command lines of opm");
    assert!(lines > 400, "{lines}");
}

#[test]
fn flags_accept_values_and_the_last_repeated_option_wins() {
    let sandbox = Sandbox::new();
    copy_folder(&project("testdata/compost-operator"), &sandbox.path("compost"));
    let run = |line: &str| {
        let outcome = sandbox.run(line.split(' '));
        assert_eq!(outcome.status, Some(0), "{line}: {outcome}");
        outcome.stdout
    };
    run(
        "--debug=false registry add -b compost -d first.db -d second.db --permissive --permissive=false -c none -c none",
    );
    assert!(sandbox.path("second.db").exists() && !sandbox.path("first.db").exists());
    let catalog = run("--use-http render second.db --migrate=true -o json -o yaml");
    assert!(catalog.starts_with("---"), "{catalog}");
    run("alpha --skip-tls list packages second.db");
    run("index add -b compost --generate");
    assert!(sandbox.path("database/index.db").exists());
    run("completion bash --no-descriptions");
    let refused = sandbox.run("index add -b compost --generate=false".split(' '));
    assert_eq!(refused.status, Some(2), "{refused}");
    assert!(refused.stderr.contains("--tag"), "{refused}");
}

#[test]
fn unsupported_commands_give_a_reason_and_an_alternative() {
    let sandbox = Sandbox::new();
    let refused: Vec<Row> = rows().into_iter().filter(|row| row.refused).collect();
    assert!(refused.len() >= 3);
    for row in refused {
        let words = words_without(&row.command, None);
        let flags = row.flags.iter().flat_map(|flag| Flag::read(flag).forms().remove(0));
        let outcome = sandbox.run(words.into_iter().chain(flags));
        assert_eq!(outcome.status, Some(1), "{}: {outcome}", row.command);
        assert!(
            outcome.stderr.contains("hint:") && row.does.starts_with("not supported"),
            "{outcome}"
        );
        assert!(outcome.stdout.is_empty(), "{outcome}");
    }
}

/// The commands that a help page shows, with their subcommands.
fn shown(command: &clap::Command, above: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for below in command.get_subcommands().filter(|below| !below.is_hide_set()) {
        let path = format!("{above} {}", below.get_name()).trim_start().to_owned();
        let deeper = shown(below, &path);
        if deeper.is_empty() {
            names.insert(path);
        } else {
            names.extend(deeper);
        }
    }
    names
}

#[test]
fn under_the_name_opm_the_help_lists_exactly_the_commands_of_opm() {
    let listed: BTreeSet<String> = rows().into_iter().map(|row| row.command).collect();
    let mut command = opmx::cli::command("opm");
    command.build();
    let shown: BTreeSet<String> = shown(&command, "")
        .into_iter()
        .filter(|path| !path.split(' ').any(|word| word == "help"))
        .collect();
    let unlisted: Vec<&String> = shown
        .iter()
        .filter(|path| {
            !listed
                .iter()
                .any(|listed| listed == *path || listed.starts_with(&format!("{path} ")))
        })
        .collect();
    assert!(unlisted.is_empty(), "{unlisted:?}");
    let hidden: Vec<&String> = listed
        .iter()
        .filter(|listed| {
            !shown
                .iter()
                .any(|path| *listed == path || listed.starts_with(&format!("{path} ")))
        })
        .collect();
    assert_eq!(hidden, ["help"]);
}

#[test]
fn the_book_documents_every_command_of_opm() {
    let page = fs::read_to_string(project("docs/reference/opm.md")).unwrap();
    let table: Vec<String> = rows()
        .iter()
        .map(|row| format!("| `{}` | {} |", row.command, row.does))
        .collect();
    let table = table.join("\n");
    assert!(page.contains(&table), "the page should have\n{table}");
}

#[test]
fn the_version_is_printed() {
    let outcome = Sandbox::new().run(["version"]);
    assert_eq!(outcome.stdout, concat!("opmx ", env!("CARGO_PKG_VERSION"), "\n"));
}
