//! A wrong and a right example for every rule. `bundle rules` and the manual show the examples, and tests check them.
//!
//! An example is a change to a bundle that is otherwise correct. The data that tests need to create that bundle
//! (`replaces`, `besides`, …) is kept next to the visible parts, so that only tested examples are shown.

use super::Rule;
use serde::Deserialize;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The data, one file for each subject.
const FILES: &[&str] = &[
    include_str!("examples/reading.yaml"),
    include_str!("examples/metadata.yaml"),
    include_str!("examples/manifests.yaml"),
    include_str!("examples/services.yaml"),
    include_str!("examples/dependencies.yaml"),
    include_str!("examples/csv.yaml"),
    include_str!("examples/crd.yaml"),
    include_str!("examples/validators.yaml"),
    include_str!("examples/platforms.yaml"),
    include_str!("examples/conforma.yaml"),
    include_str!("examples/policy.yaml"),
    include_str!("examples/conversion.yaml"),
    include_str!("examples/index.yaml"),
    include_str!("examples/file_based_catalog.yaml"),
    include_str!("examples/release.yaml"),
];

/// A snippet that breaks a rule, and the closest snippet that does not.
///
/// A snippet consists of whole lines, without their indentation in the file, or of a whole file. In a snippet, `{1000
/// letters}` stands for that many letters that do not compress. For a database, a snippet consists of the statements
/// that change it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Example {
    /// The fault, in a few words.
    pub about: String,
    /// The media type of the bundle.
    #[serde(default)]
    pub bundle: String,
    /// The path of the file that contains the wrong snippet, inside the bundle.
    #[serde(default)]
    pub file: String,
    /// The path of the file that contains the right snippet, if it is another file.
    pub right_file: Option<String>,
    /// The wrong snippet; absent if the wrong bundle does not have the file, or if [`link`](Self::link) replaces the
    /// file.
    pub wrong: Option<String>,
    /// The right snippet; absent if the right bundle does not have the file.
    pub right: Option<String>,
    /// The target of a symbolic link that replaces the file.
    pub link: Option<String>,
    /// Whether the snippets are command lines instead of parts of a file.
    #[serde(default)]
    pub command_line: bool,
    /// The command that finds the fault; `None` for `bundle validate`.
    pub command: Option<String>,
    /// The suite that finds the fault; `None` if every validation finds it.
    pub suite: Option<String>,
    /// The program that `bundle validate --as` must name to find the fault.
    #[serde(rename = "as")]
    pub judge: Option<String>,
    /// Lowered limits, by flag.
    #[serde(default)]
    pub flags: BTreeMap<String, u64>,
    /// The categories in the file that `--categories` names.
    pub categories: Option<Vec<String>>,
    /// The platforms of each image in its registry; empty if the registry does not have the image. For an image that is
    /// not listed here, the registry does not answer.
    pub platforms: Option<BTreeMap<String, Vec<String>>>,
    /// The content of the file that `--policy` names.
    pub policy: Option<String>,
    /// The OLM version that `index check --for` names.
    #[serde(rename = "for")]
    pub cluster: Option<String>,
    /// The resource lists that `--api-source` names.
    #[serde(default)]
    pub sources: Vec<String>,
    /// The lines of the bundle that the snippets replace, if the bundle does not contain the right snippet.
    pub replaces: Option<String>,
    /// Whether the snippets are the whole file, although the bundle already has that file.
    #[serde(default)]
    pub whole: bool,
    /// Whether `\xfc` in the wrong snippet stands for that byte.
    #[serde(default)]
    pub bytes: bool,
    /// Changes that both bundles need.
    #[serde(default)]
    pub besides: Vec<Change>,
    /// Errors and warnings of other rules that the wrong snippet also causes.
    #[serde(default)]
    pub with: Vec<String>,
    /// Errors and warnings of other rules that remain with the right snippet, and the reason for each.
    #[serde(default)]
    pub still: BTreeMap<String, String>,
    /// The start of the text at the position of the finding, if that position is outside the snippet.
    pub points_at: Option<String>,
    /// The reason why the finding has no position.
    pub without_place: Option<String>,
}

/// A change to a bundle.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Change {
    /// The path of the file.
    pub file: String,
    /// The lines to replace, or `None` to replace the whole file.
    pub replaces: Option<String>,
    /// The replacement, or `None` to remove the file.
    pub text: Option<String>,
}

impl Example {
    /// Returns the path of the file that contains the right snippet.
    pub fn right_file(&self) -> &str {
        self.right_file.as_deref().unwrap_or(&self.file)
    }

    /// Returns the wrong snippet, or a substitute to show if it is absent.
    pub fn shown_wrong(&self) -> Cow<'_, str> {
        match (&self.wrong, &self.link) {
            (Some(text), _) => Cow::Borrowed(text),
            (None, Some(target)) => Cow::Owned(format!("{} -> {target}\n", self.file)),
            (None, None) => Cow::Owned(format!("# The file {} does not exist.\n", self.file)),
        }
    }

    /// Returns the right snippet, or a substitute to show if it is absent.
    pub fn shown_right(&self) -> Cow<'_, str> {
        match &self.right {
            Some(text) => Cow::Borrowed(text),
            None => Cow::Owned(format!("# The file {} does not exist.\n", self.right_file())),
        }
    }
}

/// The command that checks the database of an example.
pub const INDEX_CHECK: &str = "index check";

/// The command that checks the file-based catalog of an example.
pub const VALIDATE: &str = "validate";

/// The command that checks the operator of an example.
pub const RELEASE: &str = "catalog release";

/// The name of the example file that is the Dockerfile of an index, not a file of a bundle.
pub const INDEX_DOCKERFILE: &str = "index.Dockerfile";

/// One file of examples, with the values that most of them share.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Subject {
    bundle: String,
    #[serde(default)]
    file: String,
    command: Option<String>,
    without_place: Option<String>,
    examples: BTreeMap<String, Example>,
}

/// Returns all examples, by rule id.
///
/// # Errors
/// Returns an error if the embedded data cannot be read.
pub fn all() -> Result<BTreeMap<String, Example>, serde_yaml::Error> {
    let mut all = BTreeMap::new();
    for text in FILES {
        let subject: Subject = serde_yaml::from_str(text)?;
        for (rule, mut example) in subject.examples {
            if example.bundle.is_empty() {
                example.bundle.clone_from(&subject.bundle);
            }
            if example.file.is_empty() {
                example.file.clone_from(&subject.file);
            }
            example.command = example.command.or_else(|| subject.command.clone());
            example.without_place = example.without_place.or_else(|| subject.without_place.clone());
            all.insert(rule, example);
        }
    }
    Ok(all)
}

/// Returns the example of a rule.
///
/// # Errors
/// Returns an error if the embedded data cannot be read.
pub fn of(rule: &Rule) -> Result<Option<Example>, serde_yaml::Error> {
    Ok(all()?.remove(rule.id))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules;

    #[test]
    fn every_rule_has_an_example_and_every_example_a_rule() {
        let examples = all().unwrap();
        for rule in rules::all() {
            assert!(examples.contains_key(rule.id), "{} has no example", rule.id);
        }
        for (id, example) in &examples {
            assert!(rules::by_id(id).is_some(), "there is no rule {id}");
            let others = example.with.iter().chain(example.still.keys());
            for other in others {
                assert!(rules::by_id(other).is_some(), "{id}: there is no rule {other}");
            }
        }
        let subjects = FILES.iter().map(|text| {
            let subject: Subject = serde_yaml::from_str(text).unwrap();
            subject.examples.len()
        });
        assert_eq!(subjects.sum::<usize>(), examples.len(), "a rule has two examples");
    }
}
