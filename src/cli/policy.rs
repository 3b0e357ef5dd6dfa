//! The administrator's policy, against which commands check their input.

use crate::cli::error::CommandError;
use crate::cli::{Context, input};
use crate::text::Limits;
use crate::validation::policy::{self, Terms};
use clap::Args;

/// The maximum size in bytes of a policy file.
const LIMIT: usize = 4 << 20;

/// The option for the policy.
#[derive(Debug, Args)]
pub(crate) struct PolicyArguments {
    /// File with the allowed kinds, permissions, registries and catalogs; - for standard input
    ///
    /// Violations of the policy are errors. "opmx bundle schema policy" prints the JSON Schema of the file.
    #[arg(long, value_name = "FILE")]
    pub(crate) policy: Option<String>,
}

impl PolicyArguments {
    /// Returns the terms of the policy for a user with these groups, or `None` if no file was specified.
    pub(crate) fn terms(
        &self,
        user: Option<&str>,
        groups: &[String],
        limits: &Limits,
        context: &Context<'_>,
    ) -> Result<Option<Terms>, CommandError> {
        let Some(name) = &self.policy else {
            return Ok(None);
        };
        let (shown, bytes) = input::read(name, (LIMIT, None), context)?;
        let policy = policy::read(&shown, &bytes, limits);
        let policy = policy.map_err(|error| CommandError::failure(error.to_string()))?;
        for doubt in &policy.doubts {
            context.printer.warning(doubt);
        }
        Ok(Some(policy.terms(user, groups)))
    }
}
