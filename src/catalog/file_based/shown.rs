//! The icon and the description of a package, from the ClusterServiceVersion of one of its bundles.

use super::manifests::object;
use super::{Bundle, Icon, picture_type};
use crate::catalog::manifests::kind;
use crate::csv;
use crate::olm::property::BUNDLE_OBJECT;
use serde::Deserialize;
use serde_json::Value;

/// What user interfaces show of a package.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Shown {
    /// The icon.
    pub icon: Option<Icon>,
    /// Whether there is an icon that is not base64.
    pub is_icon_unreadable: bool,
    /// The description, as Markdown; may be empty.
    pub description: String,
}

#[derive(Deserialize)]
struct Csv {
    #[serde(default)]
    spec: Spec,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Spec {
    icon: Value,
    description: Value,
}

impl Shown {
    /// Returns the first icon and the description of a ClusterServiceVersion. White space in the icon is removed; an
    /// icon that is empty or not base64 is omitted.
    pub fn of_csv(csv: &str) -> Self {
        let Ok(Csv { spec }) = serde_json::from_str(csv) else {
            return Self::default();
        };
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let icon = &spec.icon[0];
        let data: String = text(&icon["base64data"]).split_whitespace().collect();
        let bytes = picture_type::decoded(&data);
        Self {
            is_icon_unreadable: bytes.is_none(),
            icon: bytes.is_some_and(|bytes| !bytes.is_empty()).then(|| Icon {
                data,
                media_type: text(&icon["mediatype"]),
            }),
            description: text(&spec.description),
        }
    }

    /// Returns the icon and the description of the ClusterServiceVersion among the manifests of a bundle.
    pub fn of_bundle(bundle: &Bundle) -> Self {
        let properties = bundle.properties.iter();
        let mut objects = properties
            .filter(|property| property.kind == BUNDLE_OBJECT)
            .filter_map(|property| object(&property.value));
        let csv = objects.find(|object| kind(object) == csv::KIND);
        csv.map(|csv| Self::of_csv(&csv)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_icon_is_read_without_whitespace_and_only_if_it_is_valid_base64() {
        let of = |icon: Value| {
            let csv = json!({"kind": csv::KIND, "spec": {"icon": icon, "description": "d"}});
            let shown = Shown::of_csv(&csv.to_string());
            assert_eq!(shown.description, "d");
            shown.icon.map(|icon| (icon.data, icon.media_type))
        };
        let icon = |data: &str| json!([{"base64data": data, "mediatype": "image/gif"}]);
        let gif = Some(("R0lGODlh".to_owned(), "image/gif".to_owned()));
        assert_eq!(of(icon("R0lG\n  ODlh ")), gif);
        for none in [
            icon(""),
            icon(" \n"),
            icon("R0l!"),
            json!([]),
            json!(null),
            json!("x"),
            json!([7]),
        ] {
            assert_eq!(of(none), None);
        }
        assert_eq!(Shown::of_csv("{"), Shown::default());
    }
}
