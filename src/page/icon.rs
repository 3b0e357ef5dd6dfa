//! The picture of an operator, as a page may show it.

use super::path::short_digest;
use crate::catalog::file_based::picture_type::media_type;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// Bytes that a picture may have.
const LARGEST: usize = 1 << 20;
/// Bytes that a picture inside of a list may have, where it stands in the page itself.
const LARGEST_IN_LIST: usize = 32 << 10;

/// A picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Icon {
    /// One that is a file of the site.
    File {
        /// Where it stands.
        path: String,
        /// What is in it.
        content: Vec<u8>,
    },
    /// One that may hold scripts and references: they do nothing inside of `<img>`, and there is no file of it that
    /// somebody could open by itself.
    Inline {
        /// The address, with all of the picture.
        address: String,
    },
}

impl Icon {
    /// The picture in a field of a bundle, whatever its media type is said to be. None where it is no picture that
    /// browsers show, or too large.
    pub(super) fn read(base64: &str) -> Option<Self> {
        if base64.len() > LARGEST * 2 {
            return None;
        }
        let text: String = base64.split_whitespace().collect();
        let content = STANDARD.decode(text).ok().filter(|content| content.len() <= LARGEST)?;
        let extension = match media_type(&content)? {
            "image/png" => "png",
            "image/jpeg" => "jpg",
            "image/gif" => "gif",
            "image/webp" => "webp",
            "image/svg+xml" => {
                let address = format!("data:image/svg+xml;base64,{}", STANDARD.encode(&content));
                return Some(Self::Inline { address });
            }
            _ => return None,
        };
        let path = format!("icons/{}.{extension}", short_digest(&content));
        Some(Self::File { path, content })
    }

    /// The address of the picture on a page that is so far below the root.
    pub(super) fn address(&self, up: &str) -> String {
        match self {
            Self::File { path, .. } => format!("{up}{path}"),
            Self::Inline { address } => address.clone(),
        }
    }

    /// The same for a page with many pictures.
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
    fn the_bytes_say_what_a_picture_is() {
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
