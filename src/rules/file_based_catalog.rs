//! File-based catalogs.

use super::{FBC, LIFECYCLE};

rules! { FILE_BASED_CATALOG
    Catalogs {
        CATALOG_UNREADABLE = "catalog-unreadable", Error, FBC, "Check the name, and check that opmx can read the file, folder or image.";

        // File-based catalogs: documents and fields.
        CATALOG_DOCUMENT = "catalog-document", Error, FBC, "Correct the file; if it is not part of the catalog, list it in an .indexignore file.";
        CATALOG_DOCUMENT_EMPTY = "catalog-document-empty", Error, FBC, "Move comments below the next `---` line, and remove `---` lines without a document; if the file is not part of the catalog, list it in an .indexignore file.";
        CATALOG_DUPLICATE_KEY = "catalog-duplicate-key", Error, FBC, "Keep one of the two keys; all readers silently use the last one.";
        CATALOG_SCHEMA_MISSING = "catalog-schema-missing", Error, FBC, "Set schema to olm.package, olm.channel, olm.bundle or olm.deprecations; if the file is not part of the catalog, list it in an .indexignore file.";
        CATALOG_SCHEMA_UNKNOWN = "catalog-schema-unknown", Warning, FBC, "Correct the schema; documents with unknown schemas are kept but ignored.";
        CATALOG_FIELD_TYPE = "catalog-field-type", Error, FBC, "Use a value of the correct type.";
        CATALOG_FIELD_UNKNOWN = "catalog-field-unknown", Warning, FBC, "Correct the field name, or remove the field; it is ignored.";
        CATALOG_FIELD_CASE = "catalog-field-case", Warning, FBC, "Use exactly this capitalization for the field name.";
        CATALOG_FIELD_REPEATED = "catalog-field-repeated", Error, FBC, "Keep one of the two fields.";

        // File-based catalogs: packages.
        CATALOG_PACKAGE_NAME = "catalog-package-name", Error, FBC, "Use a package name of at most 63 lowercase letters, digits and hyphens, with a letter or digit at both ends.";
        CATALOG_PACKAGE_NAMELESS = "catalog-package-nameless", Error, FBC, "Set the package name.";
        CATALOG_PACKAGE_DUPLICATE = "catalog-package-duplicate", Error, FBC, "Keep one of the two documents.";
        CATALOG_PACKAGE_MISSING = "catalog-package-missing", Error, FBC, "Add an olm.package document with this name, or correct the name.";
        CATALOG_PACKAGE_EMPTY = "catalog-package-empty", Error, FBC, "Add an olm.channel document for the package.";
        CATALOG_PACKAGE_ICON = "catalog-package-icon", Error, FBC, "Set base64data to the output of `base64 -w0 icon.svg`, and mediatype to the media type, such as image/svg+xml.";
        CATALOG_DEFAULT_CHANNEL = "catalog-default-channel", Error, FBC, "Set defaultChannel to a channel of the package.";

        // File-based catalogs: channels and their graphs.
        CATALOG_CHANNEL_NAME = "catalog-channel-name", Error, FBC, "Set the channel name.";
        CATALOG_CHANNEL_DUPLICATE = "catalog-channel-duplicate", Error, FBC, "Merge the two documents.";
        CATALOG_CHANNEL_EMPTY = "catalog-channel-empty", Error, FBC, "List the bundles of the channel in entries, or remove the channel.";
        CATALOG_CHANNEL_HEAD = "catalog-channel-head", Error, FBC, "Leave exactly one entry that no other entry names in replaces or skips.";
        CATALOG_CHANNEL_CYCLE = "catalog-channel-cycle", Error, FBC, "Remove or correct replaces in one of the entries, so that the chain ends.";
        CATALOG_ENTRY_NAME = "catalog-entry-name", Error, FBC, "Set the bundle name of the entry.";
        CATALOG_ENTRY_DUPLICATE = "catalog-entry-duplicate", Error, FBC, "Merge the two entries.";
        CATALOG_ENTRY_BUNDLE = "catalog-entry-bundle", Error, FBC, "Add the bundle, correct the name, or remove the entry.";
        CATALOG_ENTRY_STRANDED = "catalog-entry-stranded", Error, FBC, "Make an entry in the replaces chain of the head replace or skip this entry.";
        CATALOG_ENTRY_ITSELF = "catalog-entry-itself", Error, FBC, "Name another bundle, or remove the name.";
        CATALOG_ENTRY_SKIPS_ITSELF = "catalog-entry-skips-itself", Error, FBC, "Remove the name from skips.";
        CATALOG_SKIPS_EMPTY = "catalog-skips-empty", Error, FBC, "Remove the empty name.";
        CATALOG_SKIP_RANGE = "catalog-skip-range", Error, FBC, "Use a range such as >=1.0.0 <1.2.0.";

        // File-based catalogs: bundles.
        CATALOG_BUNDLE_NAME = "catalog-bundle-name", Error, FBC, "Use the name of the bundle's ClusterServiceVersion.";
        CATALOG_BUNDLE_DUPLICATE = "catalog-bundle-duplicate", Error, FBC, "Keep one of the two documents.";
        CATALOG_BUNDLE_UNLISTED = "catalog-bundle-unlisted", Error, FBC, "Add an entry for the bundle to a channel of the package, or remove the bundle.";
        CATALOG_BUNDLE_IMAGE = "catalog-bundle-image", Error, FBC, "Set the bundle's image.";
        CATALOG_IMAGE_REFERENCE = "catalog-image-reference", Error, FBC, "Use an image reference as in a container, such as registry.example.com/agent:1.0.0.";
        CATALOG_PROPERTY = "catalog-property", Error, FBC, "Set a type, and a value that is valid for the type.";
        CATALOG_BUNDLE_IDENTITY = "catalog-bundle-identity", Error, FBC, "Set exactly one olm.package property on the bundle, with the name of its package.";
        CATALOG_BUNDLE_VERSION = "catalog-bundle-version", Error, FBC, "Use a semantic version such as 1.2.3.";
        CATALOG_VERSION_MISSING = "catalog-version-missing", Error, FBC, "Set version in the olm.package property to a semantic version such as 1.2.3.";
        CATALOG_BUNDLE_RELEASE = "catalog-bundle-release", Error, FBC, "Name the bundle <package>-v<version>-<release>; a release consists of at most 20 letters, digits, hyphens and dots.";
        CATALOG_VERSION_DUPLICATE = "catalog-version-duplicate", Error, FBC, "Use a different version for each bundle of a package.";
        CATALOG_OBJECT = "catalog-object", Error, FBC, "Set data to one manifest, as base64-encoded JSON.";
        CATALOG_OBJECT_CONTENT = "catalog-object-content", Warning, FBC, "Include only the manifests of one operator in each bundle, with one ClusterServiceVersion that has the bundle's name.";
        CATALOG_OBJECT_REF = "catalog-object-ref", Warning, FBC, "Set data to the base64-encoded file, because newer programs do not follow ref.";
        CATALOG_CSV_METADATA = "catalog-csv-metadata", Warning, FBC, "Keep one olm.csv.metadata property.";
        CATALOG_MESSAGE_SIZE = "catalog-message-size", Warning, FBC, "Publish the bundle as an image, and set image to its reference.";
        CATALOG_MANIFESTS_SIZE = "catalog-manifests-size", Warning, FBC, "Publish the bundle as an image, and set image to its reference.";

        // File-based catalogs: deprecations.
        CATALOG_DEPRECATION_PACKAGE = "catalog-deprecation-package", Error, FBC, "Keep one olm.deprecations document for each package of the catalog.";
        CATALOG_DEPRECATION_REFERENCE = "catalog-deprecation-reference", Error, FBC, "Refer to {schema: olm.package}, or to an olm.channel or olm.bundle of the package by name.";
        CATALOG_DEPRECATION_DUPLICATE = "catalog-deprecation-duplicate", Error, FBC, "Keep one of the two entries.";
        CATALOG_DEPRECATION_MESSAGE = "catalog-deprecation-message", Error, FBC, "Set message to the action that users should take.";
        CATALOG_DEPRECATION_IGNORED = "catalog-deprecation-ignored", Info, FBC, "No action needed if you use opm 1.32 or newer, and no cluster is older than that release.";

        // File-based catalogs: lifecycles.
        CATALOG_LIFECYCLE_PACKAGE = "catalog-lifecycle-package", Error, LIFECYCLE, "Keep one lifecycles document for each package of the catalog.";
        CATALOG_LIFECYCLE_FIELD = "catalog-lifecycle-field", Error, LIFECYCLE, "Use only the fields of the lifecycles format, each with a value of its type.";
        CATALOG_LIFECYCLE_VERSION = "catalog-lifecycle-version", Error, LIFECYCLE, "List each version once in versions, with a name such as 1.2.";
        CATALOG_LIFECYCLE_PHASE = "catalog-lifecycle-phase", Error, LIFECYCLE, "List the phases in chronological order; each phase starts on the day after the previous one ends.";
        CATALOG_LIFECYCLE_DATE = "catalog-lifecycle-date", Error, LIFECYCLE, "Set the first and the last day of the phase as YYYY-MM-DD; the last day must be after the first.";
        CATALOG_LIFECYCLE_PLATFORM = "catalog-lifecycle-platform", Error, LIFECYCLE, "Use the platform name openshift, with the versions, such as 4.20, that the operator supports.";
    }
}
