//! An independent client, with every kind of server.

use crate::common::Sandbox;
use crate::reflection;
use crate::tools::{installed, not_run, run};
use crate::{registry, shared_folder, succeed};
use opmx::image::{EntryContent, ImageConfig, LayerEntry, build, layer_from_files, write_layout};
use opmx::olm::label::CONFIGS_LABEL;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Stdio};

/// A server on a free port, which is killed when dropped, in case a test ends early.
pub(crate) struct Server {
    child: Child,
    stderr: BufReader<ChildStderr>,
    /// The address that it prints.
    pub(crate) index: String,
    pub(crate) port: u16,
}

impl Server {
    /// Starts a command, and waits until it listens.
    pub(crate) fn start(command: &mut Command) -> Self {
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        // Warnings about the catalog come first.
        let mut line = String::new();
        while !line.starts_with("serving ") {
            line.clear();
            assert_ne!(stderr.read_line(&mut line).unwrap(), 0, "the server has ended");
        }
        let said = line.trim_end().strip_prefix("serving ");
        let said = said.and_then(|said| said.rsplit_once(" on "));
        let (index, address) = said.unwrap_or_else(|| panic!("{line}"));
        Self {
            index: index.to_owned(),
            port: address.rsplit(':').next().unwrap().parse().unwrap(),
            child,
            stderr,
        }
    }

    /// Stops the server by a signal; it must succeed and print nothing more.
    pub(crate) fn end(mut self) {
        run("kill", &[&self.child.id().to_string()]);
        assert_eq!(self.child.wait().unwrap().code(), Some(0));
        let mut rest = String::new();
        self.stderr.read_to_string(&mut rest).unwrap();
        assert_eq!(rest, "");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn unpack(packed: &Path, to: &Path) {
    let mut content = Vec::new();
    let packed = fs::File::open(packed).unwrap();
    flate2::read::GzDecoder::new(packed).read_to_end(&mut content).unwrap();
    fs::write(to, content).unwrap();
}

#[test]
fn every_method_of_every_kind_of_server_is_callable_through_reflection() {
    if !installed(&["docker-registry", "skopeo"]) {
        return;
    }
    let Some(python) = reflection::python() else {
        not_run(reflection::ABSENT);
        return;
    };
    let Some(case) = shared_folder("goldens/grpc/inline-and-dependencies") else {
        return;
    };
    let sandbox = Sandbox::new();
    let registry = registry(&sandbox);
    unpack(&case.join("index.db.gz"), &sandbox.path("index.db"));
    fs::create_dir(sandbox.path("catalog")).unwrap();
    let catalog = sandbox.path("catalog/catalog.json");
    unpack(&case.join("catalog.json.gz"), &catalog);
    succeed(&sandbox, "index prune-stranded -f index.db -t oci:index:v1");
    let config = ImageConfig {
        labels: [(CONFIGS_LABEL.to_owned(), "/configs".to_owned())].into(),
        ..ImageConfig::default()
    };
    let file = LayerEntry {
        path: "configs/garden/catalog.json".to_owned(),
        mode: 0o644,
        content: EntryContent::File(catalog),
    };
    let image = build(&config, vec![layer_from_files(&[file], 0).unwrap()]).unwrap();
    write_layout(&image, &sandbox.path("catalog-image"), Some("v1")).unwrap();
    let mut served = ["index.db", "catalog", "oci:index:v1", "oci:catalog-image:v1"]
        .map(str::to_owned)
        .to_vec();
    for layout in ["index", "catalog-image"] {
        let place = format!("{}/garden/{layout}:v1", registry.host);
        let from = format!("oci:{}:v1", sandbox.path(layout).display());
        let to = format!("docker://{place}");
        run(
            "skopeo",
            &["--insecure-policy", "copy", "--dest-tls-verify=false", &from, &to],
        );
        served.push(place);
    }
    for index in served {
        let words = ["serve", &index, "--use-http", "--address=127.0.0.1", "--port=0"];
        let server = Server::start(&mut sandbox.command(words));
        let said = reflection::call_every_method(&python, &format!("127.0.0.1:{}", server.port));
        println!("{index}: {}", said.lines().last().unwrap());
        server.end();
    }
}
