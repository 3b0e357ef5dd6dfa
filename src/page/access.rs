//! The permissions of a version: what its operator holds in the end, and what the install takes.

use crate::cluster::State;
use crate::cluster::state::NAMESPACE;
use crate::install::apis::Apis;
use crate::install::permissions::{Need, Operator, Permission, needed, not_held, operators};
use crate::kubernetes::rbac::account::Grants;
use crate::kubernetes::rbac::dangers;
use crate::steps::{self, Content, Target};

/// All about permissions.
#[derive(Debug, Clone)]
pub(super) struct Access {
    /// What the install needs and hands on.
    pub(super) needs: Vec<Need>,
    /// The same, put together.
    pub(super) install: Vec<Row>,
    /// What the accounts hold.
    pub(super) operators: Vec<Holders>,
}

/// The accounts of an operator.
#[derive(Debug, Clone)]
pub(super) struct Holders {
    /// Why the operator is for which namespaces.
    pub(super) scope: String,
    pub(super) accounts: Vec<Account>,
    pub(super) notes: Vec<String>,
}

/// An account.
#[derive(Debug, Clone)]
pub(super) struct Account {
    pub(super) name: String,
    pub(super) rows: Vec<Row>,
}

/// A permission.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Row {
    /// Namespace, group, resource, names and verbs.
    pub(super) cells: [String; 5],
    /// What people should know of it.
    pub(super) dangers: Vec<&'static str>,
    /// Where it comes from.
    pub(super) reasons: Vec<String>,
}

impl Row {
    pub(super) fn of(permission: &Permission, reasons: &[String]) -> Self {
        Self {
            cells: permission.in_words(),
            dangers: dangers(&permission.rule),
            reasons: reasons.to_vec(),
        }
    }
}

/// The permissions of a version that is installed into an empty cluster, or why nobody can tell.
pub(super) fn access(content: &Content) -> Result<Access, String> {
    let target = Target {
        namespace: NAMESPACE.to_owned(),
        ..Target::default()
    };
    let steps = steps::of_bundle(content, &target, "").map_err(|error| crate::causes::with_causes(&error))?;
    let steps = steps::in_order(steps);
    let nothing = State::default();
    let needs = needed(&steps, NAMESPACE, &Apis::of(&nothing), &nothing.objects);
    let install = not_held(&needs, &Grants::default()).map_err(|error| error.to_string())?;
    let operators = operators(&steps, NAMESPACE, &nothing).map_err(|error| error.to_string())?;
    Ok(Access {
        install: install.iter().map(|permission| Row::of(permission, &[])).collect(),
        operators: operators.iter().map(holders).collect(),
        needs,
    })
}

fn holders(operator: &Operator) -> Holders {
    let accounts = operator.accounts.iter().map(|account| {
        let rows = account.permissions.iter();
        Account {
            name: account.account.name.clone(),
            rows: rows
                .map(|holding| Row::of(&holding.permission, &holding.reasons))
                .collect(),
        }
    });
    Holders {
        scope: operator.to_string(),
        accounts: accounts.collect(),
        notes: operator.notes.clone(),
    }
}

impl Access {
    /// All that people should know of, each once.
    pub(super) fn dangers(&self) -> Vec<&'static str> {
        let mut all: Vec<&'static str> = Vec::new();
        let rows = self
            .operators
            .iter()
            .flat_map(|operator| &operator.accounts)
            .flat_map(|account| &account.rows);
        for danger in rows.flat_map(|row| &row.dangers) {
            if !all.contains(danger) {
                all.push(danger);
            }
        }
        all
    }
}
