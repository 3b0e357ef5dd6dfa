//! The completions, man pages and schemas in the repository are up to date.
//!
//! `OPMX_UPDATE=1 cargo test --test command_line` writes them anew.

mod keys;
mod olm_yaml;
mod releases;
mod rules;

use crate::common::Sandbox;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

type Files = BTreeMap<String, Vec<u8>>;

fn repository(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)
}

fn files(folder: &Path) -> Files {
    let Ok(entries) = fs::read_dir(folder) else {
        return Files::new();
    };
    let mut files = Files::new();
    for entry in entries {
        let entry = entry.expect("an entry of the folder");
        let name = entry.file_name().into_string().expect("a UTF-8 name");
        files.insert(name, fs::read(entry.path()).expect("a readable file"));
    }
    files
}

fn same_as_in(folder: &str, made: &Files) {
    let kept = repository(folder);
    if std::env::var_os("OPMX_UPDATE").is_some() {
        let _ = fs::remove_dir_all(&kept);
        fs::create_dir_all(&kept).expect("a folder of the repository");
        for (name, content) in made {
            fs::write(kept.join(name), content).expect("a file of the repository");
        }
    }
    let kept = files(&kept);
    let advice = "run OPMX_UPDATE=1 cargo test --test command_line, and look at the difference";
    let names = |files: &Files| files.keys().cloned().collect::<Vec<_>>();
    assert_eq!(
        names(&kept),
        names(made),
        "{folder}/ has other files than it should: {advice}"
    );
    for (name, content) in made {
        assert!(kept[name] == *content, "{folder}/{name} is out of date: {advice}");
    }
}

#[test]
fn committed_completions_are_up_to_date() {
    let sandbox = Sandbox::new();
    let shells = [("bash", "opmx.bash"), ("fish", "opmx.fish"), ("zsh", "_opmx")];
    let made = shells.map(|(shell, name)| {
        let outcome = sandbox.run(["completion", shell]);
        assert_eq!((outcome.status, outcome.stderr.as_str()), (Some(0), ""));
        (name.to_owned(), outcome.stdout.into_bytes())
    });
    same_as_in("completions", &made.into());
}

#[test]
fn completions_offer_only_documented_options() {
    let sandbox = Sandbox::new();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = sandbox.run(["completion", shell]).stdout;
        assert!(
            script.contains("quiet") && !script.contains("debug"),
            "{shell}: {script}"
        );
    }
    assert_eq!(sandbox.run(["completion", "bash", "--debug"]).status, Some(0));
}

#[test]
fn committed_man_pages_are_up_to_date() {
    let sandbox = Sandbox::new();
    let outcome = sandbox.run(["man", "pages/man1"]);
    assert_eq!((outcome.status, outcome.stdout.as_str()), (Some(0), ""), "{outcome}");
    let made = files(&sandbox.path("pages/man1"));
    assert!(made.contains_key("opmx.1") && made.contains_key("opmx-completion.1"));
    same_as_in("man", &made);
}

#[test]
fn committed_schemas_are_up_to_date() {
    let made = [
        ("annotations", "bundle schema annotations"),
        ("catalog-findings", "bundle schema catalog-findings"),
        ("findings", "bundle schema findings"),
        ("mirror-archive", "mirror schema archive"),
        ("mirror-plan", "mirror schema plan"),
        ("mirror-result", "mirror schema result"),
        ("olm", "bundle schema olm"),
        ("policy", "bundle schema policy"),
        ("site-catalog", "index page --schema catalog"),
        ("site-package", "index page --schema package"),
        ("state", "resolve --schema"),
    ]
    .map(|(of, line)| {
        let outcome = Sandbox::new().run(line.split(' '));
        assert_eq!((outcome.status, outcome.stderr.as_str()), (Some(0), ""), "{outcome}");
        (format!("{of}.schema.json"), outcome.stdout.into_bytes())
    });
    same_as_in("src/schemas", &made.into());
}

#[test]
fn committed_reference_documents_are_up_to_date() {
    let mut environment = String::from(
        "# Environment variables\n\nOptions take precedence over environment variables. The page on \
         [registries](../reference/registries.md) describes the cache and the credentials. opmx does not contact \
         clusters, so it does not read `KUBECONFIG`.\n\n| variable | effect |\n|---|---|\n",
    );
    for (variables, effect) in opmx::cli::environment::VARIABLES {
        let variables = variables.replace(", ", "`, `");
        environment += &format!("| `{variables}` | {effect} |\n");
    }
    let docs = [
        ("environment.md".to_owned(), environment.into_bytes()),
        ("rules.md".to_owned(), rules::page().into_bytes()),
        ("olm-yaml.md".to_owned(), olm_yaml::page().into_bytes()),
        ("olm-releases.md".to_owned(), releases::page().into_bytes()),
        ("departures.md".to_owned(), departures().into_bytes()),
    ];
    same_as_in("docs/generated", &docs.into());
}

/// Returns the anchor of a heading.
fn anchor(title: &str) -> String {
    let lower = title.to_lowercase().replace(' ', "-");
    lower
        .chars()
        .filter(|letter| letter.is_alphanumeric() || matches!(letter, '-' | '_'))
        .collect()
}

/// Escapes text for a line or a table cell in Markdown, except inside backticks.
fn cell(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let parts = line.split('`').enumerate().map(|(number, part)| match number % 2 {
        0 => part
            .replace('<', "&lt;")
            .replace('*', "\\*")
            .replace('|', "\\|")
            .replace('_', "\\_"),
        _ => part.replace('|', "\\|"),
    });
    parts.collect::<Vec<_>>().join("`")
}

const KEYS: &str = "<!-- The keys below are generated from the JSON Schema. -->\n";

/// The tables of keys at the end of handwritten pages.
#[test]
fn keys_in_pages_of_the_book_are_up_to_date() {
    for (page, line) in [
        ("policies", "bundle schema policy"),
        ("what-if-files", "resolve --schema"),
    ] {
        let path = repository(&format!("docs/reference/{page}.md"));
        let text = fs::read_to_string(&path).expect("a page of the book");
        let (written, kept) = text.split_once(KEYS).expect("the place of the keys");
        let schema = Sandbox::new().run(line.split(' ')).stdout;
        let made = keys::tables(&serde_json::from_str(&schema).expect("a JSON Schema"));
        if std::env::var_os("OPMX_UPDATE").is_some() {
            fs::write(&path, format!("{written}{KEYS}{made}")).expect("a page of the book");
        } else {
            assert!(
                kept == made,
                "{} is out of date: run OPMX_UPDATE=1 cargo test --test command_line",
                path.display()
            );
        }
    }
}

/// A page for each command, with its help and that of its subcommands.
#[test]
fn command_pages_of_the_book_are_up_to_date() {
    let mut root = opmx::cli::command("opmx").disable_help_subcommand(true);
    root.build();
    let visible = root.get_subcommands().filter(|command| !command.is_hide_set());
    let pages = visible.map(|command| {
        let mut page = String::new();
        write_help(command, "#", &mut page);
        (format!("{}.md", command.get_name()), page.into_bytes())
    });
    same_as_in("docs/commands", &pages.collect());
}

fn write_help(command: &clap::Command, heading: &str, page: &mut String) {
    let name = command.get_bin_name().unwrap_or_else(|| command.get_name());
    let help = command.clone().term_width(100).render_long_help().to_string();
    let lines = help.lines().map(|line| format!("{}\n", line.trim_end()));
    let help: String = lines.collect();
    *page += &format!("{heading} {name}\n\n```text\n{}```\n", help.trim_start());
    for command in command.get_subcommands().filter(|command| !command.is_hide_set()) {
        page.push('\n');
        write_help(command, "##", page);
    }
}

/// The content of opmx-departures(1), from the same data.
fn departures() -> String {
    #[derive(serde::Deserialize)]
    struct Proposal {
        proposal: String,
        departures: Vec<BTreeMap<String, String>>,
    }
    let data = fs::read_to_string(repository("src/cli/man/departures.yaml")).expect("the data of the page");
    let proposals: Vec<Proposal> = serde_yaml::from_str(&data).expect("a list of proposals");
    let mut page = String::from(
        "# Where opmx departs from the proposals\n\nThis page lists every deliberate difference from the five \
         enhancement proposals with its reason and, where possible, a way to get the behavior that the proposal \
         describes. `man opmx-departures` has the same list.\n",
    );
    for Proposal { proposal, departures } in proposals {
        page += &format!("\n## {proposal}\n");
        for departure in departures {
            let escaped = |key: &str| departure[key].replace('<', "&lt;").replace('*', "\\*");
            page += &format!("\n### {}\n\n", departure["subject"]);
            page += &format!(
                "- **Proposal**: {}\n- **opmx**: {}\n",
                escaped("proposed"),
                escaped("opmx")
            );
            page += &format!("- **Reason**: {}\n", escaped("reason"));
            if let Some(literal) = departure.get("literal") {
                page += &format!("- **To follow the proposal**: `{literal}`\n");
            }
        }
    }
    page
}

#[test]
fn man_pages_do_not_depend_on_the_environment() {
    let sandbox = Sandbox::new();
    let _ = sandbox.run(["man", "first"]);
    let mut other = sandbox.command(["man", "second"]);
    let _ = sandbox.finish(other.env("COLUMNS", "200").env("LC_ALL", "C").env("TZ", "Asia/Tokyo"));
    assert!(!files(&sandbox.path("first")).is_empty());
    assert_eq!(files(&sandbox.path("first")), files(&sandbox.path("second")));
}

#[test]
fn completions_use_the_name_of_the_called_program() {
    let sandbox = Sandbox::new();
    let opm = sandbox.path("opm");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_opmx"), &opm).unwrap();
    let output = std::process::Command::new(&opm)
        .args(["completion", "bash"])
        .output()
        .unwrap();
    let script = String::from_utf8(output.stdout).unwrap();
    assert!(
        script.contains("complete -F _opm ") && !script.contains("opmx"),
        "{script}"
    );
}

#[test]
fn bash_loads_the_completion_and_offers_commands() {
    let sandbox = Sandbox::new();
    // An argument cannot be as long as the script.
    let script = sandbox.path("opmx.bash");
    std::fs::write(&script, sandbox.run(["completion", "bash"]).stdout).unwrap();
    let probe = "COMP_WORDS=(opmx com); COMP_CWORD=1; _opmx opmx com opmx; printf '%s\n' \"${COMPREPLY[@]}\"";
    let bash = std::process::Command::new("bash")
        .args(["--norc", "--noprofile", "-c"])
        .arg(format!("source {}\n{probe}", script.display()))
        .output();
    let output = match bash {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return crate::shared::not_run("bash is not installed");
        }
        output => output.unwrap(),
    };
    assert_eq!(String::from_utf8_lossy(&output.stdout), "completion\n", "{output:?}");
}
