//! Input from outside the bundle for the synthesis: sample custom resources and API sources.

use crate::cli::Context;
use crate::cli::api_sources::ApiSourceArguments;
use crate::cli::arguments::{DatabaseLimitArguments, LimitArguments, RegistryArguments};
use crate::cli::error::CommandError;
use crate::diagnostic::Diagnostic;
use crate::synthesis::outside::{Outside, Resolved};
use crate::synthesis::samples::{self, SamplesError};
use clap::Args;
use std::path::PathBuf;

/// The options for input from outside the bundle.
#[derive(Debug, Args)]
pub(super) struct InferenceArguments {
    /// Folder of sample custom resources, which become the alm-examples
    ///
    /// The bundle must provide the kind of each sample. The samples replace the examples in metadata/olm.yaml.
    #[arg(long, value_name = "DIR")]
    samples: Option<PathBuf>,
    #[command(flatten)]
    sources: ApiSourceArguments,
    #[command(flatten)]
    database: DatabaseLimitArguments,
}

impl InferenceArguments {
    /// Reads the samples and the API sources. Returns `None` if neither is specified.
    pub(super) fn outside(
        &self,
        registry: &RegistryArguments,
        limits: &LimitArguments,
        context: &Context<'_>,
    ) -> Result<Option<Outside>, CommandError> {
        if self.samples.is_none() && !self.sources.is_given() {
            return Ok(None);
        }
        let limits = limits.source(&self.database, registry);
        let samples = self
            .samples
            .as_deref()
            .map(|folder| samples::read(folder, &limits.bundle));
        let samples = match samples.transpose() {
            Ok(samples) => samples,
            Err(error) => {
                if let SamplesError::Unreadable { diagnostics, .. } = &error {
                    context.printer.report(diagnostics);
                }
                return Err(error.into());
            }
        };
        let samples = samples.map(|samples| {
            context.printer.report(&samples.diagnostics);
            samples.objects
        });
        let sources = self.sources.read(registry, &limits, context)?;
        Ok(Some(Outside { samples, sources }))
    }
}

/// Reports the findings, and the kinds that were found in the API sources.
pub(super) fn report(findings: &[Diagnostic], resolved: &[Resolved], context: &Context<'_>) {
    context.printer.report(findings);
    for Resolved { hint, source } in resolved {
        // An existing entry in olm.yaml already says whether the bundle requires the API.
        let consequence = match hint.entry {
            Some(_) => "",
            None if hint.native => "; this API is native, because the platform serves it",
            None => "; the bundle requires this API, unless apis in metadata/olm.yaml sets \"dependency: optional\"",
        };
        context.printer.status(format_args!(
            "{} of group {} are {} {}, according to {source}{consequence}",
            hint.resource, hint.group, hint.kind, hint.version
        ));
    }
}
