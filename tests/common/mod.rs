//! A sandbox to run opmx in, independent of the machine.

use std::ffi::OsStr;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A new home and working folder, and an environment without variables of the caller.
pub(crate) struct Sandbox {
    root: tempfile::TempDir,
}

impl Sandbox {
    pub(crate) fn new() -> Self {
        let root = tempfile::tempdir().expect("a temporary folder");
        for folder in ["home", "work"] {
            std::fs::create_dir(root.path().join(folder)).expect("a folder of the sandbox");
        }
        Self { root }
    }

    /// Returns a path in the working folder, where commands run.
    pub(crate) fn path(&self, relative: impl AsRef<Path>) -> PathBuf {
        self.root.path().join("work").join(relative)
    }

    /// Returns the command for further changes. It has no input, and its output is 80 columns wide.
    pub(crate) fn command<Word: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = Word>) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_opmx"));
        command.args(arguments);
        self.surround(&mut command);
        command
    }

    /// Sets the working folder and the environment of the sandbox for a command.
    pub(crate) fn surround(&self, command: &mut Command) {
        let home = self.root.path().join("home");
        command
            .current_dir(self.path(""))
            .stdin(Stdio::null())
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("HOME", &home)
            .env("XDG_CACHE_HOME", home.join(".cache"))
            .env("XDG_CONFIG_HOME", home.join(".config"))
            .env("XDG_RUNTIME_DIR", home.join(".run"))
            .env("DOCKER_CONFIG", home.join(".docker"))
            .env("COLUMNS", "80")
            .env("LC_ALL", "C.UTF-8");
    }

    /// Runs `opmx` with these arguments until it exits.
    pub(crate) fn run<Word: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = Word>) -> Outcome {
        self.finish(&mut self.command(arguments))
    }

    /// Runs a command made by [`Sandbox::command`] until it exits. Paths of the sandbox become `[DIR]` in its output.
    pub(crate) fn finish(&self, command: &mut Command) -> Outcome {
        let output = command.output().expect("opmx starts");
        let root = self.root.path().to_str().expect("a UTF-8 path");
        let text = |bytes: Vec<u8>| {
            let text = String::from_utf8(bytes).expect("opmx prints UTF-8");
            text.replace(&format!("{root}/work"), "[DIR]")
                .replace(&format!("{root}/home"), "[HOME]")
        };
        Outcome {
            status: output.status.code(),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        }
    }
}

/// Copies a folder recursively. The files get the current time.
pub(crate) fn copy_folder(from: &Path, to: &Path) {
    for entry in walkdir::WalkDir::new(from) {
        let entry = entry.expect("an entry of the folder");
        let target = to.join(entry.path().strip_prefix(from).expect("a path below the folder"));
        if entry.file_type().is_dir() {
            std::fs::create_dir_all(target).expect("a folder");
        } else {
            std::fs::write(target, std::fs::read(entry.path()).expect("a readable file")).expect("a written file");
        }
    }
}

/// The output and exit status of a command. It displays as one text, for snapshots.
#[derive(Debug, PartialEq, Eq)]
#[must_use]
pub(crate) struct Outcome {
    /// The exit status; `None` if a signal ended the command.
    pub(crate) status: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl fmt::Display for Outcome {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.stdout)?;
        if !self.stderr.is_empty() {
            write!(formatter, "------- stderr -------\n{}", self.stderr)?;
        }
        match self.status {
            Some(0) => Ok(()),
            Some(code) => write!(formatter, "------- exit {code} -------"),
            None => write!(formatter, "------- ended by a signal -------"),
        }
    }
}
