//! Operator bundles and indexes for the Operator Lifecycle Manager, from plain Kubernetes manifests.
//!
//! A value walks one way through the rooms of this library, and each room imports only from those below it:
//!
//! ```text
//!  server      the gRPC registry API      mirror   images for other registries      install   what OLM does with a bundle
//!  index       the SQLite database: schema, adding, reading        validation   rules over a bundle
//!                                                                  resolver     what OLM would install or update to
//!  catalog     packages, channels, the update graph                conversion   a bundle in the other media type
//!  cluster     a cluster as a what-if file says it is              synthesis    manifests to a ClusterServiceVersion
//!  bundle      a bundle and its metadata files                     csv          the ClusterServiceVersion
//!  manifest    documents to objects      kubernetes   kinds, names, selectors, RBAC      image   layers, layouts, registries
//!  text        YAML and JSON with places
//!  source, rules, diagnostic, files, limit, tree, version, nearest, visible, cel   small shared values
//! ```
//!
//! The binary adds two rooms on top, `cli` and `terminal`; both stand behind the feature `cli`, which is on by default.

pub mod bundle;
pub mod catalog;
pub mod cel;
#[cfg(feature = "cli")]
pub mod cli;
pub mod cluster;
pub mod conversion;
pub mod csv;
pub mod diagnostic;
pub mod files;
pub mod image;
pub mod index;
pub mod install;
pub mod kubernetes;
pub mod limit;
pub mod manifest;
pub mod mirror;
pub mod nearest;
pub mod resolver;
pub mod rules;
pub mod server;
pub mod source;
pub mod synthesis;
#[cfg(feature = "cli")]
pub mod terminal;
pub mod text;
pub mod tree;
pub mod validation;
pub mod version;
pub mod visible;
