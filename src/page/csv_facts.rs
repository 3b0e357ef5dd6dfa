//! The facts that a ClusterServiceVersion states about a version of an operator.

use super::link::{mail_address, web_address};
use super::markdown;
use crate::catalog::{Bundle, Property};
use crate::csv::Csv;
use crate::olm::property::MAX_OPENSHIFT_VERSION;
use serde_json::Value;
use std::collections::BTreeMap;

/// The maximum length of a summary, in characters.
const SENTENCE: usize = 160;

/// A value with an optional link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Linked {
    pub(super) text: String,
    pub(super) address: Option<String>,
}

/// The facts that a version specifies about itself.
#[derive(Debug, Clone, Default)]
pub(super) struct Facts {
    pub(super) display_name: String,
    /// A summary in one sentence.
    pub(super) summary: String,
    /// The description in Markdown.
    pub(super) description: String,
    pub(super) provider: String,
    pub(super) capability: String,
    pub(super) categories: Vec<String>,
    pub(super) keywords: Vec<String>,
    /// The infrastructure features that the operator supports.
    pub(super) features: Vec<String>,
    /// The install modes, and whether each mode is supported.
    pub(super) install_modes: Vec<(String, bool)>,
    pub(super) created_at: String,
    /// The suggested namespace.
    pub(super) namespace: String,
    /// The names and values of all facts that are shown as a list.
    pub(super) rows: Vec<(&'static str, Vec<Linked>)>,
}

/// The infrastructure features: the suffix of the annotation, the name, and the older spellings.
const FEATURES: [(&str, &str, &[&str]); 11] = [
    ("disconnected", "Disconnected", &["disconnected"]),
    ("fips-compliant", "FIPS", &["fips", "fipsmode"]),
    ("proxy-aware", "Proxy-aware", &["proxy", "proxy-aware"]),
    (
        "tls-profiles",
        "Configurable TLS",
        &["tls", "tlsprofiles", "tls-profiles"],
    ),
    ("cnf", "Cloud-native network function", &["cnf"]),
    ("cni", "Container network plug-in", &["cni"]),
    ("csi", "Storage driver", &["csi"]),
    ("sno", "Single node", &["sno", "single-node clusters"]),
    (
        "token-auth-aws",
        "Short-lived tokens on AWS",
        &["tokenauth", "tokenauthaws"],
    ),
    ("token-auth-azure", "Short-lived tokens on Azure", &["tokenauthazure"]),
    ("token-auth-gcp", "Short-lived tokens on GCP", &["tokenauthgcp"]),
];

impl Facts {
    /// Reads the facts of a version. `description` is the description of its package in the catalog.
    pub(super) fn read(bundle: &Bundle, csv: &Value, description: &str) -> Self {
        let csv = Csv(csv);
        let annotation = |key: &str| {
            let value = csv.annotations().and_then(|annotations| annotations.get(key));
            value.and_then(Value::as_str).unwrap_or_default().trim().to_owned()
        };
        let list = |key: &str| -> Vec<String> {
            let items = csv.list(&["spec", key]).iter().filter_map(Value::as_str);
            items.map(str::to_owned).collect()
        };
        let own = csv.text(&["spec", "description"]);
        let long = if own.trim().is_empty() { description } else { own };
        let short = annotation("description");
        let summary = if short.is_empty() {
            markdown::beginning(long, SENTENCE)
        } else {
            markdown::shortened(&short, SENTENCE)
        };
        let categories = annotation("categories");
        let categories = categories.split(',').map(str::trim).filter(|name| !name.is_empty());
        let mut facts = Self {
            display_name: csv.text(&["spec", "displayName"]).trim().to_owned(),
            summary,
            description: long.to_owned(),
            provider: csv.text(&["spec", "provider", "name"]).trim().to_owned(),
            capability: annotation("capabilities"),
            categories: categories.map(str::to_owned).collect(),
            keywords: list("keywords"),
            features: features(csv),
            install_modes: install_modes(csv),
            created_at: annotation("createdAt"),
            namespace: annotation("operatorframework.io/suggested-namespace"),
            rows: Vec::new(),
        };
        facts.rows = facts.rows(bundle, csv, &annotation);
        facts
    }

    /// Returns the creation date of the version, or the whole annotation if it does not begin with a date.
    pub(super) fn created_on(&self) -> &str {
        let day = self.created_at.get(..10).unwrap_or_default();
        let is_day = day.parse::<jiff::civil::Date>().is_ok();
        if is_day { day } else { &self.created_at }
    }

    fn rows(
        &self,
        bundle: &Bundle,
        csv: Csv<'_>,
        annotation: &dyn Fn(&str) -> String,
    ) -> Vec<(&'static str, Vec<Linked>)> {
        let one = |text: &str| vec![plain(text)];
        let many = |texts: &[String]| texts.iter().map(|text| plain(text)).collect();
        let property = |kind: &str| {
            let found = bundle.properties.iter().find(|property| &*property.kind == kind);
            found.map(text_of).unwrap_or_default()
        };
        let provider_address = csv.text(&["spec", "provider", "url"]);
        let rows = [
            ("Version", one(bundle.version.as_deref().unwrap_or_default())),
            ("Bundle", one(&bundle.name)),
            ("Bundle image", one(bundle.image.as_deref().unwrap_or_default())),
            (
                "Provider",
                vec![Linked {
                    text: self.provider.clone(),
                    address: web_address(provider_address).map(str::to_owned),
                }],
            ),
            ("Capability level", one(&self.capability)),
            ("Maturity", one(csv.text(&["spec", "maturity"]))),
            ("Categories", many(&self.categories)),
            ("Keywords", many(&self.keywords)),
            ("Infrastructure features", many(&self.features)),
            ("Minimum Kubernetes version", one(csv.text(&["spec", "minKubeVersion"]))),
            ("Maximum OpenShift version", one(&property(MAX_OPENSHIFT_VERSION))),
            ("Created", one(&self.created_at)),
            ("Operator image", one(&annotation("containerImage"))),
            ("Repository", vec![linked(&annotation("repository"))]),
            ("Support", vec![linked(&annotation("support"))]),
            (
                "Valid subscriptions",
                many(&json_list(&annotation("operators.openshift.io/valid-subscription"))),
            ),
            ("Suggested namespace", one(&self.namespace)),
            ("License", one(&annotation("artifacthub.io/license"))),
            ("Links", csv.list(&["spec", "links"]).iter().map(link).collect()),
            (
                "Maintainers",
                csv.list(&["spec", "maintainers"]).iter().map(maintainer).collect(),
            ),
            (
                "Before you uninstall",
                one(&annotation("operator.openshift.io/uninstall-message")),
            ),
        ];
        let said = rows.into_iter().map(|(name, values): (_, Vec<Linked>)| {
            let values: Vec<Linked> = values.into_iter().filter(|value| !value.text.is_empty()).collect();
            (name, values)
        });
        said.filter(|(_, values)| !values.is_empty()).collect()
    }
}

fn plain(text: &str) -> Linked {
    Linked {
        text: text.trim().to_owned(),
        address: None,
    }
}

fn linked(text: &str) -> Linked {
    Linked {
        text: text.trim().to_owned(),
        address: web_address(text).map(str::to_owned),
    }
}

fn link(link: &Value) -> Linked {
    let of = |key: &str| link.get(key).and_then(Value::as_str).unwrap_or_default().trim();
    let (name, address) = (of("name"), of("url"));
    Linked {
        text: if name.is_empty() { address } else { name }.to_owned(),
        address: web_address(address).map(str::to_owned),
    }
}

fn maintainer(maintainer: &Value) -> Linked {
    let of = |key: &str| maintainer.get(key).and_then(Value::as_str).unwrap_or_default().trim();
    let (name, mail) = (of("name"), of("email"));
    Linked {
        text: if name.is_empty() { mail } else { name }.to_owned(),
        address: mail_address(mail),
    }
}

/// Returns the string in a property, or the JSON of any other value.
fn text_of(property: &Property) -> String {
    match serde_json::from_str(&property.value) {
        Ok(Value::String(text)) => text,
        _ => property.value.to_string(),
    }
}

/// Parses the JSON list of strings in an annotation.
fn json_list(text: &str) -> Vec<String> {
    serde_json::from_str(text).unwrap_or_default()
}

fn install_modes(csv: Csv<'_>) -> Vec<(String, bool)> {
    let modes = csv.list(&["spec", "installModes"]).iter().filter_map(|mode| {
        let name = mode.get("type")?.as_str()?.to_owned();
        Some((name, mode.get("supported").and_then(Value::as_bool).unwrap_or_default()))
    });
    modes.collect()
}

/// Returns the features that the annotations list. The newer annotations take precedence.
fn features(csv: Csv<'_>) -> Vec<String> {
    let of = |key: &str| csv.annotations().and_then(|annotations| annotations.get(key)?.as_str());
    let old = json_list(of("operators.openshift.io/infrastructure-features").unwrap_or_default());
    let old: Vec<String> = old.iter().map(|name| name.to_lowercase()).collect();
    let known =
        FEATURES.iter().filter(
            |(key, _, before)| match of(&format!("features.operators.openshift.io/{key}")) {
                Some(said) => said.trim().eq_ignore_ascii_case("true"),
                None => before.iter().any(|name| old.iter().any(|old| old == name)),
            },
        );
    known.map(|(_, name, _)| (*name).to_owned()).collect()
}

/// An API that a version provides or needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Api {
    pub(super) kind: String,
    pub(super) group: String,
    pub(super) version: String,
    /// The name of the CustomResourceDefinition; empty for an aggregated API.
    pub(super) definition: String,
    pub(super) display_name: String,
    pub(super) description: String,
    /// Examples in YAML and JSON.
    pub(super) examples: Vec<Example>,
}

/// A sample object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Example {
    pub(super) name: String,
    pub(super) description: String,
    pub(super) yaml: String,
    pub(super) json: String,
}

/// Returns the APIs that a version owns or requires. Without a ClusterServiceVersion, the owned APIs come from the
/// properties.
pub(super) fn apis(bundle: &Bundle, csv: &Value, which: &str) -> Vec<Api> {
    let csv = Csv(csv);
    let examples = examples(csv);
    let of = |entry: &Value, key: &str| entry.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let api = |entry: &Value, group: String, definition: String| {
        let (kind, version) = (of(entry, "kind"), of(entry, "version"));
        let key = (group_version(&group, &version), kind.clone());
        Api {
            examples: examples.get(&key).cloned().unwrap_or_default(),
            display_name: of(entry, "displayName"),
            description: of(entry, "description"),
            kind,
            group,
            version,
            definition,
        }
    };
    let crds = csv
        .list(&["spec", "customresourcedefinitions", which])
        .iter()
        .map(|entry| {
            let name = of(entry, "name");
            let group = name.split_once('.').map(|(_, group)| group.to_owned());
            api(entry, group.unwrap_or_default(), name)
        });
    let served = csv.list(&["spec", "apiservicedefinitions", which]).iter();
    let served = served.map(|entry| api(entry, of(entry, "group"), String::new()));
    let mut apis: Vec<Api> = crds.chain(served).collect();
    if apis.is_empty() && which == "owned" {
        let said = bundle.properties.iter().filter_map(Property::group_version_kind);
        apis = said
            .map(|gvk| Api {
                kind: gvk.kind,
                group: gvk.group,
                version: gvk.version,
                definition: String::new(),
                display_name: String::new(),
                description: String::new(),
                examples: Vec::new(),
            })
            .collect();
    }
    apis.sort_by(|one, other| (&one.kind, &one.group, &one.version).cmp(&(&other.kind, &other.group, &other.version)));
    apis
}

/// Returns the `apiVersion` of the objects of an API.
pub(super) fn group_version(group: &str, version: &str) -> String {
    if group.is_empty() {
        version.to_owned()
    } else {
        format!("{group}/{version}")
    }
}

/// Returns the examples in the annotation of a version, by API version and kind.
fn examples(csv: Csv<'_>) -> BTreeMap<(String, String), Vec<Example>> {
    let annotation = |key: &str| {
        let text = csv.annotations().and_then(|annotations| annotations.get(key)?.as_str());
        text.and_then(|text| serde_json::from_str::<Value>(text).ok())
            .unwrap_or_default()
    };
    let descriptions = annotation("alm-examples-metadata");
    let mut examples: BTreeMap<(String, String), Vec<Example>> = BTreeMap::new();
    for object in annotation(crate::olm::annotation::EXAMPLES)
        .as_array()
        .into_iter()
        .flatten()
    {
        let text = |pointer: &str| object.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
        let name = text("/metadata/name");
        let description = descriptions
            .get(name)
            .map(|entry| entry.get("description").unwrap_or(entry));
        let example = Example {
            name: name.to_owned(),
            description: description.and_then(Value::as_str).unwrap_or_default().to_owned(),
            yaml: crate::text::to_yaml(object),
            json: crate::text::to_json(object),
        };
        let key = (text("/apiVersion").to_owned(), text("/kind").to_owned());
        examples.entry(key).or_default().push(example);
    }
    examples
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn newer_feature_annotations_take_precedence_over_the_older_one() {
        let csv = json!({"metadata": {"annotations": {
            "operators.openshift.io/infrastructure-features": "[\"Disconnected\", \"FIPS\", \"SNO\"]",
            "features.operators.openshift.io/disconnected": "false",
            "features.operators.openshift.io/csi": "true",
        }}});
        assert_eq!(features(Csv(&csv)), ["FIPS", "Storage driver", "Single node"]);
    }

    #[test]
    fn examples_belong_to_their_kind() {
        let csv = json!({
            "metadata": {"annotations": {
                "alm-examples": "[{\"apiVersion\": \"example.com/v1\", \"kind\": \"Pad\", \"metadata\": {\"name\": \"one\"}}]",
                "alm-examples-metadata": "{\"one\": {\"description\": \"A small one\"}}",
            }},
            "spec": {"customresourcedefinitions": {"owned": [
                {"name": "pads.example.com", "kind": "Pad", "version": "v1"},
                {"name": "inks.example.com", "kind": "Ink", "version": "v1"},
            ]}},
        });
        let bundle = Bundle {
            name: "a".into(),
            version: None,
            image: None,
            properties: Vec::new(),
            dependencies: Vec::new(),
            manifests: crate::catalog::ManifestsId(0),
        };
        let found = apis(&bundle, &csv, "owned");
        assert_eq!(found[0].kind, "Ink");
        assert!(found[0].examples.is_empty());
        assert_eq!(found[1].examples[0].description, "A small one");
        assert!(found[1].examples[0].yaml.starts_with("apiVersion: example.com/v1\n"));
    }
}
