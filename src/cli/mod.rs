//! The command line: one file for each command, with its flags, one call into the modules below, and its output.
//!
//! [`command`] is the single definition behind parsing, `--help`, the shell completions and the man pages.

// Doc comments on arguments are help texts, in which backticks would be printed.
#![allow(clippy::doc_markdown)]
// A command line is parsed once, so the size of its parts does not matter.
#![allow(clippy::large_enum_variant)]

pub mod arguments;
pub mod environment;
pub mod error;
pub mod example;
pub mod size;

mod additions;
mod alpha;
mod api_sources;
mod bundle;
mod catalog;
mod catalog_output;
mod checked;
mod cluster_files;
mod completion;
mod containment;
mod elsewhere;
mod following;
mod foreign;
mod generate;
mod guesses;
pub mod hint;
mod index;
mod init;
mod input;
mod lazy;
mod local_paths;
mod man;
mod migrate;
mod mirror;
mod named_catalogs;
mod operator;
mod opm;
mod parts;
mod permissions;
mod plan;
mod policy;
mod probe;
mod promotion;
mod registry;
mod removals;
mod render;
mod replaced;
mod requests;
mod resolve;
mod schema_note;
mod serve;
mod serving;
mod sources;
pub mod start;
mod strictness;
mod termination_log;
mod unlisted;
mod upgrade_check;
mod validate;
mod values;
mod version;
mod what_if;

pub use probe::run as probe;

use crate::cli::error::CommandResult;
use crate::cli::lazy::Lazy;
use crate::cli::serving::ServingArguments;
use crate::cli::start::StartError;
use crate::terminal::output::{ColorChoice, Settings};
use crate::terminal::stdout::Stdout;
use crate::terminal::{Printer, log};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ArgAction, ArgMatches, Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use std::ffi::OsString;
use std::process::ExitCode;
use tokio::runtime::Runtime;

const EXAMPLES: &str = "\
Examples:
  Turn raw manifests into an index that OLM can read
  $ opmx bundle init etcd --from deploy/ --package etcd --version 0.9.4
  $ opmx bundle build etcd -t registry.example.com/etcd-bundle:v0.9.4
  $ opmx index add -b registry.example.com/etcd-bundle:v0.9.4 -t registry.example.com/index:v1
  $ opmx index list bundles registry.example.com/index:v1

  Enable completion in this shell
  $ source <(opmx completion bash)

  Install the man pages
  $ opmx man ~/.local/share/man/man1

Exit status:
  0  the command succeeded
  1  the command failed or found errors
  2  the command line is invalid; nothing was done
  3  the answer is no; for example, an upgrade needs more permissions
  4  a named item does not exist in the registry, the file system or the index";

/// The maximum width of help texts.
const WIDTH: usize = 100;

/// Build, inspect, index and serve operator bundles from plain Kubernetes manifests, without a container daemon.
#[derive(Debug, Parser)]
#[command(
    name = "opmx",
    version,
    max_term_width = WIDTH,
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
    /// Log the steps to standard error; -vv adds details, -vvv the logs of the HTTP libraries
    #[arg(short, long, global = true, action = ArgAction::Count)]
    verbose: u8,
    /// Same as -vv, for compatibility with opm
    #[arg(long, global = true, hide = true)]
    debug: bool,
    /// Print only results and errors, without progress, status messages or warnings
    #[arg(short, long, global = true)]
    quiet: bool,
    /// When to use color: auto, always or never; auto uses color on a terminal, unless NO_COLOR is set
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
    Bundle(Lazy<bundle::BundleArguments>),
    Catalog(Lazy<catalog::CatalogArguments>),
    Index(Lazy<index::IndexArguments>),
    Mirror(Lazy<mirror::MirrorArguments>),
    Registry(Lazy<registry::RegistryCommandArguments>),
    Resolve(Lazy<resolve::ResolveArguments>),
    Serve(Lazy<serve::ServeArguments>),
    Render(Lazy<render::RenderArguments>),
    Migrate(Lazy<migrate::MigrateArguments>),
    Validate(Lazy<validate::ValidateArguments>),
    Init(Lazy<init::InitArguments>),
    Generate(Lazy<generate::GenerateArguments>),
    Plan(Lazy<plan::PlanArguments>),
    Permissions(Lazy<permissions::PermissionsArguments>),
    UpgradeCheck(Lazy<upgrade_check::UpgradeCheckArguments>),
    Operator(Lazy<operator::OperatorArguments>),
    Alpha(Lazy<alpha::AlphaArguments>),
    Completion(Lazy<completion::CompletionArguments>),
    Man(Lazy<man::ManArguments>),
    #[command(hide = true)]
    Version(Lazy<version::VersionArguments>),
}

impl Command {
    /// Returns the serving arguments if the command is a server.
    fn serving(&self) -> Option<&ServingArguments> {
        match self {
            Self::Serve(arguments) => Some(arguments.serving()),
            Self::Registry(arguments) => arguments.serving(),
            _ => None,
        }
    }
}

/// The kind of work that the threads of the process do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// A single command, which ends by itself.
    Command,
    /// A server for many clients.
    Server,
}

/// The function that starts the only runtime of the process.
pub type Start = fn(Work) -> Result<Runtime, StartError>;

/// The parts of the process that commands need.
#[derive(Debug, Clone, Copy)]
pub struct Process {
    /// Starts the runtime.
    pub start: Start,
    /// Whether the process was started without standard output.
    pub stdout_is_closed: bool,
}

/// The resources that a command uses in addition to its arguments.
pub struct Context<'a> {
    /// The output streams and progress bars.
    pub printer: Printer,
    /// The only runtime of the process. Commands block on it for network access.
    pub runtime: &'a Runtime,
}

/// Returns the definition of the whole command line. `name` is the name that the program was called by: `opmx`, or
/// `opm` if it is a drop-in replacement. The help for `opm` is arranged like opm's own help.
pub fn command(name: &'static str) -> clap::Command {
    let command = definition(name);
    if name == "opm" { opm::arranged(command) } else { command }
}

fn definition(name: &'static str) -> clap::Command {
    let command = Cli::command().name(name).bin_name(name);
    // The parser would write each word on a line of its own.
    if environment::columns_are_zero() {
        command.term_width(WIDTH)
    } else {
        command
    }
}

/// Returns the command-line parser, which expects arguments without the program name. The parser accepts all options of
/// opm, even where they have no effect.
pub fn parser(name: &'static str) -> clap::Command {
    opm::accepting(command(name)).no_binary_name(true)
}

/// Runs the command in `arguments`, which do not include the program name, and prints its output. Returns one of the
/// exit codes in [`error`].
pub fn run(name: &'static str, arguments: &[OsString], process: Process) -> ExitCode {
    let color = color_of(arguments);
    let stdout = Stdout::new(process.stdout_is_closed);
    let parsed = lazy::deferred(|| definition(name).no_binary_name(true).try_get_matches_from(arguments))
        .or_else(|error| match error.kind() {
            ErrorKind::DisplayVersion => Err(error),
            // Help and errors can be about any command, and opm accepts more options.
            _ => parse_in_full(name, arguments),
        })
        .and_then(|matches| local_paths::require(matches, || command(name)))
        .and_then(|matches| Cli::from_arg_matches(&matches));
    match parsed {
        Err(error) => {
            let settings = Settings { quiet: false, color };
            error::finish(&Printer::new(settings, stdout), |printer| {
                error::answer(printer, &error)
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
            // Tasks on other threads are no longer needed and must not delay the exit.
            runtime.shutdown_background();
            code
        }
    }
}

/// Parses the command line with the arguments of all commands defined, and adds advice to errors.
fn parse_in_full(name: &'static str, arguments: &[OsString]) -> Result<ArgMatches, clap::Error> {
    let parser = parser(name);
    let words = opm::in_words_of_clap(&parser, arguments);
    match parser.try_get_matches_from(words) {
        Err(error) if error.use_stderr() => {
            let error = elsewhere::with_groups(error, &definition(name), arguments);
            let error = with_subcommands(error, name, arguments);
            let error = elsewhere::with_commands(error, &command(name), arguments);
            let error = elsewhere::with_joined_list(error, arguments);
            Err(elsewhere::with_unreadable(error, arguments))
        }
        parsed => parsed,
    }
}

/// Adds a list of the available commands to the error if a command name is unknown and resembles none of them.
fn with_subcommands(mut error: clap::Error, name: &'static str, arguments: &[OsString]) -> clap::Error {
    let has_tip = [ContextKind::SuggestedSubcommand, ContextKind::Suggested].map(|kind| error.get(kind).is_some());
    if error.kind() != ErrorKind::InvalidSubcommand || has_tip.contains(&true) {
        return error;
    }
    let Some(ContextValue::String(unknown)) = error.get(ContextKind::InvalidSubcommand) else {
        return error;
    };
    let words: Vec<&str> = arguments.iter().filter_map(|word| word.to_str()).collect();
    let root = command(name);
    let mut command = &root;
    for name in elsewhere::used(&root, &words, Some(unknown)) {
        command = command.find_subcommand(name).unwrap_or(command);
    }
    let names = command.get_subcommands().filter(|command| !command.is_hide_set());
    let names: Vec<&str> = names
        .map(clap::Command::get_name)
        .filter(|name| *name != "help")
        .collect();
    let tip = format!("expected one of {}", names.join(", "));
    error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    error
}

fn dispatch(name: &'static str, command: Command, context: &Context<'_>) -> CommandResult {
    match command {
        Command::Bundle(arguments) => bundle::run(&arguments, context),
        Command::Catalog(arguments) => catalog::run(&arguments, context),
        Command::Index(arguments) => index::run(&arguments, context),
        Command::Mirror(arguments) => mirror::run(&arguments, context),
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

/// Returns the value of `--color`, for help and usage errors, which are printed before the whole command line is
/// parsed.
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
    fn the_command_line_definition_is_valid() {
        command("opmx").debug_assert();
        command("opm").debug_assert();
        parser("opm").debug_assert();
    }

    #[test]
    fn the_help_states_the_meanings_of_the_exit_statuses() {
        let meanings: String = error::EXIT_STATUS
            .iter()
            .map(|(code, meaning)| format!("\n  {code}  {meaning}"))
            .collect();
        assert!(EXAMPLES.ends_with(&format!("\n\nExit status:{meanings}")), "{EXAMPLES}");
    }

    #[test]
    fn a_command_is_parsed_alike_whether_or_not_all_commands_are_defined() {
        fn examples(command: &clap::Command, lines: &mut Vec<Vec<String>>) {
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            let plain = |line: &&str| !line.contains(['"', '\'', '|', '&', '<', '>', '$', '\\', '#']);
            let calls = help.lines().filter_map(|line| line.trim().strip_prefix("$ opmx "));
            let words = |line: &str| line.split_whitespace().map(str::to_owned).collect();
            lines.extend(calls.filter(plain).map(words));
            for command in command.get_subcommands() {
                examples(command, lines);
            }
        }
        let mut lines = Vec::new();
        examples(&command("opmx"), &mut lines);
        let mut good = 0;
        for line in lines {
            let parsed = |parser: clap::Command| {
                let matches = parser.try_get_matches_from(&line);
                let parsed = matches.and_then(|matches| Cli::from_arg_matches(&matches));
                parsed.map(|cli| format!("{cli:?}")).map_err(|error| error.kind())
            };
            let only_used = lazy::deferred(|| parsed(definition("opmx").no_binary_name(true)));
            assert_eq!(only_used, parsed(parser("opmx")), "{line:?}");
            good += usize::from(only_used.is_ok());
        }
        assert!(good > 100, "{good} examples");
    }

    #[test]
    fn colour_is_determined_before_the_command_line_is_parsed() {
        let of = |line: &str| color_of(&line.split(' ').map(OsString::from).collect::<Vec<_>>());
        assert_eq!(of("--color never bogus"), ColorChoice::Never);
        assert_eq!(of("index --color=always --bogus"), ColorChoice::Always);
        assert_eq!(of("index --colors=always"), ColorChoice::Auto);
    }
}
