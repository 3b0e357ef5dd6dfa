//! `validate`: the findings in a file-based catalog, and the exit status.

use crate::bundles::{fail, garden, outcome_of, succeed};
use crate::common::Sandbox;
use serde_json::Value;
use std::fs;

const CATALOG: &str = "schema: olm.package
name: etcd
defaultChannel: stable
---
schema: olm.channel
package: etcd
name: stable
entries:
- name: etcd.v2
  replaces: etcd.v1
- name: etcd.v1
---
schema: olm.bundle
package: etcd
name: etcd.v1
image: registry.example.com/etcd:1
properties:
- {type: olm.package, value: {packageName: etcd, version: 1.0.0}}
---
schema: olm.bundle
package: etcd
name: etcd.v2
image: registry.example.com/etcd:2
properties:
- {type: olm.package, value: {packageName: etcd, version: 2.0.0}}
";

/// A folder `etcd` with the catalog, in which one text is replaced.
fn catalog(from: &str, to: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    fs::create_dir(sandbox.path("etcd")).unwrap();
    assert!(CATALOG.contains(from));
    fs::write(sandbox.path("etcd/catalog.yaml"), CATALOG.replacen(from, to, 1)).unwrap();
    sandbox
}

#[test]
fn a_valid_catalog_prints_nothing() {
    let sandbox = catalog("", "");
    let outcome = sandbox.run(["validate", "etcd"]);
    assert_eq!((outcome.status, outcome.stdout.as_str()), (Some(0), ""), "{outcome}");
    assert!(outcome.stderr.contains("1 package, 1 channel, 2 bundles"), "{outcome}");
    let outcome = sandbox.run(["validate", "etcd", "-o", "json"]);
    let report: Value = serde_json::from_str(&outcome.stdout).unwrap();
    assert_eq!(
        (&report["passed"], &report["error"]),
        (&Value::Bool(true), &Value::Null)
    );
    fs::create_dir(sandbox.path("empty")).unwrap();
    assert_eq!(sandbox.run(["validate", "empty"]).status, Some(0));
}

#[test]
fn a_bundle_folder_is_distinguished_from_a_catalog() {
    let sandbox = catalog("", "");
    for folder in ["manifests", "metadata"] {
        fs::create_dir_all(sandbox.path("rake").join(folder)).unwrap();
    }
    fs::write(sandbox.path("rake/metadata/annotations.yaml"), "annotations: {a: b}\n").unwrap();
    let outcome = sandbox.run(["validate", "rake"]);
    assert_eq!(outcome.status, Some(1), "{outcome}");
    assert!(
        outcome
            .stderr
            .contains("rake is the folder of a bundle, not of a catalog"),
        "{outcome}"
    );
    let outcome = sandbox.run(["serve", "rake", "--port", "0"]);
    assert_eq!(outcome.status, Some(1), "{outcome}");
    assert!(
        outcome.stderr.starts_with("error: rake is a bundle, not an index\n"),
        "{outcome}"
    );
}

#[test]
fn errors_fail_the_command_and_are_shown_with_their_lines() {
    let sandbox = catalog("- name: etcd.v1\n", "- name: etcd.v11\n");
    let outcome = sandbox.run(["validate", "etcd"]);
    assert_eq!(outcome.status, Some(1), "{outcome}");
    for words in [
        "error[catalog-entry-bundle]: channel \"stable\" of package \"etcd\" has an entry for bundle \"etcd.v11\"",
        "etcd/catalog.yaml:11:9",
        "11 | - name: etcd.v11",
        "Did you mean \"etcd.v1\"?",
        "error[catalog-bundle-unlisted]",
        "error[catalog-channel-head]",
    ] {
        assert!(outcome.stdout.contains(words), "{words}: {outcome}");
    }
}

#[test]
fn warnings_do_not_fail_the_command() {
    let sandbox = catalog("name: stable", "name: stable\nowner: me");
    let outcome = sandbox.run(["validate", "etcd"]);
    assert_eq!((outcome.status, outcome.stdout.as_str()), (Some(0), ""), "{outcome}");
    assert!(outcome.stderr.contains("warning[catalog-field-unknown]"), "{outcome}");
}

#[test]
fn a_repeated_key_is_a_warning_and_its_last_value_wins() {
    let sandbox = catalog(
        "image: registry",
        "image: registry.example.com/draft:1\nimage: registry",
    );
    let outcome = sandbox.run(["validate", "etcd"]);
    assert_eq!((outcome.status, outcome.stdout.as_str()), (Some(0), ""), "{outcome}");
    let warning = "warning[catalog-duplicate-key]: the key `image` appears twice in one map";
    assert!(outcome.stderr.contains(warning), "{outcome}");
    assert!(outcome.stderr.contains("etcd/catalog.yaml:17:1"), "{outcome}");
    assert_eq!(sandbox.run(["validate", "etcd", "--strict"]).status, Some(1));
    let rendered = sandbox.run(["render", "etcd", "-o", "yaml"]);
    assert_eq!(rendered.status, Some(0), "{rendered}");
    assert!(
        rendered.stdout.contains("image: registry.example.com/etcd:1"),
        "{rendered}"
    );
    assert!(!rendered.stdout.contains("draft"), "{rendered}");
}

#[test]
fn a_repeated_json_field_is_a_warning_and_its_last_value_wins_as_in_yaml() {
    let sandbox = catalog("name: stable", "name: stable");
    let yaml = sandbox.run(["render", "etcd", "-o", "json"]);
    let image = "\"image\": \"registry.example.com/etcd:1\"";
    assert!(yaml.stdout.contains(image), "{yaml}");
    let json = yaml.stdout.replacen(
        image,
        &format!("\"image\": \"registry.example.com/draft:1\",\n    {image}"),
        1,
    );
    let json = json.replacen("\"name\": \"etcd\"", "\"Name\": \"etcd\"", 1);
    fs::remove_file(sandbox.path("etcd/catalog.yaml")).unwrap();
    fs::write(sandbox.path("etcd/catalog.json"), json).unwrap();
    let outcome = sandbox.run(["validate", "etcd"]);
    assert_eq!((outcome.status, outcome.stdout.as_str()), (Some(0), ""), "{outcome}");
    for warning in [
        "warning[catalog-duplicate-key]: bundle",
        "warning[catalog-field-case]: package",
    ] {
        assert!(outcome.stderr.contains(warning), "{outcome}");
    }
    assert_eq!(sandbox.run(["validate", "etcd", "--strict"]).status, Some(1));
    // What is accepted is also read by the other commands, with the last value.
    let rendered = sandbox.run(["render", "etcd"]);
    assert_eq!(rendered.stdout, yaml.stdout, "{rendered}");
    let edited = sandbox.run("catalog channel rename etcd etcd stable other".split(' '));
    assert!(
        edited.stderr.contains("the field \"Name\" must be renamed to \"name\""),
        "{edited}"
    );
}

#[test]
fn edges_with_different_capitalization_are_read_by_every_command() {
    let sandbox = catalog("name: stable", "name: stable");
    let plain = sandbox.run(["render", "etcd", "-o", "yaml"]).stdout;
    assert!(plain.contains("  replaces: etcd.v1"), "{plain}");
    fs::write(
        sandbox.path("etcd/catalog.yaml"),
        plain.replace("  replaces: etcd.v1", "  Replaces: etcd.v1"),
    )
    .unwrap();
    let outcome = sandbox.run(["validate", "etcd"]);
    assert_eq!(outcome.status, Some(0), "{outcome}");
    assert!(outcome.stderr.contains("warning[catalog-field-case]"), "{outcome}");
    let rendered = sandbox.run(["render", "etcd", "-o", "yaml"]);
    assert_eq!(rendered.stdout, plain, "{rendered}");
    let listed = sandbox.run(["index", "list", "channels", "etcd"]);
    assert_eq!(listed.status, Some(0), "{listed}");
    let pruned = sandbox.run("catalog prune etcd -p etcd@heads".split(' '));
    assert!(
        pruned
            .stderr
            .contains(".Replaces\" must be renamed to \"replaces\" before the document can be edited"),
        "{pruned}"
    );
}

#[test]
fn an_edit_accepts_different_capitalization_in_unchanged_documents() {
    let sandbox = catalog("name: stable", "name: stable");
    let plain = sandbox.run(["render", "etcd", "-o", "yaml"]).stdout;
    let capital = plain.replacen("defaultChannel:", "DefaultChannel:", 1);
    assert_ne!(capital, plain);
    fs::write(sandbox.path("etcd/catalog.yaml"), &capital).unwrap();
    let copied = sandbox.run("catalog channel copy etcd etcd stable other".split(' '));
    assert_eq!(copied.status, Some(0), "{copied}");
    let text = fs::read_to_string(sandbox.path("etcd/catalog.yaml")).unwrap();
    assert!(
        text.contains("DefaultChannel: ") && text.contains("name: other"),
        "{text}"
    );
}

#[test]
fn a_trailing_comma_is_reported_on_its_own_line() {
    let sandbox = Sandbox::new();
    fs::create_dir(sandbox.path("etcd")).unwrap();
    let text = "{\n  \"schema\": \"olm.package\",\n  \"properties\": [\n    1,\n  ]\n}\n";
    fs::write(sandbox.path("etcd/catalog.json"), text).unwrap();
    for command in ["validate etcd", "render etcd"] {
        let outcome = sandbox.run(command.split(' '));
        let shown = outcome.to_string();
        assert!(
            shown.contains("catalog.json:4") && shown.contains("no value follows the comma"),
            "{outcome}"
        );
    }
}

#[test]
fn a_document_without_a_value_is_rejected_by_every_command() {
    let sandbox = catalog("name: stable", "name: stable");
    let json = sandbox.run(["render", "etcd"]).stdout;
    fs::remove_file(sandbox.path("etcd/catalog.yaml")).unwrap();
    let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
    let deep = nested(200);
    for (value, fault) in [
        ("1e400", "the number 1e400 is too large"),
        (
            r#""\ud800""#,
            r"\ud800 is not a character, but half of a surrogate pair",
        ),
        (&*deep, "lists and maps are nested more than 127 deep"),
    ] {
        let line = json.lines().count() + 2;
        let document = format!("{json}{{\"schema\": \"x\",\n\"value\": {value}}}\n");
        fs::write(sandbox.path("etcd/catalog.json"), document).unwrap();
        for command in [
            "validate etcd",
            "render etcd",
            "index list bundles etcd",
            "migrate etcd out",
        ] {
            let outcome = sandbox.run(command.split(' '));
            assert_eq!(outcome.status, Some(1), "{outcome}");
            let shown = outcome.to_string();
            assert!(
                shown.contains(fault) && shown.contains(&format!("catalog.json:{line}")),
                "{outcome}"
            );
        }
    }
    fs::write(
        sandbox.path("etcd/catalog.json"),
        format!("{json}{{\"schema\": \"x\",\n\"value\": {}}}\n", nested(30)),
    )
    .unwrap();
    assert_eq!(sandbox.run(["validate", "etcd"]).status, Some(0));
    let limited = sandbox.run("validate etcd --max-depth 20".split(' '));
    assert!(
        limited.status == Some(1) && limited.to_string().contains("--max-depth can raise the limit"),
        "{limited}"
    );
}

#[test]
fn no_command_writes_into_its_input_catalog() {
    let sandbox = catalog("name: stable", "name: stable");
    for line in [
        "migrate etcd etcd/json",
        "index extract etcd -f etcd -o etcd/sub",
        "index extract etcd -f etcd -t oci:etcd/sub:1",
        "index export -i etcd -f etcd/packages",
        "index page etcd -o etcd/site",
        "catalog build etcd -t oci:etcd/image:v1",
        "catalog build etcd -t oci-archive:etcd/image.tar:v1",
    ] {
        let outcome = sandbox.run(line.split(' '));
        assert_eq!(outcome.status, Some(2), "{line}: {outcome}");
        assert!(
            outcome.stderr.contains("is inside the catalog etcd"),
            "{line}: {outcome}"
        );
    }
    let files = fs::read_dir(sandbox.path("etcd")).unwrap().count();
    assert_eq!(files, 1);
}

#[test]
fn every_output_format_names_rule_and_line() {
    let sandbox = catalog("name: etcd.v2\nimage", "name: etcd.v3\nimage");
    for form in ["text", "json", "yaml", "sarif", "github", "junit"] {
        let outcome = sandbox.run(["validate", "etcd", "-o", form]);
        assert_eq!(outcome.status, Some(1), "{outcome}");
        for words in ["catalog-entry-bundle", "etcd/catalog.yaml", "9"] {
            assert!(outcome.stdout.contains(words), "{form} {words}: {outcome}");
        }
    }
    let outcome = sandbox.run(["validate", "etcd", "-o", "json"]);
    let report: Value = serde_json::from_str(&outcome.stdout).unwrap();
    assert_eq!(report["passed"], false);
    let findings = report["findings"].as_array().unwrap().iter();
    let messages: Vec<&str> = findings.map(|finding| finding["message"].as_str().unwrap()).collect();
    assert_eq!(report["error"]["message"], messages.join("\n"), "{outcome}");
    assert_eq!(report["findings"][0]["line"], 9, "{outcome}");
}

#[test]
fn at_most_1000_findings_of_a_rule_are_listed() {
    let sandbox = catalog("", "");
    let path = sandbox.path("etcd/catalog.yaml");
    let mut text = fs::read_to_string(&path).unwrap();
    for number in 0..1_300 {
        text += &format!(
            "---\nschema: olm.bundle\npackage: etcd\nname: etcd.more{number}\nimage: registry.example.com/etcd:{number}\n\
             properties:\n- {{type: olm.package, value: {{packageName: etcd, version: 9.0.{number}}}}}\n"
        );
    }
    fs::write(path, text).unwrap();
    for command in ["validate", "index check"] {
        let outcome = sandbox.run(command.split(' ').chain(["etcd", "-o", "json"]));
        assert_eq!(outcome.status, Some(1), "{outcome}");
        let report: Value = serde_json::from_str(&outcome.stdout).unwrap();
        let findings = report["findings"].as_array().unwrap().iter();
        let of_rule = findings.filter(|finding| finding["rule"] == "catalog-bundle-unlisted");
        let messages: Vec<&str> = of_rule.map(|finding| finding["message"].as_str().unwrap()).collect();
        assert_eq!(messages.len(), 1_001, "{command}");
        assert_eq!(
            messages[1_000], "300 more findings of this rule are not shown",
            "{command}"
        );
    }
}

#[test]
fn unreadable_input_is_a_finding_in_every_machine_readable_format() {
    let sandbox = catalog("", "");
    for (command, message) in [
        ("validate", "cannot read ./none"),
        ("index check", "no file or folder ./none"),
    ] {
        assert_eq!(outcome_of_missing(&sandbox, command, "text"), "", "{command}");
        for form in ["json", "yaml", "sarif", "github", "junit"] {
            let document = outcome_of_missing(&sandbox, command, form);
            for words in ["catalog-unreadable", message] {
                assert!(document.contains(words), "{command} {form} {words}: {document}");
            }
        }
    }
    let github = outcome_of_missing(&sandbox, "validate", "github");
    assert!(github.ends_with("\n./none: 1 error\n"), "{github}");
}

/// Returns the standard output of a check of a folder that does not exist.
fn outcome_of_missing(sandbox: &Sandbox, command: &str, form: &str) -> String {
    let words = command.split(' ').chain(["./none", "-o", form]);
    let outcome = sandbox.run(words);
    assert_eq!(outcome.status, Some(4), "{outcome}");
    assert!(outcome.stderr.starts_with("error: "), "{outcome}");
    outcome.stdout
}

#[test]
fn json_of_catalogs_and_indexes_matches_its_published_schema() {
    let sandbox = catalog("name: etcd.v2\nimage", "name: etcd.v3\nimage");
    let schema = sandbox.run(["bundle", "schema", "catalog-findings"]).stdout;
    let schema = jsonschema::validator_for(&serde_json::from_str(&schema).unwrap()).unwrap();
    for line in [
        "validate etcd",
        "index check etcd",
        "validate ./none",
        "index check ./none",
    ] {
        let outcome = sandbox.run(line.split(' ').chain(["-o", "json"]));
        let report: Value = serde_json::from_str(&outcome.stdout).unwrap();
        assert!(schema.is_valid(&report), "{line}: {report}");
        let mut wrong = report.clone();
        wrong["findings"][0]["more"] = Value::Null;
        assert!(!schema.is_valid(&wrong), "{line}");
    }
}

#[test]
fn a_catalog_in_one_file_is_checked_like_a_folder() {
    let sandbox = catalog("name: etcd.v2\nimage", "name: etcd.v3\nimage");
    for command in ["validate", "index check"] {
        let [folder, file] =
            ["etcd", "etcd/catalog.yaml"].map(|catalog| sandbox.run(command.split(' ').chain([catalog])));
        assert_eq!((file.status, &file.stdout), (Some(1), &folder.stdout), "{file}");
    }
    let served = sandbox.run(["serve", "etcd/catalog.yaml", "--cache-only"]);
    assert_eq!(served.status, Some(1), "{served}");
    assert!(served.stderr.contains("catalog-entry-bundle"), "{served}");
}

#[test]
fn a_database_or_a_missing_folder_is_not_a_catalog() {
    let sandbox = catalog("", "");
    let header = [b"SQLite format 3\0".as_slice(), &[0; 100]].concat();
    std::fs::write(sandbox.path("index.db"), header).unwrap();
    insta::assert_snapshot!(sandbox.run(["validate", "index.db"]), @"
    ------- stderr -------
    error: index.db is a database, not a file-based catalog
      hint: use opmx index check index.db
    ------- exit 1 -------
    ");
    let outcome = sandbox.run(["validate", "none"]);
    assert_eq!(outcome.status, Some(4));
    assert!(outcome.stderr.contains("cannot read none"), "{outcome}");
    assert_eq!(sandbox.run(["validate"]).status, Some(2));
    assert_eq!(sandbox.run(["validate", "etcd", "-o", "xml"]).status, Some(2));
}

#[cfg(unix)]
#[test]
fn a_link_to_a_missing_file_is_an_error_unless_it_is_ignored() {
    let sandbox = garden();
    succeed(&sandbox, "registry add -q -b compost -d index.db");
    succeed(&sandbox, "migrate index.db catalog");
    std::os::unix::fs::symlink("../../gone.yaml", sandbox.path("catalog/rake.yaml")).unwrap();
    insta::assert_snapshot!(sandbox.run(["validate", "catalog"]), @"
    ------- stderr -------
    error: catalog/rake.yaml is a link to a file that does not exist; correct the link, remove it, or list it in an .indexignore file
    ------- exit 1 -------
    ");
    for line in [
        "render catalog",
        "catalog build catalog -t oci:image",
        "index from-fbc catalog --generate --out-dockerfile other.Dockerfile",
        "catalog fmt catalog",
    ] {
        let outcome = fail(&sandbox, line);
        assert!(
            outcome
                .stderr
                .contains("catalog/rake.yaml is a link to a file that does not exist"),
            "{line}: {outcome}"
        );
    }
    std::fs::write(sandbox.path("catalog/.indexignore"), "rake.yaml\n").unwrap();
    succeed(&sandbox, "validate catalog");
}

#[cfg(unix)]
#[test]
fn a_link_that_leads_out_of_the_catalog_is_refused() {
    use std::os::unix::fs::symlink;
    let sandbox = garden();
    succeed(&sandbox, "registry add -q -b compost -d index.db");
    succeed(&sandbox, "migrate index.db catalog");
    std::fs::create_dir(sandbox.path("linked")).unwrap();
    symlink("../catalog/compost-operator", sandbox.path("linked/compost-operator")).unwrap();
    insta::assert_snapshot!(sandbox.run(["validate", "linked"]), @"
    ------- stderr -------
    error: linked/compost-operator is a link to a folder outside the catalog; replace the link with a copy of the folder
    ------- exit 1 -------
    ");
    std::fs::remove_file(sandbox.path("linked/compost-operator")).unwrap();
    std::fs::write(sandbox.path("secret.yaml"), "password: 123\n").unwrap();
    symlink("../secret.yaml", sandbox.path("linked/catalog.yaml")).unwrap();
    for line in [
        "validate linked",
        "render linked",
        "index check linked",
        "serve linked --cache-only",
        "catalog build linked -t oci:image:v1",
        "catalog fmt linked",
    ] {
        let outcome = sandbox.run(line.split(' '));
        assert_eq!(outcome.status, Some(1), "{line}: {outcome}");
        let reason = "linked/catalog.yaml is a link to a file outside the catalog; replace the link with a copy";
        assert!(outcome.stderr.contains(reason), "{line}: {outcome}");
        assert!(!outcome.stderr.contains("password"), "{line}: {outcome}");
    }
    // As a ConfigMap is mounted.
    std::fs::create_dir(sandbox.path("mount")).unwrap();
    crate::common::copy_folder(&sandbox.path("catalog/compost-operator"), &sandbox.path("mount/..2026"));
    symlink("..2026", sandbox.path("mount/..data")).unwrap();
    std::fs::write(sandbox.path("mount/..2026/other.yaml"), "").unwrap();
    symlink("..data/other.yaml", sandbox.path("mount/other.yaml")).unwrap();
    let outcome = outcome_of(&sandbox, "validate mount");
    assert!(outcome.stderr.contains("mount: 1 package"), "{outcome}");
}

#[cfg(unix)]
#[test]
fn a_file_that_no_image_can_contain_is_refused_by_every_command() {
    use std::os::unix::ffi::OsStrExt;
    let sandbox = catalog("", "");
    let name = std::ffi::OsStr::from_bytes(b"x\xff.yaml");
    std::fs::write(sandbox.path("etcd").join(name), "").unwrap();
    for line in ["validate etcd", "render etcd", "catalog build etcd -t oci:image:v1"] {
        let outcome = sandbox.run(line.split(' '));
        assert_eq!(outcome.status, Some(1), "{line}: {outcome}");
        let reason = "the name of etcd/x\u{fffd}.yaml is not UTF-8; rename the file";
        assert!(outcome.stderr.contains(reason), "{line}: {outcome}");
    }
}
