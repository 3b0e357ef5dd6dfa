//! OLM's vocabulary: what properties and dependencies mean.

pub mod property;
