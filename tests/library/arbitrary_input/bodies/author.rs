//! Files that an author writes for a bundle or a catalog: image maps, lifecycles, and what a community repository says
//! about a release.

use super::{LIMITS, places, words};
use opmx::bundle::BundleLimits;
use opmx::bundle::image_map::{ImageMap, MapImagesError, map_images};
use opmx::catalog::file_based::lifecycle::read_file;
use opmx::catalog::file_based::limits::CatalogLimits;
use opmx::catalog::file_based::shown::Shown;
use opmx::catalog::file_based::template::{Kind, Template};
use opmx::catalog::release::{OperatorFiles, TemplateChange, released};
use opmx::diagnostic::has_errors;
use opmx::tree::{Tree, TreeLimits};
use std::fs;

const MAPS: [&str; 3] = [
    "registry.example.com/garden/greenhouse-operator:1.2.0 registry.example.org/op:1\nregistry.example.com=registry.example.org\n",
    "[{\"name\": \"operator\", \"image\": \"registry.example.org/op:1\"}]\n",
    "kind: ImageDigestMirrorSet\nspec:\n  imageDigestMirrors:\n  - {source: registry.example.com, mirrors: [registry.example.org/m]}\n\
     ---\nkind: ImageTagMirrorSet\nspec:\n  imageTagMirrors:\n  - {source: '*.example.com', mirrors: [registry.example.org/t]}\n",
];

const LIFECYCLES: &str = "\
schema: io.openshift.operators.lifecycles.v1alpha1
package: etcd
versions:
- name: '1.0'
  phases:
  - {name: Full support, startDate: '2025-01-01', endDate: '2025-12-31'}
  - {name: Maintenance, startDate: '2026-01-01', endDate: '2026-06-30'}
  platformCompatibility:
  - {name: openshift, versions: ['4.19', '4.20']}
";

const REPOSITORY: [(&str, &str); 4] = [
    (
        "ci.yaml",
        "fbc:\n  enabled: true\n  catalog_mapping:\n  - {template_name: a.yaml, catalog_names: [v4.20], type: olm.template.basic}\n  \
         - {template_name: b.yaml, catalog_names: [v4.21], type: olm.semver}\n",
    ),
    (
        "1.1.0/release-config.yaml",
        "catalog_templates:\n- {template_name: a.yaml, channels: [stable, fast], replaces: a.v1.0.0, skips: [a.v1.0.1], skipRange: <1.1.0}\n\
         - {template_name: b.yaml, channels: [Stable]}\n",
    ),
    (
        "catalog-templates/a.yaml",
        "schema: olm.template.basic\nentries:\n- {schema: olm.package, name: a, defaultChannel: stable}\n- schema: olm.channel\n  \
         package: a\n  name: stable\n  entries:\n  - {name: a.v1.0.0}\n- {schema: olm.bundle, image: 'registry.example.com/a:v1.0.0'}\n",
    ),
    (
        "catalog-templates/b.yaml",
        "Schema: olm.semver\nGenerateMajorChannels: true\nStable:\n  Bundles:\n  - Image: registry.example.com/a:v1.0.0\n",
    ),
];

/// Reads any bytes as an image map.
pub fn map(bytes: &[u8]) {
    let Ok(map) = ImageMap::read("map", bytes, &LIMITS()) else {
        return;
    };
    let mut tree = Tree::new("greenhouse-operator");
    for (path, bytes) in super::bundle::files("greenhouse-operator") {
        tree.insert(path, bytes.to_vec(), &TreeLimits::default()).unwrap();
    }
    let limits = BundleLimits::default();
    let bundle = opmx::bundle::read(&tree, &limits.text).bundle.unwrap();
    let mapped = match map_images(&mut tree, &bundle, &map, &limits) {
        // A target can be valid by itself, but not in front of the rest of an image.
        Err(MapImagesError::Map(_)) => return,
        mapped => mapped.unwrap(),
    };
    let after = opmx::bundle::read(&tree, &limits.text).bundle.unwrap();
    let images: Vec<String> = opmx::bundle::image_use::of_bundle(&after)
        .into_iter()
        .map(|used| used.image)
        .collect();
    for used in opmx::bundle::image_use::of_bundle(&bundle) {
        let wanted = mapped.images.get(&used.image).unwrap_or(&used.image);
        assert!(images.contains(wanted), "{wanted} is not in the bundle: {images:?}");
    }
}

/// Reads any bytes as a file of lifecycles.
pub fn lifecycles(bytes: &[u8]) {
    let limits = CatalogLimits::default();
    let read = read_file("lifecycles.yaml", bytes, limits);
    places::of_findings(read.findings.iter());
}

/// Reads any bytes as one of the files of an operator.
pub fn repository(which: usize, bytes: &[u8]) {
    let folder = tempfile::tempdir().unwrap();
    for (number, (path, text)) in REPOSITORY.iter().enumerate() {
        let content = if number == which % REPOSITORY.len() {
            bytes
        } else {
            text.as_bytes()
        };
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    let (limits, mut findings) = (CatalogLimits::default(), Vec::new());
    let files = OperatorFiles::read(folder.path(), None, limits, &mut findings).unwrap();
    let said = files.released(None);
    findings.extend(said.findings);
    places::of_findings(findings.iter());
    if has_errors(&findings) {
        return;
    }
    let version = "1.1.0".parse().unwrap();
    let change = TemplateChange {
        package: "a",
        name: "a.v1.1.0",
        version: Some(&version),
        shown: &Shown::default(),
        image: "registry.example.com/a:v1.1.0",
        known_image: None,
        overwrite: false,
    };
    for wanted in &said.templates {
        let mapping = said
            .mappings
            .iter()
            .find(|mapping| mapping.template == wanted.template)
            .unwrap();
        let template = files.template(&wanted.template);
        let Ok(text) = released(template, mapping.kind, wanted, &change) else {
            continue;
        };
        let read = |text: &str| Template::read("template", text.as_bytes(), Some(mapping.kind), limits);
        let was_sound = template.is_none_or(|template| read(template.source().text()).is_ok());
        if was_sound && mapping.kind != Kind::Substitutes {
            let images = read(&text).unwrap().images;
            assert!(images.iter().any(|image| image.reference == change.image), "{text}");
        }
    }
}

/// Reads one of them with a word replaced by any string.
pub fn word(which: usize, word: usize, text: &str) {
    let changed = |before: &str| words::replaced(before, word, text).into_bytes();
    map(&changed(MAPS[which % MAPS.len()]));
    lifecycles(&changed(LIFECYCLES));
    repository(which, &changed(REPOSITORY[which % REPOSITORY.len()].1));
}
