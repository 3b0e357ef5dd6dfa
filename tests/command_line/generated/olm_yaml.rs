//! The page of the book about `metadata/olm.yaml` and the annotations that can replace it.

use super::cell;
use super::keys::{Key, maps};
use opmx::bundle::olm_yaml::annotations::{Annotation, OF_CRD, OF_DEPLOYMENT, is_plain_text};
use opmx::bundle::olm_yaml::{FIELDS, json_schema};
use opmx::shape::{Field, Shape, Target};

const LEAD: &str = "\
# Keys of `metadata/olm.yaml`

`metadata/olm.yaml` contains what opmx cannot infer from the manifests of a `k8s+v1` bundle. `opmx bundle init` writes
the file, `opmx bundle synthesize --explain` shows where each field of the ClusterServiceVersion (CSV) comes from, and
`opmx bundle schema` prints the JSON Schema for editors. [Package an operator](../tutorials/author.md) shows how to use
the file.

The tables say where each value goes in the CSV. A value that is *copied to* a field appears there unchanged. A value
that is *made into* a field is converted, or combined with what opmx infers from the manifests. A value inside another
one goes there with it. `opmx bundle init` writes the examples as comments for keys that are not set. In the headings,
`[]` stands for an item of a list.
";

const ANNOTATIONS: &str = "
## Annotations that replace keys

Annotations of the manifests can set most of the optional keys. `olm.yaml` takes precedence over annotations. Among
several Deployments, the first by name takes precedence. Strings are written as they are, and all other values as YAML
or JSON. `opmx bundle schema annotations` prints the JSON Schema.
";

pub(super) fn page() -> String {
    let schema = json_schema();
    let maps = maps(&schema);
    let mut page = LEAD.to_owned();
    for map in &maps {
        let (required, optional): (Vec<&Key<'_>>, Vec<&Key<'_>>) = map.keys.iter().partition(|key| key.required);
        if map.path.is_empty() {
            page += &table("## Required keys", &required);
            page += &table("## Optional keys", &optional);
            page += "\n## Keys inside other keys\n";
        } else {
            page += &table(&format!("### `{}`", map.path), &[required, optional].concat());
        }
    }
    page += ANNOTATIONS;
    page += &annotations("Deployment", OF_DEPLOYMENT, Annotation::of_operator);
    page += &annotations("CustomResourceDefinition", OF_CRD, Annotation::of_kind);
    page
}

fn table(heading: &str, keys: &[&Key<'_>]) -> String {
    let has_targets = keys.iter().any(|key| target(key).is_some());
    let head = if has_targets {
        "| key | type | in the CSV | meaning |\n|---|---|---|---|"
    } else {
        "| key | type | meaning |\n|---|---|---|"
    };
    let rows = keys.iter().map(|key| {
        let target = match target(key) {
            Some(target) => format!(" {target} |"),
            None if has_targets => " |".to_owned(),
            None => String::new(),
        };
        let example = field(&key.path).map(|field| field.example);
        let example = example.filter(|example| !matches!(*example, "" | "[]" | "{}" | "{owned: []}"));
        format!("| `{}` | {} |{target} {} |\n", key.name, key.kind(), key.about(example))
    });
    let rows: String = rows.collect();
    format!("\n{heading}\n\n{head}\n{rows}")
}

/// Returns where the value of a key goes in the CSV.
fn target(key: &Key<'_>) -> Option<String> {
    match field(&key.path)?.target {
        Target::Copied(path) => Some(format!("copied to `{path}`")),
        Target::Made(path) => Some(format!("made into `{path}`")),
        Target::Nowhere => None,
    }
}

/// Returns the field at a path of plain keys.
fn field(path: &str) -> Option<&'static Field> {
    let mut keys = path.split('.');
    let top = keys.next()?;
    let top = FIELDS.iter().find(|field| field.key == top)?;
    keys.try_fold(top, |field, key| match field.shape {
        Shape::Object(_) => field.shape.field(key),
        _ => None,
    })
}

fn annotations(kind: &str, annotations: &[Annotation], field: fn(&Annotation) -> Option<&'static Field>) -> String {
    let mut table = format!("\n### On a {kind}\n\n| annotation | written as | meaning |\n|---|---|---|\n");
    for annotation in annotations {
        let field = field(annotation).expect("the field of an annotation");
        let form = if is_plain_text(&field.shape) {
            "a string".to_owned()
        } else {
            format!("{}, in YAML or JSON", field.shape.wanted())
        };
        table += &format!("| `{}` | {form} | {} |\n", annotation.key, cell(field.about));
    }
    table
}
