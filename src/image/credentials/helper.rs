//! The credential helper protocol of the container tools.

use super::{CredentialError, Secret};
use serde::Deserialize;
use std::io::{self, Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

/// The maximum size of a response in bytes.
const OUTPUT_LIMIT: u64 = 1 << 20;
const TIME: Duration = Duration::from_secs(30);
const PAUSE: Duration = Duration::from_millis(10);

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Answer {
    username: String,
    secret: String,
}

/// Requests the login for a server from a helper program that is named in `file`.
pub(super) fn ask_helper(program: &str, file: &Path, server: &str) -> Result<Option<Secret>, CredentialError> {
    if program.contains(['/', '\\']) {
        return Err(CredentialError::Helper {
            program: program.to_owned(),
            message: "its name must not be a path".to_owned(),
        });
    }
    ask(Command::new(program), program, file, server, TIME)
}

/// Implements Docker's credential helper protocol: the server name on standard input, JSON on standard output.
pub(super) fn ask(
    mut command: Command,
    program: &str,
    file: &Path,
    server: &str,
    time: Duration,
) -> Result<Option<Secret>, CredentialError> {
    let fail = |message: String| CredentialError::Helper {
        program: program.to_owned(),
        message,
    };
    let run = |source| CredentialError::Run {
        program: program.to_owned(),
        file: file.to_owned(),
        source,
    };
    let mut child = command
        .arg("get")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(run)?;
    if let Some(mut input) = child.stdin.take() {
        // A helper may respond without reading its input.
        let _ = input.write_all(server.as_bytes());
    }
    let output = child.stdout.take();
    let (sender, receiver) = mpsc::channel();
    let reading = thread::Builder::new().spawn(move || {
        let mut answer = Vec::new();
        if let Some(output) = output {
            // If reading fails, the response is incomplete and therefore invalid.
            let _ = output.take(OUTPUT_LIMIT + 1).read_to_end(&mut answer);
        }
        // The receiver is gone once the timeout has expired.
        let _ = sender.send(answer);
    });
    if let Err(error) = reading {
        let _ = child.kill().and_then(|()| child.wait());
        return Err(run(error));
    }
    let Some(success) = wait(&mut child, time).map_err(run)? else {
        return Err(fail(format!("no response within {} seconds", time.as_secs())));
    };
    // The program has exited, but a process that it started may keep its output open.
    let answer = receiver.recv_timeout(time).unwrap_or_default();
    if answer.len() as u64 > OUTPUT_LIMIT {
        return Err(fail(format!("its response is larger than {OUTPUT_LIMIT} bytes")));
    }
    if !success {
        let message = String::from_utf8_lossy(&answer).trim().to_owned();
        // The protocol has no other way to report that there is no login.
        if message.contains("credentials not found") {
            return Ok(None);
        }
        return Err(fail(message));
    }
    let answer: Answer =
        serde_json::from_slice(&answer).map_err(|error| fail(format!("its response is invalid: {error}")))?;
    Ok(match (answer.username.as_str(), answer.secret) {
        ("", secret) if secret.is_empty() => None,
        ("<token>", token) => Some(Secret::IdentityToken(token)),
        (user, password) => Some(Secret::Password {
            user: user.to_owned(),
            password,
        }),
    })
}

/// Waits for the program to exit. Returns whether it succeeded, or `None` if it was killed at the timeout.
fn wait(child: &mut Child, time: Duration) -> io::Result<Option<bool>> {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status.success()));
        }
        if start.elapsed() > time {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        thread::sleep(PAUSE);
    }
}
