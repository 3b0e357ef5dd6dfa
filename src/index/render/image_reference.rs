//! Image references composed of the name, package and version of a bundle.

use crate::catalog::file_based::{Bundle, Identity};
use std::str::FromStr;

/// A reference with the placeholders `{{.Package}}`, `{{.Name}}` and `{{.Version}}`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImageReferenceTemplate(Vec<Part>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Text(String),
    Package,
    Name,
    Version,
}

/// A string with an unknown placeholder.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place:?} is not a valid placeholder; use {{{{.Package}}}}, {{{{.Name}}}} or {{{{.Version}}}}")]
pub struct ImageReferenceError {
    /// The placeholder.
    pub place: String,
}

/// The name, package and version of a bundle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Named {
    package: String,
    name: String,
    version: String,
}

impl Named {
    /// Returns the name, package and version of `bundle`.
    pub(crate) fn of(bundle: &Bundle) -> Self {
        Self {
            package: bundle.package.clone(),
            name: bundle.name.clone(),
            version: Identity::among(&bundle.properties).version.unwrap_or_default(),
        }
    }
}

impl FromStr for ImageReferenceTemplate {
    type Err = ImageReferenceError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (mut parts, mut rest) = (Vec::new(), text);
        while let Some((before, behind)) = rest.split_once("{{") {
            let wrong = |place: &str| ImageReferenceError {
                place: place.to_owned(),
            };
            let (place, after) = behind.split_once("}}").ok_or_else(|| wrong(&format!("{{{{{behind}")))?;
            parts.push(Part::Text(before.to_owned()));
            parts.push(match place.trim() {
                ".Package" => Part::Package,
                ".Name" => Part::Name,
                ".Version" => Part::Version,
                _ => return Err(wrong(&format!("{{{{{place}}}}}"))),
            });
            rest = after;
        }
        parts.push(Part::Text(rest.to_owned()));
        Ok(Self(parts))
    }
}

impl ImageReferenceTemplate {
    /// Returns the reference of a bundle. A `+` in its version becomes `-`, because a tag cannot contain it.
    pub(crate) fn of(&self, named: &Named) -> String {
        let parts = self.0.iter();
        parts
            .map(|part| match part {
                Part::Text(text) => text.clone(),
                Part::Package => named.package.clone(),
                Part::Name => named.name.clone(),
                Part::Version => named.version.replace('+', "-"),
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_filled_and_unknown_ones_rejected() {
        let named = Named {
            package: "etcd".to_owned(),
            name: "etcd.v1".to_owned(),
            version: "1.0.0+b".to_owned(),
        };
        let of = |text: &str| {
            text.parse::<ImageReferenceTemplate>()
                .map(|template| template.of(&named))
        };
        assert_eq!(of("r/{{.Package}}:v{{ .Version }}").unwrap(), "r/etcd:v1.0.0-b");
        assert_eq!(of("{{.Name}}").unwrap(), "etcd.v1");
        assert_eq!(of("r/x").unwrap(), "r/x");
        let refused = of("r/{{.Tag}}").unwrap_err();
        assert_eq!(
            refused.to_string(),
            "\"{{.Tag}}\" is not a valid placeholder; use {{.Package}}, {{.Name}} or {{.Version}}"
        );
        assert_eq!(of("r/{{.Name").unwrap_err().place, "{{.Name");
    }
}
