//! What helps the synthesis from outside the bundle: sample custom resources, and sources of APIs.

use crate::bundle::stamp::{Stamp, stamp};
use crate::bundle::{self, BundleReading, MediaType};
use crate::cli::arguments::{DatabaseLimitArguments, LimitArguments, RegistryArguments};
use crate::cli::error::CommandError;
use crate::cli::{Context, guesses};
use crate::diagnostic;
use crate::index::api_sources::{self, ApiSourceError};
use crate::synthesis::outside::{Outside, Resolved, learn};
use crate::synthesis::samples::{self, SamplesError};
use crate::tree::Tree;
use clap::Args;
use std::path::PathBuf;

/// What is known outside the bundle.
#[derive(Debug, Args)]
pub(super) struct InferenceArguments {
    /// Folder of sample custom resources, which become the alm-examples
    ///
    /// Each must be of a kind that the bundle provides. They take the place of the examples in metadata/olm.yaml.
    #[arg(long, value_name = "DIR")]
    samples: Option<PathBuf>,
    /// Where kinds are looked up that RBAC rules name; may be given several times
    ///
    /// An index (a database file, a file-based catalog or an image), a file or folder of CRDs, or what a cluster says of
    /// itself: the output of "kubectl api-resources", or of "kubectl get --raw /apis/GROUP/VERSION". Indexes are asked
    /// first. Of several versions in one source the most stable and newest is taken; several kinds of one name are an
    /// error.
    #[arg(long, value_name = "INDEX|DIR|FILE")]
    api_source: Vec<String>,
    #[command(flatten)]
    database: DatabaseLimitArguments,
}

impl InferenceArguments {
    /// Writes into the files of a bundle what the call decides and what these options find out, so that the bundle says
    /// it from then on. `None` where errors were found; they have been reported.
    pub(super) fn apply(
        &self,
        tree: &mut Tree,
        reading: BundleReading,
        mut wanted: Stamp,
        (registry, limits): (&RegistryArguments, &LimitArguments),
        context: &Context<'_>,
    ) -> Result<Option<BundleReading>, CommandError> {
        let Some(bundle) = &reading.bundle else {
            return Ok(Some(reading));
        };
        if self.samples.is_some() || !self.api_source.is_empty() {
            if bundle.media_type == MediaType::RegistryV1 {
                let message = format!(
                    "{} has a ClusterServiceVersion, so nothing is inferred for it",
                    bundle.origin
                );
                return Err(CommandError::failure(message).hint("leave out --samples and --api-source"));
            }
            let outside = self.outside(registry, limits, context)?;
            let learned = learn(bundle, &reading.diagnostics, &outside);
            context.printer.report(&learned.findings);
            if diagnostic::has_errors(&learned.findings) {
                return Ok(None);
            }
            wanted.examples = learned.examples;
            for Resolved { hint, source } in learned.resolved {
                context.printer.status(format_args!(
                    "{} of group {} are {} {}, says {source}",
                    hint.resource, hint.group, hint.kind, hint.version
                ));
                wanted.apis.push(hint);
            }
        }
        if wanted == Stamp::default() {
            return Ok(Some(reading));
        }
        let limits = limits.bundle();
        stamp(tree, bundle, &wanted, &limits)?;
        Ok(Some(bundle::read(tree, &limits.text)))
    }

    /// Reads the samples and the sources.
    pub(super) fn outside(
        &self,
        registry: &RegistryArguments,
        limits: &LimitArguments,
        context: &Context<'_>,
    ) -> Result<Outside, CommandError> {
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
        let transports = registry.transports(context);
        let sources = api_sources::read(&self.api_source, &transports, &limits);
        let sources = context.runtime.block_on(sources).map_err(|error| {
            if let ApiSourceError::Unreadable { diagnostics, .. } = &error {
                context.printer.report(diagnostics);
            }
            let names = self.api_source.iter();
            names.fold(CommandError::from(error), |error, name| {
                guesses::with_index_guess(error, name)
            })
        })?;
        Ok(Outside { samples, sources })
    }
}
