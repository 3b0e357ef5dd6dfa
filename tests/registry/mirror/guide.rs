//! The guide in the book about clusters without internet access.

use super::garden::{Garden, said};
use crate::tools::installed;
use opmx::server::proto::ListPackageRequest;
use opmx::server::proto::registry_client::RegistryClient;
use serde_json::Value;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

/// The commands of all `bash` blocks of a page.
fn commands(page: &str) -> String {
    let (mut commands, mut inside) = (String::new(), false);
    for line in page.lines() {
        match line {
            "```bash" => inside = true,
            "```" => inside = false,
            _ if inside => commands.extend([line, "\n"]),
            _ => {}
        }
    }
    commands
}

#[test]
fn the_guide_mirrors_a_catalog_that_can_be_served_offline() {
    if !installed(&["docker-registry", "bash"]) {
        return;
    }
    let garden = Garden::new();
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/guides/disconnected.md");
    let page = fs::read_to_string(page).unwrap();
    // The catalog in the guide is an image.
    let (source, target) = (&garden.source.host, &garden.target.host);
    fs::create_dir(garden.path("catalog")).unwrap();
    fs::copy(garden.path("catalog.yaml"), garden.path("catalog/catalog.yaml")).unwrap();
    garden.ok(&format!(
        "catalog build catalog -t {source}/garden/catalog:v1 --no-binary --use-http"
    ));
    // The registries of this test speak plain HTTP, and opmx is too large here to be put into a catalog.
    let script = format!(
        "set -euo pipefail\nopmx() {{\n  case \"$1 $2\" in\n  'mirror plan') {opmx} \"$@\" --use-http --no-binary;;\n  \
         'mirror diff' | 'mirror manifests') {opmx} \"$@\";;\n  *) {opmx} \"$@\" --use-http;;\n  esac\n}}\n{}",
        commands(&page)
            .replace("registry.example.com", source)
            .replace("mirror.example.com:5000", target),
        opmx = env!("CARGO_BIN_EXE_opmx"),
    );
    let mut command = garden.command("");
    let mut bash = Command::new("bash");
    let environment = command
        .get_envs()
        .filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned())));
    bash.args(["-c", &script])
        .envs(environment)
        .current_dir(garden.folder.path());
    command.env_clear();
    let output = bash.output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    let text = said(&output);
    for part in [
        "everything in the plan is present",
        "greenhouse-operator",
        "would be deleted",
        "to drop",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let written = fs::read_to_string(garden.path("manifests/catalogsource-catalog-v1.yaml")).unwrap();
    assert!(
        written.contains(&format!("image: {target}/olm/garden/catalog:v1")),
        "{written}"
    );
    assert_eq!(
        garden.json("archive2/mirror.result.json")["complete"],
        Value::Bool(true)
    );

    let mut serve = garden.command(&format!(
        "serve {target}/olm/garden/catalog:v1 --use-http --address 127.0.0.1 --port 0"
    ));
    let mut served = serve.stderr(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(served.stderr.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    let port = line.trim_end().rsplit(':').next().unwrap().to_owned();
    let names = tokio::runtime::Runtime::new().unwrap().block_on(async {
        let mut client = RegistryClient::connect(format!("http://127.0.0.1:{port}"))
            .await
            .unwrap();
        let mut answer = client.list_packages(ListPackageRequest {}).await.unwrap().into_inner();
        let mut names = Vec::new();
        while let Some(package) = answer.message().await.unwrap() {
            names.push(package.name);
        }
        names
    });
    served.kill().unwrap();
    served.wait().unwrap();
    assert_eq!(names, ["certs-operator", "greenhouse-operator"]);
}
