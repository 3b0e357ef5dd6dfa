use super::*;
use serde_json::json;
use std::fs;
use std::io::Write;

fn object(kind: &str, name: &str) -> Value {
    json!({"apiVersion": "v1", "kind": kind, "metadata": {"name": name}})
}

fn read_text(text: &str) -> Result<State, DumpError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("dump");
    fs::write(&path, text).unwrap();
    let mut state = State::default();
    read(&path, |object| object, &DumpLimits::default(), &mut state)?;
    Ok(state)
}

fn names(state: &State) -> Vec<&str> {
    state
        .objects
        .iter()
        .map(|object| object["metadata"]["name"].as_str().unwrap())
        .collect()
}

#[test]
fn lists_and_single_objects_are_read_in_both_languages() {
    let list = json!({"apiVersion": "v1", "kind": "List", "items": [object("Role", "a"), object("Role", "b")]});
    let kubectl = json!({"apiVersion": "v1", "items": [object("Role", "a"), object("Role", "b")], "kind": "List"});
    let typed = json!({"apiVersion": "v1", "kind": "RoleList", "items": [object("Role", "a"), object("Role", "b")]});
    for list in [list, kubectl, typed] {
        let yaml = text::to_yaml(&list);
        for text in [list.to_string(), format!("{list:#}"), yaml] {
            assert_eq!(names(&read_text(&text).unwrap()), ["a", "b"], "{text}");
        }
    }
    let stream = format!("{}\n{}", object("Role", "a"), object("Role", "b"));
    assert_eq!(names(&read_text(&stream).unwrap()), ["a", "b"]);
    let stream = "kind: Role\nmetadata: {name: a}\n---\nkind: Role\nmetadata: {name: b}\n";
    assert_eq!(names(&read_text(stream).unwrap()), ["a", "b"]);
}

#[test]
fn what_a_cluster_serves_is_read_from_tables_and_discovery() {
    let table = "NAME   SHORTNAMES   APIVERSION   NAMESPACED   KIND\nnodes  no  v1  false  Node\nfoos    example.com/v1  true  Foo\n";
    let discovery = json!({"kind": "APIResourceList", "groupVersion": "example.com/v1",
        "resources": [{"name": "foos", "kind": "Foo", "namespaced": true}]});
    for text in [table.to_owned(), discovery.to_string(), text::to_yaml(&discovery)] {
        let state = read_text(&text).unwrap();
        let apis = state.apis.unwrap();
        let foo = apis.iter().find(|api| api.kind.kind == "Foo").unwrap();
        assert_eq!((foo.plural.as_deref(), foo.namespaced), (Some("foos"), true), "{text}");
        assert!(apis.iter().all(|api| api.kind.kind != "Node" || !api.namespaced));
    }
    let groups = json!({"kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2", "items": [
        {"metadata": {"name": "example.com"}, "versions": [{"version": "v1", "resources": [
            {"resource": "foos", "responseKind": {"kind": "Foo"}}]}]}]});
    assert_eq!(read_text(&groups.to_string()).unwrap().apis.unwrap().len(), 1);
}

#[test]
fn a_folder_is_read_file_by_file() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("below")).unwrap();
    for (path, name) in [
        ("b.yaml", "b"),
        ("a.json", "a"),
        ("below/c.yaml", "c"),
        (".hidden", "d"),
    ] {
        fs::write(folder.path().join(path), object("Role", name).to_string()).unwrap();
    }
    let mut state = State::default();
    read(folder.path(), kept, &DumpLimits::default(), &mut state).unwrap();
    assert_eq!(names(&state), ["a", "b", "c"]);
    let few = DumpLimits {
        files: 2,
        ..DumpLimits::default()
    };
    let error = read(folder.path(), kept, &few, &mut State::default()).unwrap_err();
    assert!(matches!(error, DumpError::Files { limit: 2, .. }));
}

#[test]
fn what_is_wrong_is_named_with_its_line() {
    let error = |text: &str| read_text(text).unwrap_err().to_string();
    let yaml = error("items:\n- kind: Role\n  metadata: {name: a}\n- kind: Role\n  metadata: {name: [}\n");
    assert!(yaml.contains("dump:5: "), "{yaml}");
    let json = error("{\"kind\": \"List\",\n \"items\": [{]}");
    assert!(json.contains("dump:2: "), "{json}");
    for nothing in ["", "just words\n", "{}", "kind: List\nitems: []\n"] {
        assert!(error(nothing).contains("holds no objects"), "{nothing}");
    }
}

#[test]
fn a_large_dump_takes_memory_for_what_is_kept_alone() {
    let folder = tempfile::tempdir().unwrap();
    let body = "x".repeat(1000);
    for language in ["yaml", "json"] {
        let path = folder.path().join(language);
        let mut file = std::io::BufWriter::new(File::create(&path).unwrap());
        let json = language == "json";
        file.write_all(if json { b"{\"items\":[" } else { b"items:\n" })
            .unwrap();
        for number in 0..2000 {
            let mut object = object("ConfigMap", &format!("c{number}"));
            object["data"] = json!({"a": body});
            let comma = if number > 0 { "," } else { "" };
            if json {
                write!(file, "{comma}{object}")
            } else {
                writeln!(file, "- {object}")
            }
            .unwrap();
        }
        file.write_all(if json { b"],\"kind\":\"List\"}" } else { b"kind: List\n" })
            .unwrap();
        drop(file);
        let limits = DumpLimits {
            kept: 1 << 20,
            ..DumpLimits::default()
        };
        let mut state = State::default();
        read(&path, kept, &limits, &mut state).unwrap();
        assert_eq!(state.objects.len(), 2000, "two megabytes of data are not kept");
        let error = read(&path, |object| object, &limits, &mut State::default()).unwrap_err();
        assert!(matches!(error, DumpError::TooMuch { .. }), "{language}: {error}");
        let small = DumpLimits {
            object: 500,
            ..DumpLimits::default()
        };
        let error = read(&path, kept, &small, &mut State::default()).unwrap_err();
        assert!(
            error.to_string().ends_with(": an object is larger than 500 bytes"),
            "{error}"
        );
    }
}
