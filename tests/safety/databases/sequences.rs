//! Any sequence of accepted changes leaves a valid database.
//!
//! A sequence is generated as numbers, which become bundles and names once the content of the database at that point is
//! known, so that most changes make sense and some do not.

use crate::state::{State, assert_sound, state};
use opmx::catalog::graph::Mode;
use opmx::database::add::{AddError, Additions, Existing, Policy, Report};
use opmx::database::change::{ChangeOptions, Target};
use opmx::database::check;
use opmx::database::deprecate::{self, DeprecateError};
use opmx::database::error::DatabaseError;
use opmx::database::read::Database;
use opmx::database::record::{Contents, Record};
use opmx::database::remove::{self, Packages, RemoveError};
use opmx::diagnostic::Diagnostic;
use opmx::resolver::closure::Follow;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use rusqlite::Connection;
use serde_json::{Value, json};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// One call.
#[derive(Debug, Clone)]
enum Step {
    Add {
        bundles: Vec<Draw>,
        /// The mode of this call, in a sequence of all modes.
        mode: u8,
        /// How existing bundles are treated, and which of them is added again.
        again: (u8, u8),
        /// A different order of the same bundles.
        order: Vec<u16>,
    },
    Remove(u8),
    Prune(u8),
    PruneStranded,
    Deprecate(Vec<u8>, bool),
    Fix,
}

/// The random choices for one bundle.
#[derive(Debug, Clone)]
struct Draw {
    package: u8,
    version: (u8, u8),
    replaces: (u8, u8),
    skips: Vec<u8>,
    skip_range: bool,
    channels: Vec<&'static str>,
    default: u8,
    substitutes: (u8, u8),
    image: u8,
    kind: u8,
    requires: u8,
}

const CHANNELS: [&str; 4] = ["alpha", "beta", "fast", "stable"];

fn draw() -> impl Strategy<Value = Draw> {
    (
        (0..3_u8, (0..12_u8, any::<u8>()), (0..12_u8, any::<u8>())),
        prop::collection::vec(any::<u8>(), 0..3),
        any::<bool>(),
        prop::sample::subsequence(CHANNELS.to_vec(), 1..4),
        (0..8_u8, (0..8_u8, any::<u8>()), 0..4_u8, 0..3_u8, 0..6_u8),
    )
        .prop_map(
            |(
                (package, version, replaces),
                skips,
                skip_range,
                channels,
                (default, substitutes, image, kind, requires),
            )| {
                Draw {
                    package,
                    version,
                    replaces,
                    skips,
                    skip_range,
                    channels,
                    default,
                    substitutes,
                    image,
                    kind,
                    requires,
                }
            },
        )
}

fn addition() -> impl Strategy<Value = Step> {
    (
        prop::collection::vec(draw(), 1..5),
        0..3_u8,
        (0..10_u8, any::<u8>()),
        prop::collection::vec(any::<u16>(), 6),
    )
        .prop_map(|(bundles, mode, again, order)| Step::Add {
            bundles,
            mode,
            again,
            order,
        })
}

fn removal() -> impl Strategy<Value = Step> {
    prop_oneof![
        any::<u8>().prop_map(Step::Remove),
        any::<u8>().prop_map(Step::Prune),
        Just(Step::PruneStranded),
        Just(Step::PruneStranded),
        Just(Step::Fix),
        (prop::collection::vec(any::<u8>(), 1..4), any::<bool>())
            .prop_map(|(bundles, all)| Step::Deprecate(bundles, all)),
        (prop::collection::vec(any::<u8>(), 1..4), any::<bool>())
            .prop_map(|(bundles, all)| Step::Deprecate(bundles, all)),
        (prop::collection::vec(any::<u8>(), 1..3), any::<bool>())
            .prop_map(|(bundles, all)| Step::Deprecate(bundles, all)),
    ]
}

/// The metadata of a bundle.
#[derive(Debug, Clone, Default)]
struct Bundle {
    package: String,
    name: String,
    version: String,
    replaces: String,
    skips: Vec<String>,
    skip_range: bool,
    channels: Vec<String>,
    default: Option<String>,
    substitutes: String,
    image: String,
    kind: u8,
    requires: Option<(String, u8)>,
    note: String,
}

impl Bundle {
    fn record(&self) -> Record {
        let api = |package: &str, kind: u8| (format!("things{kind}.{package}.example.com"), format!("Thing{kind}"));
        let (crd_name, kind) = api(&self.package, self.kind);
        let crd = json!({
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": crd_name},
            "spec": {
                "group": format!("{}.example.com", self.package),
                "names": {"kind": kind, "plural": format!("things{}", self.kind)},
                "versions": [{"name": "v1"}],
            },
        });
        let required = self.requires.as_ref().map(|(package, number)| {
            let (name, kind) = api(package, *number);
            json!({"name": name, "kind": kind, "version": "v1"})
        });
        let required: Vec<Value> = required.into_iter().collect();
        let mut annotations = json!({"note": self.note});
        if self.skip_range {
            annotations["olm.skipRange"] = format!("<{}", self.version).into();
        }
        if !self.substitutes.is_empty() {
            annotations["olm.substitutesFor"] = self.substitutes.clone().into();
        }
        let csv = json!({
            "apiVersion": "operators.coreos.com/v1alpha1",
            "kind": "ClusterServiceVersion",
            "metadata": {"name": self.name, "annotations": annotations},
            "spec": {
                "version": self.version,
                "replaces": self.replaces,
                "skips": self.skips,
                "customresourcedefinitions": {
                    "owned": [{"name": crd_name, "kind": kind, "version": "v1"}],
                    "required": required,
                },
            },
        });
        Record::new(&Contents {
            origin: &self.name,
            csv: &csv,
            objects: vec![&crd, &csv],
            package: &self.package,
            channels: self.channels.clone(),
            default_channel: self.default.clone(),
            dependencies: vec![("olm.label".to_owned(), format!(r#"{{"label":"{}"}}"#, self.name))],
            properties: vec![("example.com/kind".to_owned(), format!(r#""{}""#, self.kind))],
            bundle_path: &self.image,
            extra_images: vec![format!("registry.example.com/run/{}", self.name)],
            provided: opmx::database::record::Provided::Defined,
        })
        .unwrap()
    }
}

/// The content of a database about one package.
#[derive(Debug, Default)]
struct Known {
    /// Name and version of each bundle in a channel, in ascending order.
    members: Vec<(String, String)>,
    heads: BTreeMap<String, String>,
    /// The greatest version of any bundle, including stranded ones.
    greatest: (u64, u64, u64),
}

impl Known {
    fn pick(&self, number: u8) -> Option<&str> {
        let count = self.members.len();
        (count > 0).then(|| self.members[usize::from(number) % count].0.as_str())
    }
}

fn parts(version: &str) -> (u64, u64, u64) {
    semver::Version::parse(version).map_or((0, 0, 0), |version| (version.major, version.minor, version.patch))
}

/// A database that is changed step by step, and all messages about it.
struct Place {
    _folder: tempfile::TempDir,
    path: PathBuf,
    /// All bundles that were ever added, as stored.
    bundles: BTreeMap<String, Bundle>,
    /// Bundles that an addition pushed out of a channel.
    dropped: BTreeSet<String>,
    serial: usize,
}

#[derive(Debug, Clone, Copy, Default)]
struct Tally {
    calls: usize,
    accepted: usize,
    bundles: usize,
    removals: usize,
    removed: usize,
    refused: usize,
}

fn package_of(number: u8) -> String {
    format!("p{number}")
}

impl Place {
    fn new() -> Self {
        // Where there is a file system in memory, nothing has to wait for a disk.
        let memory = Path::new("/dev/shm");
        let folder = if memory.is_dir() {
            tempfile::tempdir_in(memory)
        } else {
            tempfile::tempdir()
        };
        let folder = folder.unwrap();
        Self {
            path: folder.path().join("index.db"),
            _folder: folder,
            bundles: BTreeMap::new(),
            dropped: BTreeSet::new(),
            serial: 0,
        }
    }

    fn texts(&self, query: &str) -> Vec<(String, String)> {
        if !self.path.exists() {
            return Vec::new();
        }
        let connection = Connection::open(&self.path).unwrap();
        let mut statement = connection.prepare(query).unwrap();
        let rows = statement.query_map([], |row| {
            let text = |column| row.get::<_, Option<String>>(column).map(Option::unwrap_or_default);
            Ok((text(0)?, text(1)?))
        });
        rows.unwrap().map(Result::unwrap).collect()
    }

    fn known(&self, package: &str) -> Known {
        let mut members = self.texts(&format!(
            "SELECT DISTINCT name, version FROM operatorbundle JOIN channel_entry ON name = operatorbundle_name
             WHERE package_name = '{package}'"
        ));
        members.sort_by_key(|(name, version)| (semver::Version::parse(version).ok(), name.clone()));
        let heads = self.texts(&format!(
            "SELECT name, head_operatorbundle_name FROM channel WHERE package_name = '{package}'"
        ));
        let all = self.texts(&format!(
            "SELECT name, version FROM operatorbundle WHERE name LIKE '{package}.%'"
        ));
        Known {
            members,
            heads: heads.into_iter().collect(),
            greatest: all.iter().map(|(_, version)| parts(version)).max().unwrap_or_default(),
        }
    }

    /// The bundles of one call.
    fn bundles_of(&mut self, draws: &[Draw], mode: Mode, policy: &mut Policy, again: (u8, u8)) -> Vec<Bundle> {
        let mut known: BTreeMap<String, Known> = BTreeMap::new();
        let mut bundles: Vec<Bundle> = Vec::new();
        for draw in draws {
            let package = package_of(draw.package);
            if !known.contains_key(&package) {
                known.insert(package.clone(), self.known(&package));
            }
            let known = known.get_mut(&package).unwrap();
            let bundle = self.bundle(draw, &package, known, mode);
            policy.substitutes |= !bundle.substitutes.is_empty();
            known.greatest = known.greatest.max(parts(&bundle.version));
            for channel in &bundle.channels {
                known.heads.insert(channel.clone(), bundle.name.clone());
            }
            known.members.push((bundle.name.clone(), bundle.version.clone()));
            bundles.push(bundle);
        }
        let (kind, number) = again;
        let known = self.known(&package_of(draws[0].package));
        let head = known.heads.values().nth(usize::from(number) % known.heads.len().max(1));
        if let Some(bundle) = head.and_then(|head| self.bundles.get(head)) {
            match kind {
                0 | 1 => {
                    policy.existing = Existing::Skip;
                    bundles.push(bundle.clone());
                }
                // The last of a channel once more, with other content; nothing else, so that it stays the last.
                2 | 3 if mode == Mode::Replaces => {
                    policy.existing = Existing::Overwrite;
                    let mut bundle = bundle.clone();
                    bundle.note = format!("number {number}");
                    bundle.kind = number % 3;
                    bundles.retain(|other| other.package != bundle.package);
                    bundles.push(bundle);
                }
                4 => bundles.push(bundle.clone()),
                _ => {}
            }
        }
        bundles
    }

    fn bundle(&mut self, draw: &Draw, package: &str, known: &Known, mode: Mode) -> Bundle {
        self.serial += 1;
        let (major, minor, patch) = known.greatest;
        let (kind, number) = draw.version;
        let number = u64::from(number);
        let (major, minor, patch) = match kind {
            0..=3 | 10 => (major, minor, patch + 1),
            4..=7 => (major, minor + 1, 0),
            8 => (major + 1, 0, 0),
            // Somewhere between or below the others.
            9 => (number % 3, number % 5, number % 7 + 10),
            // One that may be there.
            _ => (major, minor, patch),
        };
        let mut bundle = Bundle {
            package: package.to_owned(),
            version: format!("{major}.{minor}.{patch}"),
            skip_range: draw.skip_range,
            channels: draw.channels.iter().map(|channel| (*channel).to_owned()).collect(),
            kind: draw.kind,
            requires: (draw.requires < 3).then(|| (package_of(draw.requires), draw.kind)),
            ..Bundle::default()
        };
        bundle.default = match draw.default {
            0 => Some("stable".to_owned()),
            1 => None,
            2 if known.heads.contains_key("fast") => Some("fast".to_owned()),
            _ => bundle.channels.first().cloned(),
        };
        let ghost = format!("{package}.v0.0.0-ghost{}", draw.replaces.1 % 3);
        let head = bundle
            .channels
            .iter()
            .find_map(|channel| known.heads.get(channel))
            .cloned();
        bundle.replaces = match draw.replaces {
            (0..=8, _) => head.unwrap_or_default(),
            (9, number) => known.pick(number).unwrap_or_default().to_owned(),
            (10, _) => ghost.clone(),
            _ => String::new(),
        };
        for number in &draw.skips {
            let next = format!("{package}.v{major}.{minor}.{}", patch + 1);
            let skipped = match number % 4 {
                // One that may come later, or one that never comes.
                0 if *number > 200 => Some(next.as_str()),
                0 => Some(ghost.as_str()),
                _ => known.pick(*number),
            };
            let skipped = skipped.map(str::to_owned).filter(|name| !bundle.skips.contains(name));
            bundle.skips.extend(skipped);
        }
        if let (0, number) = draw.substitutes
            && mode == Mode::Replaces
            && let Some(original) = known.pick(number).and_then(|name| self.bundles.get(name))
        {
            // The same version, built anew.
            bundle.version = format!(
                "{}+{}",
                original.version.split('+').next().unwrap_or_default(),
                self.serial
            );
            bundle.replaces = original.replaces.clone();
            bundle.skips.clear();
            bundle.channels = original.channels.clone();
            bundle.default = original.default.clone();
            bundle.substitutes = original.name.clone();
        }
        bundle.name = format!("{package}.v{}", bundle.version.replace('+', "-r"));
        if draw.image > 0 {
            bundle.image = format!("registry.example.com/{package}:{}", bundle.version.replace('+', "-r"));
        }
        bundle
    }

    fn add(path: &Path, bundles: &[Bundle], policy: Policy) -> Result<Report, AddError> {
        let mut additions = Additions::new(path.parent().unwrap());
        for bundle in bundles {
            additions.push(&bundle.record()).unwrap();
        }
        additions.commit(policy, &Target::InPlace(path), &ChangeOptions::default())
    }

    fn copy(&self, name: &str) -> PathBuf {
        let copy = self.path.with_file_name(name);
        let _ = fs::remove_file(&copy);
        if self.path.exists() {
            fs::copy(&self.path, &copy).unwrap();
        }
        copy
    }

    fn bytes(path: &Path) -> Option<Vec<u8>> {
        fs::read(path).ok()
    }

    /// All problems of the database.
    fn findings(&self) -> Vec<Diagnostic> {
        check::check(&Database::open(&self.path).unwrap()).unwrap()
    }

    /// Executes a step and checks all of its results.
    fn step(&mut self, step: &Step, mode: Option<Mode>, tally: &mut Tally) -> Result<(), TestCaseError> {
        let before = Self::bytes(&self.path);
        let refused = match step {
            Step::Add {
                bundles,
                mode: drawn,
                again,
                order,
            } => {
                let mode = mode.unwrap_or([Mode::Replaces, Mode::Semver, Mode::SemverSkipPatch][usize::from(*drawn)]);
                let mut policy = Policy::from(mode);
                let bundles = self.bundles_of(bundles, mode, &mut policy, *again);
                let other = self.copy("other.db");
                let result = Self::add(&self.path, &bundles, policy);
                self.in_any_order(&other, &bundles, policy, order, &result)?;
                tally.calls += 1;
                match result {
                    Ok(report) => {
                        tally.accepted += 1;
                        tally.bundles += report.bundles.len();
                        let dropped = report.packages.iter().flat_map(|change| &change.dropped);
                        self.dropped.extend(dropped.map(|dropped| dropped.bundle.clone()));
                        for bundle in bundles {
                            self.bundles.insert(bundle.name.clone(), bundle);
                        }
                        None
                    }
                    Err(error @ AddError::Refused(_)) => Some(error.to_string()),
                    Err(error) => return Err(TestCaseError::fail(format!("{error:?}"))),
                }
            }
            _ if before.is_none() => return Ok(()),
            removal => {
                tally.removals += 1;
                let refused = self.removal(removal)?;
                tally.removed += usize::from(refused.is_none());
                refused
            }
        };
        if let Some(reason) = refused {
            tally.refused += 1;
            prop_assert!(Self::bytes(&self.path) == before, "refused, and changed: {}", reason);
            prop_assert!(!reason.is_empty());
            return Ok(());
        }
        assert_sound(&self.path);
        Ok(())
    }

    /// Asserts that a different order of the same bundles gives identical bytes.
    fn in_any_order(
        &self,
        other: &Path,
        bundles: &[Bundle],
        policy: Policy,
        order: &[u16],
        result: &Result<Report, AddError>,
    ) -> Result<(), TestCaseError> {
        let mut shuffled: Vec<_> = bundles.iter().cloned().zip(order.iter().cycle()).collect();
        shuffled.sort_by_key(|(_, number)| **number);
        let shuffled: Vec<Bundle> = shuffled.into_iter().map(|(bundle, _)| bundle).collect();
        let again = Self::add(other, &shuffled, policy);
        let said = |result: &Result<Report, AddError>| match result {
            Ok(report) => format!("{report:?}"),
            Err(error) => error.to_string(),
        };
        prop_assert_eq!(said(result), said(&again));
        if Self::bytes(&self.path) != Self::bytes(other) {
            let states: [State; 2] = [state(&self.path), state(other)];
            prop_assert_eq!(&states[0], &states[1]);
            prop_assert!(false, "one content, and other bytes");
        }
        Ok(())
    }

    fn removal(&self, step: &Step) -> Result<Option<String>, TestCaseError> {
        let target = Target::InPlace(&self.path);
        let options = ChangeOptions::default();
        let packages = self.texts("SELECT name, NULL FROM package ORDER BY name");
        let one_of = |number: u8| {
            let name = packages.get(usize::from(number) % packages.len().max(1));
            BTreeSet::from([name.map_or_else(|| "none".to_owned(), |(name, _)| name.clone())])
        };
        let failed = |error: &DatabaseError| Err(TestCaseError::fail(format!("{error:?}")));
        let removed = match step {
            Step::Remove(number) => remove::packages(Packages::Only(&one_of(*number)), false, &target, &options),
            Step::Prune(number) => {
                let (kept, follow) = (one_of(*number), Follow::default());
                remove::packages(Packages::AllButNeeded(&kept, &follow), false, &target, &options)
            }
            Step::PruneStranded => remove::stranded(&target, &options),
            Step::Fix => {
                let repaired = check::repair::repair(&self.path, &options);
                return repaired
                    .map(|_| None)
                    .map_err(|error| TestCaseError::fail(error.to_string()));
            }
            Step::Deprecate(numbers, allow_package_removal) => {
                let images =
                    self.texts("SELECT bundlepath, name FROM operatorbundle WHERE bundlepath <> '' ORDER BY name");
                let chosen = numbers.iter().filter_map(|number| {
                    let image = images.get(usize::from(*number) % images.len().max(1))?;
                    Some(image.0.clone())
                });
                let chosen: BTreeSet<String> = chosen.collect();
                let request = deprecate::Request {
                    bundles: &chosen,
                    permissive: false,
                    allow_package_removal: *allow_package_removal,
                };
                return match deprecate::truncate(request, &target, &options) {
                    Ok(_) => Ok(None),
                    Err(DeprecateError::Database(error)) => failed(&error),
                    Err(error) => Ok(Some(error.to_string())),
                };
            }
            Step::Add { .. } => unreachable!("an addition is no removal"),
        };
        match removed {
            Ok(_) => Ok(None),
            Err(RemoveError::Database(error)) => failed(&error),
            Err(error) => Ok(Some(error.to_string())),
        }
    }
}

/// Runs sequences that are the same in every run, and returns their outcome.
fn run(
    steps: impl Strategy<Value = Vec<Step>>,
    mode: Option<Mode>,
    look: impl Fn(&Place, &[Diagnostic]) -> Result<(), TestCaseError>,
) -> Tally {
    let config = Config {
        // PROPTEST_CASES makes it more.
        cases: Config::default().cases / 3,
        failure_persistence: None,
        ..Config::default()
    };
    let mut runner = TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &[2; 32]));
    let tally = RefCell::new(Tally::default());
    let result = runner.run(&steps, |steps| {
        let mut place = Place::new();
        for step in &steps {
            place.step(step, mode, &mut tally.borrow_mut())?;
            if place.path.exists() {
                let findings = place.findings();
                let errors: Vec<_> = findings.iter().filter(|finding| finding.is_error()).collect();
                prop_assert!(
                    errors.is_empty(),
                    "{:?}",
                    errors.iter().map(|error| &error.message).collect::<Vec<_>>()
                );
                look(&place, &findings)?;
            }
        }
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
    tally.into_inner()
}

const MODES: [(&str, Option<Mode>); 4] = [
    ("replaces", Some(Mode::Replaces)),
    ("semver", Some(Mode::Semver)),
    ("semver-skippatch", Some(Mode::SemverSkipPatch)),
    ("a mode for each call", None),
];

/// Returns whether a finding is about the bundles behind a skipped one, where the walk of the channel ends.
fn is_stranded(message: &str) -> bool {
    message.contains("has no update path from bundle")
}

#[test]
fn accepted_additions_leave_only_warnings_about_removed_and_stranded_bundles() {
    for (name, mode) in MODES {
        let steps = prop::collection::vec(addition(), 1..8);
        let tally = run(steps, mode, |place, findings| {
            for finding in findings {
                let pushed_out = place.dropped.iter();
                let mut expected = pushed_out.map(|bundle| format!("bundle {bundle:?} is not in any channel"));
                prop_assert!(
                    finding.rule.id == "index-bundle-unreachable"
                        && (expected.any(|said| said == finding.message) || is_stranded(&finding.message)),
                    "{}: {}",
                    finding.rule.id,
                    finding.message
                );
            }
            Ok(())
        });
        println!(
            "{name}: {} of {} additions were accepted, with {} bundles",
            tally.accepted, tally.calls, tally.bundles
        );
        assert!(tally.accepted * 2 >= tally.calls, "{name}: {tally:?}");
    }
}

#[test]
fn removals_between_additions_leave_no_orphaned_rows() {
    for (name, mode) in MODES {
        let steps = prop::collection::vec(prop_oneof![3 => addition(), 2 => removal()], 2..14);
        let tally = run(steps, mode, |_, findings| {
            let allowed = findings
                .iter()
                .find(|finding| finding.rule.id != "index-bundle-unreachable");
            prop_assert!(allowed.is_none(), "{:?}", allowed.map(|finding| &finding.message));
            Ok(())
        });
        println!(
            "{name}: {} of {} additions and {} of {} removals were accepted",
            tally.accepted, tally.calls, tally.removed, tally.removals
        );
        assert!(
            tally.accepted * 2 >= tally.calls && tally.removed * 2 >= tally.removals,
            "{name}: {tally:?}"
        );
    }
}
