//! The command line: output, files, and exit status.

#![allow(clippy::print_stdout)]
#![allow(clippy::unwrap_used, reason = "a test fails by it")]

#[path = "../common/mod.rs"]
mod common;
#[path = "../shared/same_permissions.rs"]
mod compared;
#[path = "../registry/http.rs"]
#[expect(dead_code, reason = "not all that it offers is used here")]
mod http;
#[cfg(target_os = "linux")]
#[path = "../common/served.rs"]
mod served;
#[path = "../shared/mod.rs"]
mod shared;
#[path = "../shared/site_catalogs.rs"]
#[expect(dead_code, reason = "not all that it offers is used here")]
mod site_catalogs;
#[path = "../../src/catalog/drawing/tests/geometry.rs"]
mod svg_geometry;

mod alpha_list;
mod bad_input;
mod bundle_authoring;
mod bundle_build;
mod bundle_convert;
mod bundle_files;
mod bundle_fix;
mod bundle_generate;
mod bundle_images;
mod bundle_import;
mod bundle_init;
mod bundle_inspect;
mod bundle_synthesize;
mod bundle_unpack;
mod bundle_update;
mod bundle_validate;
mod bundles;
mod catalog_add;
mod catalog_build;
mod catalog_edit;
mod catalog_fmt;
mod catalog_lifecycle;
mod catalog_merge;
mod catalog_release;
mod catalog_template;
mod catalogs;
mod dependencies;
mod generate_dockerfile;
mod generated;
mod help;
mod index_add;
mod index_catalog;
mod index_check;
mod index_check_olm_v1;
mod index_diff;
mod index_export;
mod index_from_fbc;
mod index_graph;
mod index_list;
mod index_list_images;
mod index_page;
mod init;
mod mirror;
mod olm;
mod operator;
mod operator_updates;
mod operators;
mod opm;
mod permissions;
mod plan;
mod plan_of_resolution;
mod process;
mod promote;
mod readme;
mod refusals;
mod registry_add;
mod registry_bundles;
mod removals;
mod render;
mod render_template;
mod request_reviews;
mod requests;
mod resolve;
mod resolve_notes;
mod serve;
mod serving;
mod serving_faults;
mod site;
mod unread;
mod upgrade_check;
mod validate;
mod words;
