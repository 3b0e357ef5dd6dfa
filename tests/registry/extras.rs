//! Signatures and other referrers of images, in registries of different kinds.

use crate::http::{Reply, Request, Server};
use opmx::image::{
    CacheMode, Credentials, Digest, ImageOptions, Reference, RegistryReference, RetryPolicy, Silent, Transports,
    fallback_tag,
};
use opmx::mirror::extras::{Extras, Subjects, find};
use opmx::mirror::plan::{ExtraKind, ExtraVia};
use opmx::mirror::survey::{Subject, Survey, Unsurveyed, survey};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";
const INDEX: &str = "application/vnd.oci.image.index.v1+json";

/// The content of a registry in one repository, and its abilities.
#[derive(Clone, Default)]
struct Content {
    /// By tag and by digest.
    manifests: BTreeMap<String, String>,
    tags: BTreeSet<String>,
    /// The referrers of each digest.
    referrers: BTreeMap<Digest, Vec<Value>>,
    lists_tags: bool,
    lists_referrers: bool,
    /// The status for a manifest that does not exist.
    absent: u16,
}

impl Content {
    fn new() -> Self {
        Self {
            lists_tags: true,
            lists_referrers: true,
            absent: 404,
            ..Self::default()
        }
    }

    fn put(&mut self, manifest: &Value) -> Digest {
        let text = manifest.to_string();
        let digest = Digest::of(text.as_bytes());
        self.manifests.insert(digest.to_string(), text);
        digest
    }

    fn tag(&mut self, tag: String, digest: Digest) {
        let text = self.manifests[&digest.to_string()].clone();
        self.manifests.insert(tag.clone(), text);
        self.tags.insert(tag);
    }

    /// Adds a referrer of this type to a manifest.
    fn refer(&mut self, subject: Digest, artifact_type: &str) -> Digest {
        let about = json!({"mediaType": MANIFEST, "digest": subject.to_string(), "size": 1});
        self.refer_by(subject, artifact_type, &manifest(artifact_type, Some(about)))
    }

    fn refer_by(&mut self, subject: Digest, artifact_type: &str, manifest: &Value) -> Digest {
        let digest = self.put(manifest);
        let size = self.manifests[&digest.to_string()].len();
        let entry =
            json!({"mediaType": MANIFEST, "digest": digest.to_string(), "size": size, "artifactType": artifact_type});
        self.referrers.entry(subject).or_default().push(entry);
        digest
    }

    fn answer(&self, request: &Request) -> Reply {
        let path = request.path.strip_prefix("/v2/team/app/").unwrap();
        if let Some(query) = path.strip_prefix("tags/list?") {
            return self.page_of_tags(query);
        }
        if let Some(name) = path.strip_prefix("manifests/") {
            return match self.manifests.get(name) {
                Some(text) => Reply::new(200, text.clone()),
                None => Reply::new(self.absent, ""),
            };
        }
        let digest = path.strip_prefix("referrers/").unwrap().parse().unwrap();
        if !self.lists_referrers {
            return Reply::new(404, "page not found");
        }
        let entries = self.referrers.get(&digest).cloned().unwrap_or_default();
        let index = json!({"schemaVersion": 2, "mediaType": INDEX, "manifests": entries});
        Reply::new(200, index.to_string()).header("Content-Type", INDEX)
    }

    /// Two tags on each page.
    fn page_of_tags(&self, query: &str) -> Reply {
        if !self.lists_tags {
            return Reply::new(401, "");
        }
        let after = query
            .split('&')
            .find_map(|pair| pair.strip_prefix("last="))
            .unwrap_or_default();
        let mut rest = self.tags.iter().filter(|tag| tag.as_str() > after);
        let page: Vec<_> = rest.by_ref().take(2).collect();
        let reply = Reply::new(200, json!({"name": "team/app", "tags": page}).to_string());
        match (page.last(), rest.next()) {
            (Some(last), Some(_)) => reply.header(
                "Link",
                format!("</v2/team/app/tags/list?last={last}&n=2>; rel=\"next\""),
            ),
            _ => reply,
        }
    }
}

fn manifest(artifact_type: &str, subject: Option<Value>) -> Value {
    let empty =
        json!({"mediaType": "application/vnd.oci.empty.v1+json", "digest": Digest::of(b"{}").to_string(), "size": 2});
    let mut manifest = json!({
        "schemaVersion": 2, "mediaType": MANIFEST, "artifactType": artifact_type, "config": empty, "layers": [empty]
    });
    if let Some(subject) = subject {
        manifest["subject"] = subject;
    }
    manifest
}

fn found(content: Content, digests: &[Digest]) -> (Extras, Server) {
    let server = Server::start(move |request, _| content.answer(request));
    (search(repository(&server, "team/app"), digests), server)
}

fn repository(server: &Server, name: &str) -> RegistryReference {
    RegistryReference::of_repository(&format!("{}/{name}", server.host)).unwrap()
}

fn search(repository: RegistryReference, digests: &[Digest]) -> Extras {
    let digests = digests.iter().copied().collect();
    search_all(vec![Subjects { repository, digests }], 4)
}

fn search_all(subjects: Vec<Subjects>, parallel: usize) -> Extras {
    run(async |transports| find(transports, subjects, parallel).await)
}

fn run<T>(request: impl AsyncFnOnce(&Transports) -> T) -> T {
    let folder = tempfile::tempdir().unwrap();
    let authfile = folder.path().join("auth.json");
    std::fs::write(&authfile, "{}").unwrap();
    let options = ImageOptions {
        credentials: Credentials::in_file(authfile),
        use_http: true,
        cache: CacheMode::Off,
        retry: RetryPolicy {
            retries: 2,
            first_delay: Duration::from_millis(5),
            longest_delay: Duration::from_millis(20),
            longest_wait: Duration::from_secs(5),
        },
        ..ImageOptions::default()
    };
    let transports = Transports::new(options, Arc::new(Silent));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(request(&transports))
}

/// The first reference that could not be looked up, with the reason.
fn failure(extras: &Extras) -> (String, String) {
    let (reference, why) = &extras.failed[0];
    (reference.to_string(), why.to_string())
}

fn kinds(extras: &Extras) -> BTreeSet<(Digest, ExtraKind, ExtraVia)> {
    let found = extras.found.iter().map(|found| &found.extra);
    found.map(|extra| (extra.subject, extra.kind, extra.via)).collect()
}

/// An image with a signature and an attestation under tags, and one with a list of contents that is itself signed.
fn signed() -> (Content, Digest, Digest) {
    let mut content = Content::new();
    let one = content.put(&manifest("application/vnd.example.one", None));
    let other = content.put(&manifest("application/vnd.example.other", None));
    content.tag("v1".to_owned(), one);
    for suffix in ["sig", "att"] {
        let about = content.put(&manifest(&format!("application/vnd.example.{suffix}"), None));
        content.tag(format!("{}.{suffix}", fallback_tag(&one)), about);
    }
    let list = content.refer(other, "application/spdx+json");
    content.refer(list, "application/vnd.dev.sigstore.bundle.v0.3+json");
    (content, one, other)
}

fn all_of_signed(one: Digest, other: Digest, extras: &Extras) {
    let list = extras
        .found
        .iter()
        .find(|found| found.extra.kind == ExtraKind::Sbom)
        .unwrap();
    assert_eq!(
        kinds(extras),
        BTreeSet::from([
            (one, ExtraKind::Signature, ExtraVia::Tag),
            (one, ExtraKind::Attestation, ExtraVia::Tag),
            (other, ExtraKind::Sbom, ExtraVia::Referrers),
            (list.extra.digest, ExtraKind::Signature, ExtraVia::Referrers),
        ])
    );
    assert!(extras.failed.is_empty(), "{:?}", extras.failed);
}

#[test]
fn tags_referrers_and_their_referrers_are_found() {
    let (content, one, other) = signed();
    let (extras, server) = found(content, &[one, other]);
    all_of_signed(one, other, &extras);
    assert_eq!(server.count("GET", "tags/list"), 2, "a page each for two of three tags");
    assert_eq!(
        server.count("GET", ".sbom"),
        0,
        "tags that are not there are not asked for"
    );
}

#[test]
fn without_the_referrers_api_fallback_tags_are_read() {
    let (mut content, one, other) = signed();
    content.lists_referrers = false;
    for (subject, entries) in content.referrers.clone() {
        let index = content.put(&json!({"schemaVersion": 2, "mediaType": INDEX, "manifests": entries}));
        content.tag(fallback_tag(&subject), index);
    }
    let (extras, server) = found(content, &[one, other]);
    all_of_signed(one, other, &extras);
    assert_eq!(server.count("GET", "referrers/"), 1, "the registry is asked once");
}

#[test]
fn a_rejected_referrers_request_for_one_image_does_not_affect_others() {
    let unknown = |code: &str| format!(r#"{{"errors":[{{"code":"{code}","message":""}}]}}"#);
    for (status, body) in [
        (401, String::new()),
        (403, String::new()),
        (400, String::new()),
        (404, unknown("NAME_UNKNOWN")),
        (404, unknown("MANIFEST_UNKNOWN")),
    ] {
        let (content, one, other) = signed();
        let refused = format!("referrers/{one}");
        let server = Server::start(move |request, _| {
            if request.path.ends_with(&refused) {
                Reply::new(status, body.clone())
            } else {
                content.answer(request)
            }
        });
        let extras = search(repository(&server, "team/app"), &[one, other]);
        all_of_signed(one, other, &extras);
    }
}

#[test]
fn a_web_page_instead_of_a_list_of_referrers_is_like_no_list() {
    let (mut content, one, other) = signed();
    for (subject, entries) in content.referrers.clone() {
        let index = content.put(&json!({"schemaVersion": 2, "mediaType": INDEX, "manifests": entries}));
        content.tag(fallback_tag(&subject), index);
    }
    let server = Server::start(move |request, _| {
        if request.path.contains("/referrers/") {
            Reply::new(200, "<!DOCTYPE html><title>Registry</title>").header("Content-Type", "text/html")
        } else {
            content.answer(request)
        }
    });
    let extras = search(repository(&server, "team/app"), &[one, other]);
    all_of_signed(one, other, &extras);
    assert_eq!(server.count("GET", "referrers/"), 1, "the registry is asked once");
}

#[test]
fn a_referrer_that_the_registry_lists_but_refuses_is_reported() {
    for status in [401, 403, 412, 404] {
        let (content, one, other) = signed();
        let tag = format!("{}.sig", fallback_tag(&one));
        let list = content.referrers[&other][0]["digest"].as_str().unwrap().to_owned();
        let refused = [format!("manifests/{tag}"), format!("manifests/{list}")];
        let server = Server::start(move |request, _| {
            if refused.iter().any(|refused| request.path.ends_with(refused)) {
                Reply::new(status, "")
            } else {
                content.answer(request)
            }
        });
        let repository = repository(&server, "team/app");
        let extras = search(repository.clone(), &[one, other]);
        assert_eq!(
            kinds(&extras),
            BTreeSet::from([(one, ExtraKind::Attestation, ExtraVia::Tag)])
        );
        let failed = extras.failed.iter().map(|(reference, _)| reference.to_string());
        let failed: BTreeSet<String> = failed.collect();
        let name = format!("docker://{}", repository.full_repository());
        let all = BTreeSet::from([format!("{name}:{tag}"), format!("{name}@{list}")]);
        // What has been deleted in the meantime is no failure.
        assert_eq!(failed, if status == 404 { BTreeSet::new() } else { all }, "{status}");
    }
}

#[test]
fn an_image_index_among_the_referrers_is_found_with_its_manifests() {
    for is_there in [true, false] {
        let mut content = Content::new();
        let image = content.put(&manifest("application/vnd.example.one", None));
        let child = content.put(&manifest("application/vnd.example.child", None));
        let index = json!({"schemaVersion": 2, "mediaType": INDEX, "artifactType": "application/vnd.example.index",
            "manifests": [{"mediaType": MANIFEST, "digest": child.to_string(), "size": 1}],
            "subject": {"mediaType": MANIFEST, "digest": image.to_string(), "size": 1}});
        let index = content.refer_by(image, "application/vnd.example.index", &index);
        if !is_there {
            content.manifests.remove(&child.to_string());
        }
        let (extras, _server) = found(content, &[image]);
        assert_eq!(
            kinds(&extras),
            BTreeSet::from([(image, ExtraKind::Referrer, ExtraVia::Referrers)])
        );
        match &extras.found[0].content {
            Ok(survey) => {
                assert!(is_there);
                assert_eq!(
                    survey.manifests.keys().copied().collect::<BTreeSet<_>>(),
                    BTreeSet::from([index, child])
                );
            }
            Err(Unsurveyed { part, .. }) => {
                assert!(!is_there);
                assert_eq!(part.as_ref().unwrap().digest, child);
            }
        }
    }
}

#[test]
fn a_repository_without_the_referrers_api_does_not_affect_others() {
    let (content, one, other) = signed();
    let server = Server::start(move |request, _| {
        if request.path.starts_with("/v2/team/gone/") {
            Reply::new(404, "page not found")
        } else {
            content.answer(request)
        }
    });
    let digests = BTreeSet::from([one, other]);
    let subjects = ["team/gone", "team/app"].map(|name| Subjects {
        repository: repository(&server, name),
        digests: digests.clone(),
    });
    all_of_signed(one, other, &search_all(subjects.into(), 1));
    assert_eq!(server.count("GET", "gone/referrers/"), 1);
}

#[test]
fn an_endless_list_of_referrers_is_reported() {
    let (content, one, other) = signed();
    let endless = format!("/v2/team/app/referrers/{one}");
    let server = Server::start(move |request, _| {
        let reply = content.answer(request);
        if request.path == endless {
            reply.header("Link", format!("<{endless}>; rel=\"next\""))
        } else {
            reply
        }
    });
    let extras = search(repository(&server, "team/app"), &[one, other]);
    let (what, why) = failure(&extras);
    assert!(what.ends_with(&one.to_string()), "{what}");
    assert!(
        why.contains("the list of referrers contains more than 100 pages"),
        "{why}"
    );
    assert!(kinds(&extras).iter().any(|(subject, ..)| *subject == other));
}

#[test]
fn the_size_of_all_pages_of_referrers_together_is_limited() {
    let (content, one, other) = signed();
    let long = format!("/v2/team/app/referrers/{one}");
    let server = Server::start(move |request, _| {
        if request.path == long {
            // Blanks after the value are valid JSON.
            let page = format!("{{\"schemaVersion\":2,\"manifests\":[]}}{}", " ".repeat(4_000_000));
            Reply::new(200, page).header("Link", format!("<{long}>; rel=\"next\""))
        } else {
            content.answer(request)
        }
    });
    let extras = search(repository(&server, "team/app"), &[one, other]);
    let (what, why) = failure(&extras);
    assert!(what.ends_with(&one.to_string()), "{what}");
    assert!(
        why.contains("the list of referrers is larger than 67108864 bytes"),
        "{why}"
    );
    assert_eq!(
        server.count("GET", &format!("referrers/{one}")),
        17,
        "the client stops at the page that exceeds the limit"
    );
    assert!(kinds(&extras).iter().any(|(subject, ..)| *subject == other));
}

#[test]
fn a_rejected_page_of_referrers_is_reported_and_the_list_not_truncated() {
    for status in [403, 404, 405, 501] {
        let (content, one, other) = signed();
        let list = format!("/v2/team/app/referrers/{one}");
        let second = format!("/v2/team/app/referrers/second/{one}");
        let server = Server::start(move |request, _| {
            if request.path == second {
                return Reply::new(status, "");
            }
            let reply = content.answer(request);
            if request.path == list {
                reply.header("Link", format!("<{second}>; rel=\"next\""))
            } else {
                reply
            }
        });
        let extras = search(repository(&server, "team/app"), &[one, other]);
        assert_eq!(extras.failed.len(), 1, "{status}: {:?}", extras.failed);
        let (what, why) = failure(&extras);
        assert!(what.ends_with(&one.to_string()), "{status}: {what}");
        assert!(why.contains("/referrers/second/"), "{status}: {why}");
        let others = kinds(&extras);
        assert!(others.iter().any(|(subject, ..)| *subject == other), "{status}");
    }
}

#[test]
fn without_a_list_of_tags_each_tag_is_requested_and_a_missing_one_is_not_a_failure() {
    let (mut content, one, other) = signed();
    content.lists_tags = false;
    content.absent = 401;
    let (extras, server) = found(content, &[one, other]);
    all_of_signed(one, other, &extras);
    assert_eq!(server.count("GET", ".sbom"), 2);
}

#[test]
fn manifests_that_do_not_refer_to_the_image_are_ignored() {
    let mut content = Content::new();
    let image = content.put(&manifest("application/vnd.example.one", None));
    let stranger = content.put(&manifest("application/vnd.dev.sigstore.bundle.v0.3+json", None));
    let entry = json!({"mediaType": MANIFEST, "digest": stranger.to_string(), "size": 1});
    content.referrers.insert(image, vec![entry]);
    let (extras, _server) = found(content, &[image]);
    assert!(extras.found.is_empty() && extras.failed.is_empty());
}

#[test]
fn a_failing_registry_is_reported_with_the_repository() {
    let server = Server::start(|_, _| Reply::new(500, "out of order"));
    let extras = search(repository(&server, "team/app"), &[Digest::of(b"image")]);
    let (what, why) = failure(&extras);
    assert!(
        what.contains("team/app") && why.contains("out of order"),
        "{what} {why}"
    );
}

#[test]
fn a_long_chain_of_referrers_is_cut_off_with_a_warning() {
    let mut content = Content::new();
    let image = content.put(&manifest("application/vnd.example.one", None));
    let mut last = image;
    for _ in 0..40 {
        last = content.refer(last, "application/vnd.example.next");
    }
    let (extras, server) = found(content, &[image]);
    assert_eq!(extras.found.len(), 9, "the eighth is looked at");
    assert!(failure(&extras).1.contains("8 levels"), "{:?}", extras.failed);
    assert!(server.count("GET", "referrers/") <= 10);
}

/// A manifest of more than 3 MiB; 22 of them exceed the limit.
fn large(number: usize, subject: Option<Value>) -> Value {
    let mut manifest = manifest(&format!("application/vnd.example.{number}"), subject);
    manifest["annotations"] = json!({"padding": "a".repeat(3 << 20)});
    manifest
}

#[test]
fn referrers_that_are_too_large_together_are_cut_off_with_a_warning() {
    let mut content = Content::new();
    let image = content.put(&manifest("application/vnd.example.one", None));
    for number in 0..30 {
        let about = json!({"mediaType": MANIFEST, "digest": image.to_string(), "size": 1});
        content.refer_by(image, "application/vnd.example.large", &large(number, Some(about)));
    }
    let (extras, _server) = found(content, &[image]);
    assert_eq!(extras.found.len(), 21, "the one that exceeds the limit is left out");
    let (what, why) = failure(&extras);
    assert!(what.ends_with(&image.to_string()), "{what}");
    assert!(why.contains("67108864 bytes"), "{why}");
}

/// Surveys an image index with this number of large manifests.
fn survey_of_large(count: usize) -> (Result<Survey, Unsurveyed>, Server) {
    let mut content = Content::new();
    let children = (0..count).map(|number| content.put(&large(number, None)));
    let entries = children.map(|digest| json!({"mediaType": MANIFEST, "digest": digest.to_string(), "size": 1}));
    let index = json!({"schemaVersion": 2, "mediaType": INDEX, "manifests": entries.collect::<Vec<_>>()});
    let index = content.put(&index);
    let server = Server::start(move |request, _| content.answer(request));
    let reference = repository(&server, "team/app").with_digest(&index);
    let subject = Subject {
        source: reference.full_repository(),
        reference: Reference::Registry(reference),
        platforms: BTreeSet::new(),
    };
    let mut surveys = run(async |transports| survey(transports, &[subject], 1).await);
    (surveys.remove(0), server)
}

#[test]
fn an_image_whose_manifests_are_too_large_together_is_rejected_before_all_are_read() {
    let (few, _server) = survey_of_large(3);
    assert_eq!(few.unwrap().manifests.len(), 4);
    let (many, server) = survey_of_large(40);
    let error = many.unwrap_err().error.to_string();
    assert!(
        error.contains(&server.host) && error.contains("67108864 bytes"),
        "{error}"
    );
    assert_eq!(
        server.count("GET", "manifests/"),
        23,
        "the index, and the manifests up to the limit"
    );
}
