//! The code that the rules for all kinds of documents share.

use super::contents::{Contents, Single};
use super::found::{DocumentId, Found};
use super::reader::{Fields, Reader};
use crate::catalog::file_based::limits::CatalogLimits;
use crate::catalog::file_based::schema::Referred;
use crate::catalog::file_based::{Schema, Subject};
use crate::catalog::{Text, Texts};
use crate::rules;
use crate::text::{Limits, Path};
use std::borrow::Cow;

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

    /// Keeps a document for the rules that compare it with others.
    pub(super) fn keep(
        &mut self,
        schema: Schema,
        id: DocumentId,
        package: &str,
        references: Vec<(usize, Referred, Text)>,
    ) {
        let package = self.texts.share(package);
        self.contents.singles.push(Single {
            schema,
            id,
            package,
            references,
        });
    }
}

/// Reads the package of a document with this schema and name, and reports a missing package and unknown fields. Returns
/// the package, and whether it is missing.
pub(super) fn package_of<'a>(
    reader: &mut Reader<'_>,
    fields: &Fields<'a>,
    schema: Schema,
    name: &str,
) -> (Cow<'a, str>, bool) {
    let root = Path::root();
    let known = schema.fields();
    let (package, is_missing) = reader.required_name(fields, "package", &root);
    reader.subject = Subject::new(schema, &package, name).to_string();
    reader.known(fields, known, &root);
    if is_missing {
        let subject = reader.subject.replace(" of package \"\"", "");
        let message = format!("{subject} does not specify a package");
        let help = "Set the field package to the name of its package.";
        let finding = Found::new(&rules::CATALOG_PACKAGE_MISSING, message, reader.id.at("package"));
        reader.report(finding.help(help));
    }
    (package, is_missing)
}
