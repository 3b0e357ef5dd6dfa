use super::scopes::is_within;
use super::*;
use crate::image::Digest;
use crate::mirror::plan::{CatalogObject, ImageRole, LeftOut, PlannedCatalog, PlannedImage, SCHEMA, Totals, Use};
use serde_json::{Value, json};

const TARGET: &str = "mirror.example.com:5000/ocp";

/// Returns the mirrors in which these rules look for an image; the most specific rule applies.
fn mirrors_of(rules: &BTreeMap<String, BTreeSet<String>>, repository: &str) -> BTreeSet<String> {
    let matching = rules.iter().filter(|(source, _)| is_within(repository, source));
    let Some((source, mirrors)) = matching.max_by_key(|(source, _)| source.len()) else {
        return BTreeSet::new();
    };
    let rest = repository.strip_prefix(source.as_str()).unwrap_or_default();
    mirrors.iter().map(|mirror| format!("{mirror}{rest}")).collect()
}

fn image(origin: &str, destination: &str, role: ImageRole) -> PlannedImage {
    let (digest, used) = (
        Digest::of(origin.as_bytes()),
        Use {
            role,
            package: None,
            bundle: None,
            name: None,
        },
    );
    let repository = origin.split('@').next().unwrap();
    let (repository, tag) = repository.rsplit_once(':').unwrap_or((repository, "v1"));
    PlannedImage {
        source: format!("{repository}@{digest}"),
        origins: BTreeSet::from([origin.to_owned()]),
        digest,
        media_type: String::new(),
        platforms: BTreeSet::new(),
        platforms_left_out: BTreeSet::new(),
        bytes: 0,
        uses: vec![used],
        path: None,
        destination: Some(format!("{TARGET}/{destination}")),
        tags: BTreeSet::from([tag.to_owned()]),
        extras: BTreeSet::new(),
    }
}

fn plan() -> Plan {
    let digest = Digest::of(b"x");
    let related = ImageRole::Related;
    Plan {
        schema: SCHEMA.to_owned(),
        to: Some(TARGET.to_owned()),
        catalogs: vec![PlannedCatalog {
            source: "registry.example.com/garden/catalog:v2026.11".to_owned(),
            digest: None,
            kept: Vec::new(),
            rebuilt: true,
            serves: true,
            folder: None,
            database: false,
            digest_after: digest,
            path: None,
            destination: Some(format!("{TARGET}/garden/catalog:v2026.11")),
            objects: Vec::new(),
        }],
        images: vec![
            image(
                &format!("registry.example.com/garden/greenhouse@{digest}"),
                "garden/greenhouse",
                related,
            ),
            image(
                &format!("registry.example.com/garden/bundle@{digest}"),
                "garden/bundle",
                ImageRole::Bundle,
            ),
            image(
                &format!("other.example.com/proxy/rbac:v0.15@{digest}"),
                "proxy/rbac",
                related,
            ),
            image("registry.example.com/certs/op:v1", "elsewhere/op", related),
            image(
                "registry.example.com/garden/catalog:v2026.11",
                "garden/catalog",
                ImageRole::Catalog,
            ),
        ],
        extras: Vec::new(),
        manifests: BTreeMap::new(),
        blobs: BTreeMap::new(),
        totals: Totals::default(),
        because: Vec::new(),
        left_out: vec![LeftOut {
            blocked: false,
            image: "registry.example.com/garden/gone:v1".to_owned(),
            bundles: BTreeSet::new(),
            why: "it is gone".to_owned(),
        }],
    }
}

fn options(kinds: &[ManifestKind], scope: Scope) -> ManifestOptions {
    ManifestOptions {
        kinds: kinds.iter().copied().collect(),
        scope,
        never_contact_source: false,
        name: "mirror".to_owned(),
        namespace: Some("olm".to_owned()),
        catalog_names: BTreeMap::new(),
    }
}

fn file(kind: ManifestKind, scope: Scope) -> String {
    let made = manifests(&plan(), &options(&[kind], scope)).unwrap();
    made.files.into_values().next().unwrap()
}

#[test]
fn a_plan_without_a_target_gives_an_error_instead_of_no_files() {
    let plan = Plan { to: None, ..plan() };
    let error = manifests(&plan, &options(&[ManifestKind::Idms], Scope::Repository)).unwrap_err();
    assert_eq!(error, ManifestError::Nowhere);
}

#[test]
fn rules_map_every_source_to_its_destination_whatever_their_scope() {
    let plan = plan();
    for scope in [Scope::Repository, Scope::Namespace, Scope::Registry] {
        let rules = rules(&plan, scope);
        for (origin, by_digest, by_tag, place) in [
            (
                "registry.example.com/garden/greenhouse",
                true,
                false,
                "garden/greenhouse",
            ),
            ("registry.example.com/garden/bundle", true, false, "garden/bundle"),
            ("other.example.com/proxy/rbac", true, true, "proxy/rbac"),
            ("registry.example.com/certs/op", false, true, "elsewhere/op"),
        ] {
            let place = BTreeSet::from([format!("{TARGET}/{place}")]);
            for (is_there, rules) in [(by_digest, &rules.by_digest), (by_tag, &rules.by_tag)] {
                if is_there {
                    assert_eq!(mirrors_of(rules, origin), place, "{origin} {scope:?} {rules:?}");
                }
            }
        }
    }
}

#[test]
fn a_rule_covers_one_repository_unless_widened_and_other_matches_are_reported() {
    let plan = plan();
    assert!(rules(&plan, Scope::Repository).remarks.is_empty());
    let wide = rules(&plan, Scope::Namespace);
    let sources: Vec<&String> = wide.by_digest.keys().collect();
    assert_eq!(sources, ["other.example.com/proxy", "registry.example.com/garden"]);
    assert_eq!(
        wide.remarks,
        [
            "the rule for registry.example.com/garden also applies to registry.example.com/garden/gone:v1, which the plan leaves out"
        ]
    );
    // The rule for `certs` leads to a namespace with a different name, because only the last path component must match.
    assert_eq!(
        wide.by_tag.keys().collect::<Vec<_>>(),
        ["other.example.com/proxy", "registry.example.com/certs"]
    );
}

#[test]
fn mirror_sets_and_catalogs_are_cluster_objects() {
    insta::assert_snapshot!(file(ManifestKind::Idms, Scope::Namespace), @r"
    apiVersion: config.openshift.io/v1
    kind: ImageDigestMirrorSet
    metadata:
      name: mirror
    spec:
      imageDigestMirrors:
      - mirrors:
        - mirror.example.com:5000/ocp/proxy
        source: other.example.com/proxy
      - mirrors:
        - mirror.example.com:5000/ocp/garden
        source: registry.example.com/garden
    ");
    insta::assert_snapshot!(file(ManifestKind::Itms, Scope::Repository), @r"
    apiVersion: config.openshift.io/v1
    kind: ImageTagMirrorSet
    metadata:
      name: mirror
    spec:
      imageTagMirrors:
      - mirrors:
        - mirror.example.com:5000/ocp/proxy/rbac
        source: other.example.com/proxy/rbac
      - mirrors:
        - mirror.example.com:5000/ocp/elsewhere/op
        source: registry.example.com/certs/op
    ");
    insta::assert_snapshot!(file(ManifestKind::Icsp, Scope::Registry), @r"
    apiVersion: operator.openshift.io/v1alpha1
    kind: ImageContentSourcePolicy
    metadata:
      name: mirror
    spec:
      repositoryDigestMirrors:
      - mirrors:
        - mirror.example.com:5000/ocp
        source: other.example.com
      - mirrors:
        - mirror.example.com:5000/ocp
        source: registry.example.com
    ");
    insta::assert_snapshot!(file(ManifestKind::CatalogSource, Scope::Repository), @r"
    apiVersion: operators.coreos.com/v1alpha1
    kind: CatalogSource
    metadata:
      name: catalog-v2026-11
      namespace: olm
    spec:
      sourceType: grpc
      image: mirror.example.com:5000/ocp/garden/catalog:v2026.11
      grpcPodConfig:
        securityContextConfig: restricted
      updateStrategy:
        registryPoll:
          interval: 30m
    ");
    insta::assert_snapshot!(file(ManifestKind::ClusterCatalog, Scope::Repository), @r"
    apiVersion: olm.operatorframework.io/v1
    kind: ClusterCatalog
    metadata:
      name: catalog-v2026-11
    spec:
      source:
        type: Image
        image:
          ref: mirror.example.com:5000/ocp/garden/catalog:v2026.11
          pollIntervalMinutes: 30
    ");
}

#[test]
fn container_engines_and_copying_tools_have_their_own_files() {
    insta::assert_snapshot!(file(ManifestKind::RegistriesConf, Scope::Namespace), @r#"
    [[registry]]
    prefix = "other.example.com/proxy"
    location = "other.example.com/proxy"

    [[registry.mirror]]
    location = "mirror.example.com:5000/ocp/proxy"

    [[registry]]
    prefix = "registry.example.com/certs"
    location = "registry.example.com/certs"

    [[registry.mirror]]
    location = "mirror.example.com:5000/ocp/elsewhere"
    pull-from-mirror = "tag-only"

    [[registry]]
    prefix = "registry.example.com/garden"
    location = "registry.example.com/garden"

    [[registry.mirror]]
    location = "mirror.example.com:5000/ocp/garden"
    pull-from-mirror = "digest-only"
    "#);
    insta::assert_snapshot!(file(ManifestKind::Mapping, Scope::Repository), @r"
    other.example.com/proxy/rbac@sha256:5cdadac0aa37c2187983b85c71f93ba3f0abbc14dae0ec04eefa35e17f464c91=mirror.example.com:5000/ocp/proxy/rbac:v0.15
    registry.example.com/certs/op@sha256:9cfd348c862cbd1634b154b123db1b22003c9b2b738fb2974d1274156a25665d=mirror.example.com:5000/ocp/elsewhere/op:v1
    registry.example.com/garden/bundle@sha256:622125319f140e56d47d8a1bc41c42a12a1f3f3ae9c5e18b049398c284fa947f=mirror.example.com:5000/ocp/garden/bundle:v1
    registry.example.com/garden/catalog@sha256:6b981d6e2f0d0bb296712de3268610f8af38040ad49845147be2fba709305038=mirror.example.com:5000/ocp/garden/catalog:v2026.11
    registry.example.com/garden/greenhouse@sha256:22c1e7b3e38687a1d3f71079f71dee62c2c84b1fe5a966edf90221de176576fa=mirror.example.com:5000/ocp/garden/greenhouse:v1
    ");
    let made = manifests(&plan(), &options(&[ManifestKind::HostsToml], Scope::Repository)).unwrap();
    insta::assert_snapshot!(made.files["hosts/registry.example.com/hosts.toml"], @r#"
    server = "https://registry.example.com"

    [host."https://mirror.example.com:5000/v2/ocp"]
    capabilities = ["pull", "resolve"]
    override_path = true
    "#);
    assert!(
        made.remarks[0].contains("registry.example.com/certs/op"),
        "{:?}",
        made.remarks
    );
}

#[test]
fn names_are_valid_or_rejected_before_anything_else() {
    let mut plan = plan();
    plan.catalogs[0].destination = Some(format!("{TARGET}/A_b/Catalog.{}:v4.18-rc.12.x", "c".repeat(80)));
    let kinds = [ManifestKind::CatalogSource, ManifestKind::ClusterCatalog];
    let derived = options(&kinds, Scope::Repository);
    let files = |options: &ManifestOptions| manifests(&plan, options).map(|made| made.files);
    let file = files(&derived).unwrap().into_keys().next().unwrap();
    let name = file
        .strip_prefix("catalogsource-")
        .and_then(|file| file.strip_suffix(".yaml"));
    assert!(name.is_some_and(is_dns1123_label), "{file}");
    let given = |source: &str, name: &str| ManifestOptions {
        catalog_names: BTreeMap::from([(source.to_owned(), name.to_owned())]),
        ..derived.clone()
    };
    let source = plan.catalogs[0].source.clone();
    let mine = files(&given(&source, "mine")).unwrap();
    assert!(
        mine.keys().eq(["catalogsource-mine.yaml", "clustercatalog-mine.yaml"]),
        "{mine:?}"
    );
    assert!(files(&given(&source, "Mine")).is_err());
    assert!(files(&given("other", "mine")).is_err());
    plan.catalogs.push(plan.catalogs[0].clone());
    assert!(manifests(&plan, &derived).is_err());
}

#[test]
fn the_objects_through_which_a_cluster_uses_a_catalog_keep_their_names_and_settings() {
    let object = |kind, name: &str, namespace: Option<&str>, spec: Value| CatalogObject {
        kind,
        name: name.to_owned(),
        namespace: namespace.map(str::to_owned),
        labels: BTreeMap::from([("tier".to_owned(), "a".to_owned())]),
        spec: spec.as_object().unwrap().clone(),
    };
    let mut plan = plan();
    plan.catalogs[0].objects = vec![
        object(
            CatalogKind::CatalogSource,
            "corp",
            Some("catalogs"),
            json!({
                "sourceType": "grpc", "image": "registry.example.com/corp:v1", "address": "corp:50051",
                "displayName": "Corp", "priority": 7, "secrets": ["pull"],
                "grpcPodConfig": {"extractContent": {"catalogDir": "/old"}, "nodeSelector": {"a": "b"}},
                "updateStrategy": {"registryPoll": {"interval": "10m"}},
            }),
        ),
        object(CatalogKind::CatalogSource, "corp", Some("other"), json!({})),
        object(
            CatalogKind::ClusterCatalog,
            "corp.v1",
            None,
            json!({"source": {"type": "Image", "image": {"ref": "registry.example.com/corp:v1"}}, "priority": 50}),
        ),
    ];
    let kinds = [ManifestKind::CatalogSource, ManifestKind::ClusterCatalog];
    let kept = ManifestOptions {
        namespace: None,
        ..options(&kinds, Scope::Repository)
    };
    let made = manifests(&plan, &kept).unwrap();
    insta::assert_snapshot!(made.files["catalogsource-corp.yaml"], @r"
    apiVersion: operators.coreos.com/v1alpha1
    kind: CatalogSource
    metadata:
      name: corp
      namespace: catalogs
      labels:
        tier: a
    spec:
      sourceType: grpc
      image: mirror.example.com:5000/ocp/garden/catalog:v2026.11
      displayName: Corp
      priority: 7
      secrets:
      - pull
      grpcPodConfig:
        nodeSelector:
          a: b
        securityContextConfig: restricted
      updateStrategy:
        registryPoll:
          interval: 10m
    ---
    apiVersion: operators.coreos.com/v1alpha1
    kind: CatalogSource
    metadata:
      name: corp
      namespace: other
      labels:
        tier: a
    spec:
      sourceType: grpc
      image: mirror.example.com:5000/ocp/garden/catalog:v2026.11
      grpcPodConfig:
        securityContextConfig: restricted
      updateStrategy:
        registryPoll:
          interval: 30m
    ");
    insta::assert_snapshot!(made.files["clustercatalog-corp.v1.yaml"], @r"
    apiVersion: olm.operatorframework.io/v1
    kind: ClusterCatalog
    metadata:
      name: corp.v1
      labels:
        tier: a
    spec:
      source:
        type: Image
        image:
          ref: mirror.example.com:5000/ocp/garden/catalog:v2026.11
          pollIntervalMinutes: 30
      priority: 50
    ");
    let named = ManifestOptions {
        catalog_names: BTreeMap::from([(plan.catalogs[0].source.clone(), "mine".to_owned())]),
        ..kept.clone()
    };
    let made = manifests(&plan, &named).unwrap();
    assert_eq!(made.files.len(), 2);
    assert!(made.files["clustercatalog-mine.yaml"].contains("priority: 50"));
    plan.catalogs[0].objects[2].name = "../corp".to_owned();
    let error = manifests(&plan, &kept).unwrap_err();
    assert!(matches!(error, ManifestError::Name { .. }), "{error}");
    let error = manifests(&plan, &options(&kinds, Scope::Repository)).unwrap_err();
    assert!(matches!(error, ManifestError::Same { .. }), "{error}");
}

#[test]
fn only_a_catalog_source_needs_a_name_that_a_service_can_have() {
    let plan = plan();
    let named = |kind| ManifestOptions {
        catalog_names: BTreeMap::from([(plan.catalogs[0].source.clone(), "4cat".to_owned())]),
        ..options(&[kind], Scope::Repository)
    };
    let error = manifests(&plan, &named(ManifestKind::CatalogSource)).unwrap_err();
    assert!(matches!(error, ManifestError::SourceName { .. }), "{error}");
    assert!(manifests(&plan, &named(ManifestKind::ClusterCatalog)).is_ok());
}

#[test]
fn only_the_names_of_written_objects_are_checked() {
    let mut plan = plan();
    plan.catalogs.push(plan.catalogs[0].clone());
    let scope = Scope::Repository;
    assert!(manifests(&plan, &options(&[ManifestKind::Itms, ManifestKind::Mapping], scope)).is_ok());
    for kind in [ManifestKind::CatalogSource, ManifestKind::ClusterCatalog] {
        assert!(
            manifests(&plan, &options(&[ManifestKind::Itms, kind], scope)).is_err(),
            "{kind:?}"
        );
    }
    let named = |kind| ManifestOptions {
        name: "No".to_owned(),
        ..options(&[kind], scope)
    };
    assert!(manifests(&plan, &named(ManifestKind::Mapping)).is_ok());
    assert!(manifests(&plan, &named(ManifestKind::Idms)).is_err());
}

#[test]
fn a_tag_missing_from_the_target_has_no_rule_and_a_shared_repository_is_reported() {
    let mut plan = plan();
    plan.images = vec![
        image("one.example.com/app/op:v1", "app/op", ImageRole::Additional),
        image("two.example.com/app/op:v2", "app/op", ImageRole::Additional),
        image("one.example.com/app/other:v1", "app/other", ImageRole::Additional),
    ];
    plan.images[2].tags = BTreeSet::from(["v9".to_owned()]);
    let rules = rules(&plan, Scope::Repository);
    let sources: Vec<&String> = rules.by_tag.keys().collect();
    assert_eq!(sources, ["one.example.com/app/op", "two.example.com/app/op"]);
    assert_eq!(
        rules.remarks,
        [
            "no rule leads from one.example.com/app/other:v1 to the mirror, because its tag at the target differs; refer to it as mirror.example.com:5000/ocp/app/other:v9",
            "one.example.com/app/op and two.example.com/app/op have the same repository mirror.example.com:5000/ocp/app/op at the target, so a tag that only one of them has is also found for the others",
        ]
    );
}

#[test]
fn an_unchanged_catalog_gets_only_objects_a_cluster_can_run() {
    let mut plan = plan();
    plan.catalogs[0].rebuilt = false;
    plan.catalogs[0].serves = false;
    plan.catalogs[0].folder = Some("/catalog".to_owned());
    let both = [ManifestKind::CatalogSource, ManifestKind::ClusterCatalog];
    let made = manifests(&plan, &options(&both, Scope::Repository)).unwrap();
    let source = &made.files["catalogsource-catalog-v2026-11.yaml"];
    assert!(
        source.contains("    extractContent:\n      catalogDir: /catalog\n"),
        "{source}"
    );
    assert_eq!(made.files.len(), 2);

    plan.catalogs[0].folder = None;
    plan.catalogs[0].database = true;
    let made = manifests(&plan, &options(&both, Scope::Repository)).unwrap();
    assert!(!made.files["catalogsource-catalog-v2026-11.yaml"].contains("extractContent"));
    assert_eq!(made.files.len(), 1);
    assert_eq!(
        made.remarks,
        [
            "no ClusterCatalog is written for registry.example.com/garden/catalog:v2026.11, because it is a database, and OLM v1 reads only file-based catalogs"
        ]
    );
}

#[test]
fn files_for_container_engines_block_the_source_on_request() {
    let kinds = [
        ManifestKind::RegistriesConf,
        ManifestKind::HostsToml,
        ManifestKind::Icsp,
    ];
    let options = ManifestOptions {
        never_contact_source: true,
        ..options(&kinds, Scope::Repository)
    };
    let made = manifests(&plan(), &options).unwrap();
    let registries = &made.files["registries.conf"];
    assert_eq!(
        registries.matches("[[registry]]").count(),
        registries.matches("blocked = true").count()
    );
    insta::assert_snapshot!(made.files["hosts/registry.example.com/hosts.toml"], @r#"
    server = "https://mirror.example.com:5000/v2/ocp"
    capabilities = ["pull", "resolve"]
    override_path = true
    "#);
    for part in [
        "cannot forbid the source registry",
        "hosts.toml applies to all images of registry.example.com",
    ] {
        assert!(
            made.remarks.iter().any(|remark| remark.contains(part)),
            "{:?}",
            made.remarks
        );
    }
}

#[test]
fn a_namespace_that_kubernetes_rejects_is_rejected() {
    let options = ManifestOptions {
        namespace: Some("My_NS".to_owned()),
        ..options(&[ManifestKind::CatalogSource], Scope::Repository)
    };
    let error = manifests(&plan(), &options).unwrap_err();
    insta::assert_snapshot!(error, @r#"the namespace "My_NS" must consist of lowercase letters, digits and hyphens, with a letter or digit at both ends"#);
}
