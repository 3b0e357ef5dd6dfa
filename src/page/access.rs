//! The permissions of a version: those of its operator after the installation, and those required for the installation.

use crate::cluster::State;
use crate::cluster::state::NAMESPACE;
use crate::install::apis::Apis;
use crate::install::permissions::{
    Holding, Need, Operator, Permission, Purpose, Subject, Targets, needed, not_held, operators,
};
use crate::kubernetes::rbac::account::Grants;
use crate::kubernetes::rbac::dangers;
use crate::steps::{self, Content, Target};

/// All data about the permissions of a version.
#[derive(Debug, Clone)]
pub(super) struct Access {
    /// The permissions that the installation uses or grants.
    pub(super) needs: Vec<Need>,
    /// The permissions in `needs`, merged into table rows.
    pub(super) install: Vec<Row>,
    /// The permissions of all accounts of the operator.
    pub(super) held: Vec<Need>,
    /// The permissions that the bundle grants to users and groups.
    pub(super) others: Vec<(Subject, Vec<Need>)>,
    /// The permissions in `held` and `others`, by operator and subject.
    pub(super) operators: Vec<Holders>,
}

/// The subjects that an operator grants permissions to.
#[derive(Debug, Clone)]
pub(super) struct Holders {
    /// A sentence that names the namespaces for which the operator is installed.
    pub(super) scope: String,
    pub(super) subjects: Vec<Holder>,
    pub(super) notes: Vec<String>,
}

/// A service account of the operator, or another subject.
#[derive(Debug, Clone)]
pub(super) struct Holder {
    /// The kind of the subject in words, such as `group`.
    pub(super) kind: &'static str,
    pub(super) name: String,
    pub(super) rows: Vec<Row>,
}

/// A permission.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Row {
    /// The anchor on the page; empty if nothing links to the permission.
    pub(super) id: String,
    /// The namespace, the group, the resource, the object names and the verbs.
    pub(super) cells: [String; 5],
    /// The risks of the permission.
    pub(super) dangers: Vec<String>,
}

/// A risk with the permissions that cause it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Danger<'a> {
    /// The subject and the risk in words.
    pub(super) words: String,
    pub(super) rows: Vec<&'a Row>,
}

impl Row {
    pub(super) fn of(permission: &Permission) -> Self {
        Self {
            id: String::new(),
            cells: permission.in_words(),
            dangers: dangers(&permission.rule),
        }
    }

    /// Whether the permission is limited to objects with certain names.
    pub(super) fn has_names(&self) -> bool {
        !self.cells[3].is_empty()
    }

    /// Returns the permission in words, such as `get, list secrets of (core) in all namespaces`.
    pub(super) fn words(&self) -> String {
        let [place, group, resource, names, verbs] = &self.cells;
        let mut words = format!("{verbs} {resource}");
        if self.has_names() {
            words = format!("{words} named {names}");
        }
        // Paths of the API server have neither a group nor a namespace.
        if group.is_empty() {
            return words;
        }
        let place = if place == EVERYWHERE { "all namespaces" } else { place };
        format!("{words} of {group} in {place}")
    }
}

/// Whether at least one permission is limited to objects with certain names.
pub(super) fn have_names(rows: &[Row]) -> bool {
    rows.iter().any(Row::has_names)
}

/// Returns the caption of the table that shows the permissions of a subject.
pub(super) fn caption(holder: &Holder) -> String {
    format!("Permissions of {} {}", holder.kind, holder.name)
}

/// The kind of the operator's own subjects in words.
const OF_ACCOUNT: &str = "service account";

/// The text that tables show instead of a namespace if a permission applies to the whole cluster.
const EVERYWHERE: &str = "(all)";

/// Returns the permissions of a version that is installed into an empty cluster, or the reason why they cannot be
/// determined.
pub(super) fn access(content: &Content) -> Result<Access, String> {
    let target = Target {
        namespace: NAMESPACE.to_owned(),
        ..Target::default()
    };
    let steps = steps::of_bundle(content, &target, "").map_err(|error| crate::causes::with_causes(&error))?;
    let steps = steps::in_order(steps);
    let nothing = State::default();
    let needs = needed(&steps, NAMESPACE, &Apis::of(&nothing), &nothing.objects);
    let needs = needs.map_err(|error| error.to_string())?;
    let install = not_held(&needs, &Grants::default()).map_err(|error| error.to_string())?;
    let operators = operators(&steps, NAMESPACE, &nothing).map_err(|error| error.to_string())?;
    Ok(Access {
        install: install.iter().map(Row::of).collect(),
        held: operators.iter().flat_map(held).collect(),
        others: operators.iter().flat_map(of_others).collect(),
        operators: operators
            .iter()
            .enumerate()
            .map(|(number, operator)| holders(number, operator))
            .collect(),
        needs,
    })
}

/// Returns the permissions of an operator's accounts as [`Need`]s, so that they can be compared with those of another
/// version.
fn held(operator: &Operator) -> Vec<Need> {
    let permissions = operator.accounts.iter().flat_map(|account| &account.permissions);
    permissions.flat_map(needs_of).collect()
}

/// Returns the permissions of users and groups as [`Need`]s.
fn of_others(operator: &Operator) -> impl Iterator<Item = (Subject, Vec<Need>)> {
    let others = operator.others.iter();
    others.map(|held| {
        (
            held.subject.clone(),
            held.permissions.iter().flat_map(needs_of).collect(),
        )
    })
}

fn needs_of(holding: &Holding) -> impl Iterator<Item = Need> {
    let Permission { rule, namespaces } = &holding.permission;
    let places: Vec<Option<String>> = if namespaces.is_empty() {
        vec![None]
    } else {
        namespaces.iter().cloned().map(Some).collect()
    };
    places.into_iter().map(|namespace| Need {
        namespace,
        rules: vec![rule.clone()],
        purpose: Purpose::Operator,
        unless: None,
        is_condition: false,
    })
}

fn holders(number: usize, operator: &Operator) -> Holders {
    let accounts = operator.accounts.iter();
    let accounts = accounts.map(|held| (OF_ACCOUNT, &held.account.name, &held.permissions));
    let others = operator.others.iter().filter_map(|held| match &held.subject {
        Subject::Account(_) => None,
        Subject::User(name) => Some(("user", name, &held.permissions)),
        Subject::Group(name) => Some(("group", name, &held.permissions)),
        Subject::Holders(name) => Some(("holders of cluster role", name, &held.permissions)),
    });
    let subjects = accounts.chain(others).enumerate();
    let subjects = subjects.map(|(place, (kind, name, permissions))| {
        let rows = permissions.iter().enumerate().map(|(line, holding)| Row {
            id: format!("permission-{number}-{place}-{line}"),
            ..Row::of(&holding.permission)
        });
        Holder {
            kind,
            name: name.clone(),
            rows: rows.collect(),
        }
    });
    let scope = match &operator.targets {
        Targets::All => "These permissions apply if the operator is installed for all namespaces".to_owned(),
        Targets::Selected => "These permissions apply in the namespaces that the OperatorGroup selects".to_owned(),
        Targets::Namespaces(names) => format!(
            "These permissions apply if the operator is installed for the namespace {}; it cannot watch all namespaces",
            names.join(", ")
        ),
    };
    Holders {
        scope,
        subjects: subjects.collect(),
        notes: operator.notes.clone(),
    }
}

impl Access {
    /// Returns each risk of the operator, and of every other subject, once, with all permissions that cause it.
    pub(super) fn dangers(&self) -> Vec<Danger<'_>> {
        let mut all: Vec<Danger<'_>> = Vec::new();
        for holder in self.operators.iter().flat_map(|operator| &operator.subjects) {
            let who = match holder.kind {
                OF_ACCOUNT => "The operator".to_owned(),
                kind => format!("The {kind} {}", holder.name),
            };
            for (row, danger) in holder
                .rows
                .iter()
                .flat_map(|row| row.dangers.iter().map(move |words| (row, words)))
            {
                let words = format!("{who} {danger}");
                match all.iter_mut().find(|danger| danger.words == words) {
                    Some(danger) => danger.rows.push(row),
                    None => all.push(Danger { words, rows: vec![row] }),
                }
            }
        }
        all
    }
}
