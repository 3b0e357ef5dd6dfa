//! What `index extract` extracts from an index resolves there as it does in the whole index.

use opmx::catalog::Catalog;
use opmx::cluster::state::{Installed, Subscription};
use opmx::image::{ImageOptions, Silent, Transports};
use opmx::index::extract::{ExtractOptions, extract};
use opmx::index::open::{Index, OpenLimits};
use opmx::index::render::sources::{Form, SourceOptions};
use opmx::olm::releases::Olm;
use opmx::resolver::closure::Follow;
use opmx::resolver::{CatalogSource, Preferences, Problem, ResolverOptions, annotation, resolve};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::sync::Arc;

const PACKAGES: usize = 4;
const INTENTS: [&str; 3] = ["required", "recommended", "optional"];

/// What a bundle needs: the form of the dependency, two numbers of packages or APIs, a minimum version, an intent.
type Need = (u8, usize, usize, u8, usize);
/// The versions of a package from first to last, each with the API that it provides, and what it needs.
type Versions = Vec<(Option<usize>, Vec<Need>)>;

fn versions() -> impl Strategy<Value = Versions> {
    let need = (0_u8..7, 0..PACKAGES, 0..PACKAGES, 1_u8..4, 0_usize..3);
    let bundle = (prop::option::of(0..PACKAGES), prop::collection::vec(need, 0..3));
    prop::collection::vec(bundle, 1..4)
}

fn api(number: usize) -> Value {
    json!({"group": "g.example.com", "version": "v1", "kind": format!("K{number}")})
}

fn property(kind: &str, value: &Value) -> Value {
    json!({"type": kind, "value": value})
}

fn need(&(shape, one, other, least, intent): &Need) -> Value {
    let range =
        |package: usize| json!({"packageName": format!("p{package}"), "versionRange": format!(">={least}.0.0")});
    let constraint = |value: Value| property("olm.constraint", &value);
    match shape {
        0 | 1 => {
            let mut value = range(one);
            value["intent"] = json!(INTENTS[intent]);
            property("olm.package.required", &value)
        }
        2 => property("olm.gvk.required", &api(one)),
        3 => property("olm.label.required", &json!({"label": format!("l{one}")})),
        4 => constraint(json!({"any": {"constraints": [{"package": range(one)}, {"gvk": api(other)}]}})),
        5 => constraint(json!({"all": {"constraints": [
            {"gvk": api(one)}, {"not": {"constraints": [{"package": range(other)}]}}]}})),
        _ => constraint(json!({"cel": {
            "rule": format!("properties.exists(p, p.type == 'olm.label' && p.value.label == 'l{one}')")}})),
    }
}

/// Writes a file-based catalog: every package has a channel with all of its versions, and one with only the first.
fn write(packages: &[Versions], folder: &Path) {
    let mut text = String::new();
    let mut add = |document: Value| writeln!(text, "{document}").unwrap();
    for (number, versions) in packages.iter().enumerate() {
        let package = format!("p{number}");
        let name = |version: usize| format!("{package}.v{version}");
        add(json!({"schema": "olm.package", "name": package, "defaultChannel": "stable"}));
        let entries = (1..=versions.len()).map(|version| match version {
            1 => json!({"name": name(1)}),
            version => json!({"name": name(version), "replaces": name(version - 1)}),
        });
        let entries: Vec<Value> = entries.collect();
        add(json!({"schema": "olm.channel", "name": "old", "package": package, "entries": entries[..1]}));
        add(json!({"schema": "olm.channel", "name": "stable", "package": package, "entries": entries}));
        for (version, (provides, needs)) in (1..).zip(versions) {
            let own = json!({"packageName": package, "version": format!("{version}.0.0")});
            let mut properties = vec![property("olm.package", &own)];
            properties.extend(provides.map(|number| property("olm.gvk", &api(number))));
            properties.extend(provides.map(|number| property("olm.label", &json!({"label": format!("l{number}")}))));
            properties.extend(needs.iter().map(need));
            add(
                json!({"schema": "olm.bundle", "name": name(version), "package": package,
                "image": format!("registry.example.com/{package}:{version}"), "properties": properties}),
            );
        }
    }
    fs::create_dir(folder).unwrap();
    fs::write(folder.join("catalog.json"), text).unwrap();
}

/// Returns the results of subscribing to a package in one state after another.
fn answers(catalog: &Catalog, package: &str) -> Vec<String> {
    let bundles: Vec<&str> = catalog
        .bundles
        .iter()
        .map(|bundle| &*bundle.name)
        .filter(|name| name.starts_with(&format!("{package}.")))
        .collect();
    let mut subscriptions = Vec::new();
    for channel in [None, Some("old")] {
        for (starting, installed) in [(None, None)]
            .into_iter()
            .chain(bundles.iter().map(|name| (Some(*name), None)))
            .chain(bundles.iter().map(|name| (None, Some(*name))))
        {
            subscriptions.push(Subscription {
                name: package.to_owned(),
                package: package.to_owned(),
                channel: channel.map(str::to_owned),
                catalog: "main".to_owned(),
                catalog_namespace: "olm".to_owned(),
                starting_csv: starting.map(str::to_owned),
                installed_csv: installed.map(str::to_owned),
                current_csv: installed.map(str::to_owned),
                ..Subscription::default()
            });
        }
    }
    let all = (0..PACKAGES).map(|number| format!("p{number}")).collect();
    let tastes = [BTreeSet::new(), all].map(|with_optional| Preferences {
        with_optional,
        ..Preferences::default()
    });
    let mut answers = Vec::new();
    for subscription in subscriptions {
        let installed = subscription.installed_csv.iter().map(|name| {
            let bundle = catalog.bundle(catalog.find(name).unwrap()).unwrap();
            Installed {
                name: name.clone(),
                version: bundle.version.as_deref().map(str::to_owned),
                properties: annotation(package, bundle),
                ..Installed::default()
            }
        });
        let installed: Vec<Installed> = installed.collect();
        for (preferences, olm) in [
            (&tastes[0], Olm::Proposed),
            (&tastes[1], Olm::Proposed),
            (&tastes[0], Olm::newest()),
        ] {
            let problem = Problem {
                olm,
                namespace: "operators".to_owned(),
                catalogs: vec![CatalogSource {
                    name: "main",
                    namespace: "olm",
                    priority: 0,
                    catalog,
                }],
                installed: installed.clone(),
                subscriptions: vec![subscription.clone()],
                ..Problem::default()
            };
            let options = ResolverOptions {
                preferences: preferences.clone(),
                ..ResolverOptions::default()
            };
            answers.push(match resolve(&problem, &options) {
                // The reason why something is left out may differ: a package with no version in a range has no version
                // at all in the part.
                Ok(mut answer) => {
                    let notes = std::mem::take(&mut answer.notes);
                    let notes: Vec<_> = notes.into_iter().map(|note| (note.kind, note.subject)).collect();
                    serde_json::to_string(&(answer, notes)).unwrap()
                }
                Err(error) => error.to_string(),
            });
        }
    }
    answers
}

#[test]
fn a_needed_package_has_a_reason_even_if_it_has_a_bundle_with_the_name_of_the_needing_one() {
    for (needing, needed) in [("p1", "p2"), ("p2", "p1")] {
        let folder = tempfile::tempdir().unwrap();
        let mut text = String::new();
        for package in [needing, needed] {
            let mut properties = vec![property(
                "olm.package",
                &json!({"packageName": package, "version": "1.0.0"}),
            )];
            if package == needing {
                let range = json!({"packageName": needed, "versionRange": ">=1.0.0"});
                properties.push(property("olm.package.required", &range));
            }
            let documents = [
                json!({"schema": "olm.package", "name": package, "defaultChannel": "stable"}),
                json!({"schema": "olm.channel", "name": "stable", "package": package, "entries": [{"name": "same.v1"}]}),
                json!({"schema": "olm.bundle", "name": "same.v1", "package": package,
                    "image": format!("registry.example.com/{package}:1"), "properties": properties}),
            ];
            text.extend(documents.map(|document| format!("{document}\n")));
        }
        fs::write(folder.path().join("catalog.json"), text).unwrap();
        let transports = Transports::new(ImageOptions::default(), Arc::new(Silent));
        let options = ExtractOptions {
            packages: &[needing.to_owned()].into(),
            follow: &Follow::all(),
            folder: None,
            form: Form::default(),
        };
        let opening = SourceOptions::default();
        let extracting = extract(folder.path().to_str().unwrap(), &options, &transports, &opening);
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let extracted = runtime.block_on(extracting).unwrap();
        let [reason] = extracted.packages.members[needed].as_slice() else {
            panic!("{needed}: {:?}", extracted.packages.members);
        };
        assert_eq!(reason.bundle, "same.v1", "{needed}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(debug_assertions) { 24 } else { 1_000 }))]

    #[test]
    fn an_extracted_package_resolves_as_in_the_whole_index(
        packages in prop::collection::vec(versions(), PACKAGES),
        number in 0..PACKAGES,
    ) {
        let folder = tempfile::tempdir().unwrap();
        let whole = folder.path().join("whole");
        write(&packages, &whole);
        let transports = Transports::new(ImageOptions::default(), Arc::new(Silent));
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let open = |path: &Path| {
            let opening = Index::open_named(path.to_str().unwrap(), &transports, OpenLimits::default());
            runtime.block_on(opening).unwrap().catalog().unwrap().into_owned()
        };
        let catalog = open(&whole);
        let package = format!("p{number}");
        let part = folder.path().join(&package);
        let options = ExtractOptions {
            packages: &[package.clone()].into(),
            follow: &Follow::all(),
            folder: Some(&part),
            form: Form::default(),
        };
        let opening = SourceOptions::default();
        let extracting = extract(whole.to_str().unwrap(), &options, &transports, &opening);
        let extracted = runtime.block_on(extracting).unwrap();
        let part = open(&part);
        let there: Vec<&str> = part.packages.iter().map(|package| &*package.name).collect();
        let told: Vec<&String> = extracted.packages.members.keys().collect();
        prop_assert_eq!(&there, &told);
        for (name, reasons) in &extracted.packages.members {
            prop_assert_eq!(reasons.is_empty(), *name == package, "{} has no reason", name);
        }
        for (part, whole) in answers(&part, &package).iter().zip(answers(&catalog, &package)) {
            prop_assert_eq!(part, &whole, "{}", package);
        }
    }
}
