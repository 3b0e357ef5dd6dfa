//! `index add`, `rm`, `prune` and `deprecatetruncate` on a file-based catalog, which stays a catalog.

use crate::bundles::{fail, garden, outcome_of, rake, small_base, succeed};
use crate::common::Sandbox;
use opmx::image::{Platform, extract_folder, read_layout};
use std::fs;

const CATALOG: &str = r"# Kept by hand.
schema: olm.package
name: rake
defaultChannel: stable
properties:
- type: example.com/owner   # a field that no database has
  value: garden
---
schema: olm.channel
package: rake
name: stable
entries:
# the first one
- name: rake.v1.0.0
---
schema: olm.bundle
package: rake
name: rake.v1.0.0
image: registry.example.com/rake:1.0.0
properties:
- type: olm.package
  value: {packageName: rake, version: 1.0.0}
---
schema: olm.deprecations
package: rake
entries:
- reference: {schema: olm.bundle, name: rake.v1.0.0}
  message: has a bug
---
schema: example.com/note
package: rake
text: hello
";

/// Catalogs of rake and hoe, and a folder with the next bundle of rake.
fn catalogs() -> Sandbox {
    let sandbox = garden();
    small_base(&sandbox);
    fs::create_dir(sandbox.path("catalog")).unwrap();
    fs::write(sandbox.path("catalog/rake.yaml"), CATALOG).unwrap();
    fs::write(sandbox.path("catalog/hoe.yaml"), CATALOG.replace("rake", "hoe")).unwrap();
    rake(&sandbox, "next", "1.1.0", Some("rake.v1.0.0"));
    sandbox
}

/// The files of the catalog in an image, with their names.
fn files(sandbox: &Sandbox, layout: &str) -> Vec<(String, String)> {
    let image = read_layout(&sandbox.path(layout), Some("v1"), &Platform::default()).unwrap();
    let folder = sandbox.path(format!("{layout}-files"));
    fs::create_dir(&folder).unwrap();
    extract_folder(&image, "/configs", &folder, 1 << 20).unwrap();
    let mut files: Vec<(String, String)> = fs::read_dir(&folder)
        .unwrap()
        .map(|file| file.unwrap())
        .map(|file| {
            (
                file.file_name().into_string().unwrap(),
                fs::read_to_string(file.path()).unwrap(),
            )
        })
        .collect();
    files.sort();
    files
}

#[test]
fn a_document_that_cannot_be_edited_is_reported_with_its_catalog() {
    let sandbox = catalogs();
    let file = sandbox.path("catalog/rake.yaml");
    fs::write(&file, CATALOG.replace("- name: rake.v1.0.0", "- Name: rake.v1.0.0")).unwrap();
    succeed(&sandbox, "catalog build catalog -t oci:built:v1 -q");
    for (from, shown) in [
        ("catalog", "catalog/rake.yaml:"),
        ("oci:built:v1", "oci:built:v1: /configs/rake.yaml:"),
    ] {
        let refused = fail(&sandbox, &format!("index add -f {from} -b next -t oci:out:v1"));
        let message = "the field \"entries[0].Name\" must be renamed";
        assert!(
            refused.stderr.contains(&format!("error: {shown}")) && refused.stderr.contains(message),
            "{refused}"
        );
    }
}

#[test]
fn adding_a_bundle_to_a_catalog_keeps_everything_else() {
    let sandbox = catalogs();
    let added = outcome_of(
        &sandbox,
        "index add -b next --record-as registry.example.com/rake:1.1.0 -f catalog -t oci:new:v1 -i oci:base:v1",
    );
    assert_eq!(
        added.stderr, "added rake.v1.1.0 to package rake (stable)\n",
        "nothing is lost"
    );
    let files = files(&sandbox, "new");
    assert_eq!(files[0], ("hoe.yaml".to_owned(), CATALOG.replace("rake", "hoe")));
    let rake = &files[1].1;
    let (before, entries) = CATALOG.split_once("# the first one\n").unwrap();
    let first = "# the first one\n- name: rake.v1.0.0\n---\n";
    assert!(
        rake.starts_with(&format!(
            "{before}- name: rake.v1.1.0\n  replaces: rake.v1.0.0\n{first}"
        )),
        "{rake}"
    );
    let (_, old) = entries.split_once("schema: olm.bundle").unwrap();
    let (bundle, rest) = old.split_once("---\nschema: olm.deprecations").unwrap();
    assert!(rake.contains(bundle) && rake.ends_with(rest), "{rake}");
    assert!(
        rake.contains("name: rake.v1.1.0\n") && rake.contains("olm.csv.metadata"),
        "{rake}"
    );
    assert_eq!(fs::read_to_string(sandbox.path("catalog/rake.yaml")).unwrap(), CATALOG);

    // The image is an index to begin with like any other, and the same change has the same digest.
    let again = outcome_of(
        &sandbox,
        "index add -b next --record-as registry.example.com/rake:1.1.0 -f catalog -t oci:again:v1 -i oci:base:v1",
    );
    let digest = |stdout: &str| stdout.trim().split_once('@').unwrap().1.to_owned();
    assert_eq!(digest(&again.stdout), digest(&added.stdout));
    succeed(
        &sandbox,
        "index rm -q -o hoe -f oci:new:v1 -t oci:less:v1 -i oci:base:v1",
    );
    let less = self::files(&sandbox, "less");
    assert_eq!(less, files[1..]);
    succeed(&sandbox, "index check oci:less:v1");
}

#[test]
fn removing_the_last_package_leaves_an_empty_index_that_every_command_reads() {
    let sandbox = catalogs();
    for (to, base) in [("oci:empty:v1", ""), ("oci:on-base:v1", "-i oci:base:v1")] {
        succeed(&sandbox, &format!("index rm -q -o hoe,rake -f catalog -t {to} {base}"));
        for line in [
            format!("serve {to} --cache-only"),
            format!("render {to}"),
            format!("index list packages {to}"),
            format!("index check {to}"),
            format!("index add -q -b compost -f {to} -t oci:more:v1 {base}"),
        ] {
            succeed(&sandbox, &line);
        }
        let listed = outcome_of(&sandbox, "index list packages oci:more:v1");
        assert!(listed.stdout.contains("compost-operator"), "{listed}");
    }
}

/// A catalog whose channels `old` and `short` do not list the bundle that their lowest entry replaces.
const SHORT: &str = r"schema: olm.package
name: rake
defaultChannel: stable
---
schema: olm.channel
package: rake
name: stable
entries:
- name: rake.v1.2.0
  replaces: rake.v1.1.0
- name: rake.v1.1.0
  replaces: rake.v1.0.0
- name: rake.v1.0.0
---
schema: olm.channel
package: rake
name: short
entries:
- {name: rake.v1.2.0, replaces: rake.v1.1.0}
---
schema: olm.channel
package: rake
name: old
entries:
- {name: rake.v1.1.0, replaces: rake.v1.0.0}
";

fn with_short_channels() -> Sandbox {
    let sandbox = catalogs();
    let bundle = |version: &str| {
        format!(
            "---\nschema: olm.bundle\npackage: rake\nname: rake.v{version}\n\
             image: registry.example.com/rake:{version}\nproperties:\n- type: olm.package\n  \
             value: {{packageName: rake, version: {version}}}\n"
        )
    };
    let text = SHORT.to_owned() + &["1.0.0", "1.1.0", "1.2.0"].map(bundle).concat();
    fs::create_dir(sandbox.path("garden")).unwrap();
    fs::write(sandbox.path("garden/rake.yaml"), text).unwrap();
    rake(&sandbox, "last", "1.3.0", Some("rake.v1.2.0"));
    sandbox
}

#[test]
fn channels_without_the_new_bundle_keep_their_entries() {
    let sandbox = with_short_channels();
    for mode in ["replaces", "semver", "semver-skippatch"] {
        let line = format!("index add -b last -f garden --mode {mode} -i oci:base:v1");
        succeed(&sandbox, &format!("{line} -t oci:{mode}:v1"));
        insta::allow_duplicates! {
            insta::assert_snapshot!(outcome_of(&sandbox, &format!("index diff garden oci:{mode}:v1")), @"
            ~ package rake
              ~ channel stable: head rake.v1.2.0 -> rake.v1.3.0
                + rake.v1.3.0, replaces rake.v1.2.0
            + bundle rake.v1.3.0 of package rake, version 1.3.0
            ");
        }
        let dry = outcome_of(&sandbox, &format!("{line} --dry-run"));
        assert!(!dry.stderr.contains("not kept"), "{dry}");
    }
}

#[test]
fn a_bundle_that_does_not_continue_a_channel_is_refused_and_removes_nothing() {
    let sandbox = with_short_channels();
    rake(&sandbox, "apart", "1.3.0", None);
    rake(&sandbox, "beside", "1.3.0", Some("rake.v1.1.0"));
    for (bundle, why) in [
        ("apart", "it replaces nothing"),
        ("beside", "it replaces rake.v1.1.0, which is not the head"),
    ] {
        let line = format!("index add -b {bundle} -f garden -t oci:new:v1 -i oci:base:v1");
        let refused = fail(&sandbox, &line);
        let head =
            "bundle rake.v1.3.0 would be a second head of channel \"stable\" of package \"rake\" beside rake.v1.2.0";
        assert!(refused.stderr.contains(&format!("{head}: {why}\n")), "{refused}");
        assert!(!sandbox.path("new").exists());
        // The commands that add to a catalog agree.
        let same = fail(&sandbox, &format!("catalog add garden -b {bundle}"));
        assert_eq!(same.stderr, refused.stderr);
    }
}

#[test]
fn a_lower_version_is_placed_in_a_channel_whose_head_skips_bundles() {
    let sandbox = with_short_channels();
    let file = sandbox.path("garden/rake.yaml");
    let text = fs::read_to_string(&file).unwrap();
    let skipping = text.replacen(
        "- name: rake.v1.2.0\n  replaces: rake.v1.1.0\n",
        "- name: rake.v1.2.0\n  replaces: rake.v1.0.0\n  skips: [rake.v1.1.0]\n",
        1,
    );
    assert_ne!(skipping, text);
    fs::write(&file, skipping).unwrap();
    succeed(&sandbox, "validate garden");
    rake(&sandbox, "backport", "1.0.1", None);
    succeed(
        &sandbox,
        "index add -q -b backport -f garden --mode semver -t oci:new:v1 -i oci:base:v1",
    );
    insta::assert_snapshot!(outcome_of(&sandbox, "index diff garden oci:new:v1"), @"
    ~ package rake
      ~ channel stable
        + rake.v1.0.1, replaces rake.v1.0.0
        ~ rake.v1.1.0, replaces rake.v1.0.0 -> rake.v1.0.1
        ~ rake.v1.2.0, replaces rake.v1.0.0 -> rake.v1.0.1
    + bundle rake.v1.0.1 of package rake, version 1.0.1
    ");
    succeed(&sandbox, "catalog add garden -q -b backport --mode semver");
    succeed(&sandbox, "index diff garden oci:new:v1 --exit-code");
}

#[test]
fn a_bundle_left_in_no_channel_is_removed_from_a_catalog() {
    let sandbox = with_short_channels();
    succeed(&sandbox, "index add -q -b last -f garden -t oci:new:v1 -i oci:base:v1");
    let line = "index deprecatetruncate -b rake.v1.2.0 -f oci:new:v1 -t oci:cut:v1 -i oci:base:v1";
    for line in [line.to_owned(), line.replace("-t oci:cut:v1", "--dry-run")] {
        let cut = outcome_of(&sandbox, &line);
        let removed = "removed bundle rake.v1.0.0, which no channel of the catalog lists anymore\n";
        assert!(cut.stderr.contains(removed), "{cut}");
    }
    insta::assert_snapshot!(outcome_of(&sandbox, "index diff oci:new:v1 oci:cut:v1"), @"
    ~ package rake
      - channel short: head no longer rake.v1.2.0
        - rake.v1.2.0, replaces no longer rake.v1.1.0
      ~ channel stable
        - rake.v1.0.0
        - rake.v1.1.0, replaces no longer rake.v1.0.0
        ~ rake.v1.2.0, replaces no longer rake.v1.1.0
    - bundle rake.v1.0.0 of package rake, version no longer 1.0.0, image no longer registry.example.com/rake:1.0.0
    + deprecation of bundle rake.v1.2.0 of package rake
      + rake.v1.2.0 is deprecated. Upgrade to a newer version.
    ");
}

#[test]
fn bundles_skipped_by_the_head_of_a_catalog_are_removed_by_name() {
    let sandbox = with_short_channels();
    let file = sandbox.path("garden/rake.yaml");
    let text = fs::read_to_string(&file).unwrap();
    let (package, rest) = text.split_once("---").unwrap();
    let bundles = &rest[rest.find("---\nschema: olm.bundle").unwrap()..];
    let skipping = "---\nschema: olm.channel\npackage: rake\nname: stable\nentries:\n\
        - {name: rake.v1.2.0, replaces: rake.v1.1.0, skips: [rake.v1.0.0]}\n\
        - {name: rake.v1.1.0, replaces: rake.v1.0.0}\n- name: rake.v1.0.0\n";
    fs::write(file, format!("{package}{skipping}{bundles}")).unwrap();
    for to in ["-t oci:cut:v1 -i oci:base:v1", "--dry-run"] {
        let cut = outcome_of(
            &sandbox,
            &format!("index deprecatetruncate -b rake.v1.1.0 -f garden {to}"),
        );
        assert!(cut.stderr.contains("deprecated bundle rake.v1.1.0\n"), "{cut}");
        assert!(cut.stderr.contains("removed bundle rake.v1.0.0"), "{cut}");
    }
    let listed = outcome_of(&sandbox, "index list bundles oci:cut:v1").stdout;
    assert!(
        listed.contains("rake.v1.1.0") && !listed.contains("rake.v1.0.0"),
        "{listed}"
    );
}

#[test]
fn packages_are_removed_from_a_catalog_and_versions_truncated() {
    let sandbox = catalogs();
    rake(&sandbox, "last", "1.2.0", Some("rake.v1.1.0"));
    let add = "index add -q --mode replaces -b next,last -f catalog -t oci:new:v1 -i oci:base:v1";
    succeed(&sandbox, add);
    let cut = "index deprecatetruncate -b rake.v1.1.0 -f oci:new:v1 -t oci:cut:v1 -i oci:base:v1";
    let cut = outcome_of(&sandbox, cut);
    assert_eq!(
        cut.stderr,
        "deprecated bundle rake.v1.1.0\nremoved bundle rake.v1.0.0\n"
    );
    let listed = outcome_of(&sandbox, "index list bundles oci:cut:v1 -p rake").stdout;
    assert!(
        listed.contains("rake.v1.2.0") && listed.contains("rake.v1.1.0") && !listed.contains("rake.v1.0.0"),
        "{listed}"
    );
    let rake = &files(&sandbox, "cut")[1].1;
    assert!(
        rake.contains("- name: rake.v1.2.0\n  replaces: rake.v1.1.0\n- name: rake.v1.1.0\n---\n"),
        "the deprecated bundle is the lowest: {rake}"
    );
    assert_eq!(
        rake.matches("    name: rake.").collect::<Vec<_>>().len(),
        1,
        "the deprecation of the removed bundle is gone: {rake}"
    );
    let message = "message: rake.v1.1.0 is deprecated. Upgrade to a newer version.";
    assert!(rake.contains(message), "{rake}");
    succeed(&sandbox, "validate cut-files");
    assert!(rake.contains("text: hello"), "{rake}");

    succeed(
        &sandbox,
        "index prune -q -p hoe -f oci:cut:v1 -t oci:hoe:v1 -i oci:base:v1",
    );
    let hoe = files(&sandbox, "hoe");
    assert_eq!(hoe, [("hoe.yaml".to_owned(), CATALOG.replace("rake", "hoe"))]);
}

#[test]
fn a_catalog_is_converted_to_a_database_on_request() {
    let sandbox = catalogs();
    let added = outcome_of(
        &sandbox,
        "index add -b next -f catalog --to database -t oci:new:v1 -i oci:base:v1",
    );
    assert!(added.stderr.contains("warning: not kept:"), "{added}");
    let image = read_layout(&sandbox.path("new"), Some("v1"), &Platform::default()).unwrap();
    assert!(
        image
            .label("operators.operatorframework.io.index.database.v1")
            .is_some()
    );
}

#[test]
fn a_change_that_a_catalog_cannot_represent_writes_nothing() {
    let sandbox = catalogs();
    let text = CATALOG.replace("entries:\n# the first one\n", "entries: &all\n");
    let text = text.replace(
        "---\nschema: olm.deprecations",
        "x: *all\n---\nschema: olm.deprecations",
    );
    let text = text.replace("---\nschema: olm.bundle", "other: *all\n---\nschema: olm.bundle");
    fs::write(sandbox.path("catalog/rake.yaml"), text.replacen("x: *all\n", "", 1)).unwrap();
    let refused = fail(&sandbox, "index add -b next -f catalog -t oci:new:v1 -i oci:base:v1");
    assert!(refused.stderr.contains("rake.yaml"), "{refused}");
    assert!(!sandbox.path("new").exists());
}

/// A published bundle whose skipRange is not a range.
fn skipping(sandbox: &Sandbox) {
    rake(sandbox, "skipping", "1.1.0", Some("rake.v1.0.0"));
    let csv = sandbox.path("skipping/manifests/operator.clusterserviceversion.yaml");
    let text = fs::read_to_string(&csv).unwrap();
    let text = text.replace(
        "  name: rake.v1.1.0\n",
        "  name: rake.v1.1.0\n  annotations: {olm.skipRange: 'x'}\n",
    );
    fs::write(&csv, text).unwrap();
}

#[test]
fn an_error_that_a_database_tolerates_is_tolerated_in_a_catalog() {
    let sandbox = catalogs();
    skipping(&sandbox);
    for line in [
        "index add -b skipping -f catalog -t oci:new:v1 -i oci:base:v1",
        "catalog add catalog -b skipping",
    ] {
        let added = sandbox.run(line.split(' '));
        assert_eq!(added.status, Some(0), "{added}");
        assert_eq!(added.stderr.matches("warning[csv-skip-range]").count(), 1, "{added}");
        assert!(!added.stderr.contains("[catalog-skip-range]"), "{added}");
    }
    let strict = fail(&sandbox, "catalog add catalog -b skipping --strict");
    assert!(strict.stderr.contains("error[csv-skip-range]"), "{strict}");
    succeed(&sandbox, "validate catalog");
}

#[test]
fn a_duplicate_version_is_a_warning_in_a_catalog() {
    let sandbox = catalogs();
    rake(&sandbox, "again", "1.0.1", Some("rake.v1.0.0"));
    let csv = sandbox.path("again/manifests/operator.clusterserviceversion.yaml");
    let text = fs::read_to_string(&csv).unwrap();
    fs::write(&csv, text.replace("version: 1.0.1", "version: 1.0.0")).unwrap();
    rake(&sandbox, "next", "1.1.0", Some("rake.v1.0.1"));
    succeed(
        &sandbox,
        "index add -b again,next -f catalog -t oci:new:v1 -i oci:base:v1",
    );
    let added = sandbox.run("catalog add catalog -b again,next".split(' '));
    assert_eq!(added.status, Some(0), "{added}");
    assert!(added.stderr.contains("warning[catalog-version-duplicate]"), "{added}");
}

#[test]
fn generate_rejects_a_catalog_as_output() {
    let sandbox = catalogs();
    let line = "index add -b next -f catalog --generate --to catalog";
    let outcome = sandbox.run(line.split(' '));
    assert_eq!(outcome.status, Some(2), "{outcome}");
    assert!(outcome.stderr.contains("--to requests a catalog"), "{outcome}");
    assert!(!sandbox.path("database").exists());
    succeed(&sandbox, &line.replace("--to catalog", "--to database"));
}
