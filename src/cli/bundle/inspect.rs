//! `opmx bundle inspect`: the content of a bundle.

use crate::build::in_registry_form;
use crate::cli::api_sources::ApiSourceArguments;
use crate::cli::arguments::{DatabaseLimitArguments, LimitArguments, OutputArguments, RegistryArguments};
use crate::cli::error::{CommandResult, Status};
use crate::cli::values::filled;
use crate::cli::what_if::FormArgument;
use crate::cli::{Context, sources};
use crate::olm::intent::Intent;
use crate::olm::property::Property;
use crate::resolver::wishes;
use crate::synthesis::outside::inform;
use crate::synthesis::summary::{Summary, summarize};
use crate::terminal::Format;
use crate::terminal::output::OutputError;
use crate::terminal::table::Table;
use crate::{bundle, catalog, diagnostic, validation};
use clap::Args;

const EXAMPLES: &str = "\
Examples:
  Inspect a folder
  $ opmx bundle inspect etcd

  Inspect an image, with machine-readable output
  $ opmx bundle inspect registry.example.com/etcd-bundle:v0.9.4 -o json";

/// Show the content of a bundle
///
/// Prints the media type, package, channels, name, version, dependencies and objects, and the findings from reading the
/// bundle.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct InspectArguments {
    /// The bundle: a folder, HOST/NAME:TAG, oci:DIR:TAG or oci-archive:FILE:TAG
    #[arg(value_name = "DIR|REF", value_parser = filled())]
    bundle: String,
    #[command(flatten)]
    form: FormArgument,
    #[command(flatten)]
    output: OutputArguments,
    #[command(flatten)]
    sources: ApiSourceArguments,
    #[command(flatten)]
    database: DatabaseLimitArguments,
    #[command(flatten)]
    registry: RegistryArguments,
    #[command(flatten)]
    limits: LimitArguments,
}

pub(crate) fn run(arguments: &InspectArguments, context: &Context<'_>) -> CommandResult {
    let printer = &context.printer;
    let limits = arguments.limits.source(&arguments.database, &arguments.registry);
    let outside = arguments.sources.outside(&arguments.registry, &limits, context)?;
    let mut tree = sources::bundle_files(&arguments.bundle, &arguments.registry, &arguments.limits, context)?;
    if arguments.form.is_given() {
        let shipped = in_registry_form(tree, outside.as_ref(), &arguments.limits.bundle())?;
        let Some(converted) = shipped.tree else {
            printer.report(&shipped.findings);
            return Ok(Status::Failure);
        };
        tree = converted;
    }
    let mut reading = bundle::read(&tree, &arguments.limits.text());
    if let (Some(outside), Some(bundle)) = (&outside, &mut reading.bundle) {
        let found = inform(bundle, &reading.diagnostics, outside);
        reading.diagnostics.extend(found);
    }
    let findings = validation::check_reading(&reading);
    printer.report(&findings);
    let Some(bundle) = &reading.bundle else {
        return Ok(Status::Failure);
    };
    let summary = summarize(bundle, &reading.diagnostics);
    if arguments.output.output == Format::Text {
        print(&summary, context)?;
    } else {
        printer.document(arguments.output.output, &summary)?;
    }
    Ok(if diagnostic::has_errors(&findings) {
        Status::Failure
    } else {
        Status::Success
    })
}

fn print(summary: &Summary, context: &Context<'_>) -> Result<(), OutputError> {
    let channels = summary.channels.join(", ");
    for (name, value) in [
        ("media type", summary.media_type.as_str()),
        ("package", &summary.package),
        ("channels", &channels),
        (
            "default channel",
            summary.default_channel.as_deref().unwrap_or_default(),
        ),
        ("name", &summary.name),
        ("version", &summary.version),
        ("replaces", summary.replaces.as_deref().unwrap_or_default()),
    ] {
        if !value.is_empty() {
            context.printer.line(format!("{name:15}  {value}"))?;
        }
    }
    for Property { kind, value } in &summary.dependencies {
        let stored = catalog::Property::new(kind.as_str(), value.to_string());
        let unread = || vec![(Intent::Required, format!("{kind} {value}"))];
        for (intent, wish) in wishes(&stored).unwrap_or_else(unread) {
            context.printer.line(format!("{:15}  {wish}", intent.verb()))?;
        }
    }
    context.printer.line("")?;
    let mut table = Table::new(
        context.printer.stdout(),
        ["OBJECT", "API VERSION", "IN THE BUNDLE", "WHY"],
    );
    for object in &summary.objects {
        let label = format!("{}/{}", object.kind, object.name);
        let fate = if object.optional {
            format!("{}, optional", object.fate)
        } else {
            object.fate.to_owned()
        };
        table.row([label.as_str(), &object.api_version, &fate, &object.reason])?;
    }
    table.finish()
}
