//! The advice for command lines of operator-sdk, oc and oc-mirror.

/// The advice for an unknown command of opmx that exists in another program.
pub(super) fn command(name: &str) -> Option<String> {
    match name {
        "run" | "scorecard" | "olm" | "cleanup" => Some(format!(
            "opmx does not contact clusters; {name} is a command of operator-sdk"
        )),
        "adm" => Some("to mirror a catalog, use opmx mirror plan and opmx mirror copy".to_owned()),
        _ => None,
    }
}

/// The options of other programs, each with the command of opmx, as words separated by spaces, and the advice.
const OPTIONS: &[(&str, &[&str], &str)] = &[
    (
        "bundle validate",
        &["--select-optional"],
        "use --suite, such as --suite operatorframework",
    ),
    (
        "bundle validate",
        &["--optional-values"],
        "use --k8s-version VERSION instead of k8s-version=VERSION, and --index-dockerfile FILE instead of \
         index-path=FILE",
    ),
    (
        "bundle validate",
        &["--list-optional"],
        "opmx bundle rules lists the rules of all suites",
    ),
    (
        "bundle validate",
        &["-b", "--image-builder"],
        "omit this option; opmx needs no container tool",
    ),
    (
        "index from-fbc",
        &["-o", "--output"],
        "use --generate to write the database to database/index.db",
    ),
    (
        "mirror delete",
        &["-c", "--config", "--delete-yaml-file"],
        "specify a plan of the images to delete; opmx mirror plan -c FILE makes a plan",
    ),
    (
        "mirror",
        &["--from"],
        "to copy an archive to a registry, use opmx mirror load DIR --to REGISTRY",
    ),
    ("mirror", OF_MIRRORING, MIRRORING),
    ("", OF_MIRRORING, MIRRORING),
];

const OF_MIRRORING: &[&str] = &["-c", "--config", "--v1", "--v2", "--workspace", "--from"];

const MIRRORING: &str = "to mirror as an ImageSetConfiguration describes, use opmx mirror plan -c FILE, and then opmx \
                         mirror copy";

/// Returns the advice for an unknown option of a command.
pub(super) fn option(command: &str, option: &str) -> Option<&'static str> {
    let row = OPTIONS
        .iter()
        .find(|(of, options, _)| *of == command && options.contains(&option));
    row.map(|(_, _, advice)| *advice)
}
