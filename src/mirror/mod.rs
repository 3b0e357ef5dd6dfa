//! What must be copied so that operators can be installed where the registries of the world are not reached.
//!
//! [`images`] finds the images of chosen bundles in an index and says what each is for; [`mapping`] says where each of
//! them goes in another registry, in the form that mirroring clients read.

pub mod images;
pub mod mapping;
