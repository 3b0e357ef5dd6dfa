//! Content digests in the format of the OCI image specification: `sha256:` and 64 hexadecimal digits.

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::fmt;
use std::io::{self, Read, Write};
use std::str::FromStr;

/// A SHA-256 digest, by which content is found and verified.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Digest([u8; 32]);

/// The error for a string that is not a supported digest.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DigestError {
    /// A digest with an unsupported algorithm, such as `sha512`.
    #[error("the digest {digest:?} is not a sha256 digest; other algorithms are not supported")]
    Algorithm {
        /// The rejected string.
        digest: String,
    },
    /// A string that is not `sha256:` followed by 64 lowercase hexadecimal digits.
    #[error("{digest:?} is not a digest: expected sha256: followed by 64 lowercase hexadecimal digits")]
    Format {
        /// The rejected string.
        digest: String,
    },
}

impl Digest {
    /// Computes the digest of `bytes`.
    pub fn of(bytes: &[u8]) -> Self {
        let mut hasher = Hasher::new();
        hasher.update(bytes);
        hasher.finish()
    }

    /// Returns the 64 hexadecimal digits. They are also the name of the blob's file in the `blobs/sha256` folder of a
    /// layout.
    pub fn hex(&self) -> String {
        self.to_string().split_off("sha256:".len())
    }
}

impl From<Digest> for String {
    fn from(digest: Digest) -> Self {
        digest.to_string()
    }
}

impl TryFrom<String> for Digest {
    type Error = DigestError;

    fn try_from(text: String) -> Result<Self, DigestError> {
        text.parse()
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("sha256:")?;
        self.0.iter().try_for_each(|byte| write!(formatter, "{byte:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

impl FromStr for Digest {
    type Err = DigestError;

    fn from_str(text: &str) -> Result<Self, DigestError> {
        let format = || DigestError::Format {
            digest: text.to_owned(),
        };
        let (algorithm, hex) = text.split_once(':').ok_or_else(format)?;
        if algorithm != "sha256" {
            return Err(DigestError::Algorithm {
                digest: text.to_owned(),
            });
        }
        let mut digits = hex.bytes().map(|digit| match digit {
            b'0'..=b'9' => Some(digit - b'0'),
            b'a'..=b'f' => Some(digit - b'a' + 10),
            _ => None,
        });
        let mut bytes = [0; 32];
        for byte in &mut bytes {
            let mut digit = || digits.next().flatten().ok_or_else(format);
            *byte = digit()? << 4 | digit()?;
        }
        match digits.next() {
            None => Ok(Self(bytes)),
            Some(_) => Err(format()),
        }
    }
}

/// Computes a digest incrementally, and counts the bytes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Hasher {
    state: Sha256,
    length: u64,
}

impl Hasher {
    /// Creates an empty hasher.
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Adds the next bytes.
    pub(crate) fn update(&mut self, bytes: &[u8]) {
        self.state.update(bytes);
        self.length += bytes.len() as u64;
    }

    /// Returns the number of bytes added.
    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    /// Returns the digest of all bytes added.
    pub(crate) fn finish(self) -> Digest {
        Digest(self.state.finalize().into())
    }
}

/// A reader or writer that hashes the bytes passing through it.
#[derive(Debug)]
pub(super) struct Hashing<T> {
    inner: T,
    pub(super) hasher: Hasher,
}

impl<T> Hashing<T> {
    pub(super) fn new(inner: T) -> Self {
        Self {
            inner,
            hasher: Hasher::new(),
        }
    }

    pub(super) fn into_parts(self) -> (T, Hasher) {
        (self.inner, self.hasher)
    }
}

impl<W: Write> Write for Hashing<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.hasher.update(bytes.get(..written).unwrap_or(bytes));
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl<R: Read> Read for Hashing<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.hasher.update(buffer.get(..read).unwrap_or_default());
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_is_parsed_as_displayed() {
        let empty = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(Digest::of(b"").to_string(), empty);
        assert_eq!(empty.parse(), Ok(Digest::of(b"")));
    }

    #[test]
    fn text_that_is_not_a_digest_is_rejected() {
        let short = format!("sha256:{}", "a".repeat(63));
        let long = format!("sha256:{}", "a".repeat(65));
        let upper = format!("sha256:{}", "A".repeat(64));
        for text in ["", "sha256:", "abc", &short, &long, &upper] {
            assert!(
                matches!(text.parse::<Digest>(), Err(DigestError::Format { .. })),
                "{text}"
            );
        }
        let other = format!("sha512:{}", "a".repeat(128));
        assert!(matches!(other.parse::<Digest>(), Err(DigestError::Algorithm { .. })));
    }
}
