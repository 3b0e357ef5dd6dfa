//! `opmx completion`: the completion script for a shell.

use crate::cli::error::{CommandResult, Status};
use crate::cli::{Context, command};
use clap::Args;
use clap_complete::Shell;

const EXAMPLES: &str = "\
Examples:
  bash: for the current user, starting with the next shell
  $ opmx completion bash > ~/.local/share/bash-completion/completions/opmx

  zsh: into a folder in $fpath
  $ opmx completion zsh > /usr/local/share/zsh/site-functions/_opmx

  fish
  $ opmx completion fish > ~/.config/fish/completions/opmx.fish";

/// Print the completion script for a shell
///
/// The script completes commands, options and their values. Its location depends on the shell; the examples show the
/// usual locations.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct CompletionArguments {
    /// Shell to generate the script for
    #[arg(value_enum)]
    shell: Shell,
    /// Not needed: opm's scripts can omit the descriptions
    #[arg(long, hide = true)]
    no_descriptions: bool,
}

pub(crate) fn run(name: &'static str, arguments: &CompletionArguments, context: &Context<'_>) -> CommandResult {
    let mut script = Vec::new();
    let mut offered = offered(&command(name), name);
    clap_complete::generate(arguments.shell, &mut offered, name, &mut script);
    context.printer.written(&String::from_utf8_lossy(&script))?;
    Ok(Status::Success)
}

/// Returns a command without its hidden parts, such as options that are accepted only for old pipelines. The generators
/// would otherwise offer the hidden parts.
fn offered(command: &clap::Command, name: &'static str) -> clap::Command {
    let arguments = command.get_arguments().filter(|argument| !argument.is_hide_set());
    let commands = command.get_subcommands().filter(|below| !below.is_hide_set());
    clap::Command::new(name)
        .about(command.get_about().cloned().unwrap_or_default())
        .version(env!("CARGO_PKG_VERSION"))
        .disable_version_flag(command.get_version().is_none())
        .args(arguments.cloned())
        .subcommands(commands.map(|below| {
            // Names must be `'static`. The leak is harmless because the program ends after printing the script.
            offered(below, Box::leak(below.get_name().to_owned().into_boxed_str()))
        }))
}
