//! The program itself, as every other module here runs it.

use crate::common::Sandbox;

#[test]
fn a_sandbox_hides_the_environment_of_whoever_runs_the_tests() {
    let outcome = Sandbox::new().run(["version"]);
    assert_eq!(outcome.status, Some(0), "{outcome}");
}
