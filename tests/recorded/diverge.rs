//! Nothing diverges right after OLM installed it: the objects of recorded InstallPlans, and the ClusterServiceVersions
//! on a cluster for bundles in recorded catalogs (requirement S59).

use opmx::image::{ImageOptions, Silent, Transports};
use opmx::index::open::{Index, OpenLimits};
use opmx::install::content::{self, ContentError};
use opmx::install::operator::{ObservedObjects, compare};
use opmx::text::{self, Limits};
use opmx::tree::{Tree, TreeLimits};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::sync::Arc;

fn words(comparison: &opmx::install::operator::Comparison) -> Vec<String> {
    let words = comparison
        .differences
        .iter()
        .map(|one| format!("{}: {}", one.component(), one.words()));
    words.collect()
}

/// The objects of the steps as stored by the cluster.
fn objects(plan: &Value, resolving: &str, namespace: &str) -> Vec<Value> {
    let steps = plan["status"]["plan"].as_array().unwrap().iter();
    let own = steps.filter(|step| step["resolving"] == resolving);
    let object = |step: &Value| {
        let resource = &step["resource"];
        let text = |key: &str| resource[key].as_str().unwrap_or_default();
        let mut object: Value = serde_json::from_str(text("manifest")).unwrap();
        let group = text("group");
        object["apiVersion"] = if group.is_empty() {
            text("version").into()
        } else {
            format!("{group}/{}", text("version")).into()
        };
        object["kind"] = text("kind").replace("BundleSecret", "Secret").into();
        object["metadata"]["namespace"] = namespace.into();
        object
    };
    own.map(object).collect()
}

#[test]
fn plans_made_by_olm_have_no_diverging_components() {
    let Some(folder) = crate::shared::folder("goldens/cluster") else {
        return;
    };
    let mut compared = 0;
    for entry in fs::read_dir(&folder).unwrap() {
        let case = entry.unwrap().path();
        let read = |name: &str| fs::read(case.join(name)).ok();
        let (Some(told), Some(plan)) = (read("case.json"), read("installplan.json")) else {
            continue;
        };
        let told: Value = serde_json::from_slice(&told).unwrap();
        let command = told["commands"][0].as_str().unwrap();
        let words_of: Vec<&str> = command.split(' ').collect();
        if told["judge"] != "plan" || words_of[1] != "plan" || words_of[2].starts_with('-') {
            continue;
        }
        let plan: Value = serde_json::from_slice(&plan).unwrap();
        let namespace = plan["metadata"]["namespace"].as_str().unwrap();
        let Ok(files) = Tree::from_directory(&case.join(words_of[2]), &TreeLimits::default()) else {
            continue;
        };
        let (mut content, _) = content::of_files(&files, None, &Limits::default()).unwrap();
        let objects = objects(&plan, &content.name, namespace);
        let is_csv = |object: &&Value| object["kind"] == "ClusterServiceVersion";
        if let Some(recorded) = objects.iter().find(is_csv) {
            crate::cluster::without_schema_descriptions(&mut content.csv, recorded);
        }
        let comparison = compare(&content, &content.name, namespace, &ObservedObjects::of(&objects)).unwrap();
        assert_eq!(words(&comparison), [""; 0], "{}", case.display());
        // OLM makes the Deployments later.
        assert_eq!(
            comparison.unknown.iter().map(String::as_str).collect::<Vec<_>>(),
            ["Deployment"]
        );
        compared += 1;
    }
    println!("{compared} plans were compared");
    assert!(compared >= 9, "{compared}");
}

#[test]
fn versions_recorded_from_a_cluster_have_no_diverging_components() {
    let Some(folder) = crate::shared::folder("goldens/cluster") else {
        return;
    };
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let transports = Transports::new(ImageOptions::default(), Arc::new(Silent));
    let open = |name: &Path| {
        let location = name.to_str().unwrap().parse().unwrap();
        runtime
            .block_on(Index::open(&location, &transports, OpenLimits::default()))
            .unwrap()
    };
    let mut compared = 0;
    for case in fs::read_dir(&folder).unwrap() {
        let case = case.unwrap().path();
        let Ok(dump) = fs::read(case.join("dump.yaml")) else {
            continue;
        };
        let told: Value = serde_json::from_slice(&fs::read(case.join("case.json")).unwrap()).unwrap();
        let catalogs: Vec<_> = told["commands"]
            .as_array()
            .unwrap()
            .iter()
            .flat_map(|command| command.as_str().unwrap().split([' ', '=']))
            .filter(|word| Path::new(word).extension().is_some_and(|extension| extension == "db"))
            .map(|word| case.join(word))
            .filter(|path| path.is_file())
            .collect();
        let documents = text::read("dump.yaml", &dump, &Limits::default()).documents;
        let lists: Vec<Value> = documents.into_iter().map(text::Document::into_value).collect();
        let objects: Vec<Value> = lists
            .iter()
            .flat_map(|list| list["items"].as_array().unwrap().clone())
            .collect();
        for catalog in catalogs {
            let index = open(&catalog);
            for csv in objects
                .iter()
                .filter(|object| object["kind"] == "ClusterServiceVersion")
            {
                let (name, namespace) = (csv["metadata"]["name"].as_str().unwrap(), &csv["metadata"]["namespace"]);
                if csv["status"]["reason"] == "Copied" {
                    continue;
                }
                let content = match content::of_index(&index, None, name) {
                    Ok(content) => content,
                    Err(ContentError::Unknown { .. }) => continue,
                    Err(error) => panic!("{error}"),
                };
                let comparison = compare(
                    &content,
                    name,
                    namespace.as_str().unwrap(),
                    &ObservedObjects::of(&objects),
                )
                .unwrap();
                assert_eq!(words(&comparison), [""; 0], "{} {name}", case.display());
                compared += 1;
            }
        }
    }
    println!("{compared} versions were compared");
    assert!(compared > 0);
}
