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
    clap_complete::generate(arguments.shell, &mut command(name), name, &mut script);
    context.printer.bytes(&script)?;
    Ok(Status::Success)
}
