//! Lists the tags of a repository and the referrers of its manifests.

use super::error::{RegistryError, RegistryFailure};
use super::redirect::{from_stranger, refused};
use super::repository::{Access, Repository, Request};
use super::{Registry, header};
use crate::image::document::Document;
use crate::image::error::ImageError;
use crate::image::manifest::{INDEX, IndexEntry, MANIFEST_LIMIT, Manifest};
use crate::image::problem::ContentProblem;
use crate::image::reference::RegistryReference;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderValue, LINK};
use reqwest::{Method, StatusCode, Url};
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::collections::BTreeSet;

/// The maximum number of pages of a list.
const PAGES: usize = 100;
/// The maximum size in bytes of all pages of a list together.
const LIST_LIMIT: u64 = 64 << 20;
/// The number of tags per request; a registry may return fewer.
const TAGS_OF_PAGE: &str = "1000";

#[derive(Deserialize)]
struct Tags {
    /// The tags; in some registries `null` if there are none.
    tags: Option<Vec<String>>,
}

impl Registry {
    /// Returns the tags of a repository, or `None` if the registry does not list them or lists too many.
    pub(in crate::image) async fn tags(
        &self,
        reference: &RegistryReference,
    ) -> Result<Option<BTreeSet<String>>, ImageError> {
        let (image, repository) = (reference.as_written(), self.repository(reference));
        let mut url = repository.url(image, "tags/list")?;
        url.query_pairs_mut().append_pair("n", TAGS_OF_PAGE);
        let pages = match self.pages(&repository, image, url).await {
            Err(error) if error.failure.is_refusal() => return Ok(None),
            pages => pages?,
        };
        let Ok(pages) = pages else { return Ok(None) };
        let mut found = BTreeSet::new();
        for page in pages {
            let tags: Tags = serde_json::from_slice(&page)
                .map_err(|error| ContentProblem::from(error).of(image, "the list of tags"))?;
            found.extend(tags.tags.unwrap_or_default());
        }
        Ok(Some(found))
    }

    /// Returns the document that a tag or digest refers to, or `None` if it does not exist or is not available to this
    /// client.
    pub(in crate::image) async fn find(&self, reference: &RegistryReference) -> Result<Option<Document>, ImageError> {
        match self.stored(reference).await {
            Err(ImageError::Registry(error)) if error.failure.is_refusal() => Ok(None),
            found => found.map(Some),
        }
    }

    /// Returns the referrers of the manifest that the reference specifies by digest, or `None` if the registry does not
    /// list them. If the registry does not support the request, it is not sent for this repository again. If access is
    /// refused, this is an error.
    pub(in crate::image) async fn referrers(
        &self,
        reference: &RegistryReference,
    ) -> Result<Option<Vec<IndexEntry>>, ImageError> {
        let (image, repository) = (reference.as_written(), self.repository(reference));
        if repository.is_without_referrers() {
            return Ok(None);
        }
        let url = repository.url(image, &format!("referrers/{}", reference.manifest_name()))?;
        // Only the answer to the first request tells whether there is a list. If a later page is refused, the list
        // exists but is incomplete, which is an error.
        let first = match self.page(&repository, image, url).await {
            Err(error) if error.failure.is_unsupported() => {
                repository.set_without_referrers();
                return Ok(None);
            }
            Err(error) if error.failure.is_refusal() && !error.failure.is_login() => return Ok(None),
            first => first?,
        };
        // Some servers answer every request for an unknown path with a web page.
        if !first.is_json && serde_json::from_slice::<IgnoredAny>(&first.bytes).is_err() {
            repository.set_without_referrers();
            return Ok(None);
        }
        let pages = self.pages_from(&repository, image, first).await.map_err(later)?;
        // The fallback list of a registry with a referrers API is usually absent, so it cannot replace a long list.
        let pages = pages.map_err(|problem| problem.of(image, "the list of referrers"))?;
        let mut found = Vec::new();
        for page in pages {
            match Manifest::parse(&page, Some(INDEX)) {
                Ok(Manifest::Index(entries)) => found.extend(entries),
                Ok(Manifest::Image(manifest)) => {
                    let media_type = manifest.media_type;
                    return Err(ContentProblem::MediaType { media_type }.of(image, "the list of referrers"));
                }
                Err(problem) => return Err(problem.of(image, "the list of referrers")),
            }
        }
        Ok(Some(found))
    }

    /// Returns the pages of a list that starts at `url`, or the limit that the list exceeds.
    async fn pages(&self, repository: &Repository, image: &str, url: Url) -> Result<Pages, RegistryError> {
        let first = self.page(repository, image, url).await?;
        self.pages_from(repository, image, first).await
    }

    /// Returns the pages of a list that begins with the page `first`, or the limit that the list exceeds.
    async fn pages_from(&self, repository: &Repository, image: &str, first: Page) -> Result<Pages, RegistryError> {
        let mut next = first.next;
        let mut bytes = first.bytes.len() as u64;
        let mut pages = vec![first.bytes];
        while let Some(url) = next {
            if pages.len() == PAGES {
                let (what, limit) = ("pages", PAGES);
                return Ok(Err(ContentProblem::TooMany { what, limit }));
            }
            let page = self.page(repository, image, url).await?;
            bytes += page.bytes.len() as u64;
            if bytes > LIST_LIMIT {
                return Ok(Err(ContentProblem::TooMuch { limit: LIST_LIMIT }));
            }
            pages.push(page.bytes);
            next = page.next;
        }
        Ok(Ok(pages))
    }

    /// Requests a page of a list.
    async fn page(&self, repository: &Repository, image: &str, url: Url) -> Result<Page, RegistryError> {
        let mut headers = HeaderMap::new();
        headers.append(ACCEPT, HeaderValue::from_static(INDEX));
        headers.append(ACCEPT, HeaderValue::from_static("application/json"));
        let request = Request {
            image,
            access: Access::Pull,
            method: Method::GET,
            url,
            headers,
            body: None,
        };
        let _permit = self.permits.acquire().await;
        repository
            .ask(&request, &self.retry, || page(repository, &request))
            .await
    }
}

/// Returns the error for a page after the first. A refusal is not an answer about the list, which the registry has
/// already begun to send.
fn later(mut error: RegistryError) -> RegistryError {
    if error.failure.is_refusal() {
        let problem = format!("it refuses a later page of the list: {}", error.failure);
        error.failure = RegistryFailure::Protocol { problem }.into();
    }
    error
}

/// All pages of a list, or the limit that they exceed.
type Pages = Result<Vec<Vec<u8>>, ContentProblem>;

/// A page of a list.
struct Page {
    bytes: Vec<u8>,
    /// Whether the registry states that the page is JSON.
    is_json: bool,
    /// The URL of the next page.
    next: Option<Url>,
}

/// Returns a page of a list.
async fn page(repository: &Repository, request: &Request<'_>) -> Result<Page, RegistryError> {
    let answer = repository.send(request, &[StatusCode::OK]).await?;
    let links = answer.headers().get_all(LINK).iter();
    let mut addresses = links.filter_map(|links| next_address(links.to_str().ok()?));
    let next = addresses
        .next()
        .map(|address| next_page(answer.url(), address).map_err(|failure| request.fail(failure)))
        .transpose()?;
    if let Some(next) = next.as_ref().filter(|next| !repository.is_own(next)) {
        return Err(request.fail(refused(next, "all pages of a list must come from the same registry")));
    }
    let is_json = header(&answer, CONTENT_TYPE.as_str()).is_some_and(|media_type| media_type.contains("json"));
    let bytes = answer.read(MANIFEST_LIMIT).await;
    let bytes = bytes.map_err(|failure| request.fail(failure))?;
    Ok(Page { bytes, is_json, next })
}

/// Returns the address of the next page from a link header. The header contains one or more links of the form
/// `<ADDRESS>; rel="next"`, separated by commas.
fn next_address(links: &str) -> Option<&str> {
    let mut rest = links;
    while let Some((address, after)) = rest
        .trim_start_matches([',', ' ', '\t'])
        .strip_prefix('<')?
        .split_once('>')
    {
        let (mut parameters, others) = split_unquoted(after, ',');
        while !parameters.is_empty() {
            let (parameter, following) = split_unquoted(parameters, ';');
            let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
            let mut relations = value.trim().trim_matches('"').split_ascii_whitespace();
            if name.trim().eq_ignore_ascii_case("rel") && relations.any(|kind| kind.eq_ignore_ascii_case("next")) {
                return Some(address);
            }
            parameters = following;
        }
        rest = others;
    }
    None
}

/// Splits a header at the first separator outside quotation marks.
fn split_unquoted(text: &str, separator: char) -> (&str, &str) {
    let mut quoted = false;
    let is_end = |letter: char| {
        quoted ^= letter == '"';
        letter == separator && !quoted
    };
    text.split_once(is_end).unwrap_or((text, ""))
}

/// Returns the URL of the next page of a list.
fn next_page(asked: &Url, address: &str) -> Result<Url, RegistryFailure> {
    from_stranger(Some(asked), address).map_err(|problem| RegistryFailure::Protocol {
        problem: format!("it specifies an invalid address for the next page: {problem}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_page_is_given_by_a_link_header() {
        let asked: Url = "https://registry.example.com/v2/a/tags/list?n=2".parse().unwrap();
        let url = next_page(&asked, "/v2/a/tags/list?n=2&last=b").unwrap();
        assert_eq!(url.as_str(), "https://registry.example.com/v2/a/tags/list?n=2&last=b");
        for (links, expected) in [
            ("</v2/a?last=b,c>; rel=\"next\"", Some("/v2/a?last=b,c")),
            ("</v2/a>; rel=next", Some("/v2/a")),
            ("</v2/a>; title=\"a, b; rel=last\" ; REL = \"last Next\"", Some("/v2/a")),
            ("</v2/a>; rel=\"prev\", </v2/b>; rel=\"next\"", Some("/v2/b")),
            ("</v2/a>,</v2/b>;rel=next,</v2/c>;rel=last", Some("/v2/b")),
            ("</v2/a>; rel=\"last\"", None),
            ("</v2/a>; title=\"rel=next\"", None),
            ("</v2/a>; rel=nextpage", None),
            ("</v2/a", None),
            ("", None),
        ] {
            assert_eq!(next_address(links), expected, "{links}");
        }
    }
}
