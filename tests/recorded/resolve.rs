//! The recorded resolutions of OLM: the same outcome, or one of several if OLM itself chooses randomly.

use opmx::cluster;
use opmx::install::catalogs::Catalogs;
use opmx::olm::releases::Olm;
use opmx::resolver::{Problem, ResolverOptions, resolve};
use opmx::text::Limits;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Released versions of OLM do not know intents and treat an optional dependency as required.
const DIFFERENT: &str = "intent-optional-unsatisfied-upstream";

fn outcome(name: &str, text: &[u8], olm: &Olm) -> Value {
    let mut state = cluster::read(name, text, &Limits::default()).unwrap();
    cluster::observe(&mut state, None).unwrap();
    let catalogs = Catalogs::new(&state, state.catalogs.iter().map(|_| None).collect());
    let read = catalogs.read(true).unwrap();
    let problem = Problem {
        olm: olm.clone(),
        ..Problem::of_state(&state, &read)
    };
    match resolve(&problem, &ResolverOptions::default()) {
        Ok(resolution) => serde_json::to_value(resolution).unwrap(),
        Err(error) => json!({"error": error.to_string()}),
    }
}

/// An outcome; the messages of an error are not ordered.
fn comparable(outcome: &Value) -> (Value, BTreeSet<String>) {
    match outcome["error"].as_str() {
        Some(error) => (Value::Null, error.split(", ").map(str::to_owned).collect()),
        None => (outcome.clone(), BTreeSet::new()),
    }
}

/// The newest release agrees with all recordings, including the one about intents.
#[test]
fn resolutions_are_those_of_olm() {
    let Some(folder) = crate::shared::folder("goldens/resolve") else {
        return;
    };
    let mut names: Vec<String> = std::fs::read_dir(&folder)
        .unwrap()
        .filter_map(|entry| {
            let name = entry.unwrap().file_name().into_string().unwrap();
            name.strip_suffix(".expected.yaml").map(str::to_owned)
        })
        .collect();
    names.sort();
    let (mut agreed, mut differing) = (0, Vec::new());
    for name in &names {
        let file = folder.join(format!("{name}.yaml"));
        let text = std::fs::read(&file).unwrap();
        let found = outcome(file.to_str().unwrap(), &text, &Olm::newest());
        let proposed = outcome(file.to_str().unwrap(), &text, &Olm::Proposed);
        if name == DIFFERENT {
            let found = proposed;
            let selected = found["selected"].as_array().unwrap();
            assert_eq!((selected.len(), &selected[0]["name"]), (1, &json!("foo.v1.0.0")));
            println!("{name}: differs as proposed, where intents count");
        } else {
            assert_eq!(found, proposed, "{name}");
        }
        let expected = std::fs::read_to_string(folder.join(format!("{name}.expected.yaml"))).unwrap();
        let expected: Value = serde_yaml::from_str(&expected).unwrap();
        // Of several outcomes the first is the one to choose, but for the words of an error.
        let outcomes = expected["outcomes"].as_array().unwrap();
        let first = outcomes.iter().take(1);
        let errors = outcomes.iter().filter(|outcome| outcome["error"].is_string());
        let mut accepted = first.chain(errors);
        if accepted.any(|outcome| comparable(outcome) == comparable(&found)) {
            agreed += 1;
        } else {
            differing.push(format!("{name}:\n{found:#}\ninstead of\n{:#}", expected["outcomes"]));
        }
    }
    println!("{agreed} of {} agree with OLM", names.len());
    assert!(differing.is_empty(), "{}", differing.join("\n\n"));
    assert!(agreed >= 32, "{agreed}");
}
