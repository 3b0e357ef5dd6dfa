//! References to images in strings: a string that is one image, a list of images, or a longer text.

use crate::image::{Reference, RegistryReference};

/// The maximum length of a reference in bytes.
const LONGEST: usize = 512;

/// The effects of taints. In a taint such as `key=value:NoSchedule`, the effect looks like a tag.
const EFFECTS: [&str; 3] = ["NoSchedule", "NoExecute", "PreferNoSchedule"];

/// Parses a complete reference with a host, a path, and a tag or a digest. Rejects other strings, because they might be
/// valid references only by accident.
pub(super) fn written_out(text: &str) -> Option<RegistryReference> {
    let (host, path) = text.split_once('/').filter(|_| text.len() <= LONGEST)?;
    let (name, port) = match host.split_once(':') {
        Some((name, port)) => (name, Some(port)),
        None => (host, None),
    };
    let is_port = port.is_none_or(|port| !port.is_empty() && port.bytes().all(|digit| digit.is_ascii_digit()));
    let top = name.rsplit('.').next().unwrap_or_default();
    let is_domain = name.contains('.') && top.len() > 1 && top.bytes().all(|letter| letter.is_ascii_alphabetic());
    let last = path.rsplit('/').next().unwrap_or_default();
    let tag = last.split('@').next()?.split_once(':').map(|(_, tag)| tag);
    let named = (is_domain || port.is_some()) && is_port;
    let exact = tag.is_some_and(|tag| !EFFECTS.contains(&tag)) || path.contains('@');
    if !named || !exact {
        return None;
    }
    reference(text)
}

/// Parses a reference to an image in a registry that is written without a transport.
pub(super) fn reference(text: &str) -> Option<RegistryReference> {
    match text.parse() {
        Ok(Reference::Registry(reference)) if reference.as_written() == text => Some(reference),
        _ => None,
    }
}

/// Returns the complete references among the words of a string, each with its first byte.
pub(super) fn words(text: &str, ends: impl Fn(char) -> bool) -> Vec<(usize, &str)> {
    let mut start = 0;
    let words = text.split_inclusive(&ends).map(|piece| {
        let at = start;
        start += piece.len();
        (at, piece.strip_suffix(&ends).unwrap_or(piece))
    });
    words.filter(|(_, word)| written_out(word).is_some()).collect()
}

/// Returns the images among the words of a longer text, such as a list of pairs `VERSION=IMAGE`, each with its first
/// byte. Skips comment lines, because an image in a comment is not used and might no longer exist.
pub(super) fn in_text(value: &str) -> Vec<(usize, &str)> {
    let ends = |letter: char| letter.is_whitespace() || "\"'`,;=()[]{}<>|".contains(letter);
    let mut images = Vec::new();
    let mut start = 0;
    for line in value.split_inclusive('\n') {
        if !line.trim_start().starts_with('#') {
            images.extend(words(line, ends).into_iter().map(|(at, word)| (start + at, word)));
        }
        start += line.len();
    }
    images
}

/// Returns the images in a value that is an image or a list of images, each with its first byte.
pub(super) fn listed(value: &str) -> Vec<(usize, &str)> {
    let images = if reference(value).is_some() {
        Vec::new()
    } else {
        in_text(value)
    };
    if images.is_empty() { vec![(0, value)] } else { images }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_that_only_looks_like_a_reference_is_not_one() {
        for text in [
            "nginx",
            "nginx:1",
            "library/nginx:1",
            "a.b/c",
            "example.com/a",
            "0.0.0.0:8080",
            "1.2.3.4/a:1",
            "example.com:port/a:1",
            "https://example.com/a:1",
            "docker://example.com/a:1",
            "oci:a.com/b:1",
            "node.kubernetes.io/unreachable:NoExecute",
            "etc.d/a:ro",
            "example.com/a:1 b",
            "Example.com/A:1",
            "",
        ] {
            assert!(written_out(text).is_none(), "{text}");
        }
        for text in ["example.com/a:1", "localhost:5000/a:1", "a.example.com/b/c:v1.0-x"] {
            assert!(written_out(text).is_some(), "{text}");
        }
    }
}
