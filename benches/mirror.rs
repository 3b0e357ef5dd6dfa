//! The cost of mirroring images, compared with copying the same images with skopeo: `cargo bench --bench mirror`.
//!
//! The benchmark copies sixty images between two registries on this machine. The images are in twelve repositories, and
//! share their largest layers. The benchmark measures time and CPU, and counts the bytes and requests in the logs of
//! the registries. It then measures the memory with a layer of 2 GiB, and with 1,000 images.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::cast_precision_loss,
    reason = "a benchmark prints, and may panic"
)]

#[allow(dead_code, reason = "each benchmark uses only a part of the module")]
mod bundles;
#[path = "../tests/registry/tools.rs"]
#[allow(dead_code, reason = "each benchmark uses only a part of the module")]
mod tools;

use bundles::{Cost, measured};
use opmx::image::{
    Before, Blob, BlobSource, CacheMode, Credentials, Descriptor, Digest, Document, EntryContent, ImageConfig,
    ImageOptions, LayerEntry, RegistryReference, Silent, Transports, build, layer_from_files,
};
use serde_json::json;
use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Instant;
use tools::{DockerRegistry, installed};
use wait4::Wait4;

/// The value of `--memory` for the copies, and the maximum memory of the whole process, in MiB.
const MEMORY: (&str, f64) = ("256MiB", 256.0 + 64.0);

fn main() {
    if !installed(&["docker-registry", "skopeo"]) {
        return;
    }
    let full = measured();
    let (repositories, images, layer) = if full { (12, 5, 8 << 20) } else { (2, 2, 64 << 10) };
    let mut holds = beside_skopeo(repositories, images, layer, full);
    holds &= large_layer(if full { 2 << 30 } else { 16 << 20 });
    holds &= many_images(if full { 1000 } else { 10 });
    assert!(holds || !full, "a target was missed");
}

/// Two registries and a client.
struct Place {
    folder: tempfile::TempDir,
    source: DockerRegistry,
    target: DockerRegistry,
    client: Transports,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["source", "target"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        fs::write(folder.path().join("auth.json"), "{}").unwrap();
        let options = ImageOptions {
            credentials: Credentials::in_file(folder.path().join("auth.json")),
            use_http: true,
            cache: CacheMode::Off,
            ..ImageOptions::default()
        };
        Self {
            source: DockerRegistry::start(&folder.path().join("source"), "", ""),
            target: DockerRegistry::start(&folder.path().join("target"), "", ""),
            client: Transports::new(options, Arc::new(Silent)),
            folder,
        }
    }

    fn run(&self, program: &str, arguments: &[&str]) -> (Cost, f64) {
        let began = Instant::now();
        let child = Command::new(program)
            .args(arguments)
            .current_dir(self.folder.path())
            .env("HOME", self.folder.path())
            .env("REGISTRY_AUTH_FILE", self.folder.path().join("auth.json"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        let used = child.unwrap().wait4().unwrap();
        assert!(
            used.status.success(),
            "{program} {}: {}",
            arguments.join(" "),
            used.status
        );
        let cost = Cost {
            cpu: (used.rusage.utime + used.rusage.stime).as_secs_f64(),
            peak: used.rusage.maxrss as f64 / f64::from(1 << 20),
        };
        (cost, began.elapsed().as_secs_f64())
    }

    fn plan(&self, images: &[String]) {
        let mut arguments = vec![
            "mirror",
            "plan",
            "--use-http",
            "-q",
            "--no-extras",
            "--to",
            "",
            "-o",
            "plan.json",
        ];
        let to = self.target.host.clone();
        arguments[6] = &to;
        for image in images {
            arguments.extend(["--image", image.as_str()]);
        }
        self.run(env!("CARGO_BIN_EXE_opmx"), &arguments);
    }

    fn copy(&self) -> (Cost, f64) {
        let arguments = ["mirror", "copy", "plan.json", "--use-http", "-q", "--memory", MEMORY.0];
        self.run(env!("CARGO_BIN_EXE_opmx"), &arguments)
    }
}

/// Creates images that share a layer within each repository, and one layer across all repositories.
fn images(place: &Place, repositories: usize, images: usize, layer: usize) -> Vec<String> {
    let mut names = Vec::new();
    let noise = |seed: usize, length: usize| layer_of(&format!("{seed}"), bytes(seed as u64, length));
    let shared = noise(1, layer);
    for repository in 0..repositories {
        let own = noise(repository + 2, layer / 4);
        for image in 0..images {
            let text = layer_of("own", format!("{repository} {image}").into_bytes());
            let built = build(&ImageConfig::default(), vec![shared.clone(), own.clone(), text]).unwrap();
            let name = format!("{}/team/app{repository}:v{image}", place.source.host);
            block_on(place.client.push(&built, &name.parse().unwrap())).unwrap();
            names.push(name);
        }
    }
    names
}

fn layer_of(path: &str, content: Vec<u8>) -> opmx::image::Layer {
    let entry = LayerEntry {
        path: path.to_owned(),
        mode: 0o644,
        content: EntryContent::Bytes(content),
    };
    layer_from_files(&[entry], 0).unwrap()
}

/// Returns incompressible bytes.
fn bytes(seed: u64, length: usize) -> Vec<u8> {
    let mut state = 0x2545_f491_4f6c_dd1d ^ (seed << 17);
    let next = |_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_be_bytes()[0]
    };
    (0..length).map(next).collect()
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Runtime::new().unwrap().block_on(future)
}

/// Returns the number of requests to a registry, and the number of blob bytes that the registry sent, according to its
/// log.
fn served(log: &str) -> (usize, u64) {
    let answers = log.lines().filter(|line| line.contains("response completed"));
    let (mut requests, mut sent) = (0, 0);
    for line in answers {
        requests += 1;
        let field = |name: &str| {
            let (_, rest) = line.split_once(&format!("{name}="))?;
            rest.split_whitespace()
                .next()
                .map(|value| value.trim_matches('"').to_owned())
        };
        let is_blob = field("http.request.uri").is_some_and(|uri| uri.contains("/blobs/"));
        if is_blob && field("http.request.method").as_deref() == Some("GET") {
            sent += field("http.response.written")
                .and_then(|written| written.parse::<u64>().ok())
                .unwrap_or(0);
        }
    }
    (requests, sent)
}

fn beside_skopeo(repositories: usize, per_repository: usize, layer: usize, full: bool) -> bool {
    let cost = |with: &str| {
        let place = Place::new();
        let names = images(&place, repositories, per_repository, layer);
        place.plan(&names);
        let before = [served(&place.source.log()), served(&place.target.log())];
        let (cost, seconds) = if with == "opmx" {
            place.copy()
        } else {
            let lines = names.iter().map(|name| {
                let path = name.split_once('/').unwrap().1;
                let (from, to) = (
                    format!("docker://{name}"),
                    format!("docker://{}/{path}", place.target.host),
                );
                format!("skopeo copy -q --all --src-tls-verify=false --dest-tls-verify=false {from} {to} || exit 1\n")
            });
            let script: String = lines.collect();
            place.run("bash", &["-c", &script])
        };
        let after = [served(&place.source.log()), served(&place.target.log())];
        let requests: usize = (0..2).map(|at| after[at].0 - before[at].0).sum();
        let read = after[0].1 - before[0].1;
        let plan: serde_json::Value =
            serde_json::from_slice(&fs::read(place.folder.path().join("plan.json")).unwrap()).unwrap();
        let blobs = plan["blobs"].as_object().unwrap().values();
        let unique: u64 = blobs.map(|blob| blob["bytes"].as_u64().unwrap()).sum();
        println!(
            "{with:>6}: {seconds:6.2} s, {:6.2} s of CPU, {requests:5} requests, {:8.2} MiB read ({:.3} of the unique bytes)",
            cost.cpu,
            read as f64 / f64::from(1 << 20),
            read as f64 / unique as f64
        );
        (cost, seconds, requests, read, unique)
    };
    println!(
        "{} images in {repositories} repositories",
        repositories * per_repository
    );
    let (ours, time, requests, read, unique) = cost("opmx");
    let (theirs, their_time, their_requests, their_read, _) = cost("skopeo");
    println!(
        " ratio: {:.2} of the time, {:.2} of the CPU, {:.2} of the requests, {:.2} of the bytes",
        time / their_time,
        ours.cpu / theirs.cpu,
        requests as f64 / their_requests as f64,
        read as f64 / their_read as f64
    );
    let holds = read == unique && requests * 2 <= their_requests;
    if full && !holds {
        println!("  MISSED: the targets are one read of each byte, and at most half of skopeo's requests");
    }
    holds
}

/// Measures the memory for copying one layer of `size` bytes.
fn large_layer(size: u64) -> bool {
    let place = Place::new();
    let path = place.folder.path().join("layer");
    File::create(&path).unwrap().set_len(size).unwrap();
    let repository = format!("{}/team/large", place.source.host);
    let reference = RegistryReference::of_repository(&repository).unwrap();
    let put = |blob: Blob, digest: Digest, size: u64| {
        let descriptor = Descriptor {
            media_type: "application/vnd.oci.image.layer.v1.tar".to_owned(),
            digest,
            size,
        };
        block_on(
            place
                .client
                .place(&reference, &descriptor, &BlobSource::Held(blob), Before::default()),
        )
        .unwrap();
        json!({"mediaType": descriptor.media_type, "digest": digest.to_string(), "size": size})
    };
    let digest = digest_of(&path);
    let layer = put(Blob::File(path), digest, size);
    let config = put(Blob::Memory((*b"{}").into()), Digest::of(b"{}"), 2);
    let media_type = "application/vnd.oci.image.manifest.v1+json";
    let manifest = json!({"schemaVersion": 2, "mediaType": media_type, "config": config, "layers": [layer]});
    let document = Document::new(media_type, manifest.to_string().into_bytes());
    let image = format!("{repository}@{}", document.descriptor.digest);
    let named = reference.with_digest(&document.descriptor.digest);
    block_on(place.client.put_document(&named, &document)).unwrap();
    place.plan(&[image]);
    let (cost, seconds) = place.copy();
    told(&format!("a layer of {} MiB", size >> 20), cost, seconds)
}

fn digest_of(path: &Path) -> Digest {
    let output = Command::new("sha256sum").arg(path).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    format!("sha256:{}", text.split_whitespace().next().unwrap())
        .parse()
        .unwrap()
}

/// Measures the memory for copying `count` images.
fn many_images(count: usize) -> bool {
    let place = Place::new();
    let names = images(&place, count.div_ceil(10), 10, 64 << 10);
    place.plan(&names);
    let (cost, seconds) = place.copy();
    told(&format!("{} images", names.len()), cost, seconds)
}

fn told(what: &str, cost: Cost, seconds: f64) -> bool {
    let holds = cost.peak <= MEMORY.1;
    println!(
        "{what}: {seconds:.1} s, {:.1} s of CPU, {:.1} MiB of memory (at most {}){}",
        cost.cpu,
        cost.peak,
        MEMORY.1,
        if holds { "" } else { " MISSED" }
    );
    holds
}
