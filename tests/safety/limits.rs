//! Every command that reads untrusted input has flags for its limits, and names them in errors.

use crate::bundles::{self, Release};
use crate::common::{Outcome, Sandbox, copy_folder};
use crate::indexes;
use clap::Command;
use rusqlite::Connection;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Command lines that read an index of either form, with INDEX as the placeholder.
const OF_INDEXES: [&str; 36] = [
    "alpha list bundles INDEX",
    "alpha list channels INDEX",
    "alpha list packages INDEX",
    "alpha render-graph INDEX",
    "bundle build plain -t oci:layout:v1 --api-source INDEX",
    "bundle inspect plain --api-source INDEX",
    "bundle init new --from raw --package raw --version 1.0.0 --api-source INDEX",
    "bundle synthesize plain --api-source INDEX",
    "bundle update plain --from raw --version 9.0.0 --api-source INDEX",
    "bundle validate plain --api-source INDEX",
    "index add -b plain -f INDEX -t oci:layout:v1",
    "index check INDEX",
    "index deprecatetruncate -b registry.example.com/tool:1.0.0 -f INDEX -t oci:layout:v1",
    "index diff INDEX INDEX",
    "index export -i INDEX",
    "index extract tool -f INDEX -o out",
    "index graph INDEX",
    "index list bundles INDEX",
    "index list channels INDEX",
    "index list images INDEX",
    "index list packages INDEX",
    "index page INDEX -o site",
    "index promote tool.v1.0.0 -c fast -f INDEX -t oci:layout:v1",
    "index prune -p tool -f INDEX -t oci:layout:v1",
    "index prune-stranded -f INDEX -t oci:layout:v1",
    "index rm -o tool -f INDEX -t oci:layout:v1",
    "migrate INDEX out",
    "mirror plan --catalog INDEX",
    "operator dump.yaml --catalog INDEX",
    "permissions tool.v1.0.0 --index INDEX",
    "permissions diff tool.v1.0.0 tool.v1.0.0 --index INDEX",
    "plan tool.v1.0.0 --index INDEX",
    "plan --cluster dump.yaml --catalog all=INDEX",
    "render INDEX",
    "resolve tool --catalog INDEX",
    "serve INDEX --address 127.0.0.1 --port 0 --timeout-seconds 0",
];

/// Command lines that read only one form of an index, bundles, templates or dumps, each with a limit that is too low.
const OF_OTHERS: [(&str, &str); 35] = [
    ("alpha bundle validate --tag oci:images:v1", "--max-total-size"),
    (
        "alpha convert-template substitutes catalog/tool.yaml",
        "--max-total-size",
    ),
    ("alpha render-template basic template.yaml", "--max-total-size"),
    ("bundle convert plain converted --to registry+v1", "--max-total-size"),
    (
        "bundle generate --directory plain/manifests --package tool",
        "--max-total-size",
    ),
    ("bundle inspect plain", "--max-total-size"),
    ("bundle unpack plain -o out", "--max-total-size"),
    ("bundle validate plain", "--max-total-size"),
    ("catalog add catalog -b plain --channel stable", "--max-total-size"),
    ("catalog rm catalog tool", "--max-total-size"),
    ("catalog prune catalog -p tool", "--max-total-size"),
    ("catalog truncate catalog tool --below 1.0.0", "--max-total-size"),
    ("catalog fmt catalog", "--max-total-size"),
    ("catalog merge catalog catalog -o merged", "--max-total-size"),
    ("catalog deprecate catalog tool -m x", "--max-total-size"),
    ("catalog undeprecate catalog tool", "--max-total-size"),
    (
        "catalog release repository/operators/greenhouse-operator --bundle plain",
        "--max-total-size",
    ),
    ("catalog lifecycle catalog tool --remove", "--max-total-size"),
    ("catalog channel copy catalog tool stable fast", "--max-total-size"),
    ("catalog channel rename catalog tool stable fast", "--max-total-size"),
    ("catalog channel set-default catalog tool stable", "--max-total-size"),
    ("catalog build catalog -t oci:layout:v1 --no-binary", "--max-total-size"),
    ("index from-fbc catalog -t oci:layout:v1", "--max-total-size"),
    ("index check index.db --fix", "--max-database-steps"),
    ("operator migrate dump.yaml", "--max-total-size"),
    ("registry add -b plain -d new.db", "--max-total-size"),
    ("registry add -b plain -d index.db", "--max-database-steps"),
    (
        "registry deprecatetruncate -b registry.example.com/tool:1.0.0 -d index.db",
        "--max-database-steps",
    ),
    (
        "registry promote tool.v1.0.0 -c fast -d index.db",
        "--max-database-steps",
    ),
    ("registry prune -p tool -d index.db", "--max-database-steps"),
    ("registry prune-stranded -d index.db", "--max-database-steps"),
    ("registry rm -o tool -d index.db", "--max-database-steps"),
    (
        "registry serve -d index.db --address 127.0.0.1 --port 0 --timeout-seconds 0",
        "--max-database-steps",
    ),
    ("upgrade-check dump.yaml", "--max-total-size"),
    ("validate catalog", "--max-total-size"),
];

/// Commands that read no untrusted input.
const OF_NOTHING: [&str; 12] = [
    "alpha bundle extract",
    "bundle rules",
    "bundle schema",
    "completion",
    "generate dockerfile",
    "init",
    "man",
    "mirror schema",
    "operator crds",
    "registry mirror",
    "upgrade-check init",
    "version",
];

/// Commands that read plans and archives, which have fixed limits.
const OF_PLANS: [&str; 6] = [
    "mirror copy",
    "mirror delete",
    "mirror diff",
    "mirror load",
    "mirror manifests",
    "mirror verify",
];

/// All commands without subcommands, by their words.
fn commands(command: &Command, words: &str, found: &mut BTreeSet<String>) {
    let mut alone = true;
    for below in command.get_subcommands() {
        alone = false;
        commands(below, format!("{words} {}", below.get_name()).trim_start(), found);
    }
    if alone || !command.is_subcommand_required_set() {
        found.insert(words.to_owned());
    }
}

/// The command of a command line.
fn called<'c>(root: &'c Command, line: &str) -> (&'c Command, String) {
    let (mut command, mut words) = (root, Vec::new());
    for word in line.split(' ') {
        let Some(below) = command.find_subcommand(word) else {
            break;
        };
        command = below;
        words.push(word);
    }
    (command, words.join(" "))
}

/// The limit flags in a string.
fn limits(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '-');
    words.filter(|word| word.starts_with("--max-"))
}

fn garden() -> Sandbox {
    let sandbox = Sandbox::new();
    indexes::catalog(&sandbox.path("catalog"));
    indexes::repository(&sandbox.path("repository"));
    let database = sandbox.path("index.db");
    bundles::add(Release::line_of("tool", 2), &database);
    // Whatever is read of a database, it takes more than a thousand steps.
    let numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)";
    let connection = Connection::open(&database).unwrap();
    let fill = format!(
        "PRAGMA foreign_keys = OFF;
         INSERT INTO package(name, default_channel) {numbers} SELECT 'p' || i, 'stable' FROM n;
         INSERT INTO channel(name, package_name, head_operatorbundle_name) {numbers} SELECT 'c' || i, 'tool', 'tool.v1.1.0' FROM n;
         INSERT INTO channel_entry(channel_name, package_name, operatorbundle_name, depth) {numbers}
         SELECT 'stable', 'tool', 'tool.v1.1.0', i FROM n;
         INSERT INTO api(group_name, version, kind, plural) {numbers} SELECT 'g', 'v1', 'K' || i, 'k' || i FROM n;
         INSERT INTO operatorbundle(name) {numbers} SELECT 'b' || i FROM n"
    );
    connection.execute_batch(&fill).unwrap();
    drop(connection);
    let bundle = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/greenhouse-operator");
    copy_folder(&bundle, &sandbox.path("plain"));
    copy_folder(&bundle.join("manifests"), &sandbox.path("raw"));
    let built = sandbox.run(["bundle", "build", "-q", "plain", "-t", "oci:images:v1"]);
    assert_eq!(built.status, Some(0), "{built}");
    let dump = "apiVersion: operators.coreos.com/v1alpha1\nkind: CatalogSource\n\
                metadata: {name: all, namespace: operators}\nspec: {image: registry.example.com/index:v1}\n";
    fs::write(sandbox.path("dump.yaml"), dump).unwrap();
    let template = "schema: olm.template.basic\nentries:\n- schema: olm.bundle\n  image: plain\n";
    fs::write(sandbox.path("template.yaml"), template).unwrap();
    sandbox
}

/// The problem in the rejection of a command line by its limit: it must name the flag of the limit, and no other flag
/// that the command lacks.
fn fault(root: &Command, outcome: &Outcome, line: &str, flag: &str) -> Option<String> {
    let said = format!("{}{}", outcome.stderr, outcome.stdout);
    if outcome.status != Some(1) || !limits(&said).any(|named| named == flag) {
        return Some(format!("{line} {flag} 1: {outcome}"));
    }
    let (command, words) = called(root, line);
    let lacks = |named: &&str| {
        let is = |argument: &clap::Arg| argument.get_long() == named.strip_prefix("--");
        !command.get_arguments().any(is)
    };
    let named = limits(&said).find(lacks)?;
    Some(format!("{words} names {named}, which it does not have: {outcome}"))
}

#[test]
fn every_command_that_reads_untrusted_input_has_limit_flags() {
    let root = opmx::cli::command("opmx");
    let (mut all, mut tried) = (
        BTreeSet::new(),
        OF_NOTHING
            .iter()
            .chain(&OF_PLANS)
            .map(|&words| words.to_owned())
            .collect::<BTreeSet<_>>(),
    );
    commands(&root, "", &mut all);
    let forms = [("catalog", "--max-total-size"), ("index.db", "--max-database-steps")];
    let of_indexes = OF_INDEXES.iter().flat_map(|line| {
        let of = |(index, flag): (&str, &'static str)| (line.replace("INDEX", index), flag);
        forms.map(of)
    });
    let of_others = OF_OTHERS.map(|(line, flag)| (line.to_owned(), flag));
    let sandbox = garden();
    let mut faults = Vec::new();
    for (line, flag) in of_indexes.chain(of_others) {
        tried.insert(called(&root, &line).1);
        let outcome = sandbox.run(line.split(' ').chain([flag, "1"]));
        faults.extend(fault(&root, &outcome, &line, flag));
    }
    let is_tried =
        |words: &str| tried.contains(words) || words.strip_prefix("alpha ").is_some_and(|words| tried.contains(words));
    let untried = all.iter().filter(|words| !is_tried(words));
    let untried = untried.map(|words| format!("not tried: {words}"));
    faults.extend(untried);
    assert!(faults.is_empty(), "{} faults\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn api_sources_count_towards_the_limits() {
    let sandbox = garden();
    let table: String = (0..400)
        .map(|number| format!("r{number}  v1  true  K{number}\n"))
        .collect();
    let list: Vec<_> = (0..100)
        .map(|number| format!(r#"{{"name":"r{number}","kind":"K"}}"#))
        .collect();
    let list = format!(
        r#"{{"kind":"APIResourceList","groupVersion":"v1","resources":[{}]}}"#,
        list.join(",")
    );
    fs::write(
        sandbox.path("table.txt"),
        format!("NAME  APIVERSION  NAMESPACED  KIND\n{table}"),
    )
    .unwrap();
    fs::create_dir(sandbox.path("lists")).unwrap();
    for number in 0..4 {
        fs::write(sandbox.path(format!("lists/{number}.json")), &list).unwrap();
    }
    // Each of the lists alone has fewer.
    for source in ["table.txt", "lists"] {
        let synthesize = ["bundle", "synthesize", "plain", "--api-source", source, "--max-values"];
        let outcome = sandbox.run(synthesize.into_iter().chain(["1000"]));
        assert_eq!(outcome.status, Some(1), "{outcome}");
        let says = format!("error: {source} lists more than 142 resources\n  hint: raise the limit with --max-values");
        assert!(outcome.stderr.contains(&says), "{outcome}");
        let outcome = sandbox.run(synthesize.into_iter().chain(["10000"]));
        assert_eq!(outcome.status, Some(0), "{outcome}");
    }
}
