//! Files that say how an operator is released into the catalogs of a community repository.

use super::PIPELINES;

rules! { RELEASES
    Authoring {
        RELEASE_KEY = "release-key", Error, PIPELINES, "Remove the key, or correct its name: the pipelines refuse it, or act as if it was not there.";
        RELEASE_VALUE = "release-value", Error, PIPELINES, "Write a value that the pipelines take.";
        RELEASE_DISABLED = "release-disabled", Error, PIPELINES, "Write fbc: {enabled: true, catalog_mapping: […]} into ci.yaml.";
        RELEASE_TEMPLATE_UNMAPPED = "release-template-unmapped", Error, PIPELINES, "Name the template in fbc.catalog_mapping of ci.yaml, with its catalogs: nothing is rendered from it otherwise.";
        RELEASE_TEMPLATE_TYPE = "release-template-type", Error, PIPELINES, "Write the schema of the template as its type in ci.yaml.";
        RELEASE_CATALOG_TWICE = "release-catalog-twice", Error, PIPELINES, "Let each catalog come from one template: what is rendered last would count.";
        RELEASE_CATALOG_VERSION = "release-catalog-version", Warning, PIPELINES, "Name the catalog after a version of OpenShift, such as v4.20: the form of its bundles follows from that.";
        RELEASE_CHANNEL = "release-channel", Error, PIPELINES, "Name Candidate, Fast or Stable: a semver template makes its channels from these lists.";
        RELEASE_EDGE = "release-edge", Error, PIPELINES, "Name a bundle of the channel, or add that one first: the update would lead nowhere.";
        RELEASE_UNUSED = "release-unused", Warning, PIPELINES, "Remove the key: updates in a semver template follow from the versions alone.";
        RELEASE_DEFAULT_CHANNEL = "release-default-channel", Warning, PIPELINES, "Change defaultChannel in the template: the key counts only for a template that is new.";
    }
}
