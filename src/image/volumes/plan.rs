//! The positions of all content in volumes.

use super::super::digest::Digest;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The size in bytes of a block, the unit of a tar file.
pub(super) const BLOCK: u64 = 512;
/// The size in bytes of the two empty blocks that end a tar file.
pub(super) const END: u64 = 2 * BLOCK;
/// The minimum space in bytes for blobs in a volume, so that blobs are not split into tiny parts.
const LEAST: u64 = 64 << 10;
/// The maximum number of volumes. The plan keeps all volumes in memory, and the stated size of a blob may be wrong and
/// huge.
pub const MOST_VOLUMES: usize = 100_000;
/// Any two adjacent volumes together contain more than the blobs for which one of them has space, so content that would
/// fill this number of volumes completely needs at most [`MOST_VOLUMES`].
const MOST_FULL: u128 = MOST_VOLUMES as u128 / 2 - 1;

/// The description of a volume.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Volume {
    /// The members of the volume, in order.
    pub members: Vec<Member>,
    /// The size of the file in bytes.
    pub bytes: u64,
}

/// A member of a volume.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// The start offset of the content in the file; the header precedes it.
    pub start: u64,
    /// The size of the content in bytes.
    pub length: u64,
    /// The content.
    pub content: Content,
}

/// The content of a member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// A file with fixed content.
    Fixed(Fixed),
    /// A blob, or a part of a blob.
    Blob {
        /// The digest of the blob.
        digest: Digest,
        /// The start offset of the part in the blob.
        from: u64,
        /// The number of the part, starting at 1; `None` for a whole blob.
        part: Option<u32>,
    },
}

/// A file with fixed content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fixed {
    /// The path of the file.
    pub path: String,
    /// The content of the file.
    pub bytes: Arc<[u8]>,
}

/// The error for a requested volume size that is too small.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("volumes of {limit} bytes are too small: this archive requires volumes of at least {least} bytes")]
pub struct VolumeSizeError {
    /// The requested size in bytes.
    pub limit: u64,
    /// The minimum size in bytes.
    pub least: u64,
}

/// Distributes blobs, in the order of their digests, over volumes of at most `limit` bytes. The first volume begins
/// with the files in `first`, and every volume contains the files in `each` before its blobs.
///
/// # Errors
/// Returns an error if the files leave too little space for blobs.
pub fn volumes(
    first: &[Fixed],
    each: &[Fixed],
    blobs: &BTreeMap<Digest, u64>,
    limit: u64,
) -> Result<Vec<Volume>, VolumeSizeError> {
    let fixed: u64 = each
        .iter()
        .chain(first)
        .map(|file| space(file.bytes.len() as u64))
        .sum();
    let content: u128 = blobs
        .values()
        .map(|bytes| u128::from(*bytes) + 2 * u128::from(BLOCK))
        .sum();
    let share = u64::try_from(content.div_ceil(MOST_FULL)).unwrap_or(u64::MAX);
    let least = (fixed + END + BLOCK).saturating_add(share.max(LEAST));
    if limit < least {
        return Err(VolumeSizeError { limit, least });
    }
    let begin = |more: &[Fixed]| {
        let mut volume = Volume {
            members: Vec::new(),
            bytes: END,
        };
        for file in each.iter().chain(more) {
            volume.add(file.bytes.len() as u64, Content::Fixed(file.clone()));
        }
        volume
    };
    let (mut done, mut open) = (Vec::new(), begin(first));
    for (digest, bytes) in blobs {
        let empty = begin(&[]).room(limit);
        if *bytes > open.room(limit) {
            // A blob that is larger than a volume is split anyway, so it starts in the free space of this volume unless
            // that space is tiny.
            let is_cut = *bytes > empty;
            if !is_cut || open.room(limit) < LEAST {
                done.push(std::mem::replace(&mut open, begin(&[])));
            }
        }
        if *bytes <= open.room(limit) {
            let content = Content::Blob {
                digest: *digest,
                from: 0,
                part: None,
            };
            open.add(*bytes, content);
            continue;
        }
        let (mut from, mut number) = (0, 1);
        while from < *bytes {
            if open.room(limit) == 0 {
                done.push(std::mem::replace(&mut open, begin(&[])));
            }
            let length = open.room(limit).min(bytes - from);
            let part = Some(number);
            open.add(
                length,
                Content::Blob {
                    digest: *digest,
                    from,
                    part,
                },
            );
            from += length;
            number += 1;
        }
    }
    done.push(open);
    Ok(done)
}

impl Volume {
    fn add(&mut self, length: u64, content: Content) {
        let start = self.bytes - END + BLOCK;
        self.bytes += space(length);
        self.members.push(Member { start, length, content });
    }

    /// Returns the maximum content size in bytes of an additional member.
    fn room(&self, limit: u64) -> u64 {
        let left = limit.saturating_sub(self.bytes + BLOCK);
        left - left % BLOCK
    }
}

/// Returns the number of bytes that a member with content of this length occupies.
fn space(length: u64) -> u64 {
    BLOCK + length.div_ceil(BLOCK) * BLOCK
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn fixed(path: &str, length: usize) -> Fixed {
        Fixed {
            path: path.to_owned(),
            bytes: vec![b'x'; length].into(),
        }
    }

    proptest! {
        #[test]
        fn every_byte_of_every_blob_is_stored_once_within_the_limit(
            sizes in proptest::collection::vec(0_u64..300_000, 0..20),
            limit in 70_000_u64..400_000,
        ) {
            let blobs: BTreeMap<Digest, u64> =
                sizes.iter().enumerate().map(|(place, size)| (Digest::of(&[u8::try_from(place).unwrap()]), *size)).collect();
            let (first, each) = ([fixed("plan", 700)], [fixed("layout", 30)]);
            let volumes = volumes(&first, &each, &blobs, limit).unwrap();
            let mut found: BTreeMap<Digest, u64> = BTreeMap::new();
            for (place, volume) in volumes.iter().enumerate() {
                prop_assert!(volume.bytes <= limit);
                let mut end = 0;
                for member in &volume.members {
                    prop_assert_eq!(member.start, end + BLOCK);
                    end = member.start + member.length.div_ceil(BLOCK) * BLOCK;
                    if let Content::Blob { digest, from, part } = &member.content {
                        let known = found.entry(*digest).or_default();
                        prop_assert_eq!(*known, *from);
                        *known += member.length;
                        let whole = BLOCK + blobs[digest].div_ceil(BLOCK) * BLOCK + END + 2 * BLOCK <= limit;
                        prop_assert!(part.is_none() || !whole);
                    }
                }
                prop_assert_eq!(volume.bytes, end + END);
                let plans = volume.members.iter().filter(|member| matches!(&member.content, Content::Fixed(file) if file.path == "plan"));
                prop_assert_eq!(plans.count(), usize::from(place == 0));
            }
            prop_assert_eq!(found, blobs);
        }
    }

    #[test]
    fn content_for_too_many_volumes_is_rejected() {
        for bytes in [1 << 60, u64::MAX] {
            let blobs = BTreeMap::from([(Digest::of(b"1"), bytes), (Digest::of(b"2"), bytes)]);
            let error = volumes(&[], &[], &blobs, 4 << 30).unwrap_err();
            assert!(error.to_string().contains("too small"), "{error}");
        }
    }

    #[test]
    fn content_that_is_accepted_needs_at_most_the_maximum_number_of_volumes() {
        // No two of these blobs have space in one volume.
        let limit = 2 * LEAST;
        let bytes = limit / 2;
        let blobs = |count: usize| -> BTreeMap<Digest, u64> {
            (0..count)
                .map(|number| (Digest::of(&number.to_ne_bytes()), bytes))
                .collect()
        };
        assert!(volumes(&[], &[], &blobs(MOST_VOLUMES + 1), limit).is_err());
        let accepted = volumes(&[], &[], &blobs(MOST_VOLUMES / 2), limit).unwrap();
        assert_eq!(accepted.len(), MOST_VOLUMES / 2);
    }

    #[test]
    fn volumes_without_room_for_blobs_are_rejected() {
        let error = volumes(&[fixed("plan", 4096)], &[], &BTreeMap::new(), 10_000).unwrap_err();
        assert!(error.to_string().contains("too small"), "{error}");
        assert!(volumes(&[fixed("plan", 4096)], &[], &BTreeMap::new(), error.least).is_ok());
    }
}
