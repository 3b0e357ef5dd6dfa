//! `opmx man`: the manual, one page for each command.

mod departures;

use crate::cli::bundle::headings;
use crate::cli::environment::VARIABLES;
use crate::cli::error::{CommandResult, EXIT_STATUS, Status};
use crate::cli::example::found_by;
use crate::cli::values::output;
use crate::cli::{Context, command};
use crate::files::{FolderOutput, place};
use crate::rules;
use crate::rules::examples::{self, Example};
use crate::terminal::advice;
use clap::Args;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};
use std::io;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  Install the manual for the current user, and read it
  $ opmx man ~/.local/share/man/man1
  $ man opmx-completion";

/// Write the man pages, one for each command
///
/// The pages contain the --help texts in the format of man(1). Two additional pages are opmx-rules(1), which lists the
/// rules with an example of each, and opmx-departures(1), which lists the deliberate departures of opmx from the
/// proposals. Existing pages are replaced.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ManArguments {
    /// Folder for the pages; created if absent
    #[arg(value_name = "DIR", value_parser = output())]
    directory: PathBuf,
}

pub(crate) fn run(arguments: &ManArguments, context: &Context<'_>) -> CommandResult {
    let pages = pages()?;
    let output = FolderOutput::new(&arguments.directory)?;
    place(
        output.path(),
        pages.iter().map(|(name, page)| (name.as_str(), page.as_slice())),
    )?;
    output.commit()?;
    let directory = arguments.directory.display();
    context
        .printer
        .status(format_args!("wrote {} pages to {directory}", pages.len()));
    Ok(Status::Success)
}

/// Returns the file name and the content of each page. The page of a command group follows those of its commands.
fn pages() -> io::Result<Vec<(String, Vec<u8>)>> {
    let mut root = command("opmx").disable_help_subcommand(true);
    root.build();
    let mut pages = Vec::new();
    add(&root, &mut pages)?;
    pages.push(("opmx-rules.1".to_owned(), rules_page()?));
    pages.push(("opmx-departures.1".to_owned(), departures::page()?));
    Ok(pages)
}

/// Returns the page with the rules.
fn rules_page() -> io::Result<Vec<u8>> {
    let examples = examples::all().map_err(io::Error::other)?;
    let mut roff = Roff::new();
    let source = concat!("opmx ", env!("CARGO_PKG_VERSION"));
    roff.control("TH", ["opmx-rules", "1", "", source, "opmx manual"]);
    roff.control("SH", ["NAME"]);
    roff.text([roman("opmx-rules - the rules behind the findings")]);
    roff.control("SH", ["DESCRIPTION"]);
    roff.text([roman(
        "Every finding names its rule. The meaning of an id never changes. Only errors make a command fail. A finding \
         can have a different severity than its rule if the severity depends on the bundle. Each example changes a \
         bundle that is otherwise valid. Lines and columns in findings are numbered from 1; columns count characters.",
    )]);
    roff.control("PP", []);
    roff.text([roman(
        "For authors of bundles and catalogs, every problem is reported: \"opmx bundle validate\" and \"opmx bundle \
         build\" are strict, and so are other commands with --strict. Published content can no longer be corrected. \
         Therefore, opmx accepts anything that opm has accepted for years, with a warning about the consequence, and \
         never rejects accepted content later.",
    )]);
    roff.control("SH", ["RULES"]);
    for rule in rules::all() {
        roff.control("TP", []);
        roff.text([bold(rule.id), roman(format!(" ({}; {})", rule.severity, rule.source))]);
        roff.text([roman(advice::of_rule(rule).into_owned())]);
        if let Some(consequence) = rule.consequence() {
            roff.control("IP", []);
            roff.text([roman(format!(
                "For published content, this is a warning. {consequence}"
            ))]);
        }
        if let Some(example) = examples.get(rule.id) {
            example_of(example, &mut roff);
        }
    }
    roff.control("SH", ["SEE ALSO"]);
    roff.text([roman("opmx-bundle-rules(1), opmx-bundle-validate(1)")]);
    let mut page = Vec::new();
    roff.to_writer(&mut page)?;
    Ok(page)
}

/// Writes the snippets of an example, below their rule.
fn example_of(example: &Example, roff: &mut Roff) {
    let snippets = [example.shown_wrong(), example.shown_right()];
    roff.control("RS", []);
    for (heading, snippet) in headings(example).into_iter().zip(snippets) {
        roff.control("PP", []);
        roff.text([roman(heading)]);
        roff.control("RS", ["4"]);
        roff.control("nf", []);
        for line in snippet.lines() {
            roff.text([roman(line)]);
        }
        roff.control("fi", []);
        roff.control("RE", []);
    }
    roff.control("PP", []);
    roff.text([roman("Found by "), bold(found_by(example))]);
    roff.control("RE", []);
}

fn add(command: &clap::Command, pages: &mut Vec<(String, Vec<u8>)>) -> io::Result<()> {
    for below in command.get_subcommands().filter(|below| !below.is_hide_set()) {
        add(below, pages)?;
    }
    let man = Man::new(command.clone())
        .source(concat!("opmx ", env!("CARGO_PKG_VERSION")))
        .manual("opmx manual");
    pages.push((man.get_filename(), page(&man, command)?));
    Ok(())
}

fn page(man: &Man, command: &clap::Command) -> io::Result<Vec<u8>> {
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    if command.get_subcommands().any(|below| !below.is_hide_set()) {
        man.render_subcommands_section(&mut page)?;
    }
    let mut roff = Roff::new();
    roff.control("SH", ["EXIT STATUS"]);
    for (code, meaning) in EXIT_STATUS {
        roff.control("TP", []);
        roff.text([roman(code.to_string())]);
        let (first, rest) = meaning.split_at(1);
        roff.text([roman(format!("{}{rest}.", first.to_uppercase()))]);
    }
    if command.get_name() == "opmx" {
        roff.control("SH", ["ENVIRONMENT"]);
        for (variable, effect) in VARIABLES {
            roff.control("TP", []);
            roff.text([bold(*variable)]);
            let (first, rest) = effect.split_at(1);
            roff.text([roman(format!("{}{rest}.", first.to_uppercase()))]);
        }
    }
    let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    if let Some((_, examples)) = help.split_once("Examples:\n") {
        let (examples, _) = examples.split_once("\n\nExit status:").unwrap_or((examples, ""));
        roff.control("SH", ["EXAMPLES"]);
        roff.control("nf", []);
        for line in examples.lines() {
            roff.text([roman(line)]);
        }
        roff.control("fi", []);
    }
    roff.to_writer(&mut page)?;
    Ok(page)
}
