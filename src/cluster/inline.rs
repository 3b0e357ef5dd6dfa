//! Packages that a what-if file writes out, as a catalog.

use super::state::{Bundle, Package};
use crate::catalog::file_based::load::heads;
use crate::catalog::{self, BundleId, Catalog, ManifestsId, Property, Text, Texts};
use crate::kubernetes::GroupVersionKind;
use crate::olm::property::{self, GVK, PACKAGE};
use crate::text::canonical;
use serde_json::{Value, json};
use std::collections::HashMap;

/// A catalog that was written out, where each entry of a channel skips its own range.
#[derive(Debug, Clone, Default)]
pub struct InlineCatalog {
    /// Packages, channels and bundles. The entries of a channel stand in the order of the file. Two packages may have a
    /// bundle of one name.
    pub catalog: Catalog,
    /// By package and channel.
    ranges: HashMap<(Text, Text, BundleId), Text>,
}

impl InlineCatalog {
    /// The range that an entry of a channel skips.
    pub fn skip_range(&self, package: &str, channel: &str, bundle: BundleId) -> Option<&Text> {
        self.ranges.get(&(package.into(), channel.into(), bundle))
    }
}

/// The catalog of these packages. Entries without a bundle are left out; [`super::read`] refuses them.
pub fn inline(packages: &[Package]) -> InlineCatalog {
    let mut texts = Texts::default();
    let mut bundles: Vec<(&str, &Bundle)> = packages
        .iter()
        .flat_map(|package| package.bundles.iter().map(|bundle| (&*package.name, bundle)))
        .collect();
    bundles.sort_by_key(|(package, bundle)| (&*bundle.name, *package));
    let ids = || (0..).map(BundleId);
    let by_name: HashMap<(&str, &str), BundleId> = bundles
        .iter()
        .map(|(package, bundle)| (*package, &*bundle.name))
        .zip(ids())
        .collect();
    let mut made = InlineCatalog::default();
    made.catalog.bundles = bundles
        .iter()
        .zip(0..)
        .map(|((package, bundle), id)| stored(package, bundle, ManifestsId(id), &mut texts))
        .collect();
    for package in packages {
        let name = texts.share(&package.name);
        let mut channels = Vec::with_capacity(package.channels.len());
        for channel in &package.channels {
            let channel_name = texts.share(&channel.name);
            let mut entries = Vec::with_capacity(channel.entries.len());
            for entry in &channel.entries {
                let Some(&bundle) = by_name.get(&(&*package.name, &*entry.name)) else {
                    continue;
                };
                if let Some(range) = entry.skip_range.as_deref().filter(|range| !range.is_empty()) {
                    let range = texts.share(range);
                    if let Some(bundle) = made.catalog.bundles.get_mut(bundle.0 as usize) {
                        bundle.skip_range.get_or_insert_with(|| range.clone());
                    }
                    made.ranges.insert((name.clone(), channel_name.clone(), bundle), range);
                }
                let replaces = entry.replaces.as_deref().filter(|name| !name.is_empty());
                entries.push(catalog::Entry {
                    bundle,
                    replaces: replaces.map(|name| texts.share(name)),
                    skips: entry.skips.iter().map(|name| texts.share(name)).collect(),
                });
            }
            let mut channel = catalog::Channel {
                name: channel_name,
                head: None,
                entries,
            };
            if let [head] = heads(&made.catalog, &channel)[..] {
                channel.head = made.catalog.bundle(head).map(|bundle| bundle.name.clone());
            }
            channels.push(channel);
        }
        channels.sort_by(|left, right| left.name.cmp(&right.name));
        made.catalog.packages.push(catalog::Package {
            name,
            default_channel: package.default_channel.as_deref().map(|name| texts.share(name)),
            channels,
        });
    }
    made.catalog.packages.sort_by(|left, right| left.name.cmp(&right.name));
    made
}

/// The bundle with the properties and dependencies that an index would store for it.
fn stored(package: &str, bundle: &Bundle, manifests: ManifestsId, texts: &mut Texts) -> catalog::Bundle {
    let version = bundle.version.as_deref().unwrap_or_default();
    let mut properties = vec![typed(
        PACKAGE,
        &json!({"packageName": package, "version": version}),
        texts,
    )];
    let apis = |apis: &[GroupVersionKind], texts: &mut Texts| -> Vec<Property> {
        apis.iter().map(|api| typed(GVK, &api_value(api), texts)).collect()
    };
    let given = |values: &[property::Property], texts: &mut Texts| -> Vec<Property> {
        values
            .iter()
            .map(|value| typed(&value.kind, &value.value, texts))
            .collect()
    };
    properties.extend(apis(&bundle.provides, texts));
    properties.extend(given(&bundle.properties, texts));
    let mut dependencies = apis(&bundle.requires, texts);
    dependencies.extend(given(&bundle.dependencies, texts));
    catalog::Bundle {
        name: texts.share(&bundle.name),
        version: bundle.version.as_deref().map(|version| texts.share(version)),
        image: None,
        skip_range: None,
        properties,
        dependencies,
        manifests,
    }
}

fn typed(kind: &str, value: &Value, texts: &mut Texts) -> Property {
    Property {
        kind: texts.share(kind),
        value: texts.share(&canonical::to_string(value)),
    }
}

fn api_value(api: &GroupVersionKind) -> Value {
    json!({"group": api.group, "kind": api.kind, "version": api.version})
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::read;
    use crate::text::Limits;

    #[test]
    fn what_is_written_out_becomes_what_an_index_stores() {
        let text = "\
catalogs:
- name: main
  packages:
  - name: foo
    defaultChannel: stable
    channels:
    - name: stable
      entries:
      - {name: foo.v1, replaces: foo.v0, skipRange: <1.0.0}
    - name: alpha
      entries:
      - {name: foo.v1}
    bundles:
    - name: foo.v1
      version: 1.0.0
      provides: [{group: g, version: v1, kind: Foo}]
      requires: [{group: g, version: v1, kind: Bar}]
      properties: [{type: olm.label, value: {label: x}}]
      dependencies: [{type: olm.package, value: {packageName: baz, version: '>1.0.0'}}]
";
        let state = read("state.yaml", text.as_bytes(), &Limits::default()).unwrap();
        let made = inline(&state.catalogs[0].packages);
        let bundle = &made.catalog.bundles[0];
        let shown = |values: &[Property]| -> Vec<String> {
            values
                .iter()
                .map(|value| format!("{} {}", value.kind, value.value))
                .collect()
        };
        assert_eq!(
            shown(&bundle.properties),
            [
                r#"olm.package {"packageName":"foo","version":"1.0.0"}"#,
                r#"olm.gvk {"group":"g","kind":"Foo","version":"v1"}"#,
                r#"olm.label {"label":"x"}"#,
            ]
        );
        assert_eq!(
            shown(&bundle.dependencies),
            [
                r#"olm.gvk {"group":"g","kind":"Bar","version":"v1"}"#,
                r#"olm.package {"packageName":"baz","version":"\u003e1.0.0"}"#,
            ]
        );
        let package = made.catalog.package("foo").unwrap();
        assert_eq!(package.channel("stable").unwrap().head.as_deref(), Some("foo.v1"));
        assert_eq!(
            made.skip_range("foo", "stable", BundleId(0)).map(|range| &**range),
            Some("<1.0.0")
        );
        assert_eq!(made.skip_range("foo", "alpha", BundleId(0)), None);
    }
}
