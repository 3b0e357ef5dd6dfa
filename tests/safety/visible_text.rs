//! Untrusted text reaches the terminal and the CI only as text: without control characters, without changes of the text
//! direction, without line breaks, and without workflow commands.
//!
//! Every command runs on bundles, indexes, catalogs, dumps and files that contain all of this in every field. A new
//! command fails here until its command lines are added.

use crate::command::commands;
use crate::common::{Outcome, Sandbox};
use opmx::text::to_yaml;
use rusqlite::Connection;
use rusqlite::types::Value as Cell;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Everything that must not be printed raw. The word in the middle shows whether any of it was printed.
const HOSTILE: &str = "\n::stop-commands::x\r\u{1b}[2J\u{1b}]0;x\u{7}\u{9b}31m\u{7f}\u{202e}\u{2066}\u{200f}\u{61c}\
                       \u{2028}\u{e0041}##[add-mask]x ##vso[task.x]\n  ::add-mask::x\nerror: not ours\n";
const SEEN: &str = "add-mask";
/// The part of it that is possible in a file name.
const FILE: &str = "x\n::stop-commands::add-mask\u{1b}[2J\u{202e}##[x]";

/// A command, and its command lines. `FORM` is replaced by each of the `-o` formats listed after the line.
type Tried = (&'static str, &'static [(&'static str, &'static [&'static str])]);

const LINES: &[Tried] = &[
    (
        "alpha convert-template",
        &[("basic catalog/catalog.json -o FORM", &["json", "yaml"])],
    ),
    (
        "alpha render-template",
        &[
            ("template.yaml -o FORM", &["json", "yaml", "mermaid"]),
            ("basic.yaml -o FORM", &["json", "yaml", "mermaid"]),
        ],
    ),
    (
        "bundle build",
        &[("rake -t oci:built:v1", &[]), ("sound -t oci:built:v2", &[])],
    ),
    (
        "bundle convert",
        &[("hoe out1 --to registry+v1", &[]), ("rake out2 --to k8s+v1", &[])],
    ),
    ("bundle generate", &[("-d generated/manifests -p x -c y", &[])]),
    ("bundle init", &[("new --from broken/manifests --version 1.0.0", &[])]),
    (
        "bundle update",
        &[("rake --from broken/manifests --version 9.0.0", &[])],
    ),
    (
        "bundle inspect",
        &[
            ("rake -o FORM", TJY),
            ("hoe -o FORM", TJY),
            ("oci:image:v1 -o FORM", TJY),
            ("broken", &[]),
        ],
    ),
    (
        "bundle rules",
        &[("-o FORM", TJY), ("name-hidden-character -o FORM", TJY)],
    ),
    ("bundle schema", &[("", &[])]),
    (
        "bundle synthesize",
        &[
            ("hoe -o FORM", JY),
            ("hoe --explain -o FORM", JY),
            ("hoe --explain", &[]),
            ("broken", &[]),
        ],
    ),
    ("bundle unpack", &[("rake -o out3", &[]), ("broken -o out4", &[])]),
    (
        "bundle validate",
        &[
            ("rake hoe broken oci:image:v1 -o FORM", REPORTS),
            ("rake -v -o FORM", &["text"]),
            ("rake --as opm -o FORM", REPORTS),
            ("mendable --fix --dry-run", &[]),
        ],
    ),
    ("completion", &[("bash", &[])]),
    (
        "catalog add",
        &[
            ("catalog -b rake --channel stable --dry-run", &[]),
            ("damaged -b rake --channel stable --dry-run", &[]),
        ],
    ),
    (
        "catalog rm",
        &[("catalog PACKAGE --dry-run", &[]), ("damaged PACKAGE --dry-run", &[])],
    ),
    ("catalog prune", &[("damaged -p PACKAGE --dry-run", &[])]),
    (
        "catalog merge",
        &[("damaged catalog -o merged", &[]), ("catalog catalog -o merged2", &[])],
    ),
    ("catalog fmt", &[("damaged --dry-run", &[]), ("catalog --check", &[])]),
    ("catalog truncate", &[("catalog PACKAGE --below 9.0.0 --dry-run", &[])]),
    ("catalog deprecate", &[("damaged PACKAGE -m text --dry-run", &[])]),
    ("catalog undeprecate", &[("damaged PACKAGE --dry-run", &[])]),
    (
        "catalog release",
        &[("repository/operators/rake 1.2.0 --bundle rake --dry-run", &[])],
    ),
    (
        "catalog lifecycle",
        &[("damaged PACKAGE 1.0 --phase all=2026-01-01..2026-12-31 --dry-run", &[])],
    ),
    (
        "catalog channel copy",
        &[("catalog PACKAGE stable fast --dry-run", &[])],
    ),
    (
        "catalog channel rename",
        &[("catalog PACKAGE stable fast --dry-run", &[])],
    ),
    (
        "catalog channel set-default",
        &[("catalog PACKAGE stable --dry-run", &[])],
    ),
    (
        "catalog build",
        &[
            ("catalog -t oci:g:v1 --no-binary", &[]),
            ("damaged -t oci:h:v1 --no-binary", &[]),
        ],
    ),
    ("generate dockerfile", &[("catalog", &[])]),
    (
        "index add",
        &[
            ("-f index.db -b rake,hoe,sound --dry-run", &[]),
            ("-f index.db -b sound -t oci:i:v1 -i oci:image:v1", &[]),
        ],
    ),
    (
        "index check",
        &[
            ("index.db -o FORM", TJY),
            ("catalog -o FORM", TJY),
            ("index.db --for registry+v1 -o FORM", TJY),
        ],
    ),
    (
        "index deprecatetruncate",
        &[("-f index.db -b registry.example.com/rake:1 --dry-run", &[])],
    ),
    (
        "index diff",
        &[("index.db sound.db -o FORM", DIFF), ("sound.db catalog -o FORM", DIFF)],
    ),
    (
        "index export",
        &[("-i index.db -f out5", &[]), ("-i catalog -f out6", &[])],
    ),
    (
        "index extract",
        &[
            ("PACKAGE -f index.db -o out9", &[]),
            ("PACKAGE -f catalog -d out10.db", &[]),
            ("PACKAGE -f index.db --dry-run", &[]),
        ],
    ),
    (
        "index from-fbc",
        &[("catalog --dry-run", &[]), ("catalog -t oci:f:v1 -i oci:image:v1", &[])],
    ),
    (
        "index graph",
        &[
            ("index.db -o FORM", &["mermaid", "dot", "svg"]),
            ("catalog -o FORM", &["mermaid", "dot", "svg"]),
        ],
    ),
    (
        "index list bundles",
        &[("index.db -o FORM", TJY), ("catalog -o FORM", TJY)],
    ),
    (
        "index list channels",
        &[("index.db -o FORM", TJY), ("catalog -o FORM", TJY)],
    ),
    (
        "index list images",
        &[
            ("index.db -o FORM", TJY),
            ("catalog -o mapping --to mirror.example.com/x", &[]),
        ],
    ),
    (
        "index list packages",
        &[("index.db -o FORM", TJY), ("catalog -o FORM", TJY)],
    ),
    ("index page", &[("index.db -o site1", &[]), ("catalog -o site2", &[])]),
    ("index promote", &[("-f index.db NAME -c fast --dry-run", &[])]),
    ("index prune", &[("-f index.db -p PACKAGE --dry-run", &[])]),
    ("index prune-stranded", &[("-f index.db --dry-run", &[])]),
    (
        "index rm",
        &[
            ("-f index.db -o rake --dry-run", &[]),
            ("-f index.db -o NAME --dry-run", &[]),
        ],
    ),
    ("init", &[("PROSE -d prose.txt -o FORM", JY)]),
    ("man", &[("manual", &[])]),
    (
        "migrate",
        &[
            ("index.db out7 -o FORM", &["json"]),
            ("catalog out8 -o FORM", &["yaml"]),
        ],
    ),
    (
        "mirror copy",
        &[
            ("plan.json --to 127.0.0.1:1/x --retries 0", &[]),
            ("plan.json --to-archive archive --retries 0", &[]),
            ("tagged.json --to 127.0.0.1:1/x --retries 0", &[]),
        ],
    ),
    (
        "mirror delete",
        &[
            ("plan.json --keep-nothing --at 127.0.0.1:1/x --retries 0", &[]),
            ("plan.json --keep-nothing --apply --at 127.0.0.1:1/x --retries 0", &[]),
        ],
    ),
    ("mirror diff", &[("plan.json nothing.json -o FORM", TJY)]),
    ("mirror load", &[("archive --to 127.0.0.1:1/x --retries 0", &[])]),
    (
        "mirror manifests",
        &[("plan.json --to 127.0.0.1:1/x -o manifests", &[])],
    ),
    (
        "mirror plan",
        &[
            ("--catalog catalog --no-binary --retries 0 -o planned.json", &[]),
            (
                "--catalog catalog -p PACKAGE --no-binary --retries 0 -o planned.json",
                &[],
            ),
            ("-c imageset.yaml --no-binary --retries 0 -o planned.json", &[]),
        ],
    ),
    ("mirror schema", &[("", &[])]),
    (
        "mirror verify",
        &[
            ("plan.json --at 127.0.0.1:1/x --retries 0 -o FORM", TJY),
            ("plan.json --at archive -o FORM", TJY),
        ],
    ),
    (
        "operator",
        &[
            ("dump.yaml -o FORM", TJY),
            ("dump.yaml --catalog index.db -o FORM", TJY),
        ],
    ),
    ("operator crds", &[("-o FORM", TJY)]),
    (
        "operator migrate",
        &[
            ("dump.yaml -o FORM", TJY),
            ("dump.yaml --catalog index.db -o FORM", TJY),
        ],
    ),
    (
        "permissions",
        &[
            ("rake -o FORM", TJY),
            ("NAME --index index.db -o FORM", TJY),
            ("rake --as role --service-account x/y -o FORM", TJY),
        ],
    ),
    ("permissions diff", &[("sound rake -o FORM", TJY)]),
    (
        "plan",
        &[
            ("rake -o FORM", TJY),
            ("NAME --index index.db -o FORM", TJY),
            ("sound --cluster dump.yaml -o FORM", TJY),
        ],
    ),
    (
        "registry add",
        &[
            ("-b rake,hoe,sound,broken -d copy1.db", &[]),
            ("-b sound -d index.db --dry-run -v", &[]),
        ],
    ),
    (
        "registry deprecatetruncate",
        &[("-b registry.example.com/rake:1 -d copy2.db", &[])],
    ),
    ("registry promote", &[("NAME -c fast -d copy6.db", &[])]),
    ("registry prune", &[("-p PACKAGE -d copy3.db", &[])]),
    ("registry prune-stranded", &[("-d copy4.db", &[])]),
    ("registry rm", &[("-o NAME -d copy5.db", &[])]),
    ("registry serve", &[("-d catalog --port 0", &[])]),
    (
        "render",
        &[
            ("index.db -o FORM", JY),
            ("catalog -o FORM", JY),
            ("rake -o FORM", JY),
            ("sound -o FORM", JY),
        ],
    ),
    (
        "resolve",
        &[
            ("PACKAGE --catalog index.db -o FORM", TJY),
            ("rak --catalog catalog -o FORM", TJY),
            ("--state state.yaml --explain -o FORM", TJY),
        ],
    ),
    (
        "serve",
        &[("index.db --cache-only", &[]), ("catalog --cache-only -v", &[])],
    ),
    (
        "upgrade-check",
        &[("dump.yaml -o FORM", TJY), ("--state state.yaml -o FORM", TJY)],
    ),
    ("upgrade-check init", &[("--name x.v1.0.0 --namespace y", &[])]),
    (
        "validate",
        &[("catalog -o FORM", CATALOG), ("damaged -o FORM", CATALOG)],
    ),
    // Not in the help.
    ("alpha list bundles", &[("index.db", &[])]),
    ("alpha list channels", &[("index.db", &[])]),
    ("alpha list packages", &[("index.db", &[])]),
    ("alpha render-graph", &[("index.db", &[])]),
    ("version", &[("", &[])]),
];

const TJY: &[&str] = &["text", "json", "yaml"];
const JY: &[&str] = &["json", "yaml"];
const DIFF: &[&str] = &["text", "json", "yaml", "markdown"];
const REPORTS: &[&str] = &["text", "json", "sarif", "github", "junit"];
const CATALOG: &[&str] = &["text", "json", "yaml", "sarif", "github", "junit"];

/// Commands that do not print any of their input.
const SILENT: &[&str] = &[
    "bundle generate",
    "bundle rules",
    "bundle schema",
    "completion",
    "generate dockerfile",
    "index page",
    "man",
    "mirror schema",
    "operator crds",
    "registry serve",
    "upgrade-check init",
    "version",
];

#[test]
fn every_command_has_test_lines() {
    let lines: BTreeSet<&str> = LINES.iter().map(|(command, _)| *command).collect();
    let missing: Vec<_> = commands()
        .into_iter()
        .filter(|command| !lines.contains(command.as_str()))
        .collect();
    assert!(missing.is_empty(), "no lines in this file: {missing:?}");
}

#[test]
fn untrusted_names_are_never_printed_raw() {
    let sandbox = Sandbox::new();
    inputs(&sandbox, HOSTILE);
    every_command(&sandbox, HOSTILE);
}

#[test]
fn untrusted_prose_is_never_printed_raw() {
    let sandbox = Sandbox::new();
    inputs(&sandbox, "");
    every_command(&sandbox, "");
}

#[test]
fn colours_are_the_only_escape_sequences_written_to_a_terminal() {
    let sandbox = Sandbox::new();
    inputs(&sandbox, HOSTILE);
    for line in [
        "bundle validate rake broken",
        "bundle inspect rake -v",
        "validate damaged",
        "index list bundles catalog",
    ] {
        let line = format!("--color always {line}");
        let mut outcome = sandbox.run(line.split(' '));
        for stream in [&mut outcome.stdout, &mut outcome.stderr] {
            let mut rest = stream.as_str();
            let mut plain = String::new();
            while let Some((before, behind)) = rest.split_once("\u{1b}[") {
                plain.push_str(before);
                let end = behind.find('m').unwrap_or_default();
                let is_style = behind[..end].bytes().all(|byte| byte.is_ascii_digit() || byte == b';');
                assert!(is_style && end < 12, "{line}: {behind:?}");
                rest = &behind[end + 1..];
            }
            plain.push_str(rest);
            *stream = plain;
        }
        assert_eq!(problem("text", &outcome), None, "{line}: {outcome}");
    }
}

/// Runs all command lines; `of_names` is the suffix of the names in the input.
fn every_command(sandbox: &Sandbox, of_names: &str) {
    let mut problems = Vec::new();
    for (command, lines) in LINES {
        let mut seen = SILENT.contains(command) || of_names.is_empty();
        for (line, forms) in *lines {
            let forms: &[&str] = if forms.is_empty() { &["text"] } else { forms };
            for form in forms {
                let words = format!("{command} {line}");
                let words = words.split_whitespace().map(|word| match word {
                    "FORM" => (*form).to_owned(),
                    "NAME" => format!("rake.v1.0.0{of_names}"),
                    "PACKAGE" => format!("rake{of_names}"),
                    "PROSE" => format!("x{HOSTILE}"),
                    word => word.to_owned(),
                });
                let outcome = sandbox.run(words);
                let said = format!("{command} {line} ({form})");
                if matches!(outcome.status, None | Some(2)) {
                    problems.push(format!("{said} did not run: {outcome}"));
                }
                problems.extend(problem(form, &outcome).map(|problem| format!("{said}: {problem}\n{outcome}")));
                seen |= outcome.stdout.contains(SEEN) || outcome.stderr.contains(SEEN);
            }
        }
        if !seen {
            problems.push(format!(
                "{command} shows nothing of what it is given, so that its lines try nothing"
            ));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n\n"));
}

/// The problems in the output of a command.
fn problem(form: &str, outcome: &Outcome) -> Option<String> {
    let turns = |character: char| {
        matches!(character,
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{e0000}'..='\u{e007f}')
    };
    let odd = |character: &char| turns(*character) || character.is_control() && !matches!(character, '\n' | '\t');
    for stream in [&outcome.stdout, &outcome.stderr] {
        if let Some(odd) = stream.chars().find(odd) {
            return Some(format!("{odd:?} is printed"));
        }
        for text in stream.lines() {
            let reports = ["::error ", "::warning ", "::notice "];
            let own = form == "github" && reports.iter().any(|own| text.starts_with(own));
            let command = text.trim_start().starts_with("::") && !own;
            if command || text.contains("##[") || text.contains("##vso[") || text.starts_with("error: not ours") {
                return Some(format!("a line is {text:?}"));
            }
        }
    }
    let read = match form {
        "json" | "sarif" => serde_json::Deserializer::from_str(&outcome.stdout)
            .into_iter::<Value>()
            .all(|one| one.is_ok()),
        "yaml" => serde_yaml::Deserializer::from_str(&outcome.stdout).all(|one| Value::deserialize(one).is_ok()),
        _ => true,
    };
    (!read).then(|| "the documents cannot be read".to_owned())
}

/// Writes the input of the commands; `names` is the suffix of all names, and [`HOSTILE`] that of all other text.
fn inputs(sandbox: &Sandbox, names: &str) {
    operator(sandbox, "sound", "", "");
    operator(sandbox, "rake", names, HOSTILE);
    operator(sandbox, "generated", names, HOSTILE);
    operator(sandbox, "mendable", "", HOSTILE);
    let annotations = sandbox.path("mendable/metadata/annotations.yaml");
    let text = fs::read_to_string(&annotations).unwrap();
    fs::write(&annotations, text.replace("stable", "fast, stable")).unwrap();
    plain(sandbox, names);
    operator(sandbox, "broken", names, HOSTILE);
    fs::write(sandbox.path(format!("broken/manifests/{FILE}.yaml")), "a: [").unwrap();
    image(sandbox);
    for name in ["sound.db", "index.db"] {
        let outcome = sandbox.run(["registry", "add", "-q", "-b", "sound", "-d", name]);
        assert_eq!(outcome.status, Some(0), "{outcome}");
    }
    let rendered = sandbox.run(["render", "-q", "sound.db"]).stdout;
    catalog(sandbox, &rendered, names);
    database(&sandbox.path("index.db"), names);
    for copy in 1..=6 {
        fs::copy(sandbox.path("index.db"), sandbox.path(format!("copy{copy}.db"))).unwrap();
    }
    cluster(sandbox, names);
    mirrored(sandbox, names);
    fs::write(sandbox.path("prose.txt"), HOSTILE).unwrap();
    write(
        &sandbox.path("template.yaml"),
        &json!({"schema": "olm.semver", "stable": {"bundles": [{"image": format!("registry.example.com/x{HOSTILE}")}]}}),
    );
    let operator = sandbox.path("repository/operators/rake");
    write(
        &operator.join("ci.yaml"),
        &json!({"fbc": {"enabled": true, "catalog_mapping": [
            {"template_name": "basic.yaml", "catalog_names": [format!("latest{names}")], "type": "olm.template.basic"},
        ]}}),
    );
    write(
        &operator.join("1.2.0/release-config.yaml"),
        &json!({"catalog_templates": [{"template_name": format!("basics{names}"), "channels": [format!("stable{names}")]}]}),
    );
    write(
        &sandbox.path("basic.yaml"),
        &json!({"schema": "olm.template.basic", "entries": [
            {"schema": "olm.package", "name": format!("x{names}"), "defaultChannel": format!("y{names}"), "description": HOSTILE},
            {"schema": "olm.channel", "package": format!("x{names}"), "name": format!("y{names}"), "entries": [{"name": format!("z{names}")}]},
        ]}),
    );
}

/// Plans of one image that is not served and of no image, and the content of a mirror.
fn mirrored(sandbox: &Sandbox, names: &str) {
    let digest = format!("sha256:{}", "1".repeat(64));
    let used = json!({"role": "related", "package": format!("rake{names}"), "bundle": format!("rake.v1{names}"), "name": HOSTILE});
    let kept = json!({"package": format!("rake{names}"), "channels": [
        {"name": format!("stable{names}"), "head": format!("rake.v1{names}"), "entries": [format!("rake.v1{names}")]},
    ]});
    let mut plan = json!({
        "schema": "opmx.mirror.plan/v1",
        "catalogs": [{"source": format!("catalog{names}"), "kept": [kept], "rebuilt": false, "digest_after": digest}],
        "images": [{
            "source": format!("127.0.0.1:1/x@{digest}"), "origins": [format!("127.0.0.1:1/x{names}")], "digest": digest,
            "media_type": HOSTILE, "platforms": [], "bytes": 1, "for": [used], "tags": ["v1"], "extras": [],
        }],
        "extras": [],
        "manifests": {&digest: {"media_type": HOSTILE, "bytes": 1, "sources": ["127.0.0.1:1/x"], "in": ["x"]}},
        "blobs": {},
        "totals": {"images": 1, "manifests": 1, "blobs": 0, "bytes_referenced": 1, "bytes_unique": 1},
        "because": [{"package": format!("rake{names}"), "needed_by": format!("hoe{names}"), "constraint": HOSTILE}],
        "left_out": [{"image": format!("x{names}"), "bundles": [format!("rake.v1{names}")], "why": HOSTILE}],
    });
    fs::write(sandbox.path("plan.json"), plan.to_string()).unwrap();
    // No command accepts a plan with such a tag.
    let mut tagged = plan.clone();
    tagged["images"][0]["tags"] = json!([format!("v1{names}")]);
    fs::write(sandbox.path("tagged.json"), tagged.to_string()).unwrap();
    for (field, nothing) in [
        ("catalogs", json!([])),
        ("images", json!([])),
        ("manifests", json!({})),
        ("because", json!([])),
        ("left_out", json!([])),
    ] {
        plan[field] = nothing;
    }
    fs::write(sandbox.path("nothing.json"), plan.to_string()).unwrap();
    write(
        &sandbox.path("imageset.yaml"),
        &json!({
            "apiVersion": "mirror.openshift.io/v2alpha1", "kind": "ImageSetConfiguration",
            format!("more{names}"): HOSTILE,
            "mirror": {
                "operators": [{"catalog": "catalog", "packages": [{"name": format!("rake{names}"), "channels": [{"name": format!("stable{names}")}]}]}],
                "additionalImages": [{"name": format!("127.0.0.1:1/x{names}")}],
                "helm": HOSTILE,
            },
        }),
    );
}

fn write(path: &Path, value: &Value) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, to_yaml(value)).unwrap();
}

fn annotations(package: &str, names: &str, media_type: &str) -> Value {
    let prefix = "operators.operatorframework.io.bundle";
    json!({"annotations": {
        format!("{prefix}.channels.v1"): format!("stable{names}"),
        format!("{prefix}.channel.default.v1"): format!("stable{names}"),
        format!("{prefix}.manifests.v1"): "manifests/",
        format!("{prefix}.mediatype.v1"): media_type,
        format!("{prefix}.metadata.v1"): "metadata/",
        format!("{prefix}.package.v1"): format!("{package}{names}"),
        format!("note{names}"): "x",
    }})
}

/// A registry+v1 bundle of the package `rake`.
pub(crate) fn operator(sandbox: &Sandbox, folder: &str, names: &str, prose: &str) {
    let folder = sandbox.path(folder);
    write(
        &folder.join("metadata/annotations.yaml"),
        &annotations("rake", names, "registry+v1"),
    );
    write(
        &folder.join("metadata/properties.yaml"),
        &json!({"properties": [{"type": format!("acme.note{names}"), "value": format!("x{prose}")}]}),
    );
    let mut dependencies =
        vec![json!({"type": "olm.package", "value": {"packageName": format!("lamp{names}"), "version": ">=1.0.0"}})];
    if !names.is_empty() {
        dependencies
            .push(json!({"type": "olm.constraint", "value": {"failureMessage": prose, "cel": {"rule": prose}}}));
        dependencies.push(json!({"type": format!("x{names}"), "value": prose}));
    }
    write(
        &folder.join("metadata/dependencies.yaml"),
        &json!({"dependencies": dependencies}),
    );
    let mut csv = json!({
        "apiVersion": "operators.coreos.com/v1alpha1",
        "kind": "ClusterServiceVersion",
        "metadata": {
            "name": format!("rake.v1.0.0{names}"),
            "annotations": {"description": format!("x{prose}"), format!("note{names}"): format!("x{prose}"), "alm-examples": "[]"},
        },
        "spec": {
            "displayName": format!("Rake{prose}"),
            "description": format!("It rakes.{prose}"),
            "version": "1.0.0",
            "maturity": format!("stable{prose}"),
            "keywords": [format!("x{prose}")],
            "maintainers": [{"name": format!("x{prose}"), "email": format!("x{prose}")}],
            "links": [{"name": format!("x{prose}"), "url": format!("https://example.com/{prose}")}],
            "provider": {"name": format!("x{prose}")},
            "installModes": [{"type": "AllNamespaces", "supported": true}],
            "relatedImages": [{"name": format!("agent{names}"), "image": format!("registry.example.com/agent:1{names}")}],
            "customresourcedefinitions": {"required": [
                {"name": format!("leaves.garden.example.com{names}"), "version": "v1", "kind": format!("Leaf{names}"), "description": prose},
            ]},
            "install": {"strategy": "deployment", "spec": {
                "permissions": [{"serviceAccountName": format!("rake{names}"), "rules": [
                    {"apiGroups": [format!("example.com{names}")], "resources": [format!("leaves{names}")], "verbs": [format!("get{names}")]},
                ]}],
                "deployments": [{"name": format!("rake{names}"), "spec": {
                    "selector": {"matchLabels": {"app": "rake"}},
                    "template": {
                        "metadata": {"labels": {"app": "rake"}},
                        "spec": {"containers": [{
                            "name": format!("rake{names}"),
                            "image": format!("registry.example.com/rake:1{names}"),
                            "env": [{"name": "NOTE", "value": format!("x{prose}")}],
                        }]},
                    },
                }}],
            }},
        },
    });
    if !names.is_empty() {
        csv["spec"]["replaces"] = json!(format!("rake.v0.9.0{names}"));
    }
    write(&folder.join("manifests/rake.clusterserviceversion.yaml"), &csv);
    write(
        &folder.join("manifests/settings.yaml"),
        &json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": format!("settings{names}")}, "data": {"note": format!("x{prose}")}}),
    );
}

/// A k8s+v1 bundle of the package `hoe`.
fn plain(sandbox: &Sandbox, names: &str) {
    let folder = sandbox.path("hoe");
    write(
        &folder.join("metadata/annotations.yaml"),
        &annotations("hoe", names, "k8s+v1"),
    );
    write(
        &folder.join("metadata/olm.yaml"),
        &json!({
            "name": format!("hoe.v1.0.0{names}"),
            "version": "1.0.0",
            "minKubeVersion": "1.25.0",
            "installModes": [{"type": "AllNamespaces", "supported": true}],
            "displayName": format!("Hoe{HOSTILE}"),
            "description": format!("It hoes.{HOSTILE}"),
            format!("note{names}"): HOSTILE,
        }),
    );
    write(
        &folder.join("manifests/deployment.yaml"),
        &json!({
            "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": format!("hoe{names}"), "annotations": {"note": HOSTILE}},
            "spec": {
                "selector": {"matchLabels": {"app": "hoe"}},
                "template": {
                    "metadata": {"labels": {"app": "hoe"}},
                    "spec": {"containers": [{"name": "hoe", "image": "registry.example.com/hoe:1", "env": [{"name": "NOTE", "value": HOSTILE}]}]},
                },
            },
        }),
    );
}

/// The folder `broken` as the image `oci:image:v1`.
fn image(sandbox: &Sandbox) {
    use opmx::image::{
        CacheMode, EntryContent, ImageConfig, ImageOptions, LayerEntry, Reference, Silent, Transports, build,
    };
    let root = sandbox.path("broken");
    let files = walkdir::WalkDir::new(&root)
        .sort_by_file_name()
        .into_iter()
        .map(Result::unwrap);
    let files: Vec<LayerEntry> = files
        .filter(|file| file.file_type().is_file())
        .map(|file| LayerEntry {
            path: file.path().strip_prefix(&root).unwrap().to_str().unwrap().to_owned(),
            mode: 0o644,
            content: EntryContent::Bytes(fs::read(file.path()).unwrap()),
        })
        .collect();
    let config = ImageConfig {
        labels: [(format!("x{HOSTILE}"), HOSTILE.to_owned())].into(),
        ..ImageConfig::default()
    };
    let image = build(&config, vec![opmx::image::layer_from_files(&files, 0).unwrap()]).unwrap();
    let reference: Reference = format!("oci:{}:v1", sandbox.path("image").display()).parse().unwrap();
    let options = ImageOptions {
        cache: CacheMode::Off,
        ..ImageOptions::default()
    };
    let transports = Transports::new(options, std::sync::Arc::new(Silent));
    tokio::runtime::Runtime::new()
        .unwrap()
        .block_on(transports.push(&image, &reference))
        .unwrap();
}

/// Appends `names` to every name, and [`HOSTILE`] to all other text unless it would change the type of a value.
fn poisoned(key: &str, value: &Value, names: &str) -> Value {
    const KEPT: [&str; 12] = [
        "schema",
        "type",
        "version",
        "apiVersion",
        "kind",
        "strategy",
        "versionRange",
        "data",
        "group",
        "base64data",
        "skipRange",
        "rule",
    ];
    const NAMES: [&str; 10] = [
        "name",
        "package",
        "packageName",
        "defaultChannel",
        "replaces",
        "skips",
        "image",
        "namespace",
        "serviceAccountName",
        "channel",
    ];
    match value {
        Value::String(text) if KEPT.contains(&key) => Value::String(text.clone()),
        Value::String(text) if NAMES.contains(&key) => Value::String(format!("{text}{names}")),
        Value::String(text) => Value::String(format!("{text}{HOSTILE}")),
        Value::Array(items) => items.iter().map(|item| poisoned(key, item, names)).collect(),
        Value::Object(map) => {
            let entries = map
                .iter()
                .map(|(key, value)| (key.clone(), poisoned(key, value, names)));
            Value::Object(entries.collect::<Map<_, _>>())
        }
        other => other.clone(),
    }
}

/// The folders `catalog`, and `damaged` with a catalog that has more errors.
fn catalog(sandbox: &Sandbox, rendered: &str, names: &str) {
    let blobs = serde_json::Deserializer::from_str(rendered).into_iter::<Value>();
    let blobs: Vec<Value> = blobs.map(|blob| poisoned("", &blob.unwrap(), names)).collect();
    let text = |blobs: &[Value]| blobs.iter().map(|blob| format!("{blob}\n")).collect::<String>();
    fs::create_dir_all(sandbox.path("catalog")).unwrap();
    fs::write(sandbox.path("catalog/catalog.json"), text(&blobs)).unwrap();
    let damaged = sandbox.path(format!("damaged/{FILE}"));
    fs::create_dir_all(&damaged).unwrap();
    fs::write(damaged.join("catalog.json"), text(&blobs[1..])).unwrap();
    let package = format!("x{HOSTILE}");
    let others = [
        json!({"schema": "olm.package", "name": package, format!("x{HOSTILE}"): HOSTILE, "defaultChannel": HOSTILE}),
        json!({"schema": "olm.channel", "package": package, "name": HOSTILE, "entries": [{"name": HOSTILE, "skipRange": HOSTILE, "replaces": HOSTILE}]}),
        json!({"schema": "olm.bundle", "package": package, "name": HOSTILE, "image": HOSTILE, "properties": [{"type": HOSTILE, "value": 1}]}),
        json!({"schema": "olm.deprecations", "package": package, "entries": [{"reference": {"schema": HOSTILE, "name": HOSTILE}, "message": HOSTILE}]}),
        json!({"schema": format!("olm.packag{HOSTILE}")}),
    ];
    fs::write(damaged.join("others.json"), text(&others)).unwrap();
    fs::write(damaged.join("broken.yaml"), format!("a: [\n{HOSTILE}")).unwrap();
}

/// Appends `names` to every name in a database, and [`HOSTILE`] to the text in its JSON.
fn database(path: &Path, names: &str) {
    let connection = Connection::open(path).unwrap();
    connection.execute_batch("PRAGMA foreign_keys = OFF").unwrap();
    connection
        .execute_batch(
            "UPDATE operatorbundle SET bundlepath = 'registry.example.com/rake:1';
             UPDATE properties SET operatorbundle_path = 'registry.example.com/rake:1';
             UPDATE dependencies SET operatorbundle_path = 'registry.example.com/rake:1';
             INSERT INTO operatorbundle (name, csv, bundle, bundlepath, version)
             SELECT other, csv, bundle, 'registry.example.com/' || other, version FROM operatorbundle,
             (SELECT 'spade.v1.0.0' AS other UNION SELECT 'stray.v1.0.0');
             INSERT INTO package (name, default_channel) VALUES ('spade', 'stable');
             INSERT INTO channel (name, package_name, head_operatorbundle_name) VALUES ('stable', 'spade', 'spade.v1.0.0');
             INSERT INTO channel_entry (channel_name, package_name, operatorbundle_name, depth)
             VALUES ('stable', 'spade', 'spade.v1.0.0', 0);",
        )
        .unwrap();
    for (table, column) in [
        ("package", "name"),
        ("package", "default_channel"),
        ("channel", "name"),
        ("channel", "package_name"),
        ("channel", "head_operatorbundle_name"),
        ("channel_entry", "channel_name"),
        ("channel_entry", "package_name"),
        ("channel_entry", "operatorbundle_name"),
        ("operatorbundle", "name"),
        ("operatorbundle", "replaces"),
        ("operatorbundle", "skips"),
        ("related_image", "image"),
        ("related_image", "operatorbundle_name"),
        ("api", "kind"),
        ("api_requirer", "kind"),
        ("api_requirer", "operatorbundle_name"),
        ("dependencies", "operatorbundle_name"),
        ("properties", "operatorbundle_name"),
    ] {
        let statement = format!("UPDATE {table} SET {column} = {column} || ?1 WHERE {column} IS NOT NULL");
        connection.execute(&statement, [names]).unwrap();
    }
    for (table, column) in [
        ("operatorbundle", "csv"),
        ("operatorbundle", "bundle"),
        ("properties", "value"),
        ("dependencies", "value"),
    ] {
        let mut rows = connection
            .prepare(&format!(
                "SELECT rowid, {column} FROM {table} WHERE {column} IS NOT NULL"
            ))
            .unwrap();
        let rows: Vec<(i64, Cell)> = rows
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
            .unwrap()
            .map(Result::unwrap)
            .collect();
        for (row, cell) in rows {
            let (text, is_blob) = match cell {
                Cell::Text(text) => (text, false),
                Cell::Blob(bytes) => (String::from_utf8(bytes).unwrap(), true),
                other => panic!("{table}.{column} is {other:?}"),
            };
            let values = serde_json::Deserializer::from_str(&text).into_iter::<Value>();
            let texts: Vec<String> = values
                .map(|value| poisoned("", &value.unwrap(), names).to_string())
                .collect();
            let text = texts.join("\n");
            let cell = if is_blob {
                Cell::Blob(text.into_bytes())
            } else {
                Cell::Text(text)
            };
            let statement = format!("UPDATE {table} SET {column} = ?1 WHERE rowid = ?2");
            connection.execute(&statement, (cell, row)).unwrap();
        }
    }
}

/// A dump of a cluster, and a what-if file.
fn cluster(sandbox: &Sandbox, names: &str) {
    let csv = format!("rake.v1.0.0{names}");
    let namespace = format!("garden{names}");
    let labels = json!({ "operators.coreos.com/rake.garden": "" });
    write(
        &sandbox.path("dump.yaml"),
        &json!({"apiVersion": "v1", "kind": "List", "items": [
            {
                "apiVersion": "operators.coreos.com/v1alpha1", "kind": "ClusterServiceVersion",
                "metadata": {"name": csv, "namespace": namespace, "labels": labels},
                "spec": {"displayName": HOSTILE, "description": HOSTILE, "version": "1.0.0"},
                "status": {"phase": "Succeeded", "reason": HOSTILE, "message": HOSTILE},
            },
            {
                "apiVersion": "operators.coreos.com/v1alpha1", "kind": "Subscription",
                "metadata": {"name": format!("rake{names}"), "namespace": namespace, "labels": labels},
                "spec": {"name": format!("rake{names}"), "channel": format!("stable{names}"), "source": "x", "sourceNamespace": "olm"},
                "status": {"installedCSV": csv},
            },
            {
                "apiVersion": "operators.coreos.com/v2", "kind": "OperatorCondition",
                "metadata": {"name": csv, "namespace": namespace, "generation": 1},
                "status": {"conditions": [
                    {"type": "Upgradeable", "status": "False", "reason": HOSTILE, "message": HOSTILE, "observedGeneration": 1},
                ]},
            },
            {
                "apiVersion": "apps/v1", "kind": "Deployment",
                "metadata": {"name": format!("rake{names}"), "namespace": namespace, "labels": labels},
                "status": {"conditions": [{"type": HOSTILE, "status": HOSTILE, "reason": HOSTILE, "message": HOSTILE}]},
            },
        ]}),
    );
    let package = format!("shed{names}");
    let (channel, bundle) = (format!("stable{names}"), format!("shed.v1.0.0{names}"));
    write(
        &sandbox.path("state.yaml"),
        &json!({
            "catalogs": [{"name": format!("main{names}"), "packages": [{
                "name": package,
                "defaultChannel": channel,
                "channels": [{"name": channel, "entries": [{"name": bundle}]}],
                "bundles": [{"name": bundle, "version": "1.0.0", "dependencies": [
                    {"type": "olm.package", "value": {"packageName": format!("lamp{names}"), "version": ">=1.0.0"}},
                    {"type": "olm.constraint", "value": {"failureMessage": HOSTILE, "package": {"packageName": "x", "versionRange": ">1.0.0"}}},
                ]}],
            }]}],
            "subscriptions": [{"name": format!("shed{names}"), "package": package, "catalog": format!("main{names}")}],
        }),
    );
}
