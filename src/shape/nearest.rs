//! Suggestions for misspelled names.

use std::cell::Cell;

/// The maximum number of name comparisons in one check. It limits the cost of suggestions if there are many misspelled
/// names and many known names.
const COMPARISONS: usize = 200_000;

/// The maximum length in bytes of a name that is compared, because the cost grows with the square of the length.
const LONGEST: usize = 300;

/// Returns the most similar name among a few names, ignoring case. At most three letters, and at most about half of all
/// letters, may differ.
pub fn nearest<'n>(name: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    if name.len() > LONGEST {
        return None;
    }
    let lower = name.to_lowercase();
    names
        .into_iter()
        .filter(|known| !known.is_empty() && known.len().abs_diff(name.len()) < 4)
        .map(|known| (strsim::damerau_levenshtein(&known.to_lowercase(), &lower), known))
        .filter(|(distance, known)| *distance < 4 && *distance <= (known.len() / 2).max(1))
        .min()
        .map(|(_, known)| known)
}

/// Finds the most similar name among many names, up to a total number of comparisons.
#[derive(Debug)]
pub(crate) struct Nearest(Cell<usize>);

impl Default for Nearest {
    fn default() -> Self {
        Self(Cell::new(COMPARISONS))
    }
}

impl Nearest {
    /// Returns the most similar name, or `None` if no name is similar enough or too many names were compared.
    pub(crate) fn of<'n>(&self, name: &str, names: impl ExactSizeIterator<Item = &'n str>) -> Option<&'n str> {
        let left = self.0.get().checked_sub(names.len())?;
        self.0.set(left);
        nearest(name, names)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_near_names_are_suggested() {
        let names = || ["stable", "stable-v1", "fast"].into_iter();
        assert_eq!(nearest("Stabel", names()), Some("stable"));
        assert_eq!(nearest("candidate", names()), None);
        assert_eq!(nearest("", names()), None);
    }

    #[test]
    fn long_names_are_not_compared() {
        let (name, near) = ("a".repeat(LONGEST + 1), "a".repeat(LONGEST));
        assert_eq!(nearest(&name, [near.as_str()]), None);
        assert_eq!(nearest(&near, [name.as_str()]), Some(name.as_str()));
    }

    #[test]
    fn comparisons_are_limited() {
        let search = Nearest::default();
        let names = vec!["name"; COMPARISONS / 2];
        assert_eq!(search.of("nam", names.iter().copied()), Some("name"));
        assert_eq!(search.of("nam", names.iter().copied()), Some("name"));
        assert_eq!(search.of("nam", ["name"].into_iter()), None);
    }
}
