//! The check that local paths on the command line are not URLs. A URL is a valid name of a file on most systems, so
//! that `file:///backup` would be written to the folder `file:` in the current directory.

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::parser::ValueSource;
use clap::{ArgMatches, Command};
use std::path::PathBuf;

/// Returns an error if the value of an argument whose type is a path is a URL. `definition` is called only then.
pub(super) fn require(matches: ArgMatches, definition: impl FnOnce() -> Command) -> Result<ArgMatches, clap::Error> {
    let mut subcommands = Vec::new();
    let mut used = &matches;
    loop {
        if let Some((id, url)) = first_url(used) {
            // The names of arguments are complete only in a definition that is built.
            let mut definition = definition();
            definition.build();
            return Err(refusal(&definition, &subcommands, id, url));
        }
        match used.subcommand() {
            Some((name, below)) => {
                subcommands.push(name);
                used = below;
            }
            None => return Ok(matches),
        }
    }
}

/// The option for manifests, which explains how to read them from a URL.
const MANIFESTS: &str = "from";

/// Returns the first argument that is a path but was given as a URL, with its value.
fn first_url(matches: &ArgMatches) -> Option<(&str, &str)> {
    let given = |id: &&str| *id != MANIFESTS && matches.value_source(id) == Some(ValueSource::CommandLine);
    matches.ids().map(clap::Id::as_str).filter(given).find_map(|id| {
        let mut paths = matches.try_get_many::<PathBuf>(id).ok().flatten()?;
        let url = paths.find_map(|path| path.to_str().filter(|text| after_scheme(text).is_some()))?;
        Some((id, url))
    })
}

/// Returns the scheme of a URL and what follows `://`.
fn after_scheme(text: &str) -> Option<(&str, &str)> {
    let (scheme, rest) = text.split_once("://")?;
    let is_scheme = scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-'));
    is_scheme.then_some((scheme, rest))
}

fn refusal(definition: &Command, subcommands: &[&str], id: &str, url: &str) -> clap::Error {
    let below = |command, name: &&str| Command::find_subcommand(command, name).unwrap_or(command);
    let command = subcommands.iter().fold(definition, below);
    let argument = command.get_arguments().find(|argument| argument.get_id() == id);
    let argument = argument.map_or_else(|| id.to_owned(), ToString::to_string);
    let tip = match after_scheme(url) {
        Some(("file", path)) if !path.is_empty() => format!("specify the path without file://, as {path}"),
        _ => "specify a path on this machine, not a URL".to_owned(),
    };
    let mut error = clap::Error::new(ErrorKind::ValueValidation).with_cmd(command);
    error.insert(ContextKind::InvalidArg, ContextValue::String(argument));
    error.insert(ContextKind::InvalidValue, ContextValue::String(url.to_owned()));
    error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    error
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_text_with_a_scheme_is_a_url() {
        for (text, expected) in [
            ("file:///tmp/a", Some(("file", "/tmp/a"))),
            ("s3://a", Some(("s3", "a"))),
            ("./file:///tmp/a", None),
            ("file:/tmp/a", None),
            ("://a", None),
            ("a b://c", None),
        ] {
            assert_eq!(after_scheme(text), expected, "{text}");
        }
    }
}
