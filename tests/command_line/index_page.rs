//! `index page`: an index as a site of plain files.

use crate::bundles::{BOTH, fail, garden, outcome_of, rake, small_base, succeed};
use crate::common::Sandbox;
use crate::site::Site;
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

/// Makes a site, and reads it.
fn site(sandbox: &Sandbox, line: &str, folder: &str) -> Site {
    succeed(sandbox, &format!("index page -q {line} -o {folder}"));
    Site::read(&sandbox.path(folder))
}

#[test]
fn a_site_has_a_page_for_each_package_and_version_and_every_link_leads_somewhere() {
    let sandbox = garden();
    index(&sandbox);
    let made = outcome_of(&sandbox, "index page index.db -o site");
    assert_eq!(
        (made.stdout.as_str(), made.stderr.as_str()),
        ("", "wrote a site of 3 packages and 4 versions to site\n")
    );
    let site = Site::read(&sandbox.path("site"));
    assert_eq!(site.complaints(), Vec::<String>::new());
    for page in [
        "index.html",
        "404.html",
        "feed.xml",
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
fn a_site_is_the_same_of_an_image_and_of_a_database_and_each_time() {
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

#[test]
fn a_version_tells_its_apis_permissions_deployments_and_images() {
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

#[test]
fn what_a_catalog_does_not_hold_is_said() {
    let sandbox = Sandbox::new();
    let catalog = concat!(env!("CARGO_MANIFEST_DIR"), "/testdata/catalog");
    let site = site(&sandbox, catalog, "site");
    assert_eq!(site.complaints(), Vec::<String>::new());
    let version = site.page("p/compost-operator/compost-operator.v1.1.0.html");
    for part in ["the permissions", "the Deployments", "the webhooks"] {
        let words = format!(
            "The catalog does not hold {part}; the bundle image registry.example.com/garden/compost-bundle:v1.1.0 does"
        );
        assert!(version.text.contains(&words), "{words}: {}", version.text);
    }
}

#[test]
fn a_new_site_takes_the_place_of_the_old_one_and_of_nothing_else() {
    let sandbox = garden();
    index(&sandbox);
    succeed(&sandbox, "registry add -q -b compost -d less.db");
    site(&sandbox, "index.db", "site");
    fs::write(sandbox.path("site/CNAME"), "site.example.com").unwrap();
    let less = site(&sandbox, "less.db", "site");
    assert_eq!(less.text("CNAME"), "site.example.com");
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
    error: other holds other files than those of a site
      hint: give --output a folder that is empty, or holds a site
    ------- exit 1 -------
    ");
    assert_eq!(fs::read_dir(sandbox.path("other")).unwrap().count(), 1);
}

#[test]
fn other_indexes_are_compared_with() {
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
        beside.text.contains("not in this catalog") && beside.text.contains("1.0.0"),
        "{}",
        beside.text
    );
    assert!(site.page("404.html").links().contains(&"/garden/index.html"));
    assert!(
        site.text("feed.xml")
            .contains("https://site.example.com/garden/index.html")
    );
}

/// What is written wherever somebody may write something.
const SCRIPT: &str =
    "</title></script><script>alert(1)</script><img src=x onerror=alert(1)>\u{202e}\u{2028}\" onload=\"alert(1)\" x='";

fn hostile_catalog() -> String {
    let icon = STANDARD
        .encode("<svg xmlns=\"http://www.w3.org/2000/svg\" onload=\"alert(1)\"><script>alert(1)</script></svg>");
    let example =
        json!([{"apiVersion": "example.com/v1", "kind": SCRIPT, "metadata": {"name": SCRIPT}, "spec": SCRIPT}]);
    let csv = json!({
        "apiVersion": "operators.coreos.com/v1alpha1",
        "kind": "ClusterServiceVersion",
        "metadata": {"name": "evil.v1.0.0", "annotations": {
            "alm-examples": example.to_string(),
            "categories": SCRIPT,
            "capabilities": SCRIPT,
            "createdAt": SCRIPT,
            "containerImage": SCRIPT,
            "repository": "javascript:alert(1)",
            "support": SCRIPT,
            "operators.openshift.io/valid-subscription": json!([SCRIPT]).to_string(),
        }},
        "spec": {
            "displayName": SCRIPT,
            "description": format!("# {SCRIPT}\n\n[x](javascript:alert(1)) ![y](https://evil.example.com/y.png)\n\n<iframe src=\"https://evil.example.com\"></iframe>\n\n{}", "long ".repeat(200_000)),
            "keywords": [SCRIPT],
            "provider": {"name": SCRIPT, "url": "javascript:alert(1)"},
            "links": [{"name": SCRIPT, "url": "data:text/html,x"}, {"name": "ok", "url": "https://example.com"}],
            "maintainers": [{"name": SCRIPT, "email": "a@b?cc=c"}],
            "version": "1.0.0",
            "installModes": [{"type": SCRIPT, "supported": true}],
            "customresourcedefinitions": {"owned": [
                {"name": "pads.example.com", "version": "v1", "kind": SCRIPT, "displayName": SCRIPT, "description": SCRIPT}]},
            "webhookdefinitions": [{"generateName": SCRIPT, "type": SCRIPT, "deploymentName": SCRIPT, "rules": [{"operations": [SCRIPT], "resources": [SCRIPT]}]}],
            "install": {"strategy": "deployment", "spec": {
                "permissions": [{"serviceAccountName": SCRIPT, "rules": [{"apiGroups": [""], "resources": [SCRIPT], "verbs": [SCRIPT]}]}],
                "deployments": [{"name": SCRIPT, "spec": {"template": {"spec": {"containers": [
                    {"name": SCRIPT, "image": SCRIPT, "env": [{"name": SCRIPT, "value": SCRIPT}]}]}}}}]}},
        }
    });
    let definition = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "pads.example.com"},
        "spec": {"group": SCRIPT, "names": {"kind": SCRIPT, "plural": SCRIPT}, "versions": [{"name": SCRIPT, "served": true, "storage": true,
            "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": {"type": "object", "properties": {
                SCRIPT: {"type": SCRIPT, "description": SCRIPT, "default": SCRIPT, "pattern": SCRIPT}}}}}}}]},
    });
    let object =
        |object: &Value| json!({"type": "olm.bundle.object", "value": {"data": STANDARD.encode(object.to_string())}});
    let channel = format!("stable{SCRIPT}");
    let bundle = format!("evil{SCRIPT}/../..");
    let documents = [
        json!({"schema": "olm.package", "name": "evil", "defaultChannel": channel, "description": SCRIPT,
            "icon": {"base64data": icon, "mediatype": "image/png"}}),
        json!({"schema": "olm.channel", "package": "evil", "name": channel, "entries": [
            {"name": bundle, "replaces": SCRIPT, "skips": [format!("skipped{SCRIPT}")]}]}),
        json!({"schema": "olm.bundle", "package": "evil", "name": bundle, "image": "registry.example.com/evil:v1", "properties": [
            {"type": "olm.package", "value": {"packageName": "evil", "version": "1.0.0"}},
            {"type": "olm.package.required", "value": {"packageName": SCRIPT, "versionRange": ">=1.0.0"}},
            {"type": "olm.constraint", "value": {"failureMessage": SCRIPT, "cel": {"rule": "true"}}},
            object(&csv), object(&definition)],
            "relatedImages": [{"name": SCRIPT, "image": SCRIPT}]}),
        json!({"schema": "olm.deprecations", "package": "evil", "entries": [
            {"reference": {"schema": "olm.package"}, "message": SCRIPT},
            {"reference": {"schema": "olm.channel", "name": channel}, "message": SCRIPT}]}),
    ];
    documents.map(|document| document.to_string()).join("\n")
}

#[test]
fn nothing_of_a_hostile_catalog_runs_or_leaves_or_breaks_out_of_its_place() {
    let sandbox = Sandbox::new();
    fs::create_dir_all(sandbox.path("catalog")).unwrap();
    fs::write(sandbox.path("catalog/catalog.json"), hostile_catalog()).unwrap();
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
