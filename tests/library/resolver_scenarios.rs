//! Generated problems, each also solved by trying everything in the order of preference, and hostile problems, which
//! must end.

use opmx::cluster;
use opmx::install::catalogs::Catalogs;
use opmx::resolver::{Problem, Resolution, ResolverOptions, Unresolved, resolve};
use opmx::text::Limits;
use serde_json::{Value, json};
use std::collections::BTreeSet;

const SCENARIOS: u64 = 2_000;
/// A number of steps that no generated problem needs.
const STEPS: u64 = 20_000;

fn solve(state: &Value, options: &ResolverOptions) -> Result<Resolution, Unresolved> {
    let state = cluster::read("state.json", state.to_string().as_bytes(), &Limits::default()).unwrap();
    let catalogs = Catalogs::new(&state, state.catalogs.iter().map(|_| None).collect());
    let read = catalogs.read(true).unwrap();
    resolve(&Problem::of_state(&state, &read), options)
}

/// Numbers that look random but are the same in every run.
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

/// A bundle of a package. Its versions are 1.0.0, 2.0.0 and so on, and each replaces the one before it.
#[derive(Debug, Clone, Default)]
struct Bundle {
    catalog: usize,
    package: u64,
    version: u64,
    /// The numbers of the APIs that it provides and needs.
    provides: Vec<u64>,
    needs: Vec<u64>,
    /// A package, whether the bound is a minimum, and the bound: the minimum version, or the lowest that is too high.
    needs_package: Option<(u64, bool, u64)>,
    deprecated: bool,
    installed: bool,
}

impl Bundle {
    fn name(&self) -> String {
        format!("p{}.v{}", self.package, self.version)
    }
}

#[derive(Debug)]
struct Scenario {
    bundles: Vec<Bundle>,
    priorities: Vec<u64>,
    /// The package, the catalog, and the installed version.
    subscriptions: Vec<(u64, usize, Option<u64>)>,
}

fn scenario(seed: u64) -> Scenario {
    let mut chance = Chance(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(1));
    let packages = 2 + chance.below(4);
    let catalogs = 1 + usize::try_from(chance.below(2)).unwrap();
    let mut bundles = Vec::new();
    for catalog in 0..catalogs {
        for package in 0..packages {
            if catalog > 0 && chance.below(2) == 0 {
                continue;
            }
            for version in 1..=1 + chance.below(3) {
                let some = |chance: &mut Chance, of: u64| -> Vec<u64> {
                    if chance.below(of) == 0 {
                        vec![chance.below(4)]
                    } else {
                        Vec::new()
                    }
                };
                bundles.push(Bundle {
                    catalog,
                    package,
                    version,
                    provides: some(&mut chance, 2),
                    needs: some(&mut chance, 3),
                    needs_package: (chance.below(3) == 0)
                        .then(|| (chance.below(packages), chance.below(2) == 0, 1 + chance.below(3))),
                    deprecated: chance.below(12) == 0,
                    installed: false,
                });
            }
        }
    }
    let mut subscriptions = Vec::new();
    for package in 0..packages {
        if chance.below(2) == 0 {
            let installed = (chance.below(3) == 0).then_some(1);
            subscriptions.push((package, 0, installed));
            if installed.is_some() {
                let first = bundles.iter().find(|bundle| bundle.package == package).unwrap().clone();
                bundles.push(Bundle {
                    installed: true,
                    deprecated: false,
                    ..first
                });
            }
        }
    }
    Scenario {
        bundles,
        priorities: (0..catalogs).map(|_| chance.below(3)).collect(),
        subscriptions,
    }
}

impl Scenario {
    fn state(&self) -> Value {
        let api = |number: &u64| json!({"group": "example.com", "version": "v1", "kind": format!("K{number}")});
        let range = |(package, least, version): &(u64, bool, u64)| {
            let sign = if *least { ">=" } else { "<" };
            (format!("p{package}"), format!("{sign}{version}.0.0"))
        };
        let catalogs = self.priorities.iter().enumerate().map(|(catalog, priority)| {
            let here = || {
                self.bundles
                    .iter()
                    .filter(move |bundle| bundle.catalog == catalog && !bundle.installed)
            };
            let packages: BTreeSet<u64> = here().map(|bundle| bundle.package).collect();
            let packages = packages.into_iter().map(|package| {
                let of = || here().filter(move |bundle| bundle.package == package);
                let entries: Vec<Value> = of()
                    .map(|bundle| match bundle.version {
                        1 => json!({"name": bundle.name()}),
                        version => json!({"name": bundle.name(), "replaces": format!("p{package}.v{}", version - 1)}),
                    })
                    .collect();
                let bundles: Vec<Value> = of()
                    .map(|bundle| {
                        let dependencies: Vec<Value> = bundle
                            .needs_package
                            .iter()
                            .map(|need| {
                                let (package, range) = range(need);
                                json!({"type": "olm.package", "value": {"packageName": package, "version": range}})
                            })
                            .collect();
                        let deprecated = json!([{"type": "olm.deprecated", "value": {}}]);
                        json!({
                            "name": bundle.name(), "version": format!("{}.0.0", bundle.version),
                            "provides": bundle.provides.iter().map(api).collect::<Vec<_>>(),
                            "requires": bundle.needs.iter().map(api).collect::<Vec<_>>(),
                            "dependencies": dependencies,
                            "properties": if bundle.deprecated { deprecated } else { json!([]) },
                        })
                    })
                    .collect();
                json!({"name": format!("p{package}"), "defaultChannel": "stable",
                    "channels": [{"name": "stable", "entries": entries}], "bundles": bundles})
            });
            json!({"name": format!("c{catalog}"), "namespace": "olm", "priority": priority,
                "packages": packages.collect::<Vec<_>>()})
        });
        let installed = self.bundles.iter().filter(|bundle| bundle.installed).map(|bundle| {
            let required: Vec<Value> = bundle
                .needs_package
                .iter()
                .map(|need| {
                    let (package, range) = range(need);
                    json!({"type": "olm.package.required", "value": {"packageName": package, "versionRange": range}})
                })
                .collect();
            json!({"name": bundle.name(), "version": format!("{}.0.0", bundle.version),
                "package": format!("p{}", bundle.package), "properties": required,
                "provides": bundle.provides.iter().map(api).collect::<Vec<_>>(),
                "requires": bundle.needs.iter().map(api).collect::<Vec<_>>()})
        });
        let subscriptions = self.subscriptions.iter().map(|(package, catalog, installed)| {
            json!({"package": format!("p{package}"), "channel": "stable", "catalog": format!("c{catalog}"),
                "catalogNamespace": "olm", "installedCSV": installed.map(|version| format!("p{package}.v{version}"))})
        });
        json!({"globalNamespace": "olm", "catalogs": catalogs.collect::<Vec<_>>(),
            "installed": installed.collect::<Vec<_>>(), "subscriptions": subscriptions.collect::<Vec<_>>()})
    }

    /// Returns what a subscription can take, the best first.
    fn candidates(&self, (package, catalog, installed): (u64, usize, Option<u64>)) -> Vec<usize> {
        let mut found: Vec<usize> = (0..self.bundles.len())
            .filter(|at| {
                let bundle = &self.bundles[*at];
                bundle.package == package && bundle.catalog == catalog && !bundle.installed
            })
            .collect();
        found.sort_by_key(|at| std::cmp::Reverse(self.bundles[*at].version));
        if let Some(version) = installed {
            found.retain(|at| self.bundles[*at].version == version + 1);
            found.extend((0..self.bundles.len()).filter(|at| {
                let bundle = &self.bundles[*at];
                bundle.installed && bundle.package == package
            }));
        }
        found
    }

    /// Returns the lists of which a bundle needs one each, the best first.
    fn needs(&self, by: usize) -> Vec<Vec<usize>> {
        let bundle = &self.bundles[by];
        let home = (!bundle.installed).then_some(bundle.catalog);
        let list = |holds: &dyn Fn(&Bundle) -> bool| {
            let mut found: Vec<usize> = (0..self.bundles.len()).filter(|at| holds(&self.bundles[*at])).collect();
            found.sort_by_key(|at| {
                let other = &self.bundles[*at];
                let class = match () {
                    () if other.installed => 0,
                    () if home == Some(other.catalog) => 1,
                    () => 2,
                };
                let priority = if class == 0 { 0 } else { self.priorities[other.catalog] };
                let catalog = if class == 0 { 0 } else { other.catalog };
                let newest = std::cmp::Reverse(other.version);
                (class, std::cmp::Reverse(priority), catalog, other.package, newest)
            });
            found
        };
        let apis = bundle
            .needs
            .iter()
            .map(|api| list(&|other| other.provides.contains(api)));
        let package = bundle.needs_package.iter().map(|(package, least, version)| {
            list(&|other| other.package == *package && ((other.version >= *version) == *least))
        });
        apis.chain(package).collect()
    }

    fn clashes(&self, left: usize, right: usize) -> bool {
        let (left, right) = (&self.bundles[left], &self.bundles[right]);
        left.package == right.package || left.provides.iter().any(|api| right.provides.contains(api))
    }

    /// Returns the first valid selection. `ready` holds the lists to satisfy, in order; `tries` counts the attempts.
    fn first(&self, selected: &[usize], ready: &[Vec<usize>], tries: &mut u64) -> Option<Vec<usize>> {
        let Some((list, rest)) = ready.split_first() else {
            return Some(selected.to_vec());
        };
        if list.iter().any(|member| selected.contains(member)) {
            return self.first(selected, rest, tries);
        }
        list.iter().find_map(|member| {
            *tries += 1;
            assert!(*tries < 10_000_000, "too much to try everything");
            if self.bundles[*member].deprecated || selected.iter().any(|other| self.clashes(*other, *member)) {
                return None;
            }
            let selected = [selected, &[*member]].concat();
            let needs = self.needs(*member);
            // A bundle whose need nobody meets cannot be selected at all.
            if needs.iter().any(Vec::is_empty) {
                return None;
            }
            self.first(&selected, &[rest, &needs].concat(), tries)
        })
    }

    /// Returns the new bundles, found by trying everything.
    fn expected(&self) -> Option<Vec<String>> {
        // Installed bundles without a subscription come first, but there are none. Subscriptions are ordered by name.
        let lists: Vec<Vec<usize>> = self.subscriptions.iter().map(|to| self.candidates(*to)).collect();
        let found = self.first(&[], &lists, &mut 0)?;
        let new = found
            .into_iter()
            .map(|at| &self.bundles[at])
            .filter(|bundle| !bundle.installed);
        let mut names: Vec<String> = new
            .map(|bundle| format!("c{}/{}", bundle.catalog, bundle.name()))
            .collect();
        names.sort();
        Some(names)
    }
}

#[test]
fn every_selection_equals_the_first_one_found_by_exhaustive_search() {
    let (mut selected, mut impossible, mut most) = (0, 0, 0);
    for seed in 0..SCENARIOS {
        let scenario = scenario(seed);
        let options = ResolverOptions {
            steps: STEPS,
            ..ResolverOptions::default()
        };
        let found = solve(&scenario.state(), &options);
        let names = match &found {
            Ok(resolution) => {
                most = most.max(resolution.steps);
                let names = resolution.selected.iter();
                let names =
                    names.map(|bundle| format!("{}/{}", bundle.catalog.trim_start_matches("olm/"), bundle.name));
                let mut names: Vec<String> = names.collect();
                names.sort();
                Some(names)
            }
            Err(Unresolved::Unsatisfiable { messages, .. }) => {
                assert!(!messages.is_empty());
                None
            }
            Err(other) => panic!("{seed}: {other}"),
        };
        assert_eq!(names, scenario.expected(), "{seed}: {:#}", scenario.state());
        match names {
            Some(names) if !names.is_empty() => selected += 1,
            Some(_) => {}
            None => impossible += 1,
        }
    }
    println!("{SCENARIOS} agree, {selected} select something, {impossible} cannot be met; at most {most} steps");
    assert!(selected > 500 && impossible > 100, "{selected} {impossible}");
}

#[test]
fn hostile_problems_terminate() {
    let api = |number: usize| json!({"group": "g", "version": "v1", "kind": format!("K{number}")});
    let package = |name: String, bundles: Vec<Value>| {
        let mut entries: Vec<Value> = Vec::new();
        for at in 0..bundles.len() {
            let mut entry = json!({"name": bundles[at]["name"]});
            if at > 0 {
                entry["replaces"] = bundles[at - 1]["name"].clone();
            }
            entries.push(entry);
        }
        json!({"name": name, "defaultChannel": "s", "channels": [{"name": "s", "entries": entries}], "bundles": bundles})
    };
    let state = |packages: Vec<Value>| json!({"catalogs": [{"name": "c", "packages": packages}], "subscriptions": [{"package": "a0"}]});
    // A ring of bundles that need each other.
    let ring = (0..500).map(|at| {
        let bundle = json!({"name": format!("a{at}"), "version": "1.0.0", "provides": [api(at)], "requires": [api((at + 1) % 500)]});
        package(format!("a{at}"), vec![bundle])
    });
    assert_eq!(
        solve(&state(ring.collect()), &ResolverOptions::default())
            .unwrap()
            .selected
            .len(),
        500
    );
    // Ten thousand versions, only the oldest of which can be installed.
    let many = (0..10_000).map(|at| {
        let needs = if at == 0 { json!([]) } else { json!([api(7)]) };
        json!({"name": format!("a0.v{at}"), "version": format!("0.0.{at}"), "requires": needs})
    });
    let found = solve(
        &state(vec![package("a0".to_owned(), many.collect())]),
        &ResolverOptions::default(),
    )
    .unwrap();
    assert_eq!(found.install, ["a0.v0"]);
    // More operators than there are APIs to provide.
    let needs: Vec<Value> = (0..9)
        .map(|at| json!({"type": "olm.label", "value": {"label": format!("l{at}")}}))
        .collect();
    let mut packages = vec![package(
        "a0".to_owned(),
        vec![json!({"name": "a0", "version": "1.0.0", "dependencies": needs})],
    )];
    for label in 0..9 {
        for at in 0..8 {
            let labels = json!([{"type": "olm.label", "value": {"label": format!("l{label}")}}]);
            let name = format!("p{label}-{at}");
            let bundle = json!({"name": name, "version": "1.0.0", "provides": [api(at)], "properties": labels});
            packages.push(package(name, vec![bundle]));
        }
    }
    let options = ResolverOptions {
        steps: 50_000,
        ..ResolverOptions::default()
    };
    let error = solve(&state(packages), &options).unwrap_err();
    assert!(
        matches!(error, Unresolved::GaveUp { .. } | Unresolved::Unsatisfiable { .. }),
        "{error}"
    );
    // A rule that would be evaluated 10,000 to the power of 20 times.
    let rule = (0..20).fold("false".to_owned(), |inner, at| {
        format!("properties.exists(p{at}, {inner})")
    });
    let labels: Vec<Value> = (0..10_000).map(|at| json!({"type": "x", "value": at})).collect();
    let cel = json!([{"type": "olm.constraint", "value": {"failureMessage": "x", "cel": {"rule": rule}}}]);
    let bundle = json!({"name": "a0", "version": "1.0.0", "properties": labels, "dependencies": cel});
    let error = solve(
        &state(vec![package("a0".to_owned(), vec![bundle])]),
        &ResolverOptions::default(),
    )
    .unwrap_err();
    assert!(error.to_string().contains("takes too long"), "{error}");
}

#[test]
fn a_rule_that_cannot_be_evaluated_is_an_error_and_not_false() {
    for rule in ["timestamp(0) < timestamp(1)", "!(duration('1h') < duration('1m'))"] {
        let cel = json!([{"type": "olm.constraint", "value": {"failureMessage": "x", "cel": {"rule": rule}}}]);
        let bundle = json!({"name": "a0", "version": "1.0.0", "dependencies": cel});
        let channel = json!({"name": "s", "entries": [{"name": "a0"}]});
        let package = json!({"name": "a0", "defaultChannel": "s", "channels": [channel], "bundles": [bundle]});
        let catalogs = json!([{"name": "c", "packages": [package]}]);
        let state = json!({"catalogs": catalogs, "subscriptions": [{"package": "a0"}]});
        let error = solve(&state, &ResolverOptions::default()).unwrap_err();
        assert!(error.to_string().contains("which opmx cannot evaluate"), "{error}");
    }
}
