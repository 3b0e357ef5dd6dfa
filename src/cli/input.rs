//! Small files that commands read whole, or standard input.

use crate::cli::Context;
use crate::cli::error::CommandError;
use crate::cli::hint;
use crate::files::FileError;
use std::fs::File;
use std::io::{self, IsTerminal, Read};

/// Stands for standard input.
pub(crate) const STDIN: &str = "-";

/// What errors call standard input.
const STDIN_NAME: &str = "standard input";

/// The bytes of a file, or of standard input where its name is `-`, and what to call it. There may be `limit` of them,
/// which `option` raises.
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

/// What errors call standard input. Who sits at a terminal is told that it is read.
pub(crate) fn announced(context: &Context<'_>) -> &'static str {
    if io::stdin().is_terminal() {
        context.printer.status("reading standard input");
    }
    STDIN_NAME
}
