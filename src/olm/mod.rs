//! OLM's vocabulary for the properties and dependencies of bundles, defined once for all of opmx.
//!
//! A [`property`] has a type and a value. A property of some types is a [`dependency`]: a package, an API, a label or a
//! [`constraint`], each with an [`intent`]. Databases and bundle files spell dependencies in one way, catalogs and OLM
//! itself in another; `spelling` translates. [`annotation`], [`label`] and [`limits`] contain keys and sizes defined by
//! OLM, [`releases`] describes the capabilities of its releases, and `webhook` the webhooks that OLM refuses.
//! [`optional_manifest`] covers the property that names objects of the bundle itself, and `openshift` the versions of
//! OpenShift that a bundle names.
//!
//! Values are read independently of their source. A problem with a value contains a [`crate::text::Path`] into the
//! value, so that a caller with access to the file can point at the line.

pub mod annotation;
pub mod constraint;
pub mod dependency;
pub(crate) mod install_mode;
pub mod intent;
pub(crate) mod kinds;
pub mod label;
pub mod limits;
pub(crate) mod openshift;
pub mod optional_manifest;
pub mod problem;
pub mod property;
pub mod releases;
pub(crate) mod spelling;
pub(crate) mod webhook;
