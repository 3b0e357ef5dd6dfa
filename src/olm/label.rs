//! Labels of index images.

/// The label with the path of the database in an index image.
pub const DATABASE_LABEL: &str = "operators.operatorframework.io.index.database.v1";
/// The label with the path of the catalog in a file-based catalog image.
pub const CONFIGS_LABEL: &str = "operators.operatorframework.io.index.configs.v1";
