//! Checks the keys and values of ConfigMaps and Secrets.

use super::part::{Part, is_unset};
use crate::kubernetes::names::is_data_key;
use crate::rules;
use crate::text::Path;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

impl Part<'_> {
    /// Checks values that must be encoded in base64. The field `plain` takes text instead.
    pub(super) fn encoded(&mut self, field: &str, plain: &str) {
        let object = self.object;
        for (key, value) in object.map(&[field]).into_iter().flatten() {
            let Some(value) = value.as_str() else { continue };
            // The API server ignores line breaks.
            let joined = value.replace(['\r', '\n'], "");
            if STANDARD.decode(joined).is_err() {
                let path = Path::root().key(field).key(key);
                let message = format!("the value of {path} in {} is not encoded in base64", object.label());
                let finding = self.finding(&rules::DATA_ENCODING, &path, message);
                let help = format!("Encode the value in base64, or move it to {plain}, which contains plain text.");
                self.findings.push(finding.help(help));
            }
        }
    }

    /// Checks that a Secret has the annotation or the keys that its type requires.
    pub(super) fn secret_type(&mut self) {
        let object = self.object;
        let of_type = object.text(&["type"]).unwrap_or_default();
        let annotation = Path::from("metadata.annotations").key(ACCOUNT);
        if of_type == TOKEN && is_unset(self.value(&annotation)) {
            let message = format!("a Secret of the type {TOKEN} has no annotation {ACCOUNT}");
            self.refuse(
                &annotation,
                message,
                "Add the annotation with the name of the ServiceAccount.",
            );
        }
        let values = |key: &'static str| {
            let maps = ["data", "stringData"].map(|field| object.map(&[field]));
            maps.into_iter().flatten().filter_map(move |map| map.get(key))
        };
        let has = |key| values(key).next().is_some();
        if of_type == BASIC && !has("username") && !has("password") {
            let message = format!("a Secret of the type {of_type} has neither the key username nor the key password");
            self.refuse(&Path::from("data"), message, ADD_KEY);
        }
        if of_type == SSH && values(SSH_KEY).all(|value| is_unset(Some(value))) {
            let message = format!("a Secret of the type {of_type} has no value for the key {SSH_KEY}");
            self.refuse(&Path::from("data").key(SSH_KEY), message, ADD_KEY);
        }
        let required = REQUIRED.iter().filter(|(known, key)| *known == of_type && !has(key));
        for (_, key) in required {
            let message = format!("a Secret of the type {of_type} has no key {key}");
            self.refuse(&Path::from("data").key(key), message, ADD_KEY);
        }
    }

    /// Checks the keys in these fields.
    pub(super) fn data_keys(&mut self, fields: &[&str]) {
        let object = self.object;
        for field in fields {
            for key in object.map(&[field]).into_iter().flatten().map(|(key, _)| key) {
                if !is_data_key(key) {
                    let message = format!("{key:?} is not a valid key of a {}", object.gvk().kind);
                    self.refuse_key(&Path::root().key(field).key(key), message, KEY);
                }
            }
        }
    }

    /// Reports keys of a ConfigMap that have a value in both of its fields.
    pub(super) fn data_twice(&mut self) {
        let object = self.object;
        let Some(plain) = object.map(&["data"]) else { return };
        for key in object.map(&["binaryData"]).into_iter().flatten().map(|(key, _)| key) {
            if plain.contains_key(key) {
                let message = format!("the key {key:?} is in both data and binaryData");
                let help = "Remove it from one of the two, or use different keys.";
                self.refuse_key(&Path::root().key("binaryData").key(key), message, help);
            }
        }
    }
}

/// The type of Secrets that Kubernetes fills with the token of a ServiceAccount, and the annotation with its name.
const TOKEN: &str = "kubernetes.io/service-account-token";
const ACCOUNT: &str = "kubernetes.io/service-account.name";

/// The type of Secrets with a user name or a password, or both.
const BASIC: &str = "kubernetes.io/basic-auth";
/// The type of Secrets with a key for SSH, which must not be empty.
const SSH: &str = "kubernetes.io/ssh-auth";
const SSH_KEY: &str = "ssh-privatekey";

const ADD_KEY: &str = "Add the key to data or stringData, or change the type.";

/// Types of Secrets, each with a key that Secrets of the type must have.
const REQUIRED: [(&str, &str); 4] = [
    ("kubernetes.io/dockercfg", ".dockercfg"),
    ("kubernetes.io/dockerconfigjson", ".dockerconfigjson"),
    ("kubernetes.io/tls", "tls.crt"),
    ("kubernetes.io/tls", "tls.key"),
];

const KEY: &str = "Use at most 253 letters, digits, hyphens, underscores and dots, and do not begin with two dots.";
