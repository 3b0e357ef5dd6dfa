//! `--help` of every command.

use crate::common::Sandbox;

/// Every command that help shows, as the words that call it; the empty list is `opmx` itself.
fn commands(sandbox: &Sandbox) -> Vec<Vec<String>> {
    let mut found = vec![Vec::new()];
    let mut next = 0;
    while next < found.len() {
        let words: Vec<String> = found[next].clone();
        let help = help(sandbox, &words, "-h");
        let listed = help
            .lines()
            .skip_while(|line| *line != "Commands:")
            .skip(1)
            .take_while(|line| !line.is_empty())
            .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
            .filter_map(|line| line.split_whitespace().next())
            .filter(|name| *name != "help");
        found.extend(listed.map(|name| [words.as_slice(), &[name.to_owned()]].concat()));
        next += 1;
    }
    found
}

fn help(sandbox: &Sandbox, words: &[String], option: &str) -> String {
    let outcome = sandbox.run(words.iter().map(String::as_str).chain([option]));
    assert_eq!(
        (outcome.status, outcome.stderr.as_str()),
        (Some(0), ""),
        "{words:?} {option}"
    );
    outcome.stdout
}

#[test]
fn every_command_has_its_own_examples_that_fit_the_screen() {
    let sandbox = Sandbox::new();
    let commands = commands(&sandbox);
    assert!(commands.len() > 2, "{commands:?}");
    for words in commands {
        for option in ["-h", "--help"] {
            let help = help(&sandbox, &words, option);
            let (_, examples) = help
                .split_once("\nExamples:\n")
                .unwrap_or_else(|| panic!("{words:?} has no examples"));
            let call = format!("$ opmx {}", words.join(" "));
            assert!(
                examples.contains(call.trim_end()),
                "{words:?} is in none of its examples"
            );
            for line in help.lines() {
                assert!(
                    line.chars().count() <= 80,
                    "{words:?} {option} has a line wider than 80 columns: {line}"
                );
            }
        }
    }
}

#[test]
fn every_option_and_argument_is_described() {
    let sandbox = Sandbox::new();
    for words in commands(&sandbox) {
        let help = help(&sandbox, &words, "--help");
        let mut lines = help.lines().take_while(|line| *line != "Examples:").peekable();
        while let Some(line) = lines.next() {
            let text = line.trim_start();
            // Deeper lines belong to the explanation of an option.
            let names_one = line.len() - text.len() <= 6 && text.starts_with(['-', '<', '[']);
            if names_one && !text.contains("  ") {
                let text = lines.peek().map_or("", |line| line.trim());
                assert!(!text.is_empty(), "{words:?} does not explain {line}");
            }
        }
    }
}

#[test]
fn requested_help_goes_to_stdout_and_usage_errors_to_stderr() {
    let sandbox = Sandbox::new();
    let asked = sandbox.run(["help"]);
    assert_eq!((asked.status, asked.stderr.as_str()), (Some(0), ""));
    let nothing: [&str; 0] = [];
    let needed = sandbox.run(nothing);
    assert_eq!((needed.status, needed.stdout.as_str()), (Some(2), ""));
    assert!(needed.stderr.contains("Usage: opmx"), "{needed}");
}

#[test]
fn a_width_of_zero_columns_is_treated_as_unknown() {
    let sandbox = Sandbox::new();
    let help = |columns: Option<&str>| {
        let mut command = sandbox.command(["render", "--help"]);
        match columns {
            Some(columns) => command.env("COLUMNS", columns),
            None => command.env_remove("COLUMNS"),
        };
        sandbox.finish(&mut command).stdout
    };
    assert_eq!(help(Some("0")), help(None));
}

#[test]
fn the_usage_shows_every_alternative_of_a_required_option() {
    let sandbox = Sandbox::new();
    for (command, missing, usages) in [
        (
            "index extract etcd -f index.db",
            "<--tag <REF>|--database <FILE>|--folder <DIR>|--dry-run>",
            &[
                "-t <REF> <PACKAGE>...",
                "-d <FILE> <PACKAGE>...",
                "-o <DIR> <PACKAGE>...",
            ][..],
        ),
        (
            "index add -t oci:index:v1",
            "<--bundles <BUNDLES>|--bundles-from <FILE|->>",
            &["<--bundles <BUNDLES>|--bundles-from <FILE|->>"],
        ),
        (
            "registry add -d index.db",
            "<--bundle-images <BUNDLES>|--bundles-from <FILE|->>",
            &["<-b <BUNDLES>|--bundles-from <FILE|->>"],
        ),
        (
            "index promote etcd -f index.db -t oci:index:v1",
            "--channel <CHANNELS>",
            &["-c <CHANNELS> -f <INDEX> <BUNDLE>..."],
        ),
        (
            "index deprecatetruncate -b etcd -t oci:index:v1",
            "--from-index <INDEX>",
            &["-b <BUNDLES> -f <INDEX>"],
        ),
    ] {
        let outcome = sandbox.run(command.split(' '));
        assert_eq!((outcome.status, outcome.stdout.as_str()), (Some(2), ""), "{outcome}");
        assert!(
            outcome.stderr.contains(&format!("provided:\n  {missing}\n")),
            "{outcome}"
        );
        let help = sandbox.run(command.split(' ').take(2).chain(["-h"])).stdout;
        let (_, shown) = help.split_once("\nUsage: ").unwrap();
        let shown: Vec<&str> = shown.lines().take_while(|line| !line.is_empty()).collect();
        assert_eq!(shown.len(), usages.len(), "{help}");
        for (shown, usage) in shown.into_iter().zip(usages) {
            assert!(shown.ends_with(usage), "{help}");
        }
    }
}

#[test]
fn a_list_with_spaces_gets_a_tip() {
    let sandbox = Sandbox::new();
    let arguments = "bundle generate -d manifests -p etcd --channels alpha, stable";
    let outcome = sandbox.run(arguments.split(' '));
    assert_eq!(outcome.status, Some(2), "{outcome}");
    let tip = "  tip: write a list without spaces: alpha,stable\n";
    assert!(outcome.stderr.contains(tip), "{outcome}");
    let arguments = "registry add -b a --allow-media-types registry+v1, -q";
    let outcome = sandbox.run(arguments.split(' '));
    assert_eq!(outcome.status, Some(2), "{outcome}");
    assert!(!outcome.stderr.contains("tip:"), "{outcome}");
}

#[test]
fn a_command_of_another_group_is_named() {
    let sandbox = Sandbox::new();
    for (line, tip) in [
        ("generate bundle", "tip: did you mean opmx bundle generate?"),
        (
            "cleanup p",
            "tip: opmx does not contact clusters; cleanup is a command of operator-sdk",
        ),
        (
            "run bundle registry.example.com/x/y:v1",
            "tip: opmx does not contact clusters; run is a command of operator-sdk",
        ),
        (
            "adm catalog mirror x y",
            "tip: to mirror a catalog, use opmx mirror plan",
        ),
        ("unknown bundle x", "tip: expected one of bundle, catalog, index,"),
        ("list packages c", "tip: did you mean opmx index list?"),
        ("diff a b", "tip: similar commands: opmx index diff, "),
        ("catalog diff a b", "tip: similar commands: opmx index diff, "),
        ("alpha diff a b", "tip: similar commands: opmx index diff, "),
        // The commands of the group are more likely to be meant.
        ("index lst", "tip: a similar subcommand exists: 'list'"),
    ] {
        let outcome = sandbox.run(line.split(' '));
        assert_eq!(outcome.status, Some(2), "{outcome}");
        assert!(outcome.stderr.contains(tip), "{line}: {outcome}");
    }
}

#[test]
fn an_option_of_other_commands_is_rejected_with_their_names() {
    let sandbox = Sandbox::new();
    let tip = |line: &str| {
        let outcome = sandbox.run(line.split(' '));
        assert_eq!(outcome.status, Some(2), "{outcome}");
        let tips: Vec<String> = outcome
            .stderr
            .lines()
            .filter(|line| line.contains("tip:"))
            .map(str::to_owned)
            .collect();
        tips.join("\n")
    };
    assert_eq!(
        tip("bundle validate x --expand-wildcards"),
        "  tip: --expand-wildcards is an option of opmx bundle init, opmx bundle synthesize, opmx bundle build, opmx bundle convert and opmx bundle update"
    );
    assert_eq!(
        tip("plan x --starting-csv=a"),
        "  tip: --starting-csv is an option of opmx resolve"
    );
    assert!(tip("serve index.db --max-file-size 1").contains(" more commands"));
    let suite = "  tip: to check a bundle for OLM v1, use --suite olm-v1";
    assert_eq!(tip("bundle validate x --for olm-v1"), suite);
    assert_eq!(tip("bundle validate x --for=olm-v1"), suite);
    for (line, expected) in [
        (
            "bundle validate x --select-optional suite=operatorframework",
            "use --suite, such as --suite operatorframework",
        ),
        (
            "bundle validate x --list-optional",
            "opmx bundle rules lists the rules of all suites",
        ),
        (
            "bundle validate x -b none",
            "omit this option; opmx needs no container tool",
        ),
        (
            "index from-fbc x -o f.db",
            "use --generate to write the database to database/index.db",
        ),
        (
            "mirror --from file:///tmp/arch docker://registry.example.com",
            "to copy an archive to a registry, use opmx mirror load DIR --to REGISTRY",
        ),
        (
            "-c isc.yaml file:///tmp/x --v2",
            "to mirror as an ImageSetConfiguration describes, use opmx mirror plan -c FILE, and then opmx mirror copy",
        ),
    ] {
        assert_eq!(tip(line), format!("  tip: {expected}"), "{line}");
    }
    assert_eq!(tip("render x --quux-of-nothing"), "");
    // An option that no command has is compared with those of the command.
    assert!(tip("bundle validate x --onyl a").contains("'--only'"));
}
