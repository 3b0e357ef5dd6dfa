//! The gRPC client in Python, which knows the server only through reflection.

use std::path::Path;
use std::process::Command;

/// The Python interpreter with the packages of the client.
pub(crate) fn python() -> Option<String> {
    let python = std::env::var("OPMX_GRPC_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let modules = Command::new(&python)
        .args(["-c", "import grpc, grpc_reflection"])
        .output();
    modules.is_ok_and(|output| output.status.success()).then_some(python)
}

/// The message if there is none.
pub(crate) const ABSENT: &str = "Python has no grpcio and grpcio-reflection (OPMX_GRPC_PYTHON names another Python)";

/// Lets the client call every method of the server at an address, and returns its output.
pub(crate) fn call_every_method(python: &str, address: &str) -> String {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reflection_client.py");
    let output = Command::new(python).arg(script).arg(address).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        output.status.success(),
        "{said}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(said.contains("10 methods of api.Registry"), "{said}");
    said
}
