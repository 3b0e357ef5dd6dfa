//! The programs that keep logins for the container tools, and their protocol.

use super::{CredentialError, Secret};
use serde::Deserialize;
use std::io::{self, Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

const OUTPUT_LIMIT: u64 = 1 << 20;
const TIME: Duration = Duration::from_secs(30);
const PAUSE: Duration = Duration::from_millis(10);

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Answer {
    username: String,
    secret: String,
}

/// Asks a helper program that `file` names for the login of a server.
pub(super) fn ask_helper(program: &str, file: &Path, server: &str) -> Result<Option<Secret>, CredentialError> {
    if program.contains(['/', '\\']) {
        return Err(CredentialError::Helper {
            program: program.to_owned(),
            message: "its name is a path".to_owned(),
        });
    }
    ask(Command::new(program), program, file, server, TIME)
}

/// Speaks the protocol of Docker's credential helpers: the server on standard input, JSON on standard output.
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
        // A helper that does not read its input may still answer.
        let _ = input.write_all(server.as_bytes());
    }
    let output = child.stdout.take();
    let (sender, receiver) = mpsc::channel();
    let reading = thread::Builder::new().spawn(move || {
        let mut answer = Vec::new();
        if let Some(output) = output {
            // What cannot be read is missing from the answer, which is then not valid.
            let _ = output.take(OUTPUT_LIMIT).read_to_end(&mut answer);
        }
        // Nobody listens any more when the time was over.
        let _ = sender.send(answer);
    });
    if let Err(error) = reading {
        let _ = child.kill().and_then(|()| child.wait());
        return Err(run(error));
    }
    let Some(success) = wait(&mut child, time).map_err(run)? else {
        return Err(fail(format!("no answer in {} seconds", time.as_secs())));
    };
    // The program has ended, but something that it started may hold its output open.
    let answer = receiver.recv_timeout(time).unwrap_or_default();
    if !success {
        let message = String::from_utf8_lossy(&answer).trim().to_owned();
        // The protocol has no other sign for "there is none".
        if message.contains("credentials not found") {
            return Ok(None);
        }
        return Err(fail(message));
    }
    let answer: Answer =
        serde_json::from_slice(&answer).map_err(|error| fail(format!("its answer is not valid: {error}")))?;
    Ok(match (answer.username.as_str(), answer.secret) {
        ("", secret) if secret.is_empty() => None,
        ("<token>", token) => Some(Secret::IdentityToken(token)),
        (user, password) => Some(Secret::Password {
            user: user.to_owned(),
            password,
        }),
    })
}

/// Whether the program succeeded; none when it did not end in time and was killed.
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
