//! Advice for errors about clusters, resolutions and plans.

use super::{Advice, Hints, MORE_STEPS, TOTAL_SIZE, VALUES, hint, hints, hints_of, raise};
use crate::cluster::dump::DumpError;
use crate::cluster::{ObservedError, StateError, StateProblem};
use crate::install::catalogs::SelectedError;
use crate::install::content::ContentError;
use crate::install::plan::PlanError;
use crate::install::requests::installs::InstallError;
use crate::install::requests::operators::EntrypointError;
use crate::install::resolution_steps::ResolvedError;
use crate::resolver::Unresolved;

const DUMP: &str = "a dump is the output of \"kubectl get ... -o yaml\", \"kubectl api-resources\" or \"kubectl get --raw \
                    /apis/GROUP/VERSION\"";
const LEAVE_OUT: &str = "leave objects that OLM does not use, such as Secrets and events, out of the dump; \"kubectl get \
                         csv -A -l '!olm.copiedFrom'\" leaves out copies of ClusterServiceVersions";

impl Hints for EntrypointError {
    fn hints(&self) -> Advice {
        Advice::missing()
    }
}

impl Hints for StateError {
    fn hints(&self) -> Advice {
        self.problem.hints()
    }
}

hints! {
    DumpError {
        pass: [File],
        none: [Folder, Text, Files, NoText],
        Self::Nothing { .. } | Self::NoObject { .. } | Self::OtherTable { .. } => hint(DUMP),
        Self::Values { .. } => hint(raise(VALUES)),
        Self::TooMuch { .. } => hints_of([LEAVE_OUT.to_owned(), raise(TOTAL_SIZE)]),
        Self::Object { .. } | Self::Table { .. } => hint(raise("--max-file-size")),
    }
    StateProblem {
        pass: [],
        none: [
            Unreadable, Documents, Version, Kubernetes, Shape, SourceAndPackages, Twice, NoBundle, NoCatalog, NoReason,
            Inner
        ],
        Self::TooMany { .. } => hint(raise(VALUES)),
        Self::Object => hint("pass a cluster dump with --cluster, or as FILE"),
    }
    InstallError {
        pass: [Step, Permissions],
        none: [],
    }
    ObservedError {
        pass: [],
        none: [],
        Self::Namespaces { .. } => hint("specify one of the namespaces with --namespace"),
        Self::OperatorGroups { count: 0, .. } => {
            hint("add an OperatorGroup for this namespace, because OLM installs nothing there without one; opmx \
                  assumes one only if the input contains no OperatorGroup at all")
        }
        Self::OperatorGroups { .. } => Advice::default(),
        Self::Other { .. } => hint("specify the namespace in the what-if file"),
    }
    ContentError {
        pass: [Intake, Render, Read, Catalog],
        missing: [Unknown],
        none: [Property],
        Self::Deprecated { .. } => hint("specify the image of the bundle instead").of_missing(),
        Self::NoCsv { image, .. } if image.is_empty() => Advice::default(),
        Self::NoCsv { image, .. } => hint(format!("specify the image instead of the bundle: {image}")),
    }
    SelectedError {
        pass: [],
        none: [WrittenOut],
        Self::Content { source, .. } => source.hints(),
    }
    ResolvedError {
        pass: [Selected],
        none: [Step],
    }
    PlanError {
        pass: [Steps],
        none: [Permissions],
    }
    Unresolved {
        pass: [],
        none: [Unsatisfiable, Refused],
        Self::GaveUp { .. } => hint(MORE_STEPS),
    }
}
