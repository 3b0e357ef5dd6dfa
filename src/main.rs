//! The command line of opmx.
fn main() {}
