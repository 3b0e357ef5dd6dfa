use super::*;
use crate::text;
use proptest::prelude::*;
use serde_json::json;
use std::fs;
use std::io::Write;

fn object(kind: &str, name: &str) -> Value {
    json!({"apiVersion": "v1", "kind": kind, "metadata": {"name": name}})
}

fn read_text(text: &str) -> Result<State, DumpError> {
    read_within(text, &DumpLimits::default())
}

fn read_within(text: &str, limits: &DumpLimits) -> Result<State, DumpError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("dump");
    fs::write(&path, text).unwrap();
    let mut state = State::default();
    read(&path, |object| object, limits, &mut state)?;
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
fn lists_and_single_objects_are_read_as_yaml_and_json() {
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
    let stream =
        "apiVersion: v1\nkind: Role\nmetadata: {name: a}\n---\napiVersion: v1\nkind: Role\nmetadata: {name: b}\n";
    assert_eq!(names(&read_text(stream).unwrap()), ["a", "b"]);
    let bare = format!("[{}, {}]", object("Role", "a"), object("Role", "b"));
    assert_eq!(names(&read_text(&bare).unwrap()), ["a", "b"]);
    let mut state = State::default();
    let limits = DumpLimits::default();
    read_stream(Path::new("-"), stream.as_bytes(), kept, &limits, &mut state).unwrap();
    assert_eq!(names(&state), ["a", "b"]);
}

#[test]
fn items_get_the_kind_of_their_list_wherever_it_stands() {
    let items = json!([{"metadata": {"name": "a"}}, {"metadata": {"name": "b"}}]);
    let before = json!({"kind": "PodList", "apiVersion": "v1", "metadata": {}, "items": items});
    let behind = json!({"apiVersion": "v1", "items": items, "kind": "PodList", "metadata": {}});
    for list in [before, behind] {
        for text in [list.to_string(), text::to_yaml(&list)] {
            let two = format!("{text}\n{}{text}", if text.starts_with('{') { "" } else { "---\n" });
            let state = read_text(&two).unwrap();
            assert_eq!(names(&state), ["a", "b", "a", "b"], "{text}");
            assert_eq!(state.objects[0], object("Pod", "a"));
        }
    }
    // An object of a kind that ends in List, and an object with a field `items`.
    for object in [
        json!({"apiVersion": "example.com/v1", "kind": "AllowList", "metadata": {"name": "a"}, "items": [1]}),
        json!({"apiVersion": "v1", "kind": "Menu", "metadata": {"name": "a"}, "items": [1]}),
    ] {
        let mut gathered = State::default();
        let limits = DumpLimits::default();
        let taken = Gathered::new(|object| object, &limits, &mut gathered).take(object.clone());
        assert!(taken.is_ok());
        assert_eq!(gathered.objects, [object]);
    }
}

#[test]
fn served_apis_are_read_from_tables_and_discovery_documents() {
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
    let limits = DumpLimits {
        object: table.len() - 1,
        ..DumpLimits::default()
    };
    let error = read_within(table, &limits);
    assert!(matches!(error, Err(DumpError::Table { .. })), "{error:?}");
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
        ("notes.txt", "e"),
    ] {
        fs::write(folder.path().join(path), object("Role", name).to_string()).unwrap();
    }
    let mut state = State::default();
    read(folder.path(), kept, &DumpLimits::default(), &mut state).unwrap();
    assert_eq!(names(&state), ["a", "b", "c"]);
    let table = "NAME   APIVERSION   NAMESPACED   KIND\nfoos   example.com/v1   true   Foo\n";
    fs::write(folder.path().join("apis.txt"), table).unwrap();
    read(folder.path(), kept, &DumpLimits::default(), &mut state).unwrap();
    assert_eq!(state.apis.as_ref().map(Vec::len), Some(1));
    let few = DumpLimits {
        files: 2,
        ..DumpLimits::default()
    };
    let error = read(folder.path(), kept, &few, &mut State::default()).unwrap_err();
    assert!(matches!(error, DumpError::Files { limit: 2, .. }));
}

#[test]
fn files_of_a_folder_that_are_not_dumps_are_skipped_and_reported() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("a.yaml", &object("Role", "a").to_string());
    write(
        "cut.yaml",
        &format!("apiVersion: v1\nitems:\n- {}\n", object("Role", "b")),
    );
    write("health.json", r#"[{"endpoint": "https://10.0.0.1:2379"}]"#);
    write("pods.txt", "NAME   READY   STATUS\np      1/1     Running\n");
    write("pods.yaml", "NAME   READY   STATUS\np      1/1     Running\n");
    write("values.yaml", "replicas: {1\n");
    fs::create_dir(folder.path().join("..data")).unwrap();
    write("..data/c.yaml", &object("Role", "c").to_string());
    #[cfg(unix)]
    std::os::unix::fs::symlink("..data/c.yaml", folder.path().join("c.yaml")).unwrap();
    let mut state = State::default();
    let skipped = read(folder.path(), kept, &DumpLimits::default(), &mut state).unwrap();
    let skipped: Vec<String> = skipped.iter().map(ToString::to_string).collect();
    let expected = [
        ("cut.yaml:1: ", "a list without kind, as in output that was cut off"),
        ("health.json:1: ", "found a map without apiVersion and kind"),
        ("pods.yaml", "is a table of kubectl"),
        ("values.yaml:", ""),
    ];
    assert_eq!(skipped.len(), expected.len(), "{skipped:?}");
    for (error, (file, message)) in skipped.iter().zip(expected) {
        assert!(error.contains(file) && error.contains(message), "{error}");
    }
    assert_eq!(state.apis, None);
    if cfg!(unix) {
        assert_eq!(names(&state), ["a", "c", "b"]);
    }
    fs::remove_file(folder.path().join("a.yaml")).unwrap();
    fs::remove_file(folder.path().join("c.yaml")).unwrap();
    fs::remove_file(folder.path().join("cut.yaml")).unwrap();
    let error = read(folder.path(), kept, &DumpLimits::default(), &mut State::default()).unwrap_err();
    assert!(error.to_string().contains("health.json:1: "), "{error}");
}

#[test]
fn only_the_table_of_apis_is_accepted() {
    let table = "NAME   APIVERSION   NAMESPACED   KIND\nfoos   example.com/v1   true   Foo\n";
    let apis = |text: &str| read_text(text).unwrap().apis.map(|apis| apis.len());
    assert_eq!(apis(&format!("\u{feff}{table}")), Some(1));
    for other in [
        "NAME READY\np 1\n",
        "NAME SHORTNAMES APIGROUP NAMESPACED KIND\n",
        "NAME \n",
    ] {
        let error = read_text(other).unwrap_err();
        assert!(matches!(error, DumpError::OtherTable { .. }), "{error}");
    }
}

#[test]
fn a_list_that_was_cut_off_is_an_error() {
    let whole = format!(
        "apiVersion: v1\nitems:\n- {}\n- {}\n",
        object("Role", "a"),
        object("Role", "b")
    );
    let error = read_text(&whole).unwrap_err().to_string();
    assert!(error.contains("dump:1: ") && error.contains("was cut off"), "{error}");
    assert_eq!(names(&read_text(&format!("{whole}kind: List\n")).unwrap()), ["a", "b"]);
    assert_eq!(names(&read_text(&format!("kind: List\n{whole}")).unwrap()), ["a", "b"]);
    let sequence = format!("- {}\n- {}\n", object("Role", "a"), object("Role", "b"));
    assert_eq!(names(&read_text(&sequence).unwrap()), ["a", "b"]);
}

#[test]
fn an_empty_list_is_reported_as_empty() {
    for list in [
        "apiVersion: v1\nitems: []\nkind: List\nmetadata:\n  resourceVersion: \"\"\n",
        "{\"apiVersion\": \"v1\", \"items\": [], \"kind\": \"List\", \"metadata\": {\"resourceVersion\": \"\"}}",
    ] {
        assert_eq!(read_text(list).unwrap().objects.len(), 0, "{list}");
    }
}

#[test]
fn errors_are_reported_with_their_line() {
    let error = |text: &str| read_text(text).unwrap_err().to_string();
    let yaml =
        error("items:\n- apiVersion: v1\n  kind: Role\n  metadata: {name: a}\n- kind: Role\n  metadata: {name: [}\n");
    assert!(yaml.contains("dump:6:21: "), "{yaml}");
    let json = error("{\"kind\": \"List\",\n \"items\": [{]}");
    assert!(json.contains("dump:2:13: "), "{json}");
    assert!(error("").contains("contains neither objects"));
    assert!(error("SQLite format 3\0…").contains("is not text"));
    for (text, expected) in [
        ("just words\n", ":1: expected a Kubernetes object, found a string"),
        (
            "{}",
            ":1: expected a Kubernetes object, found a map without apiVersion and kind",
        ),
        ("[\n7]", ":2: expected a Kubernetes object, found a number"),
        ("- 7\n", ":1: expected a Kubernetes object, found a number"),
        (
            "---\napiVersion: v1\nitems:\n- 7\nkind: List\n",
            ":4: expected a Kubernetes object, found a number",
        ),
        (
            "---\nitems:\n- a: 7\n",
            ":3: expected a Kubernetes object, found a map without apiVersion and kind",
        ),
        (
            "{\"items\": [{\"a\": 7}]}",
            ":1: expected a Kubernetes object, found a map without apiVersion and kind",
        ),
        (
            "kind: Role\nmetadata: {name: a}\n",
            ":1: expected a Kubernetes object, found a Role without apiVersion",
        ),
        (
            "apiVersion: v1\nmetadata: {name: a}\n",
            ":1: expected a Kubernetes object, found a map without kind",
        ),
        (
            "# comment\napiVersion: v1\nkind: Role\n",
            ":2: expected a Kubernetes object, found a Role without metadata.name",
        ),
    ] {
        assert!(
            error(text).contains(&format!("dump{expected}")),
            "{text}: {}",
            error(text)
        );
    }
}

#[test]
fn the_error_for_a_large_dump_names_the_kind_that_takes_the_most() {
    let list = json!({"apiVersion": "v1", "kind": "List", "items": [
        object("Role", "a"),
        object("ConfigMap", "b"),
        object("ConfigMap", &"c".repeat(1000)),
        object("Role", "d"),
    ]});
    let limits = DumpLimits {
        kept: 2500,
        ..DumpLimits::default()
    };
    for text in [list.to_string(), text::to_yaml(&list)] {
        let error = read_within(&text, &limits).unwrap_err();
        let DumpError::TooMuch { largest, .. } = &error else {
            panic!("{error}")
        };
        assert_eq!(largest.as_ref().map(|(kind, _)| &**kind), Some("ConfigMap"));
        assert!(
            error
                .to_string()
                .contains("; objects of kind ConfigMap take the most, "),
            "{error}"
        );
    }
}

#[test]
fn a_large_dump_uses_memory_only_for_what_is_kept() {
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
            kept: 2 << 20,
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

/// Returns the objects of a list, read item by item and read from the whole list.
fn piecewise_and_whole(list: &str) -> (Vec<Value>, Vec<Value>) {
    let piecewise = read_text(list)
        .unwrap_or_else(|error| panic!("{error}:\n{list}"))
        .objects;
    let reading = text::read("list.yaml", list.as_bytes(), &Limits::default());
    let whole = reading.documents[0].value()["items"].as_array().unwrap().clone();
    (piecewise, whole)
}

#[test]
fn aliases_refer_to_anchors_of_earlier_items_and_of_the_head_of_the_list() {
    let list = "\
apiVersion: v1
metadata: &of-list {labels: &labels {a: b}}
items:
- apiVersion: v1
  kind: Role
  metadata: &first {name: a, labels: *labels}
  rules: &rules
  - verbs: [get]
- apiVersion: v1
  kind: Role
  metadata: {<<: *first, name: b}
  rules: *rules
- apiVersion: v1
  kind: Role
  metadata: &first {name: c}
  rules: &rules []
- apiVersion: v1
  kind: Role
  metadata: *first
  rules: *rules
kind: List
";
    let (piecewise, whole) = piecewise_and_whole(list);
    assert_eq!(piecewise, whole);
    assert_eq!(piecewise[1]["rules"], json!([{"verbs": ["get"]}]));
    assert_eq!(piecewise[1]["metadata"], json!({"name": "b", "labels": {"a": "b"}}));
    assert_eq!(
        (&piecewise[3]["metadata"]["name"], &piecewise[3]["rules"]),
        (&json!("c"), &json!([]))
    );
}

#[test]
fn anchors_of_another_document_are_unknown() {
    let list = "items:\n- {apiVersion: v1, kind: Role, metadata: &m {name: a}}\nkind: List\napiVersion: v1\n";
    let other = format!("{list}---\n{}", list.replace("&m {name: a}", "*m"));
    let error = read_text(&other).unwrap_err().to_string();
    assert!(
        error.ends_with("dump:7:42: the alias `*m` has no anchor `&m` before it"),
        "{error}"
    );
}

#[test]
fn aliases_in_a_list_count_towards_the_limits_of_one_file() {
    let item = |extra: &str| format!("- {{apiVersion: v1, kind: Role, metadata: {{name: a}}, {extra}}}\n");
    let refused = |items: String| {
        let text = format!("apiVersion: v1\nitems:\n{items}kind: List\n");
        let mut state = State::default();
        let limits = DumpLimits {
            object: 4_000,
            values: 4_000,
            ..DumpLimits::default()
        };
        read_stream(Path::new("-"), text.as_bytes(), kept, &limits, &mut state).map_err(|error| error.to_string())
    };
    let excessive = "the anchors and aliases make the document too large";
    // Each item repeats the one before it ten times.
    let ten = |level: usize| (0..10).map(|_| format!("*a{level}")).collect::<Vec<_>>().join(", ");
    let bomb: Vec<String> = (1..9)
        .map(|level| item(&format!("x: &a{level} [{}]", ten(level - 1))))
        .collect();
    let error = refused(item("x: &a0 [1, 2]") + &bomb.concat()).unwrap_err();
    assert!(error.contains(excessive), "{error}");
    // Anchors that together are too large to keep, although each item is small.
    let many: Vec<String> = (0..100)
        .map(|number| item(&format!("x: &a{number} {}", "x".repeat(100))))
        .collect();
    let error = refused(many.concat()).unwrap_err();
    assert!(error.contains(excessive), "{error}");
    let fair: Vec<String> = (0..100)
        .map(|_| item(&format!("x: *a, y: &a {}", "x".repeat(100))))
        .collect();
    assert_eq!(refused(item("x: &a 1") + &fair.concat()), Ok(()));
}

proptest! {

    #[test]
    fn items_with_anchors_are_equal_read_one_by_one_or_together(
        items in prop::collection::vec(prop::collection::vec((0_usize..4, 0_usize..6), 0..6), 1..8),
    ) {
        let mut list = "apiVersion: v1\nkind: List\nitems:\n".to_owned();
        let mut known = std::collections::BTreeSet::new();
        for (number, fields) in items.iter().enumerate() {
            list += &format!("- apiVersion: v1\n  kind: Role\n  metadata: {{name: r{number}}}\n");
            for (key, (anchor, shape)) in fields.iter().enumerate() {
                let value = match shape {
                    0 => format!("&a{anchor}\n    x: {number}"),
                    1 => format!("&a{anchor} {number}.{key}"),
                    2 => format!("&a{anchor}\n  - {{a: [{number}]}}\n  - &b b"),
                    3 => format!("&a{anchor} |\n    - &c *d\n    text"),
                    4 if known.contains(anchor) => format!("[*a{anchor}, {{c: *a{anchor}}}]"),
                    _ if known.contains(anchor) => format!("*a{anchor}"),
                    _ => "\"&a0 *a0\"".to_owned(),
                };
                if *shape < 4 {
                    known.insert(*anchor);
                }
                list += &format!("  k{key}: {value}\n");
            }
        }
        let (piecewise, whole) = piecewise_and_whole(&list);
        prop_assert_eq!(piecewise, whole);
    }
}
