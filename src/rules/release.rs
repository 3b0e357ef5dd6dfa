//! Files that specify the release of an operator into the catalogs of a community repository.

use super::PIPELINES;

rules! { RELEASES
    Authoring {
        RELEASE_KEY = "release-key", Error, PIPELINES, "Remove the key, or correct its name; the pipelines reject or ignore it.";
        RELEASE_VALUE = "release-value", Error, PIPELINES, "Use a value that the pipelines accept.";
        RELEASE_DISABLED = "release-disabled", Error, PIPELINES, "Add fbc: {enabled: true, catalog_mapping: […]} to ci.yaml.";
        RELEASE_TEMPLATE_UNMAPPED = "release-template-unmapped", Error, PIPELINES, "Add the template to fbc.catalog_mapping in ci.yaml, with its catalogs; otherwise nothing is rendered from it.";
        RELEASE_TEMPLATE_TYPE = "release-template-type", Error, PIPELINES, "Set the type in ci.yaml to the schema of the template.";
        RELEASE_CATALOG_TWICE = "release-catalog-twice", Error, PIPELINES, "Render each catalog from only one template; otherwise the last rendered template overwrites the others.";
        RELEASE_CATALOG_VERSION = "release-catalog-version", Warning, PIPELINES, "Name the catalog after an OpenShift version, such as v4.20, which determines the format of its bundles.";
        RELEASE_CHANNEL = "release-channel", Error, PIPELINES, "Use Candidate, Fast or Stable, because a semver template derives its channels from these lists.";
        RELEASE_EDGE = "release-edge", Error, PIPELINES, "Name a bundle of the channel, or first add the named bundle to the channel; otherwise the update has no target.";
        RELEASE_UNUSED = "release-unused", Warning, PIPELINES, "Remove the key: updates in a semver template follow from the versions alone.";
        RELEASE_DEFAULT_CHANNEL = "release-default-channel", Warning, PIPELINES, "Change defaultChannel in the template; this key applies only when the template is created.";
    }
}
