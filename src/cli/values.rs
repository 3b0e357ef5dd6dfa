//! The parsers of the values of options and arguments.

use crate::causes::with_causes;
use crate::image::Reference;
use crate::kubernetes::names::fault_of_dns1123_label;
use crate::olm::releases::{Olm, UnknownOlm};
use crate::text::Limits;
use clap::builder::{NonEmptyStringValueParser, PathBufValueParser, PossibleValue, TypedValueParser};
use clap::{Arg, Command};
use std::ffi::OsStr;
use std::num::NonZero;
use std::path::PathBuf;

/// Parses a reference to an image.
pub(crate) fn image(text: &str) -> Result<Reference, String> {
    text.parse::<Reference>().map_err(|error| with_causes(&error))
}

/// The name of OLM v1 among the versions of OLM, and of the suite of rules about it.
pub(crate) const OLM_V1: &str = "olm-v1";

/// Parses the OLM that a command predicts.
pub(crate) fn predicted_olm(text: &str) -> Result<Olm, String> {
    match text {
        OLM_V1 => Err(format!(
            "only the decisions of OLM v0 are predicted; use \"opmx index check --for {OLM_V1}\" to find the bundles that \
             OLM v1 chooses from a catalog but does not install"
        )),
        _ => text.parse().map_err(|error: UnknownOlm| error.to_string()),
    }
}

/// Parses a name, or one name of a list. An empty name, for example from an unset variable, is an error: a list without
/// names would select nothing, and everything if it lists what to keep.
pub(crate) fn name(text: &str) -> Result<String, &'static str> {
    match text.trim() {
        "" => Err("a name is missing"),
        name => Ok(name.to_owned()),
    }
}

/// Parses the name of a namespace.
pub(crate) fn namespace(text: &str) -> Result<String, String> {
    match fault_of_dns1123_label(text) {
        None => Ok(text.to_owned()),
        Some(fault) => Err(format!("the name of a namespace {fault}")),
    }
}

/// Parses the name of an index, a bundle or a file. An empty value, for example from an unset variable, is an error.
pub(crate) fn filled() -> NonEmptyStringValueParser {
    NonEmptyStringValueParser::new()
}

/// Parses the path of an output that consists of files. Unlike other programs, opmx would write to a file named `-`.
pub(crate) fn output() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(|path| match path.to_str() {
        Some("-") => Err("this output consists of files, so it cannot be written to standard output; specify a path"),
        _ => Ok(path),
    })
}

/// Parses a number that must not be zero.
pub(crate) fn positive(text: &str) -> Result<NonZero<usize>, &'static str> {
    text.parse().map_err(|_| "expected a whole number of at least 1")
}

/// The value names of options whose values are numbers.
const NUMBERS: [&str; 5] = ["N", "NUMBER", "PORT", "SECONDS", "SIZE"];

/// Accepts negative numbers as values of numeric options, so that the error is about the value. Otherwise, it would be
/// about an unknown option.
pub(crate) fn with_negative_numbers(command: Command) -> Command {
    let is_number = |argument: &Arg| {
        let names = argument.get_value_names().unwrap_or_default();
        names.iter().any(|name| NUMBERS.contains(&name.as_str()))
    };
    let accepting = |argument: Arg| {
        let is_number = is_number(&argument);
        let is_allowed = is_number || argument.is_allow_negative_numbers_set();
        argument.allow_negative_numbers(is_allowed)
    };
    command.mut_args(accepting).mut_subcommands(with_negative_numbers)
}

/// Parses the destination of an image.
pub(crate) fn destination(text: &str) -> Result<Reference, String> {
    let reference = image(text)?;
    if reference.digest().is_some() {
        return Err("the digest is computed from the new image; specify a tag instead".to_owned());
    }
    Ok(reference)
}

/// Parses an item of a list like another parser, but without the spaces around the item.
#[derive(Debug, Clone)]
pub(crate) struct Item<P>(pub(crate) P);

impl<P: TypedValueParser> TypedValueParser for Item<P> {
    type Value = P::Value;

    fn parse_ref(&self, command: &Command, argument: Option<&Arg>, value: &OsStr) -> Result<Self::Value, clap::Error> {
        let item = value.to_str().map_or(value, |text| OsStr::new(text.trim()));
        self.0.parse_ref(command, argument, item)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        self.0.possible_values()
    }
}

/// Parses an image label, `KEY=VALUE`.
pub(crate) fn label(text: &str) -> Result<(String, String), String> {
    match text.trim().split_once('=') {
        Some((key, value)) if !key.is_empty() => Ok((key.to_owned(), value.to_owned())),
        _ => Err("expected KEY=VALUE".to_owned()),
    }
}

/// Parses a limit on the nesting of documents.
pub(crate) fn depth(text: &str) -> Result<usize, String> {
    let most = Limits::MOST_DEPTH;
    match text.parse() {
        Ok(depth) if depth <= most => Ok(depth),
        _ => Err(format!("expected a number from 0 to {most}")),
    }
}

/// Accepts any name, and offers these names for shell completion. Unknown names are reported by the code that looks
/// them up, which can give better hints.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OneOf(pub(crate) fn() -> Vec<PossibleValue>);

impl TypedValueParser for OneOf {
    type Value = String;

    fn parse_ref(&self, command: &Command, argument: Option<&Arg>, value: &OsStr) -> Result<String, clap::Error> {
        name.parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new((self.0)().into_iter()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_must_not_be_empty() {
        assert_eq!(name("etcd").as_deref(), Ok("etcd"));
        for empty in ["", " "] {
            assert_eq!(name(empty), Err("a name is missing"), "{empty:?}");
        }
    }
}
