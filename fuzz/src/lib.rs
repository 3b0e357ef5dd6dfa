//! The bodies of the property tests of opmx, which the fuzz targets call with any input.

#[path = "../../tests/library/arbitrary_input/bodies/mod.rs"]
pub mod bodies;
