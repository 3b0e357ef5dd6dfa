//! Reads policies from files: `policy.json` of container engines, and ClusterImagePolicy and ImagePolicy of OpenShift.

use super::{Identity, KeyError, Policy, PublicKey, Requirement};
use crate::files::{FileError, read_at_most};
use crate::source::{Place, SourceFile};
use crate::text::{self, Document, Limits, Path};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs::File;

/// The transport name for registries in `policy.json`.
const REGISTRIES: &str = "docker";
/// The maximum size in bytes of a key file.
const KEY_LIMIT: u64 = 1 << 20;

/// An error in a policy file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PolicyError {
    /// The content of the file is invalid.
    #[error("{place}: {message}")]
    Content {
        /// The location of the problem.
        place: Place,
        /// A description of the problem.
        message: String,
    },
    /// A key is invalid.
    #[error("{place}: {key}")]
    Key {
        /// The location of the key, or of its file name.
        place: Place,
        /// The file name of the key, or the field that contains the key.
        key: String,
        /// The underlying error.
        #[source]
        source: KeyError,
    },
    /// A key file cannot be read.
    #[error("{place}: cannot read the key")]
    File {
        /// The location of the key, or of its file name.
        place: Place,
        /// The underlying error.
        #[source]
        source: FileError,
    },
}

/// Reads a policy from a file: `policy.json`, or ClusterImagePolicy and ImagePolicy documents. `name` is the file path
/// in error messages.
///
/// # Errors
/// Returns an error that names the line if the file is not a policy, or refers to a key that cannot be read.
pub fn read(name: &str, bytes: &[u8], limits: &Limits) -> Result<Policy, PolicyError> {
    let mut reading = text::read(name, bytes, limits);
    let whole = || Place::new(&SourceFile::new(name, ""), 0..0);
    if let Some(finding) = reading.diagnostics.iter().find(|finding| finding.is_error()) {
        return Err(PolicyError::Content {
            place: finding.place.clone().unwrap_or_else(whole),
            message: finding.message.clone(),
        });
    }
    reading.documents.retain(|document| !document.value().is_null());
    let mut policy = Policy::default();
    if let [document] = reading.documents.as_slice()
        && document.value().get("kind").is_none()
    {
        return of_engine(&Reader { document });
    }
    for document in &reading.documents {
        of_cluster(&Reader { document }, &mut policy)?;
    }
    if policy.scopes.is_empty() {
        let message = "the file contains no policy".to_owned();
        return Err(PolicyError::Content {
            place: whole(),
            message,
        });
    }
    Ok(policy)
}

/// A reader for the document.
struct Reader<'a> {
    document: &'a Document,
}

impl Reader<'_> {
    fn fail<T>(&self, path: &Path, message: impl Into<String>) -> Result<T, PolicyError> {
        Err(PolicyError::Content {
            place: self.document.place(path),
            message: message.into(),
        })
    }

    fn get<T: DeserializeOwned>(&self, path: &Path) -> Result<T, PolicyError> {
        let value = path.get(self.document.value()).cloned().unwrap_or(Value::Null);
        serde_json::from_value(value).or_else(|error| self.fail(path, error.to_string()))
    }

    fn key_of(&self, path: &Path, key: &str, pem: &[u8]) -> Result<PublicKey, PolicyError> {
        PublicKey::from_pem(pem).map_err(|source| PolicyError::Key {
            place: self.document.place(path),
            key: key.to_owned(),
            source,
        })
    }

    fn key_in_file(&self, path: &Path, file: &str) -> Result<PublicKey, PolicyError> {
        let read = File::open(file).and_then(|opened| read_at_most(opened, KEY_LIMIT));
        let pem = read.map_err(|error| PolicyError::File {
            place: self.document.place(path),
            source: FileError::new("read", std::path::Path::new(file), error),
        })?;
        self.key_of(path, file, &pem)
    }

    fn key_in_text(&self, path: &Path, text: &str) -> Result<PublicKey, PolicyError> {
        let packed: String = text.split_whitespace().collect();
        match STANDARD.decode(packed) {
            Ok(pem) => self.key_of(path, "the key", &pem),
            Err(_) => self.fail(path, "the key must be base64-encoded PEM"),
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EnginePolicy {
    default: Vec<Value>,
    #[serde(default)]
    transports: BTreeMap<String, BTreeMap<String, Vec<Value>>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct WrittenRequirement {
    #[serde(rename = "type")]
    _kind: String,
    key_path: Option<String>,
    key_paths: Option<Vec<String>>,
    key_data: Option<String>,
    key_datas: Option<Vec<String>>,
    fulcio: Option<Value>,
    pki: Option<Value>,
    rekor_public_key_path: Option<Value>,
    rekor_public_key_paths: Option<Value>,
    rekor_public_key_data: Option<Value>,
    rekor_public_key_datas: Option<Value>,
    signed_identity: Option<WrittenIdentity>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct WrittenIdentity {
    #[serde(rename = "type")]
    kind: String,
    docker_reference: Option<String>,
    docker_repository: Option<String>,
    prefix: Option<String>,
    signed_prefix: Option<String>,
}

fn of_engine(reader: &Reader<'_>) -> Result<Policy, PolicyError> {
    let root = Path::root();
    let written: EnginePolicy = reader.get(&root)?;
    let default = root.key("default");
    let mut policy = Policy {
        default: Some(requirements(reader, &default, written.default.len())?),
        scopes: BTreeMap::new(),
    };
    let scopes = root.key("transports").key(REGISTRIES);
    for (scope, listed) in written.transports.get(REGISTRIES).into_iter().flatten() {
        let listed = requirements(reader, &scopes.key(scope), listed.len())?;
        policy.scopes.insert(scope.clone(), listed);
    }
    Ok(policy)
}

fn requirements(reader: &Reader<'_>, list: &Path, length: usize) -> Result<Vec<Requirement>, PolicyError> {
    if length == 0 {
        return reader.fail(list, "a list of requirements must not be empty");
    }
    (0..length)
        .map(|index| requirement(reader, &list.index(index)))
        .collect()
}

fn requirement(reader: &Reader<'_>, path: &Path) -> Result<Requirement, PolicyError> {
    let kind: String = reader.get(&path.key("type"))?;
    match kind.as_str() {
        "insecureAcceptAnything" => Ok(Requirement::Accept),
        "reject" => Ok(Requirement::Reject),
        "sigstoreSigned" => signed(reader, path),
        "signedBy" => Ok(Requirement::Unsupported {
            what: "a signature by a GPG key".to_owned(),
        }),
        other => reader.fail(
            &path.key("type"),
            format!("{other:?} is not a known policy requirement"),
        ),
    }
}

fn signed(reader: &Reader<'_>, path: &Path) -> Result<Requirement, PolicyError> {
    let written: WrittenRequirement = reader.get(path)?;
    let rekor = [
        &written.rekor_public_key_path,
        &written.rekor_public_key_paths,
        &written.rekor_public_key_data,
        &written.rekor_public_key_datas,
    ];
    let unsupported = [
        (written.fulcio.is_some(), "a Fulcio certificate"),
        (written.pki.is_some(), "a certificate of a public key infrastructure"),
        (rekor.iter().any(|key| key.is_some()), "an entry in a transparency log"),
    ];
    if let Some((_, what)) = unsupported.iter().find(|(is_there, _)| *is_there) {
        let what = (*what).to_owned();
        return Ok(Requirement::Unsupported { what });
    }
    let mut keys = Vec::new();
    let (files, texts) = (
        written.key_paths.unwrap_or_default(),
        written.key_datas.unwrap_or_default(),
    );
    for file in written.key_path.iter().chain(&files) {
        keys.push(reader.key_in_file(path, file)?);
    }
    for text in written.key_data.iter().chain(&texts) {
        keys.push(reader.key_in_text(path, text)?);
    }
    if keys.is_empty() {
        return reader.fail(
            path,
            "no key is specified; expected keyPath, keyPaths, keyData or keyDatas",
        );
    }
    let identity = match written.signed_identity {
        None => Identity::RepositoryOrExact,
        Some(identity) => identity_of(reader, &path.key("signedIdentity"), identity)?,
    };
    Ok(Requirement::Signed { keys, identity })
}

fn identity_of(reader: &Reader<'_>, path: &Path, written: WrittenIdentity) -> Result<Identity, PolicyError> {
    let missing = |field: &str| reader.fail(path, format!("{} requires {field}", written.kind));
    match written.kind.as_str() {
        "matchExact" => Ok(Identity::Exact),
        "matchRepoDigestOrExact" => Ok(Identity::RepositoryOrExact),
        "matchRepository" => Ok(Identity::Repository),
        "exactReference" => match written.docker_reference {
            Some(reference) => Ok(Identity::ExactReference(reference)),
            None => missing("dockerReference"),
        },
        "exactRepository" => match written.docker_repository {
            Some(repository) => Ok(Identity::ExactRepository(repository)),
            None => missing("dockerRepository"),
        },
        "remapIdentity" => match (written.prefix, written.signed_prefix) {
            (Some(prefix), Some(signed)) => Ok(Identity::Remap { prefix, signed }),
            _ => missing("prefix and signedPrefix"),
        },
        other => reader.fail(
            &path.key("type"),
            format!("{other:?} is not a known identity match policy"),
        ),
    }
}

#[derive(Deserialize)]
struct ClusterPolicy {
    kind: String,
    spec: ClusterSpec,
}

#[derive(Deserialize)]
struct ClusterSpec {
    scopes: Vec<String>,
    policy: WrittenPolicy,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WrittenPolicy {
    root_of_trust: RootOfTrust,
    signed_identity: Option<MatchedIdentity>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RootOfTrust {
    policy_type: String,
    public_key: Option<KeyOfCluster>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct KeyOfCluster {
    key_data: String,
    rekor_key_data: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct MatchedIdentity {
    match_policy: String,
    exact_repository: Option<ExactRepository>,
    remap_identity: Option<RemapIdentity>,
}

#[derive(Deserialize)]
struct ExactRepository {
    repository: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RemapIdentity {
    prefix: String,
    signed_prefix: String,
}

/// Adds the policy of an object. If several policies have the same scope, all of them apply.
fn of_cluster(reader: &Reader<'_>, policy: &mut Policy) -> Result<(), PolicyError> {
    let root = Path::root();
    let written: ClusterPolicy = reader.get(&root)?;
    if !matches!(written.kind.as_str(), "ClusterImagePolicy" | "ImagePolicy") {
        let message = format!("{} is neither a ClusterImagePolicy nor an ImagePolicy", written.kind);
        return reader.fail(&root.key("kind"), message);
    }
    let WrittenPolicy {
        root_of_trust,
        signed_identity,
    } = written.spec.policy;
    let trust = root.key("spec").key("policy").key("rootOfTrust");
    let requirement = match (root_of_trust.policy_type.as_str(), root_of_trust.public_key) {
        ("PublicKey", Some(key)) if key.rekor_key_data.is_some() => Requirement::Unsupported {
            what: "an entry in a transparency log".to_owned(),
        },
        ("PublicKey", Some(key)) => Requirement::Signed {
            keys: vec![reader.key_in_text(&trust.key("publicKey").key("keyData"), &key.key_data)?],
            identity: match signed_identity {
                None => Identity::RepositoryOrExact,
                Some(identity) => matched(reader, &root.key("spec").key("policy").key("signedIdentity"), identity)?,
            },
        },
        ("PublicKey", None) => return reader.fail(&trust, "publicKey is missing"),
        ("FulcioCAWithRekor", _) => Requirement::Unsupported {
            what: "a Fulcio certificate".to_owned(),
        },
        ("PKI", _) => Requirement::Unsupported {
            what: "a certificate of a public key infrastructure".to_owned(),
        },
        (other, _) => {
            return reader.fail(
                &trust.key("policyType"),
                format!("{other:?} is not a known root of trust"),
            );
        }
    };
    for scope in written.spec.scopes {
        policy.scopes.entry(scope).or_default().push(requirement.clone());
    }
    Ok(())
}

fn matched(reader: &Reader<'_>, path: &Path, written: MatchedIdentity) -> Result<Identity, PolicyError> {
    match (
        written.match_policy.as_str(),
        written.exact_repository,
        written.remap_identity,
    ) {
        ("MatchRepoDigestOrExact", ..) => Ok(Identity::RepositoryOrExact),
        ("MatchRepository", ..) => Ok(Identity::Repository),
        ("ExactRepository", Some(exact), _) => Ok(Identity::ExactRepository(exact.repository)),
        ("RemapIdentity", _, Some(remap)) => Ok(Identity::Remap {
            prefix: remap.prefix,
            signed: remap.signed_prefix,
        }),
        ("ExactRepository", ..) => reader.fail(path, "ExactRepository requires exactRepository"),
        ("RemapIdentity", ..) => reader.fail(path, "RemapIdentity requires remapIdentity"),
        (other, ..) => reader.fail(
            &path.key("matchPolicy"),
            format!("{other:?} is not a known identity match policy"),
        ),
    }
}
