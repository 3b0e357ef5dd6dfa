//! What the rules of all kinds of documents share.

use super::contents::Contents;
use super::found::Found;
use super::reader::Reader;
use crate::catalog::Texts;
use crate::rules;
use crate::text::Limits;

/// What one thread works with, document after document.
pub(super) struct Scratch {
    pub(super) contents: Contents,
    pub(super) texts: Texts,
    /// Where base64 is decoded.
    pub(super) decoded: Vec<u8>,
    /// How much a manifest may hold.
    pub(super) limits: Limits,
}

/// The package that a document belongs to; that it names none is reported.
pub(super) fn package_of(reader: &mut Reader<'_>, package: &str) {
    if package.is_empty() {
        let subject = reader.subject.replace(" of package \"\"", "");
        let message = format!("{subject} names no package");
        let help = "Write the name of its package to the field package.";
        let finding = Found::new(&rules::CATALOG_PACKAGE_MISSING, message, reader.id.at("package"));
        reader.report(finding.help(help));
    }
}
