//! Reads the cluster for which commands predict what OLM does, from what-if files and output of kubectl.

use crate::cli::arguments::LimitArguments;
use crate::cli::error::CommandError;
use crate::cli::values::filled;
use crate::cli::{Context, input};
use crate::cluster::dump::DumpError;
use crate::cluster::{self, OperatorGroups, State, conditions, dump};
use crate::install::api_error::meant_reason;
use crate::olm::releases::{NEWEST, Olm};
use crate::terminal::counted;
use clap::Args;
use serde_json::Value;
use std::collections::HashSet;
use std::io;
use std::path::Path;

/// The maximum size in bytes of a what-if file.
const STATE_LIMIT: usize = 64 << 20;

/// The options that describe the cluster.
#[derive(Debug, Args)]
pub(crate) struct ClusterArguments {
    /// What-if file that describes the cluster: its APIs, objects, grants and error responses; - for standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) state: Option<String>,
    /// File or folder with output from a cluster, or - for standard input; may be repeated, also with --state
    ///
    /// Accepts the output of "kubectl get ... -o yaml" or -o json, the output of "kubectl api-resources" and "kubectl
    /// version -o yaml", and discovery documents, such as the output of "kubectl get --raw /apis/GROUP/VERSION". If the
    /// input lists APIs, the cluster is assumed to serve no others. If it contains an object more than once, the last
    /// one is used. A folder may also contain other files, which are skipped; YAML and JSON files among them cause a
    /// warning.
    ///
    /// OLM's decisions depend on the kinds sub,csv,og,catsrc,installplans,operatorconditions. The result of a plan also
    /// depends on crd and on the custom resources of the operators, such as etcdclusters.etcd.database.coreos.com,
    /// because OLM compares updated CustomResourceDefinitions with them. Export the objects of all namespaces (-A).
    #[arg(long, value_name = "PATH", visible_alias = "objects", value_parser = filled())]
    pub(crate) cluster: Vec<String>,
}

impl ClusterArguments {
    /// Returns whether any file describes the cluster.
    pub(crate) fn is_given(&self) -> bool {
        self.state.is_some() || !self.cluster.is_empty()
    }

    /// Reads the cluster that the files describe. Without files, the cluster is empty.
    pub(crate) fn read(&self, limits: &LimitArguments, context: &Context<'_>) -> Result<State, CommandError> {
        let state = read_cluster(self.state.as_deref(), &self.cluster, dump::kept, limits, context)?;
        warn_of_extensions(&state, context);
        Ok(state)
    }

    /// Reads the cluster that the files describe, including the catalogs, Subscriptions and installed versions in
    /// dumps.
    pub(crate) fn read_observed(
        &self,
        namespace: Option<&str>,
        olm: &Olm,
        limits: &LimitArguments,
        context: &Context<'_>,
    ) -> Result<State, CommandError> {
        let mut state = self.read(limits, context)?;
        observe(&mut state, namespace, olm, context)?;
        Ok(state)
    }
}

/// Adds what the objects of a cluster say about its catalogs, Subscriptions and installed versions.
pub(crate) fn observe(
    state: &mut State,
    namespace: Option<&str>,
    olm: &Olm,
    context: &Context<'_>,
) -> Result<(), CommandError> {
    let groups = match olm {
        Olm::Proposed => OperatorGroups::Proposed,
        Olm::AnyRelease | Olm::Release(_) => OperatorGroups::Released,
    };
    cluster::observe_with(state, namespace, groups)?;
    warn_of_operator_groups(state, &state.namespace, olm, context);
    warn_of_missing_versions(state, context);
    Ok(())
}

/// Warns if the number of OperatorGroups in a namespace makes releases of OLM install nothing there, or is unknown.
pub(crate) fn warn_of_operator_groups(state: &State, namespace: &str, olm: &Olm, context: &Context<'_>) {
    if cluster::assumes_operator_group(&state.objects) {
        context.printer.warning(format_args!(
            "the input contains no OperatorGroup, so the namespace {namespace} is assumed to have one, without which OLM \
            installs nothing; add \"og\" to the kinds of \"kubectl get\" to include them"
        ));
    }
    let Some(count) = cluster::refused_operator_groups(&state.objects, namespace) else {
        return;
    };
    let found = format!("the namespace {namespace} has {count} OperatorGroups");
    context.printer.warning(match olm {
        Olm::Proposed => format!(
            "{found}: as proposed, each installation there uses a separate service account, but released versions of \
            OLM install nothing; use --olm {NEWEST} to show their answer"
        ),
        Olm::AnyRelease | Olm::Release(_) => format!("{found}, so {olm} installs nothing there"),
    });
}

/// Warns of installed versions that the input does not contain.
fn warn_of_missing_versions(state: &State, context: &Context<'_>) {
    let installed: HashSet<&str> = state.installed.iter().map(|known| known.name.as_str()).collect();
    for subscription in &state.subscriptions {
        let known = |csv: &&String| installed.contains(csv.as_str());
        if let Some(installed) = subscription.installed_csv.as_ref().filter(|csv| !known(csv)) {
            let name = &subscription.name;
            context.printer.warning(format_args!(
                "the Subscription {name} lists {installed} as installed, but the input does not contain this version, \
                so it is treated as not installed"
            ));
        }
    }
}

/// Warns of objects of OLM v1, whose decisions are not predicted.
pub(crate) fn warn_of_extensions(state: &State, context: &Context<'_>) {
    let mut names = cluster::cluster_extensions(&state.objects);
    if let Some(first) = names.next() {
        let others = match names.count() {
            0 => String::new(),
            count => format!(" and {}", counted(count, "other")),
        };
        context.printer.warning(format_args!(
            "the input contains the ClusterExtension {first}{others}, but this command predicts only the decisions of OLM \
            v0, which ignores ClusterExtensions; \"opmx index check --for olm-v1\" finds the bundles that OLM v1 chooses \
            from a catalog but does not install"
        ));
    }
}

/// Warns if the input contains no conditions, although an installed operator is upgraded.
pub(crate) fn warn_of_missing_conditions<'a>(
    state: &State,
    upgraded: impl IntoIterator<Item = &'a str>,
    context: &Context<'_>,
) {
    let mut upgraded = upgraded.into_iter();
    if let Some(operator) = upgraded.next().filter(|_| conditions::lacks_conditions(state)) {
        context.printer.warning(format_args!(
            "the input contains no OperatorConditions, so whether {operator} refuses its upgrade is unknown; OLM allows \
            an upgrade without one; add \"operatorconditions\" to the kinds of \"kubectl get\" to include them"
        ));
    }
}

/// Reads the cluster that a what-if file and dumps describe; `keep` reduces each object of a dump to the parts that are
/// needed. Of objects that the input contains more than once, the last one is used.
pub(crate) fn read_cluster(
    state: Option<&str>,
    dumps: &[String],
    keep: fn(Value) -> Value,
    limits: &LimitArguments,
    context: &Context<'_>,
) -> Result<State, CommandError> {
    let mut read = read_objects(state, dumps, keep, limits, context)?;
    for object in cluster::drop_copies(&mut read) {
        context.printer.warning(format_args!(
            "the input contains {object} more than once, with different content; the last one is used"
        ));
    }
    Ok(read)
}

/// Like [`read_cluster`], with all copies of each object.
pub(crate) fn read_objects(
    state: Option<&str>,
    dumps: &[String],
    keep: fn(Value) -> Value,
    limits: &LimitArguments,
    context: &Context<'_>,
) -> Result<State, CommandError> {
    let mut read = match state {
        Some(name) => {
            let (shown, bytes) = input::read(name, (STATE_LIMIT, None), context)?;
            let mut state = cluster::read(&shown, &bytes, &limits.text())?;
            for (index, error) in state.errors.iter().enumerate() {
                let reason = error.reason.as_deref().unwrap_or_default();
                if let Some(meant) = meant_reason(reason) {
                    context.printer.warning(format_args!(
                        "{shown}: errors[{index}]: the reason {reason:?} is unknown, so only the code decides; did you mean \
                        {meant}?"
                    ));
                }
            }
            for source in state.catalogs.iter_mut().filter_map(|catalog| catalog.source.as_mut()) {
                *source = cluster::source_beside(Path::new(name), source);
            }
            state
        }
        None => State::default(),
    };
    let limits = limits.dump();
    for name in dumps {
        if name == input::STDIN {
            let name = Path::new(input::announced(context));
            dump::read_stream(name, io::stdin().lock(), keep, &limits, &mut read)?;
        } else {
            let skipped = dump::read(Path::new(name), keep, &limits, &mut read)?;
            warn_of_skipped(&skipped, context);
        }
    }
    Ok(read)
}

/// The maximum number of unreadable files of a folder that are listed.
const LISTED: usize = 5;

/// Warns of files in a folder that are not dumps, or are damaged.
fn warn_of_skipped(skipped: &[DumpError], context: &Context<'_>) {
    for error in skipped.iter().take(LISTED) {
        context
            .printer
            .warning(format_args!("{error}; the rest of this file is ignored"));
    }
    if let Some(others) = skipped.len().checked_sub(LISTED).filter(|others| *others > 0) {
        context.printer.warning(format_args!(
            "{} of the folder are ignored for similar reasons",
            counted(others, "other file")
        ));
    }
}
