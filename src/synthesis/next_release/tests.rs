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
fn manifests_are_replaced_and_olm_yaml_keeps_what_a_person_wrote() {
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
fn a_manifest_that_is_to_be_kept_stays() {
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
fn what_was_inferred_is_inferred_anew_and_what_was_decided_stays() {
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
fn an_unknown_or_older_version_and_a_name_that_does_not_follow_it_are_errors() {
    let folder = old_folder();
    let error = |stream: &str| {
        let options = ReleaseOptions::default();
        release(folder.path(), stream, &options).unwrap_err().to_string()
    };
    assert_eq!(
        error(&deployment("latest")),
        "no version is known: the operator's image has none as its tag"
    );
    assert!(error(&deployment("0.9.0")).contains("which is older than 1.0.0"));
    std::fs::write(folder.path().join(OLM_YAML), OLM.replace("op.v1.0.0", "op-one")).unwrap();
    assert!(error(&deployment("1.1.0")).contains("does not end in the version 1.0.0"));
    std::fs::remove_file(folder.path().join(OLM_YAML)).unwrap();
    assert!(error(&deployment("1.1.0")).contains("it has no metadata/olm.yaml"));
}

#[test]
fn a_decided_version_and_what_it_replaces_are_written() {
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
