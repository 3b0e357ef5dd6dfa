//! Counts with their nouns, for messages.

use std::fmt::Display;

/// Formats a count with its noun, as in `1 bundle` and `2 bundles`.
pub(crate) fn counted<C: Copy + Display + PartialEq + From<u8>>(count: C, thing: &str) -> String {
    let plural = if count == C::from(1) { "" } else { "s" };
    format!("{count} {thing}{plural}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_count_of_one_is_singular() {
        assert_eq!(counted(0_usize, "bundle"), "0 bundles");
        assert_eq!(counted(1_u64, "bundle"), "1 bundle");
        assert_eq!(counted(2_usize, "uncompressed layer"), "2 uncompressed layers");
    }
}
