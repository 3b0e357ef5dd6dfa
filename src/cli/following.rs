//! How far the dependencies of bundles are followed, for the commands that take packages with what they need.

use crate::olm::intent::Intent;
use crate::resolver::closure::{Follow, Reason, Unsatisfied};
use crate::resolver::{Preferences, Without};
use crate::terminal::Printer;
use clap::{Args, ValueEnum};
use std::collections::{BTreeMap, BTreeSet};

/// What is decided about dependencies that are not required.
#[derive(Debug, Args)]
pub(crate) struct PreferenceArguments {
    /// Leave out dependencies that are only recommended: all of them, or those on PACKAGE; may be repeated
    #[arg(long, value_name = "PACKAGE", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    without_recommended: Vec<String>,
    /// Take this package where it can be, although it is only optional to a bundle; may be repeated
    #[arg(long, value_name = "PACKAGE")]
    with_optional: Vec<String>,
}

impl PreferenceArguments {
    /// What was decided.
    pub(crate) fn preferences(&self) -> Preferences {
        let packages: BTreeSet<String> = self.without_recommended.iter().cloned().collect();
        Preferences {
            without_recommended: if packages.is_empty() {
                Without::Nothing
            } else if packages.contains("") {
                Without::Everything
            } else {
                Without::Packages(packages)
            },
            with_optional: self.with_optional.iter().cloned().collect(),
        }
    }

    /// Whether anything was decided.
    pub(crate) fn is_given(&self) -> bool {
        self.preferences() != Preferences::default()
    }
}

/// How much a bundle wants something.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum IntentArgument {
    /// It cannot be installed without it
    Required,
    /// It is installed with it where that is possible
    Recommended,
    /// It makes use of it where it is installed
    Optional,
}

impl From<IntentArgument> for Intent {
    fn from(argument: IntentArgument) -> Self {
        match argument {
            IntentArgument::Required => Self::Required,
            IntentArgument::Recommended => Self::Recommended,
            IntentArgument::Optional => Self::Optional,
        }
    }
}

/// Follows dependencies with these intents.
pub(crate) fn follow(intents: &[IntentArgument], preferences: &PreferenceArguments) -> Follow {
    Follow {
        intents: intents.iter().copied().map(Intent::from).collect(),
        preferences: preferences.preferences(),
    }
}

/// Which needs of packages keep further packages.
#[derive(Debug, Args)]
pub(crate) struct FollowArguments {
    /// Also packages that those could need, by dependencies with these intents; without INTENTS, with any
    ///
    /// Dependencies on packages have an intent, required where they do not say another; those on APIs are required.
    /// What is there as a dependency brings along what it requires itself, whatever the intents.
    #[arg(
        long,
        value_enum,
        value_name = "INTENTS",
        value_delimiter = ',',
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "required,recommended,optional"
    )]
    with_dependencies: Vec<IntentArgument>,
    #[command(flatten)]
    preferences: PreferenceArguments,
}

impl FollowArguments {
    /// Nothing is followed where nothing is said.
    pub(crate) fn or_nothing(&self) -> Follow {
        follow(&self.with_dependencies, &self.preferences)
    }

    /// Everything is followed where nothing is said.
    pub(crate) fn or_all(&self) -> Follow {
        let said = self.or_nothing();
        let intents = if said.intents.is_empty() {
            Follow::all().intents
        } else {
            said.intents
        };
        Follow {
            intents,
            preferences: said.preferences,
        }
    }
}

/// Says why each package is there, and which dependencies nothing satisfies.
pub(crate) fn report(packages: &BTreeMap<String, Vec<Reason>>, unsatisfied: &[Unsatisfied], printer: &Printer) {
    for (package, reasons) in packages {
        match &reasons[..] {
            [] => printer.status(format_args!("kept package {package}")),
            [first, rest @ ..] => {
                let Reason { bundle, intent, wish } = first;
                let more = match rest.len() {
                    0 => String::new(),
                    1 => ", and for one more reason".to_owned(),
                    more => format!(", and for {more} more reasons"),
                };
                let verb = intent.verb();
                printer.status(format_args!("kept package {package}: {bundle} {verb} {wish}{more}"));
            }
        }
    }
    warn(unsatisfied, printer);
}

/// Says which dependencies nothing in the index satisfies.
pub(crate) fn warn(unsatisfied: &[Unsatisfied], printer: &Printer) {
    for Unsatisfied {
        kind,
        value,
        bundles,
        problem,
        ..
    } in unsatisfied
    {
        let bundles = some(bundles);
        let word = if bundles.contains(' ') { "depend" } else { "depends" };
        match problem {
            None => printer.warning(format_args!(
                "nothing in the index satisfies what {bundles} {word} on: {kind} {value}"
            )),
            Some(problem) => printer.warning(format_args!(
                "cannot tell what {bundles} {word} on: {kind} {value}: {problem}"
            )),
        }
    }
}

/// The first name, and how many more there are.
pub(crate) fn some(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [first, rest @ ..] => format!("{first} and {} more", rest.len()),
    }
}
