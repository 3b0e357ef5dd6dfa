//! The code that the rules for all kinds of documents share.

use super::contents::Contents;
use super::found::Found;
use super::reader::Reader;
use crate::catalog::Texts;
use crate::catalog::file_based::limits::CatalogLimits;
use crate::rules;
use crate::text::Limits;

/// The state that a thread reuses from one document to the next.
pub(super) struct Scratch {
    pub(super) contents: Contents,
    pub(super) texts: Texts,
    /// The buffer into which base64 is decoded.
    pub(super) decoded: Vec<u8>,
    /// The limits for one manifest.
    pub(super) limits: Limits,
}

impl Scratch {
    pub(super) fn new(limits: CatalogLimits) -> Self {
        Self {
            contents: Contents::default(),
            texts: Texts::default(),
            decoded: Vec::new(),
            limits: limits.of_manifest(),
        }
    }
}

/// Reports a document that does not name its package.
pub(super) fn package_of(reader: &mut Reader<'_>, is_missing: bool) {
    if is_missing {
        let subject = reader.subject.replace(" of package \"\"", "");
        let message = format!("{subject} does not specify a package");
        let help = "Set the field package to the name of its package.";
        let finding = Found::new(&rules::CATALOG_PACKAGE_MISSING, message, reader.id.at("package"));
        reader.report(finding.help(help));
    }
}
