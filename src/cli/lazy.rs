//! Arguments that are defined only if their command is used. Defining the arguments of all commands takes most of the
//! time of a short command.

use crate::cli::values::with_negative_numbers;
use clap::error::Error;
use clap::{ArgMatches, Args, Command, FromArgMatches, Id};
use std::cell::Cell;
use std::ops::Deref;

thread_local! {
    static IS_DEFERRED: Cell<bool> = const { Cell::new(false) };
}

/// Calls `parse`. Meanwhile, the arguments of each command are defined when the command is parsed. The definition of
/// the command line then lacks the arguments and help texts of all other commands.
pub(super) fn deferred<T>(parse: impl FnOnce() -> T) -> T {
    IS_DEFERRED.set(true);
    let parsed = parse();
    IS_DEFERRED.set(false);
    parsed
}

/// The arguments of a command.
#[derive(Debug)]
pub(super) struct Lazy<A>(Box<A>);

impl<A> Deref for Lazy<A> {
    type Target = A;

    fn deref(&self) -> &A {
        &self.0
    }
}

fn defined<A: Args>(command: Command) -> Command {
    with_negative_numbers(A::augment_args(command))
}

impl<A: Args> Args for Lazy<A> {
    fn group_id() -> Option<Id> {
        A::group_id()
    }

    fn augment_args(command: Command) -> Command {
        if IS_DEFERRED.get() {
            command.defer(defined::<A>)
        } else {
            defined::<A>(command)
        }
    }

    fn augment_args_for_update(command: Command) -> Command {
        A::augment_args_for_update(command)
    }
}

impl<A: FromArgMatches> FromArgMatches for Lazy<A> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        A::from_arg_matches(matches).map(|arguments| Self(Box::new(arguments)))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        self.0.update_from_arg_matches(matches)
    }
}
