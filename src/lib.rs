//! Operator bundles and indexes for the Operator Lifecycle Manager, from plain Kubernetes manifests.
//!
//! A value walks one way through the modules of this library, and each imports only from those below it:
//!
//! ```text
//!  cli          flags, one file for each command
//!  terminal     what is printed: tables, findings, progress
//!  server       the gRPC registry API          mirror   images for other registries      install   what OLM does with a bundle
//!  index        an index, a SQLite database or a file-based catalog: opened, changed, published, rendered, imported, exported
//!  build        the image of a bundle
//!  database     the SQLite database: schema, reading, adding, removing
//!  resolver     what OLM would install or update to                validation   rules over a bundle, and the gate into an index
//!  conversion   a bundle in the other media type
//!  synthesis    manifests to a ClusterServiceVersion
//!  cluster      a cluster as files say it is: what-if files, dumps, operator conditions
//!  catalog      packages, channels, the update graph, file-based catalogs
//!  bundle       a bundle and its metadata files
//!  csv          the ClusterServiceVersion
//!  olm          OLM's vocabulary: properties, dependencies, constraints
//!  shape        tables of fields: what a file or an object may hold, and its JSON Schema
//!  manifest     documents to objects
//!  text         YAML and JSON with places                          image        references, layers, layouts, registries
//!  rules        the table of all rules: id, severity at each gate, help, with an example of each
//!  files        writing so that a killed process leaves the old state or the new one
//!  cel, kubernetes, diagnostic, tree, causes, source, streams, limit, version, visible   small shared values
//! ```
//!
//! Commands are functions here, with a struct of options in place of flags, and the page of each has an example:
//!
//! | command | function |
//! |---|---|
//! | `opmx bundle build` | [`build::build`] |
//! | `opmx index check` | [`index::check::check`] |
//! | `opmx resolve` | [`install::resolve::resolve`] |
//! | `opmx plan` | [`install::planned::plan`] |
//!
//! An error says what failed, and leaves it to its `source()` to say why; [`causes::with_causes`] puts the two together.
//!
//! Modules on one line may use each other in one direction only; `tests/library/structure.rs` knows the exact order.
//!
//! # Where to begin
//!
//! | to add | begin at |
//! |---|---|
//! | a rule | `rules.rs` with its example in `rules/examples`; then `validation/validators`, which only authors meet, or `validation::check`, which is also the way into an index. `catalog::file_based::check`, `database::check` and `index::check` look at catalogs and indexes |
//! | a key of a constraint | `olm/constraint.rs` |
//! | a schema of file-based catalogs | `catalog/file_based/schema.rs` |
//! | a key of `metadata/olm.yaml` | `bundle/olm_yaml/fields.rs` |
//! | a key of a policy file | `validation/policy/keys.rs`, and `validation/policy/facts.rs` for what bundles bring |
//! | a form of reports | `terminal/reports` |
//! | an answer of a registry that is worth another try | `image/registry/error.rs` |
//! | a column of the database | `database/schema.rs` |
//! | a call of the gRPC API | `server/registry.proto` |
//!
//! # Features
//!
//! | feature | adds | needs |
//! |---|---|---|
//! | – | bundles, validation, conversion, file-based catalogs, the resolver; images in layouts and archives | |
//! | `registry` | images in registries | an HTTP client and TLS |
//! | `database` | `database`, `index`, `install`, `mirror` | SQLite, built from source |
//! | `server` | `server`; includes `database` | a gRPC server |
//! | `cli` | `cli` and `terminal`, for the program; includes all | |
//!
//! `cli` is on by default.

pub mod build;
pub mod bundle;
pub mod catalog;
pub mod causes;
pub mod cel;
#[cfg(feature = "cli")]
pub mod cli;
pub mod cluster;
pub mod conversion;
pub mod csv;
#[cfg(feature = "database")]
pub mod database;
pub mod diagnostic;
pub mod files;
pub mod image;
#[cfg(feature = "database")]
pub mod index;
#[cfg(feature = "database")]
pub mod install;
pub mod kubernetes;
pub mod limit;
pub mod manifest;
#[cfg(feature = "database")]
pub mod mirror;
pub mod olm;
pub mod resolver;
pub mod rules;
#[cfg(feature = "server")]
pub mod server;
pub mod shape;
pub mod source;
pub mod synthesis;
#[cfg(feature = "cli")]
pub mod terminal;
pub mod text;
pub mod tree;
pub mod validation;
pub mod version;
pub mod visible;
