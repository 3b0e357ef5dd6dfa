//! The advice for a finding, with the command or the flag that resolves it. The rules themselves do not know the
//! command line.

use crate::diagnostic::Diagnostic;
use crate::rules::{self, Rule};
use crate::synthesis::wildcards;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// Returns the advice for a finding.
pub fn of(diagnostic: &Diagnostic) -> Cow<'_, str> {
    with(diagnostic.advice(), command_for(diagnostic))
}

/// Returns the advice for a finding that is printed together with others. If the advice contains lines to paste, the
/// command, which is the same for all findings of the rule, is added only to the first finding. `explained` collects
/// the rules of the printed findings.
pub(crate) fn of_next<'a>(diagnostic: &'a Diagnostic, explained: &mut BTreeSet<&'static str>) -> Cow<'a, str> {
    let help = diagnostic.advice();
    if !explained.insert(diagnostic.rule.id) && help.contains('\n') {
        return Cow::Borrowed(help);
    }
    with(help, command_for(diagnostic))
}

/// Returns the advice for the findings of a rule.
pub fn of_rule(rule: &Rule) -> Cow<'static, str> {
    with(rule.help, command(rule))
}

fn with<'a>(help: &'a str, command: Option<&str>) -> Cow<'a, str> {
    match command {
        // If the advice contains lines to paste, the command starts on a new line.
        Some(command) if help.contains('\n') => Cow::Owned(format!("{help}\n{command}")),
        Some(command) => Cow::Owned(format!("{help} {command}")),
        None => Cow::Borrowed(help),
    }
}

/// The command for a rule with wildcards that cannot be expanded.
const KEEP_WILDCARDS: &str = "`opmx bundle build --media-type registry+v1` keeps wildcards, and `opmx bundle validate \
     --media-type registry+v1` accepts them.";

/// The command for a rule about images that are specified by tag.
const PIN: &str = "`opmx bundle build --pin` replaces tags with digests in the bundle image.";

/// The command for a rule about the content of a bundle in a database.
const OVERWRITE: &str =
    "`opmx registry add --overwrite-latest` and `opmx index add --overwrite-latest` overwrite a bundle.";

fn command_for(diagnostic: &Diagnostic) -> Option<&'static str> {
    // A bundle that is shipped as registry+v1 already keeps its wildcards.
    if *diagnostic.rule == rules::RBAC_WILDCARD && !diagnostic.is_error() {
        return None;
    }
    if *diagnostic.rule == rules::RBAC_WILDCARD && !wildcards::is_expandable(diagnostic) {
        return Some(KEEP_WILDCARDS);
    }
    command(diagnostic.rule)
}

fn command(rule: &Rule) -> Option<&'static str> {
    let commands: [(&Rule, &str); 26] = [
        (
            &rules::TREE_LIMIT,
            "Use --max-files, --max-file-size or --max-total-size to raise the limit.",
        ),
        (&rules::TEXT_TOO_LARGE, "Use --max-file-size to raise the limit."),
        (&rules::YAML_TOO_DEEP, "--max-depth can raise the limit to at most 127."),
        (
            &rules::YAML_TOO_MANY_DOCUMENTS,
            "Use --max-documents to raise the limit.",
        ),
        (&rules::YAML_TOO_MANY_VALUES, "Use --max-values to raise the limit."),
        (
            &rules::RBAC_KIND_UNKNOWN,
            "Or let --api-source look up the kind in an index, a folder of CRDs or the output of `kubectl \
             api-resources`.\nIf the operator works without the resource, grant access in a separate binding that has \
             the annotation\noperators.operatorframework.io.bundle.dependency: optional.",
        ),
        (
            &rules::RELATED_IMAGE_MISSING,
            "`opmx bundle build --related-images` adds the image to the bundle image.",
        ),
        (
            &rules::RBAC_WILDCARD,
            "With --expand-wildcards, `opmx bundle init`, `update` and `build` list the bundle's own resources; `opmx \
             bundle build --media-type registry+v1` keeps wildcards.",
        ),
        (
            &rules::RBAC_CLUSTER_ADMIN,
            "If the operator requires all permissions, use `opmx bundle build --media-type registry+v1`.",
        ),
        (
            &rules::BUNDLE_INLINE_SIZE,
            "`opmx bundle build --media-type registry+v1` builds that image from plain manifests.",
        ),
        (
            &rules::INDEX_PACKAGE_MISSING,
            "`opmx index check --fix` adds a package that has only one channel.",
        ),
        (
            &rules::INDEX_CHANNEL_MISSING,
            "`opmx index check --fix` adds a channel in which only one bundle can be the head.",
        ),
        (
            &rules::INDEX_CHANNEL_HEAD,
            "`opmx index check --fix` sets the head if only one bundle of the channel can be the head, and removes a \
             channel without bundles that is not the default channel.",
        ),
        (&rules::OLM_UNPINNED_REFERENCES, PIN),
        (&rules::OLM_UNPINNED_RELATED_IMAGES, PIN),
        (&rules::INDEX_MANIFESTS_JSON, OVERWRITE),
        (&rules::INDEX_BUNDLE_CONTENT, OVERWRITE),
        (&rules::INDEX_PROPERTY_JSON, OVERWRITE),
        (
            &rules::INDEX_DEFAULT_CHANNEL,
            "`opmx index check --fix` makes the only channel of a package its default.",
        ),
        (
            &rules::INDEX_BUNDLE_UNLISTED,
            "`opmx index check --fix` sets the bundlepath of a bundle whose manifests are in the index.",
        ),
        (
            &rules::INDEX_BUNDLE_UNREACHABLE,
            "`opmx index check --fix` removes a bundle that is not in any channel.",
        ),
        (&rules::INDEX_NAME_BYTES, "`opmx index check --fix` does this."),
        (&rules::INDEX_ORPHAN_ROW, "`opmx index check --fix` does this."),
        (&rules::INDEX_ROW_OWNER, "`opmx index check --fix` does this."),
        (&rules::INDEX_API_UNUSED, "`opmx index check --fix` does this."),
        (
            &rules::CLUSTER_MEDIA_TYPE,
            "`opmx bundle convert BUNDLE OUT --to registry+v1` converts the bundle. `opmx index add` without \
             --by-reference stores the ClusterServiceVersion; with --allow-media-types registry+v1, it refuses all \
             other media types.",
        ),
    ];
    let found = commands.into_iter().find(|(of, _)| *of == rule);
    found.map(|(_, command)| command)
}
