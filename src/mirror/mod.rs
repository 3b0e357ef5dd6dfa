//! Mirrors the content that is needed to install operators on clusters that have no access to public registries.
//!
//! A [`request`], which may come from an [`imageset`] or from the operators [`installed`] in a cluster, becomes a
//! [`plan`]: a [`filter`] reduces the catalogs, [`images`] lists the images that their bundles need, a [`survey`] reads
//! the manifests of these images, and [`extras`] finds their referrers. [`collect`] does all of this.
//!
//! The following modules require the feature `registry`:
//!
//! - `transfer` copies the content of a plan to a registry.
//! - `pack` writes the content of a plan to an [`archive`], and loads archives into registries.
//! - `verify` checks what the target contains.
//! - `delete` removes the content that no other plan needs.
//!
//! [`manifests`] configures clusters to use the target.

/// The default number of concurrent requests or transfers.
pub const CONCURRENCY: u16 = 8;

pub mod archive;
mod assembly;
pub mod beside;
mod check;
pub mod collect;
pub mod contested;
#[cfg(feature = "registry")]
pub mod copy_work;
#[cfg(feature = "registry")]
pub mod delete;
pub mod diff;
pub mod extras;
pub mod filter;
pub mod images;
pub mod imageset;
pub mod installed;
pub mod manifests;
pub mod mapping;
pub mod naming;
#[cfg(feature = "registry")]
mod needs;
#[cfg(feature = "registry")]
pub mod pack;
#[cfg(feature = "registry")]
mod parts;
pub mod placed;
pub mod plan;
#[cfg(feature = "registry")]
pub mod policy;
#[cfg(feature = "registry")]
pub mod present;
#[cfg(feature = "registry")]
pub mod reach;
pub mod recorded;
pub mod request;
pub mod schema;
pub mod shares;
pub mod survey;
pub mod taken;
pub mod target;
#[cfg(feature = "registry")]
pub mod transfer;
#[cfg(feature = "registry")]
pub mod verify;
