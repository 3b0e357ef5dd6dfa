//! An error and its causes in one sentence.
//!
//! The errors of this library describe the failure, and leave the reason to their `source()`. Code that shows an error
//! to a user combines the two.

use std::error::Error;

/// Formats an error, followed by each of its causes: `cannot read a.yaml: permission denied`. A cause that the message
/// before it already ends with is omitted, because some errors of other libraries repeat their causes.
#[must_use]
pub fn with_causes(error: &dyn Error) -> String {
    let mut all = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let sentence = error.to_string();
        if !all.ends_with(&sentence) {
            all.push_str(": ");
            all.push_str(&sentence);
        }
        cause = error.source();
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{self, ErrorKind};

    #[derive(Debug, thiserror::Error)]
    enum Broken {
        #[error("cannot read a.yaml")]
        Once(#[source] io::Error),
        #[error("cannot read a.yaml: {0}")]
        Twice(#[source] io::Error),
    }

    #[derive(Debug, thiserror::Error)]
    enum Outer {
        #[error("the bundle is invalid")]
        Broken(#[source] Broken),
    }

    #[test]
    fn each_cause_is_printed_once_after_the_error() {
        let error = Broken::Once(ErrorKind::NotFound.into());
        assert_eq!(with_causes(&error), "cannot read a.yaml: entity not found");
    }

    #[test]
    fn a_cause_that_an_error_repeats_is_printed_once() {
        let error = Broken::Twice(ErrorKind::NotFound.into());
        assert_eq!(with_causes(&error), "cannot read a.yaml: entity not found");
        let outer = Outer::Broken(error);
        assert_eq!(
            with_causes(&outer),
            "the bundle is invalid: cannot read a.yaml: entity not found"
        );
    }
}
