//! File-based catalogs.

use super::{FBC, LIFECYCLE};

rules! { FILE_BASED_CATALOG
    Catalogs {
        // File-based catalogs: documents and fields.
        CATALOG_DOCUMENT = "catalog-document", Error, FBC, "Correct the file; if it is none of the catalog's, name it in a file .indexignore.";
        CATALOG_SCHEMA_MISSING = "catalog-schema-missing", Error, FBC, "Write schema: olm.package, olm.channel, olm.bundle or olm.deprecations; if the file is none of the catalog's, name it in a file .indexignore.";
        CATALOG_SCHEMA_UNKNOWN = "catalog-schema-unknown", Warning, FBC, "Correct the schema: documents of unknown schemas are kept and mean nothing.";
        CATALOG_FIELD_TYPE = "catalog-field-type", Error, FBC, "Write a value of the right type.";
        CATALOG_FIELD_UNKNOWN = "catalog-field-unknown", Warning, FBC, "Correct the name of the field, or remove it: it is ignored.";
        CATALOG_FIELD_CASE = "catalog-field-case", Warning, FBC, "Write the field in exactly these letters.";
        CATALOG_FIELD_REPEATED = "catalog-field-repeated", Error, FBC, "Keep one of the two fields.";

        // File-based catalogs: packages.
        CATALOG_PACKAGE_NAME = "catalog-package-name", Error, FBC, "Name the package with at most 63 lower-case letters, digits and dashes.";
        CATALOG_PACKAGE_NAMELESS = "catalog-package-nameless", Error, FBC, "Name the package.";
        CATALOG_PACKAGE_DUPLICATE = "catalog-package-duplicate", Error, FBC, "Keep one of the two documents.";
        CATALOG_PACKAGE_MISSING = "catalog-package-missing", Error, FBC, "Add a document of schema olm.package with this name, or correct the name.";
        CATALOG_PACKAGE_EMPTY = "catalog-package-empty", Error, FBC, "Add a document of schema olm.channel for the package.";
        CATALOG_PACKAGE_ICON = "catalog-package-icon", Error, FBC, "Write what `base64 -w0 icon.svg` prints to base64data, and its media type such as image/svg+xml to mediatype.";
        CATALOG_DEFAULT_CHANNEL = "catalog-default-channel", Error, FBC, "Name a channel of the package in defaultChannel.";

        // File-based catalogs: channels and their graphs.
        CATALOG_CHANNEL_NAME = "catalog-channel-name", Error, FBC, "Name the channel.";
        CATALOG_CHANNEL_DUPLICATE = "catalog-channel-duplicate", Error, FBC, "Put the entries of both into one document.";
        CATALOG_CHANNEL_EMPTY = "catalog-channel-empty", Error, FBC, "List the bundles of the channel in entries, or remove the channel.";
        CATALOG_CHANNEL_HEAD = "catalog-channel-head", Error, FBC, "Let exactly one entry be named by no other entry's replaces or skips.";
        CATALOG_CHANNEL_CYCLE = "catalog-channel-cycle", Error, FBC, "Take one of the edges away, so that the chain of replaces ends.";
        CATALOG_ENTRY_NAME = "catalog-entry-name", Error, FBC, "Name the bundle of the entry.";
        CATALOG_ENTRY_DUPLICATE = "catalog-entry-duplicate", Error, FBC, "Put the edges of both into one entry.";
        CATALOG_ENTRY_BUNDLE = "catalog-entry-bundle", Error, FBC, "Add the bundle, correct the name, or remove the entry.";
        CATALOG_ENTRY_STRANDED = "catalog-entry-stranded", Error, FBC, "Let an entry of the chain from the head replace or skip it.";
        CATALOG_ENTRY_ITSELF = "catalog-entry-itself", Error, FBC, "Name another bundle, or take the name away.";
        CATALOG_SKIPS_EMPTY = "catalog-skips-empty", Error, FBC, "Take the empty name away.";
        CATALOG_SKIP_RANGE = "catalog-skip-range", Error, FBC, "Write a range such as >=1.0.0 <1.2.0.";

        // File-based catalogs: bundles.
        CATALOG_BUNDLE_NAME = "catalog-bundle-name", Error, FBC, "Write the name of the bundle's ClusterServiceVersion.";
        CATALOG_BUNDLE_DUPLICATE = "catalog-bundle-duplicate", Error, FBC, "Keep one of the two documents.";
        CATALOG_BUNDLE_UNLISTED = "catalog-bundle-unlisted", Error, FBC, "Add an entry for it to a channel of the package, or remove the bundle.";
        CATALOG_BUNDLE_IMAGE = "catalog-bundle-image", Error, FBC, "Write the bundle's image.";
        CATALOG_IMAGE_REFERENCE = "catalog-image-reference", Error, FBC, "Write the image as a container would name it, such as registry.example.com/agent:1.0.0.";
        CATALOG_PROPERTY = "catalog-property", Error, FBC, "Write type and value as the type of the property asks for.";
        CATALOG_BUNDLE_IDENTITY = "catalog-bundle-identity", Error, FBC, "Give the bundle exactly one property olm.package, with the name of its package.";
        CATALOG_BUNDLE_VERSION = "catalog-bundle-version", Error, FBC, "Write a semantic version such as 1.2.3.";
        CATALOG_VERSION_MISSING = "catalog-version-missing", Error, FBC, "Write version, a semantic version such as 1.2.3, into the property olm.package.";
        CATALOG_BUNDLE_RELEASE = "catalog-bundle-release", Error, FBC, "Name the bundle <package>-v<version>-<release>, with at most 20 letters, digits and dashes between dots as the release.";
        CATALOG_VERSION_DUPLICATE = "catalog-version-duplicate", Error, FBC, "Give each bundle of a package a version of its own.";
        CATALOG_OBJECT = "catalog-object", Error, FBC, "Write one manifest, as JSON in base64, to data.";
        CATALOG_OBJECT_CONTENT = "catalog-object-content", Warning, FBC, "Give each bundle the manifests of one operator, with one ClusterServiceVersion of the bundle's name.";
        CATALOG_OBJECT_REF = "catalog-object-ref", Warning, FBC, "Write the file itself, in base64, to data: newer programs do not follow ref.";
        CATALOG_CSV_METADATA = "catalog-csv-metadata", Warning, FBC, "Keep one property olm.csv.metadata.";
        CATALOG_MESSAGE_SIZE = "catalog-message-size", Warning, FBC, "Publish the bundle as an image, and write its name to image.";
        CATALOG_MANIFESTS_SIZE = "catalog-manifests-size", Warning, FBC, "Publish the bundle as an image, and write its name to image.";

        // File-based catalogs: deprecations.
        CATALOG_DEPRECATION_PACKAGE = "catalog-deprecation-package", Error, FBC, "Keep one document of schema olm.deprecations for each package of the catalog.";
        CATALOG_DEPRECATION_REFERENCE = "catalog-deprecation-reference", Error, FBC, "Refer to {schema: olm.package}, or to an olm.channel or olm.bundle of the package by its name.";
        CATALOG_DEPRECATION_DUPLICATE = "catalog-deprecation-duplicate", Error, FBC, "Keep one of the two entries.";
        CATALOG_DEPRECATION_MESSAGE = "catalog-deprecation-message", Error, FBC, "Say in message what users are to do.";
        CATALOG_DEPRECATION_IGNORED = "catalog-deprecation-ignored", Info, FBC, "Nothing to do where all clusters have a newer one.";

        // File-based catalogs: lifecycles.
        CATALOG_LIFECYCLE_PACKAGE = "catalog-lifecycle-package", Error, LIFECYCLE, "Keep one document of lifecycles for each package of the catalog.";
        CATALOG_LIFECYCLE_FIELD = "catalog-lifecycle-field", Error, LIFECYCLE, "Write the fields of lifecycles and no others, each with a value of its type.";
        CATALOG_LIFECYCLE_VERSION = "catalog-lifecycle-version", Error, LIFECYCLE, "List each version once in versions, with a name such as 1.2.";
        CATALOG_LIFECYCLE_PHASE = "catalog-lifecycle-phase", Error, LIFECYCLE, "List the phases in the order of time, each from the day after the end of the one before.";
        CATALOG_LIFECYCLE_DATE = "catalog-lifecycle-date", Error, LIFECYCLE, "Write the first and the last day of the phase as YYYY-MM-DD, the last one after the first.";
        CATALOG_LIFECYCLE_PLATFORM = "catalog-lifecycle-platform", Error, LIFECYCLE, "Name the platform openshift, with the versions such as 4.20 on which the operator runs.";
    }
}
