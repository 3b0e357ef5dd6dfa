//! Images and other programs: docker-registry with passwords, tokens and TLS; skopeo and umoci.

use crate::certificate::certificate_from_authority;
use crate::http::{Reply, Server};
use crate::noise;
use crate::tools::{DockerRegistry, installed, run, shared};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use opmx::cli::hint::registry_hint;
use opmx::image::{
    CacheMode, Credentials, Digest, EntryContent, Image, ImageConfig, ImageError, ImageOptions, LayerEntry, Progress,
    Reference, RegistryError, RegistryFailure, RetryPolicy, Silent, Transports, build, extract_file, layer_from_files,
    layer_from_tree, tree_of, validate,
};
use opmx::tree::{Tree, TreeLimits};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

fn bundle_tree() -> Tree {
    let mut tree = Tree::new("test");
    let long = format!("manifests/{}.yaml", "a".repeat(180));
    for (path, content) in [
        ("manifests/deployment.yaml", "kind: Deployment\n"),
        ("manifests/é.yaml", "kind: Service\n"),
        (&long, "kind: Secret\n"),
        ("metadata/annotations.yaml", "annotations: {}\n"),
    ] {
        tree.insert(path, content.as_bytes().to_vec(), &TreeLimits::default())
            .unwrap();
    }
    tree
}

/// An image with a small layer and one that is too large for memory.
fn image() -> Image {
    let database = LayerEntry {
        path: "database/index.db".to_owned(),
        mode: 0o644,
        content: EntryContent::Bytes(noise::bytes(9 << 20)),
    };
    let config = ImageConfig {
        labels: BTreeMap::from([("operators.example.com/package".to_owned(), "cache".to_owned())]),
        annotations: BTreeMap::from([("org.example.note".to_owned(), "test".to_owned())]),
        entrypoint: vec!["/bin/opmx".to_owned(), "serve".to_owned()],
        command: vec!["/database/index.db".to_owned()],
        exposed_ports: vec!["50051/tcp".to_owned()],
        environment: vec!["A=b".to_owned()],
        user: "1001".to_owned(),
        working_directory: "/".to_owned(),
        ..ImageConfig::default()
    };
    let layers = vec![
        layer_from_tree(&bundle_tree(), 0).unwrap(),
        layer_from_files(&[database], 0).unwrap(),
    ];
    build(&config, layers).unwrap()
}

/// Pushes a small image with this text over plain HTTP, and returns its digest.
pub(crate) fn write_image(folder: &Path, reference: &str, text: &str) -> String {
    push_image(&options(folder), reference, text)
}

/// Pushes a small image with this text, and returns its digest.
pub(crate) fn push_image(options: &ImageOptions, reference: &str, text: &str) -> String {
    let file = LayerEntry {
        path: "file".to_owned(),
        mode: 0o644,
        content: EntryContent::Bytes(text.as_bytes().to_vec()),
    };
    let image = build(&ImageConfig::default(), vec![layer_from_files(&[file], 0).unwrap()]).unwrap();
    push(options, &image, reference).unwrap();
    image.digest().to_string()
}

fn options(folder: &Path) -> ImageOptions {
    let authfile = folder.join("auth.json");
    if !authfile.exists() {
        fs::write(&authfile, "{}").unwrap();
    }
    ImageOptions {
        credentials: Credentials::in_file(authfile),
        use_http: true,
        cache: CacheMode::Off,
        retry: RetryPolicy {
            retries: 2,
            first_delay: Duration::from_millis(10),
            ..RetryPolicy::default()
        },
        ..ImageOptions::default()
    }
}

/// Records how much was transferred.
#[derive(Default)]
struct Counted {
    transfers: AtomicU64,
    open: AtomicU64,
    bytes: AtomicU64,
}

impl Progress for Counted {
    fn started(&self, _what: &str, _bytes: Option<u64>) -> u64 {
        self.open.fetch_add(1, Ordering::SeqCst);
        self.transfers.fetch_add(1, Ordering::SeqCst)
    }

    fn advanced(&self, _id: u64, bytes: u64) {
        self.bytes.fetch_add(bytes, Ordering::SeqCst);
    }

    fn finished(&self, _id: u64) {
        self.open.fetch_sub(1, Ordering::SeqCst);
    }
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Runtime::new().unwrap().block_on(future)
}

fn pull(options: &ImageOptions, reference: &str) -> Result<Image, ImageError> {
    let reference: Reference = reference.parse().unwrap();
    block_on(Transports::new(options.clone(), Arc::new(Silent)).pull(&reference))
}

fn push(options: &ImageOptions, image: &Image, reference: &str) -> Result<Reference, ImageError> {
    let reference: Reference = reference.parse().unwrap();
    block_on(Transports::new(options.clone(), Arc::new(Silent)).push(image, &reference))
}

fn failure(result: Result<impl Sized, ImageError>) -> RegistryError {
    match result {
        Err(ImageError::Registry(error)) => *error,
        Err(other) => panic!("another error: {other}"),
        Ok(_) => panic!("no error"),
    }
}

fn assert_same(left: &Image, right: &Image) {
    assert_eq!(left.manifest(), right.manifest());
    assert_eq!(left.config(), right.config());
    validate(left).unwrap();
    validate(right).unwrap();
}

fn files(image: &Image) -> Vec<(String, Vec<u8>)> {
    let wanted = |path: &str| !path.starts_with("database/");
    let tree = tree_of(image, &wanted, &TreeLimits::default()).unwrap();
    tree.iter()
        .map(|(path, content)| (path.to_owned(), content.to_vec()))
        .collect()
}

fn bundle_files() -> Vec<(String, Vec<u8>)> {
    bundle_tree()
        .iter()
        .map(|(path, content)| (path.to_owned(), content.to_vec()))
        .collect()
}

#[test]
fn a_pushed_image_is_pulled_bit_for_bit_and_not_sent_twice() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let registry = DockerRegistry::start(folder.path(), "", "");
    let (image, options) = (image(), options(folder.path()));
    let reference: Reference = format!("{}/team/bundle:v1", registry.host).parse().unwrap();
    let watched = Arc::new(Counted::default());
    let transports = Transports::new(options.clone(), watched.clone());

    let pinned = block_on(transports.push(&image, &reference)).unwrap();
    assert_eq!(
        pinned.to_string(),
        format!("{}/team/bundle@{}", registry.host, image.digest())
    );
    let size: u64 = image.layers().iter().map(|layer| layer.descriptor.size).sum();
    let size = size + image.config().len() as u64;
    assert_eq!(watched.transfers.load(Ordering::SeqCst), 3);
    assert_eq!(watched.bytes.load(Ordering::SeqCst), size);
    assert_eq!(watched.open.load(Ordering::SeqCst), 0);
    assert_eq!(registry.count("POST /v2/team/bundle/blobs/uploads/"), 3);

    block_on(transports.push(&image, &format!("{}/team/bundle:v2", registry.host).parse().unwrap())).unwrap();
    assert_eq!(watched.transfers.load(Ordering::SeqCst), 3);
    assert_eq!(registry.count("POST /v2/team/bundle/blobs/uploads/"), 3);

    for reference in [&reference, &pinned] {
        let pulled = block_on(transports.pull(reference)).unwrap();
        assert_same(&pulled, &image);
        assert_eq!(files(&pulled), bundle_files());
        let database = folder.path().join("index.db");
        extract_file(&pulled, "database/index.db", &database, u64::MAX).unwrap();
        assert_eq!(fs::read(database).unwrap(), noise::bytes(9 << 20));
    }
    assert_eq!(watched.bytes.load(Ordering::SeqCst), 3 * size);
    assert_eq!(block_on(transports.resolve(&reference)).unwrap(), image.digest());

    let absent = format!("{}/team/bundle:v3", registry.host);
    let error = failure(pull(&options, &absent));
    assert!(matches!(*error.failure, RegistryFailure::NotFound { .. }), "{error:?}");
    assert!(error.to_string().starts_with(&absent), "{error}");
}

#[test]
fn images_are_exchanged_with_skopeo_and_umoci() {
    if !installed(&["docker-registry", "skopeo", "umoci"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let registry = DockerRegistry::start(folder.path(), "", "");
    let (image, options) = (image(), options(folder.path()));
    let here = format!("docker://{}/team/bundle:v1", registry.host);
    let skopeo = |arguments: &[&str]| run("skopeo", &[&["--insecure-policy"], arguments].concat());

    push(&options, &image, &here).unwrap();
    let raw = skopeo(&["inspect", "--tls-verify=false", "--raw", &here]);
    assert_eq!(raw.as_bytes(), image.manifest());
    let inspected: Value = serde_json::from_str(&skopeo(&["inspect", "--tls-verify=false", &here])).unwrap();
    assert_eq!(inspected["Digest"], image.digest().to_string());
    assert_eq!(inspected["Labels"]["operators.example.com/package"], "cache");
    assert_eq!(inspected["Architecture"], "amd64");

    let copied = format!("oci:{}:v1", path("copied"));
    skopeo(&["copy", "--src-tls-verify=false", &here, &copied]);
    assert_same(&pull(&options, &copied).unwrap(), &image);

    let layout = format!("oci:{}:v1", path("layout"));
    push(&options, &image, &layout).unwrap();
    assert_eq!(skopeo(&["inspect", "--raw", &layout]).as_bytes(), image.manifest());
    let archive = format!("oci-archive:{}:v1", path("archive.tar"));
    push(&options, &image, &archive).unwrap();
    assert_eq!(skopeo(&["inspect", "--raw", &archive]).as_bytes(), image.manifest());
    let foreign = format!("oci-archive:{}:v1", path("foreign.tar"));
    skopeo(&["copy", &layout, &foreign]);
    assert_same(&pull(&options, &foreign).unwrap(), &image);

    let bundle = path("unpacked");
    run(
        "umoci",
        &[
            "unpack",
            "--rootless",
            "--image",
            &format!("{}:v1", path("layout")),
            &bundle,
        ],
    );
    let root = Path::new(&bundle).join("rootfs");
    for (file, content) in bundle_files() {
        assert_eq!(fs::read(root.join(&file)).unwrap(), content, "{file}");
    }
    assert_eq!(fs::read(root.join("database/index.db")).unwrap(), noise::bytes(9 << 20));

    let docker = format!("docker://{}/team/docker:v2s2", registry.host);
    skopeo(&["copy", "--dest-tls-verify=false", "--format", "v2s2", &layout, &docker]);
    let pulled = pull(&options, &docker).unwrap();
    assert_eq!(
        pulled.media_type(),
        "application/vnd.docker.distribution.manifest.v2+json"
    );
    validate(&pulled).unwrap();
    assert_eq!(files(&pulled), bundle_files());
    let moved = format!("oci:{}:docker", path("layout"));
    push(&options, &pulled, &moved).unwrap();
    assert_same(&pull(&options, &moved).unwrap(), &pulled);
}

/// Pushes an image for each architecture and an image index of them under a tag, and returns the text of the index.
pub(crate) fn index_of_platforms(
    folder: &Path,
    host: &str,
    repository: &str,
    tag: &str,
    architectures: &[&str],
) -> String {
    let base = options(folder);
    let entries = architectures.iter().map(|architecture| {
        let config = ImageConfig {
            architecture: (*architecture).to_owned(),
            ..ImageConfig::default()
        };
        let image = build(&config, vec![layer_from_tree(&bundle_tree(), 0).unwrap()]).unwrap();
        push(&base, &image, &format!("{host}/{repository}:{architecture}")).unwrap();
        json!({"mediaType": image.media_type(), "digest": image.digest().to_string(),
            "size": image.manifest().len(), "platform": {"os": "linux", "architecture": architecture}})
    });
    let entries: Vec<_> = entries.collect();
    let media_type = "application/vnd.oci.image.index.v1+json";
    let index = json!({"schemaVersion": 2, "mediaType": media_type, "manifests": entries}).to_string();
    let url = format!("http://{host}/v2/{repository}/manifests/{tag}");
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let request = client.put(url).header("Content-Type", media_type).body(index.clone());
    assert_eq!(block_on(request.send()).unwrap().status().as_u16(), 201);
    index
}

#[test]
fn a_multi_platform_tag_resolves_to_the_requested_platform() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let registry = DockerRegistry::start(folder.path(), "", "");
    let base = options(folder.path());
    let index = index_of_platforms(folder.path(), &registry.host, "team/multi", "all", &["amd64", "arm64"]);

    let reference = format!("{}/team/multi:all", registry.host);
    for (platform, expected) in [
        (None, "amd64"),
        (Some("linux/arm64"), "arm64"),
        (Some("linux/s390x"), "amd64"),
    ] {
        let options = ImageOptions {
            platform: platform.map(|platform| platform.parse().unwrap()),
            ..base.clone()
        };
        let pulled = pull(&options, &reference).unwrap();
        assert_eq!(pulled.platform().unwrap().architecture, expected);
        assert_eq!(pulled.source_digest(), Digest::of(index.as_bytes()));
    }
    let resolved = Transports::new(base, Arc::new(Silent));
    let resolved = block_on(resolved.resolve(&reference.parse().unwrap())).unwrap();
    assert_eq!(resolved, Digest::of(index.as_bytes()));
}

pub(crate) fn write_login(folder: &Path, host: &str, password: &str) {
    let auth = STANDARD.encode(format!("me:{password}"));
    fs::write(
        folder.join("auth.json"),
        json!({"auths": {host: {"auth": auth}}}).to_string(),
    )
    .unwrap();
}

#[test]
fn a_password_is_accepted_by_the_registry() {
    if !installed(&["docker-registry", "htpasswd"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let passwords = folder.path().join("htpasswd");
    fs::write(&passwords, run("htpasswd", &["-Bbn", "me", "open sesame"])).unwrap();
    let auth = format!("auth: {{htpasswd: {{realm: test, path: {}}}}}", passwords.display());
    let registry = DockerRegistry::start(folder.path(), "", &auth);
    let (image, options) = (image(), options(folder.path()));
    let reference = format!("{}/team/bundle:v1", registry.host);

    let error = failure(push(&options, &image, &reference));
    assert!(
        matches!(*error.failure, RegistryFailure::Unauthorized { .. }),
        "{error:?}"
    );
    assert!(error.to_string().contains("no credentials were found in"), "{error}");
    write_login(folder.path(), &registry.host, "wrong");
    let error = failure(push(&options, &image, &reference));
    assert!(
        error
            .to_string()
            .contains(&format!("rejected the credentials from {} in", registry.host)),
        "{error}"
    );
    assert!(!error.to_string().contains("wrong"), "{error}");
    write_login(folder.path(), &registry.host, "open sesame");
    push(&options, &image, &reference).unwrap();
    assert_same(&pull(&options, &reference).unwrap(), &image);
}

/// A key and a self-signed certificate for 127.0.0.1.
fn certificate(folder: &Path) {
    let file = |name: &str| folder.join(name).display().to_string();
    let (key, certificate) = (file("key.pem"), file("cert.pem"));
    run(
        "openssl",
        &[
            "req",
            "-x509",
            "-newkey",
            "rsa:2048",
            "-nodes",
            "-days",
            "2",
            "-keyout",
            &key,
            "-out",
            &certificate,
            "-subj",
            "/CN=opmx test",
            "-addext",
            "subjectAltName=IP:127.0.0.1,DNS:localhost",
        ],
    );
}

#[test]
fn tls_requires_a_trusted_certificate() {
    if !installed(&["docker-registry", "openssl"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    certificate_from_authority(folder.path());
    let file = |name: &str| folder.path().join(name);
    let tls = format!(
        "  tls: {{certificate: {}, key: {}}}",
        file("cert.pem").display(),
        file("key.pem").display()
    );
    let registry = DockerRegistry::start(folder.path(), &tls, "");
    let (image, plain) = (image(), options(folder.path()));
    let reference = format!("{}/team/bundle:v1", registry.host);
    let secure = ImageOptions {
        use_http: false,
        ..plain.clone()
    };

    let error = failure(push(&secure, &image, &reference));
    assert!(matches!(*error.failure, RegistryFailure::Tls { .. }), "{error:?}");
    assert!(registry_hint(&error).unwrap().contains("--ca-file"));
    assert_eq!(error.attempts, 1);

    fs::create_dir(file("other")).unwrap();
    certificate_from_authority(&file("other"));
    let trusting_another = ImageOptions {
        ca_file: Some(file("other/ca.pem")),
        ..secure.clone()
    };
    let error = failure(push(&trusting_another, &image, &reference));
    let said = error.to_string();
    assert!(
        said.contains("not signed by any of the authorities in") && said.contains("other/ca.pem"),
        "{said}"
    );
    assert!(registry_hint(&error).unwrap().contains("openssl s_client"));

    fs::write(file("empty.pem"), "").unwrap();
    let trusting_nobody = ImageOptions {
        ca_file: Some(file("empty.pem")),
        ..secure.clone()
    };
    let error = failure(push(&trusting_nobody, &image, &reference));
    assert!(
        matches!(*error.failure, RegistryFailure::Authorities { .. }),
        "{error:?}"
    );
    assert!(registry_hint(&error).unwrap().contains("PEM file that contains"));

    let trusting = ImageOptions {
        ca_file: Some(file("ca.pem")),
        ..secure.clone()
    };
    push(&trusting, &image, &reference).unwrap();
    assert_same(&pull(&trusting, &reference).unwrap(), &image);

    let careless = ImageOptions {
        skip_tls_verify: true,
        ..secure
    };
    assert_same(&pull(&careless, &reference).unwrap(), &image);

    let error = failure(pull(&plain, &reference));
    assert!(matches!(*error.failure, RegistryFailure::HttpsExpected), "{error:?}");
}

#[test]
fn a_self_signed_certificate_in_the_ca_file_is_trusted() {
    if !installed(&["docker-registry", "openssl"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    certificate(folder.path());
    let file = |name: &str| folder.path().join(name);
    let tls = format!(
        "  tls: {{certificate: {}, key: {}}}",
        file("cert.pem").display(),
        file("key.pem").display()
    );
    let registry = DockerRegistry::start(folder.path(), &tls, "");
    let image = image();
    let reference = format!("{}/team/bundle:v1", registry.host);
    let trusting = ImageOptions {
        use_http: false,
        ca_file: Some(file("cert.pem")),
        ..options(folder.path())
    };
    push(&trusting, &image, &reference).unwrap();
    assert_same(&pull(&trusting, &reference).unwrap(), &image);

    fs::create_dir(file("other")).unwrap();
    certificate(&file("other"));
    for ca_file in [None, Some(file("other/cert.pem"))] {
        let error = failure(pull(
            &ImageOptions {
                ca_file,
                ..trusting.clone()
            },
            &reference,
        ));
        assert!(
            matches!(*error.failure, RegistryFailure::AuthorityAsServer),
            "{error:?}"
        );
        assert!(registry_hint(&error).unwrap().contains("--ca-file"));
    }
}

/// A token in the format of docker-registry, signed by the openssl program.
fn token(folder: &Path, service: &str, scope: Option<&str>) -> String {
    let certificate = fs::read_to_string(folder.join("cert.pem")).unwrap();
    let der: String = certificate.lines().filter(|line| !line.starts_with('-')).collect();
    let header = json!({"typ": "JWT", "alg": "RS256", "x5c": [der]});
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    let access: Vec<_> = scope
        .map(|scope| {
            let parts: Vec<_> = scope.splitn(3, ':').collect();
            json!({"type": parts[0], "name": parts[1], "actions": parts[2].split(',').collect::<Vec<_>>()})
        })
        .into_iter()
        .collect();
    let claims = json!({"iss": "opmx-test", "sub": "me", "aud": service, "exp": now + 300, "nbf": now - 10,
        "iat": now - 10, "jti": "1", "access": access});
    let encode = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let signed = format!("{}.{}", encode(&header), encode(&claims));
    let work = tempfile::tempdir_in(folder).unwrap();
    let (input, output) = (work.path().join("input"), work.path().join("signature"));
    fs::write(&input, &signed).unwrap();
    let path = |path: &Path| path.display().to_string();
    let key = path(&folder.join("key.pem"));
    run(
        "openssl",
        &["dgst", "-sha256", "-sign", &key, "-out", &path(&output), &path(&input)],
    );
    format!("{signed}.{}", URL_SAFE_NO_PAD.encode(fs::read(output).unwrap()))
}

#[test]
fn a_token_server_is_used_to_log_in() {
    if !installed(&["docker-registry", "openssl"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    certificate(folder.path());
    let work = folder.path().to_owned();
    let tokens = Server::start(move |request, _| {
        let expected = format!("Basic {}", STANDARD.encode("me:open sesame"));
        if request.headers.get("authorization") != Some(&expected) {
            return Reply::new(401, r#"{"details":"incorrect username or password"}"#);
        }
        let url = reqwest::Url::parse(&format!("http://tokens{}", request.path)).unwrap();
        let value = |name: &str| {
            url.query_pairs()
                .find(|(key, _)| key == name)
                .map(|(_, value)| value.into_owned())
        };
        let token = token(&work, &value("service").unwrap(), value("scope").as_deref());
        Reply::new(200, json!({"token": token, "expires_in": 300}).to_string())
    });
    let auth = format!(
        "auth: {{token: {{realm: 'http://{}/token', service: the registry, issuer: opmx-test, rootcertbundle: {}}}}}",
        tokens.host,
        folder.path().join("cert.pem").display()
    );
    let registry = DockerRegistry::start(folder.path(), "", &auth);
    let (image, options) = (image(), options(folder.path()));
    let reference = format!("{}/team/bundle:v1", registry.host);

    write_login(folder.path(), &registry.host, "wrong");
    let error = failure(push(&options, &image, &reference));
    assert!(
        matches!(*error.failure, RegistryFailure::Unauthorized { .. }),
        "{error:?}"
    );
    assert!(error.to_string().contains("incorrect username or password"), "{error}");

    write_login(folder.path(), &registry.host, "open sesame");
    let asked = tokens.requests().len();
    push(&options, &image, &reference).unwrap();
    assert_eq!(tokens.requests().len() - asked, 1, "one token serves the whole push");
    assert_same(&pull(&options, &reference).unwrap(), &image);
    let scopes: Vec<_> = tokens.requests().iter().map(|request| request.path.clone()).collect();
    assert!(scopes.iter().any(|path| path.contains("%3Apull%2Cpush")), "{scopes:?}");
    assert!(
        scopes
            .last()
            .unwrap()
            .contains("scope=repository%3Ateam%2Fbundle%3Apull&"),
        "{scopes:?}"
    );
}

#[test]
fn published_bundles_survive_their_images_with_reproducible_digests() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus");
    if !shared(&corpus) {
        return;
    }
    let mut folders = vec![corpus.clone()];
    let mut bundles = 0;
    while let Some(folder) = folders.pop() {
        let below = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
        let below: Vec<_> = below.filter(|path| path.is_dir()).collect();
        if !below.iter().any(|path| path.ends_with("manifests")) {
            folders.extend(below);
            continue;
        }
        let tree = Tree::from_directory(&folder, &TreeLimits::default()).unwrap();
        let image = build(&ImageConfig::default(), vec![layer_from_tree(&tree, 0).unwrap()]).unwrap();
        let back = tree_of(&image, &|_| true, &TreeLimits::default()).unwrap();
        assert!(tree.iter().eq(back.iter()), "{}", folder.display());
        let again = build(&ImageConfig::default(), vec![layer_from_tree(&back, 0).unwrap()]).unwrap();
        assert_eq!(again.digest(), image.digest(), "{}", folder.display());
        bundles += 1;
    }
    assert!(bundles > 50, "only {bundles} bundles in {}", corpus.display());
}
