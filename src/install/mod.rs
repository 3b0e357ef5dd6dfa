//! What OLM makes of an installed operator.

pub mod operator;
