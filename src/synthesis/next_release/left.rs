//! The decisions that the next release leaves to a person, in addition to the decisions for the previous
//! release.

use crate::bundle::Bundle;
use crate::bundle::stamp::Stamp;
use crate::kubernetes::rbac::Rule;
use crate::kubernetes::rbac::covering::uncovered;
use crate::manifest::Object;
use crate::olm::install_mode::ALL_NAMESPACES;
use crate::olm::optional_manifest::{OptionalManifest, entries};
use crate::olm::property::OPTIONAL_MANIFESTS;
use crate::synthesis::Synthesis;
use crate::synthesis::decisions::{Decisions, for_reader};
use crate::synthesis::wildcards::WildcardRule;
use serde_json::Value;
use std::collections::BTreeSet;

/// The key of the install modes in `olm.yaml`.
const INSTALL_MODES: &str = "installModes";

/// Returns the open decisions, without the decisions that were made for the previous release.
pub(super) fn decisions(is: &Synthesis, after: &Bundle, was: &Decisions, wanted: &Stamp) -> Decisions {
    let mut open = Decisions::of(is, &after.objects);
    open.unresolved.retain(|entry| {
        let mut hints = wanted.apis.iter();
        !hints.any(|hint| hint.group == entry.group && hint.resource == entry.resource)
    });
    let refreshed = wanted.refreshed.iter().find(|(key, _)| *key == INSTALL_MODES);
    let said = after.olm.as_ref().and_then(|olm| olm.value().get(INSTALL_MODES));
    let modes = refreshed.map(|(_, modes)| modes).or(said).and_then(Value::as_array);
    let is_everywhere = |mode: &Value| mode["type"] == ALL_NAMESPACES && mode["supported"] == true;
    open.widened = if modes.is_some_and(|modes| modes.iter().any(is_everywhere)) {
        // If comparing the rules takes too many steps, all rules are reported again.
        for_reader(&uncovered(&was.widened, &open.widened).unwrap_or(open.widened))
    } else {
        Vec::new()
    };
    let optional = after
        .properties
        .iter()
        .filter(|property| property.kind == OPTIONAL_MANIFESTS);
    let named: Vec<OptionalManifest> = optional.flat_map(|property| entries(&property.value)).collect();
    open.foreign
        .retain(|object| !named.iter().any(|entry| entry.names(object.value())));
    open
}

/// Returns the labels of the rules that have wildcards now, although their roles named the bundle's own kinds in the
/// previous release. The wildcards of these rules are replaced with names again.
pub(super) fn named_before(is: &Synthesis, was: &Synthesis, before: &Bundle) -> BTreeSet<String> {
    let same = |left: &Object, right: &Object| left.gvk() == right.gvk() && left.name() == right.name();
    let still = |rule: &WildcardRule, groups: &BTreeSet<&str>| {
        let mut old = was.wildcards.iter().filter(|old| same(&old.role, &rule.role));
        old.any(|old| !old.own_groups().is_disjoint(groups))
    };
    let named = is.wildcards.iter().filter(|rule| {
        let groups = rule.own_groups();
        let roles = before.objects.iter().filter(|object| same(object, &rule.role));
        let mut rules = roles.flat_map(|role| Rule::read_all(role.value()));
        let mut names_one = || rules.any(|rule| rule.api_groups.iter().any(|group| groups.contains(group.as_str())));
        rule.expanded.is_some() && names_one() && !still(rule, &groups)
    });
    named.map(WildcardRule::label).collect()
}
