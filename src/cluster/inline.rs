//! Converts the packages of a what-if file into a catalog.

use super::state::{Bundle, Package};
use crate::catalog::file_based::load::heads;
use crate::catalog::{self, BundleId, Catalog, ManifestsId, Property, Texts};
use crate::kubernetes::GroupVersionKind;
use crate::olm::property::{self, GVK, PACKAGE};
use crate::text::canonical;
use serde_json::{Value, json};
use std::collections::HashMap;

/// Returns the catalog of these packages. The entries of a channel are in the order of the file; two packages may have
/// bundles with the same name. Entries without a bundle are omitted; [`super::read`] rejects them.
pub fn inline(packages: &[Package]) -> Catalog {
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
    let stored = bundles
        .iter()
        .zip(0..)
        .map(|((package, bundle), id)| stored(package, bundle, ManifestsId(id), &mut texts))
        .collect();
    let mut made = Catalog {
        packages: Vec::with_capacity(packages.len()),
        bundles: stored,
    };
    for package in packages {
        let name = texts.share(&package.name);
        let mut channels = Vec::with_capacity(package.channels.len());
        for channel in &package.channels {
            let mut entries = Vec::with_capacity(channel.entries.len());
            for entry in &channel.entries {
                let Some(&bundle) = by_name.get(&(&*package.name, &*entry.name)) else {
                    continue;
                };
                let mut some = |text: &Option<String>| {
                    let text = text.as_deref().filter(|text| !text.is_empty());
                    text.map(|text| texts.share(text))
                };
                entries.push(catalog::ChannelEntry {
                    bundle,
                    replaces: some(&entry.replaces),
                    skip_range: some(&entry.skip_range),
                    skips: entry.skips.iter().map(|name| texts.share(name)).collect(),
                });
            }
            let mut channel = catalog::Channel {
                name: texts.share(&channel.name),
                head: None,
                entries,
            };
            if let [head] = heads(&made, &channel)[..] {
                channel.head = made.bundle(head).map(|bundle| bundle.name.clone());
            }
            channels.push(channel);
        }
        channels.sort_by(|left, right| left.name.cmp(&right.name));
        made.packages.push(catalog::Package {
            name,
            default_channel: package.default_channel.as_deref().map(|name| texts.share(name)),
            channels,
        });
    }
    made.packages.sort_by(|left, right| left.name.cmp(&right.name));
    made
}

/// Returns the bundle with the properties and dependencies that an index would store for it.
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
    fn inline_catalogs_are_equal_to_what_an_index_stores() {
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
        let bundle = &made.bundles[0];
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
        let package = made.package("foo").unwrap();
        assert_eq!(package.channel("stable").unwrap().head.as_deref(), Some("foo.v1"));
        let range = |channel: &str| package.channel(channel).unwrap().entries[0].skip_range.as_deref();
        assert_eq!((range("stable"), range("alpha")), (Some("<1.0.0"), None));
    }
}
