//! Folders of many files are written in linear time: files are not synced individually, and no folder is read per file.

use crate::common::Sandbox;
use crate::kills::can_trace;
use std::fs;
use std::process::Command;

const BUNDLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/testdata/greenhouse-operator");

/// How often files are synced and folders are read while a bundle with this many additional files is unpacked.
fn calls(sandbox: &Sandbox, files: usize) -> usize {
    let name = format!("bundle{files}");
    crate::common::copy_folder(BUNDLE.as_ref(), &sandbox.path(&name));
    let more = sandbox.path(format!("{name}/tests/scorecard"));
    fs::create_dir_all(&more).unwrap();
    for number in 0..files {
        fs::write(more.join(format!("{number}.yaml")), "kind: Test\n").unwrap();
    }
    let image = format!("oci:images:{name}");
    let built = sandbox.run(["bundle", "build", &name, "-t", &image]);
    assert_eq!(built.status, Some(0), "{built}");
    let log = sandbox.path("calls.txt");
    let mut command = Command::new("strace");
    command
        .args(["-f", "-qq", "-e", "trace=fsync,fdatasync,syncfs,getdents64", "-o"])
        .args([
            log.to_str().unwrap(),
            env!("CARGO_BIN_EXE_opmx"),
            "bundle",
            "unpack",
            &image,
            "-o",
        ])
        .arg(format!("out{files}"));
    sandbox.surround(&mut command);
    let unpacked = sandbox.finish(&mut command);
    assert_eq!(unpacked.status, Some(0), "{unpacked}");
    let written = fs::read_dir(sandbox.path(format!("out{files}/tests/scorecard"))).unwrap();
    assert_eq!(written.count(), files);
    fs::read_to_string(log).unwrap().lines().count()
}

#[test]
fn a_folder_of_many_files_is_synced_once_and_not_read_per_file() {
    if !can_trace() {
        // Past the test harness, which would keep it to itself.
        std::io::Write::write_all(&mut std::io::stderr(), b"not run: strace does not run here\n").unwrap();
        return;
    }
    let sandbox = Sandbox::new();
    let (few, many) = (calls(&sandbox, 100), calls(&sandbox, 1000));
    println!("{few} calls for 100 files, {many} for 1,000");
    assert!(many <= few + 10, "{few} calls for 100 files, {many} for 1,000");
}
