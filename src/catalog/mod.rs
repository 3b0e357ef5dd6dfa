//! Packages, channels and bundles in memory, and the update graph as a pure function.

pub mod graph;
