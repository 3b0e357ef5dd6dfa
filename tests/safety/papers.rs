//! The limits in the book match those of the commands.

use crate::common::Sandbox;
use std::path::Path;

/// The rows of the table of limits that contain a flag, as the flag and its default.
fn limits(page: &str) -> Vec<(String, String)> {
    let rows = page.lines().filter_map(|line| {
        let cells: Vec<&str> = line.strip_prefix('|')?.split('|').map(str::trim).collect();
        let [_, limit, flag, _] = cells[..] else { return None };
        let flag = flag.strip_prefix('`')?.strip_suffix('`')?;
        Some((flag.to_owned(), limit.to_owned()))
    });
    rows.collect()
}

/// The flags in a string.
fn flags(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '-');
    words.filter(|word| {
        word.strip_prefix("--")
            .is_some_and(|name| name.starts_with(char::is_alphabetic))
    })
}

/// The help of the commands that have limits, with normalized whitespace.
fn help() -> Vec<String> {
    let sandbox = Sandbox::new();
    let commands: [&[&str]; 5] = [
        &["index", "add"],
        &["index", "page"],
        &["bundle", "validate"],
        &["resolve"],
        &["serve"],
    ];
    let help = commands.map(|command| {
        let outcome = sandbox.run(command.iter().copied().chain(["--help"]));
        assert_eq!(outcome.status, Some(0), "{}", outcome.stderr);
        outcome.stdout.split_whitespace().collect::<Vec<_>>().join(" ")
    });
    help.to_vec()
}

#[test]
fn documented_limit_flags_exist_with_the_documented_defaults() {
    let pages = ["security.md", "limits.md"];
    let pages = pages.map(|page| Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/reference").join(page));
    let page = pages.map(|page| std::fs::read_to_string(page).unwrap()).concat();
    let help = help();
    let named: Vec<&str> = flags(&page).collect();
    assert!(named.len() >= 10, "{named:?}");
    for flag in named {
        let known = help.iter().any(|help| help.split([' ', ',']).any(|word| word == flag));
        assert!(known, "no command has {flag}");
    }
    let limits = limits(&page);
    assert!(limits.len() >= 5, "{limits:?}");
    for (flag, limit) in limits {
        let start = format!("{flag} <");
        let parts = help.iter().filter_map(|help| Some(help.split_once(&start)?.1));
        let defaults: Vec<&str> = parts
            .filter_map(|part| part.split_once("[default: ")?.1.split_once(']'))
            .map(|(default, _)| default)
            .collect();
        assert!(!defaults.is_empty(), "{flag} has no default");
        assert!(
            defaults.iter().all(|default| *default == limit),
            "{flag}: {limit} is stated, {defaults:?} holds"
        );
    }
}
