//! The program as a drop-in replacement for opm: the options that are accepted only for compatibility, the help in
//! opm's arrangement, and the unsupported commands.

use crate::cli::error::{CommandError, CommandResult};
use clap::{Arg, ArgAction, Args, Command};
use std::ffi::OsString;

/// The commands of opm, each with its parent commands.
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

/// The options that opm accepts with every command.
const EVERYWHERE: [&str; 3] = ["use-http", "skip-tls-verify", "skip-tls"];

/// Returns the definition of the command line with the options that opm accepts with every command, even where they
/// have no effect.
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

/// Returns the definition of the command line with help like opm's, which lists only the commands of opm, sorted by
/// name. All other commands also work.
pub(crate) fn arranged(command: Command) -> Command {
    let shown = each(command, "", &|command, path| {
        command.hide(!COMMANDS.contains(&path)).display_order(0)
    });
    shown.after_help(
        "This is opmx, called as opm. It accepts every command line of opm, and has more commands; see opmx --help.",
    )
}

/// Applies `change` to all direct and indirect subcommands of `command`, with their paths below the top-level command.
fn each(command: Command, above: &str, change: &dyn Fn(Command, &str) -> Command) -> Command {
    command.mut_subcommands(|below| {
        let path = format!("{above} {}", below.get_name());
        let path = path.trim_start();
        change(each(below, path, change), path)
    })
}

/// The arguments of an unsupported command, which are ignored.
#[derive(Debug, Args)]
pub(crate) struct Refused {
    /// No effect
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    words: Vec<OsString>,
}

/// Returns the error for an unsupported command of opm, with the reason and an alternative.
pub(crate) fn refuse(command: &str, why: &str, instead: &str) -> CommandResult {
    Err(CommandError::failure(format!("{command} is not supported: {why}")).hint(instead))
}
