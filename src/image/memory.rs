//! Decides which layers of an image are kept in memory: small ones, until they reach a total size.

use super::manifest::Descriptor;
use std::collections::HashSet;

/// Content up to this size in bytes may stay in memory; larger content is written to a file.
pub(super) const MEMORY_LIMIT: usize = 8 << 20;

/// The maximum total size in bytes of the layers of an image that stay in memory. A compressed archive of a few
/// kilobytes may contain many gigabytes of layers.
const TOTAL_LIMIT: u64 = 64 << 20;

/// Returns whether content of this size may stay in memory by itself.
pub(super) fn is_small(descriptor: &Descriptor) -> bool {
    descriptor.size <= MEMORY_LIMIT as u64
}

/// Returns each layer once, because an image may contain a layer several times, with whether the layer may stay in
/// memory.
pub(super) fn distinct(layers: &[Descriptor]) -> Vec<(&Descriptor, bool)> {
    let mut seen = HashSet::new();
    let mut left = TOTAL_LIMIT;
    let new = layers.iter().filter(|layer| seen.insert((layer.digest, layer.size)));
    new.map(|layer| {
        let rest = left.checked_sub(layer.size).filter(|_| is_small(layer));
        left = rest.unwrap_or(left);
        (layer, rest.is_some())
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::digest::Digest;
    use crate::image::manifest::LAYER_GZIP;

    fn layer(name: u32, size: u64) -> Descriptor {
        Descriptor {
            media_type: LAYER_GZIP.to_owned(),
            digest: Digest::of(&name.to_le_bytes()),
            size,
        }
    }

    #[test]
    fn the_layers_in_memory_have_a_maximum_total_size() {
        let large = MEMORY_LIMIT as u64;
        let layers: Vec<_> = (0..1000).map(|name| layer(name, large - 1)).collect();
        let in_memory = |layers: &[Descriptor]| -> Vec<u64> {
            let kept = distinct(layers).into_iter().filter(|(_, in_memory)| *in_memory);
            kept.map(|(layer, _)| layer.size).collect()
        };
        assert_eq!(in_memory(&layers), [large - 1; 8]);
        assert_eq!(
            in_memory(&[layer(0, large + 1), layer(1, large), layer(2, 0)]),
            [large, 0]
        );
        // Smaller layers that still fit stay in memory.
        let mut layers: Vec<_> = layers.into_iter().take(9).collect();
        layers.push(layer(9, 8));
        assert_eq!(in_memory(&layers).last(), Some(&8));
    }

    #[test]
    fn a_layer_is_listed_once_for_each_size() {
        let layers = [layer(0, 1), layer(1, 1), layer(0, 1), layer(0, 2)];
        let found: Vec<_> = distinct(&layers).into_iter().map(|(layer, _)| layer).collect();
        assert_eq!(found, [&layers[0], &layers[1], &layers[3]]);
    }
}
