//! Checks that no object of a bundle has the labels with which OLM marks the objects that it creates itself.

use crate::bundle::{Bundle, is_csv};
use crate::csv::owner;
use crate::diagnostic::Diagnostic;
use crate::rules;
use crate::text::Path;

pub(super) fn check(bundle: &Bundle, findings: &mut Vec<Diagnostic>) {
    let labels = Path::root().key("metadata").key("labels");
    for object in bundle.objects.iter().filter(|object| !is_csv(object)) {
        let Some(label) = owner::LABELS
            .into_iter()
            .find(|label| object.get(&["metadata", "labels", label]).is_some())
        else {
            continue;
        };
        let effect = if ["Role", "RoleBinding"].contains(&&*object.gvk().kind) {
            "OLM may copy the object for the whole cluster"
        } else {
            "OLM may treat the object as one that it has created"
        };
        let message = format!("{} has the label {label}, so {effect}", object.label());
        let path = labels.key(label);
        let finding = Diagnostic::new(&rules::OBJECT_OWNER_LABELS, message).object(object.label());
        findings.push(finding.path(&path).at(object.key_place(&path)));
    }
}
