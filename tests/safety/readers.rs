//! Readers of a database that is changed concurrently.

use crate::bundles::{self, Release};
use crate::common::Sandbox;
use std::collections::BTreeSet;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

#[test]
fn readers_see_the_old_state_or_the_new_one_during_a_write() {
    let sandbox = Sandbox::new();
    let database = sandbox.path("index.db");
    let releases = ["tool0", "tool1"].into_iter().flat_map(|package| {
        // Long enough that the writer's cache does not hold the change.
        Release::line_of(package, 3).map(|release| Release { lines: 3000, ..release })
    });
    bundles::add(releases, &database);
    let release = Release::new("tool2", 0);
    release.write(&sandbox.path("new"));
    let change = |with: bool| {
        let line = if with {
            "registry add -b new -d index.db"
        } else {
            "registry rm -o tool2 -d index.db"
        };
        let outcome = sandbox.run(line.split(' '));
        assert_eq!(outcome.status, Some(0), "{line}: {outcome}");
    };
    let read = || {
        let outcome = sandbox.run(["index", "list", "bundles", "index.db"]);
        assert_eq!((outcome.status, outcome.stderr.as_str()), (Some(0), ""), "{outcome}");
        outcome.stdout
    };
    let without = read();
    change(true);
    let states = BTreeSet::from([without, read()]);
    assert_eq!(states.len(), 2);

    let (done, reads) = (AtomicBool::new(false), AtomicUsize::new(0));
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    let state = read();
                    assert!(states.contains(&state), "{state}");
                    reads.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        let began = Instant::now();
        let mut changes = 0;
        while began.elapsed() < Duration::from_secs(3) {
            change(changes % 2 == 1);
            changes += 1;
        }
        done.store(true, Ordering::Relaxed);
        println!("{changes} changes");
    });
    println!("{} reads", reads.into_inner());
    let left: Vec<_> = std::fs::read_dir(sandbox.path("")).unwrap().collect();
    assert_eq!(left.len(), 2, "{left:?}");
}

#[test]
fn a_blocked_reader_does_not_block_a_writer() {
    const PIPE: u64 = 1 << 16;
    let sandbox = Sandbox::new();
    // Long enough that no result fits into a pipe.
    bundles::add(Release::line_of(&"tool".repeat(15), 200), &sandbox.path("index.db"));
    for (number, line) in [
        "index list bundles index.db",
        "index list bundles index.db -o json",
        "render index.db",
    ]
    .into_iter()
    .enumerate()
    {
        let mut reader = sandbox.command(line.split(' '));
        let mut reader = reader.stdout(Stdio::piped()).spawn().unwrap();
        let pipe = reader.stdout.take().unwrap();
        while rustix::io::ioctl_fionread(&pipe).unwrap() < PIPE {
            assert!(
                reader.try_wait().unwrap().is_none(),
                "{line}: its result fits into a pipe"
            );
            thread::sleep(Duration::from_millis(5));
        }
        Release::new(&format!("new{number}"), 0).write(&sandbox.path("new"));
        let outcome = sandbox.run(["registry", "add", "-q", "-b", "new", "-d", "index.db"]);
        assert_eq!(outcome.status, Some(0), "{line}: {outcome}");
        drop(pipe);
        reader.wait().unwrap();
    }
}
