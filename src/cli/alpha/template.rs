//! `opmx alpha render-template`: the catalog that a template describes.

use crate::bundle::location::Location;
use crate::catalog::drawing;
use crate::catalog::file_based::template::{Image, KINDS, Kind, Template};
use crate::catalog::file_based::write::Language;
use crate::catalog::selection::Selection;
use crate::cli::additions::PARALLEL;
use crate::cli::api_sources::ApiSourceArguments;
use crate::cli::arguments::{DatabaseLimitArguments, LimitArguments, RegistryArguments};
use crate::cli::catalog_output::{self, ContentArguments};
use crate::cli::error::{CommandError, CommandResult, Status};
use crate::cli::strictness::{self, StrictnessArguments};
use crate::cli::{Context, guesses, input};
use crate::diagnostic::{self, Diagnostic};
use crate::index::intake::IntakeError;
use crate::index::render::bundle::BundleError;
use crate::index::render::sources::Form;
use crate::index::render::sources::SourceOptions;
use crate::index::render::template::{TemplateCatalog, TemplateRenderError, render};
use crate::rules::Severity;
use clap::{Args, ValueEnum};
use std::sync::Arc;

const EXAMPLES: &str = "\
Examples:
  Generate channels from the versions of bundles
  $ cat template.yaml
  schema: olm.semver
  generateMajorChannels: true
  stable:
    bundles:
    - image: registry.example.com/etcd-bundle:v0.9.4
    - image: registry.example.com/etcd-bundle:v0.9.5
  $ opmx alpha render-template template.yaml > catalog/catalog.json

  Render a basic template, which specifies bundles only by their images
  $ opmx alpha render-template basic template.yaml -o yaml > catalog/catalog.yaml

  Preview the channels before publishing
  $ opmx alpha render-template semver template.yaml -o mermaid";

/// Render the catalog that a template describes
///
/// A template specifies each bundle by an image in a registry, a layout (oci:DIR:TAG) or an archive, or by a folder.
/// The path of a folder is relative to the current directory. The types are basic (olm.template.basic, or a catalog
/// that specifies only the image of each bundle), semver (olm.semver) and substitutes (olm.template.substitutes). By
/// default, the schema of the template determines the type.
///
/// In a catalog from a semver template, the default channel comes from the most stable list. If that list results in
/// several channels, the channel with the highest version is the default; if several channels contain that version, the
/// type in defaultChannelTypePreference decides. The icon and description of the package come from the head of that
/// channel.
///
/// Problems in the channels and bundles of the catalog are warnings; with --strict, they are errors, and nothing is
/// written. Missing packages, channels and bundles are not reported, because other files of the catalog may contain
/// them.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct TemplateArguments {
    /// Type of the template: basic, semver or substitutes; optional
    #[arg(value_name = "TYPE")]
    kind: Option<String>,
    /// Template file; - or no file for standard input
    #[arg(value_name = "FILE")]
    file: Option<String>,
    /// Language of the catalog
    #[arg(short, long, value_enum, value_name = "FORMAT", default_value_t)]
    output: Output,
    #[command(flatten)]
    content: ContentArguments,
    /// Not supported: an option of opm's composite templates
    #[arg(short = 'c', long, hide = true, value_name = "FILE")]
    composite_config: Option<String>,
    /// Not supported: an option of opm's composite templates
    #[arg(short = 'f', long, hide = true, value_name = "FILE")]
    catalog_config: Option<String>,
    /// Not supported: an option of opm's composite templates
    #[arg(long, hide = true, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "BOOL")]
    validate: Option<String>,
    #[command(flatten)]
    sources: ApiSourceArguments,
    #[command(flatten)]
    strictness: StrictnessArguments,
    #[command(flatten)]
    registry: RegistryArguments,
    #[command(flatten)]
    limits: LimitArguments,
    #[command(flatten)]
    database: DatabaseLimitArguments,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum Output {
    /// JSON, indented as by opm
    #[default]
    Json,
    /// YAML, with sorted keys
    Yaml,
    /// The channels as a Mermaid flowchart
    Mermaid,
}

/// The template type that was removed from opm.
const COMPOSITE: &str = "composite";

pub(crate) fn run(arguments: &TemplateArguments, context: &Context<'_>) -> CommandResult {
    let (wanted, file) = arguments.template()?;
    let limits = arguments.limits.source(&arguments.database, &arguments.registry);
    let (name, bytes) = input::read(file, (limits.index.catalog.document_bytes, None), context)?;
    let template = Template::read(&name, &bytes, wanted, limits.index.catalog)?;
    let transports = arguments.registry.transports(context);
    let outside = arguments.sources.outside(&arguments.registry, &limits, context)?;
    let opening = SourceOptions {
        limits,
        strictness: arguments.strictness.strictness(),
        options: arguments.content.options(),
        outside: outside.map(Arc::new),
        published: None,
    };
    let rendering = render(template, &transports, &opening, PARALLEL);
    let catalog = match context.runtime.block_on(rendering) {
        Ok(catalog) => catalog,
        Err(TemplateRenderError::Bundles { problems, of }) => {
            return Ok(refuse_bundles(problems, of, context));
        }
        Err(TemplateRenderError::Template(error)) => return Err(error.into()),
    };
    strictness::warn(&catalog.findings, &context.printer);
    let mut faults = catalog.check(opening.limits.index.catalog)?;
    arguments.strictness.strictness().weigh_catalog(&mut faults);
    if arguments.strictness.refuses_warnings() && diagnostic::has_errors(&faults) {
        context.printer.report(&faults);
        let message = format_args!("the catalog that {name} describes has errors, so nothing was written");
        context.printer.error(message);
        return Ok(Status::Failure);
    }
    // As in opm, an invalid catalog can be rendered, for example to draw its graph.
    for fault in faults.iter_mut().filter(|fault| fault.is_error()) {
        fault.severity = Severity::Warning;
    }
    strictness::warn(&faults, &context.printer);
    let language = match arguments.output {
        Output::Json => Language::Json,
        Output::Yaml => Language::Yaml,
        Output::Mermaid => return draw(&catalog, context),
    };
    let form = Form {
        language,
        level: arguments.content.level(false),
    };
    catalog_output::print(&[catalog.source()?], form, &context.printer)?;
    Ok(Status::Success)
}

impl TemplateArguments {
    /// Returns the requested type and the file. As in opm, a single argument is a type if it is the name of a type.
    fn template(&self) -> Result<(Option<Kind>, &str), CommandError> {
        const STDIN: &str = "-";
        let kind = |word: &str| KINDS.into_iter().find(|kind| kind.word() == word);
        let composite_flags =
            self.composite_config.is_some() || self.catalog_config.is_some() || self.validate.is_some();
        match (self.kind.as_deref(), self.file.as_deref()) {
            (Some(COMPOSITE), _) => Err(no_composite()),
            _ if composite_flags => Err(no_composite()),
            (None, _) => Ok((None, STDIN)),
            (Some(word), None) => Ok(match kind(word) {
                Some(kind) => (Some(kind), STDIN),
                None => (None, word),
            }),
            (Some(word), Some(file)) => {
                let kind = kind(word).ok_or_else(|| {
                    let message = format!("{word:?} is not a template type: expected basic, semver or substitutes");
                    CommandError::usage(message)
                });
                Ok((Some(kind?), file))
            }
        }
    }
}

fn no_composite() -> CommandError {
    let message = "composite templates are not supported because they run a container tool for each of their \
        catalogs, and were removed from opm";
    let refused = CommandError::failure(message);
    refused.hint("use a separate basic or semver template for each catalog")
}

fn draw(catalog: &TemplateCatalog, context: &Context<'_>) -> CommandResult {
    let loaded = catalog.load()?;
    let channels = Selection::default().of(&loaded.catalog)?;
    let view = drawing::View {
        deprecated: Some(&loaded.deprecated),
        ..drawing::View::default()
    };
    let drawn = drawing::mermaid(&view.drawing(&loaded.catalog, &channels));
    context.printer.written(&drawn)?;
    Ok(Status::Success)
}

/// Reports why each of the bundles in `problems` cannot be rendered.
pub(crate) fn refuse_bundles(problems: Vec<(Image, BundleError)>, of: usize, context: &Context<'_>) -> Status {
    let printer = &context.printer;
    let count = problems.len();
    let mut statuses = Vec::new();
    for (Image { reference, at }, problem) in problems {
        if let BundleError::Intake(IntakeError::Findings { diagnostics, .. }) = &problem {
            let errors = diagnostics.iter().filter(|finding| finding.is_error());
            printer.report(&errors.cloned().collect::<Vec<Diagnostic>>());
            printer.error(format_args!("{at}: {reference} has errors"));
            statuses.push(Status::Failure);
            continue;
        }
        let error = CommandError::from(problem).context(format!("{at}: {reference} cannot be rendered"));
        let error = match reference.parse::<Location>() {
            Ok(location) => guesses::with_guess(error, &location),
            Err(_) => error,
        };
        error.print(printer);
        statuses.push(error.status());
    }
    if of > 1 {
        printer.error(format_args!(
            "{count} of {of} bundles cannot be rendered, so nothing was written"
        ));
    }
    Status::of_failures(statuses)
}
