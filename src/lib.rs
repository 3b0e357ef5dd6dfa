//! Operator bundles and indexes for the Operator Lifecycle Manager, from plain Kubernetes manifests.
//!
//! A value walks one way through the modules of this library, and each imports only from those below it:
//!
//! ```text
//!  cli          flags, one file for each command
//!  terminal     what is printed: tables, findings, progress
//!  server       the gRPC registry API          mirror   images for other registries      page      an index as a site
//!  install      what OLM does with a bundle
//!  index        an index, a SQLite database or a file-based catalog: opened, changed, published, rendered, imported, exported
//!  build        the image of a bundle
//!  database     the SQLite database: schema, reading, adding, removing
//!  resolver     what OLM would install or update to                validation   rules over a bundle, and the gate into an index
//!  conversion   a bundle in the other media type
//!  synthesis    manifests to a ClusterServiceVersion
//!  cluster      a cluster as files say it is: what-if files, dumps, operator conditions
//!  catalog      packages, channels, the update graph, file-based catalogs; without manifests and icons, which `index` reads
//!  bundle       a bundle and its metadata files                    steps        what OLM creates of a bundle: the steps of its InstallPlan
//!  csv          the ClusterServiceVersion
//!  olm          OLM's vocabulary: properties, dependencies, constraints
//!  shape        tables of fields: what a file or an object may hold, and its JSON Schema
//!  manifest     documents to objects
//!  text         YAML and JSON with places                          image        references, layers, layouts, registries
//!  diagnostic   what is wrong, where, and how much it weighs
//!  rules        the table of all rules: id, severity at each gate, help, with an example of each
//!  files        writing so that a killed process leaves the old state or the new one, and the next one clears up
//!  cel, kubernetes, tree, causes, source, streams, limit, version, visible   small shared values
//! ```
//!
//! Commands are functions here, with a struct of options in place of flags, and the page of each has an example:
//!
//! | command | function |
//! |---|---|
//! | `opmx bundle update` | [`synthesis::next_release::next_release`] |
//! | `opmx bundle build` | [`build::build`] |
//! | `opmx catalog add`, `rm`, `prune`, … | [`Editor::change`](catalog::file_based::edit::Editor::change) |
//! | `opmx catalog release` | [`index::release::release`] |
//! | `opmx catalog build` | [`index::catalog_image::build`] |
//! | `opmx index check` | [`index::check::check`] |
//! | `opmx index page` | `page::write` |
//! | `opmx resolve` | [`install::resolve::resolve`] |
//! | `opmx plan` | [`install::plan::plan`] |
//!
//! An error says what failed, and leaves it to its `source()` to say why; [`causes::with_causes`] puts the two
//! together.
//!
//! Modules on one line may use each other in one direction only; `tests/library/structure.rs` knows the exact order.
//!
//! # Where to begin
//!
//! | to add or change | begin at |
//! |---|---|
//! | a rule that every bundle must keep | the file of its subject in `rules`, with its example in `rules/examples`, and `validation/mod.rs`, which is also the way into an index |
//! | advice of a suite, such as good practices | `rules/validators.rs`, and the file of the suite in `validation/validators`; not where another program is followed (`reference`) |
//! | a rule about catalogs or indexes | `catalog/file_based/check`, `database/check`, `index/check` |
//! | a key of a constraint | `olm/constraint.rs`, then what the compiler names in `validation/constraint.rs` and `resolver/predicate.rs`; `olm/releases.rs` with `index/check/needs.rs`, for older OLMs |
//! | what a release of OLM can do | `olm/releases.rs` |
//! | a schema of file-based catalogs | `catalog/file_based/schema.rs`, then what the compiler names in `load`, `check/document.rs` and `server/file_based/contents.rs` |
//! | a change of a catalog, as `opmx catalog` makes it | an operation on plain data in `catalog/file_based/draft`; `edit` and `text/revise` turn what it did into text |
//! | a key of `ci.yaml` or `release-config.yaml` | `catalog/release/config.rs`, and `catalog/release/check.rs` for what the files say together |
//! | a field of lifecycles | `catalog/file_based/lifecycle.rs`, `check/lifecycle.rs` and `draft/lifecycle.rs` beside it |
//! | a key of `metadata/olm.yaml` | `bundle/olm_yaml/fields.rs`, and its name in `bundle/olm_yaml/annotations.rs` if an annotation can say it; `.made_into(…)` also needs `synthesis/overlay.rs` |
//! | an annotation of bundles | `bundle/annotations.rs`, and `bundle/asked_annotations.rs` for what options say of them |
//! | the place of an added bundle in its channels, the default channel | `catalog/graph.rs`; `database/add` only writes what it says |
//! | what a failure is for scripts, its exit status | `cli/error.rs`; which errors say that something does not exist: `cli/hint.rs` |
//! | a file in a layer, its kind or its path | `image/layer_reader.rs`, then `image/unpack` |
//! | what a status of a registry means | `image/registry/error.rs`; which failures are tried again, and when: `image/registry/retry.rs` |
//! | a limit of the server | `server/options.rs`; `server/connection.rs` keeps those of clients |
//! | a key of a policy file | `validation/policy/keys.rs`, and `validation/policy/facts.rs` for what bundles bring |
//! | a form of reports | `terminal/reports` |
//! | a column of the database | `database/schema.rs` |
//! | a part of a page of a site | `page/model.rs` and the file of its subject beside it, then the template of the page in `templates/page` |
//! | a call of the gRPC API | `server/registry.proto`; what the calls answer: `server/file_based` and `database/entries.rs` |
//!
//! # Features
//!
//! | feature | adds | needs |
//! |---|---|---|
//! | – | bundles, validation, conversion, file-based catalogs, the resolver; images in layouts and archives | |
//! | `registry` | images in registries | an HTTP client and TLS |
//! | `page` | `page`; includes `database` | a Markdown parser and an HTML sanitizer |
//! | `database` | `database`, `index`, `install`, `mirror` | SQLite, built from source |
//! | `server` | `server`; includes `database` | a gRPC server |
//! | `cli` | `cli` and `terminal`, for the program; includes all | |
//!
//! `cli` is on by default. What the program is made of, `cli` and `terminal`, is no part of the library's interface and
//! may change with every release.

// Each feature leaves something unused that another one needs; with all of them the compiler looks for what is dead.
#![cfg_attr(not(feature = "cli"), allow(dead_code, unused_imports))]

pub mod build;
pub mod bundle;
pub mod catalog;
pub mod causes;
pub mod cel;
// Public for `main.rs` and the tests.
#[cfg(feature = "cli")]
#[doc(hidden)]
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
#[cfg(feature = "page")]
pub mod page;
pub mod resolver;
pub mod rules;
#[cfg(feature = "server")]
pub mod server;
pub mod shape;
pub mod source;
pub mod steps;
pub mod synthesis;
// Public for the tests.
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod terminal;
pub mod text;
pub mod tree;
pub mod validation;
pub mod version;
pub(crate) mod visible;
