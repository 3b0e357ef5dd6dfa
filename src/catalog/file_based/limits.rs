//! Limits on the contents of a catalog.

use crate::text::Limits;

/// Limits on the contents of a catalog. The error for an input that exceeds a limit names the limit.
#[derive(Debug, Clone, Copy)]
pub struct CatalogLimits {
    /// The number of files.
    pub files: usize,
    /// The size of one document in bytes.
    pub document_bytes: usize,
    /// The number of documents.
    pub documents: usize,
    /// The nesting depth of lists and maps; values above 127 have the effect of 127.
    pub depth: usize,
    /// The number of keys and values in one document.
    pub values: usize,
    /// The number of keys and values in all documents of a template together. The limit exists because all documents of
    /// a template are kept in memory.
    pub template_values: usize,
    /// The memory, in bytes, for the names, edges, properties and findings of all documents.
    pub kept_bytes: usize,
    /// The number of files that stay open, so that their original content can still be read after they have been
    /// replaced. If a catalog has more files, the other files are reopened by name.
    pub open_files: usize,
}

impl Default for CatalogLimits {
    fn default() -> Self {
        Self {
            files: 100_000,
            document_bytes: 64 << 20,
            documents: 1_000_000,
            depth: Limits::default().depth,
            values: Limits::default().values,
            template_values: 2_000_000,
            kept_bytes: 64 << 20,
            open_files: 0,
        }
    }
}

impl CatalogLimits {
    /// Returns the limits for one manifest inside a document.
    pub(super) fn of_manifest(&self) -> Limits {
        Limits {
            values: self.values,
            ..Limits::default()
        }
    }

    /// Returns the limits for one document.
    pub(crate) fn of_document(&self) -> Limits {
        Limits {
            file_bytes: self.document_bytes,
            depth: self.depth.min(Limits::MOST_DEPTH),
            documents: 1,
            values: self.values,
        }
    }
}
