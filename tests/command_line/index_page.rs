//! `index page`: an index as a static site.

use crate::bundles::{BOTH, fail, garden, outcome_of, rake, serve_layout, small_base, succeed};
use crate::common::Sandbox;
use crate::site::{Page, Site};
use crate::site_catalogs::{SCRIPT, garden_catalog, hostile, many};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use std::fs;

/// A database with a k8s+v1 bundle, a registry+v1 bundle and a package of two versions.
fn index(sandbox: &Sandbox) {
    rake(sandbox, "rake1", "1.0.0", None);
    rake(sandbox, "rake2", "1.1.0", Some("rake.v1.0.0"));
    succeed(sandbox, &format!("registry add -q -b {BOTH},rake1,rake2 -d index.db"));
}

/// Generates a site and reads it.
fn site(sandbox: &Sandbox, line: &str, folder: &str) -> Site {
    succeed(sandbox, &format!("index page -q {line} -o {folder}"));
    Site::read(&sandbox.path(folder))
}

#[test]
fn a_site_has_a_page_per_package_and_version_and_no_broken_links() {
    let sandbox = garden();
    index(&sandbox);
    let made = outcome_of(&sandbox, "index page index.db -o site");
    assert_eq!(
        (made.stdout.as_str(), made.stderr.as_str()),
        ("", "wrote a site with 3 packages and 4 versions to site\n")
    );
    let site = Site::read(&sandbox.path("site"));
    assert_eq!(site.complaints(), Vec::<String>::new());
    for page in [
        "index.html",
        "404.html",
        "catalog.json",
        ".nojekyll",
        "p/rake/index.html",
        "p/rake.json",
        "p/rake/rake.v1.0.0.html",
        "p/rake/rake.v1.1.0.html",
        "p/rake/diff/rake.v1.0.0..rake.v1.1.0.html",
        "p/compost-operator/index.html",
        "p/greenhouse-operator/index.html",
    ] {
        assert!(
            site.files.contains_key(page),
            "{page} is not among {:?}",
            site.files.keys()
        );
    }
    let pages = site.pages();
    let reached: std::collections::BTreeSet<&str> = pages["index.html"].links().into_iter().collect();
    assert!(reached.contains("p/rake/index.html"), "{reached:?}");
    let package = &pages["p/rake/index.html"];
    assert!(package.links().contains(&"rake.v1.0.0.html"));
    assert!(package.links().contains(&"diff/rake.v1.0.0..rake.v1.1.0.html"));
    assert!(package.text.contains("Update graph of channel stable") && package.text.contains("kind: Subscription"));
}

#[test]
fn a_site_is_reproducible_and_identical_for_an_image_and_a_database() {
    let sandbox = garden();
    small_base(&sandbox);
    index(&sandbox);
    succeed(
        &sandbox,
        &format!("index add -q -i oci:base:v1 -b {BOTH},rake1,rake2 -t oci:index:v1"),
    );
    let of_file = site(&sandbox, "index.db --title Garden --name garden", "one");
    let again = site(&sandbox, "index.db --title Garden --name garden", "two");
    assert!(of_file.files == again.files);
    let of_image = site(&sandbox, "oci:index:v1 --title Garden --name garden", "three");
    for (path, content) in &of_file.files {
        let of_image = of_image
            .files
            .get(path)
            .map(|content| String::from_utf8_lossy(content).replace("oci:index:v1", "index.db"));
        assert!(of_image.is_some_and(|other| other.as_bytes() == content), "{path}");
    }
}

/// A catalog of one package with these channel entries and versions, each with code blocks in its description.
fn code_catalog(entries: &str, versions: &[&str]) -> String {
    let mut catalog = format!(
        "schema: olm.package\nname: a\ndefaultChannel: stable\n---\nschema: olm.channel\npackage: a\nname: stable\n\
         entries: {entries}\n"
    );
    for version in versions {
        catalog.push_str(&format!(
            "---\nschema: olm.bundle\npackage: a\nname: a.v{version}\nimage: registry.example.com/a:v{version}\n\
             properties:\n- {{type: olm.package, value: {{packageName: a, version: {version}}}}}\n\
             - type: olm.csv.metadata\n  value:\n    description: \"Run\\n\\n    one\\n\\nand\\n\\n    two\\n\\nor\\n\\n    three\\n\"\n"
        ));
    }
    catalog
}

#[test]
fn a_site_depends_neither_on_the_run_nor_on_the_spelling_of_a_path() {
    let sandbox = Sandbox::new();
    fs::create_dir_all(sandbox.path("catalogs/fbc")).unwrap();
    let catalog = code_catalog("[{name: a.v1.0.0}]", &["1.0.0"]);
    fs::write(sandbox.path("catalogs/fbc/catalog.yaml"), catalog).unwrap();
    let absolute = sandbox.path("catalogs/fbc").display().to_string();
    let first = site(&sandbox, "catalogs/fbc", "first");
    assert!(first.page("index.html").text.contains("Built from fbc by"));
    assert!(!first.text("p/a/index.html").contains("ImageSetConfiguration"));
    for (number, path) in ["catalogs/fbc", "catalogs/fbc/", "./catalogs/fbc", &absolute]
        .into_iter()
        .enumerate()
    {
        let again = site(&sandbox, path, &format!("again-{number}"));
        assert!(again.files == first.files, "{path}");
    }
}

#[test]
fn a_package_that_cannot_be_installed_is_reported_and_has_no_version() {
    let sandbox = Sandbox::new();
    fs::create_dir(sandbox.path("fbc")).unwrap();
    let catalog = code_catalog("[{name: a.v1.0.0}, {name: a.v2.0.0}]", &["1.0.0", "2.0.0"]);
    fs::write(sandbox.path("fbc/catalog.yaml"), catalog).unwrap();
    let made = outcome_of(&sandbox, "index page fbc -o site");
    let reason = "the channel \"stable\" of the package \"a\" has no head";
    let warning = format!("warning: a new installation of package a gets no version: {reason}\n");
    assert!(made.stderr.contains(&warning), "{}", made.stderr);
    let site = Site::read(&sandbox.path("site"));
    assert_eq!(site.json("catalog.json")["packages"][0]["version"], Value::Null);
    assert!(site.page("index.html").text.contains("not installable"));
    let page = site.page("p/a/index.html").text;
    assert!(
        page.contains(&format!("A new installation gets no version. {reason}")),
        "{page}"
    );
}

#[test]
fn the_way_between_versions_follows_the_updates_that_olm_makes() {
    let sandbox = Sandbox::new();
    fs::create_dir(sandbox.path("fbc")).unwrap();
    let entries = "[{name: a.v1.0.0}, {name: a.v1.1.0, replaces: a.v1.0.0}, {name: a.v1.2.0, replaces: a.v1.1.0, \
                   skipRange: '>=1.0.0 <1.2.0'}]";
    let catalog = code_catalog(entries, &["1.0.0", "1.1.0", "1.2.0"]);
    fs::write(sandbox.path("fbc/catalog.yaml"), catalog).unwrap();
    let page = site(&sandbox, "fbc", "site").page("p/a/index.html");
    let followed = page
        .elements
        .iter()
        .filter_map(|element| Some((element.get("data-from")?, element.get("data-to")?)));
    let mut followed: Vec<(&str, &str)> = followed.collect();
    followed.sort_unstable();
    assert_eq!(followed, [("a.v1.0.0", "a.v1.2.0"), ("a.v1.1.0", "a.v1.2.0")]);
}

#[test]
fn a_blank_title_and_impossible_names_and_addresses_are_rejected() {
    let sandbox = Sandbox::new();
    for (option, value, problem) in [
        ("--title", "", "not blank"),
        ("--title", " ", "not blank"),
        ("--name", "Bad Name/x", "the name of a CatalogSource"),
        ("--base-url", "https://example.com/?site", "no query"),
        ("--base-url", "https://example.com/#site", "no fragment"),
    ] {
        let refused = sandbox.run(["index", "page", "catalog", "-o", "site", option, value]);
        assert_eq!(refused.status, Some(2), "{value}");
        assert!(refused.stderr.contains(problem), "{}", refused.stderr);
    }
}

#[test]
fn a_version_page_shows_apis_permissions_deployments_and_images() {
    let sandbox = garden();
    index(&sandbox);
    let site = site(&sandbox, "index.db", "site");
    let data = site.json("p/greenhouse-operator.json");
    let page = data["versions"][0]["page"].as_str().unwrap().to_owned();
    let version = site.page(&page);
    for words in [
        "Install modes",
        "Service account",
        "Permissions",
        "Deployments",
        "Greenhouse",
    ] {
        assert!(version.text.contains(words), "{words} is not in {}", version.text);
    }
    let fields = version
        .links()
        .into_iter()
        .find(|link| link.starts_with("apis/"))
        .unwrap()
        .to_owned();
    let fields = site.page(&format!("p/greenhouse-operator/{fields}"));
    assert!(fields.text.contains("spec."), "{}", fields.text);
    let listed = outcome_of(&sandbox, "index list bundles index.db -o json").stdout;
    for line in serde_json::Deserializer::from_str(&listed).into_iter::<Value>() {
        let rows = line.unwrap();
        for row in rows.as_array().cloned().unwrap_or_else(|| vec![rows]) {
            let package = row["package"].as_str().unwrap();
            let data = site.json(&format!("p/{package}.json"));
            let versions = data["versions"].as_array().unwrap();
            assert!(
                versions.iter().any(|version| version["bundle"] == row["bundle"]),
                "{row}"
            );
        }
    }
}

/// The published schemas accept fields that later versions add.
fn forbid_other_fields(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            if fields.contains_key("properties") {
                fields.insert("additionalProperties".to_owned(), false.into());
            }
            fields.values_mut().for_each(forbid_other_fields);
        }
        Value::Array(values) => values.iter_mut().for_each(forbid_other_fields),
        _ => {}
    }
}

#[test]
fn json_data_matches_its_schemas() {
    let sandbox = garden();
    index(&sandbox);
    let site = site(&sandbox, "index.db", "site");
    let schema = |of: &str| -> jsonschema::Validator {
        let schema = outcome_of(&sandbox, &format!("index page --schema {of}")).stdout;
        let mut schema: Value = serde_json::from_str(&schema).unwrap();
        let with_more = {
            let mut data = site.json(if of == "catalog" { "catalog.json" } else { "p/rake.json" });
            data["added"] = "later".into();
            data
        };
        jsonschema::validator_for(&schema)
            .unwrap()
            .validate(&with_more)
            .unwrap();
        forbid_other_fields(&mut schema);
        let strict = jsonschema::validator_for(&schema).unwrap();
        assert!(strict.validate(&with_more).is_err());
        strict
    };
    let catalog = site.json("catalog.json");
    schema("catalog").validate(&catalog).unwrap();
    let packages = catalog["packages"].as_array().unwrap();
    assert_eq!(packages.len(), 3);
    let of_package = schema("package");
    for package in packages {
        of_package
            .validate(&site.json(package["data"].as_str().unwrap()))
            .unwrap();
        assert!(site.files.contains_key(package["page"].as_str().unwrap()));
    }
    assert!(of_package.validate(&catalog).is_err());
}

/// The site of the garden, which contains everything that pages can show.
fn garden_site(sandbox: &Sandbox) -> Site {
    fs::create_dir_all(sandbox.path("garden")).unwrap();
    fs::write(sandbox.path("garden/catalog.json"), garden_catalog()).unwrap();
    site(sandbox, "garden --title Garden", "site")
}

#[test]
fn a_package_page_shows_channels_updates_support_relations_and_installation() {
    let sandbox = Sandbox::new();
    let site = garden_site(&sandbox);
    assert_eq!(site.complaints(), Vec::<String>::new());
    let sprinkler = site.page("p/sprinkler/index.html");
    for words in [
        "It forgets its schedule.",
        "package well in the range >=1.0.0",
        "a provider of Meter (garden.example.com/v1)",
        "one of\n  package lantern in the range >=1.0.0\n  rule properties.exists(p, p.type == 'light')",
        "Full support from 2026-01-01 to 2026-06-30",
        "kind: Subscription",
        "OLM v1 does not install sprinkler.v1.8.0: it has dependencies (",
        "No package in this catalog depends on this package.",
        "Updates that OLM makes",
    ] {
        assert!(sprinkler.text.contains(words), "{words} is not in {}", sprinkler.text);
    }
    assert!(!sprinkler.text.contains("kind: ClusterExtension"));
    let well = site.page("p/well/index.html");
    assert!(well.text.contains("kind: ClusterExtension"), "{}", well.text);
    assert!(well.text.contains("sprinkler needs package well"), "{}", well.text);
    assert!(
        site.page("p/lantern/index.html")
            .text
            .contains("Use meter, which also lights paths.")
    );
    let graphs = |page: &Page| {
        page.elements
            .iter()
            .filter(|element| element.get("class") == Some("graph"))
            .count()
    };
    assert_eq!((graphs(&sprinkler), graphs(&well)), (2, 2));
    // Every version of the channel leads on from its node.
    let leading = |bundle: &str| sprinkler.links().into_iter().filter(|link| *link == bundle).count();
    assert!((0..9).all(|version| leading(&format!("sprinkler.v1.{version}.0.html")) > 2));
}

#[test]
fn a_catalog_without_manifests_still_shows_what_it_contains() {
    let sandbox = Sandbox::new();
    let full = garden_site(&sandbox);
    succeed(&sandbox, "migrate -q garden small --migrate-level all");
    let small = site(&sandbox, "small --title Garden", "small-site");
    assert_eq!(small.complaints(), Vec::<String>::new());
    let page = "p/sprinkler/sprinkler.v1.8.0.html";
    let (full, small) = (full.page(page).text, small.page(page).text);
    for words in [
        "Waters beds by schedule",
        "Auto Pilot",
        "OwnNamespace",
        "What a sprinkler is to do",
        "package well in the range",
    ] {
        assert!(
            full.contains(words) && small.contains(words),
            "{words} is not in {small}"
        );
    }
    assert!(!full.contains("The catalog does not contain"), "{full}");
    for part in ["the permissions", "the Deployments", "the fields of these APIs"] {
        assert!(
            small.contains(&format!("The catalog does not contain {part}")),
            "{part}: {small}"
        );
    }
}

#[test]
fn the_section_about_olm_v1_is_about_the_bundle_that_it_chooses() {
    let sandbox = Sandbox::new();
    let bundle = |version: &str, properties: &str| {
        format!(
            "---\nschema: olm.bundle\npackage: p\nname: p.v{version}\nimage: registry.example.com/p:{version}\nproperties:\n\
             - {{type: olm.package, value: {{packageName: p, version: {version}}}}}\n{properties}"
        )
    };
    let needs = "- {type: olm.gvk.required, value: {group: g, version: v1, kind: K}}\n";
    let catalog = "schema: olm.package\nname: p\ndefaultChannel: a\n---\nschema: olm.channel\npackage: p\nname: a\n\
        entries: [{name: p.v2.0.0, replaces: p.v1.0.0}, {name: p.v1.0.0}]\n"
        .to_owned()
        + &bundle("2.0.0", "")
        + &bundle("1.0.0", needs);
    let deprecations = "---\nschema: olm.deprecations\npackage: p\nentries:\n\
        - {reference: {schema: olm.bundle, name: p.v2.0.0}, message: Broken.}\n";
    for (folder, catalog) in [("plain", catalog.clone()), ("deprecated", catalog + deprecations)] {
        fs::create_dir(sandbox.path(folder)).unwrap();
        fs::write(sandbox.path(folder).join("p.yaml"), catalog).unwrap();
    }
    let text = |folder: &str| {
        site(&sandbox, folder, &format!("{folder}-site"))
            .page("p/p/index.html")
            .text
            .clone()
    };
    assert!(text("plain").contains("kind: ClusterExtension"));
    let deprecated = text("deprecated");
    for words in [
        "OLM v1 chooses p.v1.0.0, because it prefers the highest version that is not deprecated.",
        "OLM v1 does not install p.v1.0.0: it has dependencies (K (g/v1)).",
    ] {
        assert!(deprecated.contains(words), "{words} is not in {deprecated}");
    }
    assert!(!deprecated.contains("kind: ClusterExtension"));
}

#[test]
fn the_package_list_can_be_filtered_by_every_distinguishing_property() {
    let sandbox = Sandbox::new();
    let site = garden_site(&sandbox);
    let list = site.page("index.html");
    let values = |filter: &str| -> Vec<&str> {
        let boxes = list
            .elements
            .iter()
            .filter(|element| element.get("name") == Some(filter));
        boxes.filter_map(|element| element.get("value")).collect()
    };
    assert_eq!(values("provider"), ["Field hands", "Garden tools"]);
    assert_eq!(values("status"), ["current", "deprecated"]);
    assert_eq!(values("category").first(), Some(&"Plants"));
    assert_eq!(values("mode"), ["AllNamespaces", "OwnNamespace"]);
    assert_eq!(values("group"), Vec::<&str>::new(), "all packages have the same");
    let script = site.text("assets/search.js");
    let data = script
        .strip_prefix("window.opmxPackages = ")
        .and_then(|data| data.strip_suffix(";\n"))
        .unwrap();
    let data: Vec<Value> = serde_json::from_str(data).unwrap();
    assert_eq!(data.len(), 14);
    let bundles: Vec<&Value> = data
        .iter()
        .filter(|found| found["n"] == "sprinkler")
        .map(|found| &found["b"])
        .collect();
    let newest = bundles.first().and_then(|bundles| bundles.get(0));
    assert_eq!(newest, Some(&Value::from("sprinkler.v1.8.0")), "{bundles:?}");
    let cards = list
        .elements
        .iter()
        .filter(|element| element.get("class") == Some("card"))
        .count();
    assert_eq!(cards, 14);
}

#[test]
fn a_difference_page_shows_breaking_changes_and_gained_permissions() {
    let sandbox = Sandbox::new();
    let site = garden_site(&sandbox);
    let difference = site.page("p/sprinkler/diff/sprinkler.v1.0.0..sprinkler.v1.1.0.html");
    for words in ["Sprinkler v1: spec.legacy", "2 changes may break users.", "at most: 20"] {
        assert!(difference.text.contains(words), "{words} is not in {}", difference.text);
    }
    let difference = site.page("p/sprinkler/diff/sprinkler.v1.1.0..sprinkler.v1.2.0.html");
    for words in [
        "get, list, watch secrets of (core)",
        "may read Secrets",
        "registry.example.com/garden/sprinkler",
        "sprinkler-operator: manager, resources.limits.memory: 128Mi → 256Mi",
        "failurePolicy: Ignore → Fail",
        "Sprinkler: 1.1.0 → 1.2.0",
        "get, list, watch secrets of (core) in all namespaces",
        "1 high-risk permission is gained.",
        "Permissions required for the installation",
        "No change is known to break users.",
        "Unchanged: Install modes, APIs, Required APIs",
    ] {
        assert!(difference.text.contains(words), "{words} is not in {}", difference.text);
    }
    let version = site.page("p/sprinkler/sprinkler.v1.2.0.html");
    for words in [
        "may read Secrets: get, list, watch secrets of (core) in all namespaces",
        "vsprinkler.garden.example.com",
        "CREATE, UPDATE of sprinklers",
        "64Mi",
    ] {
        assert!(version.text.contains(words), "{words} is not in {}", version.text);
    }
}

#[test]
fn content_missing_from_the_catalog_is_reported() {
    let sandbox = Sandbox::new();
    let catalog = concat!(env!("CARGO_MANIFEST_DIR"), "/testdata/catalog");
    let site = site(&sandbox, catalog, "site");
    assert_eq!(site.complaints(), Vec::<String>::new());
    let version = site.page("p/compost-operator/compost-operator.v1.1.0.html");
    for part in ["the permissions", "the Deployments", "the webhooks"] {
        let words = format!(
            "The catalog does not contain {part}; the bundle image registry.example.com/garden/compost-bundle:v1.1.0 does"
        );
        assert!(version.text.contains(&words), "{words}: {}", version.text);
    }
}

#[test]
fn a_large_icon_is_written_once_and_a_new_icon_replaces_it() {
    let sandbox = Sandbox::new();
    fs::create_dir(sandbox.path("catalog")).unwrap();
    let (one, other) = ("x".repeat(300_000), "y".repeat(300_000));
    let mut names = Vec::new();
    for filling in [one, other] {
        let svg = STANDARD.encode(format!("<svg onload=\"alert(1)\"><!--{filling}--></svg>"));
        let mut catalog = format!(
            "{}{}",
            json!({"schema": "olm.package", "name": "rake", "defaultChannel": "stable",
                "icon": {"base64data": svg, "mediatype": "image/svg+xml"}}),
            json!({"schema": "olm.channel", "package": "rake", "name": "stable", "entries": (0..20).map(|minor| {
                let replaces = (minor > 0).then(|| format!("rake.v1.{}.0", minor - 1));
                json!({"name": format!("rake.v1.{minor}.0"), "replaces": replaces.unwrap_or_default()})
            }).collect::<Vec<_>>()}),
        );
        for minor in 0..20 {
            let version = format!("1.{minor}.0");
            catalog += &json!({"schema": "olm.bundle", "package": "rake", "name": format!("rake.v{version}"),
                "image": format!("registry.example.com/rake:{version}"), "properties": [
                    {"type": "olm.package", "value": {"packageName": "rake", "version": version}}]})
            .to_string();
        }
        fs::write(sandbox.path("catalog/rake.json"), catalog).unwrap();
        let site = site(&sandbox, "catalog", "site");
        assert_eq!(site.complaints(), Vec::<String>::new());
        let icons: Vec<&String> = site.files.keys().filter(|path| path.starts_with("icons/")).collect();
        let [icon] = icons[..] else { panic!("{icons:?}") };
        let styles = site.text(icon);
        assert!(icon.contains(".css") && styles.contains(&svg), "{icon}");
        let text = |content: &Vec<u8>| String::from_utf8_lossy(content).into_owned();
        assert_eq!(
            site.files
                .values()
                .filter(|content| text(content).contains(&svg))
                .count(),
            1
        );
        let pages = site.pages();
        let with_icon = pages.keys().filter(|path| site.text(path).contains(&**icon));
        assert!(with_icon.count() > 15);
        names.push(icon.clone());
    }
    assert_ne!(names[0], names[1]);
}

#[test]
fn a_new_site_replaces_only_the_files_of_the_old_one() {
    let sandbox = garden();
    index(&sandbox);
    succeed(&sandbox, "registry add -q -b compost -d less.db");
    site(&sandbox, "index.db", "site");
    let own = [
        "CNAME",
        "p/NOTES.md",
        "p/compost-operator/notes.txt",
        "assets/custom.css",
        "icons/own.svg",
        "feed.xml",
        "changes.html",
        "p/notes.json",
        "p/mine/index.html",
        "p/compost-operator/my.html",
        "icons/0123456789abcdef.svg",
    ];
    for file in own {
        fs::create_dir_all(sandbox.path(format!("site/{file}")).parent().unwrap()).unwrap();
        fs::write(sandbox.path(format!("site/{file}")), "site.example.com").unwrap();
    }
    let mut less = site(&sandbox, "less.db", "site");
    for file in own {
        assert_eq!(less.text(file), "site.example.com");
        less.files.remove(file);
    }
    assert!(
        less.files.keys().all(|path| !path.contains("rake")),
        "{:?}",
        less.files.keys()
    );
    assert_eq!(less.complaints(), Vec::<String>::new());
    fs::create_dir_all(sandbox.path("other")).unwrap();
    fs::write(sandbox.path("other/notes.txt"), "x").unwrap();
    insta::assert_snapshot!(fail(&sandbox, "index page less.db -o other"), @r"
    ------- stderr -------
    error: other contains files that do not belong to a site
      hint: use an --output folder that is empty or contains a site
    ------- exit 1 -------
    ");
    assert_eq!(fs::read_dir(sandbox.path("other")).unwrap().count(), 1);
    insta::assert_snapshot!(fail(&sandbox, "index page less.db -o other/notes.txt"), @r"
    ------- stderr -------
    error: cannot write a site to other/notes.txt: expected a folder, but found a file
    ------- exit 1 -------
    ");
}

#[test]
fn a_site_never_replaces_a_file_that_no_earlier_run_has_written() {
    let sandbox = garden();
    index(&sandbox);
    succeed(&sandbox, "registry add -q -b compost -d less.db");
    site(&sandbox, "less.db", "site");
    fs::create_dir(sandbox.path("site/p/rake")).unwrap();
    fs::write(sandbox.path("site/p/rake/index.html"), "own").unwrap();
    let before = Site::read(&sandbox.path("site"));
    insta::assert_snapshot!(fail(&sandbox, "index page index.db -o site"), @r"
    ------- stderr -------
    error: site/p/rake/index.html does not belong to the site in this folder, but the new site has a file with this name
      hint: move the file to another name, or use another --output folder
    ------- exit 1 -------
    ");
    assert!(Site::read(&sandbox.path("site")).files == before.files);
}

#[test]
fn the_list_of_the_files_of_a_site_cannot_name_other_files() {
    let sandbox = garden();
    index(&sandbox);
    site(&sandbox, "index.db", "site");
    fs::write(sandbox.path("precious.json"), "{}").unwrap();
    let listing = sandbox.path("site/.opmx-site");
    for line in [
        "../precious.json",
        "/etc/passwd",
        "p/../../precious.json",
        "",
        "CNAME",
        "p/./a.json",
    ] {
        fs::write(&listing, format!("index.html\n{line}\n")).unwrap();
        let refused = sandbox.run(["index", "page", "index.db", "-o", "site"]);
        let expected = "error: site/.opmx-site:2: a site has no file with this path\n";
        assert!(refused.stderr.starts_with(expected), "{line}: {}", refused.stderr);
    }
    assert_eq!(fs::read_to_string(sandbox.path("precious.json")).unwrap(), "{}");
}

/// A link in the place of a folder of the site.
#[cfg(unix)]
#[test]
fn files_behind_links_are_not_removed_with_an_old_site() {
    let sandbox = garden();
    index(&sandbox);
    succeed(&sandbox, "registry add -q -b compost -d less.db");
    site(&sandbox, "index.db", "site");
    fs::rename(sandbox.path("site/p/rake"), sandbox.path("elsewhere")).unwrap();
    std::os::unix::fs::symlink(sandbox.path("elsewhere"), sandbox.path("site/p/rake")).unwrap();
    succeed(&sandbox, "index page -q less.db -o site");
    assert!(sandbox.path("elsewhere/index.html").is_file());
}

#[test]
fn a_compared_bundle_leads_to_the_page_of_its_own_package() {
    let sandbox = Sandbox::new();
    let package = |name: &str| {
        format!(
            "---\nschema: olm.package\nname: {name}\ndefaultChannel: a\n\
             ---\nschema: olm.channel\npackage: {name}\nname: a\nentries: [{{name: x.v1.0.0}}]\n\
             ---\nschema: olm.bundle\npackage: {name}\nname: x.v1.0.0\nimage: registry.example.com/{name}:1\n\
             properties: [{{type: olm.package, value: {{packageName: {name}, version: 1.0.0}}}}]\n"
        )
    };
    for (folder, names) in [("old", &["axe"][..]), ("new", &["axe", "rake"])] {
        fs::create_dir(sandbox.path(folder)).unwrap();
        let packages: String = names.iter().map(|name| package(name)).collect();
        fs::write(sandbox.path(folder).join("catalog.yaml"), packages).unwrap();
    }
    let site = site(&sandbox, "new --compare old --catalog old=old", "site");
    assert_eq!(site.complaints(), Vec::<String>::new());
    let changes = site.page("changes.html");
    let links = changes.links();
    assert!(links.contains(&"p/rake/x.v1.0.0.html"), "{links:?}");
    assert!(!links.contains(&"p/axe/x.v1.0.0.html"), "{links:?}");
    let beside = site.page("catalogs.html");
    assert!(beside.links().contains(&"p/rake/x.v1.0.0.html"), "{:?}", beside.links());
}

#[test]
fn other_indexes_can_be_compared_with() {
    let sandbox = garden();
    index(&sandbox);
    succeed(&sandbox, "registry add -q -b compost,rake1 -d old.db");
    let site = site(
        &sandbox,
        "index.db --name new --compare old.db --catalog old=old.db --base-url https://site.example.com/garden",
        "site",
    );
    assert_eq!(site.complaints(), Vec::<String>::new());
    let changes = site.page("changes.html");
    assert!(
        changes.text.contains("greenhouse-operator") && changes.text.contains("rake.v1.1.0"),
        "{}",
        changes.text
    );
    assert!(changes.links().contains(&"p/rake/rake.v1.1.0.html"));
    let beside = site.page("catalogs.html");
    assert!(
        beside.links().contains(&"p/rake/rake.v1.1.0.html"),
        "{:?}",
        beside.links()
    );
    assert!(
        beside.text.contains("not in this catalog") && beside.text.contains("1.0.0"),
        "{}",
        beside.text
    );
    assert!(site.page("404.html").links().contains(&"/garden/index.html"));
    fs::create_dir_all(sandbox.path("garden")).unwrap();
    fs::write(sandbox.path("garden/catalog.json"), garden_catalog()).unwrap();
    let based = self::site(&sandbox, "garden --base-url https://site.example.com/garden", "based");
    assert!(
        based
            .text("feed.xml")
            .contains("https://site.example.com/garden/index.html")
    );
    assert!(based.text("index.html").contains("href=\"feed.xml\""));
}

#[test]
fn a_hostile_catalog_can_neither_run_scripts_nor_leave_its_page() {
    let sandbox = Sandbox::new();
    fs::create_dir_all(sandbox.path("catalog")).unwrap();
    fs::write(sandbox.path("catalog/catalog.json"), hostile()).unwrap();
    let made = sandbox.run(["index", "page", "catalog", "-o", "site", "--title", SCRIPT]);
    assert_eq!(made.status, Some(0), "{made}");
    let site = Site::read(&sandbox.path("site"));
    assert_eq!(site.complaints(), Vec::<String>::new());
    for (path, content) in &site.files {
        let text = String::from_utf8(content.clone()).unwrap();
        assert!(
            !text.contains('\u{202e}') && !text.contains('\u{2028}'),
            "{path} holds a hidden character"
        );
        assert!(
            path.bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-._/".contains(&byte)),
            "{path}"
        );
        let extension = std::path::Path::new(path)
            .extension()
            .and_then(|extension| extension.to_str());
        if matches!(extension, Some("js" | "html")) {
            assert!(!text.contains("<script>") && !text.contains("</script><"), "{path}");
        }
    }
    // It is there as text.
    let package = site.page("p/evil/index.html");
    assert!(package.text.contains("<script>alert(1)</script>"));
    assert!(package.links().contains(&"https://example.com"));
    assert!(site.text("feed.xml").starts_with("<?xml"));
    roxmltree::Document::parse(site.text("feed.xml")).unwrap();
}

#[test]
fn image_sizes_and_platforms_are_shown_on_request() {
    let sandbox = garden();
    let name = BOTH.split(',').next().unwrap();
    succeed(&sandbox, &format!("bundle build -q {name} -t oci:images:{name}"));
    let registry = serve_layout(&sandbox, "images", || {});
    let (there, gone) = (format!("{}/{name}:v1", registry.host), "127.0.0.1:1/gone:v1");
    let catalog = format!(
        "schema: olm.package\nname: rake\ndefaultChannel: stable\n---\n\
         schema: olm.channel\npackage: rake\nname: stable\nentries: [{{name: rake.v1.0.0}}]\n---\n\
         schema: olm.bundle\npackage: rake\nname: rake.v1.0.0\nimage: {there}\n\
         properties: [{{type: olm.package, value: {{packageName: rake, version: 1.0.0}}}}]\n\
         relatedImages: [{{name: own, image: '{there}'}}, {{name: gone, image: '{gone}'}}]\n"
    );
    fs::create_dir(sandbox.path("rakes")).unwrap();
    fs::write(sandbox.path("rakes/catalog.yaml"), catalog).unwrap();
    let plain = site(&sandbox, "rakes", "plain");
    let path = plain.json("p/rake.json")["versions"][0]["page"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(
        plain
            .page(&path)
            .text
            .contains("Use --probe to show sizes and platforms.")
    );

    let made = outcome_of(&sandbox, "index page rakes -o probed --probe --use-http --retries 0");
    assert_eq!(made.status, Some(0), "{made}");
    assert_eq!(made.stderr.matches("warning:").count(), 1, "{made}");
    assert!(
        made.stderr.contains(&format!("the size of {gone} is unknown")),
        "{made}"
    );
    // Nothing is read but manifests.
    assert!(
        registry
            .requests()
            .iter()
            .all(|request| request.path.contains("/manifests/"))
    );
    let probed = Site::read(&sandbox.path("probed"));
    assert_eq!(probed.complaints(), Vec::<String>::new());
    let text = &probed.page(&path).text;
    assert!(text.contains(" KiB") && text.contains("unknown"), "{text}");
    let images = probed.json("p/rake.json")["versions"][0]["relatedImages"].clone();
    let read = |path: &str| -> Value { serde_json::from_slice(&fs::read(sandbox.path(path)).unwrap()).unwrap() };
    let stored = &read("images/index.json")["manifests"][0];
    let digest = stored["digest"].as_str().unwrap().replace(':', "/");
    let manifest = read(&format!("images/blobs/{digest}"));
    let blobs = manifest["layers"]
        .as_array()
        .unwrap()
        .iter()
        .chain([&manifest["config"]]);
    let bytes = stored["size"].as_u64().unwrap() + blobs.map(|blob| blob["size"].as_u64().unwrap()).sum::<u64>();
    let of = |name: &str| {
        images
            .as_array()
            .unwrap()
            .iter()
            .find(|image| image["name"] == name)
            .unwrap()
    };
    assert_eq!(of("own")["bytes"], bytes);
    assert_eq!(of("gone").get("bytes"), None);
}

#[test]
fn content_that_only_images_hold_is_read_on_request() {
    let sandbox = garden();
    for name in BOTH.split(',') {
        succeed(&sandbox, &format!("bundle build -q {name} -t oci:images:{name}"));
    }
    let registry = serve_layout(&sandbox, "images", || {});
    let bundles = BOTH.split(',').map(|name| format!("{}/{name}:v1", registry.host));
    let bundles: Vec<String> = bundles.collect();
    succeed(
        &sandbox,
        &format!(
            "registry add -q -b {} --by-reference --use-http -d index.db",
            bundles.join(",")
        ),
    );
    let database = rusqlite::Connection::open(sandbox.path("index.db")).unwrap();
    database
        .execute("UPDATE operatorbundle SET csv = NULL, bundle = NULL", [])
        .unwrap();
    drop(database);
    let plain = site(&sandbox, "index.db", "plain");
    let page = plain.json("p/compost-operator.json")["versions"][0]["page"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(
        plain
            .page(&page)
            .text
            .contains("The catalog does not contain the permissions")
    );
    let made = outcome_of(&sandbox, "index page index.db -o full --images --use-http");
    assert_eq!(made.stderr, "wrote a site with 2 packages and 2 versions to full\n");
    let full = Site::read(&sandbox.path("full"));
    assert_eq!(full.complaints(), Vec::<String>::new());
    let version = full.page(&page).text;
    assert!(
        version.contains("Service account") && !version.contains("does not contain"),
        "{version}"
    );
    fs::remove_dir_all(sandbox.path("images/blobs")).unwrap();
    let made = outcome_of(
        &sandbox,
        "index page index.db -o full --images --use-http --no-cache --retries 0",
    );
    assert_eq!(made.stderr.matches(" cannot be read: ").count(), 2, "{made}");
    let version = Site::read(&sandbox.path("full")).page(&page).text;
    assert!(
        version.contains("could not be read: ") && !version.contains("--images"),
        "{version}"
    );
}

#[test]
fn an_unresponsive_registry_is_queried_only_once() {
    let sandbox = Sandbox::new();
    let images: Vec<String> = (0..3)
        .map(|number| format!("{{name: i{number}, image: '127.0.0.1:1/gone:v{number}'}}"))
        .collect();
    let catalog = format!(
        "schema: olm.package\nname: rake\ndefaultChannel: stable\n---\n\
         schema: olm.channel\npackage: rake\nname: stable\nentries: [{{name: rake.v1.0.0}}]\n---\n\
         schema: olm.bundle\npackage: rake\nname: rake.v1.0.0\nimage: 127.0.0.1:1/rake:v1\n\
         properties: [{{type: olm.package, value: {{packageName: rake, version: 1.0.0}}}}]\n\
         relatedImages: [{}]\n",
        images.join(", ")
    );
    fs::create_dir(sandbox.path("rakes")).unwrap();
    fs::write(sandbox.path("rakes/catalog.yaml"), catalog).unwrap();
    let made = outcome_of(
        &sandbox,
        "index page rakes -o site --images --probe --use-http --retries 0",
    );
    assert_eq!(made.status, Some(0), "{made}");
    assert_eq!(made.stderr.matches("cannot connect").count(), 1, "{made}");
    assert_eq!(
        made.stderr
            .matches("127.0.0.1:1 could not be reached by an earlier request")
            .count(),
        3,
        "{made}"
    );
    // The reference is not repeated in the reason.
    assert_eq!(made.stderr.matches("127.0.0.1:1/rake:v1 ").count(), 1, "{made}");
    let site = Site::read(&sandbox.path("site"));
    assert!(
        !site.files.contains_key("feed.xml"),
        "no version tells when it was created"
    );
    assert!(!site.text("index.html").contains("feed.xml"));
}

#[test]
fn what_a_bundle_grants_to_users_and_groups_is_shown_and_compared() {
    let sandbox = garden();
    rake(&sandbox, "rake1", "1.0.0", None);
    rake(&sandbox, "rake2", "1.1.0", Some("rake.v1.0.0"));
    let rbac = "apiVersion: rbac.authorization.k8s.io/v1\nkind";
    for (file, text) in [
        (
            "role.yaml",
            format!(
                "{rbac}: ClusterRole\nmetadata: {{name: rake-readers}}\n\
                 rules: [{{apiGroups: [''], resources: [secrets], verbs: [get, list]}}]\n"
            ),
        ),
        (
            "binding.yaml",
            format!(
                "{rbac}: ClusterRoleBinding\nmetadata: {{name: rake-readers}}\n\
                 roleRef: {{apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: rake-readers}}\n\
                 subjects:\n- {{apiGroup: rbac.authorization.k8s.io, kind: Group, name: gardeners}}\n\
                 - {{apiGroup: rbac.authorization.k8s.io, kind: User, name: ann}}\n"
            ),
        ),
    ] {
        fs::write(sandbox.path(format!("rake2/manifests/{file}")), text).unwrap();
    }
    succeed(&sandbox, "registry add -q -b rake1,rake2 -d index.db");
    let site = site(&sandbox, "index.db", "site");
    assert_eq!(site.complaints(), Vec::<String>::new());
    let (old, new) = (
        site.page("p/rake/rake.v1.0.0.html").text,
        site.page("p/rake/rake.v1.1.0.html").text,
    );
    for words in [
        "Group gardeners",
        "User ann",
        "The group gardeners may read Secrets",
        "The user ann may read Secrets",
    ] {
        assert!(new.contains(words), "{words} is not in {new}");
        assert!(!old.contains(words), "{words} is in {old}");
    }
    let difference = site.page("p/rake/diff/rake.v1.0.0..rake.v1.1.0.html").text;
    for words in [", for Group gardeners", ", for User ann"] {
        assert!(difference.contains(words), "{words} is not in {difference}");
    }
}

#[test]
fn unknown_content_of_one_version_is_not_reported_as_added() {
    let sandbox = Sandbox::new();
    fs::create_dir_all(sandbox.path("garden")).unwrap();
    let catalog: Vec<String> = garden_catalog()
        .lines()
        .map(|line| {
            let mut document: Value = serde_json::from_str(line).unwrap();
            if document["name"] == "sprinkler.v1.1.0" {
                let properties = document["properties"].as_array_mut().unwrap();
                properties.retain(|property| property["type"] != "olm.bundle.object");
            }
            document.to_string()
        })
        .collect();
    fs::write(sandbox.path("garden/catalog.json"), catalog.join("\n")).unwrap();
    let site = site(&sandbox, "garden", "site");
    let difference = site
        .page("p/sprinkler/diff/sprinkler.v1.1.0..sprinkler.v1.2.0.html")
        .text;
    for words in [
        "Not compared: Facts, Install modes, Required APIs. The ClusterServiceVersion of 1.1.0 is not known.",
        "Deployments, Webhooks. The manifests of 1.1.0 are not known.",
        "No change in the compared parts is known to break users.",
        "Unchanged: APIs",
    ] {
        assert!(difference.contains(words), "{words} is not in {difference}");
    }
    assert!(!difference.contains("added: "), "{difference}");
}

#[test]
fn a_long_table_of_versions_is_folded_below_the_graph() {
    let sandbox = Sandbox::new();
    fs::create_dir_all(sandbox.path("garden")).unwrap();
    fs::write(sandbox.path("garden/catalog.json"), many(1, 25)).unwrap();
    let site = site(&sandbox, "garden", "site");
    let page = site.page("p/operator-0/index.html").text;
    assert!(page.contains("5 older versions"), "{page}");
    let place = |words: &str| page.find(words).unwrap();
    assert!(place("kind: Subscription") < place("Graph of 25 versions"));
    assert!(place("Graph of 25 versions") < place("5 older versions"));
}

/// The answer of the server.
#[cfg(unix)]
fn get(port: u16, host: &str, path: &str) -> String {
    use std::io::{Read, Write};
    let mut stream = std::net::TcpStream::connect(("127.0.0.1", port)).unwrap();
    write!(
        stream,
        "GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[cfg(unix)]
#[test]
fn a_live_site_follows_changes_of_its_catalog() {
    use std::io::{BufRead, BufReader, ErrorKind, Read};
    use std::process::Stdio;
    use std::time::{Duration, Instant};
    let sandbox = Sandbox::new();
    let catalog = concat!(env!("CARGO_MANIFEST_DIR"), "/testdata/catalog");
    crate::common::copy_folder(catalog.as_ref(), &sandbox.path("catalog"));
    let mut command = sandbox.command(["index", "page", "catalog", "--serve", ":0"]);
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    stderr.read_line(&mut line).unwrap();
    let address = line.trim_end().strip_suffix('/').unwrap_or_else(|| panic!("{line}"));
    let port: u16 = address.rsplit(':').next().unwrap().parse().unwrap();
    let page = get(port, "localhost", "/");
    assert!(
        page.starts_with("HTTP/1.1 200 OK\r\n") && page.contains("compost-operator"),
        "{page}"
    );
    assert!(page.contains("assets/reload.js") && get(port, "localhost", "/assets/reload.js").contains("/.generation"));
    assert!(get(port, "localhost", "/p/compost-operator/").contains("kind: Subscription"));
    assert!(get(port, "localhost", "/p/nothing").starts_with("HTTP/1.1 404"));
    assert!(get(port, "site.example.com", "/").starts_with("HTTP/1.1 403"));
    // Clients that send nothing make room for others before their time is over.
    let silent: Vec<_> = (0..64)
        .map(|_| std::net::TcpStream::connect(("127.0.0.1", port)).unwrap())
        .collect();
    assert!(get(port, "localhost", "/").starts_with("HTTP/1.1 200"));
    let mut last = silent.last().unwrap();
    last.set_nonblocking(true).unwrap();
    assert_eq!(last.read(&mut [0]).unwrap_err().kind(), ErrorKind::WouldBlock);
    drop(silent);
    let before = get(port, "localhost", "/.generation");
    let wait = |done: &dyn Fn() -> bool| {
        let begin = Instant::now();
        while !done() {
            assert!(begin.elapsed() < Duration::from_secs(20), "nothing has changed");
            std::thread::sleep(Duration::from_millis(50));
        }
    };
    let file = sandbox.path("catalog/catalog.yaml");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace("v1.1.0", "v1.2.0")).unwrap();
    wait(&|| get(port, "localhost", "/p/compost-operator/").contains("compost-operator.v1.2.0"));
    assert_ne!(get(port, "localhost", "/.generation"), before);
    // What is half written is not shown.
    fs::write(&file, "schema: olm.package\nname: [").unwrap();
    let (sender, lines) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        stderr
            .lines()
            .map_while(Result::ok)
            .all(|line| sender.send(line).is_ok())
    });
    while !lines
        .recv_timeout(Duration::from_secs(20))
        .unwrap()
        .contains("the site was not updated")
    {}
    assert!(get(port, "localhost", "/p/compost-operator/").contains("compost-operator.v1.2.0"));
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn a_folder_or_an_address_is_required() {
    let sandbox = Sandbox::new();
    for line in [
        "index page index.db",
        "index page index.db -o site --serve :0",
        "index page index.db --serve here",
        "index page index.db -o site --base-url javascript:x",
        "index page index.db -o site --catalog index.db",
        "index page index.db -o site --catalog a=one.db --catalog a=two.db",
        "index page index.db -o site --catalog index=old.db",
    ] {
        let outcome = sandbox.run(line.split(' '));
        assert_eq!(
            (outcome.status, outcome.stdout.as_str()),
            (Some(2), ""),
            "{line}: {outcome}"
        );
    }
}

#[test]
fn without_an_output_the_error_names_both_options() {
    let sandbox = Sandbox::new();
    let outcome = sandbox.run(["index", "page", "catalog"]);
    assert_eq!(outcome.status, Some(2), "{outcome}");
    let told = "error: specify a folder for the site with --output, or an address with --serve\n";
    assert!(outcome.stderr.starts_with(told), "{outcome}");
}
