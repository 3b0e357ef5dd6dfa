//! A plan contains exactly the bundles of the resolution that it is made from, for generated catalogs.

use crate::common::Sandbox;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;

/// A version of a package: what it needs of other packages, by package or by API.
#[derive(Debug, Clone)]
struct Bundle {
    needs: Vec<(usize, bool)>,
}

/// Packages `p0`, `p1`, …, each with its versions from the oldest on, and whether one is subscribed to and installed.
#[derive(Debug, Clone)]
struct Package {
    bundles: Vec<Bundle>,
    subscribed: bool,
    installed: Option<usize>,
}

fn packages() -> impl Strategy<Value = Vec<Package>> {
    let bundle = vec((0..5_usize, any::<bool>()), 0..3).prop_map(|needs| Bundle { needs });
    let package =
        (vec(bundle, 1..4), any::<bool>(), prop::option::of(0..4_usize)).prop_map(|(bundles, subscribed, at)| {
            Package {
                installed: at.filter(|at| subscribed && *at < bundles.len()),
                bundles,
                subscribed,
            }
        });
    vec(package, 1..5)
}

fn name(package: usize, version: usize) -> String {
    format!("p{package}.v1.{version}.0")
}

fn api(package: usize) -> Value {
    json!({"group": format!("p{package}.example.com"), "version": "v1", "kind": format!("Kind{package}")})
}

fn catalog(packages: &[Package]) -> String {
    let mut blobs = Vec::new();
    for (number, package) in packages.iter().enumerate() {
        let named = format!("p{number}");
        blobs.push(json!({"schema": "olm.package", "name": named, "defaultChannel": "stable"}));
        let entries: Vec<Value> = (0..package.bundles.len())
            .map(|version| match version.checked_sub(1) {
                Some(before) => json!({"name": name(number, version), "replaces": name(number, before)}),
                None => json!({"name": name(number, version)}),
            })
            .collect();
        blobs.push(json!({"schema": "olm.channel", "package": named, "name": "stable", "entries": entries}));
        for (version, bundle) in package.bundles.iter().enumerate() {
            let csv = json!({"apiVersion": "operators.coreos.com/v1alpha1", "kind": "ClusterServiceVersion",
                "metadata": {"name": name(number, version)},
                "spec": {"version": format!("1.{version}.0"), "install": {"strategy": "deployment", "spec": {"deployments": []}}}});
            let account = json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": format!("{named}-{version}")}});
            let mut properties = vec![
                json!({"type": "olm.package", "value": {"packageName": named, "version": format!("1.{version}.0")}}),
                json!({"type": "olm.gvk", "value": api(number)}),
            ];
            for (needed, by_api) in &bundle.needs {
                properties.push(if *by_api {
                    json!({"type": "olm.gvk.required", "value": api(*needed)})
                } else {
                    let value = json!({"packageName": format!("p{needed}"), "versionRange": ">=1.0.0"});
                    json!({"type": "olm.package.required", "value": value})
                });
            }
            for object in [csv, account] {
                let data = STANDARD.encode(object.to_string());
                properties.push(json!({"type": "olm.bundle.object", "value": {"data": data}}));
            }
            blobs.push(
                json!({"schema": "olm.bundle", "package": named, "name": name(number, version),
                "properties": properties}),
            );
        }
    }
    blobs.iter().map(Value::to_string).collect::<Vec<_>>().join("\n")
}

fn state(packages: &[Package]) -> Value {
    let (mut installed, mut subscriptions) = (Vec::new(), Vec::new());
    for (number, package) in packages.iter().enumerate().filter(|(_, package)| package.subscribed) {
        let mut subscription = json!({"package": format!("p{number}")});
        if let Some(version) = package.installed {
            subscription["installedCSV"] = json!(name(number, version));
            installed.push(
                json!({"name": name(number, version), "version": format!("1.{version}.0"),
                "package": format!("p{number}"), "provides": [api(number)]}),
            );
        }
        subscriptions.push(subscription);
    }
    json!({"catalogs": [{"name": "main", "source": "catalog"}], "installed": installed, "subscriptions": subscriptions})
}

fn names<'a>(list: &'a Value, at: impl Fn(&'a Value) -> &'a Value) -> BTreeSet<&'a str> {
    let items = list.as_array().into_iter().flatten();
    items.map(|item| at(item).as_str().unwrap()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_plan_contains_exactly_the_selected_bundles(packages in packages()) {
        let sandbox = Sandbox::new();
        fs::create_dir(sandbox.path("catalog")).unwrap();
        fs::write(sandbox.path("catalog/catalog.json"), catalog(&packages)).unwrap();
        fs::write(sandbox.path("state.yaml"), state(&packages).to_string()).unwrap();
        let resolve = sandbox.run(["resolve", "-q", "--state", "state.yaml", "-o", "json"]);
        let plan = sandbox.run(["plan", "-q", "--state", "state.yaml", "-o", "json"]);
        prop_assert_eq!(resolve.status, plan.status, "{}\n{}", resolve, plan);
        let resolution: Value = serde_json::from_str(&resolve.stdout).unwrap();
        if resolution.get("install").is_none() {
            prop_assert!(plan.stdout == "null\n" || resolution.get("error").is_some(), "{}", plan);
            return Ok(());
        }
        let plan: Value = serde_json::from_str(&plan.stdout).unwrap();
        let install = names(&resolution["install"], |name| name);
        prop_assert_eq!(&names(&plan["spec"]["clusterServiceVersionNames"], |name| name), &install);
        let steps = &plan["status"]["plan"];
        prop_assert_eq!(&names(steps, |step| &step["resolving"]), &install);
        for kind in ["ClusterServiceVersion", "ServiceAccount"] {
            let of_kind = steps.as_array().unwrap().iter().filter(|step| step["resource"]["kind"] == kind);
            prop_assert_eq!(of_kind.count(), install.len(), "{}", kind);
        }
        let made = names(&resolution["newSubscriptions"], |made| &made["name"]);
        let subscriptions = steps.as_array().unwrap().iter().filter(|step| step["resource"]["kind"] == "Subscription");
        let planned: BTreeSet<&str> = subscriptions.map(|step| step["resource"]["name"].as_str().unwrap()).collect();
        prop_assert_eq!(planned, made);
    }
}

#[test]
fn a_bundle_of_another_package_with_the_same_name_is_not_planned() {
    for (package, other) in [("pa", "pb"), ("pb", "pa")] {
        let sandbox = Sandbox::new();
        fs::create_dir(sandbox.path("catalog")).unwrap();
        let of = |package: &str| {
            let csv = json!({"apiVersion": "operators.coreos.com/v1alpha1", "kind": "ClusterServiceVersion",
                "metadata": {"name": "same.v1.0.0"}, "spec": {"version": "1.0.0", "install": {"strategy": "deployment", "spec": {"deployments": []}}}});
            let account = json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": package}});
            let object = |object: Value| json!({"type": "olm.bundle.object", "value": {"data": STANDARD.encode(object.to_string())}});
            let own = json!({"type": "olm.package", "value": {"packageName": package, "version": "1.0.0"}});
            [
                json!({"schema": "olm.package", "name": package, "defaultChannel": "stable"}),
                json!({"schema": "olm.channel", "package": package, "name": "stable", "entries": [{"name": "same.v1.0.0"}]}),
                json!({"schema": "olm.bundle", "package": package, "name": "same.v1.0.0",
                    "properties": [own, object(csv), object(account)]}),
            ]
            .map(|document| document.to_string())
            .join("\n")
        };
        fs::write(sandbox.path("catalog/catalog.json"), [of("pa"), of("pb")].join("\n")).unwrap();
        let state =
            json!({"catalogs": [{"name": "main", "source": "catalog"}], "subscriptions": [{"package": package}]});
        fs::write(sandbox.path("state.yaml"), state.to_string()).unwrap();
        let plan = sandbox.run(["plan", "-q", "--state", "state.yaml", "-o", "json"]);
        let written: Value = serde_json::from_str(&plan.stdout).unwrap();
        let accounts = written["status"]["plan"].as_array().unwrap().iter();
        let accounts = accounts.filter(|step| step["resource"]["kind"] == "ServiceAccount");
        let named: Vec<&str> = accounts
            .map(|step| step["resource"]["name"].as_str().unwrap())
            .collect();
        assert_eq!(named, [package], "not {other}\n{plan}");
    }
}
