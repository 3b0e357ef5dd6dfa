//! The size of a bundle in the ConfigMap to which OLM unpacks it. Each file is compressed separately and encoded in
//! base64.

use crate::diagnostic::Diagnostic;
use crate::rules;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write;

/// The maximum size of a bundle in bytes, compressed and in base64.
pub(crate) const LIMIT: usize = 1 << 20;

/// The size of the pieces that are compressed separately to estimate the size of a bundle.
const PIECE: usize = 128 << 10;

/// Returns a finding and the largest file if the size of a bundle that consists of these files is near or above the
/// limit.
pub(crate) fn finding(files: &[&[u8]]) -> Option<(Diagnostic, Largest)> {
    // Compression takes time, and most bundles fit even uncompressed, or if only a part of them is compressed. Gzip
    // makes incompressible bytes slightly longer. The fastest level takes a quarter of the time of the final
    // compression, but compresses less, and so does compressing a file in pieces.
    let plain = |bytes: &[u8]| base64_length(bytes.len() + bytes.len() / 1000 + 64);
    let pieces = || files.iter().flat_map(|file| file.chunks(PIECE));
    let mut most: usize = pieces().map(plain).sum();
    for piece in pieces() {
        if !is_near(most) {
            return None;
        }
        let fast = base64_length(compressed(piece, Compression::fast()));
        most = most.saturating_sub(plain(piece)).saturating_add(fast);
    }
    if !is_near(most) {
        return None;
    }
    let sizes: Vec<usize> = files.iter().map(|file| unpacked_size(file)).collect();
    let total: usize = sizes.iter().sum();
    let (rule, word) = if total > LIMIT {
        (&rules::BUNDLE_SIZE_EXCEEDED, "above")
    } else if is_near(total) {
        (&rules::BUNDLE_SIZE_NEAR_LIMIT, "near")
    } else {
        return None;
    };
    let message = format!("the compressed bundle takes {total} bytes, {word} OLM's limit of {LIMIT} bytes");
    let (index, bytes) = sizes.into_iter().enumerate().max_by_key(|(_, size)| *size)?;
    Some((Diagnostic::new(rule, message), Largest { index, bytes }))
}

/// The largest file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Largest {
    /// The position of the file.
    pub index: usize,
    /// The size of the file in bytes, compressed and in base64.
    pub bytes: usize,
}

/// Returns the number of bytes that a file takes in the ConfigMap to which OLM unpacks the bundle.
pub(crate) fn unpacked_size(file: &[u8]) -> usize {
    base64_length(compressed(file, Compression::default()))
}

fn is_near(bytes: usize) -> bool {
    bytes.saturating_mul(100) > LIMIT * 85
}

fn base64_length(bytes: usize) -> usize {
    base64::encoded_len(bytes, true).unwrap_or(usize::MAX)
}

fn compressed(content: &[u8], level: Compression) -> usize {
    let mut encoder = GzEncoder::new(Vec::new(), level);
    // Writing to memory cannot fail.
    let written = encoder.write_all(content).and_then(|()| encoder.finish());
    written.map_or(content.len(), |bytes| bytes.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns bytes that cannot be compressed.
    fn noise(length: usize) -> Vec<u8> {
        let mut state = 1_u64;
        let next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            state.to_be_bytes()[0]
        };
        std::iter::repeat_with(next).take(length).collect()
    }

    #[test]
    fn files_are_measured_compressed_and_individually() {
        let found = |lengths: &[usize]| {
            let files: Vec<Vec<u8>> = lengths.iter().map(|length| noise(*length)).collect();
            let files: Vec<&[u8]> = files.iter().map(Vec::as_slice).collect();
            finding(&files).map(|(finding, largest)| (finding.rule.id, largest.index))
        };
        assert_eq!(found(&[600_000]), None);
        assert_eq!(found(&[100_000, 600_000]), Some(("bundle-size-near-limit", 1)));
        assert_eq!(found(&[400_000, 300_000, 200_000]), Some(("bundle-size-exceeded", 0)));
        assert_eq!(finding(&[&vec![b'a'; 20 << 20]]).map(|(_, largest)| largest), None);
    }
}
