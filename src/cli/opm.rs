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
/// have no effect. If an option of opm's commands is repeated, the last value counts.
pub(crate) fn accepting(command: Command) -> Command {
    each(command.mut_args(last_counts), "", &|command, path| {
        if !COMMANDS.contains(&path) {
            return command;
        }
        let taken = |long: &str| command.get_arguments().any(|argument| has_long(argument, long));
        let missing: Vec<Arg> = EVERYWHERE
            .into_iter()
            .filter(|long| !taken(long))
            .map(|long| Arg::new(long).long(long).hide(true).action(ArgAction::SetTrue))
            .collect();
        command.args(missing).mut_args(last_counts)
    })
}

fn last_counts(argument: Arg) -> Arg {
    match argument.get_action() {
        ArgAction::Set | ArgAction::SetTrue if !argument.is_positional() => {
            let own = argument.get_id().clone();
            argument.overrides_with(own)
        }
        _ => argument,
    }
}

fn has_long(argument: &Arg, long: &str) -> bool {
    let aliases = argument.get_all_aliases().unwrap_or_default();
    argument.get_long() == Some(long) || aliases.contains(&long)
}

/// Returns the words of a command line as clap reads them. opm also accepts a value with each flag, such as
/// `--permissive=false`, and accepts the options for every command before the names of the subcommands.
pub(crate) fn in_words_of_clap(definition: &Command, words: &[OsString]) -> Vec<OsString> {
    let end = words.iter().position(|word| word == "--").unwrap_or(words.len());
    let (words, rest) = words.split_at(end);
    let mut command = definition;
    // The words up to the last subcommand, the options for every command that precede it, and the words after it.
    let (mut above, mut everywhere, mut below) = (Vec::new(), Vec::new(), Vec::new());
    for word in words {
        let Some(text) = word.to_str() else {
            below.push(word.clone());
            continue;
        };
        if let Some(subcommand) = command.find_subcommand(text) {
            command = subcommand;
            above.append(&mut below);
            above.push(word.clone());
            continue;
        }
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name, truth(value)),
            None => (text, Some(true)),
        };
        let is_everywhere = name.strip_prefix("--").is_some_and(|long| EVERYWHERE.contains(&long));
        let mut known = command.get_arguments().chain(definition.get_arguments());
        let Some(is_set) = value.filter(|_| is_everywhere || known.any(|argument| is_flag(argument, name))) else {
            below.push(word.clone());
            continue;
        };
        for words in [&mut above, &mut everywhere, &mut below] {
            words.retain(|word| word != name);
        }
        if is_set {
            let place = if is_everywhere && command.has_subcommands() {
                &mut everywhere
            } else {
                &mut below
            };
            place.push(name.into());
        }
    }
    [above, everywhere, below, rest.to_vec()].concat()
}

/// Whether `name`, with its dashes, names this argument, and the argument is a flag.
fn is_flag(argument: &Arg, name: &str) -> bool {
    let is_named = match name.strip_prefix("--") {
        Some(long) => has_long(argument, long),
        None => argument.get_short().is_some_and(|short| name == format!("-{short}")),
    };
    is_named && matches!(argument.get_action(), ArgAction::SetTrue)
}

/// Returns the value of a flag, in the spellings that Go reads.
fn truth(value: &str) -> Option<bool> {
    match value {
        "1" | "t" | "T" | "true" | "TRUE" | "True" => Some(true),
        "0" | "f" | "F" | "false" | "FALSE" | "False" => Some(false),
        _ => None,
    }
}

/// Returns the definition of the command line with help like opm's, which lists only the commands of opm, sorted by
/// name. All other commands also work.
pub(crate) fn arranged(command: Command) -> Command {
    let shown = each(command, "", &|command, path| {
        command.hide(!COMMANDS.contains(&path)).display_order(0)
    });
    shown.after_help(
        "This is opmx, running as opm. It accepts the command lines of opm, and has more commands; see opmx --help.",
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

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> String {
        let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        let words = in_words_of_clap(&crate::cli::parser("opm"), &words);
        words.join(" ".as_ref()).into_string().unwrap()
    }

    #[test]
    fn a_flag_accepts_a_boolean_value() {
        for value in ["1", "t", "T", "true", "TRUE", "True"] {
            assert_eq!(
                read(&format!("registry add -b a --permissive={value}")),
                "registry add -b a --permissive"
            );
        }
        for value in ["0", "f", "F", "false", "FALSE", "False"] {
            assert_eq!(
                read(&format!("registry add --permissive={value} -b a")),
                "registry add -b a"
            );
        }
        assert_eq!(read("--debug=false render x -q=1"), "render x -q");
        for line in [
            "registry add --permissive=maybe",
            "registry add --database=true",
            "render --permissive=true",
            "render -- --debug=true",
        ] {
            assert_eq!(read(line), line);
        }
    }

    #[test]
    fn the_last_value_of_a_flag_wins() {
        assert_eq!(
            read("registry add --permissive --permissive=false -b a"),
            "registry add -b a"
        );
        assert_eq!(
            read("registry add --permissive=false --permissive -b a"),
            "registry add --permissive -b a"
        );
        assert_eq!(read("--use-http index --use-http=false add -b a"), "index add -b a");
    }

    #[test]
    fn global_options_reach_the_command() {
        assert_eq!(read("--use-http render x"), "render --use-http x");
        assert_eq!(
            read("--color never index --skip-tls=true add -b a"),
            "--color never index add --skip-tls -b a"
        );
        assert_eq!(
            read("index --use-http list packages x"),
            "index list packages --use-http x"
        );
        assert_eq!(
            read("alpha --use-http bundle generate -d x"),
            "alpha bundle generate --use-http -d x"
        );
    }
}
