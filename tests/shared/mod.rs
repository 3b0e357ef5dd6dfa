//! The folder of shared data next to the project, for the tests that need it.

use std::io::Write;
use std::path::{Path, PathBuf};

/// A folder of the shared data; without it the test is skipped with a message.
pub(crate) fn folder(name: &str) -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared").join(name);
    if folder.is_dir() {
        return Some(folder);
    }
    not_run("../shared is not here");
    None
}

/// Prints that a test is skipped, which is a failure if all data is required.
pub(crate) fn not_run(reason: &str) {
    assert!(std::env::var_os("OPMX_REQUIRE_SHARED").is_none(), "not run: {reason}");
    // Past the test harness, which would keep it to itself.
    let mut stderr = std::io::stderr();
    writeln!(stderr, "not run: {reason}").unwrap();
}
