//! The policy of an administrator that commands hold what they look at against.

use crate::cli::error::CommandError;
use crate::cli::{Context, input};
use crate::text::Limits;
use crate::validation::policy::{self, Terms};
use clap::Args;

/// The largest policy file.
const LIMIT: usize = 4 << 20;

/// What is allowed.
#[derive(Debug, Args)]
pub(crate) struct PolicyArguments {
    /// File that says which kinds, permissions, registries and catalogs are allowed; - is standard input
    ///
    /// What it does not allow is an error. "opmx bundle schema policy" prints its JSON Schema.
    #[arg(long, value_name = "FILE")]
    pub(crate) policy: Option<String>,
}

impl PolicyArguments {
    /// What the file says to a user with these groups.
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
        Ok(Some(policy.terms(user, groups)))
    }
}
