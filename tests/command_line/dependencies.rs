//! Dependencies of bundles when packages are removed from an index, extracted or mirrored: the rows of the proposal
//! *olm-optional-dependency-declaration* about tools.

use crate::bundles::{fail, miss, operator, outcome_of, small_base, succeed};
use crate::common::{Outcome, Sandbox};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;

/// A dependency: the package, the range, the intent.
type Need = (&'static str, &'static str, &'static str);

/// Package `app` requires `base` 1.x, recommends `extra`, and optionally uses `backup`, which requires `store`, and
/// `gone`, which does not exist.
const BUNDLES: [(&str, &str, &[Need]); 8] = [
    ("app", "1.0.0", &[("base", "1.x", "required")]),
    (
        "app",
        "2.0.0",
        &[
            ("base", "1.x", "required"),
            ("extra", ">=1.0.0", "recommended"),
            ("backup", ">=1.0.0", "optional"),
            ("gone", ">=1.0.0", "optional"),
        ],
    ),
    ("base", "1.5.0", &[]),
    ("base", "2.0.0", &[]),
    ("extra", "1.0.0", &[]),
    (
        "backup",
        "1.0.0",
        &[("store", ">=1.0.0", "required"), ("taste", ">=1.0.0", "optional")],
    ),
    ("store", "1.0.0", &[]),
    ("taste", "1.0.0", &[]),
];

/// The bundles as a catalog and as a database.
fn needy() -> Sandbox {
    let sandbox = Sandbox::new();
    let mut text = String::new();
    let mut add = |document: Value| writeln!(text, "{document}").unwrap();
    let packages: BTreeSet<&str> = BUNDLES.iter().map(|(package, ..)| *package).collect();
    for package in packages {
        add(json!({"schema": "olm.package", "name": package, "defaultChannel": "stable"}));
        let versions = BUNDLES.iter().filter(|(of, ..)| *of == package);
        let mut before: Option<String> = None;
        let entries = versions.map(|(_, version, _)| {
            let name = format!("{package}.v{version}");
            let mut entry = json!({"name": name});
            if let Some(before) = before.replace(name) {
                entry["replaces"] = json!(before);
            }
            entry
        });
        let entries: Vec<Value> = entries.collect();
        add(json!({"schema": "olm.channel", "name": "stable", "package": package, "entries": entries}));
    }
    for (package, version, needs) in BUNDLES {
        let mut properties =
            vec![json!({"type": "olm.package", "value": {"packageName": package, "version": version}})];
        properties.extend(needs.iter().map(|(package, range, intent)| {
            json!({"type": "olm.package.required",
                "value": {"packageName": package, "versionRange": range, "intent": intent}})
        }));
        add(
            json!({"schema": "olm.bundle", "name": format!("{package}.v{version}"), "package": package,
            "image": format!("registry.example.com/{package}:{version}"), "properties": properties}),
        );
    }
    fs::create_dir(sandbox.path("catalog")).unwrap();
    fs::write(sandbox.path("catalog/catalog.json"), text).unwrap();
    succeed(&sandbox, "index from-fbc catalog -q --generate");
    fs::rename(sandbox.path("database/index.db"), sandbox.path("index.db")).unwrap();
    sandbox
}

fn run(sandbox: &Sandbox, line: &str) -> Outcome {
    sandbox.run(line.split_whitespace())
}

fn packages(sandbox: &Sandbox, index: &str) -> String {
    let listed = outcome_of(sandbox, &format!("index list packages {index} -o json")).stdout;
    let rows: Value = serde_json::from_str(&listed).unwrap();
    let names = rows.as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap());
    names.collect::<Vec<_>>().join(" ")
}

/// Row D6: curated catalog collectors.
#[test]
fn d6_a_package_is_extracted_with_its_dependencies_and_the_reasons() {
    let sandbox = needy();
    small_base(&sandbox);
    for from in ["catalog", "index.db"] {
        let outcome = outcome_of(&sandbox, &format!("index extract app -f {from} -o {from}-part"));
        let reasons = "\
kept package app
kept package backup: app.v2.0.0 would like package backup in the range >=1.0.0
kept package base: app.v1.0.0 requires package base in the range 1.x (and one more reason)
kept package extra: app.v2.0.0 recommends package extra in the range >=1.0.0
kept package store: backup.v1.0.0 requires package store in the range >=1.0.0
kept package taste: backup.v1.0.0 would like package taste in the range >=1.0.0
warning: app.v2.0.0 depends on package ";
        assert!(outcome.stderr.starts_with(reasons), "{outcome}");
        assert!(
            outcome.stderr.contains(", which nothing in the index satisfies\n"),
            "{outcome}"
        );
        assert!(outcome.stderr.ends_with(&format!("wrote {from}-part\n")), "{outcome}");
        assert_eq!(outcome.stdout, "");
        assert_eq!(
            packages(&sandbox, &format!("{from}-part")),
            "app backup base extra store taste"
        );
        let same = |flags: &str, expected: &str| {
            let line = format!("index extract app -f {from} -d part.db {flags}");
            let outcome = outcome_of(&sandbox, &line);
            assert!(outcome.stderr.contains("kept package app\n"), "{outcome}");
            assert_eq!(packages(&sandbox, "part.db"), expected, "{line}");
            let checked = outcome_of(&sandbox, "index check part.db");
            let is_short = checked.stdout.contains("index-dependency");
            assert_eq!(is_short, !expected.contains("base"), "{line}: {checked}");
            fs::remove_file(sandbox.path("part.db")).unwrap();
        };
        same("", "app backup base extra store taste");
        same("--with-dependencies", "app backup base extra store taste");
        same("--with-dependencies=required", "app base");
        same("--with-dependencies=recommended", "app extra");
        same("--with-dependencies=required,optional", "app backup base store taste");
        same("--without-recommended", "app backup base store taste");
        same("--without-recommended=extra", "app backup base store taste");
        same(
            "--with-dependencies=required --with-optional backup",
            "app backup base store",
        );
        same("--no-dependencies", "app");
        assert_eq!(
            outcome_of(&sandbox, &format!("index check {from}")).stdout,
            "no findings\n"
        );
        let line = format!("index extract extra store -q -f {from} -i oci:base:v1 -t oci:{from}-image:v1");
        let outcome = outcome_of(&sandbox, &line);
        assert!(
            outcome.stdout.starts_with(&format!("oci:{from}-image@sha256:")),
            "{outcome}"
        );
        assert_eq!(packages(&sandbox, &format!("oci:{from}-image:v1")), "extra store");
    }
    let trial = outcome_of(&sandbox, "index extract app -f catalog -o none --dry-run");
    assert!(trial.stderr.ends_with("nothing was written\n"), "{trial}");
    let trial = outcome_of(&sandbox, "index extract app -f index.db --dry-run");
    assert!(trial.stderr.ends_with("nothing was written\n"), "{trial}");
    assert!(!sandbox.path("none").exists());
}

#[test]
fn a_failed_extraction_changes_nothing() {
    let sandbox = needy();
    fs::write(sandbox.path("taken.db"), "mine").unwrap();
    let outcome = fail(&sandbox, "index extract app -f index.db -d taken.db");
    assert!(outcome.stderr.contains("taken.db already exists"), "{outcome}");
    assert_eq!(fs::read(sandbox.path("taken.db")).unwrap(), b"mine");
    let outcome = fail(&sandbox, "index extract app -f index.db -o catalog");
    assert!(outcome.stderr.contains("choose another folder"), "{outcome}");
    for (form, to) in [("index.db", "-o new"), ("catalog", "-o new"), ("index.db", "-d new.db")] {
        let outcome = miss(&sandbox, &format!("index extract ap -f {form} {to}"));
        assert!(
            outcome.stderr.contains("no package") && outcome.stderr.contains("app"),
            "{outcome}"
        );
        assert!(!sandbox.path("new").exists() && !sandbox.path("new.db").exists());
    }
    for wrong in [
        "index extract app -f index.db",
        "index extract -f index.db -o new",
        "index extract app -f index.db -o new -d new.db",
        "index extract app -f index.db -d new.db --language yaml",
        "index extract app -f index.db -o new --no-dependencies --with-dependencies",
    ] {
        let outcome = run(&sandbox, wrong);
        assert_eq!(outcome.status, Some(2), "{wrong}: {outcome}");
    }
    // A catalog can say more than a package: that is left out, and said.
    let file = sandbox.path("catalog/more.json");
    fs::write(file, json!({"schema": "acme.note", "name": "all"}).to_string()).unwrap();
    let outcome = outcome_of(&sandbox, "index extract extra -f catalog -o new --language yaml");
    assert!(
        outcome
            .stderr
            .contains("warning: left out 1 document without a package"),
        "{outcome}"
    );
    assert!(
        fs::read_to_string(sandbox.path("new/extra/catalog.yaml"))
            .unwrap()
            .starts_with("---\n")
    );
}

#[test]
fn a_catalog_is_pruned_to_the_dependencies_of_a_package() {
    let sandbox = needy();
    let left = |flags: &str| {
        let catalog = fs::read_to_string(sandbox.path("catalog/catalog.json")).unwrap();
        let outcome = outcome_of(&sandbox, &format!("catalog prune catalog {flags}"));
        let packages = outcome_of(&sandbox, "index list packages catalog -o json");
        let packages: Value = serde_json::from_str(&packages.stdout).unwrap();
        let names = packages.as_array().unwrap().iter();
        let names: Vec<String> = names
            .map(|package| package["name"].as_str().unwrap().to_owned())
            .collect();
        fs::write(sandbox.path("catalog/catalog.json"), catalog).unwrap();
        (names.join(" "), outcome.stderr)
    };
    let lost = |named: &str| {
        format!("warning: {named} package base in the range 1.x, which nothing in the catalog provides anymore\n")
    };
    let (packages, said) = left("-p app");
    assert_eq!(packages, "app");
    assert!(said.contains(&lost("app.v1.0.0 and 1 more require")), "{said}");
    let (packages, said) = left("-p app --with-dependencies=required");
    assert_eq!(packages, "app base");
    assert!(
        said.contains("kept package base: app.v1.0.0 requires package base in the range 1.x"),
        "{said}"
    );
    assert!(!said.contains("anymore"), "{said}");
    // What only a version needs that goes is not needed.
    assert_eq!(left("-p app@<2.0.0 --with-dependencies").0, "app base");
    assert_eq!(
        left("-p app@heads --with-dependencies").0,
        "app backup base extra store taste"
    );
    // Of a package that is named only the part is there.
    let (packages, said) = left("-p app@heads -p base@heads --with-dependencies=required");
    assert_eq!(packages, "app base");
    assert!(
        said.contains("app.v2.0.0 depends on package base in the range 1.x, which nothing in the index satisfies\n"),
        "{said}"
    );

    let outcome = outcome_of(&sandbox, "catalog rm catalog base@1.5.0");
    assert!(
        outcome.stderr.contains(&lost("app.v1.0.0 and 1 more require")),
        "{outcome}"
    );
}

#[test]
fn truncation_reports_dependencies_that_lose_their_provider() {
    let sandbox = needy();
    operator(&sandbox, "newer", "base", "2.1.0", Some("base.v2.0.0"));
    succeed(&sandbox, "registry add -q -b newer -d index.db");
    let truncated = outcome_of(&sandbox, "registry deprecatetruncate -b base.v2.0.0 -d index.db");
    insta::assert_snapshot!(truncated.stderr, @"
    deprecated bundle base.v2.0.0
    removed bundle base.v1.5.0
    warning: app.v1.0.0 and 1 more require package base in the range 1.x, which nothing in the index provides anymore
    ");
}

/// Row D33: pruning by intent, and a warning if a dependency loses its provider.
#[test]
fn d33_pruning_keeps_dependencies_or_reports_lost_providers() {
    let sandbox = needy();
    let copy = || fs::copy(sandbox.path("index.db"), sandbox.path("copy.db")).unwrap();
    let prune = |flags: &str, expected: &str| {
        copy();
        let outcome = outcome_of(&sandbox, &format!("registry prune -p app -d copy.db {flags}"));
        assert_eq!(packages(&sandbox, "copy.db"), expected, "{flags}");
        outcome.stderr
    };
    let lost = "warning: app.v1.0.0 and 1 more require package base in the range 1.x, which nothing in the index provides anymore\n";
    assert!(prune("", "app").contains(lost));
    let checked = outcome_of(&sandbox, "index check copy.db");
    insta::assert_snapshot!(checked.stdout, @r#"
    warning[index-dependency]: bundles "app.v1.0.0" and "app.v2.0.0" require package base in the range 1.x, but no bundle in the index provides it
     |
     = help: Add a bundle that satisfies the dependency, or specify an additional catalog that contains one.

    1 warning
    "#);
    let kept = prune("--with-dependencies", "app backup base extra store taste");
    assert!(kept.contains("kept package store: backup.v1.0.0 requires"), "{kept}");
    assert!(!kept.contains("anymore"), "{kept}");
    assert!(
        !outcome_of(&sandbox, "index check copy.db")
            .stdout
            .contains("index-dependency")
    );
    assert!(!prune("--with-dependencies=required", "app base").contains("anymore"));
    assert!(prune("--with-dependencies=optional", "app backup store taste").contains(lost));
    let trial = outcome_of(
        &sandbox,
        "index prune -p app -f catalog --with-dependencies=required,recommended --dry-run",
    );
    assert!(
        trial.stderr.contains("kept package extra: app.v2.0.0 recommends"),
        "{trial}"
    );
    assert!(trial.stderr.contains("removed package store"), "{trial}");

    copy();
    let removed = outcome_of(&sandbox, "registry rm -o base,extra -d copy.db");
    assert_eq!(removed.stderr.matches("warning").count(), 1, "{removed}");
    assert!(removed.stderr.contains(lost), "{removed}");
    let removed = outcome_of(&sandbox, "index rm -o store -f catalog --dry-run");
    assert!(
        removed.stderr.contains("backup.v1.0.0 requires package store"),
        "{removed}"
    );
    // What never was there is not lost.
    let removed = outcome_of(&sandbox, "registry rm -o taste -d copy.db");
    assert!(!removed.stderr.contains("warning"), "{removed}");
    // For an OLM that knows no intents every dependency needs a provider.
    let checked = outcome_of(&sandbox, "index check index.db --olm 0.46.0");
    let missing = "warning[index-dependency]: bundle \"app.v2.0.0\" requires package gone in the range >=1.0.0";
    assert!(checked.stdout.contains(missing), "{checked}");
    assert!(!outcome_of(&sandbox, "index check index.db").stdout.contains("gone"));
}

fn mirrored(sandbox: &Sandbox, flags: &str) -> (String, Vec<Value>) {
    let outcome = outcome_of(sandbox, &format!("index list images -o json {flags}"));
    let images: Vec<Value> = serde_json::from_str(&outcome.stdout).unwrap();
    let names = images.iter().map(|image| image["bundles"][0]["name"].as_str().unwrap());
    (names.collect::<Vec<_>>().join(" "), images)
}

/// Rows D7, D28, D29 and D30: tools that collect related images include every dependency, whatever its intent, and its
/// requirements.
#[test]
fn d7_d28_d29_d30_dependencies_of_every_intent_are_mirrored() {
    let sandbox = needy();
    for index in ["index.db", "catalog"] {
        let names = |flags: &str| mirrored(&sandbox, &format!("{index} app {flags}")).0;
        let own = "app.v1.0.0 app.v2.0.0";
        let everything = format!("{own} backup.v1.0.0 base.v1.5.0 extra.v1.0.0 store.v1.0.0 taste.v1.0.0");
        assert_eq!(names(""), everything);
        assert_eq!(names("--no-dependencies"), own);
        assert_eq!(names("--intent required"), format!("{own} base.v1.5.0"));
        assert_eq!(names("--intent recommended"), format!("{own} extra.v1.0.0"));
        let optional = format!("{own} backup.v1.0.0 store.v1.0.0 taste.v1.0.0");
        assert_eq!(names("--intent optional"), optional, "closed over what is required");
        assert_eq!(
            names("--intent required --with-optional backup"),
            format!("{own} backup.v1.0.0 base.v1.5.0 store.v1.0.0")
        );
        assert_eq!(
            names("--intent required,recommended --without-recommended=extra"),
            format!("{own} base.v1.5.0")
        );
    }
    let (_, images) = mirrored(&sandbox, "index.db app");
    let reasons = |image: &str| {
        let image = images.iter().find(|found| found["image"] == image).unwrap();
        image["bundles"][0]["reasons"].clone()
    };
    assert_eq!(reasons("registry.example.com/app:2.0.0"), Value::Null);
    assert_eq!(
        reasons("registry.example.com/store:1.0.0"),
        json!([{"intent": "required", "bundle": "backup.v1.0.0", "needs": "package store in the range >=1.0.0"}])
    );
    let table = outcome_of(&sandbox, "index list images index.db app").stdout;
    let why = |image: &str| {
        let line = table.lines().find(|line| line.starts_with(image)).unwrap();
        line.rsplit("  ").next().unwrap().to_owned()
    };
    assert_eq!(why("registry.example.com/app:1.0.0"), "chosen");
    assert_eq!(why("registry.example.com/base"), "required by app.v1.0.0 and 1 more");
    assert_eq!(why("registry.example.com/backup"), "optional by app.v2.0.0");
    let wrong = run(
        &sandbox,
        "index list images index.db app --no-dependencies --intent required",
    );
    assert_eq!(wrong.status, Some(2), "{wrong}");
}

/// Row D22: clients can override recommended dependencies per package.
#[test]
fn d22_a_recommended_dependency_can_be_excluded_by_name() {
    let sandbox = needy();
    let selected = |flags: &str| {
        let outcome = outcome_of(&sandbox, &format!("resolve app --catalog index.db -o json {flags}"));
        let answer: Value = serde_json::from_str(&outcome.stdout).unwrap();
        let names = answer["install"]
            .as_array()
            .unwrap()
            .iter()
            .map(|name| name.as_str().unwrap());
        names.collect::<Vec<_>>().join(" ")
    };
    assert_eq!(selected(""), "app.v2.0.0 base.v1.5.0 extra.v1.0.0");
    assert_eq!(selected("--without-recommended"), "app.v2.0.0 base.v1.5.0");
    assert_eq!(selected("--without-recommended=extra"), "app.v2.0.0 base.v1.5.0");
    assert_eq!(
        selected("--without-recommended=other"),
        "app.v2.0.0 base.v1.5.0 extra.v1.0.0"
    );
    assert_eq!(
        selected("--without-recommended --with-optional extra"),
        "app.v2.0.0 base.v1.5.0 extra.v1.0.0",
        "what is asked for is taken"
    );
    assert_eq!(
        selected("--without-recommended=extra --with-optional backup"),
        "app.v2.0.0 backup.v1.0.0 base.v1.5.0 store.v1.0.0"
    );
    let outcome = outcome_of(&sandbox, "resolve app --catalog index.db --without-recommended=othr");
    assert!(
        outcome.stdout.contains("no selected bundle depends on package othr"),
        "{outcome}"
    );
}
