//! The index image, running with nothing around it.

use crate::common::{Sandbox, copy_folder};
use crate::succeed;
use crate::tools::{installed, not_run, run};
use opmx::server::proto::ListBundlesRequest;
use opmx::server::proto::registry_client::RegistryClient;
use serde_json::Value;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use tokio_stream::StreamExt;

/// A process that ends with the value, should a test end early.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn is_root() -> bool {
    let output = Command::new("id").arg("-u").output();
    output.is_ok_and(|output| output.stdout == b"0\n")
}

/// Whether a root folder can be mounted read-only here, for one program alone.
fn can_mount() -> bool {
    let mounted = Command::new("unshare")
        .args(["--mount", "mount", "--bind", "/", "/mnt"])
        .output();
    mounted.is_ok_and(|output| output.status.success())
}

/// A command inside the image as a user, on a root that is mounted read-only where that can be done.
fn inside(root: &Path, user: u64, arguments: &[String]) -> Command {
    const READ_ONLY: &str = r#"mount --bind "$2" "$2" && mount -o remount,bind,ro "$2" && exec chroot "$@""#;
    let mut command = if can_mount() {
        let mut command = Command::new("unshare");
        command.args(["--mount", "sh", "-c", READ_ONLY, "sh"]);
        command
    } else {
        Command::new("chroot")
    };
    command
        .arg(format!("--userspec={user}:{user}"))
        .arg(root)
        .args(arguments)
        .env_clear()
        .env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin")
        .stdin(Stdio::null());
    command
}

#[test]
fn the_index_image_serves_alone_as_its_user_on_a_root_that_cannot_be_written() {
    if !installed(&["umoci", "chroot"]) {
        return;
    }
    if !is_root() && !not_run("only root can start a program in a root folder of its own") {
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
    let image = format!("{}:v1", sandbox.path("index").display());
    let unpacked = sandbox.path("unpacked");
    run("umoci", &["unpack", "--image", &image, unpacked.to_str().unwrap()]);
    let root = unpacked.join("rootfs");
    run("chmod", &["-R", "a-w", root.to_str().unwrap()]);
    let config: Value = serde_json::from_slice(&fs::read(unpacked.join("config.json")).unwrap()).unwrap();
    let user = config["process"]["user"]["uid"].as_u64().unwrap();
    assert_eq!(user, 1001);
    let mut arguments: Vec<String> = serde_json::from_value(config["process"]["args"].clone()).unwrap();
    assert_eq!(
        arguments,
        ["/bin/opmx", "registry", "serve", "--database", "/database/index.db"]
    );
    // The port of the image may be in use here.
    arguments.extend(["-p".to_owned(), "0".to_owned()]);

    if can_mount() {
        let writes = ["/bin/opmx", "man", "/manual"].map(str::to_owned);
        let written = inside(&root, 0, &writes).output().unwrap();
        let said = String::from_utf8_lossy(&written.stderr).into_owned();
        assert_eq!(written.status.code(), Some(1));
        assert!(said.contains("Read-only file system"), "{said}");
    }
    let server = inside(&root, user, &arguments).stderr(Stdio::piped()).spawn().unwrap();
    let mut server = Running(server);
    let mut stderr = BufReader::new(server.0.stderr.take().unwrap());
    let mut line = String::new();
    stderr.read_line(&mut line).unwrap();
    assert!(line.starts_with("serving /database/index.db on "), "{line}");
    let port = line.trim_end().rsplit(':').next().unwrap();

    let probe = [
        "/bin/grpc_health_probe".to_owned(),
        format!("-addr=127.0.0.1:{port}"),
        "-connect-timeout=20s".to_owned(),
        "-rpc-timeout=20s".to_owned(),
    ];
    let probed = inside(&root, user, &probe).output().unwrap();
    let said = String::from_utf8_lossy(&probed.stderr).into_owned();
    assert_eq!((probed.status.code(), said.as_str()), (Some(0), "status: SERVING\n"));

    let runtime = tokio::runtime::Runtime::new().unwrap();
    let address = format!("http://127.0.0.1:{port}");
    let bundles: Vec<_> = runtime.block_on(async {
        let mut client = RegistryClient::connect(address).await.unwrap();
        let bundles = client.list_bundles(ListBundlesRequest {}).await.unwrap().into_inner();
        bundles.map(|bundle| bundle.unwrap().csv_name).collect().await
    });
    assert_eq!(
        bundles,
        [
            "compost-operator.v0.3.1",
            "greenhouse-operator.v1.2.0",
            "greenhouse-operator.v1.2.0"
        ]
    );

    run("kill", &[&server.0.id().to_string()]);
    assert_eq!(server.0.wait().unwrap().code(), Some(0));
    let mut rest = String::new();
    stderr.read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "");
}
