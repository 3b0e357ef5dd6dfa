//! The icon of an operator, in a form that is safe for a page.

use super::path::short_digest;
use crate::catalog::file_based::picture_type::{decoded, web_type};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// The maximum size of an icon in bytes.
const LARGEST: usize = 1 << 20;
/// The maximum length in bytes of the address of an inline icon in a list.
const LARGEST_IN_LIST: usize = 32 << 10;

/// An icon.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Icon {
    /// An icon that is a file of the site.
    File {
        /// Its path.
        path: String,
        /// Its content.
        content: Vec<u8>,
    },
    /// An icon that may contain scripts and references. They have no effect inside `<img>`, and there is no separate
    /// file that a user could open directly.
    Inline {
        /// The address, which contains the entire icon.
        address: String,
    },
}

impl Icon {
    /// Decodes the icon in a field of a bundle, regardless of the media type in the field. Returns `None` if the
    /// content is too large or is not an image that browsers show.
    pub(super) fn read(base64: &str) -> Option<Self> {
        if base64.len() > LARGEST * 2 {
            return None;
        }
        let content = decoded(base64).filter(|content| content.len() <= LARGEST)?;
        let (media_type, extension) = web_type(&content)?;
        if extension == "svg" {
            let address = format!("data:{media_type};base64,{}", STANDARD.encode(&content));
            return Some(Self::Inline { address });
        }
        let path = format!("icons/{}.{extension}", short_digest(&content));
        Some(Self::File { path, content })
    }

    /// Returns the address of the icon on a page. `up` is the path from the page to the root.
    pub(super) fn address(&self, up: &str) -> String {
        match self {
            Self::File { path, .. } => format!("{up}{path}"),
            Self::Inline { address } => address.clone(),
        }
    }

    /// Returns the address of the icon for a page with many icons, or `None` if the icon would make such a page too
    /// large.
    pub(super) fn address_in_list(&self) -> Option<String> {
        match self {
            Self::Inline { address } if address.len() > LARGEST_IN_LIST => None,
            _ => Some(self.address("")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_type_of_an_icon_is_detected_from_its_bytes() {
        let read = |content: &[u8]| Icon::read(&STANDARD.encode(content));
        assert!(matches!(read(b"\x89PNG\r\n\x1a\n"), Some(Icon::File { path, .. }) if path.starts_with("icons/")));
        let svg = read(b"<svg onload=\"alert(1)\"></svg>").unwrap();
        assert!(svg.address("../").starts_with("data:image/svg+xml;base64,"));
        assert_eq!(read(b"<html><svg></svg></html>"), None);
        assert_eq!(Icon::read("not base64"), None);
        assert_eq!(Icon::read(""), None);
        assert_eq!(read(&[&b"\x89PNG"[..], &vec![0; LARGEST]].concat()), None);
    }
}
