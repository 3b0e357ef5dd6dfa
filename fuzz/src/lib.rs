//! What must hold for any input: the bodies of the property tests of opmx, for the targets beside this file.

#[path = "../../tests/library/arbitrary_input/bodies/mod.rs"]
pub mod bodies;
