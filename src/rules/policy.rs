//! What a policy of an administrator allows, where somebody names one.

use super::POLICY;

rules! { POLICIES
    Policies {
        POLICY_KIND = "policy-kind", Error, POLICY, "Leave the object out, or have its kind allowed.";
        POLICY_PERMISSION = "policy-permission", Error, POLICY, "Ask for less, or have the permission allowed.";
        POLICY_SOURCE = "policy-source", Error, POLICY, "Take the image or the catalog from where it is allowed, or have this place allowed.";
        POLICY_UNSEEN = "policy-unseen", Warning, POLICY, "Check the images of these bundles against the policy.";
    }
}
