//! The README and the book: their commands print what is shown, and their links are valid.

use crate::common::Sandbox;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A command and the lines that it prints.
type Step<'a> = (String, Vec<&'a str>);

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The README, the other documents next to it, and all pages of the book.
fn pages() -> BTreeMap<PathBuf, String> {
    let book = walkdir::WalkDir::new(root().join("docs")).into_iter();
    let book = book.map(|entry| entry.unwrap().into_path());
    let papers = fs::read_dir(root()).unwrap().map(|entry| entry.unwrap().path());
    let pages = papers
        .chain(book)
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"));
    pages
        .map(|path| (path.clone(), fs::read_to_string(path).unwrap()))
        .collect()
}

/// The commands of all `console` blocks, in order. A block such as `yaml policy.yaml` is a file to write.
fn steps(page: &str) -> Vec<Step<'_>> {
    let mut steps: Vec<Step<'_>> = Vec::new();
    let (mut inside, mut file) = (false, false);
    for line in page.lines() {
        let name = line.strip_prefix("```").and_then(|info| info.split_once(' '));
        if let Some((_, name)) = name {
            file = true;
            steps.push((format!("mkdir -p $(dirname {name}); cat > {name} <<'```'"), Vec::new()));
            continue;
        }
        if let Some((command, _)) = steps.last_mut().filter(|_| file) {
            file = line != "```";
            *command += &format!("\n{line}");
            continue;
        }
        match line {
            "```console" => inside = true,
            "```" => inside = false,
            _ if !inside => {}
            _ => match (line.strip_prefix("$ "), steps.last_mut()) {
                (Some(command), _) => steps.push((command.to_owned(), Vec::new())),
                (None, Some((_, output))) => output.push(line),
                (None, None) => panic!("output before any command: {line}"),
            },
        }
    }
    steps
}

/// Returns whether the lines match, where `…` matches the rest of a line, or any lines if alone.
fn agree(expected: &[&str], found: &[&str]) -> bool {
    match expected.split_first() {
        None => found.is_empty(),
        Some((&"…", rest)) => (0..=found.len()).any(|skipped| agree(rest, &found[skipped..])),
        Some((line, rest)) => found.split_first().is_some_and(|(first, others)| {
            let same = match line.split_once('…') {
                Some((start, end)) => first.starts_with(start) && first.ends_with(end),
                None => first == line,
            };
            same && agree(rest, others)
        }),
    }
}

/// Runs the commands of a page in order, in a folder with the test data.
fn run(path: &Path, page: &str) {
    let sandbox = Sandbox::new();
    let copied = Command::new("cp")
        .arg("-r")
        .arg(root().join("testdata"))
        .arg(sandbox.path(""))
        .status();
    assert!(copied.unwrap().success());
    let program = Path::new(env!("CARGO_BIN_EXE_opmx")).parent().unwrap();
    for (line, expected) in steps(page) {
        let mut shell = sandbox.command([""; 0]);
        let search = format!("{}:/usr/bin:/bin", program.display());
        let mut command = Command::new("bash");
        command
            .args(["-c", &format!("{{ {line}\n}} 2>&1")])
            .current_dir(sandbox.path(""))
            .env_clear();
        command
            .envs(shell.get_envs().filter_map(|(name, value)| Some((name, value?))))
            .env("PATH", search);
        shell.env_clear();
        let output = command.output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let found: Vec<&str> = text.lines().collect();
        assert!(
            agree(&expected, &found),
            "{}: $ {line}\nthe page says\n{}\nit prints\n{text}",
            path.display(),
            expected.join("\n")
        );
    }
}

#[test]
fn examples_in_the_readme_and_the_book_produce_the_shown_output() {
    let mut shown = 0;
    for (path, page) in pages() {
        let count = steps(&page).len();
        if count > 0 {
            run(&path, &page);
        }
        shown += count;
    }
    assert!(shown >= 20, "{shown} commands are shown");
}

/// The anchors of the headings of a page, as forges and mdBook make them.
fn anchors(page: &str) -> BTreeSet<String> {
    let (mut found, mut heading) = (BTreeSet::new(), None);
    for event in Parser::new_ext(page, Options::all()) {
        match event {
            Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
            Event::End(TagEnd::Heading(_)) => {
                let text = heading.take().unwrap_or_default().to_lowercase();
                let kept = text
                    .chars()
                    .filter(|letter| letter.is_alphanumeric() || matches!(letter, ' ' | '-' | '_'));
                found.insert(kept.map(|letter| if letter == ' ' { '-' } else { letter }).collect());
            }
            Event::Text(text) | Event::Code(text) => {
                if let Some(heading) = &mut heading {
                    heading.push_str(&text);
                }
            }
            _ => {}
        }
    }
    found
}

#[test]
fn every_link_has_a_target() {
    let pages = pages();
    let mut broken = Vec::new();
    for (path, page) in &pages {
        for event in Parser::new_ext(page, Options::all()) {
            let Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) = event else {
                continue;
            };
            if dest_url.contains("://") || dest_url.starts_with("mailto:") {
                continue;
            }
            let (file, anchor) = dest_url.split_once('#').unwrap_or((&dest_url, ""));
            let target = match file {
                "" => path.clone(),
                file => path.parent().unwrap().join(file),
            };
            let there = match target.canonicalize() {
                Err(_) => false,
                Ok(_) if anchor.is_empty() => true,
                Ok(target) => pages.get(&target).is_some_and(|page| anchors(page).contains(anchor)),
            };
            if !there {
                broken.push(format!("{}: {dest_url}", path.display()));
            }
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
}

#[test]
fn every_file_named_in_the_documents_exists() {
    let mut problems = Vec::new();
    for paper in ["ARCHITECTURE.md", "CONTRIBUTING.md", "RELEASING.md"] {
        let page = fs::read_to_string(root().join(paper)).unwrap();
        for name in page.split('`').skip(1).step_by(2).filter(|name| name.contains('/')) {
            let name = name.trim_end_matches("/mod.rs");
            let is_path =
                |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || "._-/".contains(letter);
            // What begins so lies in bundles.
            if !name.chars().all(is_path) || name.starts_with("metadata/") {
                continue;
            }
            let places = [name.to_owned(), format!("src/{name}"), format!("src/{name}.rs")];
            if !places.iter().any(|place| root().join(place).exists()) {
                problems.push(format!("{paper}: {name}"));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn every_page_of_the_book_is_in_the_table_of_contents() {
    let contents = fs::read_to_string(root().join("docs/SUMMARY.md")).unwrap();
    for path in pages().keys() {
        let Ok(page) = path.strip_prefix(root().join("docs")) else {
            continue;
        };
        let listed = contents.contains(&format!("({})", page.display()));
        assert!(
            listed || page == Path::new("SUMMARY.md"),
            "{} is not listed",
            page.display()
        );
    }
}

#[test]
fn the_quickstart_prints_the_content_of_its_index() {
    let sandbox = Sandbox::new();
    let mut command = Command::new(root().join("scripts/quickstart"));
    sandbox.surround(&mut command);
    let output = command
        .env("OPMX", env!("CARGO_BIN_EXE_opmx"))
        .env("QUICKSTART_DIR", sandbox.path("out"))
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        output.status.success(),
        "{text}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let block = readme
        .split_once("The script ends by listing the channels in the new index")
        .unwrap()
        .1;
    let said = steps(block.split("\n```\n").next().unwrap());
    let mut printed: Vec<&str> = Vec::new();
    for (_, lines) in &said[..3] {
        printed.extend(lines);
    }
    let out = sandbox.path("out").display().to_string();
    let text = text.replace(&out, "out");
    let found: Vec<&str> = text
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with("$ "))
        .collect();
    assert!(
        agree(&printed, &found),
        "the README says\n{}\nit prints\n{text}",
        printed.join("\n")
    );
}
