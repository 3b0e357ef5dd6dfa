//! The regular expressions that rules match strings against.

use crate::pattern::translate;
use regex::{Regex, RegexBuilder};
use std::collections::HashMap;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The maximum size in bytes of a compiled regular expression.
const LARGEST: usize = 1 << 18;

/// Regular expressions that are compiled when they are first used, and then kept.
#[derive(Debug)]
pub(super) struct Patterns {
    kept: HashMap<String, OnceLock<Result<Regex, String>>>,
    compiled: AtomicUsize,
}

impl Patterns {
    /// Creates a collection that keeps these regular expressions.
    pub(super) fn of<'p>(kept: impl Iterator<Item = &'p str>) -> Self {
        Self {
            kept: kept.map(|pattern| (pattern.to_owned(), OnceLock::new())).collect(),
            compiled: AtomicUsize::new(0),
        }
    }

    /// Returns the number of regular expressions that have been compiled.
    #[cfg(test)]
    pub(super) fn compiled(&self) -> usize {
        self.compiled.load(Ordering::Relaxed)
    }

    /// Whether a regular expression matches anywhere in a string. Apart from the compilation, the time is linear in the
    /// length of the string.
    ///
    /// # Errors
    /// Returns the reason why Go rejects the regular expression, or why it is too large.
    pub(super) fn matches(&self, text: &str, pattern: &str) -> Result<bool, String> {
        let compile = || self.compile(pattern);
        match self.kept.get(pattern) {
            Some(kept) => match kept.get_or_init(compile) {
                Ok(pattern) => Ok(pattern.is_match(text)),
                Err(reason) => Err(reason.clone()),
            },
            None => Ok(compile()?.is_match(text)),
        }
    }

    fn compile(&self, pattern: &str) -> Result<Regex, String> {
        self.compiled.fetch_add(1, Ordering::Relaxed);
        RegexBuilder::new(&translate(pattern)?)
            .size_limit(LARGEST)
            .dfa_size_limit(LARGEST)
            .nest_limit(64)
            .build()
            .map_err(|error| error.to_string())
    }
}
