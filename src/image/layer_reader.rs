//! Reads the stored bytes of a layer as a verified stream of tar members, within size limits.

use super::digest::{Digest, Hasher, Hashing};
use super::error::ImageError;
use super::image::Layer;
use super::manifest::{self, Descriptor};
use super::problem::ContentProblem;
use super::tar_reader::TarReader;
use crate::limit::Limit;
use crate::tree::{SPARSE, TreeError};
use flate2::bufread::MultiGzDecoder;
use std::io::{self, BufRead, BufReader, Read, Take};

/// The maximum number of folders and names in a path. The folders of a deeper path cannot be removed on systems that
/// allow few open files.
pub(super) const MOST_COMPONENTS: usize = 64;

/// The maximum unpacked size of a layer in bytes, and the limit that a user can raise to increase this maximum.
#[derive(Clone, Copy)]
pub(super) struct UnpackLimit {
    pub(super) bytes: u64,
    pub(super) raised_by: Option<Limit>,
}

impl UnpackLimit {
    /// No limit, for layers that are read completely.
    pub(super) const NONE: Self = Self {
        bytes: u64::MAX,
        raised_by: None,
    };
}

type Stored = BufReader<Hashing<Take<Box<dyn Read + Send>>>>;

/// A reader for the uncompressed bytes of a layer.
///
/// The stored bytes are hashed while they are read, and compared with the descriptor at the end.
pub(super) struct LayerReader {
    decoder: Decoder,
    descriptor: Descriptor,
    origin: String,
    hasher: Hasher,
    limit: UnpackLimit,
    state: State,
}

enum Decoder {
    Plain(Stored),
    Gzip(Box<MultiGzDecoder<Stored>>),
}

#[derive(PartialEq)]
enum State {
    Open,
    Ended,
    OverLimit,
}

/// An entry in the tar file of a layer.
pub(super) struct Member<'a> {
    /// The relative path, without `.` components and without a trailing slash.
    pub(super) path: String,
    pub(super) kind: Kind,
    /// The target of a link.
    pub(super) target: String,
    pub(super) size: u64,
    pub(super) content: &'a mut dyn Read,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    File,
    Directory,
    /// Any other kind, with its name for messages.
    Other(&'static str),
}

impl Kind {
    pub(super) const SYMLINK: Self = Self::Other("symbolic link");
    pub(super) const HARD_LINK: Self = Self::Other("hard link");
}

/// The error that ended the iteration over the members.
pub(super) enum Stop {
    Read(io::Error),
    Failed(ImageError),
}

impl From<ImageError> for Stop {
    fn from(error: ImageError) -> Self {
        Self::Failed(error)
    }
}

impl From<TreeError> for Stop {
    fn from(error: TreeError) -> Self {
        Self::Failed(error.into())
    }
}

impl From<crate::files::FileError> for Stop {
    fn from(error: crate::files::FileError) -> Self {
        Self::Failed(error.into())
    }
}

impl LayerReader {
    /// Opens a layer. Reading it fails if it unpacks to more than `limit`.
    pub(super) fn open(origin: &str, layer: &Layer, limit: UnpackLimit) -> Result<Self, ImageError> {
        let descriptor = layer.descriptor.clone();
        let stored = layer.content.open()?.take(descriptor.size.saturating_add(1));
        let mut stored = BufReader::with_capacity(64 << 10, Hashing::new(stored));
        let fail = |problem: ContentProblem| problem.of(origin, part(&descriptor));
        let start = stored
            .fill_buf()
            .map_err(|error| fail(ContentProblem::Damaged(error)))?;
        // Detect the compression from the bytes, because many registries contain layers with a wrong media type.
        let decoder = if start.starts_with(&[0x1f, 0x8b]) {
            Decoder::Gzip(Box::new(MultiGzDecoder::new(stored)))
        } else if start.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) {
            return Err(fail(ContentProblem::Compression { method: "zstd" }));
        } else {
            Decoder::Plain(stored)
        };
        Ok(Self {
            decoder,
            descriptor,
            origin: origin.to_owned(),
            hasher: Hasher::new(),
            limit,
            state: State::Open,
        })
    }

    /// Calls `visit` for every member of the tar file, then checks the stored bytes against the descriptor. Returns the
    /// unpacked size in bytes of the layer.
    pub(super) fn visit(mut self, visit: &mut dyn FnMut(Member<'_>) -> Result<(), Stop>) -> Result<u64, ImageError> {
        self.visit_whole(visit)?;
        Ok(self.length())
    }

    /// Like [`LayerReader::visit`], but returns the digest of the uncompressed bytes.
    pub(super) fn visit_whole(
        &mut self,
        visit: &mut dyn FnMut(Member<'_>) -> Result<(), Stop>,
    ) -> Result<Digest, ImageError> {
        match self.visit_members(visit) {
            Ok(()) => self.finish(),
            Err(Stop::Read(error)) => Err(self.explain(error)),
            Err(Stop::Failed(error)) => Err(error),
        }
    }

    /// Returns the number of uncompressed bytes that were read.
    pub(super) fn length(&self) -> u64 {
        self.hasher.length()
    }

    fn visit_members(&mut self, visit: &mut dyn FnMut(Member<'_>) -> Result<(), Stop>) -> Result<(), Stop> {
        let origin = self.origin.clone();
        let part = part(&self.descriptor);
        let mut archive = TarReader::new(self);
        while let Some(header) = archive.next_member().map_err(Stop::Read)? {
            let (path, folder) = plain_path(&origin, &header.name)?;
            if header.is_sparse {
                // The holes of a sparse file could have any size, and programs differ in its name and content.
                return Err(TreeError::EntryType {
                    origin: format!("{origin}: {part}"),
                    path,
                    kind: SPARSE,
                }
                .into());
            }
            let kind = match header.kind {
                // Old archives mark folders with a slash.
                0 if folder => Kind::Directory,
                0 | b'0' | b'7' => Kind::File,
                b'1' => Kind::HARD_LINK,
                b'2' => Kind::SYMLINK,
                b'3' => Kind::Other("character device"),
                b'4' => Kind::Other("block device"),
                b'5' => Kind::Directory,
                b'6' => Kind::Other("named pipe"),
                _ => Kind::Other("special entry"),
            };
            if path.is_empty() {
                if kind != Kind::Directory {
                    let nameless = "a member that is not a folder has no name";
                    return Err(Stop::Read(io::Error::new(io::ErrorKind::InvalidData, nameless)));
                }
            } else {
                visit(Member {
                    path,
                    kind,
                    target: String::from_utf8_lossy(&header.target).into_owned(),
                    size: header.size,
                    content: &mut archive,
                })?;
            }
        }
        Ok(())
    }

    /// Reads to the end, compares the stored bytes with the descriptor, and returns the digest of the uncompressed
    /// bytes.
    pub(super) fn finish(&mut self) -> Result<Digest, ImageError> {
        io::copy(self, &mut io::sink()).map_err(|error| self.explain(error))?;
        let stored = match &mut self.decoder {
            Decoder::Plain(stored) => stored,
            Decoder::Gzip(decoder) => decoder.get_mut(),
        };
        let rest = io::copy(stored, &mut io::sink());
        let found = stored.get_ref().hasher.clone();
        rest.map_err(|error| self.fail(ContentProblem::Damaged(error)))?;
        let expected = self.descriptor.size;
        if found.length() != expected {
            return Err(self.fail(ContentProblem::WrongSize {
                expected,
                found: found.length(),
            }));
        }
        manifest::check_digest(&self.descriptor.digest, found.finish()).map_err(|problem| self.fail(problem))?;
        Ok(self.hasher.clone().finish())
    }

    fn explain(&self, error: io::Error) -> ImageError {
        self.fail(match self.state {
            State::OverLimit => ContentProblem::TooLarge {
                limit: self.limit.bytes,
                raised_by: self.limit.raised_by,
            },
            State::Ended => ContentProblem::Truncated(error),
            State::Open if error.kind() == io::ErrorKind::UnexpectedEof => ContentProblem::Truncated(error),
            State::Open => ContentProblem::Damaged(error),
        })
    }

    fn fail(&self, problem: ContentProblem) -> ImageError {
        problem.of(&self.origin, part(&self.descriptor))
    }
}

impl Read for LayerReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = match &mut self.decoder {
            Decoder::Plain(stored) => stored.read(buffer),
            Decoder::Gzip(decoder) => decoder.read(buffer),
        }?;
        if read == 0 && !buffer.is_empty() {
            self.state = State::Ended;
        }
        self.hasher.update(buffer.get(..read).unwrap_or_default());
        if self.hasher.length() > self.limit.bytes {
            self.state = State::OverLimit;
            return Err(io::Error::other("over the limit"));
        }
        Ok(read)
    }
}

fn part(descriptor: &Descriptor) -> String {
    format!("layer {}", descriptor.digest)
}

/// Removes a leading `/` or `./`, which occurs in existing layers, and rejects `..`. Also returns whether the path
/// ended with a slash, which marks a directory in old archives.
pub(super) fn plain_path(origin: &str, path: &[u8]) -> Result<(String, bool), TreeError> {
    // No system creates longer paths.
    const LONGEST: usize = 4096;
    let excess = |quantity: &str, limit: String| {
        let start = String::from_utf8_lossy(path.get(..64).unwrap_or(path));
        TreeError::Limit {
            origin: origin.to_owned(),
            what: format!("the {quantity} of the path {start}…"),
            limit,
            raised_by: None,
        }
    };
    if path.len() > LONGEST {
        return Err(excess("length", format!("{LONGEST} bytes")));
    }
    let text = String::from_utf8_lossy(path);
    let mut plain = String::with_capacity(text.len());
    let mut components = 0;
    for component in text.split('/') {
        match component {
            "" | "." => {}
            ".." => {
                return Err(TreeError::PathEscape {
                    origin: origin.to_owned(),
                    path: text.into_owned(),
                });
            }
            component => {
                components += 1;
                if components > MOST_COMPONENTS {
                    return Err(excess("depth", format!("{MOST_COMPONENTS} components")));
                }
                if !plain.is_empty() {
                    plain.push('/');
                }
                plain.push_str(component);
            }
        }
    }
    Ok((plain, text.ends_with('/')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_paths_are_rejected() {
        let path = format!("manifests/{}", "a/".repeat(500_000));
        let refused = plain_path("image", path.as_bytes()).unwrap_err().to_string();
        assert!(refused.ends_with("exceeds the limit of 4096 bytes"), "{refused}");
        assert!(refused.len() < 200, "{refused}");
        let longest = "a".repeat(4096);
        assert_eq!(plain_path("image", longest.as_bytes()).unwrap().0, longest);
        let deepest = vec!["a"; MOST_COMPONENTS].join("/");
        assert_eq!(
            plain_path("image", format!("./{deepest}/").as_bytes()).unwrap(),
            (deepest.clone(), true)
        );
        let refused = plain_path("image", format!("{deepest}/b").as_bytes()).unwrap_err();
        assert_eq!(
            refused.to_string(),
            format!(
                "image: the depth of the path {}… exceeds the limit of 64 components",
                &deepest[..64]
            )
        );
    }
}
