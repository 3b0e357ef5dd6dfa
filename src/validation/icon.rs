//! Checks the icon of a `registry+v1` bundle. The synthesis checks that of a `k8s+v1` bundle.

use crate::bundle::Bundle;
use crate::catalog::file_based::picture_type;
use crate::diagnostic::Diagnostic;
use crate::rules;
use crate::text::Path;

/// Reports data that is not base64. Catalogs contain the first icon only if they can decode it.
pub(super) fn check(bundle: &Bundle, findings: &mut Vec<Diagnostic>) {
    let path = Path::from("spec.icon").index(0).key("base64data");
    let Some(csv) = bundle.csv() else {
        return;
    };
    let data = path.get(csv.value()).and_then(|data| data.as_str());
    if data.is_some_and(|data| picture_type::decoded(data).is_none()) {
        let message = "the icon is not base64, so catalogs omit it";
        let finding = Diagnostic::new(&rules::CSV_ICON, message).object(csv.label());
        findings.push(finding.path(&path).at(csv.place(&path)));
    }
}
