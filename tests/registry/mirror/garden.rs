//! The environment of a mirror: a registry with the images of two packages, and their catalog.

use crate::noise;
use crate::tools::{DockerRegistry, run};
use opmx::image::{
    Before, Blob, BlobSource, CacheMode, Credentials, Deletion, Descriptor, Digest, Document, EntryContent, Image,
    ImageConfig, ImageOptions, LayerEntry, Reference, RegistryReference, RetryPolicy, Silent, Transports, build,
    fallback_tag, layer_from_files,
};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;
use std::time::Duration;

pub(super) const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";
pub(super) const INDEX: &str = "application/vnd.oci.image.index.v1+json";

/// The size of the layer shared by all images of operators.
pub(super) const SHARED_LAYER: usize = 300 << 10;

/// The registry with the garden, an empty one, and a working folder.
pub(super) struct Garden {
    pub(super) folder: tempfile::TempDir,
    pub(super) source: DockerRegistry,
    pub(super) target: DockerRegistry,
    /// The image index of the operator, and its two images.
    pub(super) operator: [Digest; 3],
}

impl Garden {
    pub(super) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["source", "target"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        fs::write(folder.path().join("auth.json"), "{}").unwrap();
        let source = DockerRegistry::start(&folder.path().join("source"), "", "");
        let target = DockerRegistry::start_with(&folder.path().join("target"), "", "", ", delete: {enabled: true}");
        let mut garden = Self {
            folder,
            source,
            target,
            operator: [Digest::of(b""); 3],
        };
        garden.plant();
        garden
    }

    fn plant(&mut self) {
        let host = self.source.host.clone();
        let registry = Registry::new(self.folder.path());
        for version in ["1.0.0", "1.1.0", "1.1.1", "1.2.0", "2.0.0-rc1"] {
            registry.push(
                &image("bundle", version, "amd64"),
                &format!("{host}/garden/greenhouse-bundle:v{version}"),
            );
        }
        let images = ["amd64", "arm64"].map(|architecture| image("operator", "1.2.0", architecture));
        self.operator[0] = registry.push_index(&images, &format!("{host}/garden/greenhouse:v1.2.0"));
        self.operator[1] = images[0].digest();
        self.operator[2] = images[1].digest();
        registry.push(&image("proxy", "0.15", "amd64"), &format!("{host}/proxy/rbac:v0.15"));
        registry.push(&image("certs", "1.4.0", "amd64"), &format!("{host}/certs/op:v1.4.0"));
        registry.push(
            &image("certs-bundle", "1.4.0", "amd64"),
            &format!("{host}/certs/bundle:v1.4.0"),
        );
        let operator = format!("{host}/garden/greenhouse");
        // A signature of the image index in the older form, and of the second image in the newer one.
        let tag = format!("{}.sig", fallback_tag(&self.operator[0]));
        registry.artifact(&operator, Some(&tag), None, "signature");
        let signature = registry.artifact(&operator, None, Some(self.operator[2]), "bundle");
        registry.list(&operator, self.operator[2], &[&signature]);
        self.named(&host);
    }

    /// Writes the catalog with this host in all image names.
    pub(super) fn named(&self, host: &str) {
        fs::write(self.path("catalog.yaml"), catalog(host)).unwrap();
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The destination of the images.
    pub(super) fn to(&self) -> String {
        format!("{}/ocp", self.target.host)
    }

    /// Returns a command for further changes.
    pub(super) fn command(&self, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_opmx"));
        command
            .args(line.split_whitespace())
            .current_dir(self.folder.path())
            .env("HOME", self.folder.path())
            .env("XDG_CACHE_HOME", self.path("cache"))
            .env("REGISTRY_AUTH_FILE", self.path("auth.json"))
            .env_remove("http_proxy");
        command
    }

    pub(super) fn run(&self, line: &str) -> Output {
        self.command(line).output().unwrap()
    }

    /// Runs a command that must succeed, and returns its output.
    pub(super) fn ok(&self, line: &str) -> String {
        let output = self.run(line);
        assert_eq!(output.status.code(), Some(0), "{line}\n{}", said(&output));
        said(&output)
    }

    /// Plans a part of the catalog for the target.
    pub(super) fn plan(&self, part: &str) -> Value {
        self.plan_to(part, &self.to())
    }

    pub(super) fn plan_to(&self, part: &str, to: &str) -> Value {
        self.ok(&format!(
            "mirror plan --catalog catalog.yaml -p {part} --to {to} --no-binary --use-http -o plan.json"
        ));
        self.json("plan.json")
    }

    pub(super) fn json(&self, name: &str) -> Value {
        serde_json::from_slice(&fs::read(self.path(name)).unwrap()).unwrap()
    }

    /// A registry client for the test.
    pub(super) fn client(&self) -> Registry {
        Registry::new(self.folder.path())
    }
}

/// The output of skopeo about an image.
pub(super) fn inspect(image: &str) -> Value {
    let image = format!("docker://{image}");
    let text = run("skopeo", &["inspect", "--tls-verify=false", "--raw", &image]);
    serde_json::from_str(&text).unwrap()
}

pub(super) fn said(output: &Output) -> String {
    let (stdout, stderr) = (&output.stdout, &output.stderr);
    format!("{}{}", String::from_utf8_lossy(stdout), String::from_utf8_lossy(stderr))
}

/// A client for direct access to a registry.
pub(super) struct Registry {
    transports: Transports,
}

impl Registry {
    fn new(folder: &Path) -> Self {
        let options = ImageOptions {
            credentials: Credentials::in_file(folder.join("auth.json")),
            use_http: true,
            cache: CacheMode::Off,
            retry: RetryPolicy {
                retries: 0,
                ..RetryPolicy::default()
            },
            request_timeout: Duration::from_secs(20),
            ..ImageOptions::default()
        };
        Self {
            transports: Transports::new(options, Arc::new(Silent)),
        }
    }

    pub(super) fn push(&self, image: &Image, reference: &str) {
        let reference: Reference = reference.parse().unwrap();
        block_on(self.transports.push(image, &reference)).unwrap();
    }

    fn push_index(&self, images: &[Image], reference: &str) -> Digest {
        let entries = images.iter().map(|image| {
            let architecture = &image.platform().unwrap().architecture;
            self.push(image, &format!("{reference}-{architecture}"));
            json!({"mediaType": image.media_type(), "digest": image.digest().to_string(),
                "size": image.manifest().len(), "platform": {"os": "linux", "architecture": architecture}})
        });
        let entries: Vec<Value> = entries.collect();
        let index = json!({"schemaVersion": 2, "mediaType": INDEX, "manifests": entries});
        self.put(reference, INDEX, &index)
    }

    /// Uploads a manifest.
    pub(super) fn put(&self, reference: &str, media_type: &str, manifest: &Value) -> Digest {
        let document = Document::new(media_type, manifest.to_string().into_bytes());
        block_on(self.transports.put_document(&registry_reference(reference), &document)).unwrap();
        document.descriptor.digest
    }

    /// Adds a referrer of an image, under a tag or with the image as its subject. Returns its manifest.
    pub(super) fn artifact(&self, repository: &str, tag: Option<&str>, subject: Option<Digest>, text: &str) -> Value {
        let blob = |text: &str| {
            let bytes = text.as_bytes().to_vec();
            let descriptor = Descriptor {
                media_type: "application/vnd.example.note".to_owned(),
                digest: Digest::of(&bytes),
                size: bytes.len() as u64,
            };
            let content = BlobSource::Held(Blob::Memory(bytes.into()));
            let repository = RegistryReference::of_repository(repository).unwrap();
            block_on(
                self.transports
                    .place(&repository, &descriptor, &content, Before::default()),
            )
            .unwrap();
            json!({"mediaType": descriptor.media_type, "digest": descriptor.digest.to_string(), "size": descriptor.size})
        };
        let mut manifest = json!({
            "schemaVersion": 2, "mediaType": MANIFEST, "config": blob("{}"), "layers": [blob(text)],
        });
        if let Some(subject) = subject {
            manifest["artifactType"] = json!("application/vnd.dev.sigstore.bundle.v0.3+json");
            manifest["subject"] = json!({"mediaType": MANIFEST, "digest": subject.to_string(), "size": 1});
        }
        let digest = Digest::of(manifest.to_string().as_bytes());
        let name = tag.map_or_else(|| format!("@{digest}"), |tag| format!(":{tag}"));
        self.put(&format!("{repository}{name}"), MANIFEST, &manifest);
        manifest
    }

    /// Lists the referrers of an image under the fallback tag.
    pub(super) fn list(&self, repository: &str, subject: Digest, referrers: &[&Value]) {
        let entries = referrers.iter().map(|manifest| {
            let text = manifest.to_string();
            json!({"mediaType": MANIFEST, "digest": Digest::of(text.as_bytes()).to_string(), "size": text.len(),
                "artifactType": manifest["artifactType"]})
        });
        let entries: Vec<Value> = entries.collect();
        let index = json!({"schemaVersion": 2, "mediaType": INDEX, "manifests": entries});
        self.put(&format!("{repository}:{}", fallback_tag(&subject)), INDEX, &index);
    }

    /// Returns the manifest with this name.
    pub(super) fn find(&self, reference: &str) -> Option<Value> {
        let found = block_on(self.transports.find(&registry_reference(reference))).unwrap();
        found.map(|document| serde_json::from_slice(&document.bytes).unwrap())
    }

    /// Deletes the manifest of a tag.
    pub(super) fn delete(&self, reference: &str) {
        let parsed: Reference = reference.parse().unwrap();
        let digest = block_on(self.transports.resolve(&parsed)).unwrap();
        let pinned = registry_reference(reference).with_digest(&digest);
        assert_eq!(
            block_on(self.transports.delete_manifest(&pinned)).unwrap(),
            Deletion::Done
        );
    }

    /// The tags of a repository, with the digests of their manifests.
    pub(super) fn tags(&self, repository: &str) -> Vec<(String, Digest)> {
        let name = RegistryReference::of_repository(repository).unwrap();
        let tags = block_on(self.transports.tags(&name)).unwrap().unwrap_or_default();
        let digest = |tag: String| {
            let reference: Reference = format!("{repository}:{tag}").parse().unwrap();
            (tag, block_on(self.transports.resolve(&reference)).unwrap())
        };
        tags.into_iter().map(digest).collect()
    }
}

fn registry_reference(text: &str) -> RegistryReference {
    match text.parse().unwrap() {
        Reference::Registry(reference) => reference,
        _ => panic!("{text} is in no registry"),
    }
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.unwrap().block_on(future)
}

/// An image with a shared layer and one of its own.
pub(super) fn image(name: &str, version: &str, architecture: &str) -> Image {
    let file = |path: &str, content: Vec<u8>| {
        let entry = LayerEntry {
            path: path.to_owned(),
            mode: 0o644,
            content: EntryContent::Bytes(content),
        };
        layer_from_files(&[entry], 0).unwrap()
    };
    let own = format!("{name} {version} {architecture}\n").into_bytes();
    let config = ImageConfig {
        architecture: architecture.to_owned(),
        ..ImageConfig::default()
    };
    build(
        &config,
        vec![file("base", noise::bytes(SHARED_LAYER)), file("own", own)],
    )
    .unwrap()
}

/// The catalog with `greenhouse-operator`, whose newest version requires `certs-operator`.
fn catalog(host: &str) -> String {
    let bundle = |version: &str, related: &[&str], requires: &str| {
        let related: Vec<String> = related
            .iter()
            .map(|image| format!("- {{name: x, image: {host}/{image}}}\n"))
            .collect();
        format!(
            "---\nschema: olm.bundle\nname: g.v{version}\npackage: greenhouse-operator\n\
             image: {host}/garden/greenhouse-bundle:v{version}\nproperties:\n- type: olm.package\n  value: {{packageName: greenhouse-operator, version: {version}}}\n{requires}relatedImages:\n- {{name: '', image: {host}/garden/greenhouse-bundle:v{version}}}\n{}",
            related.concat()
        )
    };
    let requires = "- type: olm.package.required\n  value: {packageName: certs-operator, versionRange: '>=1.0.0'}\n";
    [
        "---\nschema: olm.package\nname: greenhouse-operator\ndefaultChannel: stable\n\
         ---\nschema: olm.channel\npackage: greenhouse-operator\nname: stable\nentries:\n\
         - {name: g.v1.0.0}\n- {name: g.v1.1.0, replaces: g.v1.0.0}\n\
         - {name: g.v1.1.1, replaces: g.v1.0.0, skips: [g.v1.1.0]}\n\
         - {name: g.v1.2.0, replaces: g.v1.1.1, skipRange: '>=1.0.0 <1.2.0'}\n\
         ---\nschema: olm.channel\npackage: greenhouse-operator\nname: candidate\nentries:\n- {name: g.v2.0.0-rc1}\n\
         ---\nschema: olm.package\nname: certs-operator\ndefaultChannel: stable\n\
         ---\nschema: olm.channel\npackage: certs-operator\nname: stable\nentries:\n- {name: c.v1.4.0}\n"
            .to_owned(),
        bundle("1.0.0", &[], ""),
        bundle("1.1.0", &[], ""),
        bundle("1.1.1", &[], ""),
        bundle("1.2.0", &["garden/greenhouse:v1.2.0", "proxy/rbac:v0.15"], requires),
        bundle("2.0.0-rc1", &["garden/greenhouse:v1.2.0"], ""),
        format!(
            "---\nschema: olm.bundle\nname: c.v1.4.0\npackage: certs-operator\nimage: {host}/certs/bundle:v1.4.0\n\
             properties:\n- type: olm.package\n  value: {{packageName: certs-operator, version: 1.4.0}}\n\
             relatedImages:\n- {{name: '', image: {host}/certs/bundle:v1.4.0}}\n- {{name: op, image: {host}/certs/op:v1.4.0}}\n"
        ),
    ]
    .concat()
}
