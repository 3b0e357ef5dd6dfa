//! `init`: the document of a new package.

use crate::bundles::{fail, fail_or_miss, outcome_of};
use crate::common::Sandbox;
use std::fs;
use std::io::Write as _;
use std::process::Stdio;

/// The first bytes of a PNG.
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";

#[test]
fn the_output_is_identical_to_that_of_opm() {
    let sandbox = Sandbox::new();
    insta::assert_snapshot!(outcome_of(&sandbox, "init etcd"), @r#"
    {
        "schema": "olm.package",
        "name": "etcd",
        "defaultChannel": ""
    }
    "#);
    fs::write(sandbox.path("README.md"), "# etcd\n\n<b>Stores</b> & serves\n").unwrap();
    fs::write(sandbox.path("logo"), PNG).unwrap();
    insta::assert_snapshot!(outcome_of(&sandbox, "init etcd -c stable -d README.md -i logo"), @r##"
    {
        "schema": "olm.package",
        "name": "etcd",
        "defaultChannel": "stable",
        "icon": {
            "base64data": "iVBORw0KGgo=",
            "mediatype": "image/png"
        },
        "description": "# etcd\n\n<b>Stores</b> & serves\n"
    }
    "##);
    let long = "init etcd --default-channel stable --description README.md --icon logo --output yaml";
    insta::assert_snapshot!(outcome_of(&sandbox, long), @"
    ---
    defaultChannel: stable
    description: |
      # etcd

      <b>Stores</b> & serves
    icon:
      base64data: iVBORw0KGgo=
      mediatype: image/png
    name: etcd
    schema: olm.package
    ");
}

#[test]
fn the_output_is_the_start_of_a_readable_catalog() {
    let sandbox = Sandbox::new();
    fs::write(
        sandbox.path("logo.svg"),
        "<?xml version=\"1.0\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\"></svg>\n",
    )
    .unwrap();
    let made = outcome_of(&sandbox, "init etcd -c stable -i logo.svg").stdout;
    assert!(made.contains("\"mediatype\": \"image/svg+xml\""), "{made}");
    fs::create_dir(sandbox.path("catalog")).unwrap();
    fs::write(sandbox.path("catalog/etcd.json"), &made).unwrap();
    assert_eq!(outcome_of(&sandbox, "render catalog").stdout, made);
}

#[test]
fn the_description_can_come_from_standard_input() {
    let sandbox = Sandbox::new();
    let mut command = sandbox.command(["init", "etcd", "-d", "-"]);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all("über".as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    let made = String::from_utf8(output.stdout).unwrap();
    assert!(made.contains("\"description\": \"über\"\n"), "{made}");
}

#[test]
fn invalid_input_is_reported_and_nothing_is_written() {
    let sandbox = Sandbox::new();
    fs::write(sandbox.path("text"), "no picture").unwrap();
    fs::write(sandbox.path("bytes"), b"\xff\xfe").unwrap();
    insta::assert_snapshot!(fail(&sandbox, "init etcd -i text"), @"
    ------- stderr -------
    error: cannot use text as the icon
      caused by: the icon is not an image of a known type: PNG, JPEG, GIF, WebP, SVG, TIFF, BMP or another type that opm knows
    ------- exit 1 -------
    ");
    insta::assert_snapshot!(fail(&sandbox, "init Etcd_operator"), @r#"
    ------- stderr -------
    error: "Etcd_operator" is not a package name: expected up to 63 characters of a-z, 0-9 and "-", with a letter or digit at both ends
    ------- exit 1 -------
    "#);
    for (line, words) in [
        ("init etcd -d nothing", "cannot read nothing"),
        ("init etcd -i nothing", "cannot read nothing"),
        ("init etcd -d bytes", "bytes is not valid UTF-8"),
    ] {
        let outcome = fail_or_miss(&sandbox, line);
        assert!(outcome.stderr.contains(words), "{line}: {outcome}");
    }
    assert_eq!(sandbox.run(["init"]).status, Some(2));
    assert_eq!(sandbox.run(["init", "etcd", "-o", "xml"]).status, Some(2));
}
