//! What the user types: one file for each command, from its flags over one call into the modules below to what is
//! printed.
//!
//! [`command`] is the one definition that parsing, `--help`, the shell completions and the man pages come from.

// Doc comments on arguments are the help text, where backticks would be printed.
#![allow(clippy::doc_markdown)]
// A command line is parsed once, so the size of its parts does not matter.
#![allow(clippy::large_enum_variant)]

pub mod arguments;
pub mod error;
pub mod example;
pub mod size;

mod additions;
mod alpha;
mod api_sources;
mod bundle;
mod catalog;
mod catalog_output;
mod completion;
mod environment;
mod following;
mod generate;
mod guesses;
pub mod hint;
mod index;
mod init;
mod input;
mod man;
mod migrate;
mod operator;
mod opm;
mod permissions;
mod plan;
mod policy;
mod probe;
mod promotion;
mod registry;
mod removals;
mod render;
mod requests;
mod resolve;
mod serve;
mod serving;
mod sources;
pub mod start;
mod strictness;
mod upgrade_check;
mod validate;
mod version;
mod what_if;

pub use probe::run as probe;

use crate::cli::error::CommandResult;
use crate::cli::serving::ServingArguments;
use crate::cli::start::StartError;
use crate::terminal::output::{ColorChoice, Settings};
use crate::terminal::stdout::Stdout;
use crate::terminal::{Printer, log};
use clap::{ArgAction, Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use std::ffi::OsString;
use std::process::ExitCode;
use tokio::runtime::Runtime;

const EXAMPLES: &str = "\
Examples:
  From raw manifests to an index that OLM can read
  $ opmx bundle init etcd --from deploy/ --package etcd --version 0.9.4
  $ opmx bundle build etcd -t registry.example.com/etcd-bundle:v0.9.4
  $ opmx index add -b registry.example.com/etcd-bundle:v0.9.4 -t registry.example.com/index:v1
  $ opmx index list bundles registry.example.com/index:v1

  Complete words in this shell
  $ source <(opmx completion bash)

  Install the manual
  $ opmx man ~/.local/share/man/man1

Exit status:
  0  the command did what it was asked to
  1  it could not, or found errors
  2  the command line is wrong; nothing was done
  3  the answer is no, as where an upgrade asks for more permissions
  4  what was named does not exist, as the registry, the file system or the index says";

/// Builds, inspects, indexes and serves operator bundles, from plain Kubernetes manifests and with no container daemon.
#[derive(Debug, Parser)]
#[command(
    name = "opmx",
    version,
    max_term_width = 100,
    after_help = EXAMPLES,
    subcommand_required = true,
    arg_required_else_help = true
)]
struct Cli {
    #[command(flatten)]
    global: GlobalArguments,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Global options")]
struct GlobalArguments {
    /// Log the steps to standard error; -vv adds details, -vvv those of the HTTP libraries
    #[arg(short, long, global = true, action = ArgAction::Count)]
    verbose: u8,
    /// What opm calls -vv
    #[arg(long, global = true, hide = true)]
    debug: bool,
    /// Print no progress, remarks or warnings; errors stay
    #[arg(short, long, global = true)]
    quiet: bool,
    /// When to use colour: auto, always or never; auto is on a terminal, unless NO_COLOR is set
    #[arg(
        long,
        global = true,
        value_enum,
        value_name = "WHEN",
        default_value_t,
        hide_possible_values = true
    )]
    color: ColorChoice,
}

#[derive(Debug, Subcommand)]
enum Command {
    Bundle(Box<bundle::BundleArguments>),
    Catalog(catalog::CatalogArguments),
    Index(index::IndexArguments),
    Registry(registry::RegistryCommandArguments),
    Resolve(Box<resolve::ResolveArguments>),
    Serve(serve::ServeArguments),
    Render(render::RenderArguments),
    Migrate(migrate::MigrateArguments),
    Validate(validate::ValidateArguments),
    Init(init::InitArguments),
    Generate(generate::GenerateArguments),
    Plan(plan::PlanArguments),
    Permissions(permissions::PermissionsArguments),
    UpgradeCheck(upgrade_check::UpgradeCheckArguments),
    Operator(Box<operator::OperatorArguments>),
    Alpha(alpha::AlphaArguments),
    Completion(completion::CompletionArguments),
    Man(man::ManArguments),
    #[command(hide = true)]
    Version(version::VersionArguments),
}

impl Command {
    /// The arguments of a server, where the command is one.
    fn serving(&self) -> Option<&ServingArguments> {
        match self {
            Self::Serve(arguments) => Some(arguments.serving()),
            Self::Registry(arguments) => arguments.serving(),
            _ => None,
        }
    }
}

/// What the threads of the process are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// One command, which comes to its end by itself.
    Command,
    /// Answers to many clients.
    Server,
}

/// Starts the one runtime of the process.
pub type Start = fn(Work) -> Result<Runtime, StartError>;

/// What the process gives to whatever it runs.
#[derive(Debug, Clone, Copy)]
pub struct Process {
    /// Starts the runtime.
    pub start: Start,
    /// Whether it was started without a standard output.
    pub stdout_is_closed: bool,
}

/// What a command works with besides its own arguments.
pub struct Context<'a> {
    /// The streams, and the progress bars.
    pub printer: Printer,
    /// The one runtime of the process. A command that talks to a registry or serves blocks on it once.
    pub runtime: &'a Runtime,
}

/// The definition of the whole command line. `name` is what the program was called as: `opmx`, or `opm` as a drop-in,
/// whose help is arranged like that of opm.
pub fn command(name: &'static str) -> clap::Command {
    let command = Cli::command().name(name).bin_name(name);
    if name == "opm" { opm::arranged(command) } else { command }
}

/// What takes a command line apart, without the name of the program in front. It takes all options of opm, also where
/// they mean nothing.
pub fn parser(name: &'static str) -> clap::Command {
    opm::accepting(command(name)).no_binary_name(true)
}

/// Runs the command in `arguments`, which do not include the name of the program, and prints what it has to say.
/// The exit codes are those of [`error`].
pub fn run(name: &'static str, arguments: Vec<OsString>, process: Process) -> ExitCode {
    let color = color_of(&arguments);
    let stdout = Stdout::new(process.stdout_is_closed);
    let parsed = parser(name)
        .try_get_matches_from(arguments)
        .and_then(|matches| Cli::from_arg_matches(&matches));
    match parsed {
        Err(answer) => {
            let settings = Settings { quiet: false, color };
            error::finish(&Printer::new(settings, stdout), |printer| {
                error::answer(printer, &answer)
            })
        }
        Ok(Cli { global, command }) => {
            let settings = Settings {
                quiet: global.quiet,
                color: global.color,
            };
            let printer = Printer::new(settings, stdout);
            let work = if command.serving().is_some() {
                Work::Server
            } else {
                Work::Command
            };
            let runtime = match (process.start)(work) {
                Ok(runtime) => runtime,
                Err(error) => return error::finish(&printer, |_| Err(error.into())),
            };
            let context = Context {
                printer,
                runtime: &runtime,
            };
            let code = error::finish(&context.printer, |printer| {
                let verbose = if global.debug {
                    global.verbose.max(2)
                } else {
                    global.verbose
                };
                let format = command.serving().and_then(ServingArguments::log_format);
                log::install(verbose, format, printer)?;
                dispatch(name, command, &context)
            });
            // What is still under way on other threads has no use any more and must not hold up the end.
            runtime.shutdown_background();
            code
        }
    }
}

fn dispatch(name: &'static str, command: Command, context: &Context<'_>) -> CommandResult {
    match command {
        Command::Bundle(arguments) => bundle::run(&arguments, context),
        Command::Catalog(arguments) => catalog::run(&arguments, context),
        Command::Index(arguments) => index::run(&arguments, context),
        Command::Registry(arguments) => registry::run(&arguments, context),
        Command::Resolve(arguments) => resolve::run(&arguments, context),
        Command::Serve(arguments) => serve::run(&arguments, context),
        Command::Render(arguments) => render::run(&arguments, context),
        Command::Migrate(arguments) => migrate::run(&arguments, context),
        Command::Validate(arguments) => validate::run(&arguments, context),
        Command::Init(arguments) => init::run(&arguments, context),
        Command::Generate(arguments) => generate::run(&arguments, context),
        Command::Plan(arguments) => plan::run(&arguments, context),
        Command::Permissions(arguments) => permissions::run(&arguments, context),
        Command::UpgradeCheck(arguments) => upgrade_check::run(&arguments, context),
        Command::Operator(arguments) => operator::run(&arguments, context),
        Command::Alpha(arguments) => alpha::run(&arguments, context),
        Command::Completion(arguments) => completion::run(name, &arguments, context),
        Command::Man(arguments) => man::run(&arguments, context),
        Command::Version(_) => version::run(context),
    }
}

/// What `--color` says, for the help and the usage errors that are printed before all of the line is understood.
fn color_of(arguments: &[OsString]) -> ColorChoice {
    let mut choice = ColorChoice::Auto;
    let mut words = arguments.iter().filter_map(|word| word.to_str());
    while let Some(word) = words.next() {
        let value = match word.strip_prefix("--color") {
            Some("") => words.next(),
            Some(rest) => rest.strip_prefix('='),
            None => None,
        };
        match value {
            Some("always") => choice = ColorChoice::Always,
            Some("never") => choice = ColorChoice::Never,
            _ => {}
        }
    }
    choice
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_is_sound() {
        command("opmx").debug_assert();
        command("opm").debug_assert();
        parser("opm").debug_assert();
    }

    #[test]
    fn colour_is_known_before_the_line_is_understood() {
        let of = |line: &str| color_of(&line.split(' ').map(OsString::from).collect::<Vec<_>>());
        assert_eq!(of("--color never bogus"), ColorChoice::Never);
        assert_eq!(of("index --color=always --bogus"), ColorChoice::Always);
        assert_eq!(of("index --colors=always"), ColorChoice::Auto);
    }
}
