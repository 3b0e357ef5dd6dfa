//! OLM's vocabulary: what bundles say of themselves and what they need, once for every part of opmx.
//!
//! A [`property`] has a type and a value. The values of some types are a [`dependency`]: a package, an API, a label or
//! a [`constraint`], each wanted with an [`intent`]. Databases and the files of a bundle write dependencies in one way,
//! catalogs and OLM itself in another; [`spelling`] translates. [`annotation`] and [`limits`] hold the keys and the
//! sizes that OLM fixes, [`capabilities`] what its releases can do. [`optional_manifest`] is about the property that
//! names objects of the bundle itself.
//!
//! Values are read without regard for where they stand. What is wrong with one is said with a [`crate::text::Path`]
//! into it, so that whoever has the file can point at the line.

pub mod annotation;
pub mod constraint;
pub mod dependency;
pub(crate) mod install_mode;
pub mod intent;
pub mod limits;
pub mod optional_manifest;
pub mod problem;
pub mod property;
pub mod releases;
pub(crate) mod spelling;
