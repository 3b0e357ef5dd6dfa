//! `catalog rm`, `truncate`, `deprecate` and `channel`: changes of a file-based catalog.

use crate::bundles::{CATALOG, fail, miss, outcome_of, succeed};
use crate::common::Sandbox;
use std::fs;

fn catalog() -> Sandbox {
    let sandbox = Sandbox::new();
    fs::create_dir(sandbox.path("catalog")).unwrap();
    fs::write(sandbox.path("catalog/rake.yaml"), CATALOG).unwrap();
    sandbox
}

fn text(sandbox: &Sandbox) -> String {
    fs::read_to_string(sandbox.path("catalog/rake.yaml")).unwrap()
}

#[test]
fn a_bundle_goes_and_its_channel_is_mended() {
    let sandbox = catalog();
    let before = text(&sandbox);
    insta::assert_snapshot!(outcome_of(&sandbox, "catalog rm catalog rake@1.1.0 --dry-run"), @"
    --- a/catalog/rake.yaml
    +++ b/catalog/rake.yaml
    @@ -9,10 +9,9 @@
     name: stable   # for everybody
     entries:
       - name: rake.v1.2.0
    -    replaces: rake.v1.1.0
    -  # a bad one
    -  - name: rake.v1.1.0
    -    replaces: rake.v1.0.0 # the first
    +    replaces: rake.v1.0.0
    +    skips:
    +      - rake.v1.1.0
       - name: rake.v1.0.0
     ---
     schema: olm.channel
    @@ -28,14 +27,6 @@
     properties:
     - type: olm.package
       value: {packageName: rake, version: 1.0.0}
    ----
    -schema: olm.bundle
    -package: rake
    -name: rake.v1.1.0
    -image: registry.example.com/rake:1.1.0
    -properties:
    -- type: olm.package
    -  value: {packageName: rake, version: 1.1.0}
     ---
     schema: olm.bundle
     package: rake
    ------- stderr -------
    removed bundle rake.v1.1.0
    would write catalog/rake.yaml
    ");
    assert_eq!(text(&sandbox), before);
    insta::assert_snapshot!(outcome_of(&sandbox, "catalog rm catalog rake@1.1.0"), @"
    ------- stderr -------
    removed bundle rake.v1.1.0
    wrote catalog/rake.yaml
    ");
    succeed(&sandbox, "validate catalog");
    // What ran the bundle gets to the head, as before.
    let state = "catalogs: [{name: main, source: ./catalog}]\ninstalled: [{name: rake.v1.1.0, version: 1.1.0, package: rake}]\n\
                 subscriptions: [{package: rake, channel: stable, installedCSV: rake.v1.1.0}]\n";
    fs::write(sandbox.path("state.yaml"), state).unwrap();
    insta::assert_snapshot!(outcome_of(&sandbox, "resolve --state state.yaml"), @"
    BUNDLE       PACKAGE  CHANNEL  CATALOG         REPLACES
    rake.v1.2.0  rake     stable   operators/main  rake.v1.1.0
    ");
    insta::assert_snapshot!(miss(&sandbox, "catalog rm catalog rake@1.1.0"), @r#"
    ------- stderr -------
    error: package "rake" has no bundle "1.1.0"
    ------- exit 4 -------
    "#);
}

#[test]
fn a_head_that_goes_is_told_of() {
    let sandbox = catalog();
    insta::assert_snapshot!(outcome_of(&sandbox, "catalog rm catalog rake:stable@rake.v1.2.0"), @"
    ------- stderr -------
    warning: clusters that run rake.v1.2.0 from channel stable of package rake stay there: nothing in the channel leads on
    wrote catalog/rake.yaml
    ");
    insta::assert_snapshot!(fail(&sandbox, "catalog rm catalog rake:stable"), @r#"
    ------- stderr -------
    error: channel "stable" is the default channel of package "rake", and would go
      hint: name another one with --default-channel: test
    ------- exit 1 -------
    "#);
    insta::assert_snapshot!(outcome_of(&sandbox, "catalog rm catalog rake:stable --default-channel test"), @"
    ------- stderr -------
    removed channel stable of package rake
    removed bundle rake.v1.0.0
    removed bundle rake.v1.1.0
    wrote catalog/rake.yaml
    ");
    insta::assert_snapshot!(outcome_of(&sandbox, "catalog rm catalog rake"), @"
    ------- stderr -------
    removed channel test of package rake
    removed bundle rake.v1.2.0
    removed catalog/rake.yaml
    ");
    assert!(!sandbox.path("catalog/rake.yaml").exists());
}

#[test]
fn old_versions_go() {
    let sandbox = catalog();
    insta::assert_snapshot!(outcome_of(&sandbox, "catalog truncate catalog rake --below 1.2.0"), @"
    ------- stderr -------
    removed bundle rake.v1.0.0
    removed bundle rake.v1.1.0
    wrote catalog/rake.yaml
    ");
    insta::assert_snapshot!(text(&sandbox), @"
    # The garden's tools.
    ---
    schema: olm.package   # the rake
    name: rake
    defaultChannel: stable
    ---
    schema: olm.channel
    package: rake
    name: stable   # for everybody
    entries:
      - name: rake.v1.2.0
        skips:
          - rake.v1.1.0
          - rake.v1.0.0
    ---
    schema: olm.channel
    package: rake
    name: test
    entries:
      - name: rake.v1.2.0
    ---
    schema: olm.bundle
    package: rake
    name: rake.v1.2.0
    image: registry.example.com/rake:1.2.0
    properties:
    - type: olm.package
      value: {packageName: rake, version: 1.2.0}
    ");
    insta::assert_snapshot!(fail(&sandbox, "catalog truncate catalog rake --below 2.0.0"), @r#"
    ------- stderr -------
    error: no channel of package "rake" would be left
      hint: name the package alone to take it out
    ------- exit 1 -------
    "#);
}

#[test]
fn deprecations_come_and_go() {
    let sandbox = catalog();
    let before = text(&sandbox);
    for target in ["rake", "rake:test", "rake@1.0.0"] {
        let arguments = ["catalog", "deprecate", "catalog", target, "-m", "Use the hoe."];
        assert_eq!(sandbox.run(arguments).status, Some(0));
        let again = sandbox.run(arguments);
        assert!(again.stderr.contains("nothing changes"), "{again}");
    }
    insta::assert_snapshot!(text(&sandbox).strip_prefix(&before).unwrap(), @"
    ---
    schema: olm.deprecations
    package: rake
    entries:
    - reference:
        schema: olm.package
      message: Use the hoe.
    - reference:
        schema: olm.channel
        name: test
      message: Use the hoe.
    - reference:
        schema: olm.bundle
        name: rake.v1.0.0
      message: Use the hoe.
    ");
    for target in ["rake@rake.v1.0.0", "rake:test", "rake"] {
        succeed(&sandbox, &format!("catalog undeprecate catalog {target}"));
    }
    assert_eq!(text(&sandbox), before);
    insta::assert_snapshot!(outcome_of(&sandbox, "catalog undeprecate catalog rake"), @"
    ------- stderr -------
    warning: rake was not deprecated
    nothing changes in catalog
    ");
    insta::assert_snapshot!(miss(&sandbox, "catalog deprecate catalog raek -m x"), @r#"
    ------- stderr -------
    error: catalog has no package "raek"
      hint: there is "rake"
    ------- exit 4 -------
    "#);
    insta::assert_snapshot!(miss(&sandbox, "catalog deprecate catalog rake:stabel -m x"), @r#"
    ------- stderr -------
    error: package "rake" has no channel "stabel"
      hint: there is "stable"
    ------- exit 4 -------
    "#);
}

#[test]
fn channels_change_as_a_whole() {
    let sandbox = catalog();
    succeed(&sandbox, "catalog channel set-default catalog rake test");
    succeed(&sandbox, "catalog channel copy catalog rake stable fast");
    succeed(&sandbox, "catalog channel rename catalog rake stable slow");
    insta::assert_snapshot!(outcome_of(&sandbox, "index list channels catalog"), @"
    PACKAGE  CHANNEL  HEAD
    rake     fast     rake.v1.2.0
    rake     slow     rake.v1.2.0
    rake     test     rake.v1.2.0
    ");
    let text = text(&sandbox);
    assert!(text.contains("name: slow   # for everybody"), "{text}");
    insta::assert_snapshot!(fail(&sandbox, "catalog channel rename catalog rake slow fast"), @r#"
    ------- stderr -------
    error: package "rake" has a channel "fast" already
    ------- exit 1 -------
    "#);
    insta::assert_snapshot!(fail(&sandbox, "catalog rm catalog/rake.yaml rake"), @"
    ------- stderr -------
    error: catalog/rake.yaml is not a directory: a file-based catalog is a folder of files
    ------- exit 1 -------
    ");
}

#[test]
fn ranges_are_read_as_the_style_says() {
    let sandbox = catalog();
    let kept = |flags: &str| {
        let outcome = outcome_of(&sandbox, &format!("catalog prune catalog --dry-run {flags}"));
        outcome.stderr.matches("removed bundle").count()
    };
    assert_eq!(kept("-p rake=stable@^1.1,!=1.1.0 --range-style masterminds"), 2);
    assert_eq!(kept("-p rake=stable@~1.1 --range-style masterminds"), 2);
    let outcome = sandbox.run(["catalog", "prune", "catalog", "-p", "rake@^1.1"]);
    assert_eq!(outcome.status, Some(2), "{outcome}");
    assert!(
        outcome
            .stderr
            .contains("the versions of package rake: ^ has no meaning in OLM's ranges; write >= and < instead"),
        "{outcome}"
    );
}

#[test]
fn a_part_is_kept() {
    let sandbox = catalog();
    fs::write(sandbox.path("catalog/hoe.yaml"), text(&sandbox).replace("rake", "hoe")).unwrap();
    insta::assert_snapshot!(outcome_of(&sandbox, "catalog prune catalog -p rake=stable@>=1.1.0"), @"
    ------- stderr -------
    removed channel stable of package hoe
    removed channel test of package hoe
    removed bundle hoe.v1.0.0
    removed bundle hoe.v1.1.0
    removed bundle hoe.v1.2.0
    removed channel test of package rake
    removed bundle rake.v1.0.0
    removed catalog/hoe.yaml
    wrote catalog/rake.yaml
    ");
    insta::assert_snapshot!(outcome_of(&sandbox, "index graph catalog"), @r#"
    flowchart LR
      subgraph p0["rake"]
        subgraph c0["stable, default"]
          b0["rake.v1.2.0<br/>1.2.0, head"]
          b1["rake.v1.1.0<br/>1.1.0"]
          b2["rake.v1.0.0<br/>not in the channel"]
          b1 -->|replaces| b0
          b2 -->|replaces| b1
        end
      end
      classDef head stroke-width:4px
      class b0 head
      classDef absent stroke-dasharray:2 4
      class b2 absent
    "#);
    insta::assert_snapshot!(outcome_of(&sandbox, "catalog prune catalog -p rake=stable --from 1.1.0"), @"
    ------- stderr -------
    nothing changes in catalog
    ");
    insta::assert_snapshot!(miss(&sandbox, "catalog prune catalog -p rake=test"), @r#"
    ------- stderr -------
    error: package "rake" has no channel "test"
    ------- exit 4 -------
    "#);
    let twice = sandbox.run("catalog prune catalog -p rake=stable -p rake=test".split(' '));
    assert!(
        twice.status == Some(2) && twice.stderr.contains("named twice"),
        "{twice}"
    );
    let outcome = sandbox.run("catalog prune catalog -p rake@x".split(' '));
    assert_eq!(outcome.status, Some(2), "{outcome}");
}
