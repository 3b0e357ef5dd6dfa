//! File-based catalogs and templates: a catalog without errors can be read, served and written again.

use super::{places, words};
use opmx::catalog::file_based::check::check;
use opmx::catalog::file_based::document::Document;
use opmx::catalog::file_based::limits::CatalogLimits;
use opmx::catalog::file_based::load::load;
use opmx::catalog::file_based::read::FileBasedCatalog;
use opmx::catalog::file_based::template::{self, KINDS, Template};
use opmx::catalog::file_based::write::{Language, write};
use opmx::catalog::file_based::{Bundle, Property};
use opmx::diagnostic::has_errors;
use opmx::rules::Gate;
use opmx::server::file_based::CatalogFiles;
use opmx::text::{self, Limits};
use opmx::validation::Strictness;
use serde_json::Value;
use std::fs;

pub(super) const YAML: &str = "\
---
schema: olm.package
name: etcd
defaultChannel: stable
icon: {base64data: PHN2Zy8+, mediatype: image/svg+xml}
description: |
  A store.
---
schema: olm.channel
package: etcd
name: stable
entries:
- name: etcd.v1.1.0
  replaces: etcd.v1.0.0
  skips: [etcd.v1.0.1]
  skipRange: '>=1.0.0 <1.1.0'
- name: etcd.v1.0.0
---
schema: olm.bundle
name: etcd.v1.1.0
package: etcd
image: registry.example.com/etcd:v1.1.0
properties:
- type: olm.package
  value: {packageName: etcd, version: 1.1.0}
- type: olm.gvk
  value: {group: etcd.example.com, kind: Etcd, version: v1}
- type: olm.constraint
  value: {failureMessage: no, cel: {rule: 'properties.all(p, true)'}}
relatedImages:
- {name: etcd, image: registry.example.com/etcd:v1.1.0}
---
schema: olm.bundle
name: etcd.v1.0.0
package: etcd
image: registry.example.com/etcd:v1.0.0
properties:
- type: olm.package
  value: {packageName: etcd, version: 1.0.0}
- type: olm.bundle.object
  value: {data: eyJraW5kIjoiQSIsImFwaVZlcnNpb24iOiJ2MSIsIm1ldGFkYXRhIjp7Im5hbWUiOiJhIn19}
---
schema: olm.deprecations
package: etcd
entries:
- reference: {schema: olm.bundle, name: etcd.v1.0.0}
  message: Old.
---
schema: io.openshift.operators.lifecycles.v1alpha1
package: etcd
versions:
- name: '1.1'
  phases:
  - {name: Full support, startDate: '2025-01-01', endDate: '2025-12-31'}
  platformCompatibility:
  - {name: openshift, versions: ['4.20']}
";
const JSON: &str = r#"{"schema": "olm.package", "name": "a", "defaultChannel": "b"}
{"schema": "olm.channel", "package": "a", "name": "b", "entries": [{"name": "a.v1"}]}
{"schema": "olm.bundle", "package": "a", "name": "a.v1", "image": "registry.example.com/a:v1", "properties": [{"type": "olm.package", "value": {"packageName": "a", "version": "1.0.0"}}, {"type": "olm.csv.metadata", "value": {"annotations": {"x": "\u2028"}, "links": [1.50]}}]}
{"schema": "other", "blob": [1e400]}
"#;
const TEMPLATES: [&str; 3] = [
    "schema: olm.semver\ngenerateMajorChannels: true\ngenerateMinorChannels: false\nstable:\n  bundles:\n  - image: \
     registry.example.com/a:v1.0.0\n  - image: registry.example.com/a:v1.1.0\nfast:\n  bundles:\n  - image: \
     registry.example.com/a:v2.0.0\n",
    "schema: olm.template.basic\nentries:\n- {schema: olm.package, name: a, defaultChannel: b}\n- {schema: olm.channel, \
     package: a, name: b, entries: [{name: a.v1.0.0}]}\n- {schema: olm.bundle, image: 'registry.example.com/a:v1.0.0'}\n",
    "schema: olm.template.substitutes\nentries:\n- {schema: olm.package, name: a, defaultChannel: b}\n- {schema: \
     olm.channel, package: a, name: b, entries: [{name: a.v1.0.0}]}\nsubstitutions:\n- {name: \
     'registry.example.com/a:v1.0.1', base: a.v1.0.0}\n",
];

/// Reads any bytes as the only file of a catalog.
pub fn file(bytes: &[u8]) {
    thread_local! {
        static FOLDER: tempfile::TempDir = tempfile::tempdir().unwrap();
    }
    FOLDER.with(|folder| {
        let folder = folder.path();
        fs::write(folder.join("catalog.yaml"), bytes).unwrap();
        let opened = FileBasedCatalog::open(folder, limits());
        let mut findings = check(folder, limits()).unwrap().findings;
        places::of_findings(&findings);
        Strictness::at(Gate::Serving).weigh_catalog(&mut findings);
        let served = CatalogFiles::open_checked(folder.into(), limits());
        if has_errors(&findings) {
            assert!(!matches!(served, Ok((_, Some(_)))), "what has errors is served");
        } else {
            load(opened.as_ref().unwrap()).unwrap();
            assert!(served.unwrap().1.is_some(), "what has no errors is not served");
        }
        if let Ok(catalog) = opened {
            let _ = load(&catalog);
            for handle in &catalog.handles {
                written(&catalog.document(handle).unwrap());
            }
        }
    });
}

/// Reads a valid catalog or template with a word replaced by any string.
pub fn word(which: usize, word: usize, text: &str) {
    file(words::replaced([YAML, JSON][which % 2], word, text).as_bytes());
    template(words::replaced(TEMPLATES[which % TEMPLATES.len()], word, text).as_bytes());
}

pub(super) fn limits() -> CatalogLimits {
    CatalogLimits {
        document_bytes: 32 << 10,
        documents: 100,
        depth: 64,
        ..CatalogLimits::default()
    }
}

/// Checks that both languages give the same value. Only JSON can contain a number that is too large for a float.
fn written(document: &Document) {
    let [json, yaml] = [Language::Json, Language::Yaml].map(|language| {
        let mut out = Vec::new();
        write(document, language, &mut out).map(|()| out)
    });
    let value = serde_json::from_slice::<Value>(&json.unwrap());
    let (Ok(value), Ok(yaml)) = (&value, &yaml) else {
        assert!(value.is_err() && yaml.is_err(), "{value:?} {yaml:?}");
        return;
    };
    let reading = text::read("written.yaml", yaml, &Limits::default());
    let [written] = &reading.documents[..] else {
        panic!("{:?}", reading.diagnostics);
    };
    assert_eq!(written.value(), value);
}

/// Reads any bytes as a template, with bundles for the images that it names.
pub fn template(bytes: &[u8]) {
    for wanted in [None].into_iter().chain(KINDS.map(Some)) {
        let Ok(template) = Template::read("template.yaml", bytes, wanted, limits()) else {
            continue;
        };
        let rendered = template.images.iter().enumerate().map(|(number, image)| Bundle {
            name: format!("a.v1.0.{number}"),
            package: "a".to_owned(),
            image: image.reference.clone(),
            properties: vec![
                Property::parse(
                    "olm.package",
                    &format!(r#"{{"packageName":"a","version":"1.0.{number}"}}"#),
                )
                .unwrap(),
            ],
            related_images: Vec::new(),
        });
        let rendered = rendered.collect();
        if let Ok(documents) = template.documents(rendered) {
            for made in &documents {
                written(&made.document().unwrap());
            }
            let _ = template::load(&documents);
        }
    }
}
