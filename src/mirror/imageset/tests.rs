use super::*;
use crate::catalog::selection::part::Candidate;
use crate::olm::intent::Intent;

fn set(text: &str) -> Result<ImageSet, String> {
    let text = format!("apiVersion: {API_VERSION}\nkind: {KIND}\n{text}");
    let follow = Follow {
        intents: BTreeSet::from([Intent::Required]),
        ..Follow::default()
    };
    read("imageset.yaml", text.as_bytes(), &Limits::default(), &follow).map_err(|error| error.to_string())
}

fn catalog(text: &str) -> CatalogRequest {
    set(&format!(
        "mirror:\n  operators:\n  - {{catalog: registry.example.com/c:v1, {text}}}\n"
    ))
    .unwrap()
    .request
    .catalogs
    .remove(0)
}

/// Returns the requested versions of a channel from a fixed list whose last version is the head.
fn wanted(part: &Part, channel: &str) -> Vec<&'static str> {
    let versions = ["1.0.0", "1.1.0", "1.2.0-rc1", "1.2.0"];
    let wants = |version: &&'static str| {
        part.versions.wants(Candidate {
            channel,
            bundle: version,
            version: Some(&version.parse().unwrap()),
            is_head: *version == "1.2.0",
        })
    };
    versions.into_iter().filter(wants).collect()
}

#[test]
fn each_selection_includes_the_expected_versions() {
    for (packages, channel, expected) in [
        ("packages: [{name: a}]", "stable", vec!["1.2.0"]),
        (
            "full: true, packages: [{name: a}]",
            "stable",
            vec!["1.0.0", "1.1.0", "1.2.0-rc1", "1.2.0"],
        ),
        (
            "packages: [{name: a, minVersion: 1.1.0}]",
            "stable",
            vec!["1.1.0", "1.2.0"],
        ),
        (
            "packages: [{name: a, maxVersion: 1.1.0}]",
            "stable",
            vec!["1.0.0", "1.1.0"],
        ),
        (
            "packages: [{name: a, channels: [{name: stable}]}]",
            "stable",
            vec!["1.2.0"],
        ),
        ("packages: [{name: a, channels: [{name: stable}]}]", "fast", vec![]),
        (
            "packages: [{name: a, channels: [{name: stable, minVersion: 1.1.0, maxVersion: 1.1.0}, {name: fast}]}]",
            "stable",
            vec!["1.1.0"],
        ),
        (
            "packages: [{name: a, channels: [{name: stable, minVersion: 1.1.0}, {name: fast}]}]",
            "fast",
            vec!["1.2.0"],
        ),
        (
            "packages: [{name: a, minVersion: 1.1.0, channels: [{name: fast}]}]",
            "fast",
            vec!["1.1.0", "1.2.0"],
        ),
        (
            "packages: [{name: a, minVersion: 1.2.0-0}]",
            "stable",
            vec!["1.2.0-rc1", "1.2.0"],
        ),
    ] {
        assert_eq!(wanted(&catalog(packages).parts["a"], channel), expected, "{packages}");
    }
    assert!(matches!(catalog("full: false").versions, Versions::Head));
    assert!(catalog("full: true").is_whole());
}

#[test]
fn other_supported_fields_become_part_of_the_request() {
    let set = set(
        "mirror:\n  operators:\n  - catalog: oci:///catalogs/c\n    targetCatalog: ns/c\n    targetTag: v2\n    skipDependencies: true\n    \
         platforms: [{os: linux, architecture: arm64}]\n    packages: [{name: a, defaultChannel: fast}]\n  \
         additionalImages: [{name: 'registry.example.com/tool:v1', targetRepo: tools/tool, targetTag: latest}]\n  \
         blockedImages: [{name: 'quay\\.example\\.com/.*-debug'}]\n",
    )
    .unwrap();
    assert_eq!(set.remarks, Vec::<String>::new());
    let catalog = &set.request.catalogs[0];
    assert_eq!(catalog.catalog, "oci:/catalogs/c");
    assert_eq!(catalog.place.repository.as_deref(), Some("ns/c"));
    assert_eq!(catalog.place.tag.as_deref(), Some("v2"));
    assert_eq!(catalog.follow, Follow::default());
    assert_eq!(catalog.default_channels["a"], "fast");
    assert_eq!(catalog.platforms.first().unwrap().to_string(), "linux/arm64");
    let image = &set.request.images[0];
    assert_eq!(
        (image.image.as_str(), image.place.tag.as_deref()),
        ("registry.example.com/tool:v1", Some("latest"))
    );
    assert!(set.request.blocked[0].is_match("quay.example.com/a/b-debug:v1"));
}

#[test]
fn unsupported_fields_are_reported() {
    let set = set(
        "archiveSize: 4\nmirror:\n  platform: {channels: [{name: stable-4.18}]}\n  helm: {}\n  samples: []\n  operators:\n  \
         - {catalog: c, targetCatalogSourceTemplate: cs.yaml}\n  additionalImages: [{name: 'oci:///images/a'}]\n",
    )
    .unwrap();
    let remarks = set.remarks.join("\n");
    for part in [
        "mirror.platform",
        "mirror.helm",
        "mirror.samples",
        "4GiB as the volume size",
        "targetCatalogSourceTemplate",
        "oci:///images/a",
    ] {
        assert!(remarks.contains(part), "{part}: {remarks}");
    }
}

#[test]
fn impossible_configurations_are_rejected_with_their_line() {
    let package =
        |text: &str| format!("mirror:\n  operators:\n  - catalog: c\n    packages:\n    - {{name: a, {text}}}\n");
    for (text, expected) in [
        (package("bundles: [{name: x}]"), "imageset.yaml:7"),
        (
            "mirror:\n  operators:\n  - catalog: c\n    platforms:\n    - {os: linux, architecture: am d64}\n"
                .to_owned(),
            "imageset.yaml:7",
        ),
        (
            package("minVersion: one"),
            "imageset.yaml:7:29: minVersion \"one\" is not a version",
        ),
        (package("maxVersion: x"), "maxVersion \"x\" is not a version"),
        (package("minVersion: 1.a.0"), "the version range \">=1.a.0\" is invalid"),
        (
            "mirror:\n  operators:\n  - catalog: c\n    platforms:\n    - {os: linux, architecture: amd46}\n"
                .to_owned(),
            "linux/amd46 is not a known platform; did you mean linux/amd64?",
        ),
        (
            package("minVersion: 1.0.0, channels: [{name: s, maxVersion: 2.0.0}]"),
            "for the package and for this channel",
        ),
        (
            package("channels: [{name: s}, {name: s}]"),
            "the channel s appears twice",
        ),
        (
            "mirror:\n  operators:\n  - {catalog: c, packages: [{name: a}, {name: a}]}\n".to_owned(),
            "the package a appears twice",
        ),
        (
            "mirror:\n  operators: [{catalog: c}, {catalog: c}]\n".to_owned(),
            "the catalog c appears twice",
        ),
        (
            "mirror:\n  operators:\n  - {catalog: c, full: true, packages: [{name: a, minVersion: 1.0.0}]}\n"
                .to_owned(),
            "`full` selects all",
        ),
        (
            "mirror:\n  blockedImages: [{name: '('}]\n".to_owned(),
            "regular expression",
        ),
        (
            package("minVersion: 1.1.0,\n       maxVersion: 1.0.0"),
            "imageset.yaml:7:29: minVersion 1.1.0 is higher than maxVersion 1.0.0",
        ),
        (
            package("channels: [{name: s, minVersion: v2.0.0, maxVersion: 1.0.0}]"),
            "minVersion 2.0.0 is higher than maxVersion 1.0.0",
        ),
        (
            "archiveSize: 4\nmirror:\n  platform: {}\n  operators: []\n  additionalImages: [{name: 'oci:///a'}]\n"
                .to_owned(),
            "imageset.yaml:5:3: `operators` and `additionalImages` select nothing to mirror; mirror.platform is ignored \
             because opmx mirrors only catalogs and images; oci:///a is skipped, because it is not in a registry",
        ),
        ("mirror: {}\n".to_owned(), "select nothing to mirror"),
        ("mirror:\n  operator: []\n".to_owned(), "operators"),
        ("storageConfig: {}\nmirror: {}\n".to_owned(), "storageConfig"),
        (String::new(), "mirror"),
    ] {
        let error = set(&text).unwrap_err();
        assert!(error.contains(expected), "{text}: {error}");
    }
    for (text, expected) in [
        (
            "apiVersion: mirror.openshift.io/v1alpha2\nkind: ImageSetConfiguration\nmirror: {}\n",
            "v2alpha1 is supported",
        ),
        (
            "apiVersion: mirror.openshift.io/v2alpha1\nkind: DeleteImageSetConfiguration\ndelete: {}\n",
            "but ImageSetConfiguration is expected",
        ),
        ("", "0 documents"),
    ] {
        let error = read("imageset.yaml", text.as_bytes(), &Limits::default(), &Follow::default()).unwrap_err();
        assert!(error.to_string().contains(expected), "{text}: {error}");
    }
}

#[test]
fn invalid_registry_names_are_rejected_with_their_line() {
    let refused = |key: &str, entry: &str| {
        set(&format!("mirror:\n  {key}:\n  - {{{entry},\n     platforms: []}}\n")).unwrap_err()
    };
    let operator = |field: &str| {
        refused(
            "operators",
            &format!("catalog: registry.example.com/c:v1,\n     {field}"),
        )
    };
    let image = |field: &str| {
        refused(
            "additionalImages",
            &format!("name: registry.example.com/i:v1,\n     {field}"),
        )
    };
    for (error, wanted) in [
        (operator("targetTag: bad tag"), "invalid targetTag: the tag \"bad tag\""),
        (operator("targetCatalog: My/Garden"), "must be lowercase"),
        (operator("targetCatalog: my//garden"), "invalid targetCatalog"),
        (operator("targetCatalog: my/garden@x"), "invalid targetCatalog"),
        (operator("targetCatalog: my/garden:v3"), "specify a tag in targetTag"),
        (image("targetRepo: my/garden:v3"), "invalid targetRepo"),
        (image("targetTag: -v1"), "invalid targetTag"),
    ] {
        assert!(error.starts_with("imageset.yaml:6:"), "{error}");
        assert!(error.contains(wanted), "{error}");
    }
    let set = catalog("targetCatalog: my__own/garden-2.x, targetTag: V1_2.3-x");
    assert_eq!(set.place.repository.as_deref(), Some("my__own/garden-2.x"));
    assert_eq!(set.place.tag.as_deref(), Some("V1_2.3-x"));
    assert_eq!(
        catalog("targetCatalog: '', targetTag: ''").place,
        Destination::default()
    );
}
