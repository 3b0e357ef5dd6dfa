//! `catalog add`, `rm` and other commands on catalog templates.

use crate::bundles::{fail, miss, outcome_of, rake, succeed};
use crate::common::Sandbox;
use std::fs;

const BASIC: &str = "\
schema: olm.template.basic
entries:
# What is new goes to stable.
- schema: olm.package
  name: rake
  defaultChannel: stable
";

const SEMVER: &str = "\
schema: olm.semver
generateMinorChannels: true # one for each
stable:
  bundles:
  - image: rake1
";

/// Templates, and three versions of a bundle in folders, each of which replaces the one before.
fn place() -> Sandbox {
    let sandbox = Sandbox::new();
    rake(&sandbox, "rake1", "1.0.0", None);
    rake(&sandbox, "rake2", "1.1.0", Some("rake.v1.0.0"));
    rake(&sandbox, "rake3", "1.2.0", Some("rake.v1.1.0"));
    fs::write(sandbox.path("basic.yaml"), BASIC).unwrap();
    fs::write(sandbox.path("semver.yaml"), SEMVER).unwrap();
    sandbox
}

fn text(sandbox: &Sandbox, file: &str) -> String {
    fs::read_to_string(sandbox.path(file)).unwrap()
}

#[test]
fn bundles_are_added_to_and_removed_from_a_basic_template() {
    let sandbox = place();
    insta::assert_snapshot!(outcome_of(&sandbox, "catalog add basic.yaml -b rake2,rake1 --channel stable"), @"
    ------- stderr -------
    added rake.v1.0.0 to stable
    added rake.v1.1.0 to stable
    wrote basic.yaml
    ");
    insta::assert_snapshot!(text(&sandbox, "basic.yaml"), @"
    schema: olm.template.basic
    entries:
    # What is new goes to stable.
    - schema: olm.package
      name: rake
      defaultChannel: stable
    - schema: olm.channel
      name: stable
      package: rake
      entries:
      - name: rake.v1.1.0
        replaces: rake.v1.0.0
      - name: rake.v1.0.0
    - schema: olm.bundle
      image: rake1
      name: rake.v1.0.0
    - schema: olm.bundle
      image: rake2
      name: rake.v1.1.0
    ");
    let before = text(&sandbox, "basic.yaml");
    insta::assert_snapshot!(outcome_of(&sandbox, "catalog add basic.yaml -b rake3 --mode semver --channel stable,fast"), @"
    ------- stderr -------
    added rake.v1.2.0 to stable, fast
    wrote basic.yaml
    ");
    succeed(&sandbox, "catalog channel set-default basic.yaml rake fast");
    succeed(&sandbox, "catalog channel set-default basic.yaml rake stable");
    let rendered = outcome_of(&sandbox, "alpha render-template basic.yaml").stdout;
    fs::create_dir(sandbox.path("catalog")).unwrap();
    fs::write(sandbox.path("catalog/catalog.json"), rendered).unwrap();
    succeed(&sandbox, "validate catalog");
    insta::assert_snapshot!(outcome_of(&sandbox, "catalog rm basic.yaml rake@rake.v1.2.0"), @"
    ------- stderr -------
    removed channel fast of package rake
    removed bundle rake.v1.2.0
    warning: Subscriptions to channel fast of package rake no longer receive updates
    warning: clusters that run rake.v1.2.0 from channel stable of package rake stay on this bundle because the channel has no update from it
    wrote basic.yaml
    ");
    assert_eq!(text(&sandbox, "basic.yaml"), before);
    insta::assert_snapshot!(outcome_of(&sandbox, "catalog deprecate basic.yaml rake@rake.v1.0.0 -m Old. --dry-run"), @"
    --- a/basic.yaml
    +++ b/basic.yaml
    @@ -17,3 +17,10 @@
     - schema: olm.bundle
       image: rake2
       name: rake.v1.1.0
    +- schema: olm.deprecations
    +  package: rake
    +  entries:
    +  - reference:
    +      schema: olm.bundle
    +      name: rake.v1.0.0
    +    message: Old.
    ------- stderr -------
    rake@rake.v1.0.0 would be deprecated
    would write basic.yaml
    ");
}

#[test]
fn a_basic_template_with_a_stranded_bundle_is_reported_like_a_catalog() {
    let sandbox = place();
    succeed(&sandbox, "catalog add basic.yaml -b rake1,rake2 --channel stable");
    let before = text(&sandbox, "basic.yaml");
    let add = "catalog add basic.yaml -b rake3 --replaces rake.v0.9.0 --skips rake.v1.1.0 --channel stable";
    insta::assert_snapshot!(fail(&sandbox, add), @r#"
    ------- stderr -------
    error[catalog-entry-stranded]: channel "stable" of package "rake" leaves bundle "rake.v1.0.0" stranded: no replaces chain from the head "rake.v1.2.0" leads there, and no entry skips it
      --> basic.yaml:17:11
       |
    17 |   - name: rake.v1.0.0
       |           ^^^^^^^^^^^
       |
       = note: at entries[1].entries[2].name
       = help: Did you mean "rake.v1.0.0" where "rake.v1.2.0" replaces "rake.v0.9.0"? Make an entry in the replaces chain of the head replace or skip this entry.
    note: the chain ends here: "rake.v0.9.0" is not in the channel
      --> basic.yaml:11:5
       |
    11 |   - name: rake.v1.2.0
       |     -----------------

    1 error
    error: the change would introduce errors in basic.yaml (lines are counted after the change), so nothing was written
    ------- exit 1 -------
    "#);
    assert_eq!(text(&sandbox, "basic.yaml"), before);
    // A template that already has the fault can be changed and rendered.
    let head = "  entries:\n  - name: rake.v1.2.0\n    replaces: rake.v0.9.0\n    skips: [rake.v1.1.0]\n";
    let stranded =
        before.replacen("  entries:\n", head, 1) + "- schema: olm.bundle\n  image: rake3\n  name: rake.v1.2.0\n";
    fs::write(sandbox.path("basic.yaml"), stranded).unwrap();
    let outcome = outcome_of(&sandbox, "catalog deprecate basic.yaml rake -m Old.");
    assert_eq!(outcome.status, Some(0), "{outcome}");
    assert!(outcome.stderr.contains("warning[catalog-entry-stranded]"), "{outcome}");
    let outcome = outcome_of(&sandbox, "alpha render-template basic.yaml");
    assert_eq!(outcome.status, Some(0), "{outcome}");
    assert!(outcome.stderr.contains("warning[catalog-entry-stranded]"), "{outcome}");
    let outcome = fail(&sandbox, "alpha render-template basic.yaml --strict");
    assert!(outcome.stderr.contains("error[catalog-entry-stranded]"), "{outcome}");
    assert!(outcome.stdout.is_empty(), "{outcome}");
}

#[test]
fn a_bundle_of_a_basic_template_cannot_be_specified_by_its_version() {
    let sandbox = place();
    succeed(&sandbox, "catalog add basic.yaml -b rake1 --channel stable");
    for line in [
        "catalog deprecate basic.yaml rake@1.0.0 -m Old.",
        "catalog rm basic.yaml rake@1.0.0",
    ] {
        let outcome = miss(&sandbox, line);
        assert!(
            outcome.stderr.contains("the versions of its bundles are not known"),
            "{outcome}"
        );
        assert!(outcome.stderr.contains("by its name: rake.v1.0.0"), "{outcome}");
    }
}

#[test]
fn a_missing_template_can_be_started_as_the_hint_says() {
    let sandbox = place();
    for (file, folder) in [("new/semver.yaml", "new"), ("template.json", ".")] {
        let line = format!("catalog add {file} -b rake1 --channel stable");
        let outcome = miss(&sandbox, &line);
        let (_, command) = outcome.stderr.split_once("to the file: ").unwrap();
        let (_, text) = command.split_once("echo '").unwrap();
        let (text, rest) = text.split_once('\'').unwrap();
        assert_eq!(rest.trim(), format!("> {file}"));
        assert_eq!(command.contains("mkdir -p new"), folder == "new");
        fs::create_dir_all(sandbox.path(folder)).unwrap();
        fs::write(sandbox.path(file), text).unwrap();
        succeed(&sandbox, &line);
    }
}

#[test]
fn images_are_added_to_and_removed_from_a_semver_template() {
    let sandbox = place();
    insta::assert_snapshot!(outcome_of(&sandbox, "catalog add semver.yaml -b rake3,rake2 --channel stable,fast"), @"
    ------- stderr -------
    added rake.v1.1.0 to stable, fast
    added rake.v1.2.0 to stable, fast
    wrote semver.yaml
    ");
    insta::assert_snapshot!(text(&sandbox, "semver.yaml"), @"
    schema: olm.semver
    generateMinorChannels: true # one for each
    stable:
      bundles:
      - image: rake1
      - image: rake2
      - image: rake3
    fast:
      bundles:
      - image: rake2
      - image: rake3
    ");
    insta::assert_snapshot!(outcome_of(&sandbox, "catalog rm semver.yaml fast=rake3 rake2"), @"
    ------- stderr -------
    removed rake3 from fast
    removed rake2 from fast, stable
    wrote semver.yaml
    ");
    succeed(&sandbox, "catalog rm semver.yaml rake3");
    assert_eq!(text(&sandbox, "semver.yaml"), SEMVER);
    insta::assert_snapshot!(miss(&sandbox, "catalog rm semver.yaml rake9"), @r#"
    ------- stderr -------
    error: semver.yaml: no bundle has the image "rake9"
      hint: did you mean "rake1"?
    ------- exit 4 -------
    "#);
}

#[test]
fn changes_that_a_template_does_not_support_are_rejected_with_a_hint() {
    let sandbox = place();
    insta::assert_snapshot!(fail(&sandbox, "catalog truncate basic.yaml rake --below 1.0.0"), @r#"
    ------- stderr -------
    error: basic.yaml: this change is not supported in a basic template
      hint: remove bundles by name with "opmx catalog rm", or change the catalog that the template is rendered to
    ------- exit 1 -------
    "#);
    insta::assert_snapshot!(fail(&sandbox, "catalog deprecate semver.yaml rake -m Old."), @r#"
    ------- stderr -------
    error: semver.yaml: this change is not supported in a semver template
      hint: channels follow from the image lists: change the lists with "opmx catalog add" and "opmx catalog rm", or change the catalog that the template is rendered to
    ------- exit 1 -------
    "#);
    insta::assert_snapshot!(fail(&sandbox, "catalog prune semver.yaml -p rake"), @r#"
    ------- stderr -------
    error: semver.yaml: this change is not supported in a semver template
      hint: channels follow from the image lists: change the lists with "opmx catalog add" and "opmx catalog rm", or change the catalog that the template is rendered to
    ------- exit 1 -------
    "#);
    for (line, count) in [
        ("catalog add semver.yaml -b rake2", 1),
        ("catalog add semver.yaml -b rake2 --channel fast --mode semver", 1),
    ] {
        let outcome = sandbox.run(line.split_whitespace());
        assert_eq!(
            (outcome.status, outcome.stderr.matches("is a semver template").count()),
            (Some(2), count),
            "{outcome}"
        );
    }
    insta::assert_snapshot!(fail(&sandbox, "catalog add semver.yaml -b rake2 --channel beta"), @r#"
    ------- stderr -------
    error: semver.yaml: "beta" is not one of the lists of a semver template
      hint: use one of the lists candidate, fast and stable
    ------- exit 1 -------
    "#);
    let unnamed = format!(
        "{BASIC}- schema: olm.channel\n  package: rake\n  name: stable\n  entries: [{{name: rake.v1.0.0}}]\n- schema: olm.bundle\n  image: rake1\n"
    );
    fs::write(sandbox.path("unnamed.yaml"), &unnamed).unwrap();
    succeed(&sandbox, "catalog add unnamed.yaml -b rake2 --channel stable");
    insta::assert_snapshot!(fail(&sandbox, "catalog rm unnamed.yaml rake@rake.v1.0.0"), @r#"
    ------- stderr -------
    error: unnamed.yaml: a channel lists the bundle "rake.v1.0.0", but no olm.bundle entry has this name
      hint: add "name: rake.v1.0.0" to the entry that contains the image of the bundle
    ------- exit 1 -------
    "#);
    let catalog = concat!(env!("CARGO_MANIFEST_DIR"), "/testdata/rake.yaml");
    let converted = outcome_of(&sandbox, &format!("alpha convert-template basic {catalog}")).stdout;
    fs::write(sandbox.path("converted.json"), converted).unwrap();
    insta::assert_snapshot!(fail(&sandbox, "catalog rm converted.json rake@rake.v1.0.0 rake@rake.v1.1.0"), @r#"
    ------- stderr -------
    error: converted.json: channels list the bundles "rake.v1.0.0", "rake.v1.1.0", but the olm.bundle entries have no names, so it is unclear which of them are meant
      hint: render the template with "opmx alpha render-template" and change the catalog, or add the name of each bundle to the entry that contains its image
    ------- exit 1 -------
    "#);
    fs::write(
        sandbox.path("older.yaml"),
        "schema: olm.package\nname: rake\ndefaultChannel: stable\n",
    )
    .unwrap();
    insta::assert_snapshot!(fail(&sandbox, "catalog rm older.yaml rake"), @r#"
    ------- stderr -------
    error: older.yaml is a basic template without the schema olm.template.basic, so it cannot be edited
      hint: convert the template with "opmx alpha convert-template basic"
    ------- exit 1 -------
    "#);
}

#[test]
fn a_bundle_that_would_make_a_semver_template_invalid_is_rejected() {
    let sandbox = place();
    fs::create_dir(sandbox.path("again")).unwrap();
    rake(&sandbox, "again/rake1", "1.0.0", None);
    insta::assert_snapshot!(fail(&sandbox, "catalog add semver.yaml -b again/rake1 --channel fast"), @"
    ------- stderr -------
    error: semver.yaml:5: this image contains rake.v1.0.0, and so does the image on line 8
    ------- exit 1 -------
    ");
    assert_eq!(text(&sandbox, "semver.yaml"), SEMVER);
    crate::bundles::operator(&sandbox, "hoe1", "hoe", "1.0.0", None);
    let outcome = fail(&sandbox, "catalog add semver.yaml -b hoe1 --channel stable");
    assert!(outcome.stderr.contains("hoe.v1.0.0"), "{outcome}");
    assert_eq!(text(&sandbox, "semver.yaml"), SEMVER);
    let outcome = outcome_of(&sandbox, "catalog add semver.yaml -b rake1 --channel stable");
    assert!(outcome.stderr.contains("no changes in semver.yaml"), "{outcome}");
}
