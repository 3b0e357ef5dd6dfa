//! Properties: what a bundle says of itself, each with a type and a value.

/// The property with the media type of a bundle whose manifests the index holds.
pub const MEDIA_TYPE: &str = "olm.bundle.mediatype";
/// The property with the image that such a bundle came from.
pub const IMAGE: &str = "olm.bundle.image";
