use super::*;
use crate::tree::TreeLimits;

const OLM: &str = "\
# ours
name: op.v1.0.0 # the name
version: 1.0.0
minKubeVersion: 1.16.0
installModes: [{type: AllNamespaces, supported: true}]
description: |
  Written by hand. # replaces: my-operator.v0.9.0
# replaces: my-operator.v0.9.0
";

fn deployment(tag: &str) -> String {
    format!(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: op}}\nspec:\n  selector: {{matchLabels: {{a: b}}}}\n  \
         template:\n    metadata: {{labels: {{a: b}}}}\n    spec: {{containers: [{{name: op, image: 'example.com/op:{tag}'}}]}}\n"
    )
}

fn map(name: &str) -> String {
    format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\n")
}

fn old_folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (path, content) in [
        ("manifests/op.yaml", deployment("1.0.0")),
        ("manifests/mine.yaml", map("mine")),
        ("manifests/README.md", "read me\n".to_owned()),
        ("metadata/olm.yaml", OLM.to_owned()),
        ("metadata/notes.txt", "notes\n".to_owned()),
    ] {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }
    folder
}

fn release(folder: &Path, stream: &str, options: &ReleaseOptions) -> Result<Release, ReleaseError> {
    let tree = Tree::from_directory(folder, &TreeLimits::default()).unwrap();
    let intake = Intake::from_stream("standard input", stream.as_bytes(), &TreeLimits::default()).unwrap();
    let manifests = intake.manifests(&options.limits.text).unwrap();
    next_release(&tree, &intake, &manifests, options)
}

fn files(folder: &Path) -> BTreeMap<String, String> {
    let tree = Tree::from_directory(folder, &TreeLimits::default()).unwrap();
    let text = |content: &[u8]| String::from_utf8(content.to_vec()).unwrap();
    tree.iter()
        .map(|(path, content)| (path.to_owned(), text(content)))
        .collect()
}

#[test]
fn manifests_are_replaced_and_edits_of_olm_yaml_kept() {
    let folder = old_folder();
    let stream = format!("{}---\n{}", deployment("v1.1.0"), map("new"));
    let options = ReleaseOptions::default();
    let first = release(folder.path(), &stream, &options).unwrap();
    assert_eq!(first.added, ["ConfigMap/new"]);
    let labels: Vec<&str> = first.removed.iter().map(|(label, _)| label.as_str()).collect();
    assert_eq!(labels, ["ConfigMap/mine"]);
    assert_eq!(first.inferred_version.as_ref().unwrap().version, "1.1.0");
    first.write(folder.path()).unwrap();
    let after = files(folder.path());
    let paths: Vec<&str> = after.keys().map(String::as_str).collect();
    assert_eq!(
        paths,
        [
            "manifests/README.md",
            "manifests/manifests.yaml",
            "metadata/notes.txt",
            "metadata/olm.yaml"
        ]
    );
    let wanted = OLM
        .replace("name: op.v1.0.0", "name: op.v1.1.0")
        .replace("version: 1.0.0", "version: 1.1.0")
        .replace("\n# replaces: my-operator.v0.9.0", "\nreplaces: op.v1.0.0");
    assert_eq!(after["metadata/olm.yaml"], wanted);
    let second = release(folder.path(), &stream, &options).unwrap();
    assert_eq!(second.files, BTreeMap::new(), "the second time nothing changes");
}

#[test]
fn a_kept_manifest_is_not_removed() {
    let folder = old_folder();
    let mine = "manifests/mine.yaml".to_owned();
    let options = ReleaseOptions {
        keep: BTreeSet::from([mine.clone()]),
        ..ReleaseOptions::default()
    };
    let release = release(folder.path(), &deployment("1.1.0"), &options).unwrap();
    assert!(
        !release.files.contains_key(&mine) && release.removed.is_empty(),
        "{release:?}"
    );
}

#[test]
fn inferred_values_are_inferred_again_and_decisions_kept() {
    let budget = "---\napiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: b}\n";
    for (said, wanted) in [("1.16.0", Some("1.21.0")), ("1.30.0", None)] {
        let folder = old_folder();
        let olm = OLM.replace("minKubeVersion: 1.16.0", &format!("minKubeVersion: {said}"));
        std::fs::write(folder.path().join(OLM_YAML), olm).unwrap();
        let stream = format!("{}{budget}", deployment("1.1.0"));
        release(folder.path(), &stream, &ReleaseOptions::default())
            .unwrap()
            .write(folder.path())
            .unwrap();
        let line = format!("minKubeVersion: {}\n", wanted.unwrap_or(said));
        let after = files(folder.path()).remove(OLM_YAML).unwrap();
        assert!(after.contains(&line), "{after}");
    }
}

#[test]
fn inferred_images_are_updated_in_a_list_changed_by_the_author() {
    let settings = |tag: &str| {
        let map = map("settings");
        format!(
            "{}---\n{map}data: {{agent: 'example.com/agent:{tag}'}}\n",
            deployment(tag)
        )
    };
    let folder = old_folder();
    let images = "relatedImages:\n- {name: mine, image: 'example.com/mine:1.0.0'} # ours\n\
                  # renamed\n- {name: the-agent, image: 'example.com/agent:1.0.0'}\n";
    std::fs::write(folder.path().join(OLM_YAML), format!("{OLM}{images}")).unwrap();
    std::fs::write(folder.path().join("manifests/op.yaml"), settings("1.0.0")).unwrap();
    let release = release(folder.path(), &settings("1.1.0"), &ReleaseOptions::default()).unwrap();
    release.write(folder.path()).unwrap();
    let after = files(folder.path()).remove(OLM_YAML).unwrap();
    let wanted = images.replace("agent:1.0.0", "agent:1.1.0");
    assert!(after.ends_with(&wanted), "{after}");
}

#[test]
fn an_image_at_the_same_place_is_updated_although_its_inferred_name_changes() {
    let manifests = |tag: &str, variable: &str| {
        let deployment = deployment(tag).replace("{name: op, ", &format!("{{name: op, {variable}"));
        let map = map("settings");
        format!("{deployment}---\n{map}data: {{agent: 'example.com/agent:{tag}'}}\n")
    };
    let folder = old_folder();
    let images = "relatedImages:\n- {name: mine, image: 'example.com/mine:1.0.0'}\n\
                  - {name: agent, image: 'example.com/agent:1.0.0'}\n";
    std::fs::write(folder.path().join(OLM_YAML), format!("{OLM}{images}")).unwrap();
    std::fs::write(folder.path().join("manifests/op.yaml"), manifests("1.0.0", "")).unwrap();
    let variable = "env: [{name: RELATED_IMAGE_WORKER, value: 'example.com/agent:1.1.0'}], ";
    let release = release(folder.path(), &manifests("1.1.0", variable), &ReleaseOptions::default()).unwrap();
    release.write(folder.path()).unwrap();
    let after = files(folder.path()).remove(OLM_YAML).unwrap();
    assert!(
        after.ends_with(&images.replace("agent:1.0.0", "agent:1.1.0")),
        "{after}"
    );
}

#[test]
fn the_annotation_with_the_image_of_a_container_follows_the_container() {
    let annotated = |image: &str| format!("annotations:\n  # shown\n  containerImage: '{image}'\n  a: b\n");
    let renamed = deployment("1.1.0").replace("{name: op, image", "{name: other, image");
    for (said, stream, wanted) in [
        ("example.com/op:1.0.0", deployment("1.1.0"), "example.com/op:1.1.0"),
        ("example.com/op:0.9.0", deployment("1.1.0"), "example.com/op:0.9.0"),
        ("example.com/op:1.0.0", renamed, "example.com/op:1.0.0"),
    ] {
        let folder = old_folder();
        std::fs::write(folder.path().join(OLM_YAML), format!("{OLM}{}", annotated(said))).unwrap();
        release(folder.path(), &stream, &ReleaseOptions::default())
            .unwrap()
            .write(folder.path())
            .unwrap();
        let after = files(folder.path()).remove(OLM_YAML).unwrap();
        assert!(after.ends_with(&annotated(wanted)), "{after}");
    }
}

#[test]
fn an_unknown_or_older_version_and_an_unrelated_name_are_errors() {
    let folder = old_folder();
    let error = |stream: &str| {
        let options = ReleaseOptions::default();
        release(folder.path(), stream, &options).unwrap_err().to_string()
    };
    assert_eq!(
        error(&deployment("latest")),
        "the version is unknown, because no image tag of the operator is a version"
    );
    assert!(error(&deployment("0.9.0")).contains("which is older than 1.0.0"));
    std::fs::write(folder.path().join(OLM_YAML), OLM.replace("op.v1.0.0", "op-one")).unwrap();
    assert!(error(&deployment("1.1.0")).contains("does not end in the version 1.0.0"));
    std::fs::remove_file(folder.path().join(OLM_YAML)).unwrap();
    assert!(error(&deployment("1.1.0")).contains("it contains no metadata/olm.yaml"));
}

#[test]
fn a_name_with_a_release_or_a_changed_version_spelling_gets_the_next_version() {
    for (name, version, more, next, wanted) in [
        ("op-v1.0.0-1", "1.0.0", "release: '1'\n", "1.1.0", "op-v1.1.0-1"),
        (
            "op.v1.0.0-build.5",
            "1.0.0+build.5",
            "",
            "1.1.0+build.6",
            "op.v1.1.0-build.6",
        ),
        ("op.v1.0.0-rc.1", "1.0.0-RC.1", "", "1.0.0", "op.v1.0.0"),
    ] {
        let folder = old_folder();
        let olm = OLM
            .replace("op.v1.0.0", name)
            .replace("version: 1.0.0", &format!("version: {version}"));
        std::fs::write(folder.path().join(OLM_YAML), format!("{olm}{more}")).unwrap();
        let options = ReleaseOptions {
            version: Some(next.to_owned()),
            ..ReleaseOptions::default()
        };
        let release = release(folder.path(), &deployment("1.1.0"), &options).unwrap();
        release.write(folder.path()).unwrap();
        let after = files(folder.path()).remove(OLM_YAML).unwrap();
        for line in [
            format!("name: {wanted} # the name\n"),
            format!("version: {next}\n"),
            format!("\nreplaces: {name}\n"),
            more.to_owned(),
        ] {
            assert!(after.contains(&line), "{line}: {after}");
        }
    }
}

#[test]
fn a_release_with_the_same_version_and_no_replaces_is_noted() {
    for (more, version) in [
        ("", Some("1.0.0")),
        ("replaces: op.v0.9.0\n", None),
        ("skips: [op.v0.9.0]\n", None),
        ("annotations: {olm.skipRange: <1.0.0}\n", None),
    ] {
        let folder = old_folder();
        std::fs::write(folder.path().join(OLM_YAML), format!("{OLM}{more}")).unwrap();
        let release = release(folder.path(), &deployment("1.0.0"), &ReleaseOptions::default()).unwrap();
        assert_eq!(release.unreplaced.as_deref(), version, "{more}");
    }
}

#[test]
fn a_specified_version_and_replaces_are_written() {
    let folder = old_folder();
    let options = ReleaseOptions {
        version: Some("2.0.0".to_owned()),
        replaces: Some("op.v0.5.0".to_owned()),
        ..ReleaseOptions::default()
    };
    release(folder.path(), &deployment("latest"), &options)
        .unwrap()
        .write(folder.path())
        .unwrap();
    let olm = files(folder.path()).remove(OLM_YAML).unwrap();
    for line in [
        "name: op.v2.0.0 # the name\n",
        "version: 2.0.0\n",
        "\nreplaces: op.v0.5.0\n",
    ] {
        assert!(olm.contains(line), "{olm}");
    }
}

const DEFINITION: &str = "---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: beds.garden.example.com}
spec:
  group: garden.example.com
  scope: Namespaced
  names: {kind: Bed, listKind: BedList, plural: beds, singular: bed}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}
";

fn bed(name: &str, width: u32) -> String {
    format!("---\napiVersion: garden.example.com/v1\nkind: Bed\nmetadata: {{name: {name}}}\nspec: {{width: {width}}}\n")
}

fn labels(objects: &[Object]) -> Vec<String> {
    objects.iter().map(Object::label).collect()
}

#[test]
fn custom_resources_are_added_to_the_examples_and_existing_ones_kept() {
    let examples = "[{apiVersion: garden.example.com/v1, kind: Bed, metadata: {name: mine}, spec: {width: 7}}, \
                    {apiVersion: garden.example.com/v1beta1, kind: Bed, metadata: {name: old}}]";
    for said in [
        format!("annotations:\n  alm-examples: {examples}\n"),
        format!("annotations:\n  alm-examples: |\n    {examples}\n"),
    ] {
        let folder = old_folder();
        std::fs::write(folder.path().join(OLM_YAML), format!("{OLM}{said}")).unwrap();
        let [mine, old, new] = [bed("mine", 1), bed("old", 2), bed("new", 3)];
        let stream = format!("{}{DEFINITION}{mine}{old}{new}", deployment("1.1.0"));
        let options = ReleaseOptions::default();
        let first = release(folder.path(), &stream, &options).unwrap();
        assert_eq!(labels(&first.settled.examples), ["Bed/old", "Bed/new"]);
        assert_eq!(labels(&first.differing), ["Bed/mine"]);
        assert_eq!(first.added, ["CustomResourceDefinition/beds.garden.example.com"]);
        first.write(folder.path()).unwrap();
        let after = files(folder.path());
        assert!(!after["manifests/manifests.yaml"].contains("kind: Bed\n"));
        let olm = crate::text::read("olm", after[OLM_YAML].as_bytes(), &crate::text::Limits::default());
        let examples = &olm.documents[0].value()["annotations"]["alm-examples"];
        let found: Vec<_> = examples.as_array().unwrap().iter().collect();
        let widths: Vec<_> = found.iter().map(|example| example["spec"]["width"].clone()).collect();
        assert_eq!(widths, [7, 2, 3]);
        assert_eq!(
            found[1]["apiVersion"], "garden.example.com/v1",
            "v1beta1 is provided no more"
        );
        let second = release(folder.path(), &stream, &options).unwrap();
        assert_eq!(second.files, BTreeMap::new(), "the second time nothing changes");
        assert!(second.settled.examples.is_empty());
    }
}

#[test]
fn malformed_examples_are_an_error_only_if_some_are_added() {
    let folder = old_folder();
    let broken = format!("{OLM}annotations: {{alm-examples: 'no list'}}\n");
    std::fs::write(folder.path().join(OLM_YAML), broken).unwrap();
    let stream = format!("{}{DEFINITION}", deployment("1.1.0"));
    let options = ReleaseOptions::default();
    assert!(release(folder.path(), &stream, &options).is_ok());
    let error = release(folder.path(), &format!("{stream}{}", bed("a", 1)), &options).unwrap_err();
    assert!(
        matches!(&error, ReleaseError::Examples { object } if object == "Bed/a"),
        "{error}"
    );
}

#[test]
fn samples_replace_the_examples_and_custom_resources_are_added() {
    let folder = old_folder();
    let said =
        "annotations: {alm-examples: [{apiVersion: garden.example.com/v1, kind: Bed, metadata: {name: gone}}]}\n";
    std::fs::write(folder.path().join(OLM_YAML), format!("{OLM}{said}")).unwrap();
    let read = |text: &str| {
        let mut manifests = Manifests::default();
        manifests.read_file(
            "samples",
            text.as_bytes(),
            Layout::Nested,
            &crate::text::Limits::default(),
        );
        manifests.objects
    };
    let options = ReleaseOptions {
        outside: Outside {
            samples: Some(read(&bed("sample", 5))),
            ..Outside::default()
        },
        ..ReleaseOptions::default()
    };
    let stream = format!(
        "{}{DEFINITION}{}{}",
        deployment("1.1.0"),
        bed("sample", 1),
        bed("new", 2)
    );
    release(folder.path(), &stream, &options)
        .unwrap()
        .write(folder.path())
        .unwrap();
    let olm = files(folder.path()).remove(OLM_YAML).unwrap();
    let olm = crate::text::read("olm", olm.as_bytes(), &crate::text::Limits::default());
    let examples = &olm.documents[0].value()["annotations"]["alm-examples"];
    let found: Vec<_> = examples.as_array().unwrap().iter().collect();
    let found: Vec<_> = found
        .iter()
        .map(|example| (&example["metadata"]["name"], &example["spec"]["width"]))
        .collect();
    assert_eq!(found, [(&"sample".into(), &5.into()), (&"new".into(), &2.into())]);
}

fn role(verbs: &str, resources: &str) -> String {
    format!(
        "---\napiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {{name: op}}\nrules:\n\
         - {{apiGroups: [garden.example.com], resources: [{resources}], verbs: [{verbs}]}}\n---\n\
         apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRoleBinding\nmetadata: {{name: op}}\n\
         roleRef: {{apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: op}}\n\
         subjects: [{{kind: ServiceAccount, name: default}}]\n"
    )
}

#[test]
fn wildcards_are_expanded_on_request_or_if_the_previous_release_did() {
    let folder = old_folder();
    let before = |resources: &str| {
        let old = format!("{}{DEFINITION}{}", deployment("1.0.0"), role("get", resources));
        std::fs::write(folder.path().join("manifests/op.yaml"), old).unwrap();
    };
    let stream = format!("{}{DEFINITION}{}", deployment("1.1.0"), role("get", "'*'"));
    before("beds");
    let mut options = ReleaseOptions::default();
    let named = release(folder.path(), &stream, &options).unwrap();
    let rule = BTreeSet::from(["rules[0] of ClusterRole/op".to_owned()]);
    assert_eq!(named.named_before, rule);
    assert!(named.decisions.wildcards.is_empty());
    assert_eq!(named.settled.expanded.len(), 1);
    before("'*'");
    let kept = release(folder.path(), &stream, &options).unwrap();
    assert!(kept.named_before.is_empty() && kept.settled.expanded.is_empty());
    assert_eq!(kept.decisions.wildcards.len(), 1);
    options.expand_wildcards = true;
    let expanded = release(folder.path(), &stream, &options).unwrap();
    assert!(expanded.named_before.is_empty() && expanded.decisions.wildcards.is_empty());
    assert_eq!(expanded.settled.expanded.len(), 1);
}

#[test]
fn a_kept_file_is_not_overwritten_by_a_new_file_with_the_same_path() {
    let folder = old_folder();
    let path = "manifests/manifests.yaml";
    std::fs::write(folder.path().join(path), map("other")).unwrap();
    let options = ReleaseOptions {
        keep: BTreeSet::from([path.to_owned()]),
        ..ReleaseOptions::default()
    };
    let error = release(folder.path(), &deployment("1.1.0"), &options).unwrap_err();
    assert!(
        matches!(&error, ReleaseError::KeptFile { path: kept, .. } if kept == path),
        "{error}"
    );
}

#[test]
fn an_object_is_either_kept_or_imported() {
    let folder = old_folder();
    let options = ReleaseOptions {
        keep: BTreeSet::from(["manifests/mine.yaml".to_owned()]),
        ..ReleaseOptions::default()
    };
    let stream = format!("{}---\n{}", deployment("1.1.0"), map("mine"));
    let error = release(folder.path(), &stream, &options).unwrap_err();
    let said =
        "manifests/mine.yaml cannot be kept, because ConfigMap/mine is also in the new manifests, in standard input";
    assert!(error.to_string().contains(said), "{error}");
    let elsewhere = |namespace: &str| map(&format!("mine, namespace: {namespace}"));
    std::fs::write(folder.path().join("manifests/mine.yaml"), elsewhere("a")).unwrap();
    let stream = format!("{}---\n{}", deployment("1.1.0"), elsewhere("b"));
    assert!(release(folder.path(), &stream, &options).is_ok());
}

#[test]
fn a_file_that_is_kept_is_not_changed() {
    let folder = old_folder();
    let mine = format!("{}{}", bed("mine", 1), role("get", "'*'"));
    std::fs::write(folder.path().join("manifests/mine.yaml"), &mine).unwrap();
    let options = ReleaseOptions {
        keep: BTreeSet::from(["manifests/mine.yaml".to_owned()]),
        expand_wildcards: true,
        ..ReleaseOptions::default()
    };
    let stream = format!("{}{DEFINITION}", deployment("1.1.0"));
    let release = release(folder.path(), &stream, &options).unwrap();
    assert!(!release.files.contains_key("manifests/mine.yaml"));
    assert!(release.settled.examples.is_empty() && release.settled.expanded.is_empty());
    let unsupported = release.decisions.unsupported.iter();
    let found: Vec<_> = unsupported.filter_map(|finding| finding.object.as_deref()).collect();
    assert_eq!(found, ["Bed/mine"], "a person decides what becomes of it");
}
