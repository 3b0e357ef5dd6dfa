//! Restrictions of an administrator's policy, if one is specified.

use super::POLICY;

rules! { POLICIES
    Requested {
        POLICY_KIND = "policy-kind", Error, POLICY, "Remove the object, or ask the administrator to allow its kind.";
        POLICY_PERMISSION = "policy-permission", Error, POLICY, "Request fewer permissions, or ask the administrator to allow this one.";
        POLICY_SOURCE = "policy-source", Error, POLICY, "Use an image or catalog from an allowed source, or ask the administrator to allow this source.";
        POLICY_UNSEEN = "policy-unseen", Warning, POLICY, "Check the images of these bundles against the policy.";
    }
}
