//! Bundles that databases and catalogs reject: each error is reported at its place in the bundle.

use crate::bundles::{fail, names, operator, outcome_of, rake, succeed};
use crate::common::Sandbox;
use std::fs;

const CSV: &str = "manifests/operator.clusterserviceversion.yaml";

/// A database and a catalog with two versions of a package.
fn rakes() -> Sandbox {
    let sandbox = Sandbox::new();
    rake(&sandbox, "rake1", "1.0.0", None);
    rake(&sandbox, "rake2", "1.1.0", Some("rake.v1.0.0"));
    succeed(&sandbox, "registry add -q -b rake1,rake2 -d index.db");
    fs::create_dir(sandbox.path("catalog")).unwrap();
    succeed(&sandbox, "catalog add -q catalog -b rake1,rake2");
    sandbox
}

fn replace(sandbox: &Sandbox, file: &str, from: &str, to: &str) {
    let text = fs::read_to_string(sandbox.path(file)).unwrap();
    assert!(text.contains(from), "{file}: {text}");
    fs::write(sandbox.path(file), text.replace(from, to)).unwrap();
}

fn starts(outcome: &crate::common::Outcome, text: &str) {
    assert!(outcome.stderr.starts_with(text), "{outcome}");
}

#[test]
fn a_missing_replaced_bundle_is_reported_where_it_is_named() {
    let sandbox = rakes();
    rake(&sandbox, "new", "1.2.0", Some("rake.v1.1.5"));
    let outcome = fail(&sandbox, "registry add -b new -d index.db");
    starts(
        &outcome,
        &format!("error: new/{CSV}:8: bundle rake.v1.2.0 in channel \"stable\""),
    );
    let outcome = fail(&sandbox, "catalog add catalog -b new");
    starts(
        &outcome,
        &format!(
            "error: new/{CSV}:8: bundle rake.v1.2.0 would be a second head of channel \"stable\" of package \"rake\" \
             beside rake.v1.1.0: it replaces rake.v1.1.5, which is not in the channel\n  hint: make rake.v1.2.0 replace \
             or skip rake.v1.1.0, in its ClusterServiceVersion or with \"opmx catalog add --replaces\", or order the \
             channel by version with --mode semver\n"
        ),
    );
}

#[test]
fn a_bundle_that_replaces_itself_is_rejected() {
    let sandbox = rakes();
    rake(&sandbox, "new", "1.2.0", Some("rake.v1.2.0"));
    let outcome = fail(&sandbox, "registry add -b new -d index.db");
    starts(
        &outcome,
        &format!("error: new/{CSV}:8: bundle rake.v1.2.0 of package \"rake\" replaces itself; "),
    );
    let outcome = fail(&sandbox, "catalog add catalog -b new");
    starts(
        &outcome,
        &format!("error: new/{CSV}:8: bundle rake.v1.2.0 of package \"rake\" replaces itself; "),
    );
}

#[test]
fn a_published_bundle_that_skips_itself_is_accepted_with_a_warning() {
    let sandbox = rakes();
    rake(&sandbox, "new", "1.2.0", Some("rake.v1.1.0"));
    replace(
        &sandbox,
        &format!("new/{CSV}"),
        "  replaces: rake.v1.1.0\n",
        "  replaces: rake.v1.1.0\n  skips: [rake.v1.2.0]\n",
    );
    let outcome = sandbox.run(["bundle", "validate", "new"]);
    assert_eq!(outcome.status, Some(1), "{outcome}");
    assert!(outcome.stdout.contains("error[csv-skips-itself]"), "{outcome}");
    for line in ["registry add -b new -d index.db", "catalog add catalog -b new"] {
        let outcome = sandbox.run(line.split(' '));
        assert_eq!(outcome.status, Some(0), "{outcome}");
        assert!(outcome.stderr.contains("warning[csv-skips-itself]"), "{outcome}");
    }
    let outcome = outcome_of(&sandbox, "index check index.db");
    assert!(outcome.stdout.contains("warning[index-skips-itself]"), "{outcome}");
    assert!(!outcome.stdout.contains("index-bundle-unreachable"), "{outcome}");
    succeed(&sandbox, "migrate index.db migrated");
    for catalog in ["catalog", "migrated"] {
        let outcome = sandbox.run(["validate", catalog]);
        assert_eq!(outcome.status, Some(0), "{outcome}");
        assert!(
            outcome.to_string().contains("warning[catalog-entry-skips-itself]"),
            "{outcome}"
        );
    }
}

#[test]
fn an_invalid_channel_is_a_warning_in_a_published_bundle_and_an_error_as_an_option() {
    let sandbox = rakes();
    rake(&sandbox, "new", "1.2.0", Some("rake.v1.1.0"));
    replace(
        &sandbox,
        "new/metadata/annotations.yaml",
        "channels.v1: stable",
        "channels.v1: stable,v1+beta",
    );
    let outcome = sandbox.run(["bundle", "validate", "new"]);
    assert!(outcome.stdout.contains("warning[ann-channel-name]"), "{outcome}");
    let outcome = fail(&sandbox, "catalog add catalog -b new --channel v1+beta");
    starts(&outcome, "error: \"v1+beta\" is not a valid channel name; use letters");
    succeed(&sandbox, "catalog add catalog -b new");
    succeed(&sandbox, "validate catalog");
}

#[test]
fn a_rejected_version_package_or_channel_is_reported_in_its_file() {
    let sandbox = rakes();
    rake(&sandbox, "same", "1.1.0", Some("rake.v1.1.0"));
    replace(
        &sandbox,
        &format!("same/{CSV}"),
        "name: rake.v1.1.0",
        "name: rake-b.v1.1.0",
    );
    let outcome = fail(&sandbox, "registry add -b same -d index.db");
    starts(
        &outcome,
        &format!("error: same/{CSV}:7: package \"rake\" has more than one bundle with its highest version"),
    );
    rake(&sandbox, "other", "1.2.0", Some("rake.v1.1.0"));
    replace(
        &sandbox,
        "other/metadata/annotations.yaml",
        ".package.v1: rake",
        ".package.v1: rakes",
    );
    let outcome = fail(&sandbox, "registry add -b other -d index.db");
    starts(
        &outcome,
        "error: other/metadata/annotations.yaml:6: bundle rake.v1.1.0 belongs to package \"rake\" of the index",
    );
    rake(&sandbox, "nowhere", "1.2.0", Some("rake.v1.1.0"));
    replace(
        &sandbox,
        "nowhere/metadata/annotations.yaml",
        "  operators.operatorframework.io.bundle.channels.v1: stable\n",
        "",
    );
    for line in ["registry add -b nowhere -d index.db", "catalog add catalog -b nowhere"] {
        let outcome = fail(&sandbox, line);
        assert!(
            outcome
                .stderr
                .contains(": nowhere/metadata/annotations.yaml:1: bundle rake.v1.2.0 is not in any channel"),
            "{outcome}"
        );
    }
}

#[test]
fn invalid_yaml_is_the_only_error_of_a_bundle_without_a_csv() {
    let sandbox = rakes();
    rake(&sandbox, "new", "1.2.0", None);
    replace(
        &sandbox,
        &format!("new/{CSV}"),
        "  displayName: rake",
        "  displayName: [",
    );
    for line in [
        "registry add -b new -d index.db",
        "catalog add catalog -b new",
        "bundle validate new",
    ] {
        let outcome = sandbox.run(line.split_whitespace());
        assert_eq!(outcome.status, Some(1), "{line}: {outcome}");
        let text = format!("{}{}", outcome.stdout, outcome.stderr);
        assert!(text.starts_with("error[yaml-syntax]: not YAML: "), "{line}: {text}");
        assert!(
            !text.contains("index-no-") && !text.contains("omitted"),
            "{line}: {text}"
        );
    }
}

#[test]
fn warnings_and_notes_do_not_hide_the_error_of_a_rejected_bundle() {
    let sandbox = rakes();
    rake(&sandbox, "new", "1.2.0", None);
    let outcome = fail(&sandbox, "catalog add catalog -b new");
    starts(&outcome, "error: ");
    assert!(!outcome.stderr.contains("is stored with its manifests"), "{outcome}");
}

#[test]
fn a_new_package_in_an_existing_catalog_is_reported() {
    let sandbox = rakes();
    operator(&sandbox, "hoe", "hoe", "1.0.0", None);
    let outcome = outcome_of(&sandbox, "catalog add catalog -b hoe --dry-run");
    let told = "would create package hoe in catalog/hoe/catalog.yaml\n";
    assert!(outcome.stderr.contains(told), "{outcome}");
    let outcome = outcome_of(&sandbox, "catalog add catalog -b hoe");
    let told = "created package hoe in catalog/hoe/catalog.yaml\n";
    assert!(outcome.stderr.contains(told), "{outcome}");
}

#[test]
fn a_new_channel_requires_a_valid_name() {
    let sandbox = rakes();
    rake(&sandbox, "new", "1.2.0", Some("rake.v1.1.0"));
    for line in [
        &["catalog", "add", "catalog", "-b", "new", "--channel", "fast channel"][..],
        &[
            "catalog",
            "channel",
            "rename",
            "catalog",
            "rake",
            "stable",
            "fast channel",
        ],
        &[
            "catalog",
            "channel",
            "copy",
            "catalog",
            "rake",
            "stable",
            "fast channel",
        ],
    ] {
        let outcome = sandbox.run(line.iter().copied());
        assert_eq!(outcome.status, Some(1), "{outcome}");
        assert!(
            outcome
                .stderr
                .contains("\"fast channel\" is not a valid channel name; use letters, digits,"),
            "{outcome}"
        );
    }
}

#[test]
fn a_name_that_can_only_be_a_folder_is_not_requested_from_a_registry() {
    let sandbox = rakes();
    for line in [
        "registry add -b ./nowhere -d index.db",
        "registry add -b nowhere/ -d index.db",
        "catalog add catalog -b nowhere/",
    ] {
        let outcome = crate::bundles::miss(&sandbox, line);
        assert!(outcome.stderr.contains("cannot read "), "{outcome}");
        assert!(!outcome.stderr.contains("hint: check the host name"), "{outcome}");
    }
    for line in [
        "render nowhere/",
        "index list packages nowhere/",
        "index page nowhere/ -o site",
    ] {
        let outcome = crate::bundles::miss(&sandbox, line);
        let error = outcome.stderr.lines().next().unwrap();
        assert!(error.contains("nowhere") && !error.contains("image"), "{outcome}");
    }
}

#[test]
fn the_first_hint_for_a_name_without_a_host_names_folders_and_layouts() {
    let sandbox = rakes();
    // No proxy listens there, so that no registry is reached.
    let failed = |line: &str| {
        let mut command = sandbox.command(line.split_whitespace());
        for name in ["HTTPS_PROXY", "https_proxy"] {
            command.env(name, "http://127.0.0.1:1");
        }
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        String::from_utf8(output.stderr).unwrap()
    };
    let stderr = failed("registry add -b nowhere/rake -d index.db --retries 0");
    let hint = stderr.lines().find(|line| line.starts_with("  hint: ")).unwrap();
    assert_eq!(
        hint,
        "  hint: there is no folder nowhere/rake, so the name was interpreted as an image"
    );
    for line in [
        "bundle build rake1 -t ix --retries 0",
        "index add -b rake1 -t ix --retries 0",
    ] {
        let stderr = failed(line);
        let hint = stderr.lines().find(|line| line.starts_with("  hint: ")).unwrap();
        assert_eq!(
            hint, "  hint: to write an OCI layout on disk, name it oci:ix",
            "{line}: {stderr}"
        );
    }
}

#[test]
fn malformed_names_are_distinguished_from_missing_ones() {
    let sandbox = rakes();
    let outcome = sandbox.run(["bundle", "build", "rake1", "-t", "oci://out:v1"]);
    let words = "write an OCI layout as oci:DIR:TAG, such as oci:out:v1";
    assert!(outcome.stderr.contains(words), "{outcome}");
    assert_ne!(outcome.status, Some(0), "{outcome}");
    let outcome = sandbox.run(["registry", "add", "-b", "index.db", "-d", "index.db"]);
    let hint = "hint: index.db is a file, but a bundle is a folder or an image\n";
    assert!(outcome.stderr.contains(hint), "{outcome}");
    assert!(!outcome.stderr.contains("did you mean index.db"), "{outcome}");
    let outcome = sandbox.run(["bundle", "build", &format!("rake1/{CSV}"), "-t", "oci:out:v1"]);
    assert!(
        outcome.stderr.starts_with(&format!("error: cannot read rake1/{CSV}: ")),
        "{outcome}"
    );
    let outcome = sandbox.run(["catalog", "add", "oci:index:v1", "-b", "rake1"]);
    for words in [
        "error: oci:index:v1 is an image, but this command works on the folder of a catalog\n",
        "hint: to add bundles to an index image, use opmx index add\n",
    ] {
        assert!(outcome.stderr.contains(words), "{outcome}");
    }
    let outcome = sandbox.run(["index", "add", "--bundle", "rake1", "-t", "oci:index:v1"]);
    assert!(
        outcome.stderr.contains("tip: a similar argument exists: '--bundles'"),
        "{outcome}"
    );
}

#[test]
fn names_in_a_list_may_be_surrounded_by_spaces_but_not_contain_them() {
    let sandbox = rakes();
    rake(&sandbox, "new", "1.2.0", Some("rake.v1.1.0"));
    let outcome = sandbox.run([
        "catalog",
        "add",
        "catalog",
        "-b",
        "new",
        "--skips",
        "rake.v1.0.0 rake.v1.1.0",
    ]);
    assert_eq!(outcome.status, Some(2), "{outcome}");
    assert!(
        outcome
            .stderr
            .contains("a bundle name contains no spaces; separate names with commas"),
        "{outcome}"
    );
    fs::create_dir(sandbox.path("other")).unwrap();
    let arguments = ["--channel", "stable, fast", "--default-channel", "fast", "-q"];
    let outcome = sandbox.run(["catalog", "add", "other", "-b", "rake1"].into_iter().chain(arguments));
    assert_eq!(outcome.status, Some(0), "{outcome}");
    let text = fs::read_to_string(sandbox.path("other/rake/catalog.yaml")).unwrap();
    assert!(text.contains("\nname: fast\n"), "{text}");
}

#[test]
fn an_invalid_destination_is_a_usage_error() {
    let sandbox = rakes();
    for (target, why) in [
        ("oci:", "\"oci:\" does not specify an image: "),
        (
            "a b",
            "\"a b\" is not an image reference: it contains the character ' '",
        ),
        ("x:t@", "\"x:t@\" is not an image reference: \"\" is not a digest: "),
        (
            &format!("oci:out@sha256:{}", "0".repeat(64)),
            "the digest is computed from the new image; specify a tag instead",
        ),
    ] {
        for command in [
            &["bundle", "build", "rake1"][..],
            &["catalog", "build", "catalog"],
            &["index", "add", "-b", "rake1"],
            &["index", "extract", "rake", "-f", "index.db"],
        ] {
            let outcome = sandbox.run(command.iter().chain(&["-t", target]));
            assert_eq!(outcome.status, Some(2), "{outcome}");
            starts(
                &outcome,
                &format!("error: invalid value '{target}' for '--tag <REF>': {why}"),
            );
        }
    }
}

#[cfg(unix)]
#[test]
fn an_argument_that_is_not_utf8_is_reported() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let sandbox = rakes();
    let bad = OsStr::from_bytes(b"b\xc3\xa4d\xff\xe2\x80\xae\n");
    let outcome = sandbox.run([OsStr::new("bundle"), OsStr::new("validate"), bad]);
    assert_eq!(outcome.status, Some(2), "{outcome}");
    assert_eq!(
        outcome.stderr,
        "error: invalid UTF-8 in b\u{e4}d\\xff\\u{202e}\\n; paths and other arguments must be UTF-8\n"
    );
}

#[test]
fn an_output_of_files_is_not_written_to_a_file_named_like_standard_output() {
    let sandbox = Sandbox::new();
    for line in [
        "mirror plan --image registry.example.com/a:v1 -o -",
        "mirror copy plan.json --to-archive -",
        "mirror manifests plan.json -o -",
        "catalog merge a b -o -",
        "bundle unpack registry.example.com/a:v1 -o -",
        "bundle convert a - --to k8s+v1",
        "index page a.db -o -",
        "index export -i a.db -f -",
        "index extract a -f a.db -o -",
        "index extract a -f a.db -d -",
        "migrate a.db -",
        "man -",
    ] {
        let outcome = sandbox.run(line.split(' '));
        assert_eq!(outcome.status, Some(2), "{line}: {outcome}");
        assert!(
            outcome
                .stderr
                .contains("so it cannot be written to standard output; specify a path"),
            "{line}: {outcome}"
        );
        assert!(!sandbox.path("-").exists(), "{line}");
    }
}

#[test]
fn an_empty_name_of_an_index_or_bundle_is_a_usage_error() {
    let sandbox = Sandbox::new();
    for line in [
        "serve",
        "render",
        "migrate",
        "validate",
        "bundle validate",
        "bundle inspect",
        "index check",
        "index list packages",
        "index add -b a -t oci:b:c --from-index",
        "operator",
        "plan",
        "permissions",
        "upgrade-check",
    ] {
        let outcome = sandbox.run(line.split(' ').chain([""]));
        assert_eq!(outcome.status, Some(2), "{line}: {outcome}");
    }
}

#[test]
fn the_reason_why_a_number_or_an_address_is_invalid_is_stated() {
    let sandbox = Sandbox::new();
    for (line, reason) in [
        ("serve a --max-connections 0", "expected a whole number of at least 1"),
        ("serve a --max-connections -1", "expected a whole number of at least 1"),
        (
            "serve a --timeout-seconds -1",
            "expected a whole number of seconds, or \"infinite\"",
        ),
        ("serve a -p -1", "expected a number up to 65535"),
        ("serve a --retries -1", "-1 is not in 0..="),
        (
            "render a --max-total-size -1",
            "expected a whole number at the beginning",
        ),
        (
            "serve a --address localhost",
            "expected an IP address, such as 127.0.0.1 or ::1",
        ),
        ("serve a --address 127.0.0.1:80", "without a port"),
    ] {
        let outcome = sandbox.run(line.split(' '));
        assert_eq!(outcome.status, Some(2), "{line}: {outcome}");
        assert!(outcome.stderr.contains(reason), "{line}: {outcome}");
    }
    let outcome = sandbox.run(["serve", "./absent", "--address", "[::1]"]);
    assert_eq!(outcome.status, Some(4), "{outcome}");
}

#[test]
fn a_url_is_not_taken_for_a_local_path() {
    let sandbox = rakes();
    let before = names(&sandbox.path(""));
    for (line, argument) in [
        (
            "mirror copy plan.json --to-archive file:///tmp/arch",
            "--to-archive <DIR>",
        ),
        ("mirror load file:///tmp/arch", "<ARCHIVE>"),
        ("bundle unpack rake1 -o file:///tmp/arch", "--out <DIR>"),
    ] {
        let outcome = sandbox.run(line.split(' '));
        assert_eq!(outcome.status, Some(2), "{line}: {outcome}");
        let expected = format!("invalid value 'file:///tmp/arch' for '{argument}'");
        assert!(outcome.stderr.contains(&expected), "{line}: {outcome}");
        assert!(
            outcome
                .stderr
                .contains("tip: specify the path without file://, as /tmp/arch"),
            "{line}: {outcome}"
        );
    }
    let outcome = sandbox.run(["render", "file:///tmp/catalog"]);
    assert!(
        outcome
            .stderr
            .contains("specify the path without file://, as /tmp/catalog"),
        "{outcome}"
    );
    assert_eq!(names(&sandbox.path("")), before);
}
