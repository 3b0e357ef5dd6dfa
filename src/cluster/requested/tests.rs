use super::*;
use serde_json::json;

fn operator(updates: &Value) -> Value {
    json!({"apiVersion": "operators.coreos.com/v2alpha1", "kind": "Operator", "metadata": {"name": "plumbus"},
        "spec": {"updates": updates}})
}

fn install(spec: &Value) -> Value {
    json!({"apiVersion": "operators.coreos.com/v2alpha1", "kind": "Install", "metadata": {"name": "plan"}, "spec": spec})
}

fn read(updates: &Value) -> Result<Updates, String> {
    let read = operators(&[operator(updates)]).map_err(|error| error.to_string())?;
    Ok(read.into_iter().next().unwrap().updates)
}

/// S7, S8, S9, S67: both variants of `spec.updates`, as in the examples of the proposal.
#[test]
fn s8_the_operator_of_the_proposal_is_read() {
    let reference = json!({"name": "community", "namespace": "my-ns"});
    let catalog = json!({"type": "CatalogSource", "catalogSource": {"package": "plumbus", "channel": "stable",
        "entrypoint": "plumbus.v2.0.0", "approval": "Manual", "ref": reference}});
    let Updates::Catalog(read_updates) = read(&catalog).unwrap() else {
        panic!("a catalog");
    };
    assert_eq!(read_updates.package.as_deref(), Some("plumbus"));
    assert_eq!(read_updates.entrypoint.as_deref(), Some("plumbus.v2.0.0"));
    assert_eq!(read_updates.approval, Approval::Manual);
    assert_eq!(
        (&*read_updates.catalog, &*read_updates.catalog_namespace),
        ("community", "my-ns")
    );
    let image = json!({"type": "ManifestImage", "manifestImage": "registry.example.com/plumbus:v1"});
    let as_image = Updates::Image("registry.example.com/plumbus:v1".to_owned());
    assert_eq!(read(&image), Ok(as_image.clone()));
    let mut source = operator(&Value::Null);
    source["spec"]["source"] = image;
    assert_eq!(operators(&[source]).unwrap()[0].updates, as_image);
    // Operators created by OLM request nothing, and other groups may also have a kind with this name.
    let of_olm =
        json!({"apiVersion": "operators.coreos.com/v1", "kind": "Operator", "metadata": {"name": "a.b"}, "spec": {}});
    let of_others = json!({"apiVersion": "example.com/v1", "kind": "Operator", "metadata": {"name": "a"},
        "spec": {"updates": {"type": "x"}}});
    assert_eq!(operators(&[of_olm, of_others]).unwrap(), []);
}

#[test]
fn a_contradictory_operator_is_rejected_with_the_path() {
    let catalog = |source: Value| json!({"type": "CatalogSource", "catalogSource": source});
    let reference = json!({"name": "c", "namespace": "n"});
    for (updates, message) in [
        (json!({"manifestImage": "i"}), "spec.updates.type is missing"),
        (
            json!({"type": "Helm"}),
            "spec.updates.type is \"Helm\"; it must be CatalogSource or ManifestImage",
        ),
        (
            json!({"type": "ManifestImage", "manifestImage": "i", "catalogSource": {}}),
            "spec.updates.type is ManifestImage, but spec.updates.catalogSource is also set",
        ),
        (
            json!({"type": "CatalogSource"}),
            "spec.updates.type is CatalogSource, but spec.updates.catalogSource is missing",
        ),
        (
            catalog(json!({"ref": reference})),
            "spec.updates.catalogSource names neither a package nor an entrypoint",
        ),
        (
            catalog(json!({"channel": "stable", "entrypoint": "a", "ref": reference})),
            "spec.updates.catalogSource.channel names a channel, but spec.updates.catalogSource.package is missing",
        ),
        (
            catalog(json!({"package": "p", "ref": {"name": "c"}})),
            "spec.updates.catalogSource.ref.namespace is missing",
        ),
        (
            catalog(json!({"package": 1, "ref": reference})),
            "spec.updates.catalogSource.package must be a string",
        ),
        (
            catalog(json!({"package": "p", "approval": "Perhaps", "ref": reference})),
            "spec.updates.catalogSource.approval is \"Perhaps\"; it must be Automatic or Manual",
        ),
    ] {
        assert_eq!(read(&updates), Err(format!("Operator plumbus: {message}")));
    }
}

/// S71, S72, S73, S74: every field of the proposal's example, including its raw manifest.
#[test]
fn s71_the_install_of_the_proposal_is_read() {
    let pod = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: nginx\n  namespace: operators\n";
    let spec = json!({"namespaces": [{"from": "default", "to": "operators"}], "approval": "Unapproved", "content": [
        {"type": "ManifestImage", "manifestImage": "registry.example.com/plum:latest"},
        {"type": "Raw", "raw": pod},
        {"type": "Raw", "raw": {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s"}}},
        {"type": "Raw", "raw": format!("{pod}---\n{pod}")}]});
    let read = installs(&[install(&spec)]).unwrap().pop().unwrap();
    assert_eq!(
        read.namespaces,
        BTreeMap::from([("default".to_owned(), "operators".to_owned())])
    );
    assert!(!read.approved);
    let raw = |content: &RequestedContent| match content {
        RequestedContent::Image(_) => 0,
        RequestedContent::Raw(objects) => objects.len(),
    };
    assert_eq!(read.content.iter().map(raw).collect::<Vec<_>>(), [0, 1, 1, 2]);
    let approved = json!({"approval": "Approved", "contents": [{"type": "ManifestImage", "manifestImage": "i"}]});
    assert!(installs(&[install(&approved)]).unwrap()[0].approved);
}

#[test]
fn an_unreadable_install_is_rejected_with_the_path() {
    let image = json!({"type": "ManifestImage", "manifestImage": "i"});
    for (spec, message) in [
        (json!({}), "spec.content lists no content to install"),
        (json!({"content": []}), "spec.content lists no content to install"),
        (
            json!({"content": [{"type": "Raw", "raw": "a: ["}]}),
            "spec.content[0].raw is not YAML or JSON",
        ),
        (
            json!({"content": [image, {"type": "Raw", "raw": {"kind": "Pod"}}]}),
            "spec.content[1].raw is not a Kubernetes object with apiVersion, kind and metadata.name",
        ),
        (
            json!({"content": [image], "approval": true}),
            "spec.approval is true; it must be Approved or Unapproved",
        ),
        (
            json!({"content": [image], "namespaces": [{"from": "a", "to": "b"}, {"from": "a", "to": "c"}]}),
            "spec.namespaces maps the namespace a to b and to c",
        ),
        (
            json!({"content": [image], "namespaces": [{"from": "a"}]}),
            "spec.namespaces[0].to is missing",
        ),
        (
            json!({"content": [image], "namespaces": [{"from": "a", "to": "X Y"}]}),
            "spec.namespaces[0].to \"X Y\" must consist of lowercase letters",
        ),
        (
            json!({"content": [image], "contents": [image]}),
            "spec.contents has the same meaning as spec.content, which is also set",
        ),
        (
            json!({"content": [image], "aproval": "Approved"}),
            "spec.aproval is not a known key of the Install; did you mean approval?",
        ),
        (
            json!({"content": [{"type": "Raw", "raw": {"apiVersion": "v1", "kind": "List", "items": []}}]}),
            "spec.content[0].raw contains no object",
        ),
    ] {
        let error = installs(&[install(&spec)]).unwrap_err().to_string();
        assert!(error.starts_with(&format!("Install plan: {message}")), "{error}");
    }
}

#[test]
fn unknown_fields_are_rejected_except_those_that_the_api_server_writes() {
    let reference = json!({"name": "c", "namespace": "n"});
    let source = json!({"package": "p", "entryPoint": "p.v1", "ref": reference});
    let mut object = operator(&json!({"type": "CatalogSource", "catalogSource": source}));
    let message = "Operator plumbus: spec.updates.catalogSource.entryPoint is not a known key of the Operator; did you \
                   mean entrypoint?";
    let error = operators(std::slice::from_ref(&object)).unwrap_err();
    assert_eq!(error.to_string(), message);
    let list = json!({"apiVersion": "v1", "kind": "List", "items": [install(&json!({})), object]});
    let text = serde_json::to_string_pretty(&list).unwrap();
    let line = text.lines().position(|line| line.contains("entryPoint")).unwrap() + 1;
    let placed = error.in_file("o.json", text.as_bytes(), &Limits::default()).to_string();
    assert!(placed.starts_with(&format!("o.json:{line}:")), "{placed}");
    assert!(placed.ends_with(message), "{placed}");
    object["apiVersion"] = "operators.coreos.com/v3".into();
    assert!(operators(&[object]).is_ok(), "other versions may have other fields");
    let image = json!({"type": "ManifestImage", "manifestImage": "i"});
    let mut object = operator(&image);
    object["metadata"]["managedFields"] = json!([{"manager": "kubectl"}]);
    object["status"] = json!({"components": {}});
    assert!(operators(&[object]).is_ok());
}

#[test]
fn the_items_of_a_raw_list_are_content() {
    let service = |name: &str| json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": name}});
    let list = json!({"apiVersion": "v1", "kind": "List", "items": [service("a"), service("b")]});
    for raw in [list.clone(), list.to_string().into()] {
        let read = installs(&[install(&json!({"content": [{"type": "Raw", "raw": raw}]}))]).unwrap();
        assert_eq!(
            read[0].content,
            [RequestedContent::Raw(vec![service("a"), service("b")])]
        );
    }
}
