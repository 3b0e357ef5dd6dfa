//! Builds operator bundles and indexes for the Operator Lifecycle Manager from plain Kubernetes manifests.
//!
//! Data flows in one direction through the modules of this library. Each module imports only from those below it:
//!
//! ```text
//!  cli          flags, one file for each command
//!  terminal     output: tables, findings, progress
//!  server       the gRPC registry API          mirror   images for other registries      page      an index as a site
//!  install      the actions that OLM would take for a bundle
//!  index        a database or a file-based catalog: opening, changing, publishing, rendering, importing, exporting
//!  build        the image of a bundle
//!  database     the SQLite database: schema, reading, adding, removing
//!  resolver     the bundles that OLM would install or update to   validation   bundle rules, checks at each gate
//!  conversion   a bundle in the other media type
//!  synthesis    manifests to a ClusterServiceVersion
//!  cluster      a cluster as described by files: what-if files, dumps, operator conditions
//!  catalog      packages, channels, the update graph, file-based catalogs (`index` reads manifests and icons)
//!  bundle       a bundle and its metadata files                   steps        the steps of an InstallPlan
//!  csv          the ClusterServiceVersion
//!  olm          OLM's vocabulary: properties, dependencies, constraints
//!  shape        tables of fields: the valid content of a file or an object, and its JSON Schema
//!  manifest     documents to objects
//!  text         YAML and JSON with places                         image        references, layers, layouts, registries
//!  diagnostic   findings: the problem, its place and its severity
//!  rules        the table of all rules: id, severity at each gate, help, and an example of each rule
//!  files        writing so that a killed process leaves the old state or the new state, and the next process cleans up
//!  cel, kubernetes, tree, causes, source, limit, pattern, value, version, visible   small shared values
//!  concurrent   several futures at once
//! ```
//!
//! Modules on the same line may use each other in one direction only; `tests/library/structure.rs` defines the exact
//! order.
//!
//! `ARCHITECTURE.md` in the repository follows the data through these modules, lists the invariants and the tests that
//! check them, and explains where to begin a change.
//!
//! Most commands call one function of this library, which takes a struct of options instead of flags:
//!
//! | command | function |
//! |---|---|
//! | `opmx bundle validate` | [`validation::validate`]; with `--fix`, [`validation::fix::fix`] |
//! | `opmx bundle convert` | [`validation::convert_valid`] |
//! | `opmx bundle update` | [`synthesis::next_release::next_release`] |
//! | `opmx bundle build` | [`build::build`] |
//! | `opmx catalog add` | [`Editor::add`] |
//! | `opmx catalog rm`, `truncate`, `deprecate`, `channel`, `lifecycle` | [`Editor::change`] |
//! | `opmx catalog prune` | [`index::curate::prune`] |
//! | `opmx catalog merge` | [`catalog::file_based::edit::merge`](fn@catalog::file_based::edit::merge) |
//! | `opmx catalog fmt` | [`Editor::format`] |
//! | `opmx catalog release` | [`index::release::release`] |
//! | `opmx catalog build` | [`index::catalog_image::build`] |
//! | `opmx registry add` | [`index::gather::add`] |
//! | `opmx registry rm`, `prune` | [`database::remove::packages`] |
//! | `opmx registry prune-stranded` | [`database::remove::stranded`] |
//! | `opmx registry deprecatetruncate` | [`database::deprecate::truncate`] |
//! | `opmx registry promote` | [`database::add::promote::promote`] |
//! | `opmx index add`, `rm`, `prune`, … | [`index::publish::make`], with the change of `opmx registry` |
//! | `opmx index from-fbc` | [`index::publish::convert`]; into a database, [`index::import::import`] |
//! | `opmx index export` | [`index::export::export`] |
//! | `opmx index extract` | [`index::extract::extract`] |
//! | `opmx index check` | [`index::check::check`] |
//! | `opmx index diff` | [`catalog::difference::difference`] |
//! | `opmx index graph` | [`catalog::drawing::drawing`] |
//! | `opmx index list images` | [`mirror::images::images`] |
//! | `opmx index page` | `page::write` |
//! | `opmx render`, `migrate` | [`RenderSource::open`], then [`write_all`] or [`write_folder`] |
//! | `opmx validate` | [`catalog::file_based::check::check`] |
//! | `opmx init` | [`catalog::file_based::init::package`] |
//! | `opmx alpha render-template` | [`index::render::template::render`] |
//! | `opmx alpha convert-template` | [`catalog::file_based::template::convert::convert`] |
//! | `opmx serve`, `opmx registry serve` | `server::serve` |
//! | `opmx mirror plan` | [`mirror::collect::collect`] |
//! | `opmx mirror copy` | `mirror::transfer::transfer`; into an archive, `mirror::pack::pack` |
//! | `opmx mirror load` | `mirror::pack::load` |
//! | `opmx mirror verify` | `mirror::verify::verify`; for an archive, `mirror::verify::verify_archive` |
//! | `opmx mirror delete` | `mirror::delete::doomed`, then `mirror::delete::delete` |
//! | `opmx mirror diff` | [`mirror::diff::diff`] |
//! | `opmx mirror manifests` | [`mirror::manifests::manifests`] |
//! | `opmx resolve` | [`install::resolve::resolve`] |
//! | `opmx plan` | [`install::plan::plan`] |
//! | `opmx permissions` | [`install::permissions::needed`] |
//! | `opmx upgrade-check` | [`cluster::conditions::check_in`] |
//! | `opmx operator` | [`install::operator::operators`] |
//!
//! The other commands combine several functions; the file of a command in `src/cli` shows how. The folder `examples` of
//! the repository contains whole programs.
//!
//! An error describes the failure and leaves the reason to its `source()`; [`causes::with_causes`] combines the two.
//! The message of a failed request to a registry already includes the reason.
//!
//! # Threads
//!
//! All futures are `Send`. They require a Tokio runtime whose drivers are all enabled (`enable_all`), and panic without
//! one.
//!
//! Functions that read, check or build an index or a bundle block their thread while they work, also if they are
//! `async`: [`Index::open_named`], [`index::check::check`], [`install::resolve::resolve`] and [`build::build`] can take
//! seconds, and a timeout cannot interrupt them. Functions that write a database or a folder also block their thread
//! while they wait for another program that writes the same database. Run these functions on a thread of their own, or
//! with `spawn_blocking` and `Handle::block_on`. Requests to registries do not block, and layouts and archives are read
//! and written on other threads, as are the bundles for [`index::gather::add`].
//!
//! # Cancellation
//!
//! Dropping a future cancels its requests. A push whose future is dropped before the tag is set leaves the tag as it
//! is, in a registry, a layout or an archive; blobs that were already written may remain. Databases and folders are
//! changed completely or not at all.
//!
//! # Environment
//!
//! The library takes all settings as arguments, but the crates that it uses read the environment: `HTTPS_PROXY`,
//! `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY` for requests to registries, `SSL_CERT_FILE` and `SSL_CERT_DIR` for the
//! certificates of the system, `TMPDIR` for temporary files, and `PATH` for the credential helpers that a credentials
//! file names.
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
//! `cli` is on by default. The modules of the program, `cli` and `terminal`, are not part of the library's interface
//! and may change with every release.
//!
//! [`Editor::add`]: catalog::file_based::edit::Editor::add
//! [`Editor::change`]: catalog::file_based::edit::Editor::change
//! [`Editor::format`]: catalog::file_based::edit::Editor::format
//! [`RenderSource::open`]: index::render::sources::RenderSource::open
//! [`write_all`]: index::render::sources::write_all
//! [`write_folder`]: index::render::folder::write_folder
//! [`Index::open_named`]: index::open::Index::open_named

// If a feature is disabled, the items that only this feature needs are unused. With all features enabled, the compiler
// warns about dead code.
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
pub(crate) mod concurrent;
pub mod conversion;
pub(crate) mod counted;
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
pub(crate) mod pattern;
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
pub(crate) mod value;
pub mod version;
pub(crate) mod visible;
