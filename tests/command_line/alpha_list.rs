//! `alpha list` and `alpha render-graph`, and `index list`, `graph` and `diff` of file-based catalogs.

use crate::bundles::{fail, garden, miss, outcome_of, push, rake, small_base, succeed};
use crate::common::Sandbox;
use opmx::image::{EntryContent, ImageConfig, LayerEntry, build, layer_from_files};
use std::collections::BTreeMap;
use std::fs;

/// The same index as a database, an image, the folder of a file-based catalog, and an image of that.
const FORMS: [&str; 4] = ["index.db", "oci:index:v1", "catalog", "oci:catalog-image:v1"];

fn indexed() -> Sandbox {
    let sandbox = garden();
    small_base(&sandbox);
    rake(&sandbox, "rake1", "1.0.0", None);
    rake(&sandbox, "rake2", "1.1.0", Some("rake.v1.0.0"));
    let dependencies = "dependencies:\n- type: olm.package\n  value: {packageName: hose, version: '>=1.0.0'}\n- type: olm.gvk\n  value: {group: a.example.com, kind: A, version: v1}\n";
    fs::write(sandbox.path("rake1/metadata/dependencies.yaml"), dependencies).unwrap();
    succeed(&sandbox, "registry add -q -b greenhouse,compost,rake1 -d index.db");
    succeed(
        &sandbox,
        "registry add -q -b rake2 -d index.db --record-as registry.example.com/rake:v1.1.0",
    );
    succeed(
        &sandbox,
        "index prune-stranded -q -f index.db -i oci:base:v1 -t oci:index:v1",
    );
    succeed(&sandbox, "migrate -q index.db catalog");
    fs::write(sandbox.path("all.json"), outcome_of(&sandbox, "render index.db").stdout).unwrap();
    let layer = layer_from_files(
        &[LayerEntry {
            path: "configs/catalog.json".to_owned(),
            mode: 0o644,
            content: EntryContent::File(sandbox.path("all.json")),
        }],
        0,
    );
    let label = ("operators.operatorframework.io.index.configs.v1", "/configs");
    let config = ImageConfig {
        labels: BTreeMap::from([(label.0.to_owned(), label.1.to_owned())]),
        ..ImageConfig::default()
    };
    push(
        &sandbox,
        &build(&config, vec![layer.unwrap()]).unwrap(),
        "oci:catalog-image:v1",
    );
    sandbox
}

/// The output of a command, which must be the same for each form of the index.
fn of_each(sandbox: &Sandbox, line: &str) -> String {
    let said: Vec<String> = FORMS
        .iter()
        .map(|form| outcome_of(sandbox, &line.replace("INDEX", form)).stdout)
        .collect();
    for (form, text) in FORMS.iter().zip(&said) {
        assert_eq!(text, &said[0], "{line}: {form}");
    }
    said[0].clone()
}

#[test]
fn opm_list_tables_are_identical_for_every_form() {
    let sandbox = indexed();
    insta::assert_snapshot!(of_each(&sandbox, "alpha list packages INDEX"), @"
    NAME                 DISPLAY NAME         DEFAULT CHANNEL
    compost-operator     Compost Operator     alpha
    greenhouse-operator  Greenhouse Operator  stable
    rake                 rake                 stable
    ");
    insta::assert_snapshot!(of_each(&sandbox, "alpha list channels INDEX greenhouse-operator"), @"
    PACKAGE              CHANNEL    HEAD
    greenhouse-operator  candidate  greenhouse-operator.v1.2.0
    greenhouse-operator  stable     greenhouse-operator.v1.2.0
    ");
    insta::assert_snapshot!(of_each(&sandbox, "alpha list bundles INDEX"), @"
    PACKAGE              CHANNEL    BUNDLE                      REPLACES     SKIPS  SKIP RANGE      IMAGE
    compost-operator     alpha      compost-operator.v0.3.1                         >=0.2.0 <0.3.1
    greenhouse-operator  candidate  greenhouse-operator.v1.2.0
    greenhouse-operator  stable     greenhouse-operator.v1.2.0
    rake                 stable     rake.v1.0.0
    rake                 stable     rake.v1.1.0                 rake.v1.0.0                         registry.example.com/rake:v1.1.0
    ");
    let refused = miss(&sandbox, "alpha list bundles catalog rak");
    insta::assert_snapshot!(refused, @r#"
    ------- stderr -------
    error: catalog has no package "rak"
      hint: did you mean "rake"?
    ------- exit 4 -------
    "#);
    let refused = fail(&sandbox, "alpha list packages rake1");
    insta::assert_snapshot!(refused, @"
    ------- stderr -------
    error: rake1 is a bundle, not an index
      hint: use opmx bundle inspect to show a bundle, and opmx index add to add it to an index
    ------- exit 1 -------
    ");
}

#[test]
fn lists_graphs_and_differences_are_identical_for_every_form() {
    let sandbox = indexed();
    for what in ["packages", "channels", "bundles"] {
        for form in ["text", "json", "yaml"] {
            of_each(&sandbox, &format!("index list {what} INDEX -o {form}"));
        }
    }
    for form in ["mermaid", "dot", "svg"] {
        of_each(&sandbox, &format!("index graph INDEX -o {form}"));
    }
    for form in FORMS {
        for other in FORMS {
            let outcome = outcome_of(&sandbox, &format!("index diff {form} {other} --exit-code"));
            assert_eq!(outcome.stdout, "", "{form} {other}");
        }
    }
    let drawn = of_each(&sandbox, "alpha render-graph INDEX");
    assert_eq!(drawn, of_each(&sandbox, "index graph INDEX"));
    assert_eq!(
        of_each(&sandbox, "alpha render-graph INDEX -p rake"),
        of_each(&sandbox, "index graph INDEX -p rake")
    );
}

const CATALOG: &str = "schema: olm.package
name: p
defaultChannel: a
---
schema: olm.channel
package: p
name: a
entries:
- {name: p.v3, replaces: p.v1, skips: [p.v2], skipRange: '<3.0.0'}
- {name: p.v2, replaces: p.v1}
- {name: p.v1, replaces: p.v0}
---
schema: olm.channel
package: p
name: b
entries:
- {name: p.v2}
- {name: p.v3}
---
schema: olm.deprecations
package: p
entries:
- {reference: {schema: olm.channel, name: b}, message: no more}
- {reference: {schema: olm.bundle, name: p.v1}, message: too old}
";

/// A catalog with a channel that has two heads, and with deprecations.
fn written() -> Sandbox {
    let sandbox = Sandbox::new();
    let bundles = [1, 2, 3].map(|version| {
        format!(
            "---\nschema: olm.bundle\npackage: p\nname: p.v{version}\nimage: registry.example.com/p:{version}\nproperties:\n\
             - {{type: olm.package, value: {{packageName: p, version: {version}.0.0}}}}\n\
             - {{type: olm.csv.metadata, value: {{displayName: Pea {version}}}}}\n"
        )
    });
    fs::create_dir(sandbox.path("catalog")).unwrap();
    fs::write(sandbox.path("catalog/p.yaml"), format!("{CATALOG}{}", bundles.concat())).unwrap();
    sandbox
}

#[test]
fn a_channel_without_a_single_head_is_reported() {
    let sandbox = written();
    insta::assert_snapshot!(outcome_of(&sandbox, "alpha list packages catalog"), @"
    NAME  DISPLAY NAME  DEFAULT CHANNEL
    p     Pea 3         a
    ");
    insta::assert_snapshot!(outcome_of(&sandbox, "alpha list channels catalog"), @"
    PACKAGE  CHANNEL  HEAD
    p        a        p.v3
    p        b        ERROR: multiple channel heads found in graph: p.v2, p.v3
    ");
    insta::assert_snapshot!(outcome_of(&sandbox, "alpha list bundles catalog"), @"
    PACKAGE  CHANNEL  BUNDLE  REPLACES  SKIPS  SKIP RANGE  IMAGE
    p        a        p.v1    p.v0                         registry.example.com/p:1
    p        a        p.v2    p.v1                         registry.example.com/p:2
    p        a        p.v3    p.v1      p.v2   <3.0.0      registry.example.com/p:3
    p        b        p.v2                                 registry.example.com/p:2
    p        b        p.v3                                 registry.example.com/p:3
    ");
    let json = outcome_of(&sandbox, "index list channels catalog -o json").stdout;
    assert!(json.contains("\"head\": null"), "{json}");
}

#[test]
fn a_graph_marks_deprecated_and_skipped_bundles_and_starts_where_requested() {
    let sandbox = written();
    insta::assert_snapshot!(outcome_of(&sandbox, "alpha render-graph catalog --draw-v0-semantics").stdout, @r#"
    flowchart LR
      subgraph p0["p"]
        subgraph c0["a, default"]
          b0["p.v3<br/>3.0.0, head, skipRange #60;3.0.0"]
          b1["p.v2<br/>2.0.0, skipped"]
          b2["p.v1<br/>1.0.0, deprecated"]
          b3["p.v0<br/>not in the channel"]
          b2 -->|replaces| b0
          b1 -.->|skips| b0
          b1 -.->|skipRange| b0
          b2 -.->|skipRange| b0
          b2 -->|replaces| b1
          b3 -->|replaces| b2
        end
        subgraph c1["b, deprecated"]
          b4["p.v3<br/>3.0.0"]
          b5["p.v2<br/>2.0.0"]
        end
      end
      classDef head stroke-width:4px
      class b0 head
      classDef deprecated stroke-dasharray:8 4
      class b2 deprecated
      classDef absent stroke-dasharray:2 4
      class b3 absent
      linkStyle 1 stroke-dasharray:8 4
      linkStyle 2,3 stroke-dasharray:2 4
    "#);
    insta::assert_snapshot!(outcome_of(&sandbox, "alpha render-graph catalog --minimum-edge p.v2 --draw-v0-semantics=false").stdout, @r#"
    flowchart LR
      subgraph p0["p"]
        subgraph c0["a, default"]
          b0["p.v3<br/>3.0.0, head, skipRange #60;3.0.0"]
          b1["p.v2<br/>2.0.0"]
          b1 -.->|skips| b0
          b1 -.->|skipRange| b0
        end
        subgraph c1["b, deprecated"]
          b2["p.v3<br/>3.0.0"]
          b3["p.v2<br/>2.0.0"]
        end
      end
      classDef head stroke-width:4px
      class b0 head
      linkStyle 0 stroke-dasharray:8 4
      linkStyle 1 stroke-dasharray:2 4
    "#);
    insta::assert_snapshot!(miss(&sandbox, "alpha render-graph catalog --minimum-edge p.v9"), @r#"
    ------- stderr -------
    error: catalog contains no bundle "p.v9"
      hint: did you mean "p.v1"?
    ------- exit 4 -------
    "#);
    assert_eq!(
        sandbox.run("alpha render-graph catalog -p q".split(' ')).status,
        Some(4)
    );
}

#[test]
fn an_inconsistent_catalog_is_rejected_with_its_line() {
    let sandbox = written();
    let path = sandbox.path("catalog/p.yaml");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace("- {name: p.v2}", "- {name: p.v22}")).unwrap();
    for line in [
        "alpha list packages catalog",
        "index graph catalog",
        "index diff catalog catalog",
        "alpha render-graph catalog",
    ] {
        let outcome = fail(&sandbox, line);
        insta::allow_duplicates! {
            insta::assert_snapshot!(outcome, @r#"
            ------- stderr -------
            error: catalog/p.yaml:13: channel "b" of package "p" has an entry for bundle "p.v22", which is not in the catalog
              hint: to list all problems in a catalog folder, use opmx validate
            ------- exit 1 -------
            "#);
        }
    }
}
