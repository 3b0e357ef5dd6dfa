//! The program as a drop-in for opm: what it accepts for that alone, how its help is arranged when it is called by that
//! name, and the commands that it has to refuse.

use crate::cli::error::{CommandError, CommandResult};
use clap::{Arg, ArgAction, Args, Command};
use std::ffi::OsString;

/// The commands of opm, each after those that it stands below.
const COMMANDS: [&str; 41] = [
    "alpha",
    "alpha bundle",
    "alpha bundle build",
    "alpha bundle extract",
    "alpha bundle generate",
    "alpha bundle unpack",
    "alpha bundle validate",
    "alpha convert-template",
    "alpha convert-template basic",
    "alpha convert-template substitutes",
    "alpha list",
    "alpha list bundles",
    "alpha list channels",
    "alpha list packages",
    "alpha render-graph",
    "alpha render-template",
    "completion",
    "generate",
    "generate dockerfile",
    "help",
    "index",
    "index add",
    "index deprecatetruncate",
    "index export",
    "index prune",
    "index prune-stranded",
    "index rm",
    "init",
    "migrate",
    "registry",
    "registry add",
    "registry deprecatetruncate",
    "registry mirror",
    "registry prune",
    "registry prune-stranded",
    "registry rm",
    "registry serve",
    "render",
    "serve",
    "validate",
    "version",
];

/// The options that opm takes with each of its commands.
const EVERYWHERE: [&str; 3] = ["use-http", "skip-tls-verify", "skip-tls"];

/// The definition of the command line with the options that opm takes with every command, also where they mean nothing.
pub(crate) fn accepting(command: Command) -> Command {
    each(command, "", &|command, path| {
        if !COMMANDS.contains(&path) {
            return command;
        }
        let taken = |long: &str| {
            let mut arguments = command.get_arguments();
            arguments.any(|argument| {
                let aliases = argument.get_all_aliases().unwrap_or_default();
                argument.get_long() == Some(long) || aliases.contains(&long)
            })
        };
        let missing: Vec<Arg> = EVERYWHERE
            .into_iter()
            .filter(|long| !taken(long))
            .map(|long| Arg::new(long).long(long).hide(true).action(ArgAction::SetTrue))
            .collect();
        command.args(missing)
    })
}

/// The definition of the command line with a help like that of opm: its commands, by name. The others work, too.
pub(crate) fn arranged(command: Command) -> Command {
    let shown = each(command, "", &|command, path| {
        command.hide(!COMMANDS.contains(&path)).display_order(0)
    });
    shown.after_help(
        "This is opmx, called as opm. It takes every command line of opm, and has more commands: see opmx --help.",
    )
}

/// The command with every command below it changed; each with its path below the first one.
fn each(command: Command, above: &str, change: &dyn Fn(Command, &str) -> Command) -> Command {
    command.mut_subcommands(|below| {
        let path = format!("{above} {}", below.get_name());
        let path = path.trim_start();
        change(each(below, path, change), path)
    })
}

/// What stands behind a command that is refused whatever it is.
#[derive(Debug, Args)]
pub(crate) struct Refused {
    /// Of no effect
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    words: Vec<OsString>,
}

/// Says why a command of opm is not done, and what to do instead.
pub(crate) fn refuse(command: &str, why: &str, instead: &str) -> CommandResult {
    Err(CommandError::failure(format!("{command} is not to be had: {why}")).hint(instead))
}
