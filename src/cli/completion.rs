//! `opmx completion`: the completion script of a shell.

use crate::cli::error::{CommandResult, Status};
use crate::cli::{Context, command};
use clap::Args;
use clap_complete::Shell;

const EXAMPLES: &str = "\
Examples:
  bash: for you, from the next shell on
  $ opmx completion bash > ~/.local/share/bash-completion/completions/opmx

  zsh: into a folder of $fpath
  $ opmx completion zsh > /usr/local/share/zsh/site-functions/_opmx

  fish
  $ opmx completion fish > ~/.config/fish/completions/opmx.fish";

/// Print the completion script of a shell
///
/// The script completes commands, options and their values. Where the shell looks for it is the shell's affair; the
/// examples show the usual places.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct CompletionArguments {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

pub(crate) fn run(name: &'static str, arguments: &CompletionArguments, context: &Context<'_>) -> CommandResult {
    let mut script = Vec::new();
    let mut offered = offered(&command(name), name);
    clap_complete::generate(arguments.shell, &mut offered, name, &mut script);
    context.printer.written(&String::from_utf8_lossy(&script))?;
    Ok(Status::Success)
}

/// What a shell should offer of a command. The generators would offer also what the help does not show, such as the
/// options that are only taken for the sake of old pipelines.
fn offered(command: &clap::Command, name: &'static str) -> clap::Command {
    let arguments = command.get_arguments().filter(|argument| !argument.is_hide_set());
    let commands = command.get_subcommands().filter(|below| !below.is_hide_set());
    clap::Command::new(name)
        .about(command.get_about().cloned().unwrap_or_default())
        .version(env!("CARGO_PKG_VERSION"))
        .disable_version_flag(command.get_version().is_none())
        .args(arguments.cloned())
        .subcommands(commands.map(|below| {
            // Names must live for as long as the program, which ends when the script is printed.
            offered(below, Box::leak(below.get_name().to_owned().into_boxed_str()))
        }))
}
