//! The examples at the end of each help text. A line that begins with `$` is a command, the line above says what for.

pub(crate) const ROOT: &str = "\
Examples:
  Complete words in this shell
  $ source <(opmx completion bash)

  Install the manual
  $ opmx man ~/.local/share/man/man1

Exit status:
  0  the command did what it was asked to
  1  it could not, or found errors
  2  the command line is wrong; nothing was done";

pub(crate) const COMPLETION: &str = "\
Examples:
  bash: for you, from the next shell on
  $ opmx completion bash > ~/.local/share/bash-completion/completions/opmx

  zsh: into a folder of $fpath
  $ opmx completion zsh > /usr/local/share/zsh/site-functions/_opmx

  fish
  $ opmx completion fish > ~/.config/fish/completions/opmx.fish";

pub(crate) const MAN: &str = "\
Examples:
  Install the manual for yourself, and read it
  $ opmx man ~/.local/share/man/man1
  $ man opmx-completion";
