//! Every command that writes, with what is there before it, and a look at what is there after it.

use crate::bundles::{self, Release};
use crate::common::{Outcome, Sandbox, copy_folder};
use crate::state::state_of_copy;
use opmx::image::{Digest, ImageConfig, build, write_layout};
use rusqlite::Connection;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

/// A command that writes into the folder where it runs, which lies beside what a [`Workshop`] prepares.
pub(crate) struct Writing {
    pub(crate) line: &'static str,
    /// What is copied there before it: what the workshop has prepared, and the name for it.
    before: &'static [(&'static str, &'static str)],
    /// The exit code of a run that finds its work done.
    pub(crate) again: i32,
    /// A command that reads what was written, and sees the old or the new state whatever it finds.
    pub(crate) reader: Option<&'static str>,
    pub(crate) unit: Unit,
}

/// What is old or new as a whole.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    All,
    /// Two files in two folders, each for itself.
    EachFile,
    /// The images that the layout `out` names. Blobs that none of them needs may be there.
    Layout,
}

const BUNDLE: Option<&str> = Some("bundle validate out -o json");
const LIST: Option<&str> = Some("index list bundles index.db");
const OLDER: &[(&str, &str)] = &[("older", "out")];
const SOUND: &[(&str, &str)] = &[("sound.db", "index.db")];
const UNTIDY: &[(&str, &str)] = &[("untidy.db", "index.db")];

#[rustfmt::skip]
pub(crate) const ALL: &[Writing] = &[
    writing("bundle unpack oci:../image:v1 -o out", &[], 0, BUNDLE, Unit::All),
    writing("bundle unpack oci:../image:v1 -o out", &[("empty", "out")], 0, BUNDLE, Unit::All),
    writing("bundle unpack oci:../image:v1 -o out", OLDER, 0, BUNDLE, Unit::All),
    writing("bundle unpack oci:../image:v1", &[], 0, Some("bundle validate . -o json"), Unit::All),
    writing("bundle init out --from ../older/manifests", &[], 0, BUNDLE, Unit::All),
    writing("bundle init out --version 3.0.0", &[("older/manifests", "out/manifests")], 0, BUNDLE, Unit::All),
    writing("bundle init out --overwrite --version 3.0.0", OLDER, 0, BUNDLE, Unit::All),
    writing("bundle generate out -c stable,fast -e fast", OLDER, 0, None, Unit::EachFile),
    writing("bundle generate ../older -c stable,fast -e fast -u out", &[], 0, None, Unit::EachFile),
    writing("bundle convert ../older out --to registry+v1", &[], 1, BUNDLE, Unit::All),
    writing("bundle validate out --fix", &[("broken", "out")], 0, BUNDLE, Unit::All),
    writing("bundle build ../older -q -t oci:out:v1", &[], 0, Some("bundle inspect oci:out:v1"), Unit::Layout),
    writing("bundle build ../older -q -t oci-archive:out.tar:v1", &[("image.tar", "out.tar")], 0, Some("bundle inspect oci-archive:out.tar:v1"), Unit::All),
    writing("index export -i ../sound.db -f out", &[], 1, None, Unit::All),
    writing("index export -i ../sound.db -f out", &[("older", "out/other")], 1, None, Unit::All),
    writing("migrate ../sound.db out", &[], 1, Some("validate out"), Unit::All),
    writing("generate dockerfile out -i registry.example.com/opm:v1", &[("empty", "out")], 1, None, Unit::All),
    writing("man out", &[("pages", "out")], 0, None, Unit::All),
    writing("index add -q -i oci:../base:v1 -b ../older -t oci:out:v1", &[], 0, Some("index list bundles oci:out:v1"), Unit::Layout),
    writing("index add -q -i registry.example.com/opm:v1 -b ../older --generate", &[], 0, None, Unit::EachFile),
    writing("registry add -q -b ../older -d index.db", &[], 1, LIST, Unit::All),
    writing("registry add -q -b ../older -d index.db", SOUND, 1, LIST, Unit::All),
    writing("registry rm -o tool1 -d index.db", SOUND, 1, LIST, Unit::All),
    writing("registry prune -p tool1 -d index.db", SOUND, 0, LIST, Unit::All),
    writing("registry deprecatetruncate -b registry.example.com/tool0:1.4.0 -d index.db", SOUND, 0, LIST, Unit::All),
    writing("registry prune-stranded -d index.db", UNTIDY, 0, LIST, Unit::All),
    writing("index check index.db --fix", UNTIDY, 0, LIST, Unit::All),
];

const fn writing(
    line: &'static str,
    before: &'static [(&'static str, &'static str)],
    again: i32,
    reader: Option<&'static str>,
    unit: Unit,
) -> Writing {
    Writing {
        line,
        before,
        again,
        reader,
        unit,
    }
}

impl Writing {
    /// The command with what it finds, for messages.
    pub(crate) fn name(&self) -> String {
        let before: Vec<_> = self
            .before
            .iter()
            .map(|(what, name)| format!("{what} as {name}"))
            .collect();
        if before.is_empty() {
            return self.line.to_owned();
        }
        format!("{}, with {}", self.line, before.join(", "))
    }
}

/// What a folder holds: folders, and files with their permissions and digests. Of a database its rows count.
pub(crate) type Found = BTreeMap<String, String>;

/// Makes what the commands work on, and runs them in the folder `run`.
pub(crate) struct Workshop {
    pub(crate) sandbox: Sandbox,
}

impl Workshop {
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
        Self { sandbox }
    }

    /// Puts what is there before the command into its folder.
    pub(crate) fn fresh(&self, writing: &Writing) {
        let run = self.sandbox.path("run");
        fs::remove_dir_all(&run).unwrap();
        fs::create_dir(&run).unwrap();
        for (what, name) in writing.before {
            let (from, to) = (self.sandbox.path(what), run.join(name));
            if from.is_dir() {
                copy_folder(&from, &to);
            } else {
                fs::copy(from, to).unwrap();
            }
        }
    }

    /// Runs a program, and opmx by it, in the folder of the commands.
    pub(crate) fn command(&self, program: &[&str], line: &str) -> Command {
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

    /// Runs a command that nobody disturbs: what is there before it and after it.
    pub(crate) fn undisturbed(&self, writing: &Writing) -> (View, View) {
        self.fresh(writing);
        let old = self.view(writing);
        let outcome = self.run(writing.line);
        assert_eq!(outcome.status, Some(0), "{}: {outcome}", writing.name());
        let new = self.view(writing);
        self.assert_tidy(writing, "left to itself");
        assert_ne!(old.found, new.found, "{}", writing.name());
        let again = self.run(writing.line);
        assert_eq!(again.status, Some(writing.again), "{}: {again}", writing.name());
        assert_eq!(new, self.view(writing), "{}", writing.name());
        (old, new)
    }

    pub(crate) fn view(&self, writing: &Writing) -> View {
        View {
            found: found(&self.sandbox.path("run")),
            read: writing.reader.map(|line| {
                let outcome = self.run(line);
                (outcome.status == Some(0), outcome.stdout)
            }),
        }
    }

    /// Nothing is there that belongs to no state, neither beside what was written nor among the temporary files.
    pub(crate) fn assert_tidy(&self, writing: &Writing, when: &str) {
        let left = found(&self.sandbox.path("run"));
        let left: Vec<_> = left.keys().filter(|path| is_leftover(path)).collect();
        assert!(left.is_empty(), "{}, {when}: {left:?} is left", writing.name());
        let left = in_temporary_folder(&self.sandbox.path("tmp"));
        assert!(left.is_empty(), "{}, {when}: {left:?} is left", writing.name());
    }
}

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

/// What is there, and what a reader sees of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct View {
    pub(crate) found: Found,
    pub(crate) read: Option<(bool, String)>,
}

impl View {
    /// What belongs to no state.
    pub(crate) fn leftovers(&self) -> impl Iterator<Item = &String> {
        self.found.keys().filter(|path| is_leftover(path))
    }

    /// Which of two states this is, for the eyes of the file system and of the reader.
    pub(crate) fn which(&self, old: &Self, new: &Self, unit: Unit) -> Option<State> {
        let pending = self.found.keys().any(|path| path.contains(".opmx-changes"));
        let is = |state: &Self| content(&self.found, unit) == content(&state.found, unit);
        let state = if pending {
            State::Pending
        } else if is(new) {
            State::New
        } else if is(old) {
            State::Old
        } else if unit == Unit::EachFile && each_is_of(&self.found, old, new) {
            State::Between
        } else {
            return None;
        };
        let seen = match state {
            State::Old => self.read == old.read,
            State::New | State::Pending => self.read == new.read,
            State::Between => true,
        };
        seen.then_some(state)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum State {
    Old,
    /// Of two files in two folders one is new.
    Between,
    /// The new state counts, and what is left to be moved is moved by the next run.
    Pending,
    New,
}

/// The files that make up a state.
fn content(found: &Found, unit: Unit) -> Found {
    let files = found.iter().filter(|(path, _)| {
        let counts = unit != Unit::Layout || path.ends_with("/index.json");
        counts && !path.ends_with('/') && !is_leftover(path)
    });
    files.map(|(path, file)| (path.clone(), file.clone())).collect()
}

fn each_is_of(found: &Found, old: &View, new: &View) -> bool {
    let all = [found, &old.found, &new.found].map(|found| content(found, Unit::All));
    let paths: BTreeSet<&String> = all.iter().flat_map(BTreeMap::keys).collect();
    let [found, old, new] = &all;
    paths
        .into_iter()
        .all(|path| found.get(path) == old.get(path) || found.get(path) == new.get(path))
}

/// What a command leaves beside its outputs only when it is killed.
fn is_leftover(path: &str) -> bool {
    path.ends_with("-journal")
        || path
            .split('/')
            .any(|name| name.starts_with('.') && name.contains("opmx-"))
}

fn found(folder: &Path) -> Found {
    let mut found = Found::new();
    for entry in walkdir::WalkDir::new(folder).min_depth(1) {
        let entry = entry.unwrap();
        let path = entry.path().strip_prefix(folder).unwrap().to_str().unwrap().to_owned();
        if entry.file_type().is_dir() {
            found.insert(format!("{path}/"), String::new());
            continue;
        }
        let mode = entry.metadata().unwrap().permissions().mode() & 0o777;
        let content = if entry.path().extension() == Some("db".as_ref()) {
            format!("{:?}", state_of_copy(entry.path()))
        } else {
            Digest::of(&fs::read(entry.path()).unwrap()).to_string()
        };
        found.insert(path, format!("{mode:o} {content}"));
    }
    found
}

/// What is in the folder for temporary files, but for an empty folder of the user.
fn in_temporary_folder(folder: &Path) -> Vec<String> {
    let entries = walkdir::WalkDir::new(folder).min_depth(1).into_iter();
    let paths = entries.map(|entry| {
        entry
            .unwrap()
            .path()
            .strip_prefix(folder)
            .unwrap()
            .display()
            .to_string()
    });
    paths
        .filter(|path| path.contains('/') || path.starts_with("opmx-index-"))
        .collect()
}
