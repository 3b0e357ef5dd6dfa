//! `opmx bundle validate`: checking bundles against the rules.

use crate::bundle::location::Location;
use crate::cli::api_sources::ApiSourceArguments;
use crate::cli::arguments::{DatabaseLimitArguments, ImageBuilderArgument, LimitArguments, RegistryArguments};
use crate::cli::error::{CommandError, CommandResult, Status};
use crate::cli::policy::PolicyArguments;
use crate::cli::strictness::{RuleName, SelectionArguments, rule};
use crate::cli::values::{OneOf, filled, name};
use crate::cli::{Context, environment, guesses, input};
use crate::diagnostic::Diagnostic;
use crate::shape::nearest;
use crate::synthesis::Shipping;
use crate::terminal::reports::{self, ReportFormat, patch, report, summary};
use crate::terminal::{Printer, counted};
use crate::validation::batch::{Asked, Checked, FixMode, UnreadableError, check_all};
use crate::validation::fix::Fixing;
use crate::validation::validators::{ValidatorName, ValidatorOptions};
use crate::validation::{Reference, Request, Selection, suites};
use crate::version::parse_tolerant;
use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};
use futures_util::StreamExt;
use semver::Version;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const EXAMPLES: &str = "\
Examples:
  Check a folder while working on it
  $ opmx bundle validate etcd

  Also check the rules of a public catalog, and treat warnings as errors
  $ opmx bundle validate etcd --suite operatorhub --deny warnings

  Check many bundles at once, with machine-readable output
  $ opmx bundle validate bundles/* registry.example.com/etcd-bundle:v0.9.4 -o json

  Write a SARIF report for code scanning
  $ opmx bundle validate etcd -o sarif > opmx.sarif

  Reproduce the verdict of operator-sdk, including its mistakes
  $ opmx bundle validate etcd --as operator-sdk

  Fix unambiguous problems, first as a diff, then in the files
  $ opmx bundle validate etcd --fix --dry-run
  $ opmx bundle validate etcd --fix

  Check the part of the Konflux release policy that needs only the bundle
  $ opmx bundle validate etcd --suite conforma

  Check that OLM v1 can install a bundle
  $ opmx bundle validate etcd --suite olm-v1

  Check against the policy of an administrator
  $ opmx bundle validate etcd --policy policy.yaml

  Explain a rule
  $ opmx bundle rules ann-channels-empty";

/// Check bundles, and report what to fix
///
/// Every bundle is checked against the rules of its media type. These cover loading, metadata, manifests and the
/// ClusterServiceVersion; for plain manifests, the ClusterServiceVersion is inferred. Suites add rules that only some
/// catalogs require. The exit status is 0 if no error is found; warnings do not affect it.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ValidateArguments {
    /// The bundles: folders, HOST/NAME:TAG, oci:DIR:TAG or oci-archive:FILE:TAG
    #[arg(value_name = "DIR|REF", required = true, value_parser = filled())]
    bundles: Vec<String>,
    /// Suites of rules to add
    #[arg(
        long = "suite",
        value_name = "NAMES",
        value_delimiter = ',',
        value_parser = OneOf(suite_names)
    )]
    suites: Vec<String>,
    /// Reproduce the verdict of another program, including its mistakes
    #[arg(long = "as", value_enum, value_name = "PROGRAM")]
    reference: Option<Program>,
    /// Check bundles of plain manifests in the form that "opmx bundle build --media-type registry+v1" builds
    ///
    /// Their RBAC rules may contain wildcards.
    #[arg(long, value_name = "TYPE", value_parser = ["registry+v1"], conflicts_with = "reference")]
    media_type: Option<String>,
    /// Report APIs as errors if this version of Kubernetes no longer serves them
    #[arg(long, value_name = "VERSION", value_parser = version)]
    k8s_version: Option<Version>,
    /// File with the allowed categories, {"categories": […]}, instead of the default categories; used by the suites
    /// categories and operatorhub
    #[arg(long, value_name = "FILE")]
    categories: Option<PathBuf>,
    /// Dockerfile of the index that the bundles are for; used by the suite community
    #[arg(long, value_name = "FILE")]
    index_dockerfile: Option<PathBuf>,
    /// Registries, paths or repositories that images may come from; used by the suites konflux and conforma
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = registry)]
    allowed_registries: Option<Vec<String>>,
    #[command(flatten)]
    policy: PolicyArguments,
    #[command(flatten)]
    selection: SelectionArguments,
    /// Report only findings from these rules
    #[arg(long, value_name = "RULES", value_delimiter = ',', value_parser = rule)]
    only: Vec<RuleName>,
    /// Fix unambiguous problems in the files of the folders, and report the remaining findings
    ///
    /// Fixes missing or superfluous quotes and brackets, a v before a version, spaces between channels, wrong
    /// capitalization of a key, and API versions with a compatible successor. Comments and layout are kept. A file is
    /// not changed if the changes would cause worse findings.
    #[arg(long, conflicts_with = "reference")]
    fix: bool,
    /// With --fix, print the changes as a diff without writing anything
    ///
    /// "patch -p1" and "git apply" accept the diff in the folder where the command was run, or in / for files outside
    /// of that folder. The exit status is the same as for the fixed bundles.
    #[arg(long, requires = "fix", conflicts_with = "output")]
    dry_run: bool,
    /// Output format
    #[arg(short, long, value_enum, value_name = "FORMAT", default_value_t)]
    output: ReportFormat,
    #[command(flatten)]
    sources: ApiSourceArguments,
    #[command(flatten)]
    database: DatabaseLimitArguments,
    #[command(flatten)]
    registry: RegistryArguments,
    #[command(flatten)]
    limits: LimitArguments,
}

/// Check a bundle image
///
/// The options are those of opm; "opmx bundle validate" has more.
#[derive(Debug, Args)]
pub(crate) struct OpmValidateArguments {
    /// The bundle: HOST/NAME:TAG, or anything else that "opmx bundle validate" accepts
    #[arg(short, long, value_name = "REF")]
    tag: String,
    /// Suites of rules to add: operatorhub, bundle-objects
    #[arg(short, long, value_name = "NAMES", value_delimiter = ',', value_parser = name)]
    optional_validators: Vec<String>,
    #[command(flatten)]
    tools: ImageBuilderArgument,
    #[command(flatten)]
    registry: RegistryArguments,
    #[command(flatten)]
    limits: LimitArguments,
}

/// Programs whose verdict can be reproduced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Program {
    /// opm alpha bundle validate
    Opm,
    /// operator-sdk bundle validate
    OperatorSdk,
    /// All validators of the Operator Framework's library
    Api,
}

fn version(text: &str) -> Result<Version, String> {
    parse_tolerant(text).ok_or_else(|| "expected a version such as 1.25".to_owned())
}

pub(crate) fn run(arguments: &ValidateArguments, context: &Context<'_>) -> CommandResult {
    if arguments.policy.policy.is_some() && arguments.reference.is_some() {
        let usage = "--policy cannot be combined with --as because no other program checks policies; omit --as";
        return Err(CommandError::usage(usage));
    }
    let mut suites = arguments.suites.clone();
    if arguments.k8s_version.is_some() {
        suites.push("deprecated-apis".to_owned());
    }
    let validators = validators(&suites)?;
    arguments.require_effect(&validators)?;
    let mut request = Request {
        validators,
        reference: arguments.reference.map(|program| match program {
            Program::Opm => Reference::Opm,
            Program::OperatorSdk => Reference::OperatorSdk,
            Program::Api => Reference::Api,
        }),
        options: ValidatorOptions {
            kubernetes_version: arguments.k8s_version.clone(),
            allowed_registries: arguments.allowed_registries.clone(),
            ..ValidatorOptions::default()
        },
        policy: arguments.policy.terms(None, &[], &arguments.limits.text(), context)?,
        shipping: if arguments.media_type.is_some() {
            Shipping::RegistryV1
        } else {
            Shipping::Plain
        },
        outside: None,
        limits: arguments.limits.bundle(),
    };
    let limits = arguments.limits.source(&arguments.database, &arguments.registry);
    let outside = arguments.sources.outside(&arguments.registry, &limits, context)?;
    request.outside = outside.map(Arc::new);
    if let Some(file) = &arguments.categories.clone().or_else(environment::categories) {
        request.options.categories = Some(categories(file, context)?);
    }
    if let Some(file) = &arguments.index_dockerfile {
        request.options.index_dockerfile = Some(input::text(file, context)?);
    }
    let selection = Selection {
        only: arguments.only.iter().map(|name| name.0).collect(),
        ..arguments.selection.selection()
    };
    let fix_mode = match (arguments.fix, arguments.dry_run) {
        (false, _) => FixMode::Off,
        (true, false) => FixMode::Files,
        (true, true) => FixMode::Trial,
    };
    if arguments.fix {
        require_folders(&arguments.bundles)?;
    }
    let transports = arguments.registry.transports(context);
    let asked = Asked {
        transports: &transports,
        request: Arc::new(request),
        selection,
        fix_mode,
    };
    check(&arguments.bundles, &asked, arguments.output, context)
}

/// Runs the command as `opm alpha bundle validate`.
pub(crate) fn run_as_opm(arguments: &OpmValidateArguments, context: &Context<'_>) -> CommandResult {
    arguments.tools.answer(&context.printer);
    let suites = arguments.optional_validators.iter();
    let suites: Vec<String> = suites
        .map(|name| match name.as_str() {
            "bundle-objects" => "objects".to_owned(),
            name => name.to_owned(),
        })
        .collect();
    let request = Request {
        validators: validators(&suites)?,
        limits: arguments.limits.bundle(),
        ..Request::default()
    };
    let transports = arguments.registry.transports(context);
    let asked = Asked {
        transports: &transports,
        request: Arc::new(request),
        selection: Selection::default(),
        fix_mode: FixMode::Off,
    };
    check(
        std::slice::from_ref(&arguments.tag),
        &asked,
        ReportFormat::Text,
        context,
    )
}

fn suite_names() -> Vec<PossibleValue> {
    let names = suites::names().into_iter();
    names
        .map(|(name, about)| PossibleValue::new(name).help(about))
        .collect()
}

/// Parses a registry that images may come from.
fn registry(text: &str) -> Result<String, String> {
    let registry = name(text)?;
    match registry.split_once("://") {
        Some((_, bare)) => Err(format!("image names contain no scheme; use {bare}")),
        None => Ok(registry),
    }
}

impl ValidateArguments {
    /// Returns an error if an option has no effect because no validator reads it.
    fn require_effect(&self, validators: &[ValidatorName]) -> Result<(), CommandError> {
        // This program runs all validators.
        if self.reference == Some(Program::Api) {
            return Ok(());
        }
        for (option, is_given, suites) in [
            ("--categories", self.categories.is_some(), ["categories", "operatorhub"]),
            (
                "--index-dockerfile",
                self.index_dockerfile.is_some(),
                ["community", "all"],
            ),
            (
                "--allowed-registries",
                self.allowed_registries.is_some(),
                ["conforma", "konflux"],
            ),
        ] {
            let [reader, other] = suites;
            let read_by = suites::validators_of(reader).unwrap_or_default();
            if is_given && !read_by.iter().any(|name| validators.contains(name)) {
                let usage = CommandError::usage(format!("{option} has no effect without a suite that uses it"));
                return Err(usage.hint(format!("add --suite {reader} or --suite {other}")));
            }
        }
        Ok(())
    }
}

fn validators(suites: &[String]) -> Result<Vec<ValidatorName>, CommandError> {
    let mut validators = Vec::new();
    for name in suites {
        let Some(found) = suites::validators_of(name) else {
            return Err(unknown_suite(name));
        };
        validators.extend(found);
    }
    validators.sort_unstable();
    validators.dedup();
    Ok(validators)
}

/// Returns the error for an unknown suite. operator-sdk selects suites by the labels `suite` and `name`, and has other
/// names for two validators.
fn unknown_suite(name: &str) -> CommandError {
    let error = CommandError::usage(format!("unknown suite {name}"));
    let bare = name.strip_prefix("suite=").or_else(|| name.strip_prefix("name="));
    let meant = match bare.unwrap_or(name) {
        "standardcapabilities" => Some("capabilities"),
        "standardcategories" => Some("categories"),
        bare => suites::validators_of(bare).map(|_| bare),
    };
    if let Some(meant) = meant {
        return error.hint(format!("use --suite {meant}"));
    }
    let known: Vec<&str> = suites::names().into_iter().map(|(name, _)| name).collect();
    let others = suites::other_names();
    match nearest(name, known.iter().chain(&others).copied()) {
        Some(nearest) => error.hint(format!("did you mean {nearest}?")),
        None => error
            .hint(format!("available suites: {}", known.join(", ")))
            .hint(format!("other accepted names: {}", others.join(", "))),
    }
}

fn categories(file: &Path, context: &Context<'_>) -> Result<Vec<String>, CommandError> {
    let (name, text) = input::text(file, context)?;
    let value: Value = serde_json::from_str(&text)
        .map_err(|error| CommandError::failure(format!("{name} is not valid JSON: {error}")))?;
    let list = value.get("categories").and_then(Value::as_array);
    let texts = list.and_then(|list| list.iter().map(|item| item.as_str().map(str::to_owned)).collect());
    texts.ok_or_else(|| {
        CommandError::failure(format!("{name} contains no list of categories"))
            .hint("use the format {\"categories\": [\"Database\", …]}")
    })
}

/// Returns an error if a bundle is an image, because the files of images cannot be changed.
fn require_folders(bundles: &[String]) -> Result<(), CommandError> {
    for name in bundles {
        if Path::new(name).is_file() {
            continue;
        }
        if let Ok(location @ Location::Image(_)) = name.parse() {
            let error = CommandError::usage(format!(
                "{name} is not a folder, but --fix changes only files in folders"
            ));
            let error = error.hint("use \"opmx bundle unpack\" to write the files of an image to a folder");
            return Err(guesses::with_guess(error, &location));
        }
    }
    Ok(())
}

fn check(bundles: &[String], asked: &Asked<'_>, format: ReportFormat, context: &Context<'_>) -> CommandResult {
    let checked: Vec<Checked> = context.runtime.block_on(check_all(bundles.to_vec(), asked).collect());
    let printer = &context.printer;
    let (mut validations, mut fixings, mut failures) = (Vec::new(), Vec::new(), Vec::new());
    for Checked {
        mut validation,
        fixing,
        unreadable,
    } in checked
    {
        if let Some(error) = unreadable {
            let error = explained(error, &validation.bundle);
            if let [hint, ..] = error.hints()
                && let [finding] = &mut validation.findings[..]
            {
                finding.diagnostic.help = Some(hint.clone());
            }
            error.print(printer);
            failures.push(error.status());
        } else if validation.has_errors() {
            failures.push(Status::Failure);
        }
        fixings.push((validation.bundle.clone(), fixing));
        validations.push(validation);
    }
    if asked.fix_mode != FixMode::Off {
        report_fixes(&fixings, asked.fix_mode, printer);
    }
    if asked.fix_mode == FixMode::Trial {
        for (bundle, fixing) in &fixings {
            printer.exact(&patch(bundle, fixing))?;
        }
        printer.flush()?;
        printer.status(format_args!("after these fixes: {}", summary(&validations)));
    } else {
        let color = printer.stdout_color();
        let command = "opmx bundle validate";
        match format {
            ReportFormat::Text if printer.is_quiet() => printer.styled(&reports::errors(&validations, color))?,
            ReportFormat::Text => printer.styled(&report(command, &validations, format, color))?,
            _ => printer.written_in_parts(|out| reports::write(command, &validations, format, color, out))?,
        }
        printer.flush()?;
    }
    Ok(if failures.is_empty() {
        Status::Success
    } else {
        Status::of_failures(failures)
    })
}

fn report_fixes(fixings: &[(String, Fixing)], fix_mode: FixMode, printer: &Printer) {
    let done = if fix_mode == FixMode::Trial {
        "would fix"
    } else {
        "fixed"
    };
    let (mut findings, mut files) = (0, 0);
    for (bundle, fixing) in fixings {
        for (path, rule) in &fixing.refused {
            printer.warning(format_args!(
                "{bundle}/{path} was not fixed for {rule} because the fix would not have the expected result"
            ));
        }
        for finding in &fixing.fixed {
            let Diagnostic {
                rule, message, place, ..
            } = &finding.diagnostic;
            let place = place.as_ref().map(|place| format!("{place}: ")).unwrap_or_default();
            printer.status(format_args!("{done} {place}{message} [{}]", rule.id));
        }
        findings += fixing.fixed.len();
        files += fixing.files.len();
    }
    let (findings, files) = (counted(findings, "finding"), counted(files, "file"));
    printer.status(format_args!("{done} {findings} in {files}"));
}

fn explained(error: UnreadableError, name: &str) -> CommandError {
    let loading = matches!(error, UnreadableError::Load(_));
    let misnamed = matches!(error, UnreadableError::Location(_));
    let error = CommandError::from(error);
    match name.parse::<Location>() {
        Ok(location) if loading => {
            guesses::with_guess(error.context(format!("{name} could not be checked")), &location)
        }
        _ if misnamed => guesses::with_nearest(error.context(format!("{name} could not be checked")), name),
        _ => error,
    }
}
