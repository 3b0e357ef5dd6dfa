//! `index add`: building an index image from bundles of both media types and from any source.

use crate::bundles::{
    BOTH, bundle_names, column, database_of, fail, fail_or_miss, garden, image, kinds_and_names, miss, names, operator,
    outcome_of, push, rake, serve_layout, small_base, succeed,
};
use crate::common::Sandbox;
use opmx::image::{Blob, Descriptor, Digest, Image, ImageConfig, Layer, build};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::process::{Command, Output, Stdio};
use std::sync::{Mutex, mpsc};
use std::time::{Duration, SystemTime};

const DATABASE_LABEL: &str = "operators.operatorframework.io.index.database.v1";

/// Path, mode and link target of each entry of a layer.
fn entries(image: &Image, layer: usize) -> Vec<(String, u32, Option<String>)> {
    let content = image.layers()[layer].content.open().unwrap();
    let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(content));
    let entries = archive.entries().unwrap().map(|entry| {
        let entry = entry.unwrap();
        let link = entry.link_name().unwrap();
        let text = |path: &std::path::Path| path.to_str().unwrap().to_owned();
        (
            text(&entry.path().unwrap()),
            entry.header().mode().unwrap(),
            link.as_deref().map(text),
        )
    });
    entries.collect()
}

#[test]
fn bundles_from_all_sources_become_one_reproducible_index_image() {
    let sandbox = garden();
    rake(&sandbox, "rake", "1.0.0", None);
    succeed(&sandbox, "bundle build compost -t oci:bundles:compost");
    succeed(&sandbox, "bundle build rake -t oci-archive:rake.tar:v1");
    let all = "greenhouse,oci:bundles:compost,oci-archive:rake.tar:v1";
    let outcome = outcome_of(&sandbox, &format!("index add -b {all} -t oci:index:v1"));
    let first = image(&sandbox, "index", "v1");
    assert_eq!(outcome.stdout, format!("oci:index@{}\n", first.digest()));
    // Nothing but remarks: no bars and no colours where nobody watches.
    insta::assert_snapshot!(outcome.stderr, @"
    added compost-operator.v0.3.1 to package compost-operator (alpha)
    added greenhouse-operator.v1.2.0 to package greenhouse-operator (candidate, stable)
    added rake.v1.0.0 to package rake (stable)
    ");

    let config: &Value = &first.config_value()["config"];
    assert_eq!(
        config,
        &json!({
            "User": "1001",
            "ExposedPorts": {"50051/tcp": {}},
            "Env": ["PATH=/bin"],
            "Entrypoint": ["/bin/opmx"],
            "Cmd": ["registry", "serve", "--database", "/database/index.db"],
            "Labels": {DATABASE_LABEL: "/database/index.db"},
        })
    );
    assert_eq!(first.config_value()["os"], "linux");
    assert_eq!(first.layers().len(), 2);
    let entry = |path: &str, mode, link: Option<&str>| (path.to_owned(), mode, link.map(str::to_owned));
    assert_eq!(
        entries(&first, 0),
        [
            entry("bin/", 0o755, None),
            entry("bin/grpc_health_probe", 0o777, Some("opmx")),
            entry("bin/opm", 0o777, Some("opmx")),
            entry("bin/opmx", 0o755, None),
            // A Dockerfile written for opm makes a cache here, as the user of the image.
            entry("tmp/", 0o1777, None),
        ]
    );
    assert_eq!(
        entries(&first, 1),
        [entry("database/", 0o755, None), entry("database/index.db", 0o644, None)]
    );
    let database = database_of(&sandbox, &first);
    assert_eq!(
        bundle_names(&database),
        ["compost-operator.v0.3.1", "greenhouse-operator.v1.2.0", "rake.v1.0.0"]
    );

    // Another day, another order, other dates of the files.
    for path in ["greenhouse/manifests/deployment.yaml", "greenhouse/metadata/olm.yaml"] {
        let file = File::options().append(true).open(sandbox.path(path)).unwrap();
        file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_hours(24))
            .unwrap();
    }
    let turned = "oci-archive:rake.tar:v1,oci:bundles:compost,greenhouse";
    let again = outcome_of(&sandbox, &format!("index add --quiet -b {turned} -t oci:again:v9"));
    assert_eq!(again.stderr, "");
    assert_eq!(again.stdout, format!("oci:again@{}\n", first.digest()));
}

#[test]
fn bundles_are_added_to_an_index_image_or_a_database_file() {
    let sandbox = garden();
    small_base(&sandbox);
    rake(&sandbox, "rake1", "1.0.0", None);
    rake(&sandbox, "rake2", "1.1.0", Some("rake.v1.0.0"));
    succeed(&sandbox, "index add -i oci:base:v1 -b rake1,compost -t oci:index:v1");
    let first = image(&sandbox, "index", "v1");
    let config = &first.config_value()["config"];
    assert_eq!(config["Entrypoint"], json!(["/bin/opm"]));
    assert_eq!(config["Labels"][DATABASE_LABEL], "/database/index.db");

    fs::write(sandbox.path("more.txt"), "# the next ones\n\n  rake2  \ngreenhouse\n").unwrap();
    succeed(
        &sandbox,
        "index add -i oci:base:v1 --bundles-from more.txt -f oci:index:v1 -t oci:index:v2",
    );
    let second = database_of(&sandbox, &image(&sandbox, "index", "v2"));
    let all = [
        "compost-operator.v0.3.1",
        "greenhouse-operator.v1.2.0",
        "rake.v1.0.0",
        "rake.v1.1.0",
    ];
    assert_eq!(bundle_names(&second), all);
    assert_eq!(
        column(
            &second,
            "SELECT head_operatorbundle_name FROM channel WHERE package_name = 'rake'"
        ),
        ["rake.v1.1.0"]
    );
    assert_eq!(image(&sandbox, "index", "v1").digest(), first.digest());

    let file = database_of(&sandbox, &first);
    let before = fs::read(&file).unwrap();
    let line = format!("index add -b greenhouse,rake2 -f {} --generate", file.display());
    succeed(&sandbox, &line);
    assert_eq!(bundle_names(&sandbox.path("database/index.db")), all);
    assert_eq!(fs::read(&file).unwrap(), before);
}

#[test]
fn an_existing_bundle_changes_nothing() {
    let sandbox = garden();
    small_base(&sandbox);
    rake(&sandbox, "rake", "1.0.0", None);
    succeed(&sandbox, "index add -i oci:base:v1 -b compost,rake -t oci:index:v1");
    let before = (
        names(&sandbox.path("index/blobs/sha256")),
        image(&sandbox, "index", "v1").digest(),
    );
    let again = "index add -i oci:base:v1 -f oci:index:v1 -t oci:index:v1 -b rake,greenhouse,compost";
    insta::assert_snapshot!(fail(&sandbox, again), @r#"
    ------- stderr -------
    error: bundle compost-operator.v0.3.1 of compost is already in package "compost-operator" of the index, with the same image, content and channels
           bundle rake.v1.0.0 of rake is already in package "rake" of the index, with the same image, content and channels
      hint: skip existing bundles with --if-exists skip
    ------- exit 1 -------
    "#);
    let after = (
        names(&sandbox.path("index/blobs/sha256")),
        image(&sandbox, "index", "v1").digest(),
    );
    assert_eq!(before, after);
    insta::assert_snapshot!(fail(&sandbox, "index add -b rake,./rake -t oci:twice:v1"), @"
    ------- stderr -------
    error: bundle rake.v1.0.0 was specified twice, by ./rake and by rake; specify it once
    ------- exit 1 -------
    ");
    assert!(!sandbox.path("twice").exists());
    succeed(&sandbox, "index add -i oci:base:v1 -b rake,rake -t oci:once:v1");
}

#[test]
fn all_broken_bundles_are_reported_and_nothing_is_pushed() {
    let sandbox = garden();
    rake(&sandbox, "rake", "1.0.0", None);
    fs::write(
        sandbox.path("rake/manifests/operator.clusterserviceversion.yaml"),
        "apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nmetadata:\n  name: rake.v1.0.0\n  name: rake.v1\n\tx: 1\n",
    )
    .unwrap();
    let webhook = sandbox.path("greenhouse/manifests/rbac.yaml");
    let rules = fs::read_to_string(&webhook).unwrap();
    fs::write(&webhook, rules.replace("resources: [", "resources: ['*', ")).unwrap();
    let outcome = fail(
        &sandbox,
        "index add -b compost,greenhouse,rake,absent/bundle:v1,./nowhere --retries 0 -t oci:index:v1",
    );
    let said = &outcome.stderr;
    for word in [
        "error[rbac-wildcard]",
        "greenhouse/manifests/rbac.yaml:",
        "error: greenhouse has errors",
        "error: rake has errors",
        "rake/manifests/operator.clusterserviceversion.yaml:",
        "error: absent/bundle:v1 cannot be added",
        "hint: there is no folder absent/bundle:v1, so the name was interpreted as an image",
        "error: ./nowhere cannot be added",
        "error: 4 of 5 bundles cannot be added, so no bundle was added",
    ] {
        assert!(said.contains(word), "{word} is not in: {said}");
    }
    assert!(!said.contains("compost"), "{said}");
    assert!(!sandbox.path("index").exists());
}

#[test]
fn bundles_without_a_valid_graph_are_rejected_with_the_missing_name() {
    let sandbox = garden();
    rake(&sandbox, "rake", "1.1.0", Some("rake.v1.0.0"));
    insta::assert_snapshot!(fail(&sandbox, "index add -b rake -t oci:index:v1"), @r#"
    ------- stderr -------
    error: rake/manifests/operator.clusterserviceversion.yaml:8: bundle rake.v1.1.0 in channel "stable" of package "rake" (head rake.v1.1.0) replaces rake.v1.0.0, which is neither in the index nor among the bundles to add; also add rake.v1.0.0, or correct replaces in rake.v1.1.0
    ------- exit 1 -------
    "#);
    assert!(!sandbox.path("index").exists());
}

#[test]
fn generate_writes_the_database_and_the_dockerfile_of_opm() {
    let sandbox = garden();
    let outcome = outcome_of(
        &sandbox,
        &format!("index add -b {BOTH} --generate -p podman -u docker -c none"),
    );
    insta::assert_snapshot!(outcome, @"
    ------- stderr -------
    warning: ignoring --build-tool, --pull-tool because opmx pulls and builds images itself
    added compost-operator.v0.3.1 to package compost-operator (alpha)
    added greenhouse-operator.v1.2.0 to package greenhouse-operator (candidate, stable)
    warning: opm:latest is a placeholder for your own image that contains opm or opmx; specify it with --binary-image
    wrote database/index.db and index.Dockerfile
    ");
    let dockerfile = |name: &str| fs::read_to_string(sandbox.path(name)).unwrap();
    insta::assert_snapshot!(dockerfile("index.Dockerfile"), @r#"
    FROM opm:latest
    LABEL operators.operatorframework.io.index.database.v1=/database/index.db
    ADD database/index.db /database/index.db
    EXPOSE 50051
    ENTRYPOINT ["/bin/opm"]
    CMD ["registry", "serve", "--database", "/database/index.db"]
    "#);
    assert!(dockerfile("index.Dockerfile").ends_with("]\n"));
    let first = fs::read(sandbox.path("database/index.db")).unwrap();
    assert_eq!(names(&sandbox.path("database")), ["index.db"]);

    let line = format!("index add -b {BOTH} --generate -i registry.example.com/base:v1 -d my.Dockerfile");
    let outcome = outcome_of(&sandbox, &line);
    assert!(!outcome.stderr.contains("placeholder"), "{outcome}");
    assert!(dockerfile("my.Dockerfile").starts_with("FROM registry.example.com/base:v1\nLABEL "));
    assert_eq!(fs::read(sandbox.path("database/index.db")).unwrap(), first);
}

#[test]
fn generate_refuses_a_tag_because_it_builds_no_image() {
    let sandbox = garden();
    let outcome = sandbox.run("index add -b compost --generate -t oci:index:v1".split(' '));
    assert_eq!(outcome.status, Some(2), "{outcome}");
    let expected = "the argument '--generate' cannot be used with '--tag <REF>'";
    assert!(outcome.stderr.contains(expected), "{outcome}");
    assert_eq!(names(&sandbox.path("")), ["compost", "greenhouse"]);
}

#[test]
fn a_failing_generate_writes_nothing() {
    let sandbox = garden();
    rake(&sandbox, "rake", "1.1.0", Some("rake.v1.0.0"));
    let _ = fail(&sandbox, "index add -b rake --generate");
    assert_eq!(names(&sandbox.path("")), ["compost", "greenhouse", "rake"]);
    succeed(&sandbox, "index add -b compost --generate");
    let before = fs::read(sandbox.path("database/index.db")).unwrap();
    let _ = fail(&sandbox, "index add -b rake --generate");
    assert_eq!(fs::read(sandbox.path("database/index.db")).unwrap(), before);
}

#[test]
fn a_k8s_bundle_is_stored_inline_with_its_csv_and_without_generated_objects() {
    let sandbox = garden();
    let published = "registry.example.com/garden/greenhouse-bundle:v1.2.0";
    let stored = |line: &str| {
        succeed(&sandbox, &format!("index add -b greenhouse --generate {line}"));
        sandbox.path("database/index.db")
    };
    let properties = "SELECT type || ' ' || value FROM properties ORDER BY type, value";
    let images = "SELECT image FROM related_image ORDER BY image";
    let run = [
        "registry.example.com/garden/greenhouse-operator:1.2.0",
        "registry.example.com/garden/thermostat:2.0.1",
    ];

    let database = stored("");
    assert_eq!(column(&database, "SELECT bundlepath FROM operatorbundle"), [""]);
    assert_eq!(
        kinds_and_names(&column(&database, "SELECT csv FROM operatorbundle")[0]),
        ["ClusterServiceVersion/greenhouse-operator.v1.2.0"]
    );
    assert_eq!(
        kinds_and_names(&column(&database, "SELECT bundle FROM operatorbundle")[0]),
        [
            "ClusterServiceVersion/greenhouse-operator.v1.2.0",
            "Service/greenhouse-metrics",
            "CustomResourceDefinition/greenhouses.garden.example.com",
            "CustomResourceDefinition/sensors.garden.example.com",
        ]
    );
    let csv: Value = serde_json::from_str(&column(&database, "SELECT csv FROM operatorbundle")[0]).unwrap();
    assert_eq!(
        csv["spec"]["install"]["spec"]["deployments"][0]["name"],
        "greenhouse-operator"
    );
    assert_eq!(csv["spec"]["webhookdefinitions"].as_array().map(Vec::len), Some(1));
    insta::assert_snapshot!(column(&database, properties).join("\n"), @r#"
    olm.bundle.mediatype "k8s+v1"
    olm.gvk {"group":"garden.example.com","kind":"Greenhouse","version":"v1"}
    olm.gvk {"group":"garden.example.com","kind":"Greenhouse","version":"v1beta1"}
    olm.gvk {"group":"garden.example.com","kind":"Sensor","version":"v1"}
    olm.package {"packageName":"greenhouse-operator","version":"1.2.0"}
    "#);
    assert_eq!(column(&database, images), run);

    let database = stored(&format!("--record-as {published}"));
    assert_eq!(column(&database, "SELECT bundlepath FROM operatorbundle"), [""]);
    assert_eq!(
        column(
            &database,
            "SELECT value FROM properties WHERE type = 'olm.bundle.image'"
        ),
        [format!("{published:?}")]
    );
    assert_eq!(column(&database, images), [published, run[0], run[1]]);

    let database = stored(&format!("--record-as docker://{published} --by-reference"));
    assert_eq!(column(&database, "SELECT bundlepath FROM operatorbundle"), [published]);
    assert_eq!(
        column(&database, "SELECT value FROM properties WHERE type LIKE 'olm.bundle.%'"),
        ["\"k8s+v1\""]
    );
}

#[test]
fn a_recorded_reference_must_be_pullable_by_a_cluster() {
    let sandbox = garden();
    let refused = |line: &str| sandbox.run(line.split_whitespace());
    insta::assert_snapshot!(refused("index add -b compost --generate --record-as oci:bundles:v1"), @"
    ------- stderr -------
    error: --record-as oci:bundles:v1: clusters pull images only from registries
    ------- exit 2 -------
    ");
    insta::assert_snapshot!(refused("index add -b compost --generate --record-as Not/A:Reference"), @r#"
    ------- stderr -------
    error: --record-as: "Not/A:Reference" is not an image reference: the repository "Not/A" must be lowercase
    ------- exit 2 -------
    "#);
    insta::assert_snapshot!(refused("index add -b compost,greenhouse --generate --record-as registry.example.com/a:v1"), @"
    ------- stderr -------
    error: --record-as sets the reference of a single bundle, but several were specified
    ------- exit 2 -------
    ");
    insta::assert_snapshot!(refused("index add -b greenhouse --generate --by-reference"), @"
    ------- stderr -------
    error: greenhouse cannot be added
      caused by: greenhouse is not in a registry, so there is no reference to store
      hint: specify the published location with --record-as, or omit --by-reference
    error: the bundle was not added
    ------- exit 1 -------
    ");
    assert_eq!(names(&sandbox.path("")), ["compost", "greenhouse"]);

    let published = "registry.example.com/garden/compost-bundle:v0.3.1";
    succeed(
        &sandbox,
        &format!("index add -b compost --generate --record-as {published}"),
    );
    let database = sandbox.path("database/index.db");
    assert_eq!(column(&database, "SELECT bundlepath FROM operatorbundle"), [published]);
    assert!(column(&database, "SELECT image FROM related_image").contains(&published.to_owned()));
}

#[test]
fn an_image_or_path_that_is_not_a_bundle_is_rejected_with_a_hint() {
    let sandbox = garden();
    small_base(&sandbox);
    succeed(&sandbox, "index add -i oci:base:v1 -b compost -t oci:index:v1");
    insta::assert_snapshot!(fail(&sandbox, "index add -b oci:index:v1 -t oci:new:v1"), @r#"
    ------- stderr -------
    error: oci:index:v1 cannot be added
      caused by: oci:index:v1 is an index image, not a bundle image
      hint: specify a bundle image; "opmx index add --from-index" starts from an index
    error: the bundle was not added
    ------- exit 1 -------
    "#);
    insta::assert_snapshot!(fail(&sandbox, "index add -b index -t oci:new:v1"), @"
    ------- stderr -------
    error: index cannot be added
      caused by: index is an OCI image layout, not a bundle folder
      hint: specify an image in the layout as oci:index:TAG
    error: the bundle was not added
    ------- exit 1 -------
    ");
    insta::assert_snapshot!(miss(&sandbox, "index add -b oci:index:v2 -t oci:new:v1"), @"
    ------- stderr -------
    error: oci:index:v2 cannot be added
      caused by: oci:index:v2: the tag v2 was not found (available: v1)
    error: the bundle was not added
    ------- exit 4 -------
    ");
    insta::assert_snapshot!(fail(&sandbox, "index add -b compost -f oci:base:v1 -t oci:new:v1"), @"
    ------- stderr -------
    error: oci:base:v1 is not an index image: oci:base:v1: the file /database/index.db was not found
    ------- exit 1 -------
    ");
    insta::assert_snapshot!(miss(&sandbox, "index add -b compost -f ./absent.db -t oci:new:v1"), @"
    ------- stderr -------
    error: there is no file or folder ./absent.db
      hint: an index is an image, a database file or the folder of a file-based catalog
    ------- exit 4 -------
    ");
    let labels = BTreeMap::from([(
        "operators.operatorframework.io.index.configs.v1".to_owned(),
        "/configs".to_owned(),
    )]);
    let config = ImageConfig {
        labels,
        ..ImageConfig::default()
    };
    push(&sandbox, &build(&config, Vec::new()).unwrap(), "oci:base:catalog");
    insta::assert_snapshot!(miss(&sandbox, "index add -b compost -f oci:base:catalog -t oci:new:v1"), @"
    ------- stderr -------
    error: oci:base:catalog: the content of /configs was not found
    ------- exit 4 -------
    ");
    let nothing = sandbox.run(["index", "add", "--bundles-from", "/dev/null", "-t", "oci:new:v1"]);
    insta::assert_snapshot!(nothing, @"
    ------- stderr -------
    error: no bundle was specified
      hint: specify bundles with -b, or a list of bundles with --bundles-from
    ------- exit 2 -------
    ");
    assert!(!sandbox.path("new").exists());
}

#[test]
fn an_unreachable_registry_is_reported_with_its_request() {
    let sandbox = garden();
    let line = "index add -b 127.0.0.1:1/team/bundle:v1 --retries 0 -t oci:index:v1";
    insta::assert_snapshot!(fail(&sandbox, line), @"
    ------- stderr -------
    error: 127.0.0.1:1/team/bundle:v1 cannot be added
      caused by: 127.0.0.1:1/team/bundle:v1: GET https://127.0.0.1:1/v2/team/bundle/manifests/v1: cannot connect: Connection refused (os error 111)
      hint: check the host name, the network, and the environment variables HTTPS_PROXY, HTTP_PROXY and NO_PROXY
    error: the bundle was not added
    ------- exit 1 -------
    ");
    small_base(&sandbox);
    let line = "index add -i oci:base:v1 -b compost --retries 0 -t 127.0.0.1:1/team/index:v1";
    let said = fail(&sandbox, line).stderr;
    assert!(
        said.contains("cannot connect") && said.contains("hint: check the host name"),
        "{said}"
    );
}

#[test]
fn additions_of_a_concurrent_client_are_kept() {
    let (sandbox, output) = overtaken("");
    assert_eq!(output.status.code(), Some(0));
    insta::assert_snapshot!(String::from_utf8(output.stderr).unwrap(), @"
    another client moved the tag in the meantime, so the change was repeated on the new index
    added rake.v1.0.0 to package rake (stable)
    ");
    assert_eq!(
        bundle_names(&database_of(&sandbox, &image(&sandbox, "index", "v1"))),
        ["compost-operator.v0.3.1", "rake.v1.0.0", "spade.v1.0.0"]
    );
}

#[test]
fn with_no_redo_a_concurrently_moved_index_is_left_unchanged() {
    let (sandbox, output) = overtaken(" --no-redo");
    assert_eq!(
        (output.status.code(), output.stdout.as_slice()),
        (Some(1), b"".as_slice())
    );
    insta::assert_snapshot!(String::from_utf8(output.stderr).unwrap(), @"
    error: oci:index:v1 was changed by another client in the meantime, so opmx did not replace it
      hint: run the command again
    ");
    let there = image(&sandbox, "index", "v1").digest();
    assert_eq!(there, image(&sandbox, "other", "v1").digest());
    succeed(
        &sandbox,
        "index add -i oci:base:v1 -b rake -f oci:index:v1 -t oci:index:v1",
    );
    assert_eq!(
        bundle_names(&database_of(&sandbox, &image(&sandbox, "index", "v1"))),
        ["compost-operator.v0.3.1", "rake.v1.0.0", "spade.v1.0.0"]
    );
}

/// Returns the outcome of a command that adds to an index while another client adds to it, and the sandbox with the
/// index.
fn overtaken(more: &str) -> (Sandbox, Output) {
    let sandbox = garden();
    small_base(&sandbox);
    rake(&sandbox, "rake", "1.0.0", None);
    operator(&sandbox, "spade", "spade", "1.0.0", None);
    succeed(&sandbox, "index add -i oci:base:v1 -b compost -t oci:index:v1");
    succeed(&sandbox, "index add -i oci:base:v1 -b compost,spade -t oci:other:v1");
    let theirs = image(&sandbox, "other", "v1");

    // The registry that a bundle comes from waits with its first answer until they are done.
    succeed(&sandbox, "bundle build rake -t oci:bundles:rake");
    let (asked, begun) = mpsc::channel();
    let (go_on, done) = mpsc::channel::<()>();
    let done = Mutex::new(done);
    let registry = serve_layout(&sandbox, "bundles", move || {
        if asked.send(()).is_ok() {
            let _ = done.lock().unwrap().recv();
        }
    });
    let rake = format!("{}/rake:v1", registry.host);
    let line = format!("index add -i oci:base:v1 -b {rake} --use-http -f oci:index:v1 -t oci:index:v1{more}");
    let mut command = sandbox.command(line.split(' '));
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    begun.recv().unwrap();
    push(&sandbox, &theirs, "oci:index:v1");
    drop((begun, go_on));
    let output = child.wait_with_output().unwrap();
    (sandbox, output)
}

#[test]
fn the_next_command_cleans_up_after_a_killed_one() {
    let sandbox = garden();
    small_base(&sandbox);
    succeed(&sandbox, "index add -i oci:base:v1 -b compost -t oci:index:v1");
    let before = image(&sandbox, "index", "v1").digest();
    fs::create_dir(sandbox.path("tmp")).unwrap();
    let run = |line: &str| {
        let mut command = sandbox.command(line.split(' '));
        command.env("TMPDIR", sandbox.path("tmp"));
        command
    };
    // It waits for a registry that never answers, with the index unpacked, until it is killed.
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let registry = silent.local_addr().unwrap();
    let waits = format!("index add -i oci:base:v1 -b {registry}/rake:v1 --use-http -f oci:index:v1 -t oci:index:v1");
    let mut child = run(&waits).stdin(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let unpacked = || {
        let mut entries = walkdir::WalkDir::new(sandbox.path("tmp")).into_iter().flatten();
        entries.any(|entry| entry.file_name() == "index.db")
    };
    while !unpacked() {
        assert!(child.try_wait().unwrap().is_none(), "it ended");
        std::thread::yield_now();
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!names(&sandbox.path("tmp")).is_empty());
    assert_eq!(image(&sandbox, "index", "v1").digest(), before);

    let next = sandbox.finish(&mut run(
        "index add -i oci:base:v1 -b greenhouse -f oci:index:v1 -t oci:index:v1",
    ));
    assert_eq!(next.status, Some(0), "{next}");
    assert!(names(&sandbox.path("tmp")).is_empty());
    assert_eq!(
        bundle_names(&database_of(&sandbox, &image(&sandbox, "index", "v1"))),
        ["compost-operator.v0.3.1", "greenhouse-operator.v1.2.0"]
    );
}

#[test]
fn a_full_disk_pushes_nothing_and_gives_a_hint() {
    let sandbox = garden();
    let limited = |blocks: u32| {
        let mut command = Command::new("bash");
        command
            .args(["-c", &format!("ulimit -f {blocks}; exec \"$0\" \"$@\"")])
            .arg(env!("CARGO_BIN_EXE_opmx"))
            .args("index add -b compost -t oci:index:v1".split(' '));
        sandbox.surround(&mut command);
        command.env("TMPDIR", sandbox.path(""));
        sandbox.finish(&mut command)
    };
    insta::assert_snapshot!(limited(2000), @"
    ------- stderr -------
    error: cannot build the image: cannot write a temporary file in [DIR]/: File too large (os error 27)
      hint: free space in that folder, or set TMPDIR to another folder
    ------- exit 1 -------
    ");
    let early = limited(8);
    assert_eq!(early.status, Some(1), "{early}");
    assert!(
        early
            .stderr
            .contains("check the disk, its free space, the quota and the limit on file sizes"),
        "{early}"
    );
    assert_eq!(names(&sandbox.path("")), ["compost", "greenhouse"]);
}

#[test]
fn a_full_disk_is_not_reported_as_an_invalid_image() {
    let sandbox = garden();
    small_base(&sandbox);
    succeed(&sandbox, "index add -q -b compost -t oci:index:v1 -i oci:base:v1");
    let mut command = Command::new("bash");
    command
        .args(["-c", "ulimit -f 8; exec \"$0\" \"$@\""])
        .arg(env!("CARGO_BIN_EXE_opmx"))
        .args("index list bundles oci:index:v1".split(' '));
    sandbox.surround(&mut command);
    fs::create_dir(sandbox.path("tmp")).unwrap();
    let outcome = sandbox.finish(command.env("TMPDIR", sandbox.path("tmp")));
    assert_eq!(outcome.status, Some(1), "{outcome}");
    assert!(
        outcome.stderr.starts_with("error: cannot write [DIR]/tmp/") && !outcome.stderr.contains("index image"),
        "{outcome}"
    );
    assert!(
        outcome
            .stderr
            .ends_with("hint: free space in that folder, or set TMPDIR to another folder\n"),
        "{outcome}"
    );
}

#[test]
fn an_unsuitable_binary_is_rejected_before_bundles_are_read() {
    let sandbox = garden();
    fs::write(sandbox.path("script"), "#!/bin/sh\n").unwrap();
    let own = env!("CARGO_BIN_EXE_opmx");
    for (options, said) in [
        (
            "--binary linux/arm64=script".to_owned(),
            "error: script is not a program for Linux because it is not an ELF file\n".to_owned(),
        ),
        (
            format!("--binary linux/riscv64={own}"),
            format!("error: {own} is not a program for linux/riscv64: it is for "),
        ),
        (
            "--binary linux/arm64=nowhere".to_owned(),
            "error: cannot read nowhere: No such file or directory".to_owned(),
        ),
        (
            "--binary windows/amd64=script".to_owned(),
            "error: index images cannot be built for windows/amd64, only for Linux on amd64, arm64, ".to_owned(),
        ),
        (
            "--binary s390x=script --binary linux/s390x=other".to_owned(),
            "error: two programs were specified for linux/s390x: script and other\n".to_owned(),
        ),
    ] {
        let outcome = fail_or_miss(&sandbox, &format!("index add -b ./nowhere -t oci:index:v1 {options}"));
        assert!(outcome.stderr.starts_with(&said), "{options}: {outcome}");
    }
    assert!(!sandbox.path("index").exists());
    for options in [
        "--binary opmx",
        "--binary linux/arm64=",
        "--all-platforms",
        "--all-platforms -i oci:base:v1 --binary arm64=opmx",
    ] {
        let line = format!("index add -b compost -t oci:index:v1 {options}");
        let outcome = sandbox.run(line.split_whitespace());
        assert_eq!(outcome.status, Some(2), "{options}: {outcome}");
    }
}

#[test]
fn a_bundle_is_unchanged_if_the_catalog_has_only_its_csv_metadata() {
    let sandbox = garden();
    small_base(&sandbox);
    let add = "-b compost --record-as registry.example.com/compost:1";
    succeed(&sandbox, &format!("registry add -q {add} -d index.db"));
    succeed(&sandbox, "migrate -q index.db catalog --migrate-level all");
    let again = format!("index add {add} --if-exists skip -f catalog -t oci:index:v1 -i oci:base:v1");
    insta::assert_snapshot!(outcome_of(&sandbox, &again).stderr, @"compost-operator.v0.3.1 is already in the index");
    let other = again.replace("compost:1", "compost:2");
    assert!(fail(&sandbox, &other).stderr.contains("with a different image"));
}

#[test]
fn an_index_or_base_image_must_have_the_platform_that_the_user_specifies() {
    let sandbox = garden();
    rake(&sandbox, "rake1", "1.0.0", None);
    small_base(&sandbox);
    succeed(&sandbox, "bundle build rake1 -t oci:bundle:v1 -q");
    succeed(
        &sandbox,
        "index add -q -b rake1 -i oci:base:v1 -t oci:index:v1 --platform linux/amd64",
    );
    for (line, name) in [
        ("index add -b rake1 -i oci:base:v1 -t oci:new:v1", "oci:base:v1"),
        ("index add -b rake1 -f oci:index:v1 -t oci:new:v1", "oci:index:v1"),
        ("index list packages oci:index:v1", "oci:index:v1"),
        ("render oci:index:v1", "oci:index:v1"),
        ("migrate oci:index:v1 catalog", "oci:index:v1"),
    ] {
        let missed = miss(&sandbox, &format!("{line} --platform linux/amd46"));
        let said = format!("{name}: an image for linux/amd46 was not found (available: linux/amd64)");
        assert!(missed.stderr.contains(&said), "{line}: {missed}");
    }
    assert!(!sandbox.path("new").exists());
    for line in ["render oci:bundle:v1", "index add --dry-run -b oci:bundle:v1"] {
        succeed(&sandbox, &format!("{line} --platform linux/arm64"));
    }
}

#[test]
fn a_base_image_with_a_damaged_layer_is_rejected() {
    let sandbox = garden();
    rake(&sandbox, "rake1", "1.0.0", None);
    succeed(&sandbox, "registry add -q -b rake1 -d index.db");
    succeed(&sandbox, "migrate -q index.db catalog");
    let content = b"this is not a tar file";
    let layer = Layer {
        descriptor: Descriptor {
            media_type: "application/vnd.oci.image.layer.v1.tar".to_owned(),
            digest: Digest::of(content),
            size: content.len() as u64,
        },
        diff_id: Some(Digest::of(content)),
        content: Blob::Memory(content.as_slice().into()),
    };
    push(
        &sandbox,
        &build(&ImageConfig::default(), vec![layer]).unwrap(),
        "oci:base:v1",
    );
    let expected = format!("error: oci:base:v1: layer {} is truncated: ", Digest::of(content));
    for line in ["index add -b rake1", "index from-fbc catalog", "catalog build catalog"] {
        let refused = fail(&sandbox, &format!("{line} -i oci:base:v1 -t oci:index:v1"));
        assert!(refused.stderr.contains(&expected), "{line}: {refused}");
        assert!(!sandbox.path("index").exists());
    }
}

#[test]
fn a_base_image_that_cannot_serve_an_index_is_warned_about() {
    let sandbox = garden();
    rake(&sandbox, "rake1", "1.0.0", None);
    rake(&sandbox, "rake2", "1.1.0", Some("rake.v1.0.0"));
    small_base(&sandbox);
    push(
        &sandbox,
        &build(&ImageConfig::default(), Vec::new()).unwrap(),
        "oci:empty:v1",
    );
    succeed(&sandbox, "bundle build rake1 -t oci:bundle:v1 -q");
    let add = |base: &str| outcome_of(&sandbox, &format!("index add -b rake1 -i {base} -t oci:index:v1")).stderr;
    insta::assert_snapshot!(add("oci:empty:v1"), @"
    warning: the base image oci:empty:v1 does not contain /bin/opm, the program that the new image starts
      hint: use an image that contains opm or opmx as /bin/opm, or add opmx to the image with --binary
    added rake.v1.0.0 to package rake (stable)
    ");
    let said = add("oci:bundle:v1");
    assert!(
        said.contains(
            "warning: the base image oci:bundle:v1 is a bundle, so clusters probably cannot run the new image"
        ),
        "{said}"
    );
    let starts_opm = ImageConfig {
        entrypoint: vec!["/bin/opm".to_owned()],
        ..ImageConfig::default()
    };
    push(&sandbox, &build(&starts_opm, Vec::new()).unwrap(), "oci:opm:v1");
    for base in ["oci:base:v1", "oci:opm:v1"] {
        let said = add(base);
        assert!(!said.contains("warning"), "{base}: {said}");
    }
    succeed(&sandbox, "migrate -q oci:index:v1 catalog");
    for line in [
        "index from-fbc catalog -t oci:new:v1",
        "catalog build catalog -t oci:new:v1",
        "index add -f oci:index:v1 -b rake2 -t oci:new:v1",
    ] {
        let said = outcome_of(&sandbox, &format!("{line} -i oci:empty:v1")).stderr;
        assert!(
            said.contains("oci:empty:v1 does not contain /bin/opm"),
            "{line}: {said}"
        );
    }
}
