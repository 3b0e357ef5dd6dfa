//! Every command that writes, with the files that it needs. A new command fails here until it has a command line, or is
//! listed as one that writes nothing.

use crate::command::commands;
use std::collections::BTreeSet;

/// A command that writes to its working folder, which is next to the files prepared by a
/// [`Workshop`](crate::workshop::Workshop). In its command line, `HOST` is a registry, and `OUT` a repository there.
pub(crate) struct Writing {
    pub(crate) line: &'static str,
    /// The files copied there first: those prepared by the workshop, and their names.
    pub(crate) before: &'static [(&'static str, &'static str)],
    /// The exit status of a run that finds its work done.
    pub(crate) again: i32,
    /// A command that reads the output, and sees either the old or the new state.
    pub(crate) reader: Option<&'static str>,
    pub(crate) unit: Unit,
}

/// What changes atomically.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    All,
    /// The images in the layout `out`. It may contain unused blobs.
    Layout,
    /// All files except those in the layout `out`, and then its images, which are built from the files.
    FilesThenLayout,
    /// The tags of the repository `OUT`, together with the files.
    Tags,
    /// The file `plan.json`. The images that it names may exist before it.
    Plan,
}

/// A path that is not looked up in a registry if it does not exist.
const BUNDLE: Option<&str> = Some("bundle validate ./out -o json");
const LIST: Option<&str> = Some("index list bundles index.db");
const LIST_IMAGE: Option<&str> = Some("index list bundles oci:out:v1");
const LIST_TAG: Option<&str> = Some("index list bundles --use-http --no-cache HOST/OUT:v1");
const CATALOG: Option<&str> = Some("validate out");
const PLAN: Option<&str> = Some("mirror diff ../plan.json plan.json");
const FILES: &[(&str, &str)] = &[("versions", "out")];
const OLDER: &[(&str, &str)] = &[("older", "out")];
const SOUND: &[(&str, &str)] = &[("sound.db", "index.db")];
const UNTIDY: &[(&str, &str)] = &[("untidy.db", "index.db")];
const INDEX: &[(&str, &str)] = &[("index", "out")];
/// The files that `--generate` replaces.
const GENERATED: &[(&str, &str)] = &[("sound.db", "database/index.db"), ("pages/opmx.1", "index.Dockerfile")];
const TAGGED: &[(&str, &str)] = &[("tagged", "OUT")];

#[rustfmt::skip]
pub(crate) const ALL: &[Writing] = &[
    writing("bundle unpack oci:../image:v1 -o out", &[], 0, BUNDLE, Unit::All),
    writing("bundle unpack oci:../image:v1 -o out", &[("empty", "out")], 0, BUNDLE, Unit::All),
    writing("bundle unpack oci:../image:v1 -o out", OLDER, 0, BUNDLE, Unit::All),
    writing("bundle unpack oci:../image:v1", &[], 0, Some("bundle validate . -o json"), Unit::All),
    writing("bundle init out --from ../older/manifests", &[], 0, BUNDLE, Unit::All),
    writing("bundle init out --version 3.0.0", &[("older/manifests", "out/manifests")], 0, BUNDLE, Unit::All),
    writing("bundle init out --overwrite --version 3.0.0", OLDER, 0, BUNDLE, Unit::All),
    writing("bundle update out --from ../newer/manifests --version 3.0.0", OLDER, 0, BUNDLE, Unit::All),
    writing("bundle update out --from ../newer/manifests/deployment.yaml --version 3.0.0", OLDER, 0, BUNDLE, Unit::All),
    writing("bundle generate out -c stable,fast -e fast", OLDER, 0, BUNDLE, Unit::All),
    writing("bundle generate . -c stable,fast -e fast", &[("older/manifests", "manifests"), ("older/metadata", "metadata"), ("pages/opmx.1", "bundle.Dockerfile")], 0, None, Unit::All),
    // The folder is made before there is a bundle in it.
    writing("bundle generate ../older -c stable,fast -e fast -u out", &[], 0, None, Unit::All),
    writing("bundle generate ../newer -c stable,fast -e fast -u out", &[("older", "out"), ("pages/opmx.1", "bundle.Dockerfile")], 0, BUNDLE, Unit::All),
    writing("bundle convert ../older out --to registry+v1", &[], 1, BUNDLE, Unit::All),
    writing("bundle validate out --fix", &[("broken", "out")], 0, BUNDLE, Unit::All),
    writing("bundle build ../older -q -t oci:out:v1", &[], 0, Some("bundle inspect oci:out:v1"), Unit::Layout),
    writing("bundle build ../older -q -t oci-archive:out.tar:v1", &[("image.tar", "out.tar")], 0, Some("bundle inspect oci-archive:out.tar:v1"), Unit::All),
    writing("bundle build ../older -q -u copy -t oci:out:v1", &[("image", "out")], 0, Some("bundle inspect oci:out:v1"), Unit::FilesThenLayout),
    writing("index export -i ../sound.db -f out", &[], 1, None, Unit::All),
    writing("index export -i ../sound.db -f out", &[("older", "out/other")], 1, None, Unit::All),
    writing("index extract tool1 -f ../sound.db -o out", &[], 1, Some("validate out"), Unit::All),
    writing("index extract tool -f ../catalog -o out --language yaml", &[("empty", "out")], 1, Some("validate out"), Unit::All),
    writing("index extract tool1 -f ../sound.db -d index.db", &[], 1, LIST, Unit::All),
    writing("index extract tool1 -q -i oci:../base:v1 -f oci:../index:v1 -t oci:out:v1", INDEX, 0, LIST_IMAGE, Unit::Layout),
    writing("index page ../sound.db -q -o out", &[], 0, None, Unit::All),
    writing("index page ../sound.db -q -o out", &[("site", "out")], 0, None, Unit::All),
    writing("migrate ../sound.db out", &[], 1, Some("validate out"), Unit::All),
    writing("generate dockerfile out -i registry.example.com/opm:v1", &[("empty", "out")], 1, None, Unit::All),
    writing("man out", &[("pages", "out")], 0, None, Unit::All),
    writing("index add -q -i oci:../base:v1 -b ../older -t oci:out:v1", &[], 0, LIST_IMAGE, Unit::Layout),
    writing("index add -q -i oci:../base:v1 -f oci:out:v1 -b ../older -t oci:out:v1", INDEX, 1, LIST_IMAGE, Unit::Layout),
    writing("index add -q -i registry.example.com/opm:v1 -b ../older --generate", &[], 0, None, Unit::All),
    writing("index add -q -b ../older -f database/index.db --generate", GENERATED, 1, None, Unit::All),
    writing("index rm -q -i oci:../base:v1 -f ../sound.db -o tool1 -t oci:out:v1", &[], 0, LIST_IMAGE, Unit::Layout),
    writing("index rm -q -f ../sound.db -o tool1 -d some/Dockerfile --generate", GENERATED, 0, None, Unit::All),
    writing("index prune -q -i oci:../base:v1 -f oci:../index:v1 -p tool1 -t oci:out:v1", INDEX, 0, LIST_IMAGE, Unit::Layout),
    writing("index prune-stranded -q -i oci:../base:v1 -f ../untidy.db -t oci:out:v1", INDEX, 0, LIST_IMAGE, Unit::Layout),
    writing("index deprecatetruncate -q -i oci:../base:v1 -f ../sound.db -b registry.example.com/tool0:1.4.0 -t oci-archive:out.tar:v1", &[("image.tar", "out.tar")], 0, Some("index list bundles oci-archive:out.tar:v1"), Unit::All),
    writing("index promote -q -i oci:../base:v1 -f ../sound.db tool0.v1.4.0 -c fast -t oci:out:v1", &[], 0, LIST_IMAGE, Unit::Layout),
    writing("index from-fbc ../catalog -q -i oci:../base:v1 -t oci:out:v1", INDEX, 0, LIST_IMAGE, Unit::Layout),
    writing("catalog add out -q -b ../older --channel stable", &[("empty", "out")], 0, CATALOG, Unit::All),
    writing("catalog add out -q -b ../older --channel stable", FILES, 0, CATALOG, Unit::All),
    writing("catalog add template.yaml -q -b ../older --channel stable", &[("template.yaml", "template.yaml")], 0, Some("alpha render-template template.yaml"), Unit::All),
    writing("catalog rm out -q tool@1.0.0", FILES, 4, CATALOG, Unit::All),
    writing("catalog prune out -q -p tool@heads", FILES, 0, CATALOG, Unit::All),
    writing("catalog truncate out -q tool --below 1.1.0", FILES, 0, CATALOG, Unit::All),
    writing("catalog merge ../catalog ../catalog -q -o out", &[], 1, Some("validate out"), Unit::All),
    writing("catalog fmt out -q", FILES, 0, CATALOG, Unit::All),
    writing("catalog deprecate out -q tool -m text", FILES, 0, CATALOG, Unit::All),
    writing("catalog undeprecate out -q tool", FILES, 0, CATALOG, Unit::All),
    writing("catalog lifecycle out -q tool 1.0 --phase all=2026-01-01..2026-12-31", FILES, 0, CATALOG, Unit::All),
    writing("catalog release out/operators/greenhouse-operator -q --bundle ../older", &[("repository", "out")], 0, None, Unit::All),
    writing("catalog channel copy out -q tool stable slow", FILES, 0, CATALOG, Unit::All),
    writing("catalog channel rename out -q tool stable slow", FILES, 4, CATALOG, Unit::All),
    writing("catalog channel set-default out -q tool fast", FILES, 0, CATALOG, Unit::All),
    writing("catalog build ../catalog -q -i oci:../base:v1 -t oci:out:v1", INDEX, 0, LIST_IMAGE, Unit::Layout),
    writing("catalog build ../catalog -q --no-binary -t oci:out:v1", &[], 0, LIST_IMAGE, Unit::Layout),
    writing("index from-fbc ../catalog -q --generate", GENERATED, 0, None, Unit::All),
    writing("registry add -q -b ../older -d index.db", &[], 1, LIST, Unit::All),
    writing("registry add -q -b ../older -d index.db", SOUND, 1, LIST, Unit::All),
    writing("registry rm -o tool1 -d index.db", SOUND, 4, LIST, Unit::All),
    writing("registry prune -p tool1 -d index.db", SOUND, 0, LIST, Unit::All),
    writing("registry deprecatetruncate -b registry.example.com/tool0:1.4.0 -d index.db", SOUND, 0, LIST, Unit::All),
    writing("registry promote tool0.v1.4.0 -c nightly -d index.db", SOUND, 0, LIST, Unit::All),
    writing("registry prune-stranded -d index.db", UNTIDY, 0, LIST, Unit::All),
    writing("mirror plan -q --catalog ../planned --no-binary --retries 0 -o plan.json", &[], 0, PLAN, Unit::Plan),
    writing("mirror plan -q --catalog ../planned --no-binary --retries 0 -o plan.json", &[("plan.json", "plan.json"), ("plan.catalogs", "plan.catalogs")], 0, PLAN, Unit::Plan),
    writing("mirror manifests ../plan.json -q --to mirror.example.com/a -o out", &[], 0, None, Unit::All),
    writing("mirror manifests ../plan.json -q --to mirror.example.com/a -o out", &[("empty", "out")], 0, None, Unit::All),
    writing("index check index.db --fix", UNTIDY, 0, LIST, Unit::All),
];

/// Those that need a registry.
#[rustfmt::skip]
pub(crate) const WITH_A_REGISTRY: &[Writing] = &[
    writing("bundle build ../older -q --use-http -t HOST/OUT:v1", &[], 0, Some("bundle inspect --use-http --no-cache HOST/OUT:v1"), Unit::Tags),
    writing("bundle build ../older -q --use-http -t HOST/OUT:v1", TAGGED, 0, Some("bundle inspect --use-http --no-cache HOST/OUT:v1"), Unit::Tags),
    writing("bundle unpack --use-http HOST/bundle:v1 -o out", &[], 0, BUNDLE, Unit::Tags),
    writing("index add -q --use-http -i oci:../base:v1 -b ../older -t HOST/OUT:v1", TAGGED, 0, LIST_TAG, Unit::Tags),
    writing("index add -q --use-http -i oci:../base:v1 -b ../older -f HOST/OUT:v1 -t HOST/OUT:v1", TAGGED, 1, LIST_TAG, Unit::Tags),
    writing("index prune -q --use-http -i oci:../base:v1 -p tool1 -f HOST/tagged:v1 -t HOST/OUT:v1", TAGGED, 0, LIST_TAG, Unit::Tags),
];

/// Commands that print, serve, or check something. At most they fill the cache of layers.
const READERS: &[&str] = &[
    "alpha convert-template",
    "alpha render-template",
    "bundle inspect",
    "bundle rules",
    "bundle schema",
    "bundle synthesize",
    "completion",
    "index diff",
    "index graph",
    "index list bundles",
    "index list channels",
    "index list images",
    "index list packages",
    "init",
    "mirror diff",
    "mirror schema",
    "mirror verify",
    "operator",
    "operator crds",
    "operator migrate",
    "permissions",
    "permissions diff",
    "plan",
    "registry serve",
    "render",
    "resolve",
    // It makes an empty folder where --cache-dir says so.
    "serve",
    "upgrade-check",
    "upgrade-check init",
    "validate",
];

/// Commands that change a registry or an archive image by image, and can be resumed. The tests of mirrors kill them.
const RESUMED: &[&str] = &["mirror copy", "mirror delete", "mirror load"];

#[test]
fn every_command_is_listed_as_a_writer_or_a_reader() {
    let is_of = |line: &str, command: &str| line == command || line.starts_with(&format!("{command} "));
    let is_written = |command: &str| {
        ALL.iter()
            .chain(WITH_A_REGISTRY)
            .any(|writing| is_of(writing.line, command))
    };
    let commands = commands();
    let lost: Vec<_> = commands
        .iter()
        .filter(|command| !RESUMED.contains(&command.as_str()))
        .filter(|command| is_written(command) == READERS.contains(&command.as_str()))
        .collect();
    assert!(lost.is_empty(), "neither written nor read, or both: {lost:?}");
    let known: BTreeSet<&str> = commands.iter().map(String::as_str).collect();
    let unknown: Vec<_> = READERS
        .iter()
        .chain(RESUMED)
        .filter(|reader| !known.contains(*reader))
        .collect();
    assert!(unknown.is_empty(), "no commands: {unknown:?}");
}

const fn writing(
    line: &'static str,
    before: &'static [(&'static str, &'static str)],
    again: i32,
    reader: Option<&'static str>,
    unit: Unit,
) -> Writing {
    Writing {
        line,
        before,
        again,
        reader,
        unit,
    }
}

impl Writing {
    /// The command with its initial files, for messages.
    pub(crate) fn name(&self) -> String {
        let before: Vec<_> = self
            .before
            .iter()
            .map(|(what, name)| format!("{what} as {name}"))
            .collect();
        if before.is_empty() {
            return self.line.to_owned();
        }
        format!("{}, with {}", self.line, before.join(", "))
    }
}
