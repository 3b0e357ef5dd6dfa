//! The icon of an operator, in a form that is safe for a page.

use super::frame::File;
use super::path::short_digest;
use crate::catalog::file_based::picture_type::{decoded, web_type};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// The maximum size of an icon in bytes.
const LARGEST: usize = 1 << 20;
/// The maximum length in bytes of the address of an inline icon on the pages of its package.
const LARGEST_ON_PAGE: usize = 4 << 10;
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
    /// An icon that may contain scripts and references. They have no effect inside `<img>`, nor in a style sheet, and
    /// there is no separate file that a user could open directly as a drawing.
    Inline {
        /// The address, which contains the entire icon.
        address: String,
        /// The path of a style sheet that contains the icon, if the icon would make every page too large.
        styles: Option<String>,
    },
}

/// The icon at the top of a page.
#[derive(Debug)]
pub(super) struct Picture {
    /// The address of the icon.
    pub(super) address: Option<String>,
    /// The address of a style sheet that draws the icon.
    pub(super) styles: Option<String>,
    /// The letter to show if there is no icon.
    pub(super) letter: String,
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
            let is_large = address.len() > LARGEST_ON_PAGE;
            let styles = is_large.then(|| format!("icons/{}.css", short_digest(styles_of(&address).as_bytes())));
            return Some(Self::Inline { address, styles });
        }
        let path = format!("icons/{}.{extension}", short_digest(&content));
        Some(Self::File { path, content })
    }

    /// Returns the file that the pages of the package use: the icon, or the style sheet that contains it.
    pub(super) fn file(&self) -> Option<File> {
        match self {
            Self::File { path, content } => Some((path.clone(), content.clone())),
            Self::Inline { address, styles } => Some((styles.clone()?, styles_of(address).into_bytes())),
        }
    }

    /// Returns the address of the icon for a page with many icons, or `None` if the icon would make such a page too
    /// large.
    pub(super) fn address_in_list(&self) -> Option<String> {
        match self {
            Self::Inline { address, .. } if address.len() > LARGEST_IN_LIST => None,
            Self::Inline { address, .. } => Some(address.clone()),
            Self::File { path, .. } => Some(path.clone()),
        }
    }
}

impl Picture {
    /// Returns the picture for a package. `up` is the path from the page to the root.
    pub(super) fn new(icon: Option<&Icon>, display_name: &str, up: &str) -> Self {
        let from_page = |path: &String| format!("{up}{path}");
        let (address, styles) = match icon {
            Some(Icon::File { path, .. }) => (Some(from_page(path)), None),
            Some(Icon::Inline {
                styles: Some(styles), ..
            }) => (None, Some(from_page(styles))),
            Some(Icon::Inline { address, styles: None }) => (Some(address.clone()), None),
            None => (None, None),
        };
        Self {
            address,
            styles,
            letter: letter(display_name),
        }
    }
}

/// Returns the style sheet that draws the icon with this address, which is base64 and therefore needs no escapes.
fn styles_of(address: &str) -> String {
    format!(".icon.drawn {{ background-image: url(\"{address}\"); }}\n")
}

/// Returns the letter to show if there is no icon.
pub(super) fn letter(name: &str) -> String {
    let first = name.chars().find(|letter| letter.is_alphanumeric());
    first.map_or_else(|| "?".to_owned(), |letter| letter.to_uppercase().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_type_of_an_icon_is_detected_from_its_bytes() {
        let read = |content: &[u8]| Icon::read(&STANDARD.encode(content));
        assert!(matches!(read(b"\x89PNG\r\n\x1a\n"), Some(Icon::File { path, .. }) if path.starts_with("icons/")));
        let svg = read(b"<svg onload=\"alert(1)\"></svg>");
        assert!(matches!(svg, Some(Icon::Inline { address, .. }) if address.starts_with("data:image/svg+xml;base64,")));
        assert_eq!(read(b"<html><svg></svg></html>"), None);
        assert_eq!(Icon::read("not base64"), None);
        assert_eq!(Icon::read(""), None);
        assert_eq!(read(&[&b"\x89PNG"[..], &vec![0; LARGEST]].concat()), None);
    }

    #[test]
    fn a_large_drawing_is_in_one_style_sheet_for_all_pages() {
        let svg = |size: usize| {
            let text = format!("<svg><!--{}--></svg>", "x".repeat(size));
            Icon::read(&STANDARD.encode(text)).unwrap()
        };
        let (small, large) = (svg(1000), svg(100_000));
        assert_eq!(small.file(), None);
        let picture = Picture::new(Some(&small), "Rake", "../");
        assert!(picture.address.unwrap().starts_with("data:image/svg+xml;base64,"));
        assert_eq!(picture.styles, None);

        let (path, content) = large.file().unwrap();
        assert!(path.starts_with("icons/") && path.contains(".css"), "{path}");
        let content = String::from_utf8(content).unwrap();
        assert!(content.starts_with(".icon.drawn { background-image: url(\"data:image/svg+xml;base64,"));
        assert_eq!(large.address_in_list(), None);
        let picture = Picture::new(Some(&large), "Rake", "../");
        assert_eq!(picture.address, None);
        assert_eq!(picture.styles, Some(format!("../{path}")));
    }
}
