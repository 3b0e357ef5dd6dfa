//! The index image, running in an otherwise empty environment.

use crate::clients::Server;
use crate::common::{Sandbox, copy_folder};
use crate::succeed;
use crate::tools::{installed, not_run, run};
use opmx::image::{
    EntryContent, ImageConfig, LayerEntry, Platform, append, layer_from_files, read_layout, write_layout,
};
use opmx::olm::label::CONFIGS_LABEL;
use opmx::server::proto::ListBundlesRequest;
use opmx::server::proto::registry_client::RegistryClient;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tokio_stream::StreamExt;

fn is_root() -> bool {
    let output = Command::new("id").arg("-u").output();
    output.is_ok_and(|output| output.stdout == b"0\n")
}

/// Returns whether a root folder can be mounted read-only here, for one program only.
fn can_mount() -> bool {
    let mounted = Command::new("unshare")
        .args(["--mount", "mount", "--bind", "/", "/mnt"])
        .output();
    mounted.is_ok_and(|output| output.status.success())
}

/// A command that runs as a user in a root folder, which is mounted read-only if possible. Programs are looked up in
/// `path`.
fn inside(root: &Path, user: u64, path: &str, arguments: &[String]) -> Command {
    const MOUNT: &str = r#"mount --bind "$2" "$2" && mount -o remount,bind,ro "$2" && "#;
    const START: &str = r#"exec env -i PATH="$IMAGE_PATH" "$(command -v chroot)" "$@""#;
    let mut command = if can_mount() {
        let mut command = Command::new("unshare");
        command.args(["--mount", "sh", "-c", &format!("{MOUNT}{START}"), "sh"]);
        command
    } else {
        let mut command = Command::new("sh");
        command.args(["-c", START, "sh"]);
        command
    };
    command
        .arg(format!("--userspec={user}:{user}"))
        .arg(root)
        .args(arguments)
        .env_clear()
        .env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin")
        .env("IMAGE_PATH", path)
        .stdin(Stdio::null());
    command
}

/// An image whose files are in a read-only folder.
pub(crate) struct Unpacked {
    root: PathBuf,
    user: u64,
    /// Its command, with arguments.
    pub(crate) arguments: Vec<String>,
    /// Its search path for programs.
    path: String,
}

impl Unpacked {
    /// The image under the tag `v1` of a layout in the sandbox.
    pub(crate) fn of(sandbox: &Sandbox, layout: &str) -> Self {
        let image = format!("{}:v1", sandbox.path(layout).display());
        let folder = sandbox.path(format!("{layout}-unpacked"));
        // Another user than root only gets a root that belongs to that user.
        let options: &[&str] = if is_root() { &[] } else { &["--rootless"] };
        let unpack = ["unpack", "--image", &image, folder.to_str().unwrap()];
        run("umoci", &[&unpack[..1], options, &unpack[1..]].concat());
        let root = folder.join("rootfs");
        run("chmod", &["-R", "a-w", root.to_str().unwrap()]);
        let config: Value = serde_json::from_slice(&fs::read(folder.join("config.json")).unwrap()).unwrap();
        let process = &config["process"];
        let variables: Vec<String> = serde_json::from_value(process["env"].clone()).unwrap();
        let path = variables.iter().find_map(|variable| variable.strip_prefix("PATH="));
        Self {
            root,
            user: process["user"]["uid"].as_u64().unwrap(),
            arguments: serde_json::from_value(process["args"].clone()).unwrap(),
            path: path.unwrap().to_owned(),
        }
    }

    /// A command inside the image.
    fn inside(&self, user: u64, arguments: &[String]) -> Command {
        inside(&self.root, user, &self.path, arguments)
    }

    /// Starts it as its own user and as another one: it serves these bundles, answers the probe, and stops on request.
    pub(crate) fn serves(&self, expected: &[&str]) {
        if !is_root() && !not_run("only root can start a program in a root folder of its own") {
            return;
        }
        for user in [self.user, 123_456] {
            self.serves_as(user, expected);
        }
    }

    fn serves_as(&self, user: u64, expected: &[&str]) {
        // The port of the image may be in use here.
        let arguments = [&self.arguments[..], &["-p".to_owned(), "0".to_owned()]].concat();
        let server = Server::start(&mut self.inside(user, &arguments));
        let index = self.arguments.iter().skip(1).find(|word| word.starts_with('/'));
        assert_eq!(&server.index, index.unwrap());

        // Found by its name, as OLM calls it.
        let probe = [
            "grpc_health_probe".to_owned(),
            format!("-addr=127.0.0.1:{}", server.port),
            "-connect-timeout=20s".to_owned(),
            "-rpc-timeout=20s".to_owned(),
        ];
        let probed = self.inside(user, &probe).output().unwrap();
        let said = String::from_utf8_lossy(&probed.stderr).into_owned();
        assert_eq!((probed.status.code(), said.as_str()), (Some(0), "status: SERVING\n"));

        let runtime = tokio::runtime::Runtime::new().unwrap();
        let address = format!("http://127.0.0.1:{}", server.port);
        let bundles: Vec<_> = runtime.block_on(async {
            let mut client = RegistryClient::connect(address).await.unwrap();
            let bundles = client.list_bundles(ListBundlesRequest {}).await.unwrap().into_inner();
            bundles.map(|bundle| bundle.unwrap().csv_name).collect().await
        });
        assert_eq!(bundles, expected);
        server.end();
    }
}

#[test]
fn the_index_image_runs_alone_as_its_user_on_a_read_only_root() {
    if !installed(&["umoci", "chroot"]) {
        return;
    }
    let sandbox = Sandbox::new();
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata");
    for name in ["greenhouse-operator", "compost-operator"] {
        copy_folder(&data.join(name), &sandbox.path(name));
    }
    succeed(
        &sandbox,
        "index add -b greenhouse-operator,compost-operator -t oci:index:v1",
    );
    let image = Unpacked::of(&sandbox, "index");
    assert_eq!(image.user, 1001);
    assert_eq!(
        image.arguments,
        ["/bin/opmx", "registry", "serve", "--database", "/database/index.db"]
    );
    if is_root() && can_mount() {
        let writes = ["/bin/opmx", "man", "/manual"].map(str::to_owned);
        let written = image.inside(0, &writes).output().unwrap();
        let said = String::from_utf8_lossy(&written.stderr).into_owned();
        assert_eq!(written.status.code(), Some(1));
        assert!(said.contains("Read-only file system"), "{said}");
    }
    image.serves(&[
        "compost-operator.v0.3.1",
        "greenhouse-operator.v1.2.0",
        "greenhouse-operator.v1.2.0",
    ]);
}

/// A valid catalog in the folder `catalog`, of two bundles next to it.
fn catalog() -> Sandbox {
    let sandbox = Sandbox::new();
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata");
    for name in ["greenhouse-operator", "compost-operator"] {
        copy_folder(&data.join(name), &sandbox.path(name));
    }
    fs::create_dir(sandbox.path("catalog")).unwrap();
    let rendered = succeed(&sandbox, "render greenhouse-operator compost-operator");
    let graph = [
        ("compost-operator", "compost-operator.v0.3.1"),
        ("greenhouse-operator", "greenhouse-operator.v1.2.0"),
    ]
    .map(|(package, bundle)| {
        let document = json!({"schema": "olm.package", "name": package, "defaultChannel": "stable"});
        let entries = json!([{ "name": bundle }]);
        let channel = json!({"schema": "olm.channel", "package": package, "name": "stable", "entries": entries});
        format!("{document}\n{channel}\n")
    });
    fs::write(sandbox.path("catalog/catalog.json"), rendered + &graph.concat()).unwrap();
    sandbox
}

#[test]
fn a_catalog_image_runs_alone_as_any_user_on_a_read_only_root() {
    if !installed(&["umoci", "chroot"]) {
        return;
    }
    let sandbox = catalog();
    succeed(&sandbox, "catalog build catalog -t oci:catalog-image:v1");
    let image = Unpacked::of(&sandbox, "catalog-image");
    assert_eq!(
        image.arguments,
        ["/bin/opmx", "serve", "/configs", "--cache-dir=/tmp/cache"]
    );
    assert_eq!(image.user, 1001);
    image.serves(&["compost-operator.v0.3.1", "greenhouse-operator.v1.2.0"]);
}

#[test]
fn a_catalog_image_on_a_base_runs_alone_as_any_user_on_a_read_only_root() {
    if !installed(&["umoci", "chroot"]) {
        return;
    }
    let sandbox = catalog();
    succeed(&sandbox, "index add -b compost-operator -t oci:index:v1");
    // On an image that holds opmx; what it says is what "generate dockerfile" writes.
    let base = read_layout(&sandbox.path("index"), Some("v1"), &Platform::default()).unwrap();
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
    let config = ImageConfig {
        labels: [(CONFIGS_LABEL.to_owned(), "/configs".to_owned())].into(),
        entrypoint: words(&["/bin/opm"]),
        command: words(&["serve", "/configs", "--cache-dir=/tmp/cache"]),
        ..ImageConfig::default()
    };
    let file = LayerEntry {
        path: "configs/garden/catalog.json".to_owned(),
        mode: 0o644,
        content: EntryContent::File(sandbox.path("catalog/catalog.json")),
    };
    let image = append(&base, &config, vec![layer_from_files(&[file], 0).unwrap()]).unwrap();
    write_layout(&image, &sandbox.path("catalog-image"), Some("v1")).unwrap();
    let image = Unpacked::of(&sandbox, "catalog-image");
    assert_eq!(image.arguments[..3], ["/bin/opm", "serve", "/configs"]);
    image.serves(&["compost-operator.v0.3.1", "greenhouse-operator.v1.2.0"]);
}
