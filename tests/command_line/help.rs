//! `--help` of every command.

use crate::common::Sandbox;

/// Every command that help shows, as the words that call it; the empty list is `opmx` itself.
fn commands(sandbox: &Sandbox) -> Vec<Vec<String>> {
    let mut found = vec![Vec::new()];
    let mut next = 0;
    while next < found.len() {
        let words: Vec<String> = found[next].clone();
        let help = help(sandbox, &words, "-h");
        let listed = help
            .lines()
            .skip_while(|line| *line != "Commands:")
            .skip(1)
            .take_while(|line| !line.is_empty())
            .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
            .filter_map(|line| line.split_whitespace().next())
            .filter(|name| *name != "help");
        found.extend(listed.map(|name| [words.as_slice(), &[name.to_owned()]].concat()));
        next += 1;
    }
    found
}

fn help(sandbox: &Sandbox, words: &[String], option: &str) -> String {
    let outcome = sandbox.run(words.iter().map(String::as_str).chain([option]));
    assert_eq!(
        (outcome.status, outcome.stderr.as_str()),
        (Some(0), ""),
        "{words:?} {option}"
    );
    outcome.stdout
}

#[test]
fn every_command_has_examples_of_its_own_that_fit_the_screen() {
    let sandbox = Sandbox::new();
    let commands = commands(&sandbox);
    assert!(commands.len() > 2, "{commands:?}");
    for words in commands {
        for option in ["-h", "--help"] {
            let help = help(&sandbox, &words, option);
            let (_, examples) = help
                .split_once("\nExamples:\n")
                .unwrap_or_else(|| panic!("{words:?} has no examples"));
            let call = format!("$ opmx {}", words.join(" "));
            assert!(
                examples.contains(call.trim_end()),
                "{words:?} is in none of its examples"
            );
            for line in help.lines() {
                assert!(
                    line.chars().count() <= 80,
                    "{words:?} {option} has a line wider than 80 columns: {line}"
                );
            }
        }
    }
}

#[test]
fn every_option_and_argument_says_what_it_is_for() {
    let sandbox = Sandbox::new();
    for words in commands(&sandbox) {
        let help = help(&sandbox, &words, "--help");
        let mut lines = help.lines().take_while(|line| *line != "Examples:").peekable();
        while let Some(line) = lines.next() {
            let text = line.trim_start();
            // Deeper lines belong to the explanation of an option.
            let names_one = line.len() - text.len() <= 6 && text.starts_with(['-', '<', '[']);
            if names_one && !text.contains("  ") {
                let text = lines.peek().map_or("", |line| line.trim());
                assert!(!text.is_empty(), "{words:?} does not explain {line}");
            }
        }
    }
}

#[test]
fn help_goes_to_standard_output_and_its_absence_to_standard_error() {
    let sandbox = Sandbox::new();
    let asked = sandbox.run(["help"]);
    assert_eq!((asked.status, asked.stderr.as_str()), (Some(0), ""));
    let nothing: [&str; 0] = [];
    let needed = sandbox.run(nothing);
    assert_eq!((needed.status, needed.stdout.as_str()), (Some(2), ""));
    assert!(needed.stderr.contains("Usage: opmx"), "{needed}");
}
