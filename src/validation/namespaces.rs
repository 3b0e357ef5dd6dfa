//! Checks the namespaces in the objects of a `registry+v1` bundle: OLM creates all namespaced objects in the install
//! namespace. The synthesis checks those of a `k8s+v1` bundle.

use crate::bundle::Bundle;
use crate::csv::Csv;
use crate::diagnostic::Diagnostic;
use crate::olm::annotation::SUGGESTED_NAMESPACE;
use crate::synthesis::is_moved;
use crate::synthesis::namespaces::{clashes, moved_to_install_namespace};

pub(super) fn check(bundle: &Bundle, findings: &mut Vec<Diagnostic>) {
    let csv = bundle.csv();
    let annotations = csv.and_then(|csv| Csv(csv.value()).annotations());
    let suggested = annotations.and_then(|map| map.get(SUGGESTED_NAMESPACE)?.as_str());
    // The author's tools write the namespace of the author's cluster into all objects alike.
    let own = [suggested, csv.and_then(|csv| csv.namespace())];
    let clashes = clashes(bundle.objects.iter());
    let moved = bundle.objects.iter().filter(|object| {
        let namespace = object.namespace();
        let clashes = || {
            clashes
                .iter()
                .any(|finding| finding.object.as_ref() == Some(&object.label()))
        };
        is_moved(object) && namespace.is_some() && !own.contains(&namespace) && !clashes()
    });
    findings.extend(moved.map(moved_to_install_namespace));
    findings.extend(clashes.iter().cloned());
}
