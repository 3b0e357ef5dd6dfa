//! `opmx bundle update`.

use crate::bundle_files::{copy, edit, files, read, succeeds, testdata, write};
use crate::common::Sandbox;

/// The greenhouse operator as kept by its author, and the manifests of its next release in `deploy`.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    copy(&sandbox, "greenhouse-operator", "bundle");
    for (path, content) in files(&testdata("greenhouse-operator/manifests")) {
        write(&sandbox, &format!("deploy/{path}"), content);
    }
    edit(&sandbox, "deploy/deployment.yaml", ":1.2.0", ":1.3.0");
    let file = sandbox.path("bundle/metadata/olm.yaml");
    let olm = std::fs::read_to_string(&file).unwrap();
    std::fs::write(file, format!("# kept by hand\n{olm}")).unwrap();
    sandbox
}

const EXTRA: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: extra}\n";

#[test]
fn the_next_release_replaces_the_previous_one() {
    let sandbox = sandbox();
    let run = "bundle update bundle --from deploy".split(' ');
    let outcome = sandbox.run(run.clone());
    succeeds(&outcome);
    for line in [
        "--- a/bundle/metadata/olm.yaml\n",
        "+version: 1.3.0",
        "+replaces: greenhouse-operator.v1.2.0\n",
        "--- a/bundle/manifests/deployment.yaml\n",
    ] {
        assert!(outcome.stdout.contains(line), "{line:?}: {outcome}");
    }
    assert!(
        outcome
            .stderr
            .contains("version 1.3.0: the tag of container manager of"),
        "{outcome}"
    );
    let olm = read(&sandbox, "bundle/metadata/olm.yaml");
    assert!(olm.starts_with("# kept by hand\n"), "{olm}");
    assert!(olm.contains("greenhouse-operator.v1.3.0"), "{olm}");
    succeeds(&sandbox.run(["bundle", "synthesize", "bundle"]));
    let before = files(&sandbox.path("bundle"));
    let again = sandbox.run(run);
    assert_eq!((again.status, again.stdout.as_str()), (Some(0), ""), "{again}");
    assert!(again.stderr.contains("bundle is already up to date\n"), "{again}");
    assert_eq!(files(&sandbox.path("bundle")), before);
}

#[test]
fn comments_stay_above_their_keys_and_values_keep_their_quotes() {
    let sandbox = sandbox();
    let file = sandbox.path("bundle/metadata/olm.yaml");
    let olm = std::fs::read_to_string(&file).unwrap();
    let olm = olm.replace(
        "\nversion: 1.2.0",
        "\n# The tag of the image.\nversion: \"1.2.0\"  # kept",
    );
    std::fs::write(&file, &olm).unwrap();
    succeeds(&sandbox.run("bundle update bundle --from deploy".split(' ')));
    let updated = read(&sandbox, "bundle/metadata/olm.yaml");
    assert!(
        updated.contains("\n# The tag of the image.\nversion: \"1.3.0\"  # kept\n"),
        "{updated}"
    );
    let (above, _) = olm.split_once('\n').unwrap();
    let (_, first) = olm.split_once('\n').unwrap();
    let key = first.split_once(':').unwrap().0;
    assert!(updated.starts_with(&format!("{above}\n{key}:")), "{updated}");
    assert!(
        updated.contains("\nreplaces: greenhouse-operator.v1.2.0\n"),
        "{updated}"
    );
}

#[test]
fn a_dry_run_prints_the_same_diff_and_writes_nothing() {
    let sandbox = sandbox();
    write(&sandbox, "deploy/extra.yaml", EXTRA);
    std::fs::remove_file(sandbox.path("deploy/webhook.yaml")).unwrap();
    let before = files(&sandbox.path("bundle"));
    let trial = sandbox.run("bundle update bundle --from deploy --dry-run".split(' '));
    succeeds(&trial);
    assert_eq!(files(&sandbox.path("bundle")), before);
    assert!(
        trial.stderr.contains("would remove bundle/manifests/webhook.yaml\n"),
        "{trial}"
    );
    assert!(
        trial
            .stdout
            .contains("--- /dev/null\n+++ b/bundle/manifests/extra.yaml\n"),
        "{trial}"
    );
    assert!(
        trial
            .stdout
            .contains("--- a/bundle/manifests/webhook.yaml\n+++ /dev/null\n"),
        "{trial}"
    );
    let done = sandbox.run("bundle update bundle --from deploy".split(' '));
    assert_eq!(done.stdout, trial.stdout);
    assert!(!sandbox.path("bundle/manifests/webhook.yaml").exists());
    assert_eq!(read(&sandbox, "bundle/manifests/extra.yaml"), EXTRA);
}

#[test]
fn a_manifest_of_the_author_is_reported_when_removed_and_stays_with_keep() {
    for keep in [false, true] {
        let sandbox = sandbox();
        write(&sandbox, "bundle/manifests/extra.yaml", EXTRA);
        let line = if keep {
            " --keep bundle/manifests/extra.yaml"
        } else {
            ""
        };
        let outcome = sandbox.run(format!("bundle update bundle --from deploy{line}").split(' '));
        succeeds(&outcome);
        let said = "removed ConfigMap/extra, which was in bundle/manifests/extra.yaml\n";
        assert_eq!(outcome.stderr.contains(said), !keep, "{outcome}");
        assert_eq!(sandbox.path("bundle/manifests/extra.yaml").exists(), keep);
    }
}

#[test]
fn init_and_update_omit_excluded_objects() {
    let sandbox = sandbox();
    let stateful = "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: db}\n";
    write(&sandbox, "deploy/extra.yaml", format!("{EXTRA}---\n{stateful}"));
    for line in [
        "bundle init begun --from deploy --exclude StatefulSet/db",
        "bundle update bundle --from deploy --exclude StatefulSet/db",
    ] {
        let outcome = sandbox.run(line.split(' '));
        succeeds(&outcome);
        assert!(outcome.stderr.contains("excluded StatefulSet/db\n"), "{outcome}");
        assert!(!outcome.stderr.contains("added StatefulSet"), "{outcome}");
    }
    for bundle in ["begun", "bundle"] {
        let kept = format!("{EXTRA}---\n# StatefulSet/db is excluded.\n");
        assert_eq!(read(&sandbox, &format!("{bundle}/manifests/extra.yaml")), kept);
    }
    let outcome = sandbox.run("bundle update bundle --from deploy --exclude StatefulSet/bd".split(' '));
    assert_eq!(outcome.status, Some(4), "{outcome}");
    assert_eq!(
        outcome.stderr,
        "error: deploy does not contain StatefulSet/bd\n  hint: did you mean StatefulSet/db?\n"
    );
    let list = "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: ConfigMap, metadata: {name: item}}\n";
    write(&sandbox, "deploy/list.yaml", list);
    let outcome = sandbox.run("bundle update bundle --from deploy --exclude ConfigMap/item".split(' '));
    assert_eq!(outcome.status, Some(1), "{outcome}");
    assert!(
        outcome
            .stderr
            .contains("ConfigMap/item cannot be excluded, because it is not a separate YAML document in"),
        "{outcome}"
    );
}

#[test]
fn a_bundle_with_a_release_in_its_name_is_updated() {
    let sandbox = sandbox();
    let olm = "bundle/metadata/olm.yaml";
    edit(
        &sandbox,
        olm,
        "name: greenhouse-operator.v1.2.0",
        "release: '1'\nname: greenhouse-operator-v1.2.0-1",
    );
    succeeds(&sandbox.run("bundle update bundle --from deploy".split(' ')));
    let text = read(&sandbox, olm);
    for line in [
        "\nname: greenhouse-operator-v1.3.0-1\n",
        "\nreplaces: greenhouse-operator-v1.2.0-1\n",
        "\nrelease: '1'\n",
    ] {
        assert!(text.contains(line), "{line:?}: {text}");
    }
    succeeds(&sandbox.run("bundle synthesize bundle".split(' ')));
}

#[test]
fn a_name_and_version_set_by_hand_require_an_explicit_replaces() {
    let sandbox = sandbox();
    let olm = "bundle/metadata/olm.yaml";
    edit(&sandbox, olm, "greenhouse-operator.v1.2.0", "greenhouse");
    let outcome = sandbox.run("bundle update bundle --from deploy".split(' '));
    assert_eq!(outcome.status, Some(1), "{outcome}");
    let hint = "set the name and version of the next release in metadata/olm.yaml, and specify --version and --replaces \
                greenhouse\n";
    assert!(outcome.stderr.ends_with(hint), "{outcome}");
    edit(&sandbox, olm, "version: 1.2.0", "version: 1.3.0");
    let outcome = sandbox.run("bundle update bundle --from deploy --version 1.3.0 --dry-run".split(' '));
    let note = "bundle/metadata/olm.yaml already has version 1.3.0 and no replaces; if this is a new release, specify the \
                previous release with --replaces NAME\n";
    succeeds(&outcome);
    assert!(outcome.stderr.contains(note), "{outcome}");
    let line = "bundle update bundle --from deploy --version 1.3.0 --replaces greenhouse.v1";
    let outcome = sandbox.run(line.split(' '));
    succeeds(&outcome);
    assert!(!outcome.stderr.contains("no replaces"), "{outcome}");
    assert!(read(&sandbox, olm).contains("\nreplaces: greenhouse.v1\n"));
}

#[test]
fn a_failed_update_changes_nothing() {
    let sandbox = sandbox();
    copy(&sandbox, "compost-operator", "compost");
    write(&sandbox, "broken/a.yaml", "kind: [\n");
    edit(&sandbox, "deploy/deployment.yaml", ":1.3.0", ":1.1.0");
    for (line, status, said) in [
        (
            "compost --from deploy",
            1,
            "it contains no metadata/olm.yaml\n  hint: convert the bundle: opmx bundle convert compost OUT --to k8s+v1; then",
        ),
        ("bundle --from broken", 1, "broken/a.yaml:"),
        (
            "bundle --from deploy",
            1,
            "older than 1.2.0 in metadata/olm.yaml\n  hint: set another version with --version",
        ),
        (
            "bundle --from deploy --version 1.1.9",
            1,
            "version 1.1.9 is lower than 1.2.0 in metadata/olm.yaml, so it cannot replace that version",
        ),
        (
            "bundle --from deploy --version 1.3.0 --replaces greenhouse-operator.v1.3.0",
            1,
            "the release is greenhouse-operator.v1.3.0, so it cannot replace greenhouse-operator.v1.3.0",
        ),
        (
            "bundle --from deploy --version 1.2.0 --replaces greenhouse-operator.v1.2.0",
            1,
            "the release is greenhouse-operator.v1.2.0",
        ),
        (
            "bundle --from deploy --keep nothing.yaml",
            4,
            "bundle does not contain nothing.yaml, so it cannot be kept",
        ),
        ("absent --from deploy", 4, "cannot read absent"),
    ] {
        let before = files(&sandbox.path("."));
        let outcome = sandbox.run(format!("bundle update {line}").split(' '));
        assert_eq!(outcome.status, Some(status), "{line}: {outcome}");
        assert!(outcome.stderr.contains(said), "{line}: {outcome}");
        assert_eq!(files(&sandbox.path(".")), before, "{line}");
    }
}

/// An operator of `testdata/operators`, after `init`.
fn begun(sandbox: &Sandbox, name: &str, options: &str) {
    let upstream = std::fs::read_to_string(testdata("operators").join(name).join("upstream.yaml")).unwrap();
    write(sandbox, "upstream.yaml", upstream);
    succeeds(
        &sandbox.run(format!("bundle init {name} --from upstream.yaml --package {name} {options}").split_whitespace()),
    );
}

#[test]
fn update_does_not_bring_back_what_init_removed_or_expanded() {
    for (name, init, version) in [
        ("nursery", "", "9.0.0"),
        ("kettle", "", "9.0.0"),
        ("pump", "--expand-wildcards", "0.4.0"),
    ] {
        let sandbox = Sandbox::new();
        begun(&sandbox, name, init);
        let before = files(&sandbox.path(format!("{name}/manifests")));
        let line = format!("bundle update {name} --from upstream.yaml --version {version} {init}");
        let outcome = sandbox.run(line.split_whitespace());
        succeeds(&outcome);
        assert_eq!(files(&sandbox.path(format!("{name}/manifests"))), before, "{outcome}");
        assert!(!outcome.stderr.contains("becomes an example"), "{outcome}");
    }
}

#[test]
fn previously_expanded_wildcards_are_expanded_again() {
    let sandbox = Sandbox::new();
    begun(&sandbox, "pump", "--expand-wildcards");
    let before = files(&sandbox.path("pump/manifests"));
    let outcome = sandbox.run("bundle update pump --from upstream.yaml --version 0.4.0".split(' '));
    succeeds(&outcome);
    assert_eq!(files(&sandbox.path("pump/manifests")), before, "{outcome}");
    let said = "expanded rules[0] of ClusterRole/pump-operator in pump/manifests/upstream.yaml:81 to the bundle's own kinds \
                of pumps.example.com, as in the previous release\n";
    assert!(outcome.stderr.contains(said), "{outcome}");
    assert!(!outcome.stderr.contains("--expand-wildcards"), "{outcome}");
}

#[test]
fn a_new_api_is_added_to_olm_yaml_once_as_a_comment() {
    let sandbox = sandbox();
    let (rbac, olm) = ("deploy/rbac.yaml", "bundle/metadata/olm.yaml");
    edit(&sandbox, rbac, "[certificates]", "[certificates, issuers]");
    let run = || sandbox.run("bundle update bundle --from deploy --version 2.0.0".split(' '));
    let outcome = run();
    let said = "to decide: whether the dependency on issuers of cert-manager.io is required or optional, under apis in";
    assert!(outcome.stderr.contains(said), "{outcome}");
    let stub = "# - group: cert-manager.io\n#   resource: issuers\n#   kind: Issuer\n#   version: v1\n#   dependency: required  #";
    let text = read(&sandbox, olm);
    assert!(text.contains(stub), "{text}");
    assert!(succeeds(&outcome).contains("+# - group: cert-manager.io"), "{outcome}");
    let _ = run();
    assert_eq!(read(&sandbox, olm), text, "a second run changes nothing");
    edit(&sandbox, olm, stub, &stub.replace("# ", ""));
    succeeds(&sandbox.run(["bundle", "synthesize", "bundle"]));
}

#[test]
fn update_lists_the_same_decisions_as_init() {
    let sandbox = Sandbox::new();
    begun(&sandbox, "sweeper", "");
    let outcome = sandbox.run("bundle update sweeper --from upstream.yaml".split(' '));
    succeeds(&outcome);
    let said = "allows all resources of sweeper.example.com; use --expand-wildcards to allow only those";
    assert!(outcome.stderr.contains(said), "{outcome}");
}

#[test]
fn an_edited_example_is_kept_and_reported() {
    let sandbox = Sandbox::new();
    begun(&sandbox, "nursery", "");
    edit(
        &sandbox,
        "nursery/metadata/olm.yaml",
        "temperature: 21",
        "temperature: 25 # warmer",
    );
    let outcome = sandbox.run("bundle update nursery --from upstream.yaml".split(' '));
    succeeds(&outcome);
    assert!(outcome.stdout.is_empty(), "{outcome}");
    let said =
        "the example Climate/default in nursery/metadata/olm.yaml is kept, although it differs from the manifests\n";
    assert!(outcome.stderr.contains(said), "{outcome}");
}

#[test]
fn a_renamed_file_is_reported_as_renamed() {
    let sandbox = sandbox();
    std::fs::rename(sandbox.path("deploy/webhook.yaml"), sandbox.path("deploy/hook.yaml")).unwrap();
    let outcome = sandbox.run("bundle update bundle --from deploy --dry-run".split(' '));
    assert!(
        outcome
            .stderr
            .contains("would rename bundle/manifests/webhook.yaml to manifests/hook.yaml, with the same content\n"),
        "{outcome}"
    );
    let outcome = sandbox.run("bundle update bundle --from deploy".split(' '));
    assert!(!outcome.stderr.contains("removed"), "{outcome}");
    assert!(!sandbox.path("bundle/manifests/webhook.yaml").exists());
}

#[test]
fn comments_and_line_breaks_inside_inferred_lists_are_kept() {
    let sandbox = sandbox();
    let (olm, deployment) = ("bundle/metadata/olm.yaml", "deploy/deployment.yaml");
    edit(&sandbox, deployment, "thermostat:2.0.1", "thermostat:2.1.0");
    edit(
        &sandbox,
        "deploy/rbac.yaml",
        "[certificates]",
        "[certificates, issuers]",
    );
    let list = "relatedImages: # all\n# the heating\n- name: thermostat # old\n  \
                image: registry.example.com/garden/thermostat:2.0.1 # keep\n# last\n";
    edit(
        &sandbox,
        olm,
        "relatedImages:\n- name: thermostat\n  image: registry.example.com/garden/thermostat:2.0.1\n",
        list,
    );
    let text = read(&sandbox, olm);
    let mixed = |text: &str| -> String {
        let lines = text.lines().enumerate();
        let ends = lines.map(|(number, line)| (line, if number % 3 == 0 { "\r\n" } else { "\n" }));
        ends.map(|(line, end)| format!("{line}{end}")).collect()
    };
    for text in [text.clone(), text.replace('\n', "\r\n"), mixed(&text)] {
        write(&sandbox, olm, &text);
        succeeds(&sandbox.run("bundle update bundle --from deploy --dry-run".split(' ')));
        let before = files(&sandbox.path("bundle"));
        succeeds(&sandbox.run("bundle update bundle --from deploy".split(' ')));
        let new = read(&sandbox, olm);
        assert!(
            new.replace("\r\n", "\n").contains(&list.replace(":2.0.1", ":2.1.0")),
            "{new}"
        );
        let kept = |line: &&str| {
            !["name: g", "version: 1", "  image: "]
                .iter()
                .any(|key| line.starts_with(key))
        };
        for line in text.split_inclusive('\n').filter(kept) {
            assert!(
                new.split_inclusive('\n').any(|other| other == line),
                "{line:?}: {new:?}"
            );
        }
        if !text.replace("\r\n", "").contains('\n') {
            assert!(!new.replace("\r\n", "").contains('\n'), "{new:?}");
        }
        for (path, content) in before {
            write(&sandbox, &format!("bundle/{path}"), content);
        }
    }
}

#[test]
fn the_only_new_file_is_compared_with_the_only_removed_one() {
    let sandbox = sandbox();
    std::fs::rename(
        sandbox.path("deploy/deployment.yaml"),
        sandbox.path("deploy/operator.yaml"),
    )
    .unwrap();
    let outcome = sandbox.run("bundle update bundle --from deploy --dry-run".split(' '));
    let printed = succeeds(&outcome);
    let header = "diff --git a/bundle/manifests/deployment.yaml b/bundle/manifests/operator.yaml\n\
                  rename from bundle/manifests/deployment.yaml\nrename to bundle/manifests/operator.yaml\n\
                  --- a/bundle/manifests/deployment.yaml\n+++ b/bundle/manifests/operator.yaml\n";
    let (_, hunks) = printed.split_once(header).unwrap_or_else(|| panic!("{outcome}"));
    let changed = hunks.lines().take_while(|line| !line.starts_with("---"));
    let changed: Vec<&str> = changed.filter(|line| line.starts_with(['-', '+'])).collect();
    assert!(
        changed
            .iter()
            .all(|line| line.contains(":1.2.0") || line.contains(":1.3.0")),
        "{outcome}"
    );
    assert!(!printed.contains("/dev/null"), "{outcome}");
}
