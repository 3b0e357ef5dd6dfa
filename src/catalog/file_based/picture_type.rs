//! The media type of an image, detected from its bytes: like opm, this ignores file names.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// Decodes the base64 data of an icon, ignoring white space. Returns `None` if it is not base64.
pub(crate) fn decoded(data: &str) -> Option<Vec<u8>> {
    // Most icons contain no white space, so they are decoded as they are.
    let without_space = |_| STANDARD.decode(data.split_whitespace().collect::<String>());
    STANDARD.decode(data).or_else(without_space).ok()
}

/// Returns the media type of the bytes, if they are an image of a type that opm knows. SVG is also detected if it
/// contains a `*`, begins with a comment or is an empty element; opm fails in these cases.
pub(crate) fn media_type(data: &[u8]) -> Option<&'static str> {
    let known = SIGNATURES.iter().find(|signature| signature.fits(data));
    if let Some(signature) = known {
        return Some(signature.media_type);
    }
    if is_heif(data) {
        return Some("image/heif");
    }
    std::str::from_utf8(data).is_ok_and(is_svg).then_some("image/svg+xml")
}

/// Like [`media_type`], but only for types that all browsers show. Also returns the usual file extension.
pub(crate) fn web_type(data: &[u8]) -> Option<(&'static str, &'static str)> {
    let media_type = media_type(data)?;
    let extension = match media_type {
        "image/png" => "png",
        "image/jpeg" => "jpg",
        "image/gif" => "gif",
        "image/webp" => "webp",
        "image/svg+xml" => "svg",
        _ => return None,
    };
    Some((media_type, extension))
}

/// The bytes that identify an image type.
struct Signature {
    media_type: &'static str,
    /// The runs of bytes, each with its offset.
    runs: &'static [(usize, &'static [u8])],
}

impl Signature {
    fn fits(&self, data: &[u8]) -> bool {
        let stands = |at: usize, run: &[u8]| data.get(at..).is_some_and(|rest| rest.starts_with(run));
        self.runs.iter().all(|(at, run)| stands(*at, run))
    }
}

const fn signature(media_type: &'static str, runs: &'static [(usize, &'static [u8])]) -> Signature {
    Signature { media_type, runs }
}

/// If the signature of one type contains that of another, the type with the longer signature is first.
const SIGNATURES: [Signature; 15] = [
    signature("image/png", &[(0, b"\x89PNG")]),
    signature("image/jpeg", &[(0, b"\xff\xd8\xff")]),
    signature("image/gif", &[(0, b"GIF")]),
    signature("image/webp", &[(8, b"WEBP")]),
    signature("image/x-canon-cr2", &[(0, b"II*\0"), (8, b"CR")]),
    signature("image/x-canon-cr2", &[(0, b"MM\0*"), (8, b"CR")]),
    signature("image/tiff", &[(0, b"II*\0")]),
    signature("image/tiff", &[(0, b"MM\0*")]),
    signature("image/bmp", &[(0, b"BM")]),
    signature("image/vnd.ms-photo", &[(0, b"II\xbc")]),
    signature("image/vnd.adobe.photoshop", &[(0, b"8BPS")]),
    signature("image/vnd.microsoft.icon", &[(0, b"\0\0\x01\0")]),
    signature("image/jp2", &[(0, b"\0\0\0\x0cjP  \r\n\x87\n")]),
    signature("image/vnd.dwg", &[(0, b"AC10")]),
    signature("image/heif", &[(4, b"ftypheic")]),
];

/// Returns whether the bytes are a HEIF file. Such a file may list its specific brand after a general one.
fn is_heif(data: &[u8]) -> bool {
    let general = [&b"ftypmif1"[..], b"ftypmsf1"];
    let length = data
        .get(..4)
        .and_then(|length| length.try_into().ok())
        .map(u32::from_be_bytes);
    let brands = length.and_then(|length| data.get(16..usize::try_from(length).ok()?));
    data.get(4..12).is_some_and(|brand| general.contains(&brand))
        && brands.is_some_and(|brands| brands.chunks_exact(4).any(|brand| brand == b"heic"))
}

/// Returns whether a string is one `svg` element, with at most a declaration, a document type and comments around it.
fn is_svg(text: &str) -> bool {
    let mut rest = text.strip_prefix('\u{feff}').unwrap_or(text);
    loop {
        rest = rest.trim_start();
        let end = match rest {
            _ if rest.starts_with("<!--") => "-->",
            _ if rest.starts_with("<?") => "?>",
            _ if begins(rest, "<!doctype svg") => {
                // The subset inside brackets may contain `>` itself.
                let bracket = rest.find('[').filter(|at| rest.find('>').is_some_and(|end| *at < end));
                if bracket.is_some() { "]>" } else { ">" }
            }
            _ => break,
        };
        let Some((_, behind)) = rest.split_once(end) else {
            return false;
        };
        rest = behind;
    }
    let name_ends = |rest: &str| rest.starts_with(|next: char| next == '>' || next == '/' || next.is_whitespace());
    if !begins(rest, "<svg") || !rest.get(4..).is_some_and(name_ends) {
        return false;
    }
    let mut rest = rest.trim_end();
    while let Some(start) = rest.strip_suffix("-->").and_then(|inside| inside.rfind("<!--")) {
        rest = rest.get(..start).unwrap_or_default().trim_end();
    }
    if let Some(tag) = rest.strip_suffix("/>") {
        return tag.matches('<').count() == 1;
    }
    rest.strip_suffix('>')
        .map(str::trim_end)
        .is_some_and(|rest| rest.len() >= 5 && rest.get(rest.len() - 5..).is_some_and(|end| begins(end, "</svg")))
}

/// Returns whether `text` begins with `start`, ignoring case.
fn begins(text: &str, start: &str) -> bool {
    text.get(..start.len())
        .is_some_and(|head| head.eq_ignore_ascii_case(start))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn white_space_in_base64_is_ignored() {
        for data in ["aWNvbg==", "aWNv\n  bg==\n", "\taWNv\u{a0}bg=="] {
            assert_eq!(decoded(data).as_deref(), Some(&b"icon"[..]), "{data:?}");
        }
        assert_eq!(decoded("aWNv bg?"), None);
    }

    #[test]
    fn image_types_are_recognized_by_their_first_bytes() {
        let cases: [(&[u8], &str); 15] = [
            (b"\x89PNG\r\n\x1a\n", "image/png"),
            (b"\xff\xd8\xff\xe0", "image/jpeg"),
            (b"GIF89a", "image/gif"),
            (b"RIFF\0\0\0\0WEBPVP8 ", "image/webp"),
            (b"II*\0\x10\0\0\0CR\x02", "image/x-canon-cr2"),
            (b"II*\0\x08\0\0\0", "image/tiff"),
            (b"MM\0*\0\0\0\x08", "image/tiff"),
            (b"BM\x36\0", "image/bmp"),
            (b"II\xbc\x01", "image/vnd.ms-photo"),
            (b"8BPS\0\x01", "image/vnd.adobe.photoshop"),
            (b"\0\0\x01\0\x01\0", "image/vnd.microsoft.icon"),
            (b"\0\0\0\x0cjP  \r\n\x87\n\0", "image/jp2"),
            (b"AC1018", "image/vnd.dwg"),
            (b"\0\0\0\x18ftypheic\0\0\0\0mif1heic", "image/heif"),
            (b"\0\0\0\x18ftypmif1\0\0\0\0mif1heic", "image/heif"),
        ];
        for (data, expected) in cases {
            assert_eq!(media_type(data), Some(expected), "{data:?}");
        }
    }

    #[test]
    fn an_svg_is_one_element_with_permitted_surroundings() {
        for svg in [
            "<svg></svg>",
            "<svg/>",
            "\n<?xml version=\"1.0\"?><svg width=\"1\" />\n<!-- end -->\n",
            "\u{feff}<?xml version=\"1.0\"?>\n<!-- made by hand -->\n<!DOCTYPE svg PUBLIC \"a\" \"b\">\n<SVG width=\"1\">*</SVG >\n<!-- end -->\n",
            "<!DOCTYPE svg [<!ENTITY a \"b\">]><svg\n/><svg></svg>",
        ] {
            assert_eq!(media_type(svg.as_bytes()), Some("image/svg+xml"), "{svg}");
        }
        for other in [
            "",
            "svg",
            "<svgx></svg>",
            "<svg>",
            "<svg><path/>",
            "<html><svg></svg></html>",
            "<!-- <svg></svg>",
            "{}",
            "<?xml",
        ] {
            assert_eq!(media_type(other.as_bytes()), None, "{other}");
        }
        assert_eq!(media_type(b"<svg>\xff</svg>"), None);
    }

    proptest! {
        #[test]
        fn any_bytes_have_at_most_one_media_type(text in "[<>!?\\[\\]a-z \\-/svg\u{e9}]{0,40}", bytes in prop::collection::vec(any::<u8>(), 0..40)) {
            media_type(text.as_bytes());
            media_type(&bytes);
        }
    }
}
