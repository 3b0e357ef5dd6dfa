//! A writer killed at any moment leaves the old state or the new one, and nothing that blocks the next writer. The
//! database is so large that the moments within a write can be distinguished.

use super::names;
use crate::bundles::{self, Release};
use crate::chance::Chance;
use crate::common::Sandbox;
use crate::kills::kills;
use crate::state::{Journal, State, assert_sound, journal, state, state_of_copy};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// The number of times a process is killed by default, over all commands.
const KILLS: usize = 60;
/// The sum of the shares of all commands.
const SHARES: usize = 12;
const SEED: u64 = 5;
/// The number of sandboxes used concurrently.
const WORKERS: usize = 2;
const PACKAGES: usize = 20;
const VERSIONS: usize = 25;

/// A command, and its outcome if its work is already done.
struct Change {
    name: &'static str,
    share: usize,
    line: String,
    /// The exit status and a word of the output of a run that finds its work done.
    again: (i32, &'static str),
    /// The content of the database afterwards.
    new: State,
}

/// The moment at which a process is killed.
#[derive(Clone, Copy)]
enum Moment {
    /// After this fraction of its duration.
    OfAll(u32),
    /// After this fraction of the time from its first write to its commit, counted from that write.
    OfWriting(u32),
}

/// The duration of a command as measured in this run, weighted towards the last runs.
#[derive(Debug, Clone, Copy, Default)]
struct Pace {
    all: Duration,
    writing: Duration,
}

/// What a killed process left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Hit {
    BeforeTheFirstWrite,
    /// The journal was incomplete: no page of the database itself was written.
    WritingTheJournal,
    WritingTheDatabase,
    /// While the file was truncated.
    CompactingAfterTheCommit,
    AfterTheCommit,
}

impl Hit {
    fn inside(self) -> bool {
        matches!(self, Self::WritingTheJournal | Self::WritingTheDatabase)
    }
}

fn learn(known: &mut Duration, seen: Duration) {
    *known = if known.is_zero() { seen } else { (*known * 3 + seen) / 4 };
}

/// Runs a process to its end or up to a moment. Returns whether it was killed.
fn run(child: &mut Child, database: &Path, moment: Option<Moment>, pace: &mut Pace) -> bool {
    let start = Instant::now();
    let (mut begun, mut committed) = (None, false);
    let part = |whole: Duration, thousandths: u32| whole * thousandths / 1000;
    loop {
        let due = match (moment, begun) {
            (Some(Moment::OfAll(at)), _) => start.elapsed() >= part(pace.all, at),
            (Some(Moment::OfWriting(at)), Some(begun)) => Instant::elapsed(&begun) >= part(pace.writing, at),
            _ => false,
        };
        if due {
            child.kill().unwrap();
            return child.wait().unwrap().signal() == Some(9);
        }
        if child.try_wait().unwrap().is_some() {
            learn(&mut pace.all, start.elapsed());
            return false;
        }
        let there = fs::metadata(journal(database)).is_ok_and(|journal| journal.len() > 0);
        match begun {
            None if there => begun = Some(Instant::now()),
            Some(begun) if !there && !committed => {
                committed = true;
                learn(&mut pace.writing, begun.elapsed());
            }
            _ => {}
        }
        std::thread::sleep(Duration::from_micros(100));
    }
}

struct Workshop {
    sandbox: Sandbox,
    paces: BTreeMap<&'static str, Pace>,
}

impl Workshop {
    fn new(base: &Path) -> Self {
        let sandbox = Sandbox::new();
        for folder in ["db", "tmp"] {
            fs::create_dir(sandbox.path(folder)).unwrap();
        }
        fs::copy(base, sandbox.path("base.db")).unwrap();
        Self {
            sandbox,
            paces: BTreeMap::new(),
        }
    }

    fn begin(&self, line: &str) -> Child {
        let mut command = self.command(line);
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    }

    fn command(&self, line: &str) -> std::process::Command {
        let mut command = self.sandbox.command(line.split(' '));
        command.env("TMPDIR", self.sandbox.path("tmp"));
        command
    }

    /// Runs a command without interruption, returns its result, and measures its duration.
    fn undisturbed(&mut self, name: &'static str, line: &str) -> State {
        let database = self.sandbox.path("db/index.db");
        let mut pace = Pace::default();
        let mut states = Vec::new();
        for _ in 0..2 {
            fs::copy(self.sandbox.path("base.db"), &database).unwrap();
            let mut child = self.begin(line);
            assert!(!run(&mut child, &database, None, &mut pace));
            assert!(child.wait().unwrap().success(), "{line}");
            assert_eq!(names(&self.sandbox.path("db")), ["index.db"]);
            states.push(state(&database));
        }
        self.paces.insert(name, pace);
        assert_eq!(states[0], states[1], "{line}: two runs differ");
        states.swap_remove(0)
    }

    /// Kills a command and checks everything it left. Returns `None` if the command ended first.
    fn kill(&mut self, change: &Change, moment: Moment, old: &State) -> Option<Hit> {
        let (folder, database) = (self.sandbox.path("db"), self.sandbox.path("db/index.db"));
        fs::copy(self.sandbox.path("base.db"), &database).unwrap();
        let mut child = self.begin(&change.line);
        let pace = self.paces.get_mut(change.name).unwrap();
        if !run(&mut child, &database, Some(moment), pace) {
            assert!(child.wait().unwrap().success(), "{}", change.line);
            assert_eq!(state(&database), change.new, "{}", change.line);
            return None;
        }
        let (left, found, beside) = (names(&folder), state_of_copy(&database), Journal::of(&database));
        assert!(
            left == ["index.db"] || left == ["index.db", "index.db-journal"],
            "{}: {left:?}",
            change.line
        );
        let is_new = found == change.new;
        assert!(
            is_new || found == *old,
            "{}: neither the old nor the new state: {found:#?}",
            change.line
        );
        let hit = match (is_new, beside) {
            (false, Journal::None) => Hit::BeforeTheFirstWrite,
            (false, Journal::Begun) => Hit::WritingTheJournal,
            (false, Journal::Hot) => Hit::WritingTheDatabase,
            (true, Journal::None) => Hit::AfterTheCommit,
            (true, _) => Hit::CompactingAfterTheCommit,
        };
        // Who reads sees that state, and leaves all as it is.
        let before = fs::read(&database).unwrap();
        let checked = self.sandbox.finish(&mut self.command("index check db/index.db"));
        assert_eq!(
            (checked.status, checked.stdout.as_str()),
            (Some(0), "no findings\n"),
            "{hit:?} {}: {checked}",
            change.line
        );
        assert_eq!(names(&folder), left, "{hit:?}: reading changed the folder");
        assert!(
            fs::read(&database).unwrap() == before,
            "{hit:?}: reading changed the file"
        );

        let next = self.sandbox.finish(&mut self.command(&change.line));
        if is_new {
            let (code, word) = change.again;
            assert_eq!(next.status, Some(code), "{hit:?} {}: {next}", change.line);
            assert!(next.stderr.contains(word), "{hit:?} {}: {next}", change.line);
        } else {
            assert_eq!(next.status, Some(0), "{hit:?} {}: {next}", change.line);
        }
        if journal(&database).exists() && Journal::of(&database) != Journal::Hot {
            // Whoever changes nothing leaves a journal alone that says nothing.
            assert!(is_new, "{hit:?} {}: {:?}", change.line, names(&folder));
            let swept = self
                .sandbox
                .finish(&mut self.command("registry prune-stranded -d db/index.db"));
            assert_eq!(swept.status, Some(0), "{hit:?} {}: {swept}", change.line);
        }
        assert_eq!(
            names(&folder),
            ["index.db"],
            "{hit:?} {}: something is left",
            change.line
        );
        assert_eq!(
            names(&self.sandbox.path("tmp")),
            Vec::<String>::new(),
            "{hit:?} {}: something is left",
            change.line
        );
        assert_eq!(state(&database), change.new, "{hit:?} {}", change.line);
        assert_sound(&database);
        Some(hit)
    }
}

fn package(number: usize) -> String {
    format!("tool{number:02}")
}

/// The commands, with the bundles that they add in a folder.
fn changes(folder: &Path, workshop: &mut Workshop) -> Vec<Change> {
    let mut list = String::new();
    for number in 0..PACKAGES {
        for version in VERSIONS..VERSIONS + 3 {
            let release = Release {
                lines: 300,
                ..Release::new(&package(number), version)
            };
            let bundle = folder.join(release.name());
            release.write(&bundle);
            list.push_str(&format!("{}\n", bundle.display()));
        }
    }
    let bundles = folder.join("bundles.txt");
    fs::write(&bundles, list).unwrap();
    let bundles = bundles.display();
    let packages: Vec<_> = (0..8).map(package).collect();
    let packages = packages.join(",");
    let images = (0..PACKAGES).map(|number| Release::new(&package(number), VERSIONS - 3).image());
    let images = images.collect::<Vec<_>>().join(",");
    let mut change = |name, share, line: String, again| Change {
        new: workshop.undisturbed(name, &line),
        name,
        share,
        line,
        again,
    };
    vec![
        change(
            "add",
            2,
            format!("registry add --bundles-from {bundles} -d db/index.db"),
            (1, "is already in package"),
        ),
        change(
            "add --if-exists skip",
            2,
            format!("registry add --bundles-from {bundles} --if-exists skip -d db/index.db"),
            (0, "is already in the index"),
        ),
        change(
            "rm",
            4,
            format!("registry rm -o {packages} -d db/index.db"),
            (4, "has no package"),
        ),
        change(
            "deprecatetruncate",
            4,
            format!("registry deprecatetruncate -b {images} -d db/index.db"),
            (0, "deprecated bundle"),
        ),
    ]
}

#[test]
fn a_writer_killed_at_any_moment_leaves_the_old_state_or_the_new_one() {
    let start = Instant::now();
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().join("base.db");
    let all = (0..PACKAGES).flat_map(|number| {
        let package = package(number);
        Release::line_of(&package, VERSIONS).collect::<Vec<_>>()
    });
    bundles::add(all, &base);
    let old = state(&base);
    assert_eq!(old["operatorbundle"].0, 500);
    let mut first = Workshop::new(&base);
    let changes = changes(folder.path(), &mut first);
    assert_eq!(changes.iter().map(|change| change.share).sum::<usize>(), SHARES);
    let rounds = kills(KILLS).div_ceil(SHARES);
    let kills = rounds * SHARES;
    println!(
        "{} bytes; a run and its writing take {:?}",
        fs::metadata(&base).unwrap().len(),
        first.paces
    );
    let others = (1..WORKERS).map(|_| Workshop {
        paces: first.paces.clone(),
        ..Workshop::new(&base)
    });
    let others: Vec<_> = others.collect();

    let mut chance = Chance::new(SEED);
    let mut moments = Vec::new();
    for change in &changes {
        for number in 0..change.share * rounds {
            // A write is short, and half of the moments look for it.
            moments.push((change, number % 2 == 0, chance.thousandths()));
        }
    }
    let hits: Mutex<Vec<(&str, Hit)>> = Mutex::default();
    let missed = Mutex::new(0_usize);
    let chance = Mutex::new(chance);
    let moments = Mutex::new(moments);
    std::thread::scope(|scope| {
        for mut workshop in std::iter::once(first).chain(others) {
            let (hits, missed, chance, moments, old) = (&hits, &missed, &chance, &moments, &old);
            scope.spawn(move || {
                loop {
                    let Some((change, of_writing, at)) = moments.lock().unwrap().pop() else {
                        return;
                    };
                    let moment = if of_writing {
                        Moment::OfWriting(at)
                    } else {
                        Moment::OfAll(at)
                    };
                    if let Some(hit) = workshop.kill(change, moment, old) {
                        hits.lock().unwrap().push((change.name, hit));
                        continue;
                    }
                    // It was faster than the ones before: another moment is drawn for it.
                    let mut missed = missed.lock().unwrap();
                    *missed += 1;
                    assert!(*missed < kills, "processes end before they can be killed");
                    let again = chance.lock().unwrap().thousandths();
                    moments.lock().unwrap().push((change, of_writing, again));
                }
            });
        }
    });

    let hits = hits.into_inner().unwrap();
    assert_eq!(hits.len(), kills);
    let mut distribution: BTreeMap<(&str, Hit), usize> = BTreeMap::new();
    for hit in &hits {
        *distribution.entry(*hit).or_default() += 1;
    }
    for ((name, hit), count) in &distribution {
        println!("{name}: {count} {hit:?}");
    }
    let inside = hits.iter().filter(|(_, hit)| hit.inside()).count();
    println!(
        "{inside} of {kills} processes were killed between the first write and the commit; {} ended before their moment; {:?}",
        missed.into_inner().unwrap(),
        start.elapsed()
    );
    assert!(
        inside * 5 >= kills,
        "only {inside} of {kills} between the first write and the commit"
    );
    for change in &changes {
        let inside = distribution
            .iter()
            .filter(|((name, hit), _)| *name == change.name && hit.inside());
        assert!(inside.count() > 0, "{} was never killed while it wrote", change.name);
    }
}
