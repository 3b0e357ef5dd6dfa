//! What is wrong with a template.

use super::Kind;
use crate::catalog::file_based::load::{At, LoadError};

/// Why a template describes no catalog.
#[derive(Debug, thiserror::Error)]
#[error("{at}: {problem}")]
pub struct TemplateError {
    /// Where it is wrong.
    pub at: At,
    /// What is wrong.
    pub problem: Box<TemplateProblem>,
}

/// What is wrong with a template.
#[derive(Debug, thiserror::Error)]
pub enum TemplateProblem {
    /// The text is no YAML or JSON, or too much of it.
    #[error("{message}")]
    Unreadable {
        /// What its reader says.
        message: String,
    },
    /// There is nothing in it.
    #[error("there is no document")]
    Empty,
    /// A template is one document.
    #[error("another document begins here, and a template of schema {schema:?} is one document")]
    Several {
        /// The schema of the first.
        schema: String,
    },
    /// A document without a schema.
    #[error(
        "the document has no schema; a template begins with \"schema: olm.semver\" or \"schema: olm.template.basic\""
    )]
    NoSchema,
    /// The schema of no template.
    #[error(
        "{schema:?} is the schema of no template that is known: those are olm.semver, olm.template.basic and \
         olm.template.substitutes"
    )]
    UnknownSchema {
        /// The schema.
        schema: String,
    },
    /// A template of another type.
    #[error("the document has the schema {schema:?}, and a {} template has {:?}", .wanted.word(), .wanted.schema())]
    OtherSchema {
        /// What was asked for.
        wanted: Kind,
        /// The schema that is there.
        schema: String,
    },
    /// A template where a catalog is wanted.
    #[error("this is a template already, of schema {schema:?}")]
    Template {
        /// The schema.
        schema: String,
    },
    /// A field that no such template has.
    #[error("there is no field {field:?} here{}", .nearest.map(|name| format!("; is {name:?} meant?")).unwrap_or_default())]
    UnknownField {
        /// The field.
        field: String,
        /// The one that is most like it.
        nearest: Option<&'static str>,
    },
    /// A field that stands twice, perhaps in other letters.
    #[error("the field {field:?} stands twice")]
    RepeatedField {
        /// The field.
        field: &'static str,
    },
    /// A value of another type.
    #[error("{field} is {found}, not {wanted}")]
    Shape {
        /// The field.
        field: String,
        /// What it is.
        found: &'static str,
        /// What it should be.
        wanted: &'static str,
    },
    /// A bundle without an image.
    #[error("the bundle has no image")]
    NoImage,
    /// A bundle that is more than its image.
    #[error(
        "the bundle has the field {field:?}, and in a basic template a bundle has only its image: opmx alpha \
         convert-template basic makes a template of a catalog"
    )]
    RenderedBundle {
        /// The field.
        field: String,
    },
    /// A bundle that stands twice.
    #[error("the image {image:?} stands on line {line} already")]
    RepeatedImage {
        /// The image.
        image: String,
        /// The other line.
        line: usize,
    },
    /// A template without bundles.
    #[error("the template names no bundle, under candidate, fast or stable")]
    NoBundles,
    /// A preference that is none.
    #[error("defaultChannelTypePreference is {found:?}, and can be minor or major")]
    Preference {
        /// What is there.
        found: String,
    },
    /// A preference for channels that are not there.
    #[error("the default channel is to be a {preference} one, and {preference} channels are not generated")]
    PreferenceNotGenerated {
        /// The preference.
        preference: &'static str,
    },
    /// A bundle of another package.
    #[error(
        "{bundle} is of package {found:?}, and the bundles above it are of {package:?}; a semver template is of one package"
    )]
    OtherPackage {
        /// The bundle.
        bundle: String,
        /// Its package.
        found: String,
        /// That of the others.
        package: String,
    },
    /// A bundle without a version that has an order.
    #[error("the version {version:?} of {bundle} is no semantic version: {reason}")]
    Version {
        /// The bundle.
        bundle: String,
        /// What it has.
        version: String,
        /// What is wrong with it.
        reason: String,
    },
    /// Two images of one bundle.
    #[error("this is {bundle}, as is the image on line {line}")]
    RepeatedBundle {
        /// The bundle.
        bundle: String,
        /// The other line.
        line: usize,
    },
    /// Two bundles without an order.
    #[error(
        "{bundle} has version {version}, which has no order with {other} of {other_bundle}: build metadata does not count"
    )]
    SameVersion {
        /// The bundle.
        bundle: String,
        /// Its version.
        version: String,
        /// The bundle with the same version.
        other_bundle: String,
        /// Its version.
        other: String,
    },
    /// The catalog in the template, or the one that comes of it, is none.
    #[error(transparent)]
    Catalog {
        /// What is wrong with it.
        source: LoadError,
    },
    /// A channel of it is not sound.
    #[error(
        "channel {channel:?} of package {package:?} has {} in place of one: an entry that no other one replaces or skips",
        if *.heads == 0 { "no head".to_owned() } else { format!("{heads} heads") }
    )]
    Heads {
        /// The package.
        package: String,
        /// The channel.
        channel: String,
        /// How many heads there are.
        heads: usize,
    },
    /// A stand-in for nothing.
    #[error("no channel has an entry of {base:?}, for which {bundle} is to stand in")]
    NoBase {
        /// What is to be replaced.
        base: String,
        /// The bundle.
        bundle: String,
    },
    /// A stand-in that is not newer.
    #[error("{bundle} stands in for {base}, and its version {version} is not above {base_version}")]
    NotGreater {
        /// The bundle.
        bundle: String,
        /// Its version, with the release.
        version: String,
        /// The other bundle.
        base: String,
        /// Its version, with the release.
        base_version: String,
    },
}
