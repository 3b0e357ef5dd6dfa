//! A valid catalog, and the findings after one change.

use super::*;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use proptest::prelude::*;

const PACKAGE: &str = "schema: olm.package
name: p
defaultChannel: a
";
const CHANNEL: &str = "schema: olm.channel
package: p
name: a
entries:
- name: p.v3
  replaces: p.v1
  skips: [p.v2]
  skipRange: '>=1.0.0 <3.0.0'
- name: p.v2
  replaces: p.v1
- name: p.v1
";
const BUNDLES: &str = "schema: olm.bundle
package: p
name: p.v1
image: registry.example.com/p:1
properties:
- type: olm.package
  value: {packageName: p, version: 1.0.0}
---
schema: olm.bundle
package: p
name: p.v2
image: registry.example.com/p:2
properties:
- type: olm.package
  value: {packageName: p, version: 2.0.0}
- {type: olm.gvk, value: {group: p.example.com, kind: P, version: v1}}
relatedImages:
- {name: '', image: registry.example.com/p:2}
---
schema: olm.bundle
package: p
name: p.v3
image: registry.example.com/p:3
properties:
- {type: olm.package, value: {packageName: p, version: 3.0.0}}
";
const DEPRECATIONS: &str = "schema: olm.deprecations
package: p
entries:
- reference: {schema: olm.package}
  message: old
- reference: {schema: olm.channel, name: a}
  message: old
- reference: {schema: olm.bundle, name: p.v1}
  message: old
";
const LIFECYCLES: &str = "schema: io.openshift.operators.lifecycles.v1alpha1
package: p
versions:
- name: '1.0'
  phases:
  - {name: Full support, startDate: '2025-01-01', endDate: '2025-12-31'}
  - {name: Maintenance, startDate: '2026-01-01', endDate: '2026-06-30'}
  platformCompatibility:
  - {name: openshift, versions: ['4.19', '4.20']}
- name: '1.1'
  phases:
  - {name: Full support, startDate: '2025-06-01', endDate: '2026-05-31'}
";

/// Checks files. Returns the findings as `line rule`, and their messages.
fn look(files: &[(&str, &[u8])]) -> (Vec<String>, String) {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in files {
        fs::write(folder.path().join(name), content).unwrap();
    }
    let checked = check(folder.path(), CatalogLimits::default()).unwrap();
    let mut short = Vec::new();
    let mut long = String::new();
    for finding in &checked.findings {
        if finding.rule == &rules::CATALOG_DEPRECATION_IGNORED {
            continue;
        }
        let place = finding.place.as_ref().unwrap();
        let name = Path::new(place.source.name()).file_name().unwrap().to_string_lossy();
        let severity = if finding.is_error() { "" } else { "?" };
        short.push(format!("{name}:{} {}{severity}", place.start().line, finding.rule.id));
        long.push_str(&format!("{finding}\n  {}\n", finding.advice()));
    }
    (short, long)
}

/// Returns the valid catalog with one change in one of its files.
fn changed(file: &str, from: &str, to: &str) -> Vec<(&'static str, String)> {
    let files = [
        ("b.yaml", BUNDLES),
        ("c.yaml", CHANNEL),
        ("d.yaml", DEPRECATIONS),
        ("l.yaml", LIFECYCLES),
        ("p.yaml", PACKAGE),
    ];
    files
        .into_iter()
        .map(|(name, text)| {
            if name != file {
                return (name, text.to_owned());
            }
            assert!(text.contains(from), "{file} does not hold {from}");
            (name, text.replacen(from, to, 1))
        })
        .collect()
}

fn of(files: &[(&'static str, String)]) -> (Vec<String>, String) {
    let files: Vec<_> = files.iter().map(|(name, text)| (*name, text.as_bytes())).collect();
    look(&files)
}

#[test]
fn a_valid_catalog_has_no_findings_as_yaml_and_as_json() {
    assert_eq!(of(&changed("", "", "")), (vec![], String::new()));
    let mut json = String::new();
    for text in [PACKAGE, CHANNEL, BUNDLES, DEPRECATIONS] {
        for document in text::read("", text.as_bytes(), &Limits::default()).documents {
            json.push_str(&document.value().to_string());
        }
    }
    assert_eq!(look(&[("catalog", json.as_bytes())]), (vec![], String::new()));
}

/// Each change: the file, the old and the new text, the findings that it causes, and a string in the first message.
const MUTANTS: &[(&str, &str, &str, &[&str], &str)] = &[
    // The documents.
    (
        "p.yaml",
        "name: p",
        "name: [",
        &["b.yaml:2 catalog-package-missing", "p.yaml:3 yaml-syntax"],
        "but does not define the package",
    ),
    (
        "p.yaml",
        "schema: olm.package\n",
        "",
        &["b.yaml:2 catalog-package-missing", "p.yaml:1 catalog-schema-missing"],
        "but does not define the package",
    ),
    (
        "p.yaml",
        "defaultChannel: a",
        "defaultChannel: a\n---\nschema: olm.chanel",
        &["p.yaml:5 catalog-schema-unknown?"],
        "Did you mean \"olm.channel\"?",
    ),
    (
        "p.yaml",
        "defaultChannel: a",
        "defaultChannel: a\n---\nschema: olm.semver",
        &["p.yaml:5 catalog-schema-unknown?"],
        "is a catalog template",
    ),
    (
        "p.yaml",
        "defaultChannel: a",
        "defaultChannel: a\n---\nschema: acme.other\nx: 1",
        &[],
        "",
    ),
    (
        "p.yaml",
        "defaultChannel: a",
        "defaultChannel: a\n---\n- x",
        &["p.yaml:5 catalog-document"],
        "expected an object",
    ),
    (
        "c.yaml",
        "replaces: p.v1",
        "replace: p.v1",
        &["c.yaml:6 catalog-field-unknown?", "c.yaml:11 catalog-entry-stranded"],
        "\"p.v1\" stranded",
    ),
    (
        "p.yaml",
        "defaultChannel",
        "DefaultChannel",
        &["p.yaml:3 catalog-field-case?"],
        "opm reads as \"defaultChannel\"",
    ),
    (
        "p.yaml",
        "name: p",
        "name: p\nName: p",
        &["p.yaml:3 catalog-field-repeated"],
        "as \"name\" and as \"Name\"",
    ),
    (
        "b.yaml",
        "version: 1.0.0",
        "version: 1.0",
        &["b.yaml:7 catalog-field-type"],
        "is a number, not a string",
    ),
    // Documents without content.
    (
        "c.yaml",
        "schema",
        "# Copyright\n---\nschema",
        &["c.yaml:1 catalog-document-empty"],
        "contains only comments",
    ),
    ("c.yaml", "schema", "--- # Copyright\n# b\nschema", &[], ""),
    (
        "p.yaml",
        "defaultChannel: a\n",
        "defaultChannel: a\n---\n\n",
        &["p.yaml:5 catalog-document-empty"],
        "the document is empty",
    ),
    (
        "p.yaml",
        "defaultChannel: a\n",
        "defaultChannel: a\n---\n# b\nnull\n---\n",
        &["p.yaml:5 catalog-document-empty"],
        "contains no fields",
    ),
    // Only the wrong type is reported, not what seems to be missing because of it.
    (
        "p.yaml",
        "defaultChannel: a",
        "defaultChannel: 1.0",
        &["p.yaml:3 catalog-field-type"],
        "Quote it.",
    ),
    (
        "p.yaml",
        "name: p",
        "name: no",
        &["p.yaml:2 catalog-field-type"],
        "true or false",
    ),
    (
        "c.yaml",
        "name: a",
        "name: 1.0",
        &["c.yaml:3 catalog-field-type"],
        "Quote it.",
    ),
    (
        "c.yaml",
        "package: p",
        "package: y",
        &["c.yaml:2 catalog-field-type"],
        "true or false",
    ),
    (
        "c.yaml",
        "- name: p.v2",
        "- name: 2.0",
        &["c.yaml:9 catalog-field-type"],
        "Quote it.",
    ),
    (
        "c.yaml",
        "  replaces: p.v1\n  skips",
        "  replaces: 1.0\n  skips",
        &["c.yaml:6 catalog-field-type"],
        "Quote it.",
    ),
    (
        "b.yaml",
        "name: p.v1",
        "name: 1.0",
        &["b.yaml:3 catalog-field-type"],
        "Quote it.",
    ),
    (
        "d.yaml",
        "name: p.v1",
        "name: 1.0",
        &["d.yaml:8 catalog-field-type"],
        "Quote it.",
    ),
    // Packages.
    (
        "p.yaml",
        "name: p",
        "name: ''",
        &["b.yaml:2 catalog-package-missing", "p.yaml:2 catalog-package-nameless"],
        "",
    ),
    (
        "p.yaml",
        "name: p",
        "name: P_x",
        &[
            "b.yaml:2 catalog-package-missing",
            "p.yaml:2 catalog-package-empty",
            "p.yaml:2 catalog-package-name",
        ],
        "",
    ),
    (
        "p.yaml",
        "defaultChannel: a",
        "defaultChannel: a\n---\nschema: olm.package\nname: p\ndefaultChannel: a",
        &["p.yaml:6 catalog-package-duplicate"],
        "two documents for package \"p\"",
    ),
    (
        "p.yaml",
        "defaultChannel: a\n",
        "",
        &["p.yaml:2 catalog-default-channel"],
        "does not specify a default channel",
    ),
    (
        "p.yaml",
        "defaultChannel: a",
        "defaultChannel: zz",
        &["p.yaml:3 catalog-default-channel"],
        "it has \"a\"",
    ),
    (
        "p.yaml",
        "defaultChannel: a",
        "defaultChannel: a\n---\nschema: olm.package\nname: q\ndefaultChannel: a",
        &["p.yaml:6 catalog-package-empty"],
        "package \"q\" has no channel",
    ),
    (
        "p.yaml",
        "defaultChannel: a",
        "defaultChannel: a\nicon: {base64data: '*', mediatype: x}",
        &["p.yaml:4 catalog-package-icon"],
        "not base64",
    ),
    (
        "p.yaml",
        "defaultChannel: a",
        "defaultChannel: a\nicon: {base64data: AAAA}",
        &["p.yaml:4 catalog-package-icon?"],
        "no media type",
    ),
    // Channels.
    (
        "c.yaml",
        "name: a",
        "name: ''",
        &[
            "c.yaml:3 catalog-channel-name",
            "d.yaml:6 catalog-deprecation-reference",
            "p.yaml:3 catalog-default-channel",
        ],
        "",
    ),
    (
        "c.yaml",
        "- name: p.v1\n",
        "- name: p.v1\n---\nschema: olm.channel\npackage: p\nname: a\nentries: [{name: p.v1}]\n",
        &["c.yaml:15 catalog-channel-duplicate"],
        "two documents for channel \"a\" of package \"p\"",
    ),
    (
        "c.yaml",
        "- name: p.v1\n",
        "- name: p.v1\n---\nschema: olm.channel\npackage: q\nname: b\nentries: [{name: p.v1}]\n",
        &["c.yaml:14 catalog-package-missing", "c.yaml:16 catalog-entry-bundle"],
        "has 1 channel and 0 bundles of package \"q\"",
    ),
    (
        "c.yaml",
        "- name: p.v1\n",
        "- name: p.v1\n---\nschema: olm.channel\nname: b\nentries: [{name: p.v1}]\n",
        &["c.yaml:14 catalog-package-missing"],
        "does not specify a package",
    ),
    (
        "c.yaml",
        "- name: p.v1\n",
        "- name: p.v1\n---\nschema: olm.channel\npackage: p\nname: b\n",
        &["c.yaml:15 catalog-channel-empty"],
        "has no entries",
    ),
    (
        "c.yaml",
        "- name: p.v1\n",
        "- name: p.v1\n- name: p.v1\n",
        &["c.yaml:12 catalog-entry-duplicate"],
        "two entries for bundle \"p.v1\"",
    ),
    (
        "c.yaml",
        "- name: p.v1\n",
        "- name: p.v1\n- replaces: p.v1\n",
        &["c.yaml:12 catalog-entry-name"],
        "has no name",
    ),
    // The entry is in the first of two channels: the reference implementation reports the other one.
    (
        "c.yaml",
        "- name: p.v1\n",
        "- name: p.v1\n  replaces: p.v0\n- name: p.v0\n---\nschema: olm.channel\npackage: p\nname: b\nentries: [{name: p.v1}]\n",
        &["c.yaml:13 catalog-entry-bundle"],
        "channel \"a\" of package \"p\" has an entry for bundle \"p.v0\"",
    ),
    (
        "c.yaml",
        "skips: [p.v2]",
        "skips: ['', p.v2]",
        &["c.yaml:7 catalog-skips-empty"],
        "item 0 of skips",
    ),
    (
        "c.yaml",
        ">=1.0.0 <3.0.0",
        ">>1",
        &["c.yaml:8 catalog-skip-range"],
        "is not a range",
    ),
    (
        "c.yaml",
        "skips: [p.v2]",
        "skips: [p.v2, p.v3]",
        &["c.yaml:7 catalog-entry-skips-itself"],
        "names itself in skips",
    ),
    (
        "c.yaml",
        "skips: [p.v2]",
        "skips: []",
        &["c.yaml:5 catalog-channel-head"],
        "\"p.v3\" and \"p.v2\"",
    ),
    (
        "c.yaml",
        "- name: p.v1\n",
        "- name: p.v1\n  skips: [p.v3]\n",
        &["c.yaml:5 catalog-channel-head"],
        "p.v3 -> p.v1 -> p.v3",
    ),
    (
        "c.yaml",
        "- name: p.v1\n",
        "- name: p.v1\n  replaces: p.v1\n",
        &["c.yaml:12 catalog-entry-itself"],
        "names itself in replaces",
    ),
    (
        "c.yaml",
        "  replaces: p.v1\n",
        "",
        &["c.yaml:10 catalog-entry-stranded"],
        "\"p.v1\" stranded",
    ),
    // Bundles.
    (
        "b.yaml",
        "name: p.v1",
        "name: ''",
        &[
            "b.yaml:3 catalog-bundle-name",
            "c.yaml:11 catalog-entry-bundle",
            "d.yaml:8 catalog-deprecation-reference",
        ],
        "has no name",
    ),
    (
        "b.yaml",
        "package: p\n",
        "",
        &[
            "b.yaml:2 catalog-package-missing",
            "b.yaml:6 catalog-bundle-identity",
            "c.yaml:11 catalog-entry-bundle",
            "d.yaml:8 catalog-deprecation-reference",
        ],
        "does not specify a package",
    ),
    (
        "b.yaml",
        "name: p.v2",
        "name: p.v1",
        &["b.yaml:11 catalog-bundle-duplicate", "c.yaml:9 catalog-entry-bundle"],
        "two documents for bundle \"p.v1\"",
    ),
    (
        "c.yaml",
        "- name: p.v2\n  replaces: p.v1\n",
        "",
        &["b.yaml:11 catalog-bundle-unlisted"],
        "not in any channel",
    ),
    (
        "b.yaml",
        "image: registry.example.com/p:1\n",
        "",
        &["b.yaml:3 catalog-bundle-image"],
        "neither an image nor manifests",
    ),
    (
        "b.yaml",
        "image: registry.example.com/p:3\nproperties:\n",
        "properties:\n- {type: olm.bundle.object, value: {ref: a.yaml}}\n",
        &["b.yaml:22 catalog-bundle-image", "b.yaml:24 catalog-object-ref?"],
        "neither an image nor manifests",
    ),
    (
        "b.yaml",
        "example.com/p:1",
        "example.com/R IO",
        &["b.yaml:4 catalog-image-reference"],
        "image of bundle \"p.v1\"",
    ),
    (
        "b.yaml",
        "'', image: registry.example.com/p:2",
        "'', image: a/B",
        &["b.yaml:18 catalog-image-reference"],
        "relatedImages[0].image",
    ),
    (
        "b.yaml",
        "packageName: p, version: 1.0.0",
        "packageName: q, version: 1.0.0",
        &["b.yaml:7 catalog-bundle-identity"],
        "Set packageName to p",
    ),
    (
        "b.yaml",
        "- type: olm.package\n  value: {packageName: p, version: 1.0.0}",
        "- {type: x, value: 1}",
        &["b.yaml:6 catalog-bundle-identity"],
        "has no property olm.package",
    ),
    (
        "b.yaml",
        "type: olm.gvk, value: {group: p.example.com, kind: P, version: v1}",
        "type: olm.package, value: {packageName: p, version: 1.0.0}",
        &["b.yaml:16 catalog-bundle-identity"],
        "second property olm.package",
    ),
    (
        "b.yaml",
        "version: 1.0.0",
        "version: v1",
        &["b.yaml:7 catalog-bundle-version"],
        "not a semantic version",
    ),
    (
        "b.yaml",
        "version: 2.0.0",
        "version: 1.0.0",
        &["b.yaml:15 catalog-version-duplicate"],
        "the same version 1.0.0",
    ),
    (
        "b.yaml",
        "version: 1.0.0",
        "version: 1.0.0, release: '1'",
        &["b.yaml:3 catalog-bundle-release"],
        "not named \"p-v1.0.0-1\"",
    ),
    (
        "b.yaml",
        "version: 1.0.0",
        "version: 1.0.0+b, release: '1'",
        &["b.yaml:7 catalog-bundle-release"],
        "build metadata",
    ),
    (
        "b.yaml",
        "version: 1.0.0",
        "version: 1.0.0, release: 'a..b'",
        &["b.yaml:7 catalog-bundle-release"],
        "letters, digits and hyphens",
    ),
    (
        "b.yaml",
        "type: olm.gvk, value",
        "value",
        &["b.yaml:16 catalog-property"],
        "has no type",
    ),
    (
        "b.yaml",
        "kind: P",
        "kind: [P]",
        &["b.yaml:16 catalog-property"],
        "is a list, not a string",
    ),
    (
        "b.yaml",
        "type: olm.gvk, value: {",
        "type: olm.package.required, value: {packageName: q, versionRange: '?', ",
        &["b.yaml:16 catalog-property?"],
        "not a range",
    ),
    (
        "b.yaml",
        "type: olm.gvk, value: {",
        "type: olm.bundle.object, value: {data: '*', ",
        &["b.yaml:16 catalog-object"],
        "not base64",
    ),
    (
        "b.yaml",
        "type: olm.gvk, value: {",
        "type: olm.bundle.object, value: {data: e30=, ",
        &["b.yaml:16 catalog-object-content?"],
        "has no kind",
    ),
    (
        "b.yaml",
        "type: olm.gvk, value: {",
        "type: olm.bundle.object, value: {data: ezp7, ",
        &["b.yaml:16 catalog-object"],
        "neither JSON nor YAML",
    ),
    (
        "b.yaml",
        "type: olm.gvk, value: {",
        "type: olm.bundle.object, value: {ref: a.yaml, ",
        &["b.yaml:16 catalog-object-ref?"],
        "refers to the file",
    ),
    (
        "b.yaml",
        "- {type: olm.gvk, value: {",
        "- {type: olm.csv.metadata, value: {}}\n- {type: olm.csv.metadata, value: {",
        &["b.yaml:17 catalog-csv-metadata?"],
        "second property",
    ),
    // Deprecations.
    (
        "d.yaml",
        "package: p\n",
        "",
        &["d.yaml:1 catalog-package-missing"],
        "does not specify a package",
    ),
    (
        "d.yaml",
        "package: p\n",
        "package: pp\n",
        &["d.yaml:2 catalog-deprecation-package"],
        "has deprecations of package \"pp\"",
    ),
    (
        "d.yaml",
        "schema: olm.deprecations",
        "schema: olm.deprecations\npackage: p\n---\nschema: olm.deprecations",
        &["d.yaml:5 catalog-deprecation-package"],
        "two deprecations documents",
    ),
    (
        "d.yaml",
        "- reference: {schema: olm.package}\n  message: old\n",
        "- null\n",
        &[
            "d.yaml:4 catalog-deprecation-message",
            "d.yaml:4 catalog-deprecation-reference",
        ],
        "refers to nothing",
    ),
    (
        "c.yaml",
        "- name: p.v2\n  replaces: p.v1\n",
        "- null\n",
        &["b.yaml:11 catalog-bundle-unlisted", "c.yaml:9 catalog-entry-name"],
        "has no name",
    ),
    (
        "d.yaml",
        "{schema: olm.package}",
        "{name: p}",
        &["d.yaml:4 catalog-deprecation-reference"],
        "without a schema",
    ),
    (
        "d.yaml",
        "{schema: olm.package}",
        "{schema: olm.package, name: p}",
        &["d.yaml:4 catalog-deprecation-reference"],
        "but a reference to the package has no name",
    ),
    (
        "d.yaml",
        "{schema: olm.package}",
        "{schema: x}",
        &["d.yaml:4 catalog-deprecation-reference"],
        "cannot be deprecated",
    ),
    (
        "d.yaml",
        "name: p.v1",
        "name: zz",
        &["d.yaml:8 catalog-deprecation-reference"],
        "bundle \"zz\"",
    ),
    (
        "d.yaml",
        "name: a}",
        "name: zz}",
        &["d.yaml:6 catalog-deprecation-reference"],
        "channel \"zz\"",
    ),
    (
        "d.yaml",
        "{schema: olm.channel, name: a}",
        "{schema: olm.package}",
        &["d.yaml:6 catalog-deprecation-duplicate"],
        "refers to the same item as entry 0",
    ),
    (
        "d.yaml",
        "message: old",
        "message: ''",
        &["d.yaml:5 catalog-deprecation-message"],
        "no message",
    ),
    (
        "l.yaml",
        "package: p",
        "package: q",
        &["l.yaml:2 catalog-lifecycle-package"],
        "lifecycles of package \"q\", but does not define the package",
    ),
    (
        "l.yaml",
        "package: p\n",
        "",
        &["l.yaml:1 catalog-lifecycle-package"],
        "does not name a package",
    ),
    (
        "l.yaml",
        "versions:\n",
        "more: 1\nversions:\n",
        &["l.yaml:3 catalog-lifecycle-field"],
        "unknown field \"more\"",
    ),
    (
        "l.yaml",
        "versions:\n",
        "Versions:\n",
        &["l.yaml:3 catalog-lifecycle-field"],
        "the field \"Versions\"",
    ),
    (
        "l.yaml",
        "name: '1.1'",
        "name: 1.1",
        &["l.yaml:10 catalog-lifecycle-field"],
        "a number, not a string",
    ),
    (
        "l.yaml",
        "name: '1.1'",
        "name: '1.0'",
        &["l.yaml:10 catalog-lifecycle-version"],
        "version 1.0 twice",
    ),
    (
        "l.yaml",
        "name: '1.1'",
        "name: v1.1",
        &["l.yaml:10 catalog-lifecycle-version"],
        "is not a version: expected MAJOR.MINOR",
    ),
    (
        "l.yaml",
        "startDate: '2026-01-01'",
        "startDate: '2026-01-02'",
        &["l.yaml:7 catalog-lifecycle-phase"],
        "begins on 2026-01-02, not on 2026-01-01; the previous phase \"Full support\" ends on 2025-12-31",
    ),
    (
        "l.yaml",
        "endDate: '2026-06-30'",
        "endDate: '2026-01-01'",
        &["l.yaml:7 catalog-lifecycle-date"],
        "which is not after its start on 2026-01-01",
    ),
    (
        "l.yaml",
        "endDate: '2026-06-30'",
        "endDate: 2026-06-31",
        &["l.yaml:7 catalog-lifecycle-date"],
        "the date does not exist",
    ),
    (
        "l.yaml",
        "{name: Maintenance, ",
        "{",
        &["l.yaml:7 catalog-lifecycle-phase"],
        "has no name",
    ),
    (
        "l.yaml",
        "name: openshift",
        "name: kubernetes",
        &["l.yaml:9 catalog-lifecycle-platform?"],
        "the platform \"kubernetes\"",
    ),
    (
        "l.yaml",
        "['4.19', '4.20']",
        "[]",
        &["l.yaml:9 catalog-lifecycle-platform"],
        "has no versions",
    ),
    (
        "l.yaml",
        "['4.19', '4.20']",
        "['4.19', 4.20.1]",
        &["l.yaml:9 catalog-lifecycle-platform"],
        "is not a version",
    ),
    (
        "l.yaml",
        "  - {name: Full support, startDate: '2025-06-01', endDate: '2026-05-31'}\n",
        "",
        &["l.yaml:11 catalog-lifecycle-phase"],
        "has no phases",
    ),
    (
        "l.yaml",
        "schema: io.openshift.operators.lifecycles.v1alpha1",
        "schema: io.openshift.operators.lifecycle.v1alpha1",
        &["l.yaml:1 catalog-schema-unknown?"],
        "Did you mean \"io.openshift.operators.lifecycles.v1alpha1\"",
    ),
];

#[test]
fn every_wrong_catalog_breaks_its_rules_at_the_expected_lines() {
    let mut problems = Vec::new();
    for (file, from, to, expected, words) in MUTANTS {
        let (found, messages) = of(&changed(file, from, to));
        if found != *expected || !messages.contains(words) {
            problems.push(format!("{file}: {to}\n  {found:?}\n  {messages}"));
        }
    }
    assert!(
        problems.is_empty(),
        "{} problems:\n{}",
        problems.len(),
        problems.join("\n")
    );
}

#[test]
fn a_package_has_at_most_one_lifecycle_document_and_it_has_versions() {
    let mut files = changed("", "", "");
    files.push(("m.yaml", LIFECYCLES.to_owned()));
    let (found, messages) = of(&files);
    assert_eq!(found, ["m.yaml:2 catalog-lifecycle-package"]);
    assert!(messages.contains("two lifecycles documents"), "{messages}");
    let (head, _) = LIFECYCLES.split_once("versions").unwrap();
    for versions in ["versions: []\n", ""] {
        files.retain(|(name, _)| !matches!(*name, "l.yaml" | "m.yaml"));
        files.push(("l.yaml", format!("{head}{versions}")));
        assert_eq!(of(&files).0.len(), 1);
        assert!(of(&files).1.contains("has no versions"));
    }
}

#[test]
fn a_cycle_below_the_head_is_shown() {
    let channel = CHANNEL.replace(
        "- name: p.v1\n",
        "- name: p.v1\n  replaces: p.v0\n- name: p.v0\n  replaces: p.v1\n",
    );
    let (found, messages) = of(&changed("c.yaml", CHANNEL, &channel));
    assert_eq!(
        found,
        ["c.yaml:13 catalog-entry-bundle", "c.yaml:14 catalog-channel-cycle"]
    );
    assert!(messages.contains("p.v1 -> p.v0 -> p.v1"), "{messages}");
}

#[test]
fn the_walk_ends_at_a_skipped_bundle_and_strands_those_below() {
    let channel = "schema: olm.channel\npackage: p\nname: a\nentries:\n- {name: p.v3, skips: [p.v2]}\n- {name: p.v2, replaces: p.v1}\n- {name: p.v1}\n";
    let (found, messages) = of(&changed("c.yaml", CHANNEL, channel));
    assert_eq!(found, ["c.yaml:7 catalog-entry-stranded"], "{messages}");
}

#[test]
fn an_unreadable_file_does_not_hide_other_findings() {
    let (found, messages) = look(&[
        (
            "1",
            b"{\"schema\":\"olm.package\",\"name\":\"p\"}\n{\"schema\":\n}\n{\"schema\": 5}\n]",
        ),
        ("2", b"schema: \xff\n"),
        ("3", b"{\"schema\":\"olm.package\",\"name\":\"q\""),
        ("4", b"a: 1\na: 2\n"),
    ]);
    let expected = [
        "1:1 catalog-default-channel",
        "1:1 catalog-package-empty",
        "1:3 catalog-document",
        "1:4 catalog-field-type",
        "1:5 catalog-document",
        "2:1 text-encoding",
        "3:1 catalog-document",
        "4:1 catalog-schema-missing",
        "4:2 catalog-duplicate-key",
    ];
    assert_eq!(found, expected, "{messages}");
}

#[test]
fn items_of_a_package_are_not_missing_if_one_of_its_documents_is_unreadable() {
    let as_json = |text: &str| -> String {
        let documents = text::read("", text.as_bytes(), &Limits::default()).documents;
        documents.iter().map(|document| document.value().to_string()).collect()
    };
    let other = "schema: olm.package\nname: q\ndefaultChannel: a\n";
    let of_other = ["q.yaml:2 catalog-package-empty"];
    for (name, text, from, to) in [
        ("c.yaml", CHANNEL, "entries:\n", "entries: [\n"),
        (
            "c.yaml",
            CHANNEL,
            "package: p\nname: a",
            "package: 'p' # ours\nname: \"\u{1}\"",
        ),
        ("b.yaml", BUNDLES, "properties:\n", "properties: [\n"),
        ("p.yaml", PACKAGE, "name: p\n", "name: p\n  x: y\n"),
        ("c.json", CHANNEL, "\"entries\":[", "\"entries\":[,"),
        ("c.json", CHANNEL, ",\"package\"", " \"package\""),
        ("b.json", BUNDLES, "\"properties\":[", "\"properties\":[,"),
    ] {
        let (stem, kind) = name.split_once('.').unwrap();
        let text = if kind == "json" { as_json(text) } else { text.to_owned() };
        assert!(text.contains(from), "{text}");
        let mut files = changed("", "", "");
        files.retain(|(file, _)| !file.starts_with(stem));
        files.push((name, text.replacen(from, to, 1)));
        files.push(("q.yaml", other.to_owned()));
        let (found, messages) = of(&files);
        let (mut own, others): (Vec<_>, Vec<_>) = found.into_iter().partition(|found| found.starts_with(name));
        assert_eq!(others, of_other, "{name}: {messages}");
        own.dedup();
        assert!(own.len() == 1 && own[0].ends_with("-syntax"), "{messages}");
    }
    // The rest of this file, with two more bundles, cannot be split into documents.
    let mut files = changed("", "", "");
    files.retain(|(file, _)| *file != "b.yaml");
    files.push(("b.json", as_json(BUNDLES).replacen("}{", "{", 1)));
    files.push(("q.yaml", other.to_owned()));
    let (found, messages) = of(&files);
    assert_eq!(found, ["b.json:1 catalog-document", of_other[0]], "{messages}");
}

#[test]
fn manifests_are_counted_and_their_csv_belongs_to_the_bundle() {
    let object = |text: &str| {
        format!(
            "- {{type: olm.bundle.object, value: {{data: {}}}}}\n",
            STANDARD.encode(text)
        )
    };
    let csv = |name: &str| {
        object(&format!(
            "{{\"kind\":\"ClusterServiceVersion\",\"metadata\":{{\"name\":\"{name}\"}}}}"
        ))
    };
    let look = |objects: &str| {
        let from = "image: registry.example.com/p:1\nproperties:\n";
        of(&changed("b.yaml", from, &format!("properties:\n{objects}")))
    };
    assert_eq!(look(&csv("p.v1")).0, [""; 0]);
    assert_eq!(look(&object("kind: Service\n")).0, [""; 0]);
    assert_eq!(look(&csv("p.v0")).0, ["b.yaml:5 catalog-object-content?"]);
    assert_eq!(
        look(&(csv("p.v1") + &csv("p.v1"))).0,
        ["b.yaml:6 catalog-object-content?"]
    );
    let large = object(&format!("{{\"kind\":\"ConfigMap\",\"x\":\"{}\"}}", "y".repeat(2 << 20)));
    assert_eq!(look(&large).0, ["b.yaml:5 catalog-manifests-size?"]);
    let larger = ["b.yaml:5 catalog-manifests-size?", "b.yaml:5 catalog-message-size?"];
    assert_eq!(look(&(large.clone() + &large)).0, larger);
}

#[test]
fn a_file_can_be_a_catalog_but_not_a_missing_path() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("x.yaml");
    fs::write(&file, "").unwrap();
    let checked = check(folder.path(), CatalogLimits::default()).unwrap();
    assert!(checked.findings.is_empty());
    let error = |path: &Path| check(path, CatalogLimits::default()).unwrap_err().to_string();
    assert!(check(&file, CatalogLimits::default()).unwrap().findings.is_empty());
    assert!(error(&folder.path().join("none")).contains("none"));
    fs::write(&file, "a: 1\n---\nb: 1\n").unwrap();
    let limits = CatalogLimits {
        documents: 1,
        ..CatalogLimits::default()
    };
    let error = check(folder.path(), limits).unwrap_err();
    assert!(matches!(error, CatalogError::Limit { limit: 1, .. }), "{error}");
}

proptest! {
    #[test]
    fn any_bytes_can_be_checked(content in prop::collection::vec(any::<u8>(), 0..200)) {
        look(&[("f", &content)]);
    }

    #[test]
    fn a_catalog_with_any_value_replaced_can_be_checked(
        at in any::<prop::sample::Index>(),
        length in 0_usize..40,
        new in "[ -~\n]{0,8}",
        json in any::<bool>(),
    ) {
        let mut text = [PACKAGE, CHANNEL, BUNDLES, DEPRECATIONS].join("---\n");
        if json {
            let limits = Limits::default();
            let documents = text::read("", text.as_bytes(), &limits).documents;
            text = documents.iter().map(|document| document.value().to_string() + "\n").collect();
        }
        let start = at.index(text.len());
        let end = (start + length).min(text.len());
        text.replace_range(start..end, &new);
        look(&[("f", text.as_bytes())]);
    }

    #[test]
    fn any_graph_can_be_walked(edges in prop::collection::vec((0_u8..8, 0_u8..8, 0_u8..8), 0..8)) {
        let entry = |(name, replaces, skips): (u8, u8, u8)| format!("{{name: '{name}', replaces: '{replaces}', skips: ['{skips}']}}");
        let entries: Vec<String> = edges.into_iter().map(entry).collect();
        let text = format!("schema: olm.channel\npackage: p\nname: a\nentries: [{}]\n", entries.join(", "));
        look(&[("f", text.as_bytes())]);
    }
}
