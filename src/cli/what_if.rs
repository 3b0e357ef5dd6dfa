//! Shared parts of the commands that predict the behavior of OLM: the bundle as OLM sees it, and resolution.

use crate::build::in_registry_form;
use crate::bundle::location::Location;
use crate::cli::api_sources::ApiSourceArguments;
use crate::cli::arguments::{DatabaseLimitArguments, LimitArguments, RegistryArguments};
use crate::cli::cluster_files::{ClusterArguments, warn_of_missing_conditions, warn_of_operator_groups};
use crate::cli::error::CommandError;
use crate::cli::values::{filled, predicted_olm};
use crate::cli::{Context, guesses, named_catalogs, sources, values};
use crate::cluster::state::CatalogSource;
use crate::cluster::{self, CatalogName, State, UnreadyCatalog};
use crate::csv::Csv;
use crate::diagnostic::Diagnostic;
use crate::index::intake::IntakeError;
use crate::index::open::OpenLimits;
use crate::install;
use crate::install::content::{self, ContentError};
use crate::install::requests::installs::OpenInstall;
use crate::install::requests::namespaces::DEFAULT;
use crate::install::resolve::{Released, ResolveError, ResolveOptions, Resolved};
use crate::olm::annotation::SUGGESTED_NAMESPACE;
use crate::olm::releases::{NEWEST, Olm};
use crate::rules::Severity;
use crate::steps::Content;
use crate::synthesis::outside::Outside;
use crate::terminal::shell::word;
use clap::Args;

/// The option for the form in which a bundle is shipped.
#[derive(Debug, Args)]
pub(crate) struct FormArgument {
    /// Read a bundle of plain manifests in the form that "opmx bundle build --media-type registry+v1" builds
    ///
    /// The RBAC rules of the bundle may contain wildcards.
    #[arg(long, value_name = "TYPE", value_parser = ["registry+v1"])]
    media_type: Option<String>,
}

impl FormArgument {
    /// Returns whether bundles of plain manifests are read in the form of `registry+v1`.
    pub(crate) fn is_given(&self) -> bool {
        self.media_type.is_some()
    }

    /// Returns an error if the option is given although no bundle is read from its files.
    pub(crate) fn require_bundle(&self) -> Result<(), CommandError> {
        if self.is_given() {
            return Err(CommandError::usage("--media-type has no effect without a bundle"));
        }
        Ok(())
    }
}

/// The option for the OLM version.
#[derive(Debug, Args)]
pub(crate) struct OlmArgument {
    /// Behave like this release of OLM, such as 0.28.0, or as the proposals describe
    ///
    /// No release supports intents of dependencies or optional manifests: every release requires all dependencies and
    /// all manifests, and fails at an intent inside a constraint. Older releases support fewer types of dependencies.
    /// If the OperatorCondition of an operator forbids its update, releases since 0.18.0 plan the update nevertheless,
    /// and leave the new version in the phase Pending; they ignore the condition Upgrading and the kind Condition. A
    /// warning is printed if the newest release and the proposals give different answers. The value registry+v1 stands
    /// for any release of OLM v0. OLM v1 is not predicted; "opmx index check --for olm-v1" finds the bundles that it
    /// does not install.
    #[arg(long, value_name = "VERSION|proposed", default_value = "proposed", value_parser = predicted_olm)]
    olm: Olm,
}

impl OlmArgument {
    /// Returns the OLM version.
    pub(crate) fn get(&self) -> &Olm {
        &self.olm
    }

    /// Returns the OLM version, and warns if little is known about it.
    pub(crate) fn announced(&self, context: &Context<'_>) -> &Olm {
        if let Some(caution) = self.olm.caution() {
            context.printer.warning(caution);
        }
        &self.olm
    }
}

/// Reports in one line the difference between the newest release and the proposals.
pub(crate) fn note_released(what: &str, context: &Context<'_>) {
    context.printer.warning(format_args!(
        "{} {what}; use --olm {NEWEST} to show its answer",
        Olm::newest()
    ));
}

/// Describes the resolution by a release that decides differently from the proposals.
pub(crate) fn other_resolution(released: &Released) -> String {
    let does = match (released.intents, released.holds) {
        (true, true) => {
            "requires every dependency, regardless of its intent, ignores conditions when it plans updates, and would plan"
        }
        (false, true) => "ignores conditions when it plans updates, and would plan",
        _ => "requires every dependency, regardless of its intent, and would install",
    };
    match &released.answer {
        Ok(resolution) if !resolution.install.is_empty() => format!("{does} {}", resolution.install.join(", ")),
        Ok(_) | Err(_) => format!("{does} nothing"),
    }
}

/// The options for the bundle to examine, and for its installation.
#[derive(Debug, Args)]
pub(crate) struct InstallArguments {
    /// Index that contains the bundle, which is then specified by its name: HOST/NAME:TAG, oci:DIR:TAG,
    /// oci-archive:FILE:TAG, a database file, or a folder with a catalog
    #[arg(long, value_name = "INDEX", value_parser = filled())]
    pub(crate) index: Option<String>,
    /// Namespace to install into [default: from the files, or operators; for an Install, default]
    #[arg(short, long, value_name = "NS", value_parser = values::namespace)]
    pub(crate) namespace: Option<String>,
    #[command(flatten)]
    pub(crate) form: FormArgument,
    #[command(flatten)]
    pub(crate) cluster: ClusterArguments,
    #[command(flatten)]
    pub(crate) sources: ApiSourceArguments,
    #[command(flatten)]
    pub(crate) registry: RegistryArguments,
    #[command(flatten)]
    pub(crate) limits: LimitArguments,
    #[command(flatten)]
    pub(crate) database: DatabaseLimitArguments,
}

impl InstallArguments {
    /// Reads the cluster that the files describe, and determines the namespace to install into.
    pub(crate) fn state(&self, olm: &Olm, context: &Context<'_>) -> Result<State, CommandError> {
        let mut state = self.cluster.read(&self.limits, context)?;
        if self.namespace.is_none() && state.namespace.is_empty() {
            state.namespace = cluster::observed_namespace(&state.objects).unwrap_or_else(|error| {
                let used = cluster::state::NAMESPACE;
                context.printer.status(format_args!(
                    "{error}; this command uses the namespace {used}; to change it, use --namespace"
                ));
                used.to_owned()
            });
        }
        warn_of_operator_groups(&state, self.namespace(&state), olm, context);
        Ok(state)
    }

    /// Returns the limits on the indexes.
    pub(crate) fn index_limits(&self) -> OpenLimits {
        self.limits.index(&self.database, &self.registry)
    }

    /// Returns the namespace to install into.
    pub(crate) fn namespace<'a>(&'a self, state: &'a State) -> &'a str {
        let of_state = Some(state.namespace.as_str()).filter(|namespace| !namespace.is_empty());
        self.namespace
            .as_deref()
            .or(of_state)
            .unwrap_or(cluster::state::NAMESPACE)
    }

    /// Returns the namespace for content of an Install that specifies none, if it differs from the one that the Install
    /// itself determines. The namespace of a what-if file applies if the Install maps no namespace.
    pub(crate) fn namespace_of<'a>(&'a self, install: &OpenInstall, state: Option<&'a State>) -> Option<&'a str> {
        let is_unmapped = self.cluster.state.is_some() && install.namespace(None) == DEFAULT;
        let of_state = state.filter(|_| is_unmapped).map(|state| state.namespace.as_str());
        self.namespace.as_deref().or(of_state.filter(|name| !name.is_empty()))
    }

    /// Reads a bundle as OLM sees it: by name from the index if an index was specified, otherwise from a folder or an
    /// image. Returns `None` if the bundle has errors, which have been reported.
    pub(crate) fn content(&self, bundle: &str, context: &Context<'_>) -> Result<Option<Content>, CommandError> {
        if let Some(index) = &self.index {
            if self.form.is_given() {
                let usage = "--media-type cannot be combined with --index, which contains bundles in their final form";
                return Err(CommandError::usage(usage));
            }
            let opened = sources::open_catalog(index, &self.registry, self.index_limits(), context)?;
            return Ok(Some(content::of_index(&opened, None, bundle)?));
        }
        self.content_at(bundle, context)
    }

    /// Like [`InstallArguments::content`], but returns the findings about the bundle instead of reporting them.
    pub(crate) fn content_with_findings(
        &self,
        bundle: &str,
        context: &Context<'_>,
    ) -> Result<(Option<Content>, Vec<Diagnostic>), CommandError> {
        if self.index.is_some() {
            return Ok((self.content(bundle, context)?, Vec::new()));
        }
        self.content_at_with_findings(bundle, context)
    }

    /// Like [`InstallArguments::content_at`], but returns the findings about the bundle instead of reporting them.
    pub(crate) fn content_at_with_findings(
        &self,
        bundle: &str,
        context: &Context<'_>,
    ) -> Result<(Option<Content>, Vec<Diagnostic>), CommandError> {
        let outside = self.outside(context)?;
        let form = Some(&self.form);
        read_content(bundle, form, outside.as_ref(), &self.registry, &self.limits, context)
    }

    /// Returns the content of the API sources.
    pub(crate) fn outside(&self, context: &Context<'_>) -> Result<Option<Outside>, CommandError> {
        let limits = self.limits.source(&self.database, &self.registry);
        self.sources.outside(&self.registry, &limits, context)
    }

    /// Reports the namespace that a bundle suggests, if no namespace was specified.
    pub(crate) fn note_suggested(&self, content: &Content, state: &State, context: &Context<'_>) {
        let suggested = Csv(&content.csv).text(&["metadata", "annotations", SUGGESTED_NAMESPACE]);
        let used = self.namespace(state);
        if self.namespace.is_none() && !suggested.is_empty() && suggested != used {
            context.printer.status(format_args!(
                "{} suggests the namespace {suggested}, but this command uses the namespace {used}; to change it, use \
                --namespace {}",
                content.name,
                word(suggested)
            ));
        }
    }

    /// Reads the bundle in a folder or an image as OLM sees it. Returns `None` if the bundle has errors, which have
    /// been reported.
    pub(crate) fn content_at(&self, bundle: &str, context: &Context<'_>) -> Result<Option<Content>, CommandError> {
        let (content, findings) = self.content_at_with_findings(bundle, context)?;
        report(findings, context);
        Ok(content)
    }
}

/// Reads the bundle in a folder or an image as OLM sees it. Returns `None` if the bundle has errors, which have been
/// reported.
pub(crate) fn bundle_content(
    bundle: &str,
    outside: Option<&Outside>,
    registry: &RegistryArguments,
    limits: &LimitArguments,
    context: &Context<'_>,
) -> Result<Option<Content>, CommandError> {
    let (content, findings) = read_content(bundle, None, outside, registry, limits, context)?;
    report(findings, context);
    Ok(content)
}

/// Reports the findings about a bundle, except those that require no action. These belong in the report of `opmx bundle
/// validate`.
fn report(mut findings: Vec<Diagnostic>, context: &Context<'_>) {
    findings.retain(|finding| finding.severity != Severity::Info);
    context.printer.report(&findings);
}

/// Reads the bundle in a folder or an image as OLM sees it, with the findings. Returns no content if there are errors
/// among the findings.
fn read_content(
    bundle: &str,
    form: Option<&FormArgument>,
    outside: Option<&Outside>,
    registry: &RegistryArguments,
    limits: &LimitArguments,
    context: &Context<'_>,
) -> Result<(Option<Content>, Vec<Diagnostic>), CommandError> {
    let tree = sources::bundle_files(bundle, registry, limits, context)?;
    let location: Location = bundle.parse()?;
    let tree = match form {
        Some(form) if form.is_given() => {
            let shipped = in_registry_form(tree, outside, &limits.bundle())?;
            match shipped.tree {
                Some(tree) => tree,
                None => return Ok((None, shipped.findings)),
            }
        }
        _ => tree,
    };
    match content::of_files_with(&tree, location.registry_reference(), outside, &limits.text()) {
        Ok((content, findings)) => Ok((Some(content), findings)),
        Err(ContentError::Intake(IntakeError::Findings { diagnostics, .. })) => Ok((None, diagnostics)),
        Err(error) => Err(error.into()),
    }
}

/// Resolves the Subscriptions of a cluster and the requested packages, and reports the catalogs that are treated as
/// empty.
pub(crate) fn resolve(
    state: State,
    options: &ResolveOptions,
    registry: &RegistryArguments,
    context: &Context<'_>,
) -> Result<Resolved, CommandError> {
    warn_of_unready(&state, context);
    let transports = registry.transports(context);
    let known = state
        .catalogs
        .iter()
        .map(|known| (known.namespace.clone(), known.name.clone()));
    let known: Vec<(String, String)> = known.collect();
    let shortest = |namespace: &str, name: &str| {
        let known = known.iter().map(|(namespace, name)| (&**namespace, &**name));
        CatalogName::shortest(namespace, name, known).to_string()
    };
    let resolving = install::resolve::resolve(state, options, &transports);
    let resolved = context.runtime.block_on(resolving).map_err(|error| match error {
        ResolveError::Ambiguous(error) => named_catalogs::ambiguous(&error),
        ResolveError::CatalogTwice { .. } | ResolveError::PackageTwice { .. } => CommandError::usage(error.to_string()),
        ResolveError::NotInstalled { .. } => CommandError::missing(error.to_string())
            .hint("describe the installed versions in a file, and pass it with --state"),
        ResolveError::Entrypoint(error) => error.into(),
        ResolveError::Read(error) => error.into(),
        ResolveError::Catalog {
            namespace,
            name,
            index,
            is_asked_for,
            source,
        } => {
            let error = guesses::with_index_guess((*source).into(), &index);
            let error = error.context(format!("cannot read the catalog {namespace}/{name}"));
            if is_asked_for {
                return error;
            }
            error.hint(format!(
                "use --catalog {}=INDEX to read the catalog from another index",
                word(&shortest(&namespace, &name))
            ))
        }
    })?;
    for note in &resolved.notes {
        context.printer.status(note);
    }
    for CatalogSource { namespace, name, .. } in resolved.empty_catalogs() {
        context.printer.warning(format_args!(
            "the catalog {namespace}/{name} does not specify an index image, so it is treated as empty; use --catalog \
            {}=INDEX to set an index",
            word(&shortest(namespace, name))
        ));
    }
    if let Ok(resolution) = &resolved.answer {
        let installed = |name: &&str| resolved.state.installed.iter().any(|installed| installed.name == *name);
        let replaced = resolution
            .selected
            .iter()
            .filter_map(|selected| selected.replaces.as_deref());
        warn_of_missing_conditions(&resolved.state, replaced.filter(installed), context);
    }
    Ok(resolved)
}

/// Warns of the catalogs that OLM could not read in the cluster, also of those that an index replaces here.
fn warn_of_unready(state: &State, context: &Context<'_>) {
    for catalog in cluster::unready_catalogs(state) {
        let UnreadyCatalog {
            namespace,
            name,
            state,
            message,
        } = &catalog;
        let said = if message.is_empty() {
            String::new()
        } else {
            format!(": {message}")
        };
        context.printer.warning(format_args!(
            "the catalog {namespace}/{name} was not ready in the cluster ({state}{said}); until OLM can read it, OLM \
            resolves nothing in any namespace that uses it"
        ));
    }
}
