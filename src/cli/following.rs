//! Following dependencies of bundles, for the commands that select packages with their dependencies.

use crate::cli::values::{Item, name};
use crate::olm::intent::Intent;
use crate::resolver::closure::{Follow, Reason, Unsatisfied};
use crate::resolver::{Preferences, Without};
use crate::terminal::Printer;
use clap::builder::EnumValueParser;
use clap::{Args, ValueEnum};
use std::collections::{BTreeMap, BTreeSet};

/// The options for dependencies that are not required.
#[derive(Debug, Args)]
pub(crate) struct PreferenceArguments {
    /// Exclude recommended dependencies: all of them, or those on PACKAGE; may be repeated
    #[arg(long, value_name = "PACKAGE", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    without_recommended: Vec<String>,
    /// Include this package if possible, although it is only an optional dependency; may be repeated
    #[arg(long, value_name = "PACKAGE", value_parser = name)]
    with_optional: Vec<String>,
}

impl PreferenceArguments {
    /// Returns the preferences.
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

    /// Returns whether any of the options is used.
    pub(crate) fn is_given(&self) -> bool {
        self.preferences() != Preferences::default()
    }
}

/// The intent of a dependency.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum IntentArgument {
    /// The bundle cannot be installed without the dependency
    Required,
    /// The bundle is installed with the dependency if possible
    Recommended,
    /// The bundle uses the dependency if it is installed
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

/// The options for following the dependencies of selected bundles. By default, all dependencies are followed.
#[derive(Debug, Args)]
pub(crate) struct DependencyArguments {
    /// Follow only those dependencies of the selected bundles that have these intents
    ///
    /// Dependencies on packages have an intent, by default "required"; dependencies on APIs are always required.
    /// The required dependencies of an included bundle are also included, regardless of INTENTS.
    #[arg(
        long,
        value_name = "INTENTS",
        value_delimiter = ',',
        value_parser = Item(EnumValueParser::<IntentArgument>::new()),
        default_value = "required,recommended,optional"
    )]
    intent: Vec<IntentArgument>,
    /// Include only the selected bundles, without their dependencies
    #[arg(long, conflicts_with_all = ["intent", "without_recommended", "with_optional"])]
    no_dependencies: bool,
    #[command(flatten)]
    preferences: PreferenceArguments,
}

impl DependencyArguments {
    /// Returns the rules for following dependencies.
    pub(crate) fn follow(&self) -> Follow {
        if self.no_dependencies {
            Follow::default()
        } else {
            follow(&self.intent, &self.preferences)
        }
    }
}

/// Returns the rules for following dependencies with these intents.
fn follow(intents: &[IntentArgument], preferences: &PreferenceArguments) -> Follow {
    Follow {
        intents: intents.iter().copied().map(Intent::from).collect(),
        preferences: preferences.preferences(),
    }
}

/// The options for including the dependencies of packages.
#[derive(Debug, Args)]
pub(crate) struct FollowArguments {
    /// Include packages that could satisfy dependencies with these intents, or with any intent if INTENTS is omitted
    ///
    /// Dependencies on packages have an intent, by default "required"; dependencies on APIs are always required.
    /// The required dependencies of an included bundle are also included, regardless of INTENTS.
    #[arg(
        long,
        value_name = "INTENTS",
        value_delimiter = ',',
        value_parser = Item(EnumValueParser::<IntentArgument>::new()),
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "required,recommended,optional"
    )]
    with_dependencies: Vec<IntentArgument>,
    #[command(flatten)]
    preferences: PreferenceArguments,
}

impl FollowArguments {
    /// Returns the rules for following dependencies. By default, none are followed.
    pub(crate) fn or_nothing(&self) -> Follow {
        follow(&self.with_dependencies, &self.preferences)
    }

    /// Returns the rules for following dependencies. By default, all are followed.
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

/// Reports why each package was kept, and which dependencies are unsatisfied.
pub(crate) fn report(packages: &BTreeMap<String, Vec<Reason>>, unsatisfied: &[Unsatisfied], printer: &Printer) {
    for (package, reasons) in packages {
        match &reasons[..] {
            [] => printer.status(format_args!("kept package {package}")),
            [first, rest @ ..] => {
                let Reason { bundle, intent, wish } = first;
                let more = match rest.len() {
                    0 => String::new(),
                    1 => " (and one more reason)".to_owned(),
                    more => format!(" (and {more} more reasons)"),
                };
                let verb = intent.verb();
                printer.status(format_args!("kept package {package}: {bundle} {verb} {wish}{more}"));
            }
        }
    }
    warn(unsatisfied, printer);
}

/// Warns of dependencies that nothing in the index satisfies.
pub(crate) fn warn(unsatisfied: &[Unsatisfied], printer: &Printer) {
    for Unsatisfied {
        wish, bundles, problem, ..
    } in unsatisfied
    {
        let bundles = some(bundles);
        let word = if bundles.contains(' ') { "depend" } else { "depends" };
        match problem {
            None => printer.warning(format_args!(
                "{bundles} {word} on {wish}, which nothing in the index satisfies"
            )),
            Some(problem) => printer.warning(format_args!(
                "{bundles} {word} on {wish}, which cannot be evaluated: {problem}"
            )),
        }
    }
}

/// Returns the first name, and the number of other names.
pub(crate) fn some(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [first, rest @ ..] => format!("{first} and {} more", rest.len()),
    }
}
