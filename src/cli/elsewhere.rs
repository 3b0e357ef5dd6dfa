//! The advice for arguments that the parser rejects: an option or a subcommand that belongs to other commands, not to
//! the one that was run, a list with spaces, and arguments that are not UTF-8.

use crate::cli::foreign;
use crate::cli::values::OLM_V1;
use crate::terminal::counted;
use crate::visible::one_line;
use clap::Command;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::ffi::{OsStr, OsString};

/// The maximum number of commands that are named.
const NAMED: usize = 5;

/// Replaces the tip of an error about an unknown option with the commands that have this option.
pub(super) fn with_commands(mut error: clap::Error, root: &Command, arguments: &[OsString]) -> clap::Error {
    if error.kind() != ErrorKind::UnknownArgument {
        return error;
    }
    let Some(ContextValue::String(written)) = error.get(ContextKind::InvalidArg) else {
        return error;
    };
    let option = written.split('=').next().unwrap_or_default().to_owned();
    // The parser suggests to pass the option as a value after `--`, which is never meant.
    error.remove(ContextKind::Suggested);
    let words: Vec<&str> = arguments.iter().filter_map(|word| word.to_str()).collect();
    if let Some(tip) = foreign::option(&used(root, &words, None).join(" "), &option) {
        error.remove(ContextKind::SuggestedArg);
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
        return error;
    }
    let Some(long) = option.strip_prefix("--") else {
        return error;
    };
    // If the unknown option begins with the name of an option of the same command, or the other way round, that option
    // is more likely to be meant than an option of another command.
    if let Some(ContextValue::String(similar)) = error.get(ContextKind::SuggestedArg)
        && (similar.starts_with(&option) || option.starts_with(similar.as_str()))
    {
        return error;
    }
    let mut found = Vec::new();
    commands(root, root.get_name(), &mut |path, command| {
        if has_option(command, long) {
            found.push(path.to_owned());
        }
    });
    let group = words.iter().find(|word| root.find_subcommand(word).is_some());
    // Commands of the same group come first.
    let is_near = |path: &String| group.is_some_and(|group| path.split(' ').nth(1) == Some(group));
    found.sort_by_key(|path| !is_near(path));
    if found.is_empty() {
        return error;
    }
    error.remove(ContextKind::SuggestedArg);
    let is_about_v1 = words.iter().any(|word| word.rsplit('=').next() == Some(OLM_V1));
    let tip = if is_about_v1 && words.windows(2).any(|pair| pair == ["bundle", "validate"]) {
        format!("to check a bundle for OLM v1, use --suite {OLM_V1}")
    } else {
        format!("{option} is an option of {}", enumerated(found))
    };
    error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    error
}

/// Replaces the tip of an error about an unknown subcommand with the commands of this name in other groups.
pub(super) fn with_groups(mut error: clap::Error, root: &Command, arguments: &[OsString]) -> clap::Error {
    if error.kind() != ErrorKind::InvalidSubcommand {
        return error;
    }
    let Some(ContextValue::String(name)) = error.get(ContextKind::InvalidSubcommand) else {
        return error;
    };
    let words: Vec<&str> = arguments.iter().filter_map(|word| word.to_str()).collect();
    let above = used(root, &words, Some(name));
    let turned = |group: &str| root.find_subcommand(name)?.find_subcommand(group);
    let mut found = Vec::new();
    commands(root, root.get_name(), &mut |path, command| {
        if command.get_name() == name {
            found.push(path.to_owned());
        }
    });
    let foreign = foreign::command(name).filter(|_| above.is_empty());
    let tip = match (&above[..], &found[..]) {
        _ if foreign.is_some() => foreign.unwrap_or_default(),
        ([group], _) if turned(group).is_some() => format!("did you mean {} {name} {group}?", root.get_name()),
        (_, []) => return error,
        (_, [one]) => format!("did you mean {one}?"),
        _ => format!("similar commands: {}", enumerated(found)),
    };
    error.remove(ContextKind::SuggestedSubcommand);
    error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    error
}

/// Returns the names of the subcommands in a command line, up to an unknown subcommand.
pub(super) fn used<'a>(root: &Command, words: &[&'a str], unknown: Option<&str>) -> Vec<&'a str> {
    let (mut command, mut names) = (root, Vec::new());
    for word in words {
        match command.find_subcommand(word) {
            Some(below) => {
                command = below;
                names.push(*word);
            }
            None if unknown == Some(*word) => break,
            None => {}
        }
    }
    names
}

/// Formats the paths of commands as a list; if there are many, counts the others.
fn enumerated(mut paths: Vec<String>) -> String {
    let more = paths.len().saturating_sub(NAMED);
    paths.truncate(NAMED);
    match &paths[..] {
        all if more > 0 => format!("{} and {}", all.join(", "), counted(more, "more command")),
        [rest @ .., last] if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        all => all.concat(),
    }
}

/// Adds a tip to an error if a list contains a space, which splits it into several arguments.
pub(super) fn with_joined_list(mut error: clap::Error, arguments: &[OsString]) -> clap::Error {
    let words: Vec<&str> = arguments.iter().filter_map(|word| word.to_str()).collect();
    let split = words
        .windows(2)
        .find(|pair| pair[0].len() > 1 && pair[0].ends_with(',') && !pair[1].starts_with('-'));
    if let Some([first, second]) = split
        && error.get(ContextKind::Suggested).is_none()
    {
        let tip = format!("write a list without spaces: {first}{second}");
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    error
}

/// Names the arguments that are not UTF-8 in an error about such arguments.
pub(super) fn with_unreadable(error: clap::Error, arguments: &[OsString]) -> clap::Error {
    if error.kind() != ErrorKind::InvalidUtf8 {
        return error;
    }
    let unreadable = arguments.iter().filter(|argument| argument.to_str().is_none());
    let unreadable: Vec<String> = unreadable.map(|argument| escaped(argument)).collect();
    let message = format!(
        "invalid UTF-8 in {}; paths and other arguments must be UTF-8\n",
        unreadable.join(" and ")
    );
    clap::Error::raw(error.kind(), message)
}

/// Returns an argument as visible text, with escapes for the bytes that are not UTF-8.
fn escaped(argument: &OsStr) -> String {
    let mut text = String::new();
    for chunk in argument.as_encoded_bytes().utf8_chunks() {
        text.push_str(&one_line(chunk.valid()));
        text.push_str(&chunk.invalid().escape_ascii().to_string());
    }
    text
}

/// Returns whether a command shows the option in its help.
fn has_option(command: &Command, long: &str) -> bool {
    command.get_arguments().any(|argument| {
        !argument.is_hide_set()
            && argument
                .get_long_and_visible_aliases()
                .unwrap_or_default()
                .contains(&long)
    })
}

/// Calls `visit` with the visible commands, from `command` down, and their paths.
fn commands(command: &Command, path: &str, visit: &mut impl FnMut(&str, &Command)) {
    visit(path, command);
    for below in command.get_subcommands().filter(|command| !command.is_hide_set()) {
        commands(below, &format!("{path} {}", below.get_name()), visit);
    }
}
