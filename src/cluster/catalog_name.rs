//! The names by which requests refer to CatalogSources: `NAME`, or `NAMESPACE/NAME` if several namespaces have a
//! CatalogSource of this name.

use super::observed::is_olm_object;
use crate::csv::Csv;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt;

/// A name that refers to a CatalogSource.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct CatalogName {
    /// The namespace; `None` if the name alone identifies the CatalogSource.
    pub namespace: Option<String>,
    /// The name.
    pub name: String,
}

/// A name that refers to CatalogSources in several namespaces.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("several CatalogSources have the name {name}: {}", self.names().join(" and "))]
pub struct AmbiguousCatalog {
    /// The name.
    pub name: String,
    /// The namespaces.
    pub namespaces: Vec<String>,
}

impl AmbiguousCatalog {
    /// Returns the names with namespaces, as `namespace/name`.
    pub fn names(&self) -> Vec<String> {
        let namespaces = self.namespaces.iter();
        namespaces
            .map(|namespace| format!("{namespace}/{}", self.name))
            .collect()
    }
}

impl From<&str> for CatalogName {
    fn from(text: &str) -> Self {
        match text.split_once('/') {
            Some((namespace, name)) => Self {
                namespace: Some(namespace.to_owned()),
                name: name.to_owned(),
            },
            None => Self {
                namespace: None,
                name: text.to_owned(),
            },
        }
    }
}

impl fmt::Display for CatalogName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(namespace) = &self.namespace {
            write!(formatter, "{namespace}/")?;
        }
        formatter.write_str(&self.name)
    }
}

impl CatalogName {
    /// Returns the shortest name of a CatalogSource that refers to no other of the known ones. The namespaces of
    /// CatalogSources may be unknown, which is the empty string.
    pub fn shortest<'a>(namespace: &str, name: &str, known: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let mut known = known.into_iter();
        let is_ambiguous = known.any(|(of, other)| other == name && of != namespace);
        Self {
            namespace: (is_ambiguous && !namespace.is_empty()).then(|| namespace.to_owned()),
            name: name.to_owned(),
        }
    }

    /// Whether this name refers to a CatalogSource. Its namespace may be unknown, which is the empty string.
    pub fn is_of(&self, namespace: &str, name: &str) -> bool {
        let own = self.namespace.as_deref();
        self.name == name && (namespace.is_empty() || own.is_none_or(|own| own == namespace))
    }

    /// Returns the namespace of the CatalogSource among the known ones that this name refers to; `None` if there is
    /// none.
    ///
    /// # Errors
    /// Returns an error if there are several.
    pub fn namespace_among<'a>(
        &self,
        known: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Option<&'a str>, AmbiguousCatalog> {
        let own = known
            .into_iter()
            .filter(|(namespace, name)| self.is_of(namespace, name));
        let namespaces: BTreeSet<&str> = own
            .map(|(namespace, _)| namespace)
            .filter(|own| !own.is_empty())
            .collect();
        if namespaces.len() > 1 {
            return Err(AmbiguousCatalog {
                name: self.name.clone(),
                namespaces: namespaces.into_iter().map(str::to_owned).collect(),
            });
        }
        Ok(namespaces.first().copied())
    }
}

/// Returns the namespaces and names of the CatalogSources that the Subscriptions among objects use.
pub fn subscribed_catalogs(objects: &[Value]) -> BTreeSet<(&str, &str)> {
    let subscriptions = objects.iter().filter(|object| is_olm_object(object, "Subscription"));
    let used = subscriptions.map(|object| {
        let view = Csv(object);
        (view.text(&["spec", "sourceNamespace"]), view.text(&["spec", "source"]))
    });
    used.filter(|(_, name)| !name.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: [(&str, &str); 4] = [("dev", "own"), ("olm", "own"), ("olm", "shop"), ("", "new")];

    #[test]
    fn a_name_without_a_namespace_refers_to_the_only_catalog_of_this_name() {
        let found = |name: &str| CatalogName::from(name).namespace_among(KNOWN);
        assert_eq!(found("shop"), Ok(Some("olm")));
        assert_eq!(found("dev/own"), Ok(Some("dev")));
        assert_eq!(found("test/own"), Ok(None));
        assert_eq!(found("new"), Ok(None));
        assert_eq!(found("other"), Ok(None));
        let ambiguous = found("own").unwrap_err();
        assert_eq!(
            ambiguous.to_string(),
            "several CatalogSources have the name own: dev/own and olm/own"
        );
    }

    #[test]
    fn the_shortest_name_has_a_namespace_only_if_the_name_is_ambiguous() {
        let shortest = |namespace: &str, name: &str| CatalogName::shortest(namespace, name, KNOWN).to_string();
        assert_eq!(shortest("olm", "shop"), "shop");
        assert_eq!(shortest("olm", "own"), "olm/own");
    }
}
