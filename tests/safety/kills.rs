//! A command killed at any moment or before any of its system calls leaves the old state or the new one. Repeating the
//! command then gives the new state and leaves nothing else.
//!
//! `OPMX_KILLS=10000` kills more often than by default.

use crate::chance::Chance;
use crate::tools::installed;
use crate::workshop::{State, View, Workshop};
use crate::writing::{ALL, Unit, WITH_A_REGISTRY, Writing};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::Duration;

const KILLS: usize = 216;
const SEED: u64 = 15;
const WORKERS: usize = 2;
/// System calls with visible effects; those marked with a question mark do not exist on every processor.
const CALLS: &str = "write,pwrite64,fsync,fdatasync,syncfs,?rename,?renameat,renameat2,?link,linkat,?unlink,unlinkat,\
    ?mkdir,mkdirat,?rmdir,ftruncate,?chmod,fchmod,fchmodat,sendto,sendmsg,writev";
/// Traces all threads of a process.
const STRACE: [&str; 3] = ["strace", "-f", "-qq"];

/// Where a process is killed.
#[derive(Debug, Clone)]
enum Moment {
    /// After this fraction of its duration.
    Time(u32),
    /// Before the nth call of this name in its thread.
    Call(String, usize),
}

/// The number of kills that `OPMX_KILLS` sets, or the default.
pub(crate) fn kills(default: usize) -> usize {
    std::env::var("OPMX_KILLS").map_or(default, |kills| kills.parse().unwrap())
}

/// Returns whether system calls can be counted and stopped here.
pub(crate) fn can_trace() -> bool {
    if !installed(&STRACE[..1]) {
        return false;
    }
    let traced = Command::new(STRACE[0])
        .args(&STRACE[1..])
        .args(["-o", "/dev/null", "true"])
        .stderr(Stdio::null())
        .status();
    traced.is_ok_and(|status| status.success())
}

/// The system calls of an undisturbed command: the maximum number of each in one thread.
fn calls(workshop: &Workshop, writing: &Writing) -> BTreeMap<String, usize> {
    let log = workshop.sandbox.path("calls.txt");
    workshop.fresh(writing);
    let trace = format!("trace={CALLS}");
    let program = [&STRACE[..], &["-o", log.to_str().unwrap(), "-e", &trace]].concat();
    let traced = workshop.sandbox.finish(&mut workshop.command(&program, writing.line));
    assert_eq!(traced.status, Some(0), "{}: {traced}", writing.name());
    let mut threads: BTreeMap<(String, String), usize> = BTreeMap::new();
    for line in fs::read_to_string(&log).unwrap().lines() {
        let (thread, call) = line.split_once(' ').unwrap();
        if let Some((call, _)) = call.trim_start().split_once('(') {
            *threads.entry((call.to_owned(), thread.to_owned())).or_default() += 1;
        }
    }
    fs::remove_file(log).unwrap();
    let mut most = BTreeMap::new();
    for ((call, _), count) in threads {
        let known: &mut usize = most.entry(call).or_default();
        *known = count.max(*known);
    }
    most
}

/// Runs a command up to the moment, and returns whether it was killed then.
fn kill(workshop: &Workshop, writing: &Writing, moment: &Moment, pace: Duration) -> bool {
    let quiet = |mut command: Command| command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let status = match moment {
        Moment::Time(thousandths) => {
            let mut child = quiet(workshop.command(&[], writing.line));
            std::thread::sleep(pace * *thousandths / 1000);
            child.kill().unwrap();
            child.wait().unwrap()
        }
        Moment::Call(call, number) => {
            let (trace, inject) = (
                format!("trace={call}"),
                format!("inject={call}:signal=KILL:when={number}"),
            );
            let program = [&STRACE[..], &["-o", "/dev/null", "-e", &trace, "-e", &inject]].concat();
            quiet(workshop.command(&program, writing.line)).wait().unwrap()
        }
    };
    status.signal() == Some(9)
}

/// Checks everything that a killed command left, and repeats the command.
fn check(workshop: &Workshop, writing: &Writing, old: &View, new: &View, moment: &Moment) -> State {
    let of = format!("{}, killed at {moment:?}", writing.name());
    let view = workshop.view(writing);
    let state = view.which(old, new, writing.unit);
    let state = state.unwrap_or_else(|| panic!("{of}: neither old nor new: {view:#?}\nold: {old:#?}\nnew: {new:#?}"));
    let next = workshop.run(writing.line);
    let expected = match state {
        State::Old | State::Between => 0,
        State::New | State::Pending => writing.again,
    };
    // A registry may have done meanwhile what the killed process asked of it.
    let is_late = writing.unit == Unit::Tags && next.status == Some(writing.again);
    assert!(next.status == Some(expected) || is_late, "{of}, {state:?}: {next}");
    workshop.assert_tidy(writing, &format!("{of}, {state:?}, and run again"));
    assert_eq!(workshop.view(writing), *new, "{of}, {state:?}, and run again");
    state
}

#[test]
fn a_killed_command_leaves_the_old_state_or_the_new_one_and_can_be_repeated() {
    let kills = kills(KILLS);
    let pushes = if installed(&["docker-registry"]) {
        WITH_A_REGISTRY
    } else {
        &[]
    };
    let commands = ALL.len() + pushes.len();
    let share = kills.div_ceil(commands);
    let traces = can_trace();
    if !traces {
        println!("no system calls are stopped: strace does not run here");
    }
    let results: Mutex<BTreeMap<State, usize>> = Mutex::default();
    let work = |workshop: &Workshop, number: usize, writing: &Writing| {
        let chance = Chance::new(SEED + u64::try_from(number).unwrap());
        let states = series(workshop, writing, share, traces, chance);
        println!("{}: {states:?}", writing.name());
        let mut results = results.lock().unwrap();
        for (state, count) in states {
            *results.entry(state).or_default() += count;
        }
    };
    let waiting = Mutex::new(ALL.iter().enumerate());
    let next = || waiting.lock().unwrap().next();
    std::thread::scope(|scope| {
        // Whoever moves a tag waits for most of the time.
        for (number, writing) in pushes.iter().enumerate() {
            let work = &work;
            scope.spawn(move || work(&Workshop::with_a_registry(), ALL.len() + number, writing));
        }
        for _ in 0..WORKERS {
            scope.spawn(|| {
                let workshop = Workshop::new();
                while let Some((number, writing)) = next() {
                    work(&workshop, number, writing);
                }
            });
        }
    });
    let results = results.into_inner().unwrap();
    let count = |state: State| results.get(&state).copied().unwrap_or_default();
    println!(
        "{} kills of {} commands: {} left the old state, {} the new one, {} a new one to be finished, {} new files and the old image",
        results.values().sum::<usize>(),
        commands,
        count(State::Old),
        count(State::New),
        count(State::Pending),
        count(State::Between),
    );
    assert_eq!(results.values().sum::<usize>(), share * commands);
    if traces {
        assert!(count(State::Pending) > 0, "no change of a folder was interrupted");
    }
}

/// Kills one command repeatedly, alternating between a moment and a system call, and counts the outcomes.
fn series(
    workshop: &Workshop,
    writing: &Writing,
    share: usize,
    traces: bool,
    mut chance: Chance,
) -> BTreeMap<State, usize> {
    let (old, new, mut pace) = workshop.undisturbed(writing);
    let calls: Vec<_> = if traces {
        calls(workshop, writing).into_iter().collect()
    } else {
        Vec::new()
    };
    let (mut states, mut done, mut missed) = (BTreeMap::new(), 0, 0);
    while done < share {
        let moment = if calls.is_empty() || done % 4 == 3 {
            Moment::Time(chance.thousandths())
        } else {
            let (call, count) = &calls[chance.below(calls.len())];
            Moment::Call(call.clone(), 1 + chance.below(*count))
        };
        workshop.fresh(writing);
        if kill(workshop, writing, &moment, pace) {
            let state = check(workshop, writing, &old, &new, &moment);
            *states.entry(state).or_default() += 1;
            done += 1;
        } else {
            // It was faster than the one before.
            missed += 1;
            pace = pace * 9 / 10;
            assert!(
                missed < 50 + share,
                "{}: it ends before it can be killed",
                writing.name()
            );
        }
    }
    states
}

#[test]
fn a_site_interrupted_at_any_move_or_removal_is_completed_by_the_next_run() {
    if !can_trace() {
        println!("no system calls are stopped: strace does not run here");
        return;
    }
    let workshop = Workshop::new();
    let replaces_a_site = |writing: &&Writing| writing.line.starts_with("index page") && !writing.before.is_empty();
    let writing = ALL.iter().find(replaces_a_site).unwrap();
    let (old, new, pace) = workshop.undisturbed(writing);
    let mut kills = 0;
    for (call, count) in calls(&workshop, writing) {
        if !["rename", "rmdir", "unlink"].iter().any(|kind| call.starts_with(kind)) {
            continue;
        }
        for number in 1..=count {
            let moment = Moment::Call(call.clone(), number);
            workshop.fresh(writing);
            if kill(&workshop, writing, &moment, pace) {
                check(&workshop, writing, &old, &new, &moment);
                kills += 1;
            }
        }
    }
    assert!(kills > 0, "nothing was killed");
}
