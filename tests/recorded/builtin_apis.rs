//! The tables of known APIs, compared with the page that they are generated from.

use opmx::bundle;
use opmx::kubernetes::builtin;
use opmx::synthesis::synthesize;
use opmx::text::Limits;
use opmx::tree::{Tree, TreeLimits};

/// The lines of a section of the page.
fn part(number: &str) -> Option<Vec<String>> {
    let folder = crate::shared::folder("reference")?;
    let page = std::fs::read_to_string(folder.join("csv-synthesis.md")).unwrap();
    let start = format!("## {number} ");
    let lines = page.lines().skip_while(|line| !line.starts_with(&start)).skip(1);
    Some(
        lines
            .take_while(|line| !line.starts_with("## "))
            .map(str::to_owned)
            .collect(),
    )
}

#[test]
fn every_built_in_resource_is_in_the_table() {
    let Some(lines) = part("16") else { return };
    let mut rows = 0;
    for line in lines.iter().filter(|line| line.starts_with("| `")) {
        let mut columns = line.trim_matches('|').splitn(2, '|').map(str::trim);
        let group = columns.next().unwrap().trim_matches('`').trim_matches('"');
        for entry in columns.next().unwrap().split("); ") {
            let (resource, rest) = entry.split_once(" → ").unwrap();
            let (kind, rest) = rest.split_once(" (").unwrap();
            let (scope, versions) = rest.trim_end_matches([')', ' ']).split_once("; ").unwrap();
            let row = builtin::find(group, resource.trim_end_matches('†'))
                .unwrap_or_else(|| panic!("no {resource} of {group:?}"));
            let found = (row.kind, row.namespaced, row.versions.join(", "));
            assert_eq!(
                found,
                (kind, scope == "N", versions.to_owned()),
                "{resource} of {group:?}"
            );
            rows += 1;
        }
    }
    assert_eq!(
        rows,
        builtin::all().len(),
        "the table has rows that the page does not have"
    );
    assert!(rows > 80, "{rows} rows");
}

#[test]
fn every_well_known_third_party_api_is_suggested() {
    let Some(lines) = part("17") else { return };
    let rows: Vec<Vec<&str>> = lines
        .iter()
        .filter(|line| line.contains(" → ") && !line.contains("never required") && !line.contains("resource → Kind"))
        .map(|line| line.trim_matches('|').split('|').map(str::trim).collect())
        .collect();
    assert!(rows.len() > 70, "{} rows", rows.len());
    let rules: Vec<String> = rows
        .iter()
        .map(|row| {
            let resource = row[1].split_once(" → ").unwrap().0;
            format!("- {{apiGroups: [{}], resources: [{resource}], verbs: [get]}}\n", row[0])
        })
        .collect();
    let manifests = format!(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: op}}\nspec: {{template: {{spec: {{serviceAccountName: op}}}}}}\n---\n\
         apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRoleBinding\nmetadata: {{name: binds}}\n\
         roleRef: {{kind: ClusterRole, name: rules}}\nsubjects: [{{kind: ServiceAccount, name: op}}]\n---\n\
         apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {{name: rules}}\nrules:\n{}",
        rules.concat()
    );
    let mut tree = Tree::new("bundle");
    for (path, text) in [
        ("manifests/all.yaml", manifests.as_str()),
        ("metadata/olm.yaml", "{}\n"),
    ] {
        tree.insert(path, text.as_bytes().to_vec(), &TreeLimits::default())
            .unwrap();
    }
    let reading = bundle::read(&tree, &Limits::default());
    let unresolved = synthesize(&reading.bundle.unwrap(), &[]).unresolved;
    for row in &rows {
        let (resource, kind) = row[1].split_once(" → ").unwrap();
        let found = unresolved
            .iter()
            .find(|entry| entry.group == row[0] && entry.resource == resource);
        let found = found.unwrap_or_else(|| panic!("{row:?} is not among the unresolved"));
        assert_eq!((found.kind, found.version), (kind, row[2]), "{row:?}");
    }
}
