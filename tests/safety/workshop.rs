//! An environment for the commands that write, which compares the files before and after them.

use crate::bundles::{self, Release};
use crate::common::{Outcome, Sandbox, copy_folder};
use crate::state::{journal, state_of_copy};
use crate::tools::DockerRegistry;
use crate::writing::{Unit, Writing};
use opmx::image::{Digest, ImageConfig, build, write_layout};
use rusqlite::Connection;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

/// The content of a folder: folders, and files with their permissions and digests. Databases are represented by their
/// rows.
pub(crate) type Found = BTreeMap<String, String>;

/// Prepares the input of the commands, and runs them in the folder `run`.
pub(crate) struct Workshop {
    pub(crate) sandbox: Sandbox,
    registry: Option<DockerRegistry>,
    /// The number of the repository that replaces `OUT`.
    round: Cell<usize>,
    /// The rows of databases, by the digests of their files.
    rows: RefCell<HashMap<String, String>>,
    /// The results of readers, by their command lines and all files.
    said: RefCell<HashMap<(&'static str, Bytes), Said>>,
}

/// The content of a folder with the digests of all files, including databases.
type Bytes = Vec<(String, String)>;

/// Whether a reader succeeded, and what it printed.
type Said = (bool, String);

impl Workshop {
    /// With a registry that contains the bundle `bundle:v1` and the index `tagged:v1`.
    pub(crate) fn with_a_registry() -> Self {
        let mut workshop = Self::new();
        workshop.registry = Some(DockerRegistry::start(&workshop.sandbox.path(""), "", ""));
        for line in [
            "bundle build ../newer --use-http -t HOST/bundle:v1",
            "index prune --use-http -i oci:../base:v1 -f ../sound.db -p tool0,tool1 -t HOST/tagged:v1",
        ] {
            let outcome = workshop.run(line);
            assert_eq!(outcome.status, Some(0), "{outcome}");
        }
        workshop
    }

    pub(crate) fn new() -> Self {
        let sandbox = Sandbox::new();
        for folder in ["tmp", "run", "empty", "pages"] {
            fs::create_dir(sandbox.path(folder)).unwrap();
        }
        fs::write(sandbox.path("pages/opmx.1"), "older").unwrap();
        let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata");
        copy_folder(&data.join("greenhouse-operator"), &sandbox.path("older"));
        copy_folder(&data.join("greenhouse-operator"), &sandbox.path("newer"));
        copy_folder(&data.join("compost-operator"), &sandbox.path("broken"));
        let edit = |path: &str, from: &str, to: &str| {
            let text = fs::read_to_string(sandbox.path(path)).unwrap();
            assert!(text.contains(from), "{path}");
            fs::write(sandbox.path(path), text.replace(from, to)).unwrap();
        };
        edit("newer/metadata/olm.yaml", "version: 1.2.0", "version: 1.3.0");
        edit(
            "broken/manifests/compost-operator.clusterserviceversion.yaml",
            "  version: 0.3.1",
            "  version: v0.3.1",
        );
        edit(
            "broken/metadata/annotations.yaml",
            "channels.v1: alpha",
            "channels.v1: alpha, beta",
        );
        fs::write(sandbox.path("newer/manifests/more.yaml"), MORE).unwrap();
        let releases = ["tool0", "tool1"]
            .into_iter()
            .flat_map(|package| Release::line_of(package, 6).collect::<Vec<_>>());
        bundles::add(releases, &sandbox.path("sound.db"));
        fs::copy(sandbox.path("sound.db"), sandbox.path("untidy.db")).unwrap();
        let connection = Connection::open(sandbox.path("untidy.db")).unwrap();
        connection.pragma_update(None, "foreign_keys", false).unwrap();
        connection.execute_batch(STRANDED).unwrap();
        let base = build(&ImageConfig::default(), Vec::new()).unwrap();
        write_layout(&base, &sandbox.path("base"), Some("v1")).unwrap();
        for target in ["oci:image:v1", "oci-archive:image.tar:v1"] {
            let built = sandbox.run(["bundle", "build", "newer", "-t", target]);
            assert_eq!(built.status, Some(0), "{built}");
        }
        crate::indexes::catalog(&sandbox.path("catalog"));
        let made = sandbox.run(["index", "page", "catalog", "-o", "site"]);
        assert_eq!(made.status, Some(0), "{made}");
        crate::indexes::versions(&sandbox.path("versions"));
        crate::indexes::repository(&sandbox.path("repository"));
        fs::write(sandbox.path("template.yaml"), TEMPLATE).unwrap();
        fs::create_dir(sandbox.path("planned")).unwrap();
        fs::write(sandbox.path("planned/catalog.yaml"), PLANNED).unwrap();
        let planned = sandbox.run("mirror plan --catalog planned --no-binary --retries 0 -o plan.json".split(' '));
        assert_eq!(planned.status, Some(0), "{planned}");
        // What is planned next is another image.
        let other = PLANNED.replace("name: tool\n", "name: tool\ndescription: It digs.\n");
        fs::write(sandbox.path("planned/catalog.yaml"), other).unwrap();
        let workshop = Self {
            sandbox,
            registry: None,
            round: Cell::default(),
            rows: RefCell::default(),
            said: RefCell::default(),
        };
        let line = "index prune -i oci:../base:v1 -f ../sound.db -p tool0,tool1 -t oci:../index:v1";
        let made = workshop.run(line);
        assert_eq!(made.status, Some(0), "{made}");
        workshop
    }

    /// Copies the input of the command into its folder.
    pub(crate) fn fresh(&self, writing: &Writing) {
        let run = self.sandbox.path("run");
        fs::remove_dir_all(&run).unwrap();
        fs::create_dir(&run).unwrap();
        self.round.set(self.round.get() + 1);
        if self.registry.is_some() {
            let _ = fs::remove_dir_all(self.sandbox.path(CACHE));
        }
        for (what, name) in writing.before {
            let (from, to) = match *name {
                "OUT" => (self.repository(what), self.repository(&self.out())),
                name => (self.sandbox.path(what), run.join(name)),
            };
            if from.is_dir() {
                copy_folder(&from, &to);
            } else {
                fs::create_dir_all(to.parent().unwrap()).unwrap();
                fs::copy(from, to).unwrap();
            }
        }
    }

    /// The repository that the commands write to, a new one each time, because the registry may still be processing a
    /// request of a killed process.
    fn out(&self) -> String {
        format!("out{}", self.round.get())
    }

    /// The folder of a repository in the registry.
    fn repository(&self, name: &str) -> PathBuf {
        self.sandbox.path("registry/docker/registry/v2/repositories").join(name)
    }

    /// Replaces `HOST` and `OUT`.
    fn named(&self, line: &str) -> String {
        match &self.registry {
            Some(registry) => line.replace("HOST", &registry.host).replace("OUT", &self.out()),
            None => line.to_owned(),
        }
    }

    /// Runs a program with opmx as its argument in the folder of the commands.
    pub(crate) fn command(&self, program: &[&str], line: &str) -> Command {
        let line = self.named(line);
        let mut words = program
            .iter()
            .copied()
            .chain([env!("CARGO_BIN_EXE_opmx")])
            .chain(line.split(' '));
        let mut command = Command::new(words.next().unwrap());
        command.args(words);
        self.sandbox.surround(&mut command);
        command
            .current_dir(self.sandbox.path("run"))
            .env("TMPDIR", self.sandbox.path("tmp"));
        command
    }

    pub(crate) fn run(&self, line: &str) -> Outcome {
        self.sandbox.finish(&mut self.command(&[], line))
    }

    /// Runs an undisturbed command, and returns the state before and after it, and its duration.
    pub(crate) fn undisturbed(&self, writing: &Writing) -> (View, View, Duration) {
        self.fresh(writing);
        let old = self.view(writing);
        let start = Instant::now();
        let outcome = self.run(writing.line);
        let pace = start.elapsed();
        assert_eq!(outcome.status, Some(0), "{}: {outcome}", writing.name());
        let new = self.view(writing);
        self.assert_tidy(writing, "left to itself");
        assert_ne!(old.found, new.found, "{}", writing.name());
        let again = self.run(writing.line);
        assert_eq!(again.status, Some(writing.again), "{}: {again}", writing.name());
        assert_eq!(new, self.view(writing), "{}", writing.name());
        (old, new, pace)
    }

    pub(crate) fn view(&self, writing: &Writing) -> View {
        loop {
            let found = self.found();
            let read = writing.reader.map(|line| self.read(line, &found.bytes));
            // A registry goes on with what a process asked of it before it was killed.
            if self.registry.is_none() || self.found().bytes == found.bytes {
                let found = found.files;
                return View { found, read };
            }
        }
    }

    /// The result of a reader, which runs once per state.
    fn read(&self, line: &'static str, bytes: &Bytes) -> Said {
        let key = (line, bytes.clone());
        if let Some(said) = self.said.borrow().get(&key) {
            return said.clone();
        }
        let outcome = self.run(line);
        let said = match &self.registry {
            Some(registry) => outcome
                .stdout
                .replace(&format!("{}/{}", registry.host, self.out()), "HOST/OUT"),
            None => outcome.stdout,
        };
        let said = (outcome.status == Some(0), said);
        self.said.borrow_mut().insert(key, said.clone());
        said
    }

    /// The content of the folder of the commands, and the tags of `OUT`.
    fn found(&self) -> Looked {
        let folder = self.sandbox.path("run");
        let mut looked = Looked::default();
        for entry in walkdir::WalkDir::new(&folder).min_depth(1) {
            let entry = entry.unwrap();
            let path = entry.path().strip_prefix(&folder).unwrap().to_str().unwrap().to_owned();
            if entry.file_type().is_dir() {
                looked.bytes.push((format!("{path}/"), String::new()));
                looked.files.insert(format!("{path}/"), String::new());
                continue;
            }
            let mode = entry.metadata().unwrap().permissions().mode() & 0o777;
            let bytes = Digest::of(&fs::read(entry.path()).unwrap()).to_string();
            let content = if entry.path().extension() == Some("db".as_ref()) {
                self.rows(entry.path(), &bytes)
            } else {
                bytes.clone()
            };
            looked.bytes.push((path.clone(), bytes));
            looked.files.insert(path, format!("{mode:o} {content}"));
        }
        if self.registry.is_some() {
            for (tag, digest) in self.tags() {
                looked.bytes.push((tag.clone(), digest.clone()));
                looked.files.insert(tag, digest);
            }
        }
        looked.bytes.sort();
        looked
    }

    fn rows(&self, database: &Path, bytes: &str) -> String {
        let read = || format!("{:?}", state_of_copy(database));
        if journal(database).exists() {
            return read();
        }
        let mut rows = self.rows.borrow_mut();
        rows.entry(bytes.to_owned()).or_insert_with(read).clone()
    }

    /// The tags of `OUT` with their digests.
    fn tags(&self) -> Vec<(String, String)> {
        let tags = fs::read_dir(self.repository(&self.out()).join("_manifests/tags"));
        let tags = tags.into_iter().flatten().map(|tag| {
            let tag = tag.unwrap();
            let link = tag.path().join("current/link");
            loop {
                // The registry makes the file before it writes it.
                match fs::read_to_string(&link) {
                    Ok(digest) if !digest.is_empty() => {
                        return (format!("{TAGS}{}", tag.file_name().display()), digest);
                    }
                    _ => thread::sleep(Duration::from_millis(5)),
                }
            }
        });
        tags.collect()
    }

    /// Asserts that nothing exists that belongs to no state, neither next to the output nor among the temporary files.
    pub(crate) fn assert_tidy(&self, writing: &Writing, when: &str) {
        let mut left = below(&self.sandbox.path("run"));
        left.extend(below(&self.sandbox.path(CACHE)));
        left.retain(|path| is_leftover(path));
        left.extend(in_temporary_folder(&self.sandbox.path("tmp")));
        assert!(left.is_empty(), "{}, {when}: {left:?} is left", writing.name());
    }
}

/// The cache of the layers from registries.
const CACHE: &str = "../home/.cache";

/// The prefix of tags among the file names.
const TAGS: &str = "the tag ";

#[derive(Default)]
struct Looked {
    files: Found,
    bytes: Bytes,
}

/// A basic template without bundles.
const TEMPLATE: &str = "schema: olm.template.basic\nentries:\n- schema: olm.package\n  name: greenhouse-operator\n  defaultChannel: stable\n";

/// A catalog whose images are not served.
const PLANNED: &str = "\
schema: olm.package
name: tool
defaultChannel: stable
---
schema: olm.channel
package: tool
name: stable
entries:
- name: tool.v1.0.0
---
schema: olm.bundle
package: tool
name: tool.v1.0.0
properties:
- type: olm.package
  value: {packageName: tool, version: 1.0.0}
- type: olm.bundle.object
  value: {data: eyJhcGlWZXJzaW9uIjoib3BlcmF0b3JzLmNvcmVvcy5jb20vdjFhbHBoYTEiLCJraW5kIjoiQ2x1c3RlclNlcnZpY2VWZXJzaW9uIiwibWV0YWRhdGEiOnsibmFtZSI6InRvb2wudjEuMC4wIn0sInNwZWMiOnsidmVyc2lvbiI6IjEuMC4wIn19}
";

const STRANDED: &str = "
    INSERT INTO operatorbundle (name, csv, bundle) VALUES ('tool0.v0.1.0', '{}', '{}');
    INSERT INTO related_image VALUES ('registry.example.com/gone', 'gone');";

const MORE: &str = "\
apiVersion: v1
kind: ConfigMap
metadata:
  name: more
data:
  more: \"true\"
";

/// The files, and the result of a reader.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct View {
    pub(crate) found: Found,
    pub(crate) read: Option<(bool, String)>,
}

impl View {
    /// Leftovers that belong to no state.
    pub(crate) fn leftovers(&self) -> impl Iterator<Item = &String> {
        self.found.keys().filter(|path| is_leftover(path))
    }

    /// Determines which of two states this is, by its files and by its reader.
    pub(crate) fn which(&self, old: &Self, new: &Self, unit: Unit) -> Option<State> {
        let pending = self.found.keys().any(|path| path.contains(".opmx-changes"));
        let is = |state: &Self| content(&self.found, unit) == content(&state.found, unit);
        let state = if pending {
            State::Pending
        } else if is(new) {
            State::New
        } else if is(old) {
            State::Old
        } else if unit == Unit::FilesThenLayout && is_between(&self.found, old, new) {
            State::Between
        } else {
            return None;
        };
        let seen = match state {
            State::Old | State::Between => self.read == old.read,
            State::New | State::Pending => self.read == new.read,
        };
        seen.then_some(state)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum State {
    Old,
    /// The files are new, but the image built from them does not exist yet.
    Between,
    /// The new state is committed, and the next run completes the remaining moves.
    Pending,
    New,
}

/// The files of a state.
fn content(found: &Found, unit: Unit) -> Found {
    let files = found.iter().filter(|(path, _)| {
        let counts = match unit {
            Unit::All | Unit::Tags => true,
            Unit::Plan => *path == "plan.json",
            Unit::Layout => path.ends_with("/index.json"),
            Unit::FilesThenLayout => !path.starts_with("out/") || path.ends_with("/index.json"),
        };
        counts && !path.ends_with('/') && !is_leftover(path)
    });
    files.map(|(path, file)| (path.clone(), file.clone())).collect()
}

fn is_between(found: &Found, old: &View, new: &View) -> bool {
    let [found, old, new] = [found, &old.found, &new.found].map(|found| content(found, Unit::FilesThenLayout));
    let is_image = |path: &String| path.starts_with("out/");
    let files = |of: &Found| -> Found { of.clone().into_iter().filter(|(path, _)| !is_image(path)).collect() };
    let image = |of: &Found| -> Found { of.clone().into_iter().filter(|(path, _)| is_image(path)).collect() };
    files(&found) == files(&new) && image(&found) == image(&old)
}

/// Files that a command leaves next to its outputs only if it is killed.
fn is_leftover(path: &str) -> bool {
    path.ends_with("-journal")
        || path
            .split('/')
            .any(|name| name.starts_with('.') && name.contains("opmx-") && name != SITE_LISTING)
}

/// The file that lists the files of a site, and is part of it.
const SITE_LISTING: &str = ".opmx-site";

/// The paths below a folder, which may not exist.
fn below(folder: &Path) -> Vec<String> {
    let entries = walkdir::WalkDir::new(folder).min_depth(1).into_iter();
    let paths =
        entries.filter_map(|entry| Some(entry.ok()?.path().strip_prefix(folder).unwrap().display().to_string()));
    paths.collect()
}

/// The content of the folder for temporary files, except an empty folder of the user.
fn in_temporary_folder(folder: &Path) -> impl Iterator<Item = String> {
    let paths = below(folder).into_iter();
    paths.filter(|path| path.contains('/') || path.starts_with("opmx-index-"))
}
