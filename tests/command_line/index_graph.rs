//! `index graph`: drawings of the update graph.

use crate::bundles::{garden, miss, outcome_of, rake, small_base, succeed};
use crate::common::Sandbox;
use crate::shared::not_run;
use crate::svg_geometry::measure;
use opmx::database::schema;
use rusqlite::Connection;
use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};

/// The number of boxes in the legend.
const SAMPLES: usize = 3;

/// A database with one channel: each bundle replaces the one before, some skip older ones, most have a range down to
/// the first, and some are deprecated.
fn long_channel(sandbox: &Sandbox, bundles: usize) {
    let connection = Connection::open(sandbox.path("long.db")).unwrap();
    schema::create(&connection, 0).unwrap();
    let mut sql = format!(
        "BEGIN; PRAGMA defer_foreign_keys = ON;
        INSERT INTO package VALUES ('long', 'stable');
        INSERT INTO channel VALUES ('stable', 'long', 'long-operator.v1.{}.0');",
        bundles - 1
    );
    let mut entry = 0;
    for at in (0..bundles).rev() {
        let name = format!("long-operator.v1.{at}.0");
        let range = if at % 4 == 1 {
            String::new()
        } else {
            format!(">=1.0.0 <1.{at}.0")
        };
        let depth = bundles - at;
        entry += 1;
        let _ = write!(
            sql,
            "INSERT INTO operatorbundle VALUES ('{name}', NULL, NULL, 'registry.example.com/long:{at}', '{range}', '1.{at}.0', '', '', '');
            INSERT INTO channel_entry VALUES ({entry}, 'stable', 'long', '{name}', NULL, {depth});
            UPDATE channel_entry SET replaces = {entry} WHERE entry_id = {last};",
            last = entry - 1
        );
        if at % 10 == 3 {
            let _ = write!(
                sql,
                "INSERT INTO properties VALUES ('olm.deprecated', '{{}}', '{name}', NULL, NULL);"
            );
        }
    }
    sql += "UPDATE channel_entry SET depth = depth - 1; COMMIT;";
    connection.execute_batch(&sql).unwrap();
}

#[test]
fn a_graph_is_identical_for_an_image_and_a_database() {
    let sandbox = garden();
    small_base(&sandbox);
    rake(&sandbox, "rake1", "1.0.0", None);
    rake(&sandbox, "rake2", "1.1.0", Some("rake.v1.0.0"));
    succeed(
        &sandbox,
        "registry add -q -b greenhouse,compost,rake1,rake2 -d index.db",
    );
    succeed(
        &sandbox,
        "index add -q -i oci:base:v1 -b greenhouse,compost,rake1,rake2 -t oci:index:v1",
    );
    for form in ["mermaid", "dot", "svg"] {
        let of = |index: &str| outcome_of(&sandbox, &format!("index graph {index} -o {form}"));
        let file = of("index.db");
        assert_eq!(file, of("oci:index:v1"), "{form}");
        assert_eq!(file, of("index.db"), "{form}");
        assert_eq!(file.stderr, "");
    }
    insta::assert_snapshot!(outcome_of(&sandbox, "index graph index.db -p rake").stdout, @r#"
    flowchart LR
      subgraph p0["rake"]
        subgraph c0["stable, default"]
          b0["rake.v1.1.0<br/>1.1.0, head"]
          b1["rake.v1.0.0<br/>1.0.0"]
          b1 -->|replaces| b0
        end
      end
      classDef head stroke-width:4px
      class b0 head
    "#);
    let all = outcome_of(&sandbox, "index graph oci:index:v1 -o svg").stdout;
    assert_eq!(measure(&all).boxes, SAMPLES + 5);
    let some = "index graph oci:index:v1 -o svg -p rake,greenhouse-operator --channel candidate,stable";
    assert_eq!(measure(&outcome_of(&sandbox, some).stdout).boxes, SAMPLES + 4);
    insta::assert_snapshot!(miss(&sandbox, "index graph index.db -p rak"), @r#"
    ------- stderr -------
    error: index.db has no package "rak"
      hint: did you mean "rake"?
    ------- exit 4 -------
    "#);
    insta::assert_snapshot!(miss(&sandbox, "index graph index.db -p rake --channel stabel"), @r#"
    ------- stderr -------
    error: index.db contains no channel "stabel"
      hint: did you mean "stable"?
    ------- exit 4 -------
    "#);
}

#[test]
fn a_channel_of_200_bundles_is_drawn_without_overlaps() {
    let sandbox = Sandbox::new();
    long_channel(&sandbox, 200);
    let measured = measure(&outcome_of(&sandbox, "index graph long.db -o svg").stdout);
    assert_eq!(measured.boxes, SAMPLES + 200);
    assert!(measured.size.0 < 2500, "{measured:?}");
    // Each bundle but the first is updated to from one, and most from a range.
    assert!(measured.routes > 199 + 140, "{measured:?}");
    assert!(
        measured.size.0 < measured.size.1,
        "{measured:?}: a long channel grows downwards"
    );
    let mermaid = outcome_of(&sandbox, "index graph long.db").stdout;
    assert!(mermaid.contains("|\"skipRange, 199 bundles\"|"), "{mermaid}");
    assert!(mermaid.matches("-->|").count() + mermaid.matches("-.->|").count() <= 500);
}

#[test]
fn graphviz_accepts_the_dot_output() {
    let sandbox = Sandbox::new();
    long_channel(&sandbox, 30);
    let drawn = outcome_of(&sandbox, "index graph long.db -o dot").stdout;
    assert!(drawn.contains("peripheries=2") && drawn.contains("style=dotted") && drawn.contains("deprecated"));
    let graphviz = Command::new("dot")
        .arg("-Tplain")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let Ok(mut graphviz) = graphviz else {
        not_run("Graphviz is not installed");
        return;
    };
    graphviz.stdin.take().unwrap().write_all(drawn.as_bytes()).unwrap();
    let output = graphviz.wait_with_output().unwrap();
    assert!(output.status.success());
    let plain = String::from_utf8(output.stdout).unwrap();
    assert_eq!(plain.lines().filter(|line| line.starts_with("node ")).count(), 30);
}
