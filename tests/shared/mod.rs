//! The folder of real data beside the project, for the tests that need it.

use std::io::Write;
use std::path::{Path, PathBuf};

/// A folder of the real data; where it is absent the test says so and ends.
pub(crate) fn folder(name: &str) -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared").join(name);
    if folder.is_dir() {
        return Some(folder);
    }
    not_run("../shared is not here");
    None
}

/// Says that a test does not run, which is a failure where everything must be there.
pub(crate) fn not_run(reason: &str) {
    assert!(std::env::var_os("OPMX_REQUIRE_SHARED").is_none(), "not run: {reason}");
    // Past the test harness, which would keep it to itself.
    let mut stderr = std::io::stderr();
    writeln!(stderr, "not run: {reason}").unwrap();
}
