//! Enforces the direction of imports: every module uses only modules below it, or beside it without cycles, and only
//! the top layer knows the command line and the terminal.
//!
//! The sources are read as tokens, so that a path in the middle of a function counts like a `use`, and words in
//! comments and strings do not count.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs;
use std::path::Path;

/// The layers from the top; modules of one layer may use each other, but not in a cycle.
const LAYERS: &[&[&str]] = &[
    &["main"],
    &["cli"],
    &["terminal"],
    &["install", "mirror", "page", "server"],
    &["index"],
    &["build"],
    &["database"],
    &["resolver", "validation"],
    &["conversion"],
    &["synthesis"],
    &["cluster"],
    &["catalog"],
    &["bundle", "steps"],
    &["csv"],
    &["olm"],
    &["shape"],
    &["manifest"],
    &["image", "text"],
    &["cel", "kubernetes"],
    &["diagnostic"],
    &["rules"],
    &["tree"],
    &[
        "causes",
        "concurrent",
        "counted",
        "source",
        "streams",
        "files",
        "limit",
        "pattern",
        "value",
        "version",
        "visible",
    ],
];

/// Flags in strings below the top layer that belong to the command line of another program: they are written into an
/// image or a Dockerfile.
const FLAGS_OF_OTHERS: &[(&str, &str)] = &[
    ("index/image.rs", "--cache-dir"),
    ("index/image.rs", "--cache-enforce-integrity"),
    ("index/image.rs", "--database"),
    ("index/render/dockerfile.rs", "--cache-dir"),
    ("index/render/dockerfile.rs", "--cache-only"),
    ("index/render/dockerfile.rs", "--from"),
];

/// Crates that only the top layer may mention, and the modules of the top layer.
const TOP_CRATES: &[&str] = &[
    "annotate_snippets",
    "clap",
    "clap_complete",
    "clap_mangen",
    "indicatif",
    "tracing_subscriber",
];
const TOP_MODULES: &[&str] = &["cli", "terminal", "main"];

#[test]
fn modules_import_only_lower_layers() {
    let mut house = House::default();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for entry in walkdir::WalkDir::new(&root).sort_by_file_name() {
        let path = entry.unwrap().into_path();
        if path.extension().is_some_and(|extension| extension == "rs") {
            let relative = path.strip_prefix(&root).unwrap().to_str().unwrap();
            house.read(relative, &fs::read_to_string(&path).unwrap());
        }
    }
    assert!(
        house.modules.contains("cli") && house.modules.contains("diagnostic"),
        "{:?}",
        house.modules
    );
    let complaints: Vec<_> = house.complaints().iter().map(ToString::to_string).collect();
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

/// The first thing to read in a file is what it is about.
#[test]
fn every_file_starts_with_a_module_comment() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut without = Vec::new();
    for entry in walkdir::WalkDir::new(&root).sort_by_file_name() {
        let path = entry.unwrap().into_path();
        let relative = path.strip_prefix(&root).unwrap().to_str().unwrap();
        let is_source = path.extension().is_some_and(|extension| extension == "rs");
        let is_test = relative.split(['/', '.']).any(|part| part == "tests");
        if is_source && !is_test && !fs::read_to_string(&path).unwrap().starts_with("//! ") {
            without.push(relative.to_owned());
        }
    }
    assert!(without.is_empty(), "files without a head //!: {without:?}");
}

/// The formatter does not wrap comments.
#[test]
fn comments_are_at_most_120_columns_wide() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut wide = Vec::new();
    for folder in ["src", "tests", "benches"] {
        for entry in walkdir::WalkDir::new(root.join(folder)).sort_by_file_name() {
            let path = entry.unwrap().into_path();
            if path.extension().is_none_or(|extension| extension != "rs") {
                continue;
            }
            for (index, line) in fs::read_to_string(&path).unwrap().lines().enumerate() {
                if line.trim_start().starts_with("//") && line.chars().count() > 120 {
                    wide.push(format!("{}:{}", path.display(), index + 1));
                }
            }
        }
    }
    assert!(wide.is_empty(), "{}", wide.join("\n"));
}

/// Files that may use each other: the type of a document, and how it is read.
const TWINS: [&str; 2] = ["text::document", "text::read"];

/// The same for the files below one module. What a file uses of the modules that contain it does not count.
#[test]
fn files_do_not_import_each_other_in_cycles() {
    let mut texts: BTreeMap<String, String> = BTreeMap::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for entry in walkdir::WalkDir::new(&root).sort_by_file_name() {
        let path = entry.unwrap().into_path();
        let relative = path.strip_prefix(&root).unwrap().to_str().unwrap();
        let is_source = path.extension().is_some_and(|extension| extension == "rs");
        if is_source && !relative.split(['/', '.']).any(|part| part == "tests") {
            texts.insert(module_of(relative).join("::"), fs::read_to_string(&path).unwrap());
        }
    }
    let circle = circle(&edges(&texts));
    assert!(
        circle.is_none(),
        "files use each other in a circle: {}",
        circle.unwrap().join(" -> ")
    );
}

/// Returns what the files of these modules use of each other.
fn edges(texts: &BTreeMap<String, String>) -> BTreeMap<String, BTreeSet<String>> {
    let mut edges: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (module, text) in texts {
        let home: Vec<String> = module.split("::").map(str::to_owned).collect();
        let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        for found in paths(text, &home) {
            let prefixes = (1..=found.path.len())
                .rev()
                .map(|length| found.path[..length].join("::"));
            let Some(used) = prefixes.into_iter().find(|path| texts.contains_key(path)) else {
                continue;
            };
            let is_part = |of: &str, whole: &str| of == whole || of.starts_with(&format!("{whole}::"));
            let twins = TWINS.contains(&module.as_str()) && TWINS.contains(&used.as_str());
            if !is_part(module, &used) && !twins {
                edges.entry(module.clone()).or_default().insert(used);
            }
        }
    }
    edges
}

/// Returns a path along these edges that ends where it began.
fn circle(edges: &BTreeMap<String, BTreeSet<String>>) -> Option<Vec<String>> {
    fn walk<'e>(
        at: &'e str,
        edges: &'e BTreeMap<String, BTreeSet<String>>,
        way: &mut Vec<&'e str>,
        done: &mut BTreeSet<&'e str>,
    ) -> Option<Vec<String>> {
        if let Some(start) = way.iter().position(|before| *before == at) {
            return Some(way[start..].iter().chain([&at]).map(ToString::to_string).collect());
        }
        if !done.contains(at) {
            way.push(at);
            let found = edges
                .get(at)
                .into_iter()
                .flatten()
                .find_map(|to| walk(to, edges, way, done));
            if found.is_some() {
                return found;
            }
            way.pop();
            done.insert(at);
        }
        None
    }
    let mut done = BTreeSet::new();
    edges
        .keys()
        .find_map(|start| walk(start, edges, &mut Vec::new(), &mut done))
}

#[test]
fn a_cycle_of_files_is_detected() {
    let texts = |pairs: &[(&str, &str)]| {
        let pairs = pairs
            .iter()
            .map(|(module, text)| ((*module).to_owned(), (*text).to_owned()));
        circle(&edges(&pairs.collect()))
    };
    let one_way = [
        ("a", "mod b; use self::b::B;"),
        ("a::b", "use super::A; use super::c::C;"),
        ("a::c", ""),
    ];
    assert_eq!(texts(&one_way), None);
    let found = texts(&[("a::b", "use super::c::C;"), ("a::c", "fn f() -> crate::a::b::B {}")]);
    assert_eq!(found, Some(["a::b", "a::c", "a::b"].map(str::to_owned).to_vec()));
}

/// What all files use of each other, by module.
#[derive(Default)]
struct House {
    modules: BTreeSet<String>,
    /// From module to module, with one place where it occurs.
    uses: BTreeMap<(String, String), String>,
    complaints: Vec<Complaint>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Complaint {
    Up { from: String, to: String, seen: String },
    Circle { modules: Vec<String> },
    Unplaced { module: String },
    RootTaken { seen: String },
    TopCrate { name: String, seen: String },
    Flag { name: String, seen: String },
    Environment { seen: String },
}

impl fmt::Display for Complaint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Up { from, to, seen } => {
                write!(formatter, "{seen}: the module {from} uses {to}, which stands above it")
            }
            Self::Circle { modules } => write!(
                formatter,
                "modules use each other in a circle: {}",
                modules.join(" -> ")
            ),
            Self::Unplaced { module } => write!(formatter, "the module {module} is in no layer; add it to LAYERS"),
            Self::RootTaken { seen } => {
                write!(formatter, "{seen}: takes the whole crate; name the module that is used")
            }
            Self::Flag { name, seen } => write!(formatter, "{seen}: only the top layer may name the flag {name}"),
            Self::Environment { seen } => {
                write!(
                    formatter,
                    "{seen}: only the top layer may read variables of the environment"
                )
            }
            Self::TopCrate { name, seen } => write!(formatter, "{seen}: only the top layer may use {name}"),
        }
    }
}

impl House {
    fn read(&mut self, file: &str, text: &str) {
        let home = module_of(file);
        let module = match home.first() {
            Some(module) => module.clone(),
            // The root of the library only lists the modules.
            None => return,
        };
        self.modules.insert(module.clone());
        for found in paths(text, &home) {
            let seen = format!("src/{file}:{}", found.line);
            match found.path.first() {
                None => self.complaints.push(Complaint::RootTaken { seen }),
                Some(to) if *to == module => {}
                Some(to) => {
                    self.uses.entry((module.clone(), to.clone())).or_insert(seen);
                }
            }
        }
        if !TOP_MODULES.contains(&module.as_str()) {
            self.read_flags(file, text);
            for token in tokens(text) {
                if let Kind::Word(word) = &token.kind
                    && TOP_CRATES.contains(&word.as_str())
                {
                    let seen = format!("src/{file}:{}", token.line);
                    self.complaints.push(Complaint::TopCrate {
                        name: word.clone(),
                        seen,
                    });
                }
            }
        }
    }

    /// Looks for traces of the command line and the environment. Tests may name both.
    fn read_flags(&mut self, file: &str, text: &str) {
        if file.split(['/', '.']).any(|part| part == "tests") {
            return;
        }
        let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        let (tokens, literals) = scan(text);
        for Literal { text, line } in literals {
            let begins = text.match_indices("--").filter(|(at, _)| {
                let before = text[..*at].chars().next_back();
                before.is_none_or(|before| before.is_whitespace() || "\"'`(=".contains(before))
            });
            for (at, _) in begins {
                let word = |letter: char| letter.is_ascii_lowercase() || letter == '-';
                let name = text[at..].split(|letter| !word(letter)).next().unwrap_or_default();
                let is_of_others = FLAGS_OF_OTHERS.iter().any(|(of, flag)| (*of, *flag) == (file, name));
                if name.trim_matches('-').is_empty() || is_of_others {
                    continue;
                }
                let (name, seen) = (name.to_owned(), format!("src/{file}:{line}"));
                self.complaints.push(Complaint::Flag { name, seen });
            }
        }
        let is_word =
            |token: &Token, words: &[&str]| matches!(&token.kind, Kind::Word(word) if words.contains(&&**word));
        for window in tokens.windows(3) {
            if is_word(&window[0], &["env"])
                && window[1].kind == Kind::Joint
                && is_word(&window[2], &["var", "var_os", "vars", "vars_os"])
            {
                let seen = format!("src/{file}:{}", window[0].line);
                self.complaints.push(Complaint::Environment { seen });
            }
        }
    }

    fn complaints(&self) -> Vec<Complaint> {
        let mut complaints = self.complaints.clone();
        let mentioned = self.uses.keys().map(|(_, to)| to).chain(&self.modules);
        let unplaced: BTreeSet<_> = mentioned.filter(|module| layer(module).is_none()).collect();
        complaints.extend(
            unplaced
                .into_iter()
                .map(|module| Complaint::Unplaced { module: module.clone() }),
        );
        for ((from, to), seen) in &self.uses {
            if let (Some(own), Some(other)) = (layer(from), layer(to))
                && other < own
            {
                complaints.push(Complaint::Up {
                    from: from.clone(),
                    to: to.clone(),
                    seen: seen.clone(),
                });
            }
        }
        complaints.extend(self.circle().map(|modules| Complaint::Circle { modules }));
        complaints
    }

    /// Returns a cycle, if there is one.
    fn circle(&self) -> Option<Vec<String>> {
        let mut edges: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (from, to) in self.uses.keys() {
            edges.entry(from.clone()).or_default().insert(to.clone());
        }
        circle(&edges)
    }
}

fn layer(module: &str) -> Option<usize> {
    LAYERS.iter().position(|layer| layer.contains(&module))
}

/// Returns the module path of a file under `src`: `index/mod.rs` and `index.rs` are `index`, `lib.rs` is the root.
fn module_of(file: &str) -> Vec<String> {
    let mut parts: Vec<_> = file.trim_end_matches(".rs").split('/').map(str::to_owned).collect();
    if parts.last().is_some_and(|last| last == "mod" || last == "lib") {
        parts.pop();
    }
    parts
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Kind {
    Word(String),
    /// `::`
    Joint,
    Sign(char),
}

struct Token {
    kind: Kind,
    line: usize,
}

/// A string, with its delimiters and escapes.
struct Literal {
    text: String,
    line: usize,
}

/// Returns words and signs, without comments, strings, character literals and lifetimes.
fn tokens(text: &str) -> Vec<Token> {
    scan(text).0
}

/// Returns words and signs, and strings.
fn scan(text: &str) -> (Vec<Token>, Vec<Literal>) {
    let characters: Vec<char> = text.chars().collect();
    let at = |index: usize| characters.get(index).copied().unwrap_or('\0');
    let (mut found, mut literals) = (Vec::new(), Vec::new());
    let (mut index, mut line) = (0, 1);
    while index < characters.len() {
        let begin = index;
        let (mut kind, mut is_string) = (None, false);
        match at(index) {
            '/' if at(index + 1) == '/' => {
                while index < characters.len() && at(index) != '\n' {
                    index += 1;
                }
            }
            '/' if at(index + 1) == '*' => {
                let mut depth = 0;
                loop {
                    match (at(index), at(index + 1)) {
                        ('/', '*') => (depth, index) = (depth + 1, index + 2),
                        ('*', '/') => (depth, index) = (depth - 1, index + 2),
                        _ => index += 1,
                    }
                    if depth == 0 || index >= characters.len() {
                        break;
                    }
                }
            }
            '"' => (index, is_string) = (end_of_string(&characters, index), true),
            'r' | 'b' | 'c' if raw_string(&characters, index).is_some() => {
                (index, is_string) = (raw_string(&characters, index).unwrap_or(index + 1), true);
            }
            '\'' => {
                if at(index + 1) == '\\' {
                    index += 3;
                    while index < characters.len() && at(index) != '\'' {
                        index += 1;
                    }
                    index += 1;
                } else if at(index + 2) == '\'' {
                    index += 3;
                } else {
                    // A lifetime or a label: its name is not a path.
                    index += 1;
                    while at(index).is_alphanumeric() || at(index) == '_' {
                        index += 1;
                    }
                }
            }
            character if character.is_alphanumeric() || character == '_' => {
                while at(index).is_alphanumeric() || at(index) == '_' {
                    index += 1;
                }
                let word: String = characters[begin..index].iter().collect();
                if word == "r" && at(index) == '#' {
                    index += 1;
                } else {
                    kind = Some(Kind::Word(word));
                }
            }
            ':' if at(index + 1) == ':' => {
                kind = Some(Kind::Joint);
                index += 2;
            }
            character => {
                if !character.is_whitespace() {
                    kind = Some(Kind::Sign(character));
                }
                index += 1;
            }
        }
        if let Some(kind) = kind {
            found.push(Token { kind, line });
        }
        if is_string {
            let text = characters[begin..index.min(characters.len())].iter().collect();
            literals.push(Literal { text, line });
        }
        line += characters[begin..index.min(characters.len())]
            .iter()
            .filter(|c| **c == '\n')
            .count();
    }
    (found, literals)
}

fn end_of_string(characters: &[char], start: usize) -> usize {
    let mut index = start + 1;
    while index < characters.len() && characters[index] != '"' {
        index += if characters[index] == '\\' { 2 } else { 1 };
    }
    index + 1
}

/// Returns the end of a raw or byte string that begins here.
fn raw_string(characters: &[char], start: usize) -> Option<usize> {
    if start > 0 && (characters[start - 1].is_alphanumeric() || characters[start - 1] == '_') {
        return None;
    }
    let prefix = characters[start..]
        .iter()
        .take_while(|c| matches!(c, 'r' | 'b' | 'c'))
        .count();
    let hashes = characters[start + prefix..].iter().take_while(|c| **c == '#').count();
    let quote = start + prefix + hashes;
    if prefix > 2 || characters.get(quote) != Some(&'"') {
        return None;
    }
    if !characters[start..start + prefix].contains(&'r') {
        return (hashes == 0).then(|| end_of_string(characters, quote));
    }
    let closes = |at: &usize| characters[*at] == '"' && (1..=hashes).all(|n| characters.get(at + n) == Some(&'#'));
    let end = (quote + 1..characters.len()).find(closes)?;
    Some(end + hashes + 1)
}

/// A path of this crate, from its root.
#[derive(Debug, PartialEq, Eq)]
struct Found {
    path: Vec<String>,
    line: usize,
}

/// Returns every path that begins with `crate`, `super`, `self` or the name of the library, resolved from the module
/// `home`.
fn paths(text: &str, home: &[String]) -> Vec<Found> {
    let tokens = tokens(text);
    let mut found = Vec::new();
    // The modules that are open here, with the brace depth at which they were opened.
    let mut inner: Vec<(String, usize)> = Vec::new();
    let mut depth: usize = 0;
    let mut index = 0;
    while let Some(token) = tokens.get(index) {
        let next = |ahead: usize| tokens.get(index + ahead).map(|token| &token.kind);
        let continues = index > 0 && tokens[index - 1].kind == Kind::Joint;
        match &token.kind {
            Kind::Sign('{') => depth += 1,
            Kind::Sign('}') => {
                depth = depth.saturating_sub(1);
                inner.retain(|(_, opened)| *opened < depth + 1);
            }
            Kind::Word(word) if word == "mod" => {
                if let (Some(Kind::Word(name)), Some(Kind::Sign('{'))) = (next(1), next(2)) {
                    inner.push((name.clone(), depth + 1));
                    depth += 1;
                    index += 2;
                }
            }
            Kind::Word(word) if !continues && matches!(word.as_str(), "crate" | "super" | "self" | "opmx") => {
                let leads_on = next(1) == Some(&Kind::Joint);
                let taken_whole = matches!(next(1), Some(Kind::Word(word)) if word == "as");
                let own = word == "self" || (word == "opmx" && !leads_on);
                if leads_on || (taken_whole && !own) {
                    let mut here = home.to_vec();
                    here.extend(inner.iter().map(|(name, _)| name.clone()));
                    index = follow(&tokens, index, &here, &here, &mut found);
                    continue;
                }
            }
            _ => {}
        }
        index += 1;
    }
    found
}

/// Reads one branch of a path that begins at `index`, in the module `here`, and returns where it ends.
fn follow(tokens: &[Token], mut index: usize, base: &[String], here: &[String], found: &mut Vec<Found>) -> usize {
    let line = tokens[index].line;
    let mut path = base.to_vec();
    loop {
        match tokens.get(index).map(|token| &token.kind) {
            Some(Kind::Word(word)) => match word.as_str() {
                "crate" | "opmx" if path == here => path.clear(),
                "super" => {
                    path.pop();
                }
                "self" => {}
                _ => path.push(word.clone()),
            },
            Some(Kind::Sign('*')) => {}
            Some(Kind::Sign('{')) => {
                index += 1;
                while let Some(token) = tokens.get(index) {
                    match token.kind {
                        Kind::Sign('}') => return index + 1,
                        Kind::Word(_) | Kind::Sign('*' | '{') => {
                            index = follow_within(tokens, index, &path, found);
                        }
                        _ => index += 1,
                    }
                }
                return index;
            }
            _ => break,
        }
        index += 1;
        if tokens.get(index).map(|token| &token.kind) != Some(&Kind::Joint) {
            break;
        }
        index += 1;
    }
    found.push(Found { path, line });
    index
}

fn follow_within(tokens: &[Token], index: usize, base: &[String], found: &mut Vec<Found>) -> usize {
    // Inside braces, `crate` cannot begin a path, so nothing may be taken for the root.
    let nowhere = [String::new()];
    let mut end = follow(tokens, index, base, &nowhere, found);
    if matches!(tokens.get(end).map(|token| &token.kind), Some(Kind::Word(word)) if word == "as") {
        end += 2;
    }
    end
}

/// Returns what the checker reports about one file.
fn complaints(file: &str, text: &str) -> Vec<Complaint> {
    let mut house = House::default();
    house.read(file, text);
    house.complaints()
}

fn used(file: &str, text: &str) -> Vec<String> {
    let mut house = House::default();
    house.read(file, text);
    house.uses.into_keys().map(|(_, to)| to).collect()
}

#[test]
fn every_way_to_refer_to_a_module_is_recognized() {
    for text in [
        "use crate::index::Database;",
        "use crate::{diagnostic::Diagnostic, index::{self, Database}};",
        "pub use crate::index as catalog_index;",
        "fn f() { let x = crate::index::open(); }",
        "fn f(x: &crate::index::Database) {}",
        "#[from(crate::index::Error)] struct S;",
        "use super::super::index::Database;",
        "use super::{super::index::Database, other};",
        "mod tests { use super::super::super::index; }",
        "mod tests { fn f<'a>() { match '{' { _ => super::super::super::index::open() } } }",
        "macro_rules! m { () => { $crate::index::open() } }",
        "use opmx::index::Database;",
        "pub(in crate::index) fn f() {}",
    ] {
        assert!(used("bundle/media.rs", text).contains(&"index".to_owned()), "{text}");
        let said = complaints("bundle/media.rs", text);
        assert!(
            matches!(&said[..], [Complaint::Up { from, to, .. }] if from == "bundle" && to == "index"),
            "{text}: {said:?}"
        );
    }
}

#[test]
fn text_that_is_not_an_import_is_ignored() {
    for text in [
        "// use crate::index::Database;",
        "/* crate::index /* nested */ crate::index */",
        "/// See [`crate::index::Database`].",
        r##"const A: &str = "crate::index"; const B: &str = r#"crate::index " "#; const C: char = '"';"##,
        "use super::Media; use self::parts::One; use crate::bundle::index::Two;",
        "mod tests { use super::*; use super::super::Bundle; }",
        "pub(crate) fn f() {} pub(super) fn g() {} fn h(self) { self.index() }",
        "use crate::diagnostic::Diagnostic; use crate::text::yaml; use crate::csv::Csv;",
        "use std::{fs::File, io::{self, Write}}; use other::index::Database;",
    ] {
        assert_eq!(complaints("bundle/media.rs", text), [], "{text}");
    }
}

#[test]
fn the_whole_crate_cannot_be_imported_under_another_name() {
    for text in [
        "use crate as all;",
        "use crate::*;",
        "use super::super as all;",
        "use crate::{self as all};",
        "mod tests { use super::super::super::*; }",
    ] {
        let said = complaints("bundle/media.rs", text);
        assert!(matches!(&said[..], [Complaint::RootTaken { .. }]), "{text}: {said:?}");
    }
}

#[test]
fn modules_of_one_layer_import_each_other_in_one_direction_only() {
    let mut house = House::default();
    house.read("mirror/mod.rs", "use crate::install::Plan;");
    assert_eq!(house.complaints(), []);
    house.read("install.rs", "fn f() -> crate::mirror::Images {}");
    let modules = ["install", "mirror", "install"].map(str::to_owned).to_vec();
    assert_eq!(house.complaints(), [Complaint::Circle { modules }]);
}

#[test]
fn only_the_top_layer_uses_the_command_line() {
    let text = "#[derive(clap::Parser)] struct A;";
    assert_eq!(complaints("cli/mod.rs", text), []);
    assert_eq!(complaints("terminal/table.rs", text), []);
    let said = complaints("index/mod.rs", text);
    assert!(
        matches!(&said[..], [Complaint::TopCrate { name, .. }] if name == "clap"),
        "{said:?}"
    );
    assert_eq!(
        complaints(
            "index/mod.rs",
            "// clap and indicatif are not used here\nconst A: &str = \"clap\";"
        ),
        []
    );
}

#[test]
fn a_module_without_a_layer_is_detected() {
    let said = complaints("attic/mod.rs", "use crate::cellar::Wine;");
    let module = |name: &str| Complaint::Unplaced {
        module: name.to_owned(),
    };
    assert_eq!(said, [module("attic"), module("cellar")]);
}

#[test]
fn the_terminal_layer_cannot_import_the_command_line() {
    let said = complaints("terminal/output.rs", "use crate::cli::error::Status;");
    assert!(matches!(&said[..], [Complaint::Up { .. }]), "{said:?}");
}

#[test]
fn only_the_top_layer_names_flags_and_reads_the_environment() {
    for text in [
        r#"const A: &str = "raise it with --max-files";"#,
        r#"const A: &str = "--max-files";"#,
        r#"#[error("no answer; give more with `--max-steps`")] struct A;"#,
        "const A: &str = \"one \\\n    --two\";",
        "fn f() { std::env::var_os(NAME) }",
    ] {
        assert_eq!(complaints("cli/mod.rs", text), []);
        let said = complaints("image/error.rs", text);
        assert!(
            matches!(&said[..], [Complaint::Flag { .. } | Complaint::Environment { .. }]),
            "{text}: {said:?}"
        );
    }
    for text in [
        "/// The option `--max-files`.\nconst A: &str = \"a--b, a -- b, -----, --- and --\";",
        "#[cfg(test)]\nmod tests { const A: &str = \"--max-files\"; }",
        "const A: &str = env!(\"CARGO_MANIFEST_DIR\");",
    ] {
        assert_eq!(complaints("image/error.rs", text), [], "{text}");
    }
}
