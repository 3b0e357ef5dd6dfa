//! Test operators after their first release: the images that a mirror needs, and the next release, from the upstream
//! manifests to the update by OLM.

use crate::bundle_files::{edit, read, succeeds, testdata, write};
use crate::common::{Outcome, Sandbox};
use serde_json::Value;
use std::fs;

fn upstream(sandbox: &Sandbox, name: &str, file: &str) {
    let manifests = fs::read_to_string(testdata("operators").join(name).join(file)).unwrap();
    write(sandbox, "upstream.yaml", manifests);
}

fn run(sandbox: &Sandbox, line: &str) -> Outcome {
    let outcome = sandbox.run(line.split_whitespace());
    succeeds(&outcome);
    outcome
}

/// The changes in the next release of the nursery, line by line.
const CHANGED: &[&str] = &[
    "-        image: registry.example.com/nursery:1.4.0",
    "+        image: registry.example.com/nursery:1.5.0",
    "-- {apiGroups: [nursery.example.com], resources: [seedlings, seedlings/status, climates], verbs: [get, list, watch, update]}",
    "+- {apiGroups: [nursery.example.com], resources: [seedlings, seedlings/status, climates], verbs: [get, list, watch, update, patch]}",
    "+---",
    "+# Climate/night is an example in metadata/olm.yaml.",
    "+---",
    "+apiVersion: v1",
    "+kind: ConfigMap",
    "+metadata: {name: nursery-seasons, namespace: nursery}",
    "+data: {winter: \"8\", summer: \"24\"}",
    "-name: nursery.v1.4.0",
    "+name: nursery.v1.5.0",
    "-version: 1.4.0",
    "+version: 1.5.0",
    "-# replaces: my-operator.v0.9.0",
    "+replaces: nursery.v1.4.0",
    "+  - apiVersion: nursery.example.com/v1",
    "+    kind: Climate",
    "+    metadata:",
    "+      name: night",
    "+    spec:",
    "+      temperature: 16",
];

#[test]
fn the_next_release_is_added_as_an_update_to_the_index() {
    let sandbox = Sandbox::new();
    upstream(&sandbox, "nursery", "upstream.yaml");
    let _ = run(&sandbox, "bundle init nursery --from upstream.yaml");
    edit(
        &sandbox,
        "nursery/metadata/olm.yaml",
        "displayName: Nursery",
        "displayName: Our Nursery # by hand",
    );
    let _ = run(&sandbox, "bundle build nursery -t oci:out:v1");
    let _ = run(&sandbox, "registry add -d index.db -b oci:out:v1");
    upstream(&sandbox, "nursery", "next.yaml");
    let updated = run(&sandbox, "bundle update nursery --from upstream.yaml");
    let said = "Climate/night becomes an example because OLM does not create custom resources of a bundle's own kinds\n\
                the example Climate/default in nursery/metadata/olm.yaml is kept, although it differs from the manifests\n\
                added ConfigMap/nursery-seasons\n\
                version 1.5.0: the tag of container manager of Deployment/nursery\n\
                wrote nursery/manifests/upstream.yaml\nwrote nursery/metadata/olm.yaml\n";
    assert_eq!(updated.stderr, said);
    let changed = |line: &&str| line.starts_with(['+', '-']) && !line.starts_with("+++") && !line.starts_with("---");
    let changed: Vec<&str> = updated.stdout.lines().filter(changed).collect();
    assert_eq!(changed, CHANGED);
    let olm = read(&sandbox, "nursery/metadata/olm.yaml");
    assert!(olm.contains("displayName: Our Nursery # by hand\n"), "{olm}");
    let _ = run(&sandbox, "bundle build nursery -t oci:out:v2");
    let _ = run(&sandbox, "registry add -d index.db -b oci:out:v2");
    let checked: Value = serde_json::from_str(&run(&sandbox, "index check index.db -o json").stdout).unwrap();
    assert_eq!(checked["findings"], serde_json::json!([]));
    let words = |text: &str| -> Vec<String> { text.split_whitespace().map(str::to_owned).collect() };
    let holds = |outcome: &Outcome, row: &str| {
        let row = words(row);
        let found = outcome.stdout.lines().any(|line| words(line).starts_with(&row));
        assert!(found, "{row:?}: {outcome}");
    };
    let listed = run(&sandbox, "index list bundles index.db nursery");
    holds(&listed, "nursery stable nursery.v1.5.0 1.5.0 nursery.v1.4.0");
    let resolved = run(
        &sandbox,
        "resolve nursery --catalog index.db --installed nursery.v1.4.0",
    );
    holds(
        &resolved,
        "nursery.v1.5.0 nursery stable operators/catalog nursery.v1.4.0",
    );
    write(
        &sandbox,
        "state.yaml",
        "installed:\n- {name: nursery.v1.4.0, version: 1.4.0, package: nursery}\n",
    );
    let checked = run(&sandbox, "upgrade-check --state state.yaml --catalog index.db -o json");
    assert!(checked.stdout.contains("nursery.v1.5.0"), "{checked}");
}

#[test]
fn related_images_from_arguments_and_settings_reach_the_index() {
    let sandbox = Sandbox::new();
    upstream(&sandbox, "sprinkler", "upstream.yaml");
    let _ = run(&sandbox, "bundle init sprinkler --from upstream.yaml");
    let olm = read(&sandbox, "sprinkler/metadata/olm.yaml");
    let (before, rest) = olm.split_once("relatedImages:\n").unwrap();
    let (found, after) = rest.split_once("\n\n").unwrap();
    assert_eq!(
        found.lines().count(),
        6,
        "init finds the three that no container runs: {found}"
    );
    write(&sandbox, "sprinkler/metadata/olm.yaml", format!("{before}{after}"));
    let validated = run(&sandbox, "bundle validate sprinkler");
    let missed = |image: &str| {
        format!(
            "warning[related-image-missing]: a mirror of the bundle would not contain registry.example.com/sprinkler/{image}:5.2.0"
        )
    };
    for image in ["hose", "nozzle", "pressure"] {
        assert!(validated.stdout.contains(&missed(image)), "{validated}");
    }
    let built = run(&sandbox, "bundle build sprinkler -t oci:out:v1 --related-images");
    assert!(!built.stderr.contains("related-image-missing"), "{built}");
    let _ = run(&sandbox, "registry add -d index.db -b oci:out:v1");
    let images = run(&sandbox, "index list images index.db");
    let named: Vec<&str> = images
        .stdout
        .lines()
        .skip(1)
        .filter_map(|line| line.split(' ').next())
        .collect();
    let wanted =
        ["hose", "nozzle", "operator", "pressure"].map(|name| format!("registry.example.com/sprinkler/{name}:5.2.0"));
    assert_eq!(named, wanted);
    assert!(
        !read(&sandbox, "sprinkler/metadata/olm.yaml").contains("\nrelatedImages:"),
        "the author's file stays"
    );
}

#[test]
fn kinds_that_olm_does_not_install_are_left_to_decide_with_a_hint() {
    let sandbox = Sandbox::new();
    upstream(&sandbox, "trellis", "upstream.yaml");
    let begun = run(&sandbox, "bundle init trellis --from upstream.yaml");
    let decide: Vec<&str> = begun
        .stderr
        .lines()
        .filter(|line| line.starts_with("to decide: "))
        .collect();
    let property = r#"{"type":"olm.manifests.optional","value":{"manifests":[{"group":"monitoring.coreos.com","kind":"ServiceMonitor","name":"trellis","namespace":"trellis-system"}]}}"#;
    let monitor = format!(
        "to decide: whether clusters must have the kinds of ServiceMonitor/trellis: if a kind is missing, the installation fails; \
         let the operator create the object, or leave it out with --exclude ServiceMonitor/trellis; to mark it as optional, which released \
         versions of OLM ignore, add this entry under properties in trellis/metadata/properties.yaml: - {property}"
    );
    let unsupported = |kind: &str, api: &str, line: u32| {
        format!(
            "to decide: how to handle {kind}/trellis in trellis/manifests/upstream.yaml:{line}: OLM does not install {kind} \
             ({api}) from bundles: let the operator create the object, or remove it from the bundle; --exclude {kind}/trellis \
             leaves it out"
        )
    };
    let scaler = unsupported("HorizontalPodAutoscaler", "autoscaling/v2", 62);
    let class = unsupported("IngressClass", "networking.k8s.io/v1", 70);
    assert_eq!(
        decide,
        [&scaler, &class, &monitor],
        "PriorityClass, PodDisruptionBudget and NetworkPolicy are installed"
    );
    // As it advises.
    let manifests = read(&sandbox, "trellis/manifests/upstream.yaml");
    let left = manifests.split("---\n");
    let left: Vec<&str> = left
        .filter(|text| !text.contains("Autoscaler") && !text.contains("IngressClass"))
        .collect();
    write(&sandbox, "trellis/manifests/upstream.yaml", left.join("---\n"));
    write(
        &sandbox,
        "trellis/metadata/properties.yaml",
        format!("properties:\n- {property}\n"),
    );
    let validated = run(&sandbox, "bundle validate trellis");
    assert!(!validated.stdout.contains("opt-"), "{validated}");
    let _ = run(&sandbox, "bundle build trellis -t oci:out:v1");
    let _ = run(&sandbox, "registry add -d index.db -b oci:out:v1");
    let updated = run(&sandbox, "bundle update trellis --from upstream.yaml");
    assert!(
        updated.stderr.contains(&scaler) && !updated.stderr.contains("ServiceMonitor"),
        "{updated}"
    );
}
