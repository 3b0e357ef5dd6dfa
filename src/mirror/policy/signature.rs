//! Reads and verifies signatures that are stored under tags.

use crate::image::{Digest, Image, ImageError};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{SignatureVerificationAlgorithm, SubjectPublicKeyInfoDer};
use serde::Deserialize;
use serde_json::Value;
use std::fmt;
use std::io::Read;
use webpki::RawPublicKeyEntity;
use webpki::ring::{
    ECDSA_P256_SHA256, ECDSA_P256_SHA384, ECDSA_P384_SHA256, ECDSA_P384_SHA384, ED25519, RSA_PKCS1_2048_8192_SHA256,
};

/// The media type of a signed payload.
const PAYLOAD: &str = "application/vnd.dev.cosign.simplesigning.v1+json";
/// The annotation that contains the signature.
const SIGNATURE: &str = "dev.cosignproject.cosign/signature";
/// The type in the payload of an image signature.
const KIND: &str = "cosign container image signature";
/// The maximum size in bytes of a payload.
const PAYLOAD_LIMIT: u64 = 1 << 20;
/// The maximum number of signatures that are read for an image.
const LIMIT: usize = 1000;

/// The supported signature algorithms.
const ALGORITHMS: [&dyn SignatureVerificationAlgorithm; 6] = [
    ECDSA_P256_SHA256,
    ECDSA_P256_SHA384,
    ECDSA_P384_SHA256,
    ECDSA_P384_SHA384,
    ED25519,
    RSA_PKCS1_2048_8192_SHA256,
];

/// A public key for verifying signatures.
#[derive(Clone)]
pub struct PublicKey(SubjectPublicKeyInfoDer<'static>);

/// The error for bytes that do not contain a supported key.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// The bytes are not a public key in PEM.
    #[error("not a public key in PEM: {problem}")]
    Pem {
        /// The error reported by the parser.
        problem: String,
    },
    /// The kind of key is not supported.
    #[error("not a public key for ECDSA, Ed25519 or RSA")]
    Kind,
}

/// A signature that is stored next to an image.
#[derive(Debug, Clone)]
pub struct Attached {
    /// The signed payload, in its stored form.
    pub payload: Vec<u8>,
    /// The signature.
    pub signature: Vec<u8>,
}

/// The content of a payload. Unknown critical fields are rejected, because they cannot be checked.
#[derive(Deserialize)]
struct Payload {
    critical: Critical,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Critical {
    identity: SignedIdentity,
    image: SignedImage,
    #[serde(rename = "type")]
    kind: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct SignedIdentity {
    docker_reference: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct SignedImage {
    docker_manifest_digest: Digest,
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "PublicKey({})", Digest::of(&self.0))
    }
}

impl PublicKey {
    /// Reads a public key from PEM.
    ///
    /// # Errors
    /// Returns an error if `pem` is not a public key, or the kind of key is not supported.
    pub fn from_pem(pem: &[u8]) -> Result<Self, KeyError> {
        let key = SubjectPublicKeyInfoDer::from_pem_slice(pem).map_err(|error| KeyError::Pem {
            problem: error.to_string(),
        })?;
        let key = key.into_owned();
        let is_known = RawPublicKeyEntity::try_from(&key).is_ok_and(|entity| {
            // The empty signature is invalid, but an algorithm that does not suit the key reports a different error.
            ALGORITHMS.iter().any(|algorithm| {
                let refused = entity.verify_signature(*algorithm, b"", b"");
                refused == Err(webpki::Error::InvalidSignatureForPublicKey)
            })
        });
        if is_known { Ok(Self(key)) } else { Err(KeyError::Kind) }
    }

    /// Whether `signature` is a valid signature of `message`, made with this key.
    pub fn made(&self, signature: &[u8], message: &[u8]) -> bool {
        RawPublicKeyEntity::try_from(&self.0).is_ok_and(|entity| {
            let mut algorithms = ALGORITHMS.iter();
            algorithms.any(|algorithm| entity.verify_signature(*algorithm, message, signature).is_ok())
        })
    }
}

impl Attached {
    /// Returns the image name in the signature if one of these keys signed the manifest `digest`.
    ///
    /// # Errors
    /// Returns the reason why the signature is invalid.
    pub fn identity(&self, digest: Digest, keys: &[PublicKey]) -> Result<String, String> {
        if !keys.iter().any(|key| key.made(&self.signature, &self.payload)) {
            return Err("it was not created with any key in the policy".to_owned());
        }
        let payload: Payload =
            serde_json::from_slice(&self.payload).map_err(|error| format!("its payload cannot be read: {error}"))?;
        let Critical { identity, image, kind } = payload.critical;
        if kind != KIND {
            return Err(format!("its payload is {kind:?} instead of an image signature"));
        }
        if image.docker_manifest_digest != digest {
            return Err(format!("it is for another image, {}", image.docker_manifest_digest));
        }
        Ok(identity.docker_reference)
    }
}

/// Returns the signatures in a signature image, which is stored under the signature tag of the signed image.
///
/// # Errors
/// Returns an error if a payload cannot be opened. Payloads that are too large and signatures beyond the limit are
/// skipped.
pub fn attached(image: &Image) -> Result<Vec<Attached>, ImageError> {
    let manifest: Value = serde_json::from_slice(image.manifest()).unwrap_or_default();
    let mut found = Vec::new();
    for (index, layer) in image.layers().iter().enumerate().take(LIMIT) {
        let described = manifest.pointer(&format!("/layers/{index}/annotations"));
        let signature = described.and_then(|annotations| annotations.get(SIGNATURE)?.as_str());
        let signature = signature.and_then(|signature| STANDARD.decode(signature).ok());
        let (PAYLOAD, Some(signature), true) = (
            layer.descriptor.media_type.as_str(),
            signature,
            layer.descriptor.size <= PAYLOAD_LIMIT,
        ) else {
            continue;
        };
        let mut payload = Vec::new();
        let read = layer.content.open()?.take(PAYLOAD_LIMIT).read_to_end(&mut payload);
        if read.is_ok() {
            found.push(Attached { payload, signature });
        }
    }
    Ok(found)
}
