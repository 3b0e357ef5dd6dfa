//! An error and its causes in one sentence.
//!
//! The errors of this library describe the failure, and leave the reason to their `source()`. Code that shows an error
//! to a user combines the two.

use std::error::Error;

/// Formats an error, followed by each of its causes: `cannot read a.yaml: permission denied`.
#[must_use]
pub fn with_causes(error: &dyn Error) -> String {
    let mut sentences = vec![error.to_string()];
    let mut cause = error.source();
    while let Some(error) = cause {
        sentences.push(error.to_string());
        cause = error.source();
    }
    debug_assert!(
        sentences.windows(2).all(|pair| !pair[0].ends_with(&pair[1])),
        "an error repeats its cause: {sentences:?}"
    );
    sentences.join(": ")
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

    #[test]
    fn each_cause_is_said_once_behind_the_error() {
        let error = Broken::Once(ErrorKind::NotFound.into());
        assert_eq!(with_causes(&error), "cannot read a.yaml: entity not found");
    }

    #[test]
    #[should_panic(expected = "an error repeats its cause")]
    #[cfg(debug_assertions)]
    fn an_error_that_repeats_its_cause_is_noticed() {
        let _ = with_causes(&Broken::Twice(ErrorKind::NotFound.into()));
    }
}
