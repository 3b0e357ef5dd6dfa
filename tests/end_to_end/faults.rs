//! Errors when a registry does not have the requested image.

use crate::common::{Sandbox, copy_folder};
use crate::tools::installed;
use crate::{fail, miss, registry, succeed};
use std::path::Path;

#[test]
fn a_missing_tag_and_plain_http_are_reported_with_a_hint() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let sandbox = Sandbox::new();
    let registry = registry(&sandbox);
    let host = &registry.host;
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/compost-operator");
    copy_folder(&data, &sandbox.path("compost"));
    succeed(
        &sandbox,
        &format!("bundle build compost --use-http -t {host}/team/compost:v1"),
    );
    for line in [
        format!("index add --use-http -b compost,{host}/team/compost:v2 -t oci:index:v1"),
        format!("registry add --use-http -b compost,{host}/team/compost:v2 -d index.db"),
        format!("index add --use-http -b compost -f {host}/team/index:v7 -t oci:index:v1"),
        format!("index list bundles --use-http {host}/team/compost:v2"),
        format!("bundle unpack --use-http {host}/nobody/knows:v2 -o out"),
        format!("serve --use-http {host}/team/index:v7 -p 0"),
    ] {
        let said = miss(&sandbox, &line).stderr;
        assert!(said.starts_with("error: "), "{line}: {said}");
        assert!(said.contains(&format!("GET http://{host}/v2/")), "{line}: {said}");
        assert!(said.contains(": not found"), "{line}: {said}");
        assert!(
            said.contains("hint: check the spelling of the repository and the tag"),
            "{line}: {said}"
        );
        assert!(!said.contains("panicked"), "{line}: {said}");
    }
    for line in [
        format!("index add -b {host}/team/compost:v1 -t oci:index:v1"),
        format!("registry add -b {host}/team/compost:v1 -d index.db"),
        format!("index list packages {host}/team/compost:v1"),
        format!("bundle unpack {host}/team/compost:v1 -o out"),
        format!("bundle build compost -t {host}/team/compost:v3"),
    ] {
        let said = fail(&sandbox, &format!("{line} --retries 0")).stderr;
        assert!(
            said.contains("hint: pass --use-http if this registry does not support HTTPS"),
            "{line}: {said}"
        );
    }
    for absent in ["index", "index.db", "out"] {
        assert!(!sandbox.path(absent).exists(), "{absent}");
    }
    let line = format!("index list packages --use-http {host}/team/compost:v1");
    insta::assert_snapshot!(fail(&sandbox, &line).stderr.replace(host, "HOST"), @"
    error: HOST/team/compost:v1 is a bundle, not an index
      hint: use opmx bundle inspect to show a bundle, and opmx index add to add it to an index
    ");
}
