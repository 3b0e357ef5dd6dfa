//! Named pipes, sockets and devices where files are expected: each is reported by name, and nothing waits for it.

use crate::bundles::Release;
use crate::common::Sandbox;
use crate::indexes::{self, run};
use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};

/// A blob, whichever it is.
const BLOB: &str = "layout/blobs/sha256/*";

/// Command lines, and the special file in each.
const CASES: [(&str, &str); 18] = [
    ("validate catalog", "catalog/other.yaml"),
    ("validate catalog", "catalog/.indexignore"),
    ("validate catalog", "catalog/deep/.indexignore"),
    ("render catalog", "catalog/deep/other.yaml"),
    ("index list packages catalog", "catalog/tool.yaml"),
    ("index from-fbc catalog --generate", "catalog/tool.yaml"),
    ("serve catalog --cache-only", "catalog/other.yaml"),
    ("catalog rm catalog tool", "catalog/tool.yaml"),
    ("catalog build catalog -t oci:new:v1 --no-binary", "catalog/tool.yaml"),
    ("bundle validate bundle", "bundle/manifests/other.yaml"),
    ("registry add -b bundle -d new.db", "bundle/metadata/annotations.yaml"),
    ("index list packages oci-archive:index.tar:v1", "index.tar"),
    ("index list packages oci:layout:v1", "layout/index.json"),
    ("index list packages oci:layout:v1", BLOB),
    ("bundle build bundle -t oci-archive:out.tar:v1", "out.tar"),
    ("bundle build bundle -t oci:layout:v2", "layout/oci-layout"),
    ("bundle build bundle -t oci:layout:v1", "layout/index.json"),
    (
        "index prune -f old.db -p tool --generate --out-dockerfile Dockerfile",
        "Dockerfile",
    ),
];

fn place() -> Sandbox {
    let sandbox = Sandbox::new();
    indexes::catalog(&sandbox.path("catalog"));
    fs::create_dir(sandbox.path("catalog/deep")).unwrap();
    Release::new("tool", 0).write(&sandbox.path("bundle"));
    indexes::layout(&indexes::database_image(&sandbox, 0), &sandbox.path("layout"));
    indexes::database(&sandbox.path("old.db"));
    sandbox
}

/// Replaces a file with a special file.
fn replace(path: &Path, kind: &str) {
    let _ = fs::remove_file(path);
    match kind {
        "named pipe" => indexes::pipe(path),
        "socket" => drop(UnixListener::bind(path).unwrap()),
        _ => symlink("/dev/zero", path).unwrap(),
    }
}

/// The files used by a case, with their content.
fn files_of(sandbox: &Sandbox, file: &str) -> Vec<(PathBuf, Option<Vec<u8>>)> {
    let paths = match file.strip_suffix('*') {
        None => vec![sandbox.path(file)],
        Some(folder) => {
            let entries = fs::read_dir(sandbox.path(folder)).unwrap();
            entries.map(|entry| entry.unwrap().path()).collect()
        }
    };
    let held = |path: PathBuf| {
        let content = fs::read(&path).ok();
        (path, content)
    };
    paths.into_iter().map(held).collect()
}

#[test]
fn special_files_are_reported_and_neither_waited_for_nor_replaced() {
    let sandbox = place();
    for kind in ["named pipe", "socket", "device"] {
        for (line, file) in CASES {
            let files = files_of(&sandbox, file);
            for (path, _) in &files {
                replace(path, kind);
            }
            let outcome = run(&sandbox, line);
            let of = format!("{line} with a {kind} for {file}: {outcome}");
            assert_eq!(outcome.status, Some(1), "{of}");
            let said = format!("{}{}", outcome.stdout, outcome.stderr);
            assert!(said.starts_with("error"), "{of}");
            let mut names = files
                .iter()
                .map(|(path, _)| path.file_name().unwrap().to_str().unwrap());
            // The device is behind a link.
            assert!(
                names.any(|name| said.contains(name)) || said.contains("/dev/zero"),
                "{of}"
            );
            // Of a bundle's folder all links are refused, and what is none is one kind.
            let kinds = [kind, "device, pipe or socket", "symbolic link"];
            assert!(kinds.iter().any(|kind| said.contains(kind)), "{of}");
            for (path, content) in files {
                assert!(!fs::symlink_metadata(&path).unwrap().is_file(), "{of}");
                fs::remove_file(&path).unwrap();
                if let Some(content) = content {
                    fs::write(path, content).unwrap();
                }
            }
        }
    }
}
