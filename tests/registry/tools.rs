//! Independent programs that tests run: a real registry and container tools.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

/// Returns whether all of these programs are installed. Prints a message if not, and fails if they are required.
pub(crate) fn installed(programs: &[&str]) -> bool {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let there = |program: &&&str| std::env::split_paths(&paths).any(|folder| folder.join(program).is_file());
    let Some(absent) = programs.iter().find(|program| !there(program)) else {
        return true;
    };
    not_run(&format!("{absent} is not installed"))
}

/// Returns whether the folder of shared data exists, with the same messages as for programs.
pub(crate) fn shared(folder: &Path) -> bool {
    folder.is_dir() || not_run("../shared is not here")
}

/// Prints why a test is skipped, or fails if it is required.
pub(crate) fn not_run(reason: &str) -> bool {
    assert!(
        std::env::var_os("OPMX_REQUIRE_SHARED").is_none(),
        "{reason}, and OPMX_REQUIRE_SHARED is set"
    );
    // Written past the test harness, which would keep it to itself.
    let mut stderr = std::io::stderr();
    writeln!(stderr, "not run: {reason}").unwrap();
    false
}

/// Runs a program and returns its output.
pub(crate) fn run(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output().unwrap();
    let (stdout, stderr) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    assert!(output.status.success(), "{program} {arguments:?}: {stdout}{stderr}");
    stdout.into_owned()
}

/// A `docker-registry` process with a temporary folder and its own port, which is stopped when dropped.
pub(crate) struct DockerRegistry {
    pub(crate) host: String,
    child: Child,
    log: PathBuf,
}

impl DockerRegistry {
    /// Starts it; `http` and `rest` are added to these parts of its configuration.
    pub(crate) fn start(folder: &Path, http: &str, rest: &str) -> Self {
        Self::start_with(folder, http, rest, "")
    }

    /// Starts it with additional storage options.
    pub(crate) fn start_with(folder: &Path, http: &str, rest: &str, storage_options: &str) -> Self {
        let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let storage = folder.join("registry");
        let config = folder.join("registry.yml");
        let text = format!(
            "version: 0.1\nlog: {{level: info}}\nstorage: {{filesystem: {{rootdirectory: {}}}{storage_options}}}\nhttp:\n  addr: {address}\n  secret: test\n{http}\n{rest}\n",
            storage.display()
        );
        fs::write(&config, text).unwrap();
        let log = folder.join("registry.log");
        let output = File::create(&log).unwrap();
        let child = Command::new("docker-registry")
            .arg("serve")
            .arg(&config)
            .env_clear()
            .stdin(Stdio::null())
            .stdout(output.try_clone().unwrap())
            .stderr(output)
            .spawn()
            .unwrap();
        let mut registry = Self {
            host: address.to_string(),
            child,
            log,
        };
        for _ in 0..500 {
            if TcpStream::connect(address).is_ok() {
                return registry;
            }
            if let Some(status) = registry.child.try_wait().unwrap() {
                panic!("docker-registry ended with {status}: {}", registry.log());
            }
            thread::sleep(Duration::from_millis(20));
        }
        panic!("docker-registry does not listen: {}", registry.log());
    }

    /// Its log.
    pub(crate) fn log(&self) -> String {
        let mut log = String::new();
        File::open(&self.log).unwrap().read_to_string(&mut log).unwrap();
        log
    }

    /// The number of requests that start with this text, such as `POST /v2/`.
    pub(crate) fn count(&self, request: &str) -> usize {
        let log = self.log();
        log.lines()
            .filter(|line| line.contains(&format!("\"{request}")))
            .count()
    }
}

impl Drop for DockerRegistry {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
