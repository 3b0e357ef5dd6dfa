//! The program itself, as run by all other modules here.

use crate::common::Sandbox;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// All commands with a manual page, such as `bundle build` and `upgrade-check init`, except those that only have
/// subcommands.
pub(crate) fn commands() -> BTreeSet<String> {
    let pages = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("man")).unwrap();
    let commands: BTreeSet<String> = pages
        .filter_map(|page| {
            let page = fs::read_to_string(page.unwrap().path()).unwrap();
            let synopsis = page.lines().find_map(|line| line.strip_prefix("\\fBopmx "))?;
            let (command, _) = synopsis.split_once("\\fR")?;
            (!synopsis.ends_with("<\\fIsubcommands\\fR>")).then(|| command.replace("\\-", "-"))
        })
        .collect();
    assert!(commands.len() > 40, "{commands:?}");
    commands
}

#[test]
fn a_sandbox_hides_the_environment_of_the_test_run() {
    let outcome = Sandbox::new().run(["version"]);
    assert_eq!(outcome.status, Some(0), "{outcome}");
}
