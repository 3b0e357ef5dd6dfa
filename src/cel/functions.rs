//! The operators and functions that OLM compiles rules with: those of the language and `semver_compare`.

use super::types::Type::{self, Boolean, Bytes, Duration, List, Map, Named, Number, Text, Time, Unknown};
use Form::{Free, Member};

/// The way to call a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// `size(a)`, and operators.
    Free,
    /// `a.size()`. The receiver is the first argument.
    Member,
}

/// A signature of a function. A function can have several.
#[derive(Debug)]
pub(super) struct Signature {
    pub(super) name: &'static str,
    pub(super) form: Form,
    pub(super) arguments: &'static [Type],
    pub(super) result: Type,
}

/// The reason why no signature fits a call.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Misfit {
    /// There is no function with this name.
    Name,
    /// The function is called in the other form only.
    Form(Form),
    /// The number of arguments, including the receiver, that the function takes.
    Count(usize),
    /// The argument at this position has the wrong type; the only type that fits.
    Argument(usize, Type),
    /// The types of the arguments do not fit together.
    Arguments,
}

/// Returns the type of the result of a call.
pub(super) fn result_of(name: &str, form: Form, arguments: &[Type]) -> Result<Type, Misfit> {
    let named: Vec<&Signature> = SIGNATURES.iter().filter(|known| known.name == name).collect();
    let first = named.first().ok_or(Misfit::Name)?;
    let formed: Vec<&Signature> = named.iter().copied().filter(|known| known.form == form).collect();
    let Some(some) = formed.first() else {
        return Err(Misfit::Form(first.form));
    };
    let counted = formed.iter().filter(|known| known.arguments.len() == arguments.len());
    let counted: Vec<&Signature> = counted.copied().collect();
    if counted.is_empty() {
        return Err(Misfit::Count(some.arguments.len()));
    }
    let fits = |known: &&Signature| {
        let mut pairs = arguments.iter().zip(known.arguments);
        pairs.all(|(found, wanted)| found.may_be(*wanted))
    };
    let mut results = counted.iter().copied().filter(fits).map(|known| known.result);
    if let Some(result) = results.next() {
        return Ok(if results.all(|other| other == result) {
            result
        } else {
            Unknown
        });
    }
    let [only] = counted[..] else {
        return Err(Misfit::Arguments);
    };
    let wrong = arguments
        .iter()
        .zip(only.arguments)
        .position(|(found, wanted)| !found.may_be(*wanted));
    Err(wrong.map_or(Misfit::Arguments, |at| Misfit::Argument(at, only.arguments[at])))
}

const fn free(name: &'static str, arguments: &'static [Type], result: Type) -> Signature {
    Signature {
        name,
        form: Free,
        arguments,
        result,
    }
}

const fn member(name: &'static str, arguments: &'static [Type], result: Type) -> Signature {
    Signature {
        form: Member,
        ..free(name, arguments, result)
    }
}

/// All signatures. Integers and floating-point numbers are not distinguished.
pub(super) static SIGNATURES: &[Signature] = &[
    free("_&&_", &[Boolean, Boolean], Boolean),
    free("_||_", &[Boolean, Boolean], Boolean),
    free("!_", &[Boolean], Boolean),
    free("@not_strictly_false", &[Boolean], Boolean),
    free("_?_:_", &[Boolean, Unknown, Unknown], Unknown),
    free("_==_", &[Unknown, Unknown], Boolean),
    free("_!=_", &[Unknown, Unknown], Boolean),
    free("_<_", &[Boolean, Boolean], Boolean),
    free("_<_", &[Number, Number], Boolean),
    free("_<_", &[Text, Text], Boolean),
    free("_<_", &[Bytes, Bytes], Boolean),
    free("_<_", &[Time, Time], Boolean),
    free("_<_", &[Duration, Duration], Boolean),
    free("_<=_", &[Boolean, Boolean], Boolean),
    free("_<=_", &[Number, Number], Boolean),
    free("_<=_", &[Text, Text], Boolean),
    free("_<=_", &[Bytes, Bytes], Boolean),
    free("_<=_", &[Time, Time], Boolean),
    free("_<=_", &[Duration, Duration], Boolean),
    free("_>_", &[Boolean, Boolean], Boolean),
    free("_>_", &[Number, Number], Boolean),
    free("_>_", &[Text, Text], Boolean),
    free("_>_", &[Bytes, Bytes], Boolean),
    free("_>_", &[Time, Time], Boolean),
    free("_>_", &[Duration, Duration], Boolean),
    free("_>=_", &[Boolean, Boolean], Boolean),
    free("_>=_", &[Number, Number], Boolean),
    free("_>=_", &[Text, Text], Boolean),
    free("_>=_", &[Bytes, Bytes], Boolean),
    free("_>=_", &[Time, Time], Boolean),
    free("_>=_", &[Duration, Duration], Boolean),
    free("@in", &[Unknown, List], Boolean),
    free("@in", &[Unknown, Map], Boolean),
    free("_[_]", &[List, Number], Unknown),
    free("_[_]", &[Map, Unknown], Unknown),
    free("_+_", &[Number, Number], Number),
    free("_+_", &[Text, Text], Text),
    free("_+_", &[Bytes, Bytes], Bytes),
    free("_+_", &[List, List], List),
    free("_+_", &[Time, Duration], Time),
    free("_+_", &[Duration, Time], Time),
    free("_+_", &[Duration, Duration], Duration),
    free("_-_", &[Number, Number], Number),
    free("_-_", &[Time, Time], Duration),
    free("_-_", &[Time, Duration], Time),
    free("_-_", &[Duration, Duration], Duration),
    free("_*_", &[Number, Number], Number),
    free("_/_", &[Number, Number], Number),
    free("_%_", &[Number, Number], Number),
    free("-_", &[Number], Number),
    free("semver_compare", &[Text, Text], Number),
    free("size", &[Text], Number),
    free("size", &[Bytes], Number),
    free("size", &[List], Number),
    free("size", &[Map], Number),
    member("size", &[Text], Number),
    member("size", &[Bytes], Number),
    member("size", &[List], Number),
    member("size", &[Map], Number),
    member("contains", &[Text, Text], Boolean),
    member("startsWith", &[Text, Text], Boolean),
    member("endsWith", &[Text, Text], Boolean),
    member("matches", &[Text, Text], Boolean),
    free("matches", &[Text, Text], Boolean),
    free("bool", &[Boolean], Boolean),
    free("bool", &[Text], Boolean),
    free("bytes", &[Bytes], Bytes),
    free("bytes", &[Text], Bytes),
    free("double", &[Number], Number),
    free("double", &[Text], Number),
    free("int", &[Number], Number),
    free("int", &[Text], Number),
    free("int", &[Time], Number),
    free("int", &[Duration], Number),
    free("uint", &[Number], Number),
    free("uint", &[Text], Number),
    free("string", &[Text], Text),
    free("string", &[Boolean], Text),
    free("string", &[Number], Text),
    free("string", &[Bytes], Text),
    free("string", &[Time], Text),
    free("string", &[Duration], Text),
    free("dyn", &[Unknown], Unknown),
    free("type", &[Unknown], Named),
    free("timestamp", &[Time], Time),
    free("timestamp", &[Text], Time),
    free("timestamp", &[Number], Time),
    free("duration", &[Duration], Duration),
    free("duration", &[Text], Duration),
    free("duration", &[Number], Duration),
    member("getDate", &[Time], Number),
    member("getDate", &[Time, Text], Number),
    member("getDayOfMonth", &[Time], Number),
    member("getDayOfMonth", &[Time, Text], Number),
    member("getDayOfWeek", &[Time], Number),
    member("getDayOfWeek", &[Time, Text], Number),
    member("getDayOfYear", &[Time], Number),
    member("getDayOfYear", &[Time, Text], Number),
    member("getFullYear", &[Time], Number),
    member("getFullYear", &[Time, Text], Number),
    member("getMonth", &[Time], Number),
    member("getMonth", &[Time, Text], Number),
    member("getHours", &[Time], Number),
    member("getHours", &[Time, Text], Number),
    member("getHours", &[Duration], Number),
    member("getMinutes", &[Time], Number),
    member("getMinutes", &[Time, Text], Number),
    member("getMinutes", &[Duration], Number),
    member("getSeconds", &[Time], Number),
    member("getSeconds", &[Time, Text], Number),
    member("getSeconds", &[Duration], Number),
    member("getMilliseconds", &[Time], Number),
    member("getMilliseconds", &[Time, Text], Number),
    member("getMilliseconds", &[Duration], Number),
];
