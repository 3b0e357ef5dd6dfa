//! What to do about a finding, with the command or the flag that does it. The rules themselves do not know the command
//! line.

use crate::diagnostic::Diagnostic;
use crate::rules::{self, Rule};
use std::borrow::Cow;

/// What to do about a finding.
pub fn of(diagnostic: &Diagnostic) -> Cow<'_, str> {
    with(diagnostic.advice(), diagnostic.rule)
}

/// What to do about the findings of a rule.
pub fn of_rule(rule: &Rule) -> Cow<'static, str> {
    with(rule.help, rule)
}

fn with<'a>(help: &'a str, rule: &Rule) -> Cow<'a, str> {
    match command(rule) {
        // Behind lines to paste a sentence begins a line of its own.
        Some(command) if help.contains('\n') => Cow::Owned(format!("{help}\n{command}")),
        Some(command) => Cow::Owned(format!("{help} {command}")),
        None => Cow::Borrowed(help),
    }
}

fn command(rule: &Rule) -> Option<&'static str> {
    let commands: [(&Rule, &str); 16] = [
        (
            &rules::TREE_LIMIT,
            "Use --max-files, --max-file-size or --max-total-size to raise it.",
        ),
        (&rules::TEXT_TOO_LARGE, "Use --max-file-size to raise it."),
        (&rules::YAML_TOO_DEEP, "Use --max-depth to raise it."),
        (&rules::YAML_TOO_MANY_DOCUMENTS, "Use --max-documents to raise it."),
        (&rules::YAML_TOO_MANY_VALUES, "Use --max-values to raise it."),
        (
            &rules::RBAC_KIND_UNKNOWN,
            "`opmx bundle validate --api-source` looks it up, as do the other commands that read bundles.",
        ),
        (
            &rules::RELATED_IMAGE_MISSING,
            "`opmx bundle build --related-images` adds it to the image of the bundle.",
        ),
        (
            &rules::RBAC_WILDCARD,
            "`opmx bundle build --expand-wildcards` names the kinds of the bundle itself, and `opmx bundle build --media-type \
             registry+v1` ships a bundle whose wildcards must stay.",
        ),
        (
            &rules::RBAC_CLUSTER_ADMIN,
            "`opmx bundle build --media-type registry+v1` ships a bundle that must have such a binding.",
        ),
        (
            &rules::BUNDLE_INLINE_SIZE,
            "`opmx bundle build --media-type registry+v1` makes that image of plain manifests.",
        ),
        (
            &rules::INDEX_DEFAULT_CHANNEL,
            "`opmx index check --fix` takes the only channel of a package.",
        ),
        (
            &rules::INDEX_BUNDLE_UNREACHABLE,
            "`opmx index check --fix` removes a bundle that no channel has.",
        ),
        (&rules::INDEX_ORPHAN_ROW, "`opmx index check --fix` does this."),
        (&rules::INDEX_ROW_OWNER, "`opmx index check --fix` does this."),
        (&rules::INDEX_API_UNUSED, "`opmx index check --fix` does this."),
        (
            &rules::CLUSTER_MEDIA_TYPE,
            "`opmx bundle convert --to registry+v1` converts it, `opmx index add` without --by-reference stores the \
             ClusterServiceVersion, and `opmx index add --allow-media-types registry+v1` refuses such bundles.",
        ),
    ];
    let found = commands.into_iter().find(|(of, _)| *of == rule);
    found.map(|(_, command)| command)
}
