//! Cases recorded from other programs, and published bundles and manifests, from `../shared`.
//!
//! Without that folder the tests are skipped with a message; with `OPMX_REQUIRE_SHARED=1` they fail.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test may panic, and says what it compared"
)]

#[path = "../shared/chain.rs"]
mod chain_of_trust;
#[path = "../common/mod.rs"]
#[allow(dead_code, reason = "other programs use more of it")]
mod common;
#[path = "../shared/same_permissions.rs"]
mod compared;
#[path = "../shared/crd_fields.rs"]
mod crd_fields;
#[path = "../shared/reflection.rs"]
mod reflection;
#[path = "../shared/csv_schema.rs"]
mod schema;
#[path = "../shared/mod.rs"]
mod shared;

mod builtin_apis;
mod builtin_fields;
mod bundle_corpus;
mod catalog_edit;
mod chain;
mod cluster;
mod csv_schema;
mod diverge;
mod fixes;
mod grpc;
mod images;
mod index;
mod index_versions;
mod olm_schema;
mod operator_definitions;
mod published_csvs;
mod render;
mod requirements;
mod resolve;
mod round_trip;
mod same_permissions;
mod steps;
mod synthesis;
mod synthesis_order;
mod text_corpus;
mod validate;
mod validate_catalog;
mod validate_opm;
