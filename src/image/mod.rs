//! Daemonless handling of container images: references, layers, manifests, registries, layouts and archives.
//!
//! An [`Image`] contains the stored bytes of its manifest and config, and layers that are read as streams.
//! [`Transports`] reads images from and writes images to registries, OCI layouts and archives. [`layer_from_tree`] and
//! [`build()`] create an image, [`Tagged`] combines images for several platforms, and [`tree_of`], [`extract_file`] and
//! [`extract_folder`] extract files from an image.

mod archive;
#[cfg(feature = "registry")]
mod blob_source;
mod build;
mod cache;
#[cfg(feature = "registry")]
pub mod copy;
mod credentials;
mod digest;
mod document;
mod error;
#[expect(clippy::module_inception, reason = "a file is named after its main type")]
mod image;
mod json;
mod layer_cache;
mod layer_reader;
mod layer_writer;
mod layout;
mod layout_writer;
mod manifest;
mod memory;
#[cfg(not(feature = "registry"))]
mod no_registry;
mod options;
mod platform;
mod problem;
mod progress;
mod reference;
#[cfg(feature = "registry")]
mod registry;
mod tag_state;
mod tagged_image;
mod tar_reader;
mod transport;
mod unpack;
mod validate;
pub mod volumes;

pub use archive::{read_archive, write_archive};
#[cfg(feature = "registry")]
pub use blob_source::{BlobSource, RemoteSource};
pub use build::{ImageConfig, append, build};
pub use cache::{Cache, DEFAULT_CACHE_SIZE};
pub use credentials::{CredentialError, Credentials, Login, Secret};
pub use digest::{Digest, DigestError};
pub use document::Document;
pub use error::ImageError;
pub use image::{Blob, CheckedFile, Image, Layer};
pub(crate) use layer_cache::layer_through_cache;
pub use layer_writer::{EntryContent, LayerEntry, layer_from_files, layer_from_tree};
pub(crate) use layout::INDEX_FILE;
pub use layout::read_layout;
pub(crate) use layout_writer::LAYOUT_CONTENT;
pub use layout_writer::write_layout;
pub use manifest::{Descriptor, ImageManifest, IndexEntry, Manifest};
pub(crate) use manifest::{INDEX, REF_NAME};
pub use options::{CacheMode, ImageOptions, RetryPolicy, UnusableSettings};
pub use platform::{Offer, Platform, PlatformError};
pub use problem::{BuildProblem, ContentProblem};
pub use progress::{Progress, Silent, Whole};
pub use reference::{Reference, ReferenceError, RegistryReference, fallback_tag};
pub(crate) use reference::{check_path, check_pullable, check_tag, plain_host};
#[cfg(feature = "registry")]
pub use registry::{Before, Deletion, LoginTried, PlaceError, Placed, RegistryError, RegistryFailure, proxy_problem};
pub use tag_state::{Race, TagState};
pub use tagged_image::Tagged;
pub use transport::Transports;
pub(crate) use unpack::check_base;
pub use unpack::{DEFAULT_IMAGE_LIMIT, extract_file, extract_folder, tree_of};
pub use validate::validate;
