//! The library as a whole: its own examples, generated input, and its structure.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test may panic, and says what it saw"
)]

#[path = "../shared/chain.rs"]
mod chain;
#[path = "../common/noise.rs"]
#[expect(dead_code, reason = "not all that it offers is used here")]
mod noise;

mod api_server;
mod api_server_objects;
mod arbitrary_input;
mod builtin_fields;
mod causes;
mod extract;
mod mirrored_parts;
mod optional_manifests;
mod resolver_scenarios;
mod rule_examples;
mod spawning;
mod structure;
mod synthesis_rules;
mod trust;
mod validation_rules;
