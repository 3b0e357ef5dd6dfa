//! A site in a real browser.

use crate::common::Sandbox;
use crate::site_catalogs::{awkward, garden_catalog, hostile, many, older_garden};
use crate::succeed;
use crate::tools::{installed, not_run};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The location of playwright-core and axe-core.
fn modules() -> PathBuf {
    let named = std::env::var_os("OPMX_BROWSER_MODULES");
    named.map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("target/browser"),
        PathBuf::from,
    )
}

/// `OPMX_PICTURES` names a folder for pictures of the pages.
#[test]
fn a_site_works_in_a_browser_is_accessible_and_loads_nothing_external() {
    let modules = modules();
    if !installed(&["node", "chromium"])
        || (!modules.join("node_modules").is_dir() && !not_run("playwright-core is not here"))
    {
        return;
    }
    let sandbox = Sandbox::new();
    for (name, catalog) in [
        ("garden", garden_catalog()),
        ("older", older_garden()),
        ("hostile", hostile()),
        ("many", many(400, 2)),
        ("awkward", awkward()),
    ] {
        fs::create_dir_all(sandbox.path(name)).unwrap();
        fs::write(sandbox.path(name).join("catalog.json"), catalog).unwrap();
    }
    succeed(
        &sandbox,
        "index page -q garden -o site --title Garden --compare older --name today --catalog yesterday=older",
    );
    succeed(&sandbox, "index page -q hostile -o hostile-site");
    succeed(&sandbox, "index page -q many -o many-site");
    succeed(
        &sandbox,
        "index page -q awkward -o awkward-site --catalog first-of-the-older-ones=older --catalog second-of-the-older-ones=older \
         --catalog third-of-the-older-ones=older --catalog garden-with-everything=garden",
    );
    let pictures = std::env::var_os("OPMX_PICTURES").map_or_else(|| PathBuf::from("-"), PathBuf::from);
    let output = Command::new("node")
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/site_browser.mjs"))
        .arg(modules)
        .args(["site", "hostile-site", "many-site", "awkward-site"].map(|site| sandbox.path(site)))
        .arg(pictures)
        .output()
        .unwrap();
    let said = [output.stdout, output.stderr].map(|stream| String::from_utf8_lossy(&stream).into_owned());
    assert!(output.status.success(), "{}", said.concat());
}
