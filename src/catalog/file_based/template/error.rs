//! Template errors.

use super::Kind;
use crate::catalog::file_based::load::{At, LoadError};

/// The reason why a template does not describe a catalog.
#[derive(Debug, thiserror::Error)]
#[error("{at}: {problem}")]
pub struct TemplateError {
    /// The position of the fault.
    pub at: At,
    /// The fault.
    pub problem: Box<TemplateProblem>,
}

/// A fault in a template.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TemplateProblem {
    /// The text is not YAML or JSON, or exceeds a limit.
    #[error("{message}")]
    Unreadable {
        /// The message of the parser.
        message: String,
    },
    /// The text contains no document.
    #[error("the template contains no document")]
    Empty,
    /// The text contains more than one document, but a template with this schema is a single document.
    #[error("a second document begins here, but a template of schema {schema:?} is a single document")]
    Several {
        /// The schema of the first document.
        schema: String,
    },
    /// The document has no schema.
    #[error(
        "the document has no schema; a template begins with \"schema: olm.semver\" or \"schema: olm.template.basic\""
    )]
    NoSchema,
    /// The schema is not the schema of a template.
    #[error(
        "{schema:?} is not a known template schema: expected olm.semver, olm.template.basic or olm.template.substitutes"
    )]
    UnknownSchema {
        /// The schema.
        schema: String,
    },
    /// The template does not have the requested type.
    #[error("the document has the schema {schema:?}, but a {} template has {:?}", .wanted.word(), .wanted.schema())]
    OtherSchema {
        /// The requested type.
        wanted: Kind,
        /// The schema of the document.
        schema: String,
    },
    /// The document is a template, but a catalog was expected.
    #[error("this is already a template, of schema {schema:?}")]
    Template {
        /// The schema.
        schema: String,
    },
    /// A field does not exist in templates of this type.
    #[error("unknown field {field:?}{}", .nearest.map(|name| format!("; did you mean {name:?}?")).unwrap_or_default())]
    UnknownField {
        /// The field.
        field: String,
        /// The most similar field.
        nearest: Option<&'static str>,
    },
    /// A field appears twice, possibly with different capitalization.
    #[error("the field {field:?} appears twice")]
    RepeatedField {
        /// The field.
        field: &'static str,
    },
    /// A value has the wrong type.
    #[error("{field} is {found}, not {wanted}")]
    Shape {
        /// The field.
        field: String,
        /// The type of the value.
        found: &'static str,
        /// The expected type.
        wanted: &'static str,
    },
    /// A bundle has no image.
    #[error("{} has no image", .bundle.as_ref().map_or_else(|| "the bundle".to_owned(), |name| format!("bundle {name:?}")))]
    NoImage {
        /// The name of the bundle, if it has one.
        bundle: Option<String>,
    },
    /// A bundle has fields other than its image and name.
    #[error(
        "the bundle has the field {field:?}, but in a basic template, a bundle has only an image; opmx alpha convert-template basic converts a catalog to a template"
    )]
    RenderedBundle {
        /// The field.
        field: String,
    },
    /// A bundle appears twice.
    #[error("the image {image:?} is already on line {line}")]
    RepeatedImage {
        /// The image.
        image: String,
        /// The other line.
        line: usize,
    },
    /// The template contains no bundles.
    #[error("the template lists no bundle under candidate, fast or stable")]
    NoBundles,
    /// The preference for the default channel is not valid.
    #[error("defaultChannelTypePreference is {found:?}; it must be minor or major")]
    Preference {
        /// The value of the preference.
        found: String,
    },
    /// The preferred channels are not generated.
    #[error("the default channel should be a {preference} channel, but {preference} channels are not generated")]
    PreferenceNotGenerated {
        /// The preference.
        preference: &'static str,
    },
    /// The bundles belong to different packages.
    #[error(
        "{bundle} belongs to package {found:?}, but the bundles above it belong to {package:?}; a semver template is \
         for one package"
    )]
    OtherPackage {
        /// The bundle.
        bundle: String,
        /// The package of the bundle.
        found: String,
        /// The package of the other bundles.
        package: String,
    },
    /// A bundle has no version that can be ordered.
    #[error("the version {version:?} of {bundle} is not a semantic version: {reason}")]
    Version {
        /// The bundle.
        bundle: String,
        /// The version of the bundle.
        version: String,
        /// The fault in the version.
        reason: String,
    },
    /// Two images contain the same bundle.
    #[error("this image contains {bundle}, and so does the image on line {line}")]
    RepeatedBundle {
        /// The bundle.
        bundle: String,
        /// The other line.
        line: usize,
    },
    /// The versions of two bundles have no order.
    #[error(
        "{bundle} has version {version}, which cannot be ordered relative to {other} of {other_bundle}: build metadata is ignored"
    )]
    SameVersion {
        /// The bundle.
        bundle: String,
        /// The version of the bundle.
        version: String,
        /// The bundle with the same version.
        other_bundle: String,
        /// The version of the other bundle.
        other: String,
    },
    /// The catalog in the template, or the generated catalog, is not valid.
    #[error(transparent)]
    Catalog {
        /// The fault in the catalog.
        source: LoadError,
    },
    /// A channel does not have exactly one head.
    #[error(
        "channel {channel:?} of package {package:?} has {} instead of one; a head is an entry that no other entry \
         replaces or skips",
        if *.heads == 0 { "no head".to_owned() } else { format!("{heads} heads") }
    )]
    Heads {
        /// The package.
        package: String,
        /// The channel.
        channel: String,
        /// The number of heads.
        heads: usize,
    },
    /// No channel contains the bundle for which another bundle substitutes.
    #[error("no channel has an entry for {base:?}, which {bundle} substitutes for")]
    NoBase {
        /// The bundle that is missing from the channels.
        base: String,
        /// The bundle.
        bundle: String,
    },
    /// A substitute is not newer than the bundle for which it substitutes.
    #[error("{bundle} substitutes for {base}, but its version {version} is not greater than {base_version}")]
    NotGreater {
        /// The bundle.
        bundle: String,
        /// The version of the bundle, with the release.
        version: String,
        /// The other bundle.
        base: String,
        /// The version of the other bundle, with the release.
        base_version: String,
    },
}
