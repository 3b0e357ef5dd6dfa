//! Index images for several platforms: other programs select the right one, and the one for this machine runs.

use crate::common::{Sandbox, copy_folder};
use crate::image::Unpacked;
use crate::tools::{installed, run};
use crate::{miss, registry, succeed};
use serde_json::Value;
use std::fs;
use std::path::Path;

const INDEX: &str = "application/vnd.oci.image.index.v1+json";

/// The headers of a static program for a processor, which suffice for one that cannot run here.
fn write_program(sandbox: &Sandbox, name: &str, machine: u8) {
    let mut program = vec![0; 64];
    program[..7].copy_from_slice(b"\x7fELF\x02\x01\x01");
    program[16] = 2;
    program[18] = machine;
    program[54] = 56;
    fs::write(sandbox.path(name), program).unwrap();
}

fn with_bundles() -> Sandbox {
    let sandbox = Sandbox::new();
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata");
    for name in ["greenhouse-operator", "compost-operator"] {
        copy_folder(&data.join(name), &sandbox.path(name));
    }
    write_program(&sandbox, "opmx-arm64", 183);
    write_program(&sandbox, "opmx-riscv64", 243);
    sandbox
}

fn skopeo(arguments: &[&str]) -> Value {
    let printed = run("skopeo", &[&["--insecure-policy"], arguments].concat());
    serde_json::from_str(&printed).unwrap()
}

/// The architectures that an image index lists.
fn architectures(index: &Value) -> Vec<&str> {
    assert_eq!(index["mediaType"], INDEX);
    let entries = index["manifests"].as_array().unwrap().iter();
    let entries = entries.map(|entry| {
        assert_eq!(entry["platform"]["os"], "linux");
        entry["platform"]["architecture"].as_str().unwrap()
    });
    entries.collect()
}

#[test]
fn a_multi_platform_index_is_accepted_by_other_programs_and_runs_here() {
    if !installed(&["docker-registry", "skopeo", "umoci"]) {
        return;
    }
    let sandbox = with_bundles();
    let registry = registry(&sandbox);
    let place = format!("{}/garden/index", registry.host);
    let binaries = "--binary linux/riscv64=opmx-riscv64 --binary arm64=opmx-arm64";
    let add = "index add --use-http -b greenhouse-operator";
    let pinned = succeed(&sandbox, &format!("{add} -t {place}:v1 {binaries}"));
    let digest = pinned.trim_end().strip_prefix(&format!("{place}@")).unwrap();

    let here = format!("docker://{place}:v1");
    let plain = "--tls-verify=false";
    let index = skopeo(&["inspect", plain, "--raw", &here]);
    assert_eq!(architectures(&index), ["amd64", "arm64", "riscv64"]);
    let mut layers = Vec::new();
    for architecture in architectures(&index) {
        let inspected = skopeo(&["--override-arch", architecture, "inspect", plain, &here]);
        assert_eq!(inspected["Architecture"], architecture);
        let of_image: Vec<String> = serde_json::from_value(inspected["Layers"].clone()).unwrap();
        layers.push(of_image);
    }
    assert!(layers.iter().all(|of_image| of_image[1] == layers[0][1]), "{layers:?}");
    assert!(layers.iter().skip(1).all(|of_image| of_image[0] != layers[0][0]));

    // The same by another order of the options, and in the other places where an image can be.
    let turned = "--binary linux/arm64=opmx-arm64 --binary linux/riscv64=opmx-riscv64";
    for place in ["oci:layout", "oci-archive:index.tar"] {
        let printed = succeed(&sandbox, &format!("{add} -t {place}:v1 {turned}"));
        assert_eq!(printed, format!("{place}@{digest}\n"));
        let path = place.split_once(':').unwrap().1;
        let there = format!(
            "{}:{}:v1",
            place.split(':').next().unwrap(),
            sandbox.path(path).display()
        );
        assert_eq!(skopeo(&["inspect", "--raw", &there]), index);
    }
    let whole = format!("oci:{}:all", sandbox.path("copied").display());
    run(
        "skopeo",
        &[
            "--insecure-policy",
            "copy",
            "--all",
            "--src-tls-verify=false",
            &here,
            &whole,
        ],
    );
    for index in [
        &*format!("{place}:v1"),
        pinned.trim_end(),
        "oci:copied:all",
        "oci-archive:index.tar:v1",
    ] {
        for platform in ["", "--platform linux/arm64", "--platform linux/riscv64"] {
            let line = format!("index list bundles {index} --use-http -o json {platform}");
            let rows: Value = serde_json::from_str(&succeed(&sandbox, &line)).unwrap();
            assert_eq!(rows.as_array().unwrap().len(), 2, "{line}");
        }
    }

    let native = format!("oci:{}:v1", sandbox.path("native").display());
    let copy = ["copy", "--src-tls-verify=false", &here, &native];
    run(
        "skopeo",
        &[&["--insecure-policy", "--override-arch", "amd64"], &copy[..]].concat(),
    );
    let image = Unpacked::of(&sandbox, "native");
    assert_eq!(image.arguments[0], "/bin/opmx");
    image.serves(&["greenhouse-operator.v1.2.0", "greenhouse-operator.v1.2.0"]);
}

#[test]
fn a_multi_platform_index_is_changed_for_all_platforms() {
    if !installed(&["docker-registry", "skopeo"]) {
        return;
    }
    let sandbox = with_bundles();
    let registry = registry(&sandbox);
    let place = format!("{}/garden/index:v1", registry.host);
    let here = format!("docker://{place}");
    let binary = "--binary linux/arm64=opmx-arm64";
    succeed(
        &sandbox,
        &format!("index add --use-http -b greenhouse-operator -t {place} {binary}"),
    );
    let change = |line: &str| {
        let line = format!("{line} --use-http -f {place} -t {place}");
        let outcome = sandbox.run(line.split_whitespace());
        assert_eq!(outcome.status, Some(0), "{outcome}");
        (
            outcome.stderr,
            skopeo(&["inspect", "--tls-verify=false", "--raw", &here]),
        )
    };
    let (said, index) = change(&format!("index add -b compost-operator {binary}"));
    assert_eq!(architectures(&index), ["amd64", "arm64"]);
    assert!(!said.contains("warning"), "{said}");
    for line in [
        "index prune -p greenhouse-operator,compost-operator",
        "index prune-stranded",
        "index rm -o compost-operator",
    ] {
        let (said, index) = change(&format!("{line} {binary}"));
        assert_eq!(architectures(&index), ["amd64", "arm64"], "{line}");
        assert!(!said.contains("warning"), "{said}");
    }
    let (said, image) = change("index prune-stranded");
    assert!(image["layers"].is_array(), "{image}");
    assert!(
        said.contains("warning: the original index also supported linux/arm64, but the new index does not\n"),
        "{said}"
    );
}

#[test]
fn each_platform_uses_the_base_image_for_it() {
    if !installed(&["docker-registry", "skopeo", "umoci"]) {
        return;
    }
    let sandbox = with_bundles();
    let registry = registry(&sandbox);
    let base = format!("{}/garden/base:v1", registry.host);
    let binary = "--binary linux/arm64=opmx-arm64";
    let add = "index add --use-http -b compost-operator";
    // An index that answers to /bin/opm is a base, too.
    succeed(&sandbox, &format!("{add} -t {base} {binary}"));
    let plain = "--tls-verify=false";
    let layers_of = |image: &str, architecture: &str| -> Vec<String> {
        let inspected = skopeo(&["--override-arch", architecture, "inspect", plain, image]);
        assert_eq!(inspected["Architecture"], architecture);
        serde_json::from_value(inspected["Layers"].clone()).unwrap()
    };
    let base_there = format!("docker://{base}");
    for (options, added) in [("--all-platforms", 1), (binary, 2)] {
        let place = format!("{}/garden/on-base:{added}", registry.host);
        let there = format!("docker://{place}");
        succeed(&sandbox, &format!("{add} -t {place} -i {base} {options}"));
        let index = skopeo(&["inspect", plain, "--raw", &there]);
        assert_eq!(architectures(&index), ["amd64", "arm64"]);
        for architecture in ["amd64", "arm64"] {
            let (below, whole) = (layers_of(&base_there, architecture), layers_of(&there, architecture));
            assert_eq!(whole[..below.len()], below);
            assert_eq!(whole.len(), below.len() + added, "{options} {architecture}");
        }
        let layout = format!("oci:{}:v1", sandbox.path(format!("on-base-{added}")).display());
        let copy = ["copy", "--src-tls-verify=false", &there, &layout];
        run(
            "skopeo",
            &[&["--insecure-policy", "--override-arch", "amd64"], &copy[..]].concat(),
        );
        let image = Unpacked::of(&sandbox, &format!("on-base-{added}"));
        assert_eq!(image.arguments[0], ["/bin/opm", "/opmx/bin/opmx"][added - 1]);
        image.serves(&["compost-operator.v0.3.1"]);
    }

    let outcome = miss(
        &sandbox,
        &format!("{add} -t oci:out:v1 -i {base} --binary linux/riscv64=opmx-riscv64"),
    );
    assert_eq!(
        outcome.stderr,
        format!("error: {base}: an image for linux/riscv64 was not found (available: linux/amd64, linux/arm64)\n")
    );
    assert!(!sandbox.path("out").exists());
}
