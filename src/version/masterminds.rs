//! Version constraints with the syntax of the Go library Masterminds/semver, for image set configurations and Helm
//! charts. Commas and spaces mean *and*, and `||` means *or*. `^` and `~` denote ranges, as do numbers that are omitted
//! or written as `x`, `X` or `*`.

use semver::{BuildMetadata, Prerelease, Version};

/// A constraint on versions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Constraint {
    /// The alternatives. A version satisfies the constraint if all terms of at least one alternative hold.
    alternatives: Vec<Vec<Term>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Term {
    operator: Operator,
    version: Version,
    /// Whether the minor number is a wildcard or omitted.
    any_minor: bool,
    /// Whether only the patch number is a wildcard or omitted.
    any_patch: bool,
    /// Whether any of the numbers is a wildcard or omitted.
    any: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operator {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Tilde,
    Caret,
}

/// The operators, longest first, so that `>=` is not parsed as `>`.
const OPERATORS: [(&str, Operator); 11] = [
    ("!=", Operator::NotEqual),
    (">=", Operator::GreaterOrEqual),
    ("=>", Operator::GreaterOrEqual),
    ("<=", Operator::LessOrEqual),
    ("=<", Operator::LessOrEqual),
    ("~>", Operator::Tilde),
    ("=", Operator::Equal),
    (">", Operator::Greater),
    ("<", Operator::Less),
    ("~", Operator::Tilde),
    ("^", Operator::Caret),
];

impl Constraint {
    /// Parses a constraint such as `^1.2, <1.5 || 2.x`.
    ///
    /// # Errors
    /// Returns an error with the invalid part.
    pub fn parse(text: &str) -> Result<Self, String> {
        let alternatives = text.split("||").map(alternative);
        let alternatives = alternatives.collect::<Result<_, _>>()?;
        Ok(Self { alternatives })
    }

    /// Whether the version satisfies the constraint. A pre-release satisfies only alternatives in which at least one
    /// term contains a pre-release.
    pub fn contains(&self, version: &Version) -> bool {
        let mut alternatives = self.alternatives.iter();
        alternatives.any(|terms| admits(terms, version) && terms.iter().all(|term| term.holds(version)))
    }
}

/// Whether an alternative admits the version: all releases, and pre-releases if a term contains one. Since version 3.5
/// of the library, one term decides for the whole alternative.
fn admits(terms: &[Term], version: &Version) -> bool {
    version.pre.is_empty() || terms.iter().any(|term| !term.version.pre.is_empty())
}

/// Parses the terms of one alternative.
fn alternative(text: &str) -> Result<Vec<Term>, String> {
    let mut words = text.split([' ', ',', '\t']).filter(|word| !word.is_empty()).peekable();
    let mut terms = Vec::new();
    while let Some(word) = words.next() {
        let found = OPERATORS
            .iter()
            .find_map(|(sign, operator)| Some((Some(*operator), word.strip_prefix(sign)?)));
        let (operator, rest) = found.unwrap_or((None, word));
        let version = match rest {
            "" => words
                .next()
                .ok_or_else(|| format!("a version is missing after {word}"))?,
            rest => rest,
        };
        if operator.is_none() && words.next_if_eq(&"-").is_some() {
            let end = words
                .next()
                .ok_or_else(|| format!("a version is missing after {version} -"))?;
            terms.push(term(Operator::GreaterOrEqual, version)?);
            terms.push(term(Operator::LessOrEqual, end)?);
            continue;
        }
        terms.push(term(operator.unwrap_or(Operator::Equal), version)?);
    }
    if terms.is_empty() {
        return Err("the constraint is empty".to_owned());
    }
    Ok(terms)
}

fn term(operator: Operator, text: &str) -> Result<Term, String> {
    let wrong = || format!("{text:?} is not a version such as 1.2.3, 1.2 or 1.x");
    let plain = text.strip_prefix('v').unwrap_or(text);
    let (plain, build) = plain
        .split_once('+')
        .map_or((plain, None), |(plain, build)| (plain, Some(build)));
    let (plain, pre) = plain
        .split_once('-')
        .map_or((plain, None), |(plain, pre)| (plain, Some(pre)));
    let mut numbers = plain.split('.');
    let mut number = || -> Result<Option<u64>, String> {
        match numbers.next() {
            None | Some("x" | "X" | "*") => Ok(None),
            Some(number) if number.bytes().all(|byte| byte.is_ascii_digit()) => {
                number.parse().map(Some).map_err(|_| wrong())
            }
            Some(_) => Err(wrong()),
        }
    };
    let (major, minor, patch) = (number()?, number()?, number()?);
    if numbers.next().is_some() {
        return Err(wrong());
    }
    // All numbers after a wildcard are also wildcards. A wildcard for the major number matches all versions.
    let minor = minor.filter(|_| major.is_some());
    let patch = patch.filter(|_| minor.is_some());
    Ok(Term {
        operator,
        version: Version {
            major: major.unwrap_or(0),
            minor: minor.unwrap_or(0),
            patch: patch.unwrap_or(0),
            pre: Prerelease::new(pre.unwrap_or_default()).map_err(|_| wrong())?,
            build: BuildMetadata::new(build.unwrap_or_default()).map_err(|_| wrong())?,
        },
        any_minor: major.is_some() && minor.is_none(),
        any_patch: minor.is_some() && patch.is_none(),
        any: patch.is_none(),
    })
}

impl Term {
    fn holds(&self, version: &Version) -> bool {
        let own = &self.version;
        let order = version.cmp_precedence(own);
        match self.operator {
            Operator::Equal if self.any => order.is_ge() && self.is_near(version),
            Operator::Equal => order.is_eq(),
            Operator::NotEqual if self.any => !self.is_near(version) || self.any_patch && version.pre != own.pre,
            Operator::NotEqual => order.is_ne(),
            Operator::Less => order.is_lt(),
            Operator::LessOrEqual if self.any => {
                version.major < own.major
                    || version.major == own.major && (self.any_minor || version.minor <= own.minor)
            }
            Operator::LessOrEqual => order.is_le(),
            Operator::Greater if self.any => {
                version.major > own.major || version.major == own.major && !self.any_minor && version.minor > own.minor
            }
            Operator::Greater => order.is_gt(),
            Operator::GreaterOrEqual => order.is_ge(),
            Operator::Tilde => order.is_ge() && self.is_near(version),
            Operator::Caret => order.is_ge() && self.is_compatible(version),
        }
    }

    /// Whether the version has the same major and minor number as this term. Numbers that the term omits are ignored.
    fn is_near(&self, version: &Version) -> bool {
        let own = &self.version;
        let is_zero = (own.major, own.minor, own.patch) == (0, 0, 0);
        is_zero && !self.any_minor && !self.any_patch
            || version.major == own.major && (self.any_minor || version.minor == own.minor)
    }

    /// Whether the version equals this term up to and including the first nonzero number of the term.
    fn is_compatible(&self, version: &Version) -> bool {
        let own = &self.version;
        if own.major > 0 || self.any_minor {
            return version.major == own.major;
        }
        if own.minor > 0 || self.any_patch {
            return version.major == 0 && version.minor == own.minor;
        }
        (version.major, version.minor, version.patch) == (0, 0, own.patch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the versions from a fixed list that satisfy a constraint.
    fn met(constraint: &str) -> Vec<&'static str> {
        const VERSIONS: [&str; 12] = [
            "0.0.3",
            "0.1.0",
            "0.2.0",
            "0.2.9",
            "1.0.0",
            "1.2.0",
            "1.2.3-rc1",
            "1.2.3",
            "1.3.0",
            "2.0.0-a",
            "2.0.0",
            "3.1.0",
        ];
        let constraint = Constraint::parse(constraint).unwrap();
        let is_met = |version: &&str| constraint.contains(&Version::parse(version).unwrap());
        VERSIONS.into_iter().filter(is_met).collect()
    }

    #[test]
    fn omitted_numbers_make_a_range() {
        assert_eq!(met("1.2"), ["1.2.0", "1.2.3"]);
        assert_eq!(met("1.2.x"), ["1.2.0", "1.2.3"]);
        assert_eq!(met("1"), ["1.0.0", "1.2.0", "1.2.3", "1.3.0"]);
        assert_eq!(met("1.2.3"), ["1.2.3"]);
        assert_eq!(met(">1"), ["2.0.0", "3.1.0"]);
        assert_eq!(met(">1.2"), ["1.3.0", "2.0.0", "3.1.0"]);
        assert_eq!(met("<=1.2, >=1"), ["1.0.0", "1.2.0", "1.2.3"]);
        assert_eq!(met("<1.2 >=1"), ["1.0.0"]);
        assert_eq!(met("!=1.x >=1"), ["2.0.0", "3.1.0"]);
        assert_eq!(met("*").len(), 10, "every release");
    }

    #[test]
    fn tildes_and_carets_make_a_range() {
        assert_eq!(met("~1.2.1"), ["1.2.3"]);
        assert_eq!(met("~1"), ["1.0.0", "1.2.0", "1.2.3", "1.3.0"]);
        assert_eq!(met("^1.2"), ["1.2.0", "1.2.3", "1.3.0"]);
        assert_eq!(met("^0.2.0"), ["0.2.0", "0.2.9"]);
        assert_eq!(met("^0.0.3"), ["0.0.3"]);
        assert_eq!(met("^0"), ["0.0.3", "0.1.0", "0.2.0", "0.2.9"]);
        assert_eq!(met("~0.0"), ["0.0.3"]);
    }

    #[test]
    fn commas_and_spaces_mean_and_bars_mean_or_and_hyphens_make_a_range() {
        assert_eq!(met(">= 1.0, < 1.3 || 3.x"), ["1.0.0", "1.2.0", "1.2.3", "3.1.0"]);
        assert_eq!(met("1.2 - 2.0"), ["1.2.0", "1.2.3", "1.3.0", "2.0.0"]);
    }

    #[test]
    fn a_prerelease_in_one_term_admits_prereleases_for_all_terms_of_the_alternative() {
        assert_eq!(met(">=1.2.3-0 <1.3.0-0"), ["1.2.3-rc1", "1.2.3"]);
        assert_eq!(met(">=1.2.3-0 <1.3.0"), ["1.2.3-rc1", "1.2.3"]);
        assert_eq!(met(">1.2.3 <=2.0.0-a"), ["1.3.0", "2.0.0-a"]);
        assert_eq!(met(">1.2.0 <1.3.0"), ["1.2.3"]);
        assert_eq!(met(">=1.2.3-0 <1.3.0 || >=2"), ["1.2.3-rc1", "1.2.3", "2.0.0", "3.1.0"]);
        assert_eq!(met("~1.2 >0.9-0"), ["1.2.0", "1.2.3-rc1", "1.2.3"]);
        assert_eq!(met("2.x >=0.9-0"), ["2.0.0"], "a pre-release precedes its release");
    }

    #[test]
    fn invalid_constraints_are_rejected() {
        for wrong in [
            "",
            "||1.2",
            "1.2.3.4",
            "a",
            ">",
            "1 -",
            "1.2.3-_",
            "99999999999999999999",
        ] {
            assert!(Constraint::parse(wrong).is_err(), "{wrong}");
        }
    }
}
