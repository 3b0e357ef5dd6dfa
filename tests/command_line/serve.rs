//! `serve` and `registry serve`, queried by a client.

use crate::bundles::{BOTH, garden, push, small_base, succeed};
use crate::common::Sandbox;
use crate::serving::{Server, start_command};
use opmx::image::{EntryContent, ImageConfig, LayerEntry, build, layer_from_files};
use opmx::server::proto::registry_client::RegistryClient;
use opmx::server::proto::{Bundle, GetPackageRequest, ListBundlesRequest, ListPackageRequest};
use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};
use tokio_stream::StreamExt;

async fn ask(port: &str) -> (Vec<String>, Vec<Bundle>) {
    let mut client = RegistryClient::connect(format!("http://127.0.0.1:{port}"))
        .await
        .unwrap();
    let packages = client.list_packages(ListPackageRequest {}).await.unwrap().into_inner();
    let packages: Vec<_> = packages.map(|package| package.unwrap().name).collect().await;
    let bundles = client.list_bundles(ListBundlesRequest {}).await.unwrap().into_inner();
    let bundles: Vec<_> = bundles.map(Result::unwrap).collect().await;
    for name in &packages {
        let request = GetPackageRequest { name: name.clone() };
        let package = client.get_package(request).await.unwrap().into_inner();
        assert!(!package.channels.is_empty(), "{package:?}");
    }
    (packages, bundles)
}

fn end(mut server: Server) {
    let signal = Command::new("kill").arg(server.child.id().to_string()).status();
    assert!(signal.unwrap().success());
    assert_eq!(server.child.wait().unwrap().code(), Some(0));
    let mut rest = String::new();
    server.stderr.read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "");
}

#[test]
fn databases_and_images_are_served_until_a_signal() {
    let sandbox = garden();
    small_base(&sandbox);
    succeed(&sandbox, &format!("registry add -q -b {BOTH} -d index.db"));
    succeed(
        &sandbox,
        &format!("index add -q -i oci:base:v1 -b {BOTH} -t oci:index:v1"),
    );
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let ways: [(&[&str], &[&str]); 3] = [
        (&["registry", "serve"], &["-d", "index.db"]),
        (&["serve"], &["index.db"]),
        (&["serve"], &["oci:index:v1"]),
    ];
    let mut answers = Vec::new();
    for (words, arguments) in ways {
        let server = start_command(&sandbox, words, arguments);
        let name = format!("serving {} on ", arguments.last().unwrap());
        assert!(server.first_line.starts_with(&name), "{}", server.first_line);
        let (packages, bundles) = runtime.block_on(ask(&server.port));
        assert_eq!(packages, ["compost-operator", "greenhouse-operator"]);
        let names: Vec<_> = bundles
            .iter()
            .map(|bundle| (bundle.channel_name.as_str(), bundle.csv_name.as_str()))
            .collect();
        assert_eq!(
            names,
            [
                ("alpha", "compost-operator.v0.3.1"),
                ("candidate", "greenhouse-operator.v1.2.0"),
                ("stable", "greenhouse-operator.v1.2.0"),
            ]
        );
        for bundle in &bundles {
            assert!(
                bundle.bundle_path.is_empty() && !bundle.csv_json.is_empty(),
                "{bundle:?}"
            );
            let csv: serde_json::Value = serde_json::from_str(&bundle.csv_json).unwrap();
            assert_eq!(csv["kind"], "ClusterServiceVersion");
        }
        answers.push(bundles);
        end(server);
    }
    assert!(answers.iter().all(|answer| *answer == answers[0]));
}

/// A catalog in the folder `catalog`, rendered from a database of the two bundles.
fn catalog() -> crate::common::Sandbox {
    let sandbox = garden();
    succeed(&sandbox, &format!("registry add -q -b {BOTH} -d index.db"));
    let rendered = sandbox.run(["render", "-q", "index.db"]);
    assert_eq!(rendered.status, Some(0), "{rendered}");
    std::fs::create_dir(sandbox.path("catalog")).unwrap();
    std::fs::write(sandbox.path("catalog/catalog.json"), rendered.stdout).unwrap();
    sandbox
}

#[test]
fn a_catalog_is_served_like_the_database_it_was_created_from() {
    let sandbox = catalog();
    let folder = sandbox.path("catalog");
    let before = std::fs::metadata(&folder).unwrap().modified().unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    // What opm has left where it keeps its cache is of no interest.
    std::fs::create_dir_all(sandbox.path("cache/pogreb.v1")).unwrap();
    std::fs::write(sandbox.path("cache/digest"), "of another catalog").unwrap();
    let file = LayerEntry {
        path: "configs/garden/catalog.json".to_owned(),
        mode: 0o644,
        content: EntryContent::File(folder.join("catalog.json")),
    };
    let label = "operators.operatorframework.io.index.configs.v1";
    let config = ImageConfig {
        labels: [(label.to_owned(), "/configs".to_owned())].into(),
        ..ImageConfig::default()
    };
    let image = build(&config, vec![layer_from_files(&[file], 0).unwrap()]).unwrap();
    push(&sandbox, &image, "oci:image:v1");
    let mut answers = Vec::new();
    for (words, arguments) in [
        (&["serve"], &["index.db"][..]),
        (&["serve"], &["oci:image:v1"]),
        (
            &["serve"],
            &["catalog", "--cache-dir=cache", "--cache-enforce-integrity=true"],
        ),
    ] {
        let server = start_command(&sandbox, words, arguments);
        let (packages, mut bundles) = runtime.block_on(ask(&server.port));
        for bundle in &mut bundles {
            // A database says of an API in addition what a catalog says as a property.
            bundle
                .properties
                .retain(|property| !property.r#type.ends_with(".required"));
            bundle
                .properties
                .sort_by(|one, other| (&one.r#type, &one.value).cmp(&(&other.r#type, &other.value)));
            for typed in &mut bundle.properties {
                typed.value = serde_json::from_str::<serde_json::Value>(&typed.value)
                    .unwrap()
                    .to_string();
            }
            for typed in &mut bundle.dependencies {
                typed.value = serde_json::from_str::<serde_json::Value>(&typed.value)
                    .unwrap()
                    .to_string();
            }
            bundle.provided_apis.sort_by(|one, other| one.kind.cmp(&other.kind));
            bundle.required_apis.sort_by(|one, other| one.kind.cmp(&other.kind));
            bundle
                .dependencies
                .sort_by(|one, other| (&one.r#type, &one.value).cmp(&(&other.r#type, &other.value)));
        }
        answers.push((packages, bundles));
        end(server);
    }
    assert!(answers.iter().all(|answer| *answer == answers[0]), "{answers:?}");
    assert_eq!(std::fs::metadata(&folder).unwrap().modified().unwrap(), before);
    assert_eq!(std::fs::read_dir(sandbox.path("cache")).unwrap().count(), 2);
}

#[test]
fn a_catalog_with_errors_is_rejected_with_all_of_them() {
    let sandbox = crate::common::Sandbox::new();
    std::fs::create_dir(sandbox.path("catalog")).unwrap();
    let documents = "schema: olm.package\nname: p\ndefaultChannel: a\n---\nschema: olm.channel\npackage: p\nname: a\n\
                     entries: [{name: p.v1}]\n---\nschema: olm.bundle\npackage: q\nname: q.v1\nimage: registry.example.com/q:1\n";
    std::fs::write(sandbox.path("catalog/c.yaml"), documents).unwrap();
    std::fs::write(sandbox.path("reason"), "").unwrap();
    let outcome = sandbox.run(["serve", "catalog", "-p", "0", "-t", "reason"]);
    assert_eq!((outcome.status, outcome.stdout.as_str()), (Some(1), ""), "{outcome}");
    for part in [
        "catalog-entry-bundle",
        "catalog-package-missing",
        "catalog-bundle-identity",
        "error: the catalog catalog has errors, so it is not served",
    ] {
        assert!(outcome.stderr.contains(part), "{part}: {outcome}");
    }
    let reason = std::fs::read_to_string(sandbox.path("reason")).unwrap();
    let reason: Vec<&str> = reason.lines().collect();
    assert_eq!(reason.len(), 5, "{reason:?}");
    assert_eq!(reason[0], "the catalog catalog has errors, so it is not served");
    let entry = "catalog/c.yaml:8:18: channel \"a\" of package \"p\" has an entry for bundle \"p.v1\", which is not in the \
                 catalog";
    assert_eq!(reason[1], entry);
    let outcome = sandbox.run(["serve", "catalog", "--cache-dir=made", "--cache-only"]);
    assert_eq!(outcome.status, Some(1), "{outcome}");
    // In a log for programs, each finding is an event.
    let outcome = sandbox.run(["serve", "catalog", "-p", "0", "--log-format=json", "--pprof-addr=:1"]);
    assert_eq!((outcome.status, outcome.stdout.as_str()), (Some(1), ""), "{outcome}");
    let events = outcome.stderr.lines().map(serde_json::from_str);
    let events: Vec<serde_json::Value> = events.collect::<Result<_, _>>().unwrap();
    let rules: Vec<_> = events.iter().filter_map(|event| event["rule"].as_str()).collect();
    for rule in [
        "catalog-entry-bundle",
        "catalog-package-missing",
        "catalog-bundle-identity",
    ] {
        assert!(rules.contains(&rule), "{rule}: {outcome}");
    }
    let entry = events
        .iter()
        .find(|event| event["rule"] == "catalog-entry-bundle")
        .unwrap();
    assert_eq!(entry["level"], "ERROR");
    assert_eq!(
        (&entry["file"], &entry["line"]),
        (&"catalog/c.yaml".into(), &8.into()),
        "{entry}"
    );
    assert!(entry["help"].is_string() && entry["message"].is_string(), "{entry}");
    assert_eq!(events.first().unwrap()["level"], "WARN");
    let last = events.last().unwrap();
    assert_eq!(last["message"], "the catalog catalog has errors, so it is not served");
    assert!(!sandbox.path("made").exists());
}

#[test]
fn the_first_warnings_about_a_served_catalog_are_reported_with_their_count() {
    let sandbox = crate::common::Sandbox::new();
    std::fs::create_dir(sandbox.path("catalog")).unwrap();
    let write = |count: usize| {
        let mut documents = "schema: olm.package\nname: p\ndefaultChannel: a\n---\nschema: olm.channel\npackage: p\n\
                             name: a\nentries:\n"
            .to_owned();
        for number in 1..=count {
            documents += &format!(
                "- {{name: p.v{number}, skipRange: nonsense, replaces: p.v{}}}\n",
                number - 1
            );
        }
        for number in 1..=count {
            documents += &format!(
                "---\nschema: olm.bundle\npackage: p\nname: p.v{number}\nimage: registry.example.com/p:{number}\n\
                 properties: [{{type: olm.package, value: {{packageName: p, version: {number}.0.0}}}}]\n"
            );
        }
        std::fs::write(sandbox.path("catalog/c.yaml"), documents).unwrap();
    };
    let serve = |more: &[&str]| {
        let common = [
            "serve",
            "catalog",
            "-p",
            "0",
            "--address",
            "127.0.0.1",
            "--timeout-seconds",
            "0",
        ];
        let outcome = sandbox.run(common.iter().chain(more));
        assert_eq!((outcome.status, outcome.stdout.as_str()), (Some(0), ""), "{outcome}");
        outcome.stderr
    };
    write(2);
    let told = serve(&[]);
    assert_eq!(told.matches("warning[catalog-skip-range]").count(), 2, "{told}");
    assert!(told.contains("catalog/c.yaml:9:") && !told.contains("more"), "{told}");
    write(23);
    let told = serve(&[]);
    assert_eq!(told.matches("warning[catalog-skip-range]").count(), 20, "{told}");
    let rest = "3 warnings more; opmx index check shows all";
    assert!(told.contains(rest), "{told}");
    let events = serve(&["--log-format", "json"]);
    let events: Vec<serde_json::Value> = events.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let warnings: Vec<_> = events.iter().filter(|event| event["level"] == "WARN").collect();
    assert_eq!(warnings.len(), 21, "{events:?}");
    assert_eq!(warnings[0]["rule"], "catalog-skip-range");
    assert_eq!(warnings[20]["message"], rest);
    // A build of an image shows the same.
    let outcome = sandbox.run(["serve", "catalog", "--cache-only"]);
    assert_eq!(outcome.status, Some(0), "{outcome}");
    assert!(outcome.stderr.contains(rest), "{outcome}");
}

#[test]
fn a_dockerfile_for_opm_checks_the_catalog_and_finds_its_cache_folder() {
    let sandbox = catalog();
    let outcome = sandbox.run(["serve", "catalog", "--cache-dir=made", "--cache-only"]);
    insta::assert_snapshot!(outcome, @"
    ------- stderr -------
    catalog can be served
    ");
    assert_eq!(std::fs::read_dir(sandbox.path("made")).unwrap().count(), 0);
    for (index, message) in [
        ("catalog", "catalog can be served"),
        ("absent.db", "there is no file or folder absent.db"),
    ] {
        let outcome = sandbox.run(["serve", index, "--cache-only", "--log-format", "json"]);
        let event: serde_json::Value = serde_json::from_str(&outcome.stderr).unwrap();
        assert_eq!(event["message"], message);
    }
    let outcome = sandbox.run([
        "serve",
        "index.db",
        "--cache-only",
        "--pprof-addr=localhost:6060",
        "--skip-migrate",
    ]);
    insta::assert_snapshot!(outcome, @"
    ------- stderr -------
    warning: opmx has no Go profiles; use --metrics-address to monitor the server
    index.db can be served
    ");
    for format in ["text", "json"] {
        let outcome = sandbox.run([
            "serve",
            "index.db",
            "--cache-only",
            "--pprof-addr=:1",
            "--log-format",
            format,
        ]);
        let is_logged = |line: &str| line.contains("WARN") && line.contains("opmx has no Go profiles");
        assert!(outcome.stderr.lines().any(is_logged), "{outcome}");
    }
}

#[test]
fn the_log_is_json_on_request() {
    let sandbox = catalog();
    let arguments = [
        "serve",
        "catalog",
        "--debug",
        "--log-format=json",
        "--address=127.0.0.1",
        "-p",
        "0",
    ];
    let arguments = arguments.into_iter().chain(["--metrics-address=127.0.0.1:0"]);
    let mut child = sandbox
        .command(arguments)
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut stderr = std::io::BufReader::new(child.stderr.take().unwrap());
    let mut ports = Vec::new();
    for message in ["serving metrics", "serving"] {
        let event = event(&mut stderr).unwrap();
        assert_eq!(
            (&event["level"], &event["message"]),
            (&"INFO".into(), &message.into()),
            "{event}"
        );
        assert!(event["timestamp"].is_string(), "{event}");
        ports.push(
            event["address"]
                .as_str()
                .unwrap()
                .rsplit(':')
                .next()
                .unwrap()
                .to_owned(),
        );
    }
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(ask(&ports[1]));
    let signal = Command::new("kill").arg(child.id().to_string()).status();
    assert!(signal.unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(0));
    let mut calls = Vec::new();
    let mut last = serde_json::Value::Null;
    while let Some(event) = event(&mut stderr) {
        if event["message"] == "call" {
            assert_eq!(
                (&event["level"], &event["code"]),
                (&"DEBUG".into(), &"OK".into()),
                "{event}"
            );
            calls.push(event["method"].as_str().unwrap().to_owned());
        }
        last = event["message"].clone();
    }
    assert_eq!(calls, ["ListPackages", "ListBundles", "GetPackage", "GetPackage"]);
    assert_eq!(last, "stopped");

    let outcome = sandbox.run(["serve", "absent.db", "--log-format=json", "-p", "0"]);
    assert_eq!(outcome.status, Some(4));
    let said: serde_json::Value = serde_json::from_str(&outcome.stderr).unwrap();
    assert_eq!(said["message"], "there is no file or folder absent.db");
    assert_eq!(said["level"], "ERROR");
}

fn event(stderr: &mut impl std::io::BufRead) -> Option<serde_json::Value> {
    let mut line = String::new();
    stderr.read_line(&mut line).unwrap();
    (!line.is_empty()).then(|| serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}")))
}

#[test]
fn a_served_file_that_changes_is_logged_once() {
    let sandbox = garden();
    succeed(&sandbox, &format!("registry add -q -b {BOTH} -d index.db"));
    succeed(&sandbox, "migrate index.db catalog");
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let common = "--address 127.0.0.1 -p 0 --log-format text --timeout-seconds 20";
    for (index, file) in [
        ("index.db", "index.db"),
        ("catalog", "catalog/compost-operator/catalog.json"),
    ] {
        let line = format!("serve {index} {common}");
        let mut command = sandbox.command(line.split(' '));
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
        let line = lines.find(|line| line.contains("serving")).unwrap_or_default();
        // The server answers as soon as it has read the index.
        runtime.block_on(ask(line.rsplit(':').next().unwrap_or_default()));
        let file = sandbox.path(file);
        let text = std::fs::read(&file).unwrap();
        std::fs::write(&file, &text[..text.len() - 1]).unwrap();
        let warning = lines
            .find(|line| line.contains("no longer serving"))
            .unwrap_or_default();
        let why = "was changed while it was being served; restart the server";
        assert!(warning.contains("WARN") && warning.contains(why), "{warning}");
        assert!(
            warning.contains(&*file.file_name().unwrap().to_string_lossy()),
            "{warning}"
        );
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(lines.filter(|line| line.contains("no longer serving")).count(), 0);
    }
}

#[test]
fn the_absence_of_a_folder_and_a_mounted_config_map_are_explained() {
    let sandbox = Sandbox::new();
    let outcome = sandbox.run(["serve", "./nowhere"]);
    assert_eq!(outcome.status, Some(4), "{outcome}");
    assert!(
        outcome.stderr.contains("error: there is no file or folder ./nowhere\n"),
        "{outcome}"
    );
    let document = r#"{"schema": "olm.package", "name": "p", "defaultChannel": "c"}"#;
    let channel = r#"{"schema": "olm.channel", "package": "p", "name": "c", "entries": []}"#;
    std::fs::create_dir_all(sandbox.path("mount/..2024_01")).unwrap();
    std::fs::write(
        sandbox.path("mount/..2024_01/catalog.json"),
        format!("{document}\n{channel}\n"),
    )
    .unwrap();
    std::os::unix::fs::symlink("..2024_01", sandbox.path("mount/..data")).unwrap();
    std::os::unix::fs::symlink("..data/catalog.json", sandbox.path("mount/catalog.json")).unwrap();
    let outcome = sandbox.run(["serve", "mount"]);
    assert_eq!(outcome.status, Some(1), "{outcome}");
    let hint = "hint: mount is mounted from a ConfigMap or Secret and contains every file twice, once through a link";
    assert!(outcome.stderr.contains(hint), "{outcome}");
}
