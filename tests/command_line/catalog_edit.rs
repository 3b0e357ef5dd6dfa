//! `catalog rm`, `truncate`, `deprecate` and `channel`: changes to a file-based catalog.

use crate::bundles::{CATALOG, fail, miss, operator, outcome_of, succeed};
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
fn a_bundle_is_removed_and_its_channel_fixed() {
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
    @@ -31,14 +30,6 @@
     ---
     schema: olm.bundle
     package: rake
    -name: rake.v1.1.0
    -image: registry.example.com/rake:1.1.0
    -properties:
    -- type: olm.package
    -  value: {packageName: rake, version: 1.1.0}
    ----
    -schema: olm.bundle
    -package: rake
     name: rake.v1.2.0
     image: registry.example.com/rake:1.2.0
     properties:
    ------- stderr -------
    would remove bundle rake.v1.1.0
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
fn the_removal_of_a_head_is_reported() {
    let sandbox = catalog();
    insta::assert_snapshot!(outcome_of(&sandbox, "catalog rm catalog rake:stable@rake.v1.2.0"), @"
    ------- stderr -------
    warning: clusters that run rake.v1.2.0 from channel stable of package rake stay on this bundle because the channel has no update from it
    wrote catalog/rake.yaml
    ");
    insta::assert_snapshot!(fail(&sandbox, "catalog rm catalog rake:stable"), @r#"
    ------- stderr -------
    error: channel "stable" is the default channel of package "rake" and would be removed
      hint: specify another channel with --default-channel; available channels: test
    ------- exit 1 -------
    "#);
    insta::assert_snapshot!(outcome_of(&sandbox, "catalog rm catalog rake:stable --default-channel test"), @"
    ------- stderr -------
    removed channel stable of package rake
    removed bundle rake.v1.0.0
    removed bundle rake.v1.1.0
    warning: Subscriptions to channel stable of package rake no longer receive updates
    wrote catalog/rake.yaml
    ");
    insta::assert_snapshot!(outcome_of(&sandbox, "catalog rm catalog rake"), @"
    ------- stderr -------
    removed package rake with 1 channel and 1 bundle
    removed catalog/rake.yaml
    ");
    assert!(!sandbox.path("catalog/rake.yaml").exists());
}

#[test]
fn truncation_removes_old_versions() {
    let sandbox = catalog();
    insta::assert_snapshot!(outcome_of(&sandbox, "catalog truncate catalog rake --below 1.2.0"), @"
    ------- stderr -------
    removed bundle rake.v1.0.0
    removed bundle rake.v1.1.0
    wrote catalog/rake.yaml
    ");
    insta::assert_snapshot!(text(&sandbox), @"
    ---
    # The garden's tools.
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
    error: no channel of package "rake" would remain
      hint: to remove the whole package, use "opmx catalog rm" with the name "rake" alone
    ------- exit 1 -------
    "#);
}

#[test]
fn an_empty_default_channel_name_is_rejected() {
    let sandbox = catalog();
    for line in [
        "truncate catalog rake --below 1.1.0",
        "rm catalog rake:test",
        "prune catalog -p rake",
    ] {
        let arguments = ["catalog"]
            .into_iter()
            .chain(line.split(' '))
            .chain(["--default-channel", ""]);
        let outcome = sandbox.run(arguments);
        assert_eq!(outcome.status, Some(2), "{line}: {outcome}");
        assert!(outcome.stderr.contains("a name is missing"), "{line}: {outcome}");
    }
}

#[test]
fn deprecations_are_added_and_removed() {
    let sandbox = catalog();
    let before = text(&sandbox);
    for target in ["rake", "rake:test", "rake@1.0.0"] {
        let arguments = ["catalog", "deprecate", "catalog", target, "-m", "Use the hoe."];
        assert_eq!(sandbox.run(arguments).status, Some(0));
        let again = sandbox.run(arguments);
        assert!(again.stderr.contains("no changes in catalog"), "{again}");
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
    no changes in catalog
    ");
    insta::assert_snapshot!(miss(&sandbox, "catalog deprecate catalog raek -m x"), @r#"
    ------- stderr -------
    error: catalog has no package "raek"
      hint: did you mean "rake"?
    ------- exit 4 -------
    "#);
    insta::assert_snapshot!(miss(&sandbox, "catalog deprecate catalog rake:stabel -m x"), @r#"
    ------- stderr -------
    error: package "rake" has no channel "stabel"
      hint: did you mean "stable"?
    ------- exit 4 -------
    "#);
}

#[test]
fn channels_are_renamed_copied_and_made_the_default() {
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
    error: package "rake" already has a channel "fast"
    ------- exit 1 -------
    "#);
    insta::assert_snapshot!(fail(&sandbox, "catalog rm catalog/rake.yaml rake"), @"
    ------- stderr -------
    error: catalog/rake.yaml is not a folder; a file-based catalog is a folder of files
    ------- exit 1 -------
    ");
}

#[test]
fn ranges_are_read_in_the_selected_style() {
    let sandbox = catalog();
    let kept = |flags: &str| {
        let outcome = outcome_of(&sandbox, &format!("catalog prune catalog --dry-run {flags}"));
        outcome.stderr.matches("would remove bundle").count()
    };
    assert_eq!(kept("-p rake=stable@^1.1,!=1.1.0 --range-style masterminds"), 2);
    assert_eq!(kept("-p rake=stable@~1.1 --range-style masterminds"), 2);
    let outcome = sandbox.run(["catalog", "prune", "catalog", "-p", "rake@^1.1"]);
    assert_eq!(outcome.status, Some(2), "{outcome}");
    assert!(
        outcome
            .stderr
            .contains("invalid versions of package rake: ^ is not supported in OLM ranges; use >= and < instead"),
        "{outcome}"
    );
}

#[test]
fn pruning_keeps_only_the_selected_part() {
    let sandbox = catalog();
    fs::write(sandbox.path("catalog/hoe.yaml"), text(&sandbox).replace("rake", "hoe")).unwrap();
    insta::assert_snapshot!(outcome_of(&sandbox, "catalog prune catalog -p rake=stable@>=1.1.0"), @"
    ------- stderr -------
    removed package hoe with 2 channels and 3 bundles
    removed channel test of package rake
    removed bundle rake.v1.0.0
    warning: Subscriptions to channel test of package rake no longer receive updates
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
    no changes in catalog
    ");
    insta::assert_snapshot!(miss(&sandbox, "catalog prune catalog -p rake=test"), @r#"
    ------- stderr -------
    error: package "rake" has no channel "test"
    ------- exit 4 -------
    "#);
    let twice = sandbox.run("catalog prune catalog -p rake=stable -p rake=test".split(' '));
    assert!(
        twice.status == Some(2) && twice.stderr.contains("package rake is specified twice"),
        "{twice}"
    );
    let outcome = sandbox.run("catalog prune catalog -p rake@x".split(' '));
    assert_eq!(outcome.status, Some(2), "{outcome}");
}

/// A head that replaces and skips v2 and thereby strands v1, as in many published catalogs.
const STRANDED: &str = "\
schema: olm.package
name: foo
defaultChannel: stable
---
schema: olm.channel
package: foo
name: stable
entries:
- name: foo.v3.0.0
  replaces: foo.v2.0.0
  skips: [foo.v2.0.0]
- name: foo.v2.0.0
  replaces: foo.v1.0.0
- name: foo.v1.0.0
";

fn bundle_of_foo(version: usize) -> String {
    format!(
        "---\nschema: olm.bundle\npackage: foo\nname: foo.v{version}.0.0\nimage: registry.example.com/foo:{version}\n\
         properties:\n- type: olm.package\n  value: {{packageName: foo, version: {version}.0.0}}\n"
    )
}

#[test]
fn a_tolerated_error_is_kept_and_a_new_one_rejected() {
    let sandbox = Sandbox::new();
    fs::create_dir(sandbox.path("catalog")).unwrap();
    let file = sandbox.path("catalog/foo.yaml");
    let all: String = (1..=3).map(bundle_of_foo).collect();
    let before = format!("{STRANDED}{all}");
    let again = || fs::write(&file, &before).unwrap();
    again();
    operator(&sandbox, "next", "foo", "4.0.0", Some("foo.v3.0.0"));
    for line in [
        "catalog add catalog -b next",
        "catalog rm catalog foo@3.0.0",
        "catalog channel copy catalog foo stable fast",
        "catalog channel rename catalog foo stable fast",
        "catalog deprecate catalog foo:stable -m old",
    ] {
        let outcome = outcome_of(&sandbox, line);
        let is_said = outcome.stderr.contains("warning[catalog-entry-stranded]");
        assert_eq!(is_said, !line.contains(" rm "), "{line}: {outcome}");
        succeed(&sandbox, "validate catalog");
        again();
    }
    let outcome = fail(&sandbox, "catalog add catalog -b next --strict");
    assert!(outcome.stderr.contains("error[catalog-entry-stranded]"), "{outcome}");
    let outcome = fail(&sandbox, "catalog add catalog -b next --deny warnings");
    assert!(outcome.stderr.contains("so nothing was written"), "{outcome}");
    assert_eq!(fs::read_to_string(&file).unwrap(), before);
    let fixed = before.replace("  skips: [foo.v2.0.0]\n", "");
    fs::write(&file, fixed).unwrap();
    let outcome = fail(&sandbox, "catalog add catalog -b next --skips foo.v3.0.0");
    assert!(outcome.stderr.contains("error[catalog-entry-stranded]"), "{outcome}");
}

#[test]
fn bundles_that_lost_their_updates_are_reported() {
    let sandbox = catalog();
    insta::assert_snapshot!(outcome_of(&sandbox, "catalog prune catalog -p rake=stable@<=1.0.0"), @"
    ------- stderr -------
    removed channel test of package rake
    removed bundle rake.v1.1.0
    removed bundle rake.v1.2.0
    warning: Subscriptions to channel test of package rake no longer receive updates
    warning: clusters that run rake.v1.2.0 from channel stable of package rake stay on this bundle because the channel has no update from it
    warning: clusters that run rake.v1.1.0 from channel stable of package rake stay on this bundle because the channel has no update from it
    wrote catalog/rake.yaml
    ");
    insta::assert_snapshot!(fail(&sandbox, "catalog prune catalog -p rake --from 0.5.0"), @r#"
    ------- stderr -------
    error: no update path of package "rake" starts at 0.5.0; the package has the versions 1.0.0
    ------- exit 1 -------
    "#);
}

#[test]
fn undoing_a_change_restores_a_file_without_a_final_line_break() {
    let sandbox = catalog();
    let file = sandbox.path("catalog/rake.yaml");
    let last = format!(
        "{}name: rake.v0.1.0\ntext: last",
        "---\nschema: example.com/note\npackage: rake\n"
    );
    let plain = CATALOG.trim_end().to_owned();
    let folded = format!("{plain}\n---\nschema: example.com/note\npackage: rake\ntext: |\n  kept");
    operator(&sandbox, "next", "rake", "1.3.0", Some("rake.v1.2.0"));
    for before in [plain.clone(), format!("{plain}\n{last}"), folded] {
        fs::write(&file, &before).unwrap();
        succeed(&sandbox, "catalog add catalog -b next --channel stable");
        assert_ne!(text(&sandbox), before);
        succeed(&sandbox, "catalog rm catalog rake@1.3.0");
        assert_eq!(text(&sandbox), before);
    }
}

#[cfg(unix)]
#[test]
fn an_interrupted_change_is_visible_to_readers_and_completed_by_validate() {
    use std::os::unix::fs::MetadataExt;
    let sandbox = Sandbox::new();
    fs::create_dir_all(sandbox.path("all/rake")).unwrap();
    fs::write(sandbox.path("all/rake/catalog.yaml"), CATALOG).unwrap();
    let interrupt = || {
        let journal = sandbox.path("all/.opmx-changes");
        fs::create_dir_all(journal.join("files/rake")).unwrap();
        let new =
            "schema: olm.deprecations\npackage: rake\nentries:\n- reference: {schema: olm.package}\n  message: x\n";
        fs::write(journal.join("files/rake/new.yaml"), new).unwrap();
        let inode = fs::metadata(&journal).unwrap().ino();
        let record = format!("{{\"inode\": {inode}, \"replaced\": {{}}}}");
        fs::write(journal.join("record.json"), record).unwrap();
    };
    for folder in ["all/rake", "all"] {
        interrupt();
        let rendered = outcome_of(&sandbox, "render all/rake").stdout;
        assert!(rendered.contains("olm.deprecations"), "{rendered}");
        succeed(&sandbox, &format!("validate {folder}"));
        assert!(!sandbox.path("all/.opmx-changes").exists());
        fs::remove_file(sandbox.path("all/rake/new.yaml")).unwrap();
    }
}

#[test]
fn a_deprecation_requires_a_message() {
    let sandbox = catalog();
    for message in ["", " "] {
        let outcome = sandbox.run(["catalog", "deprecate", "catalog", "rake", "-m", message]);
        assert_eq!(outcome.status, Some(2), "{outcome}");
        assert!(
            outcome.stderr.contains("the message is empty; specify a reason"),
            "{outcome}"
        );
    }
}

#[test]
fn a_dry_run_reports_what_would_change() {
    let sandbox = catalog();
    let outcome = outcome_of(&sandbox, "catalog deprecate catalog rake -m old --dry-run");
    assert!(outcome.stderr.contains("rake would be deprecated\n"), "{outcome}");
    let outcome = outcome_of(&sandbox, "catalog rm catalog rake@1.0.0 --dry-run");
    assert!(
        outcome.stderr.contains("would remove bundle rake.v1.0.0\n"),
        "{outcome}"
    );
    let outcome = outcome_of(&sandbox, "catalog rm catalog rake --dry-run");
    assert!(outcome.stderr.contains("would remove package rake with "), "{outcome}");
    assert!(!outcome.stderr.contains("removed"), "{outcome}");
}

#[test]
fn the_diff_of_a_file_with_carriage_returns_can_be_applied() {
    let sandbox = catalog();
    let file = sandbox.path("catalog/rake.yaml");
    fs::write(&file, CATALOG.replace('\n', "\r\n")).unwrap();
    let change = "catalog deprecate catalog rake -m old";
    let shown = outcome_of(&sandbox, &format!("{change} --dry-run")).stdout;
    let (headers, content): (Vec<&str>, Vec<&str>) = shown
        .lines()
        .partition(|line| ["--- ", "+++ ", "@@ "].iter().any(|start| line.starts_with(start)));
    assert_eq!((headers.len(), content.is_empty()), (3, false), "{shown}");
    assert_eq!(shown.matches("\r\n").count(), content.len(), "{shown}");
    fs::write(sandbox.path("change.patch"), &shown).unwrap();
    let before = text(&sandbox);
    succeed(&sandbox, change);
    let changed = text(&sandbox);
    fs::write(&file, before).unwrap();
    let mut git = std::process::Command::new("git");
    let Ok(applied) = git
        .args(["apply", "--whitespace=nowarn", "change.patch"])
        .current_dir(sandbox.path("."))
        .output()
    else {
        crate::shared::not_run("git is not installed");
        return;
    };
    assert!(applied.status.success(), "{applied:?}\n{shown}");
    assert_eq!(text(&sandbox), changed);
}

#[test]
fn a_message_may_begin_with_a_hyphen() {
    let sandbox = catalog();
    let outcome = sandbox.run(["catalog", "deprecate", "catalog", "rake", "-m", "- Use hoe"]);
    assert_eq!(outcome.status, Some(0), "{outcome}");
    assert!(text(&sandbox).contains("message: \"- Use hoe\""), "{}", text(&sandbox));
}

#[test]
fn the_removal_of_a_package_is_reported_with_its_size() {
    let sandbox = catalog();
    let outcome = outcome_of(&sandbox, "catalog rm catalog rake");
    let told = outcome.stderr.lines().next().unwrap();
    assert!(told.starts_with("removed package rake with "), "{outcome}");
    assert!(told.ends_with(" bundles") || told.ends_with(" bundle"), "{outcome}");
}

#[test]
fn existing_errors_are_distinguished_from_errors_of_the_change() {
    let sandbox = catalog();
    let other = "schema: olm.package\nname: other\ndefaultChannel: none\n---\nschema: olm.channel\npackage: other\n\
                 name: a\nentries:\n- {name: other.v1}\n- {name: other.v2, replaces: other.v1}\n---\n\
                 schema: olm.bundle\npackage: other\nname: other.v1\nimage: registry.example.com/other:1\n\
                 properties: [{type: olm.package, value: {packageName: other, version: 1.0.0}}]\n";
    fs::write(sandbox.path("catalog/other.yaml"), other).unwrap();
    let changed = outcome_of(&sandbox, "catalog channel copy catalog other a b --dry-run").stderr;
    let still = "warning: the changed packages in catalog still have 3 errors: catalog/other.yaml:3:17: ";
    assert!(changed.starts_with(still), "{changed}");
    let refused = fail(&sandbox, "catalog rm catalog other:a").stderr;
    let already = "warning: before this change, catalog already has 2 errors: catalog/other.yaml:3:17: ";
    assert!(refused.starts_with(already), "{refused}");
    assert!(
        refused.contains("\nerror: no channel of package \"other\" would remain"),
        "{refused}"
    );
}

#[test]
fn faults_that_are_warnings_when_validated_are_no_earlier_errors() {
    let sandbox = catalog();
    fs::write(sandbox.path("catalog/empty.yaml"), "# only a comment\n---\n---\n").unwrap();
    let validated = outcome_of(&sandbox, "validate catalog").stderr;
    assert!(validated.contains("warning[catalog-document-empty]"), "{validated}");
    let refused = fail(&sandbox, "catalog rm catalog rake:stable").stderr;
    assert!(!refused.contains("before this change"), "{refused}");
}
