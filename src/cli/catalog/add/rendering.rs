//! Fetching and rendering the bundles that are added, and the bundles of a template.

use super::AddArguments;
use crate::catalog::file_based::edit::template::TemplateEditor;
use crate::cli::additions::PARALLEL;
use crate::cli::error::{CommandError, Status};
use crate::cli::{Context, guesses};
use crate::image::Transports;
use crate::index::intake::IntakeError;
use crate::index::render::RenderOptions;
use crate::index::render::bundle::{BundleError, RenderedBundle, render_bundles};
use crate::index::render::sources::SourceOptions;
use crate::version::parse_tolerant;
use futures_util::{StreamExt, TryStreamExt};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The bundles of each package with their references, ordered from the lowest version up.
pub(super) type Packages = BTreeMap<String, Vec<(String, RenderedBundle)>>;

/// What rendering bundles needs.
pub(super) struct Renderer<'a> {
    pub(super) transports: Transports,
    pub(super) opening: SourceOptions<'a>,
    pub(super) context: &'a Context<'a>,
}

impl AddArguments {
    pub(super) fn opening(&self, context: &Context<'_>) -> Result<SourceOptions<'_>, CommandError> {
        let limits = self.limits.source(&self.database, &self.registry);
        let outside = self.sources.outside(&self.registry, &limits, context)?;
        Ok(SourceOptions {
            limits,
            strictness: self.strictness.strictness(),
            options: RenderOptions {
                required_only: self.required_only,
            },
            outside: outside.map(Arc::new),
            published: None,
        })
    }

    /// Renders the bundles. If some of them cannot be added, reports the reason for each, and returns the exit status.
    pub(super) fn rendered(&self, renderer: &Renderer<'_>) -> Result<Packages, Status> {
        let Renderer {
            transports,
            opening,
            context,
        } = renderer;
        let printer = &context.printer;
        let references = self.bundles.iter().map(String::as_str).collect();
        let rendering = render_bundles(references, transports, opening, PARALLEL);
        let all: Vec<_> = context.runtime.block_on(rendering.collect());
        let mut packages = Packages::new();
        let mut refused = Vec::new();
        for (reference, rendered) in all {
            match rendered {
                Ok(mut rendered) => {
                    self.place(&mut rendered);
                    let package = rendered.bundle.package.clone();
                    let bundles = packages.entry(package).or_default();
                    bundles.push((reference.to_owned(), rendered));
                }
                Err(BundleError::Intake(IntakeError::Findings { diagnostics, .. })) => {
                    printer.report(&diagnostics);
                    printer.error(format_args!("{reference} has errors, so nothing was written"));
                    refused.push(Status::Failure);
                }
                Err(error) => {
                    let error = CommandError::from(error).context(format!("cannot render {reference}"));
                    let error = guesses::with_index_guess(error, reference);
                    error.print(printer);
                    refused.push(error.status());
                }
            }
        }
        if !refused.is_empty() {
            if self.bundles.len() > 1 {
                let (count, all) = (refused.len(), self.bundles.len());
                printer.error(format_args!(
                    "{count} of {all} bundles cannot be added, so no bundle was added"
                ));
            }
            return Err(Status::of_failures(refused));
        }
        for bundles in packages.values_mut() {
            bundles.sort_by_key(|(_, bundle)| parse_tolerant(&bundle.version));
        }
        Ok(packages)
    }
}

/// Renders the bundles of a template, except those that are added. Returns them by image.
pub(super) fn known(
    template: &TemplateEditor,
    added: &Packages,
    renderer: &Renderer<'_>,
) -> Result<BTreeMap<String, RenderedBundle>, CommandError> {
    let is_added = |image: &&String| added.values().flatten().any(|(reference, _)| reference == *image);
    let images = template.images();
    let images = images.iter().filter(|image| !is_added(image)).map(String::as_str);
    let rendering = render_bundles(images.collect(), &renderer.transports, &renderer.opening, PARALLEL);
    let rendering = rendering.map(|(image, rendered)| match rendered {
        Ok(rendered) => Ok((image.to_owned(), rendered)),
        Err(error) => {
            let error =
                CommandError::from(error).context(format!("cannot render {image}, which the template contains"));
            Err(guesses::with_index_guess(error, image))
        }
    });
    renderer.context.runtime.block_on(rendering.try_collect())
}
