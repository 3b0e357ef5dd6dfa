//! The document of a new package.

use super::picture_type::media_type;
use super::{Icon, Package};
use crate::kubernetes::names::is_dns1123_label;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// The author's description of a package.
#[derive(Debug, Clone, Copy, Default)]
pub struct NewPackage<'a> {
    /// The name.
    pub name: &'a str,
    /// The channel for users who specify none; may be empty.
    pub default_channel: &'a str,
    /// The description of the package, as Markdown; may be empty.
    pub description: &'a str,
    /// The bytes of the icon.
    pub icon: Option<&'a [u8]>,
}

/// The reason why the document cannot be created.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InitError {
    /// The name is not a valid package name.
    #[error(
        "{name:?} is not a package name: expected up to 63 characters of a-z, 0-9 and \"-\", with a letter or digit at \
         both ends"
    )]
    Name {
        /// The name.
        name: String,
    },
    /// The bytes are not an image of a known type.
    #[error(
        "the icon is not an image of a known type: PNG, JPEG, GIF, WebP, SVG, TIFF, BMP or another type that opm \
             knows"
    )]
    Icon,
}

/// Returns the `olm.package` document, identical to that of `opm init`.
///
/// # Errors
/// Returns an error if the name is not valid, or the icon is not an image of a known type.
pub fn package(new: &NewPackage<'_>) -> Result<Package, InitError> {
    if !is_dns1123_label(new.name) {
        let name = new.name.to_owned();
        return Err(InitError::Name { name });
    }
    let icon = new.icon.map(|data| {
        let media_type = media_type(data).ok_or(InitError::Icon)?;
        Ok(Icon {
            data: STANDARD.encode(data),
            media_type: media_type.to_owned(),
        })
    });
    Ok(Package {
        name: new.name.to_owned(),
        default_channel: new.default_channel.to_owned(),
        icon: icon.transpose()?,
        description: new.description.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::super::Blob;
    use super::super::write::{Language, write};
    use super::*;

    fn written(new: &NewPackage<'_>, language: Language) -> String {
        let mut out = Vec::new();
        write(&Blob::Package(package(new).unwrap()), language, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn the_fields_of_a_package_are_ordered_as_by_opm() {
        let mut new = NewPackage {
            name: "etcd",
            ..NewPackage::default()
        };
        assert_eq!(
            written(&new, Language::Json),
            "{\n    \"schema\": \"olm.package\",\n    \"name\": \"etcd\",\n    \"defaultChannel\": \"\"\n}\n"
        );
        new.default_channel = "stable";
        new.description = "# etcd\n<a> & \"b\"\u{2028}\u{7f}\t\u{1}\n";
        new.icon = Some(b"GIF89a");
        assert_eq!(
            written(&new, Language::Json),
            "{\n    \"schema\": \"olm.package\",\n    \"name\": \"etcd\",\n    \"defaultChannel\": \"stable\",\n    \"icon\": {\n        \
             \"base64data\": \"R0lGODlh\",\n        \"mediatype\": \"image/gif\"\n    },\n    \
             \"description\": \"# etcd\\n<a> & \\\"b\\\"\\u2028\\u007f\\t\\u0001\\n\"\n}\n"
        );
        new.description = "# etcd\ntext\n";
        assert_eq!(
            written(&new, Language::Yaml),
            "---\ndefaultChannel: stable\ndescription: |\n  # etcd\n  text\nicon:\n  base64data: R0lGODlh\n  \
             mediatype: image/gif\nname: etcd\nschema: olm.package\n"
        );
    }

    #[test]
    fn names_and_icons_are_checked() {
        for name in ["", "Etcd", "etcd.x", "-etcd", &"a".repeat(64)] {
            let new = NewPackage {
                name,
                ..NewPackage::default()
            };
            assert_eq!(package(&new).unwrap_err(), InitError::Name { name: name.to_owned() });
        }
        let new = NewPackage {
            name: "etcd",
            icon: Some(b"# etcd"),
            ..NewPackage::default()
        };
        assert_eq!(package(&new).unwrap_err(), InitError::Icon);
    }
}
