//! Reuses cached layers, for files that rarely change and take long to compress.

use super::cache::layer_name::digest_in;
use super::cache::{Cache, Incoming};
use super::digest::{Digest, Hasher};
use super::error::ImageError;
use super::image::{Blob, Layer};
use super::layer_writer::{LayerEntry, diff_id_of, layer_from_files};
use super::manifest::{Descriptor, LAYER_GZIP};
use crate::files::FileError;
use flate2::read::GzDecoder;
use std::io::{self, Read};
use std::path::PathBuf;
use std::time::SystemTime;

/// The version of the compression. Increment it when the output of the compressor changes; layers are then compressed
/// again. Otherwise, layers from an older cache would not have the same digests as new layers of the same files.
const COMPRESSION: u32 = 1;

/// Like [`layer_from_files`], but reuses a layer from the cache if possible. This takes a fifth of the time that
/// compressing the files again would take. The digest of the cached content is compared with the digest of the files.
///
/// # Errors
/// Returns an error in the same cases as [`layer_from_files`]. A cache that cannot be read or written is not an error.
pub(crate) fn layer_through_cache(entries: &[LayerEntry], epoch: u64, cache: &Cache) -> Result<Layer, ImageError> {
    if let Some(layer) = find(cache, &diff_id_of(entries, epoch)?) {
        return Ok(layer);
    }
    let layer = layer_from_files(entries, epoch)?;
    keep(cache, &layer);
    Ok(layer)
}

/// Returns the path of the file that maps a layer to its blob.
fn name(cache: &Cache, diff_id: &Digest) -> PathBuf {
    cache.layers().join(format!("{}.{COMPRESSION}", diff_id.hex()))
}

/// Looks up a layer in the cache by the digest of its tar file.
fn find(cache: &Cache, diff_id: &Digest) -> Option<Layer> {
    let name = cache.open(&name(cache, diff_id))?;
    // Record the use of this file, as for the blob.
    let _ = name.set_modified(SystemTime::now());
    let digest = digest_in(name)?;
    let content = cache.get(&digest)?;
    let Blob::Section { length: size, .. } = content else {
        return None;
    };
    let mut hasher = Hasher::new();
    let mut tar = GzDecoder::new(content.open().ok()?);
    let mut buffer = vec![0; 64 << 10];
    while let read @ 1.. = tar.read(&mut buffer).ok()? {
        hasher.update(buffer.get(..read)?);
    }
    let layer = Layer {
        descriptor: Descriptor {
            media_type: LAYER_GZIP.to_owned(),
            digest,
            size,
        },
        diff_id: Some(*diff_id),
        content,
    };
    (hasher.finish() == *diff_id).then_some(layer)
}

/// Stores a layer in the cache, together with the file that maps the layer to its blob.
fn keep(cache: &Cache, layer: &Layer) {
    let Some(diff_id) = layer.diff_id else { return };
    let digest = layer.descriptor.digest;
    let layers = cache.layers();
    let fail = |error| FileError::new("write in", &layers, error);
    let fill = |mut incoming: Incoming, content: &mut dyn Read| -> io::Result<()> {
        incoming.fill(content)?;
        drop(incoming.keep());
        Ok(())
    };
    let kept = || -> Result<(), FileError> {
        if let Some(incoming) = cache.start(&digest) {
            fill(incoming, &mut layer.content.open()?).map_err(fail)?;
        }
        if let Some(incoming) = cache.start_in(&layers, name(cache, &diff_id)) {
            fill(incoming, &mut format!("{digest}\n").as_bytes()).map_err(fail)?;
        }
        Ok(())
    };
    if let Err(error) = kept() {
        cache.pass_over_writing(&error);
    }
}

#[cfg(test)]
mod tests {
    use super::super::layer_writer::EntryContent;
    use super::*;

    #[test]
    fn a_cached_layer_equals_a_newly_written_one() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::new(folder.path(), 1 << 20);
        let of = |text: &str| {
            [LayerEntry {
                path: "bin/opmx".to_owned(),
                mode: 0o755,
                content: EntryContent::Bytes(text.as_bytes().to_vec()),
            }]
        };
        let read = |layer: &Layer| {
            let mut bytes = Vec::new();
            layer.content.open().unwrap().read_to_end(&mut bytes).unwrap();
            (bytes, layer.descriptor.digest, layer.descriptor.size, layer.diff_id)
        };
        let written = |text: &str| read(&layer_from_files(&of(text), 0).unwrap());
        let through = |text: &str| read(&layer_through_cache(&of(text), 0, &cache).unwrap());
        for _ in 0..2 {
            assert_eq!(through("one"), written("one"));
            assert_eq!(through("two"), written("two"));
        }
        // A name that refers to another layer, and a damaged file.
        let names = || std::fs::read_dir(folder.path().join("layers")).unwrap();
        assert_eq!(names().count(), 2);
        for name in names() {
            std::fs::write(name.unwrap().path(), format!("{}\n", written("one").1)).unwrap();
        }
        assert_eq!(through("two"), written("two"));
        let blob = |text: &str| folder.path().join("blobs/sha256").join(written(text).1.hex());
        std::fs::write(blob("two"), "damaged").unwrap();
        assert_eq!(through("two"), written("two"));
        // A cache that cannot be written.
        let nowhere = Cache::new(blob("one"), 1 << 20);
        assert_eq!(
            read(&layer_through_cache(&of("one"), 0, &nowhere).unwrap()),
            written("one")
        );
    }
}
