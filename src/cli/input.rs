//! Reading small files, or standard input, as a whole.

use crate::cli::Context;
use crate::cli::error::CommandError;
use crate::cli::hint;
use crate::files::FileError;
use std::fs::File;
use std::io::{self, IsTerminal, Read};
use std::path::Path;

/// The file name that stands for standard input.
pub(crate) const STDIN: &str = "-";

/// The name of standard input in error messages.
const STDIN_NAME: &str = "standard input";

/// Reads a file, or standard input if the name is `-`. Returns the name for messages, and the content. Returns an error
/// if the content is larger than `limit` bytes; the error's hint is to raise the limit with `option`.
pub(crate) fn read(
    name: &str,
    (limit, option): (usize, Option<&'static str>),
    context: &Context<'_>,
) -> Result<(String, Vec<u8>), CommandError> {
    let shown = if name == STDIN { STDIN_NAME } else { name };
    let fail = |error| FileError::new("read", shown, error);
    let bound = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1);
    let mut content = Vec::new();
    if name == STDIN {
        announced(context);
        io::stdin().lock().take(bound).read_to_end(&mut content).map_err(fail)?;
    } else {
        let file = File::open(name).map_err(fail)?;
        file.take(bound).read_to_end(&mut content).map_err(fail)?;
    }
    if content.len() > limit {
        let error = CommandError::failure(format!("{shown} is larger than {limit} bytes"));
        return Err(match option {
            Some(option) => error.hint(hint::raise(option)),
            None => error,
        });
    }
    Ok((shown.to_owned(), content))
}

/// The maximum size in bytes of a file with settings, such as a list of names.
const SETTINGS: usize = 16 << 20;

/// Reads a file with settings, or standard input if the name is `-`, as UTF-8 text. Returns the name for messages, and
/// the text.
pub(crate) fn text(name: &Path, context: &Context<'_>) -> Result<(String, String), CommandError> {
    let (shown, bytes) = read(&name.to_string_lossy(), (SETTINGS, None), context)?;
    match String::from_utf8(bytes) {
        Ok(text) => Ok((shown, text)),
        Err(_) => Err(CommandError::failure(format!("{shown} is not UTF-8 text"))),
    }
}

/// Returns the name of standard input in error messages. If standard input is a terminal, reports that it is being
/// read.
pub(crate) fn announced(context: &Context<'_>) -> &'static str {
    if io::stdin().is_terminal() {
        context.printer.status("reading standard input");
    }
    STDIN_NAME
}
