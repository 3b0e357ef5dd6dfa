//! Package parts on the command line, for the commands that select a part of a catalog.

use crate::catalog::selection::part::{Part, RangeStyle, Versions, WrittenPart};
use crate::cli::error::CommandError;
use crate::version::parse_strict;
use clap::{Args, ValueEnum};
use semver::Version;
use std::collections::BTreeMap;

/// The options for the versions of parts.
#[derive(Debug, Args)]
pub(crate) struct PartArguments {
    /// Syntax of version ranges
    #[arg(long, value_enum, value_name = "STYLE", default_value_t)]
    range_style: StyleArgument,
    /// Keep the shortest upgrade paths from this version to the heads of the channels
    ///
    /// If a part specifies versions, such as @all or a range, they are kept as well.
    #[arg(long, value_name = "VERSION", value_parser = parse_strict)]
    from: Option<Version>,
}

/// The syntax of version ranges.
#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum StyleArgument {
    /// The syntax of OLM: terms separated by spaces, and ||
    #[default]
    Olm,
    /// The syntax of image set configurations and Helm charts: also commas, ^ and ~
    Masterminds,
}

impl From<StyleArgument> for RangeStyle {
    fn from(style: StyleArgument) -> Self {
        match style {
            StyleArgument::Olm => Self::Olm,
            StyleArgument::Masterminds => Self::Masterminds,
        }
    }
}

impl PartArguments {
    /// Returns the version that clusters upgrade from.
    pub(crate) fn from(&self) -> Option<&Version> {
        self.from.as_ref()
    }

    /// Returns the parts by package. `versions_of_others` applies to parts that specify no versions; if these are all
    /// versions, the upgrade paths take their place. `past_from` excludes the bundles of the version that clusters
    /// upgrade from, unless they are selected otherwise.
    pub(crate) fn parts(
        &self,
        written: &[WrittenPart],
        versions_of_others: &Versions,
        past_from: bool,
    ) -> Result<BTreeMap<String, Part>, CommandError> {
        let mut parts = BTreeMap::new();
        for part in written {
            let package = &part.package;
            let versions = match &part.versions {
                None if self.from.is_some() && matches!(versions_of_others, Versions::All) => Versions::Nothing,
                None => versions_of_others.clone(),
                Some(text) => Versions::parse(text, self.range_style.into())
                    .map_err(|reason| wrong_versions(package, text, &reason))?,
            };
            let part = Part {
                channels: part.channels.clone(),
                versions,
                from: self.from.iter().cloned().collect(),
                past_from,
            };
            if parts.insert(package.clone(), part).is_some() {
                let error = CommandError::usage(format!("package {package} is specified twice"));
                return Err(error.hint("list all its channels in one --package, separated by commas"));
            }
        }
        Ok(parts)
    }
}

/// Returns the error for invalid versions of a package, with a hint if they are valid in the Masterminds style.
fn wrong_versions(package: &str, text: &str, reason: &str) -> CommandError {
    let error = CommandError::usage(format!("invalid versions of package {package}: {reason}"));
    if ["head", "latest"].contains(&text) {
        return error.hint("use @heads for the heads of the channels");
    }
    if Versions::parse(text, RangeStyle::Masterminds).is_ok() {
        return error.hint("use --range-style masterminds for this range");
    }
    error
}
