//! Whether OLM replaces an installed version, according to the phase of that version.

use super::InstalledOperator;
use std::fmt;

/// `status.reason` of a ClusterServiceVersion that OLM has not checked completely. It keeps this reason while the
/// version that it replaces is not ready.
pub(crate) const REQUIREMENTS_UNKNOWN: &str = "RequirementsUnknown";

const FAILED: &str = "Failed";
/// The phases in which OLM replaces a version, now or without help. OLM moves a version from `InstallReady` to
/// `Installing`, `Succeeded`, `Replacing` and `Deleting`.
const REPLACEABLE: [&str; 5] = ["InstallReady", "Installing", "Succeeded", "Replacing", "Deleting"];

/// An installed version that OLM does not replace, because it is in a phase that does not end without help.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unready {
    /// The name of the ClusterServiceVersion.
    pub name: String,
    /// `status.phase`.
    pub phase: String,
}

impl Unready {
    /// Returns the version with its phase if OLM does not replace it because of this phase. Returns `None` if the phase
    /// is unknown.
    pub fn of(operator: &InstalledOperator<'_>) -> Option<Self> {
        let phase = operator.phase.filter(|phase| !phase.is_empty())?;
        let is_ready = REPLACEABLE.contains(&phase) || (phase == FAILED && operator.fail_forward);
        (!is_ready).then(|| Self {
            name: operator.name.to_owned(),
            phase: phase.to_owned(),
        })
    }
}

impl fmt::Display for Unready {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, phase } = self;
        write!(
            formatter,
            "{name} is in the phase {phase}, and OLM replaces a version only in the phase Succeeded"
        )?;
        if phase == FAILED {
            let strategy = "TechPreviewUnsafeFailForward";
            write!(
                formatter,
                ", or in the phase Failed if the upgradeStrategy of the OperatorGroup is {strategy}"
            )?;
        }
        Ok(())
    }
}
