//! Generated indexes, and images of them.

use crate::bundles::{self, Release};
use crate::common::{Outcome, Sandbox};
use crate::noise;
use opmx::image::{EntryContent, Image, ImageConfig, LayerEntry, build, layer_from_files, write_layout};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

const CATALOG: &str = "\
schema: olm.package
name: tool
defaultChannel: stable
---
schema: olm.channel
package: tool
name: stable
entries:
- name: tool.v1.0.0
---
schema: olm.bundle
package: tool
name: tool.v1.0.0
image: registry.example.com/tool:1.0.0
properties:
- type: olm.package
  value: {packageName: tool, version: 1.0.0}
";

/// Writes a database with the package `tool`.
pub(crate) fn database(path: &Path) {
    bundles::add(Release::line_of("tool", 2), path);
}

/// Writes a file-based catalog with the package `tool`.
pub(crate) fn catalog(folder: &Path) {
    fs::create_dir_all(folder).unwrap();
    fs::write(folder.join("tool.yaml"), CATALOG).unwrap();
}

/// The image of a database with this many additional incompressible bytes.
pub(crate) fn database_image(sandbox: &Sandbox, noise: usize) -> Image {
    let path = sandbox.path("to-pack.db");
    database(&path);
    let content = fs::read(&path).unwrap();
    fs::remove_file(path).unwrap();
    image(
        "database",
        [("database/index.db", content), ("noise", noise::bytes(noise))],
    )
}

/// Writes a file-based catalog with two versions of the deprecated package `tool` in two channels.
pub(crate) fn versions(folder: &Path) {
    let (head, bundle) = CATALOG.split_once("---\nschema: olm.bundle").unwrap();
    let bundle = format!("---\nschema: olm.bundle{bundle}");
    let head = head.replace(
        "- name: tool.v1.0.0",
        "- name: tool.v1.1.0\n  replaces: tool.v1.0.0\n- name: tool.v1.0.0",
    );
    let fast = "---\nschema: olm.channel\npackage: tool\nname: fast\nentries:\n- name: tool.v1.1.0\n";
    let deprecated =
        "---\nschema: olm.deprecations\npackage: tool\nentries:\n- reference: {schema: olm.package}\n  message: old\n";
    let text = [&*head, fast, &bundle, &bundle.replace("1.0.0", "1.1.0"), deprecated].concat();
    fs::create_dir_all(folder).unwrap();
    fs::write(folder.join("tool.yaml"), text).unwrap();
}

/// A community repository in which the operator of the first bundle has no releases yet.
pub(crate) fn repository(folder: &Path) {
    let operator = folder.join("operators/greenhouse-operator");
    let release = "catalog_templates:\n- template_name: basic.yaml\n  channels: [stable]\n";
    let mapping = "  - {template_name: basic.yaml, catalog_names: [v4.16, v4.20], type: olm.template.basic}\n";
    fs::create_dir_all(operator.join("1.2.0")).unwrap();
    fs::write(operator.join("1.2.0/release-config.yaml"), release).unwrap();
    let text = format!("fbc:\n  enabled: true\n  catalog_mapping:\n{mapping}");
    fs::write(operator.join("ci.yaml"), text).unwrap();
}

/// The image of a file-based catalog.
pub(crate) fn catalog_image() -> Image {
    image(
        "configs",
        [("configs/tool/a.yaml", CATALOG.into()), ("configs/README", Vec::new())],
    )
}

fn image(form: &str, files: [(&str, Vec<u8>); 2]) -> Image {
    let label = format!("operators.operatorframework.io.index.{form}.v1");
    let path = if form == "database" {
        "/database/index.db"
    } else {
        "/configs/tool"
    };
    let config = ImageConfig {
        labels: BTreeMap::from([(label, path.to_owned())]),
        os: "linux".to_owned(),
        architecture: "amd64".to_owned(),
        ..ImageConfig::default()
    };
    let entries = files.map(|(path, content)| LayerEntry {
        path: path.to_owned(),
        mode: 0o644,
        content: EntryContent::Bytes(content),
    });
    build(&config, vec![layer_from_files(&entries, 0).unwrap()]).unwrap()
}

/// Writes an image to a layout under the tag `v1`.
pub(crate) fn layout(image: &Image, folder: &Path) {
    write_layout(image, folder, Some("v1")).unwrap();
}

/// Runs a command with the folder `tmp` of the sandbox for temporary files; it counts as hanging after a minute.
pub(crate) fn run(sandbox: &Sandbox, line: &str) -> Outcome {
    wrapped(sandbox, &["timeout", "60"], line)
}

/// Like [`run`], as the arguments of another program.
pub(crate) fn wrapped(sandbox: &Sandbox, program: &[&str], line: &str) -> Outcome {
    let mut command = prepared(sandbox, program, line);
    let outcome = sandbox.finish(&mut command);
    assert_ne!(outcome.status, Some(124), "{line} hangs: {outcome}");
    outcome
}

/// The command of [`wrapped`].
pub(crate) fn prepared(sandbox: &Sandbox, program: &[&str], line: &str) -> Command {
    let temporary = sandbox.path("tmp");
    fs::create_dir_all(&temporary).unwrap();
    let mut command = Command::new(program[0]);
    command.args(&program[1..]).arg(env!("CARGO_BIN_EXE_opmx"));
    sandbox.surround(command.args(line.split(' ')).env("TMPDIR", ""));
    command
        .env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin")
        .env("TMPDIR", temporary);
    command
}

/// Creates a named pipe.
pub(crate) fn pipe(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

/// Everything below a folder: paths, kinds, modes and content.
pub(crate) fn tree(folder: &Path) -> Vec<String> {
    use std::os::unix::fs::MetadataExt;
    let entries = walkdir::WalkDir::new(folder).sort_by_file_name();
    let describe = |entry: walkdir::DirEntry| {
        let metadata = entry.metadata().unwrap();
        let content = match metadata.file_type() {
            kind if kind.is_file() => String::from_utf8_lossy(&fs::read(entry.path()).unwrap()).into_owned(),
            kind if kind.is_symlink() => format!("-> {}", fs::read_link(entry.path()).unwrap().display()),
            _ => String::new(),
        };
        format!("{} {:o} {content}", entry.path().display(), metadata.mode())
    };
    entries.into_iter().map(|entry| describe(entry.unwrap())).collect()
}
