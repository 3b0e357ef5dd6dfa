//! Signatures made by openssl, verified against policies.

use crate::tools::{installed, run};
use opmx::image::{Blob, Digest, Document, Image};
use opmx::mirror::plan::{
    Extra, ExtraKind, ExtraVia, ImageRole, Plan, PlannedImage, PlannedManifest, SCHEMA, Totals, Use,
};
use opmx::mirror::policy::{Attached, Evidence, Policy, attached, attestations_in, read, verdicts};
use opmx::text::Limits;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

const NAME: &str = "registry.example.com/team/app";
const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";
const INDEX: &str = "application/vnd.oci.image.index.v1+json";
pub(crate) const KINDS: [(&str, &[&str]); 3] = [
    ("ec", &["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"]),
    ("rsa", &["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"]),
    ("ed25519", &["-algorithm", "ED25519"]),
];

pub(crate) fn make_key(folder: &Path, name: &str, how: &[&str]) {
    let (private, public) = (path(folder, name), path(folder, &format!("{name}.pub")));
    run("openssl", &[&["genpkey"], how, &["-out", &private]].concat());
    run("openssl", &["pkey", "-in", &private, "-pubout", "-out", &public]);
}

pub(crate) fn path(folder: &Path, name: &str) -> String {
    folder.join(name).to_str().unwrap().to_owned()
}

/// Signs the payload with a key, and returns the signature as base64.
pub(crate) fn sign(folder: &Path, key: &str, payload: &[u8]) -> String {
    let (file, signature) = (path(folder, "payload"), path(folder, "signature"));
    fs::write(&file, payload).unwrap();
    let private = path(folder, key);
    if key == "ed25519" {
        let how = [
            "pkeyutl", "-sign", "-rawin", "-inkey", &private, "-in", &file, "-out", &signature,
        ];
        run("openssl", &how);
    } else {
        run(
            "openssl",
            &["dgst", "-sha256", "-sign", &private, "-out", &signature, &file],
        );
    }
    run("openssl", &["base64", "-A", "-in", &signature])
}

pub(crate) fn payload(name: &str, digest: Digest) -> Vec<u8> {
    let critical = json!({
        "identity": {"docker-reference": name},
        "image": {"docker-manifest-digest": digest.to_string()},
        "type": "cosign container image signature"
    });
    json!({"critical": critical, "optional": null}).to_string().into_bytes()
}

/// The image under the tag of signatures.
pub(crate) fn image_of(payload: Vec<u8>, signature: &str) -> Image {
    let media_type = "application/vnd.dev.cosign.simplesigning.v1+json";
    let manifest = json!({
        "schemaVersion": 2, "mediaType": MANIFEST,
        "config": {
            "mediaType": "application/vnd.oci.image.config.v1+json", "digest": Digest::of(b"{}").to_string(), "size": 2
        },
        "layers": [{
            "mediaType": media_type, "digest": Digest::of(&payload).to_string(), "size": payload.len(),
            "annotations": {"dev.cosignproject.cosign/signature": signature}
        }]
    });
    let layers = vec![Blob::Memory(payload.into())];
    Image::new(
        "signature",
        Some(MANIFEST),
        manifest.to_string().into_bytes(),
        b"{}".to_vec(),
        layers,
    )
    .unwrap()
}

fn signed(folder: &Path, key: &str, name: &str, digest: Digest) -> Vec<Attached> {
    let payload = payload(name, digest);
    let signature = sign(folder, key, &payload);
    attached(&image_of(payload, &signature)).unwrap()
}

fn policy(folder: &Path, value: &Value) -> Result<Policy, String> {
    let file = folder.join("policy.json");
    fs::write(&file, value.to_string()).unwrap();
    let read = read("policy.json", value.to_string().as_bytes(), &Limits::default());
    read.map_err(|error| opmx::causes::with_causes(&error))
}

fn by_key(folder: &Path, key: &str) -> Policy {
    let signed = json!({"type": "sigstoreSigned", "keyPath": path(folder, &format!("{key}.pub"))});
    let policy_json = json!({"default": [{"type": "reject"}], "transports": {"docker": {NAME: [signed]}}});
    policy(folder, &policy_json).unwrap()
}

/// A plan with one image, with the images of two platforms if `platforms` is set, and a signature for each of
/// `subjects`.
fn plan(origin: &str, digest: Digest, platforms: &[Digest], subjects: &[Digest]) -> Plan {
    let extra = |subject: &Digest| Extra {
        subject: *subject,
        digest: holder(*subject),
        kind: ExtraKind::Signature,
        via: ExtraVia::Tag,
        artifact_type: None,
        tag: None,
        bytes: 1,
    };
    let manifest = |children: &[Digest]| PlannedManifest {
        media_type: if children.is_empty() { MANIFEST } else { INDEX }.to_owned(),
        bytes: 1,
        sources: BTreeSet::new(),
        manifests: children.to_vec(),
        blobs: Vec::new(),
        subject: None,
        repositories: BTreeSet::new(),
    };
    let mut manifests = BTreeMap::from([(digest, manifest(platforms))]);
    manifests.extend(platforms.iter().map(|platform| (*platform, manifest(&[]))));
    let image = PlannedImage {
        source: format!("{NAME}@{digest}"),
        origins: BTreeSet::from([origin.to_owned()]),
        digest,
        media_type: INDEX.to_owned(),
        platforms: platforms
            .iter()
            .enumerate()
            .map(|(at, _)| format!("linux/cpu{at}").parse().unwrap())
            .collect(),
        platforms_left_out: BTreeSet::new(),
        bytes: 1,
        uses: vec![Use {
            role: ImageRole::Additional,
            package: None,
            bundle: None,
            name: None,
        }],
        path: None,
        destination: None,
        tags: BTreeSet::new(),
        extras: subjects.iter().map(|subject| holder(*subject)).collect(),
    };
    Plan {
        schema: SCHEMA.to_owned(),
        to: None,
        catalogs: Vec::new(),
        images: vec![image],
        extras: subjects.iter().map(extra).collect(),
        manifests,
        blobs: BTreeMap::new(),
        totals: Totals::default(),
        because: Vec::new(),
        left_out: Vec::new(),
    }
}

/// The digest of the manifest with the signatures of `subject`.
fn holder(subject: Digest) -> Digest {
    Digest::of(subject.to_string().as_bytes())
}

fn refusal(plan: &Plan, policy: &Policy, signatures: &[(Digest, Vec<Attached>)]) -> Option<String> {
    verdicts(plan, policy, &evidence(signatures)).images.remove(0).refused
}

fn evidence(signatures: &[(Digest, Vec<Attached>)]) -> Evidence {
    evidence_at(None, signatures)
}

/// Signatures in this destination.
fn evidence_at(destination: Option<&str>, signatures: &[(Digest, Vec<Attached>)]) -> Evidence {
    let found = signatures
        .iter()
        .map(|(subject, found)| ((destination.map(str::to_owned), *subject), Ok(found.clone())));
    Evidence {
        signatures: found.collect(),
        ..Evidence::default()
    }
}

#[test]
fn signatures_by_every_kind_of_key_are_accepted_and_others_rejected() {
    if !installed(&["openssl"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (folder, digest) = (folder.path(), Digest::of(b"image"));
    let origin = format!("{NAME}@{digest}");
    let plan = plan(&origin, digest, &[], &[digest]);
    for (key, how) in KINDS {
        make_key(folder, key, how);
        let good = signed(folder, key, NAME, digest);
        let policy = by_key(folder, key);
        assert_eq!(refusal(&plan, &policy, &[(digest, good.clone())]), None, "{key}");

        let mut changed = good.clone();
        let position = changed[0].payload.len() - 10;
        changed[0].payload[position] ^= 1;
        assert!(
            refusal(&plan, &policy, &[(digest, changed)])
                .unwrap()
                .contains("not created with any key"),
            "{key}"
        );
        let mut changed = good;
        changed[0].signature[20] ^= 1;
        assert!(
            refusal(&plan, &policy, &[(digest, changed)])
                .unwrap()
                .contains("not created with any key"),
            "{key}"
        );

        let of_other = signed(folder, key, NAME, Digest::of(b"another"));
        assert!(
            refusal(&plan, &policy, &[(digest, of_other)])
                .unwrap()
                .contains("another image"),
            "{key}"
        );
        let for_other = signed(folder, key, "registry.example.com/team/other", digest);
        assert!(
            refusal(&plan, &policy, &[(digest, for_other)])
                .unwrap()
                .contains("for the name"),
            "{key}"
        );
    }
    let by_other_key = signed(folder, "rsa", NAME, digest);
    assert!(refusal(&plan, &by_key(folder, "ec"), &[(digest, by_other_key)]).is_some());
    assert!(
        refusal(&plan, &by_key(folder, "ec"), &[])
            .unwrap()
            .contains("no signature")
    );
}

#[test]
fn every_image_of_an_index_must_be_signed_and_the_index_itself_need_not_be() {
    if !installed(&["openssl"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    make_key(folder, "ec", KINDS[0].1);
    let policy = by_key(folder, "ec");
    let [index, one, two] = [&b"index"[..], b"one", b"two"].map(Digest::of);
    let origin = format!("{NAME}@{index}");
    let sign = |subject: Digest| (subject, signed(folder, "ec", NAME, subject));
    let judged = |subjects: &[Digest]| {
        let signatures: Vec<_> = subjects.iter().map(|subject| sign(*subject)).collect();
        refusal(&plan(&origin, index, &[one, two], subjects), &policy, &signatures)
    };
    let only_index = judged(&[index]).unwrap();
    assert!(
        only_index.contains("only its index is signed") && only_index.contains("sign the index recursively"),
        "{only_index}"
    );
    assert_eq!(judged(&[one, two]), None);
    assert_eq!(judged(&[index, one, two]), None);
    let invalid = [(one, signed(folder, "ec", "registry.example.com/team/other", one))];
    let invalid = refusal(&plan(&origin, index, &[one, two], &[one]), &policy, &invalid).unwrap();
    assert!(
        invalid.contains(&one.to_string()) && invalid.contains("for the name"),
        "{invalid}"
    );
    assert!(judged(&[one]).unwrap().contains(&two.to_string()));
    assert!(judged(&[]).unwrap().contains("no signature"));
}

#[test]
fn every_entry_of_an_index_that_an_engine_may_run_needs_a_signature() {
    if !installed(&["openssl"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    make_key(folder, "ec", KINDS[0].1);
    let policy = by_key(folder, "ec");
    let [signed_one, other] = [&b"signed"[..], b"other"].map(Digest::of);
    let amd64 = json!({"os": "linux", "architecture": "amd64"});
    let unknown = json!({"os": "unknown", "architecture": "unknown"});
    let attests = json!({"vnd.docker.reference.type": "attestation-manifest"});
    let entry = |digest: Digest, more: &[(&str, &Value)]| {
        let mut entry = json!({"mediaType": MANIFEST, "digest": digest.to_string(), "size": 1});
        for (key, value) in more {
            entry[key] = (*value).clone();
        }
        entry
    };
    let judged = |others: Vec<Value>| {
        let mut entries = others;
        entries.push(entry(signed_one, &[("platform", &amd64)]));
        let index = json!({"schemaVersion": 2, "mediaType": INDEX, "manifests": entries}).to_string();
        let index = Document::new(INDEX, index.into_bytes());
        let digest = index.descriptor.digest;
        let mut plan = plan(&format!("{NAME}@{digest}"), digest, &[other, signed_one], &[signed_one]);
        // As in a plan, entries of one platform are counted once.
        plan.images[0].platforms = BTreeSet::from(["linux/amd64".parse().unwrap()]);
        let mut evidence = evidence(&[(signed_one, signed(folder, "ec", NAME, signed_one))]);
        evidence.attestations.insert(digest, attestations_in(&index));
        verdicts(&plan, &policy, &evidence).images.remove(0).refused
    };
    let variant = json!({"os": "linux", "architecture": "amd64", "variant": "v2"});
    for (case, more) in [
        ("one platform", vec![("platform", &amd64)]),
        ("variants", vec![("platform", &variant)]),
        ("no platform", vec![]),
        ("annotated only", vec![("annotations", &attests)]),
        ("annotated image", vec![("annotations", &attests), ("platform", &amd64)]),
    ] {
        let why = judged(vec![entry(other, &more)]).unwrap();
        assert!(why.contains(&other.to_string()), "{case}: {why}");
    }
    let attestation = entry(other, &[("annotations", &attests), ("platform", &unknown)]);
    assert_eq!(judged(vec![attestation.clone()]), None);
    let listed_twice = judged(vec![attestation, entry(other, &[("platform", &amd64)])]);
    assert!(listed_twice.unwrap().contains(&other.to_string()));
}

#[test]
fn an_index_of_attestations_only_must_be_signed_itself() {
    if !installed(&["openssl"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    make_key(folder, "ec", KINDS[0].1);
    let policy = by_key(folder, "ec");
    let (index, attestation) = (Digest::of(b"index"), Digest::of(b"attestation"));
    let plan = plan(&format!("{NAME}@{index}"), index, &[attestation], &[]);
    for is_signed in [true, false] {
        let signatures = is_signed.then(|| (index, signed(folder, "ec", NAME, index)));
        let mut evidence = evidence(&signatures.into_iter().collect::<Vec<_>>());
        evidence.attestations.insert(index, Ok(BTreeSet::from([attestation])));
        let refused = verdicts(&plan, &policy, &evidence).images.remove(0).refused;
        assert_eq!(refused.is_none(), is_signed, "{refused:?}");
    }
}

#[test]
fn a_catalog_is_judged_by_its_name_at_the_mirror_and_other_images_by_their_own() {
    if !installed(&["openssl"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    make_key(folder, "ec", KINDS[0].1);
    let (digest, at_mirror) = (Digest::of(b"catalog"), "mirror.example.com/olm/catalog");
    let key = json!({"type": "sigstoreSigned", "keyPath": path(folder, "ec.pub"),
        "signedIdentity": {"type": "matchRepository"}});
    let scopes = json!({at_mirror: [key], NAME: [{"type": "reject"}]});
    let accept = json!([{"type": "insecureAcceptAnything"}]);
    let policy = policy(folder, &json!({"default": accept, "transports": {"docker": scopes}})).unwrap();
    let mut plan = plan(&format!("{NAME}:v1"), digest, &[], &[]);
    plan.images[0].destination = Some(at_mirror.to_owned());
    plan.images[0].tags = BTreeSet::from(["v1".to_owned()]);
    let evidence = evidence_at(Some(at_mirror), &[(digest, signed(folder, "ec", at_mirror, digest))]);
    let judged = |plan: &Plan, evidence: &Evidence| {
        let judged = verdicts(plan, &policy, evidence).images.into_iter();
        let judged = judged.map(|verdict| (verdict.image, verdict.refused.is_none()));
        judged.collect::<Vec<_>>()
    };
    assert_eq!(judged(&plan, &evidence), [(format!("{NAME}:v1"), false)]);
    plan.images[0].uses[0].role = ImageRole::Catalog;
    assert_eq!(judged(&plan, &evidence), [(format!("{at_mirror}:v1"), true)]);
    assert_eq!(
        judged(&plan, &Evidence::default()),
        [(format!("{at_mirror}:v1"), false)]
    );
    // An image that is a catalog and also used otherwise is pulled by both names.
    let other = plan.images[0].uses[0].clone();
    plan.images[0].uses.push(Use {
        role: ImageRole::Additional,
        ..other
    });
    let both = [(format!("{at_mirror}:v1"), true), (format!("{NAME}:v1"), false)];
    assert_eq!(judged(&plan, &evidence), both);
}

#[test]
fn cluster_policies_are_equivalent() {
    if !installed(&["openssl"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    make_key(folder, "ec", KINDS[0].1);
    let key = run("openssl", &["base64", "-A", "-in", &path(folder, "ec.pub")]);
    let text = format!(
        "apiVersion: config.openshift.io/v1\nkind: ClusterImagePolicy\nmetadata: {{name: team}}\nspec:\n  scopes: \
         [registry.example.com/team]\n  policy:\n    rootOfTrust:\n      policyType: PublicKey\n      publicKey: {{keyData: \
         {key}}}\n    signedIdentity: {{matchPolicy: MatchRepository}}\n"
    );
    let policy = read("policy.yaml", text.as_bytes(), &Limits::default()).unwrap();
    let digest = Digest::of(b"image");
    let by_tag = format!("{NAME}:v1");
    let good = signed(folder, "ec", NAME, digest);
    assert_eq!(
        refusal(
            &plan(&by_tag, digest, &[], &[digest]),
            &policy,
            &[(digest, good.clone())]
        ),
        None
    );
    assert!(refusal(&plan(&by_tag, digest, &[], &[]), &policy, &[]).is_some());
    // What the policy says nothing of is not refused.
    let elsewhere = verdicts(
        &plan("other.example.com/a:v1", digest, &[], &[]),
        &policy,
        &Evidence::default(),
    );
    assert_eq!(
        (&elsewhere.images[0].scope, &elsewhere.images[0].refused),
        (&None, &None)
    );
    let wrong = text.replace("PublicKey\n", "Seal\n");
    let error = read("policy.yaml", wrong.as_bytes(), &Limits::default())
        .unwrap_err()
        .to_string();
    assert!(
        error.starts_with("policy.yaml:8") && error.contains("\"Seal\""),
        "{error}"
    );
}

#[test]
fn what_cannot_be_verified_is_rejected_and_an_invalid_policy_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let digest = Digest::of(b"image");
    let plan = plan(&format!("{NAME}@{digest}"), digest, &[], &[]);
    for (requirement, why) in [
        (json!({"type": "signedBy", "keyType": "GPGKeys", "keyPath": "k"}), "GPG"),
        (json!({"type": "sigstoreSigned", "fulcio": {}}), "Fulcio"),
        (
            json!({"type": "sigstoreSigned", "keyData": "", "rekorPublicKeyData": ""}),
            "transparency",
        ),
        (json!({"type": "reject"}), "rejects"),
    ] {
        let policy = policy(folder, &json!({"default": [requirement]})).unwrap();
        assert!(refusal(&plan, &policy, &[]).unwrap().contains(why), "{why}");
    }
    for (wrong, why) in [
        (json!({"default": []}), "not be empty"),
        (json!({"default": [{"type": "trust"}]}), "trust"),
        (json!({"default": [{"type": "sigstoreSigned"}]}), "no key is specified"),
        (
            json!({"default": [{"type": "sigstoreSigned", "keyPath": "absent.pub"}]}),
            "absent.pub",
        ),
        (
            json!({"default": [{"type": "sigstoreSigned", "keyData": "AAAA"}]}),
            "PEM",
        ),
        (json!({"default": [{"type": "reject"}], "transport": {}}), "transport"),
    ] {
        let error = policy(folder, &wrong).unwrap_err();
        assert!(error.starts_with("policy.json:") && error.contains(why), "{error}");
    }
}
