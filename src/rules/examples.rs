//! A wrong and a right example for every rule: what `bundle rules` and the manual show, and what tests try.
//!
//! An example is a change of a bundle that is right in everything else. What tests need to make that bundle
//! (`replaces`, `besides`, …) stands beside what people read, so that nobody is shown what does not hold.

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

/// What breaks a rule, beside the nearest that does not.
///
/// A snippet is whole lines, without the indentation that they have in their file, or a whole file. In a snippet `{1000
/// letters}` stands for that many letters that do not compress. Of a database, a snippet is the statements that change
/// it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Example {
    /// What is wrong, in a few words.
    pub about: String,
    /// The media type of the bundle.
    #[serde(default)]
    pub bundle: String,
    /// The file with the wrong snippet, as a path in the bundle.
    #[serde(default)]
    pub file: String,
    /// The file with the right snippet where it is another one.
    pub right_file: Option<String>,
    /// The wrong snippet; absent where the file is, or where [`link`](Self::link) stands in its place.
    pub wrong: Option<String>,
    /// The right snippet; absent where the file is.
    pub right: Option<String>,
    /// Where a symbolic link in place of the file leads.
    pub link: Option<String>,
    /// Whether the snippets are commands, not texts of a file.
    #[serde(default)]
    pub command_line: bool,
    /// The command that finds it, where that is not `bundle validate`.
    pub command: Option<String>,
    /// The suite that finds it, where not every validation does.
    pub suite: Option<String>,
    /// The program as which `bundle validate --as` must judge to find it.
    #[serde(rename = "as")]
    pub judge: Option<String>,
    /// Limits that are lower than usual, by their flags.
    #[serde(default)]
    pub flags: BTreeMap<String, u64>,
    /// The categories of the file that `--categories` names.
    pub categories: Option<Vec<String>>,
    /// The platforms that registries have the images for; none where they do not have one. A registry does not answer
    /// for other images.
    pub platforms: Option<BTreeMap<String, Vec<String>>>,
    /// The file that `--policy` names.
    pub policy: Option<String>,
    /// The OLM that `index check --for` names.
    #[serde(rename = "for")]
    pub cluster: Option<String>,
    /// Lists of resources that `--api-source` names.
    #[serde(default)]
    pub sources: Vec<String>,
    /// The lines of the bundle in whose place the snippets stand, where the right snippet is not in it.
    pub replaces: Option<String>,
    /// Whether the snippets are the whole file although the bundle has one.
    #[serde(default)]
    pub whole: bool,
    /// Whether `\xfc` in the wrong snippet is a byte.
    #[serde(default)]
    pub bytes: bool,
    /// What is different in both bundles.
    #[serde(default)]
    pub besides: Vec<Change>,
    /// Errors and warnings of other rules that come with the wrong snippet.
    #[serde(default)]
    pub with: Vec<String>,
    /// Errors and warnings of other rules that stay with the right one, and why.
    #[serde(default)]
    pub still: BTreeMap<String, String>,
    /// How the text at the place of the finding begins, where that place is not in the snippet.
    pub points_at: Option<String>,
    /// Why the finding has no place.
    pub without_place: Option<String>,
}

/// A change of a bundle.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Change {
    /// The path of the file.
    pub file: String,
    /// The lines to replace; the whole file where there are none.
    pub replaces: Option<String>,
    /// What to put there; the file goes where there is none.
    pub text: Option<String>,
}

impl Example {
    /// The file with the right snippet.
    pub fn right_file(&self) -> &str {
        self.right_file.as_deref().unwrap_or(&self.file)
    }

    /// The wrong snippet, or what stands in its place.
    pub fn shown_wrong(&self) -> Cow<'_, str> {
        match (&self.wrong, &self.link) {
            (Some(text), _) => Cow::Borrowed(text),
            (None, Some(target)) => Cow::Owned(format!("{} -> {target}\n", self.file)),
            (None, None) => Cow::Owned(format!("# There is no {}.\n", self.file)),
        }
    }

    /// The right snippet, or what stands in its place.
    pub fn shown_right(&self) -> Cow<'_, str> {
        match &self.right {
            Some(text) => Cow::Borrowed(text),
            None => Cow::Owned(format!("# There is no {}.\n", self.right_file())),
        }
    }
}

/// The command that looks at the database of an example.
pub const INDEX_CHECK: &str = "index check";

/// The command that looks at the file-based catalog of an example.
pub const VALIDATE: &str = "validate";

/// The command that looks at the operator of an example.
pub const RELEASE: &str = "catalog release";

/// The file of an example that is no file of a bundle, but the Dockerfile of an index.
pub const INDEX_DOCKERFILE: &str = "index.Dockerfile";

/// One file of examples, with what most of them have in common.
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

/// All examples by the ids of their rules.
///
/// # Errors
/// When the data that is compiled in cannot be read.
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

/// The example of one rule.
///
/// # Errors
/// When the data that is compiled in cannot be read.
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
