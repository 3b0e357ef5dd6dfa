//! A site for previews while an index is being written: kept in memory, and rebuilt when files change.

use super::frame::File;
use super::path::short_digest;
use super::site::{Sink, Summary, build};
use super::{PageError, SiteOptions};
use crate::concurrent;
use crate::files::Stamp;
use crate::index::open::Index;
use crate::server::pages;
use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::{CACHE_CONTROL, CONTENT_TYPE, HOST, HeaderValue};
use hyper::{Method, Request, Response, StatusCode};
use std::collections::BTreeMap;
use std::fs;
use std::future::Future;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use tokio::net::TcpListener;

/// The path from which pages request the current generation of the site.
const GENERATION: &str = "/.generation";
/// The maximum number of concurrent connections.
const CONNECTIONS: usize = 64;

/// A site in memory.
#[derive(Debug)]
pub struct LiveSite {
    site: RwLock<Arc<BuiltSite>>,
}

/// A generation of the site.
#[derive(Debug)]
struct BuiltSite {
    /// A value that changes when the files change.
    generation: String,
    files: BTreeMap<String, Bytes>,
}

impl LiveSite {
    /// Builds the site of an index.
    ///
    /// # Errors
    /// Returns an error if the index cannot be read.
    pub fn new(index: &Index, options: &SiteOptions<'_>) -> Result<(Self, Summary), PageError> {
        let (site, summary) = build_site(index, options)?;
        let site = RwLock::new(Arc::new(site));
        Ok((Self { site }, summary))
    }

    /// Rebuilds the site. The old site is served until the new site is complete, and stays if the rebuild fails.
    ///
    /// # Errors
    /// Returns an error if the index cannot be read.
    pub fn renew(&self, index: &Index, options: &SiteOptions<'_>) -> Result<Summary, PageError> {
        let (site, summary) = build_site(index, options)?;
        *self.site.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(site);
        Ok(summary)
    }

    /// Serves the site until `shutdown`. If only this machine can connect, requests must name this machine, so that
    /// pages of other sites cannot read this site.
    pub async fn serve(self: Arc<Self>, listener: TcpListener, shutdown: impl Future<Output = ()>) {
        let is_local = listener.local_addr().is_ok_and(|address| address.ip().is_loopback());
        let serving = pages::serve(listener, CONNECTIONS, move |request| self.answer(request, is_local));
        tokio::select! {
            () = shutdown => {}
            () = serving => {}
        }
    }

    fn answer(&self, request: &Request<Incoming>, is_local: bool) -> Response<Full<Bytes>> {
        let host = request.headers().get(HOST).and_then(|host| host.to_str().ok());
        if is_local && !host.is_some_and(is_of_this_machine) {
            return response(
                StatusCode::FORBIDDEN,
                "text/plain; charset=utf-8",
                "this host name is not served\n",
            );
        }
        if ![Method::GET, Method::HEAD].contains(request.method()) {
            let text = "only GET and HEAD are supported\n";
            return response(StatusCode::METHOD_NOT_ALLOWED, "text/plain; charset=utf-8", text);
        }
        let site = Arc::clone(&self.site.read().unwrap_or_else(PoisonError::into_inner));
        let path = request.uri().path();
        if path == GENERATION {
            return response(StatusCode::OK, "text/plain; charset=utf-8", site.generation.clone());
        }
        let path = path.trim_start_matches('/');
        let name = if path.is_empty() || path.ends_with('/') {
            format!("{path}index.html")
        } else {
            path.to_owned()
        };
        if let Some(content) = site.files.get(&name) {
            return response(StatusCode::OK, media_type(&name), content.clone());
        }
        let missing = site.files.get("404.html").cloned().unwrap_or_default();
        response(StatusCode::NOT_FOUND, "text/html; charset=utf-8", missing)
    }
}

/// Whether a request names this machine, and not a domain that resolves to the address of this machine.
fn is_of_this_machine(host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|digit| digit.is_ascii_digit()) => name,
        _ => host,
    };
    let address = name.trim_start_matches('[').trim_end_matches(']');
    let is_loopback = address
        .parse::<std::net::IpAddr>()
        .is_ok_and(|address| address.is_loopback());
    is_loopback || name.eq_ignore_ascii_case("localhost")
}

fn response(status: StatusCode, kind: &'static str, content: impl Into<Bytes>) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::from(content.into()));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert("x-content-type-options", HeaderValue::from_static("nosniff"));
    response
}

fn media_type(path: &str) -> &'static str {
    match path.rsplit('.').next().unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "json" => "application/json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "jpg" => "image/jpeg",
        "gif" => "image/gif",
        "webp" => "image/webp",
        "xml" => "application/atom+xml",
        _ => "application/octet-stream",
    }
}

fn build_site(index: &Index, options: &SiteOptions<'_>) -> Result<(BuiltSite, Summary), PageError> {
    let files = Kept::default();
    let live = SiteOptions { live: true, ..*options };
    let summary = build(index, &live, &files)?;
    let files = files.0.into_inner().unwrap_or_else(PoisonError::into_inner);
    let digests: Vec<String> = files
        .iter()
        .map(|(path, content)| format!("{path} {}\n", short_digest(content)))
        .collect();
    let generation = short_digest(digests.concat().as_bytes());
    Ok((BuiltSite { generation, files }, summary))
}

#[derive(Default)]
struct Kept(Mutex<BTreeMap<String, Bytes>>);

impl Sink for Kept {
    fn keep(&self, (path, content): File) -> Result<(), PageError> {
        let mut files = concurrent::lock(&self.0);
        files.insert(path, content.into());
        Ok(())
    }
}

/// Returns the files at a path with their current state, including all files below a folder. Files that cannot be
/// examined are skipped.
pub fn state_of(path: &Path) -> Vec<(PathBuf, Stamp)> {
    let entries = walkdir::WalkDir::new(path)
        .sort_by_file_name()
        .into_iter()
        .filter_map(Result::ok);
    let stamped = entries.filter_map(|entry| {
        let metadata = fs::metadata(entry.path()).ok().filter(fs::Metadata::is_file)?;
        Some((entry.into_path(), Stamp::from(&metadata)))
    });
    stamped.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_loopback_names_are_of_this_machine() {
        for host in [
            "localhost",
            "localhost:8080",
            "127.0.0.1:80",
            "[::1]:80",
            "[::1]",
            "127.0.0.2",
        ] {
            assert!(is_of_this_machine(host), "{host}");
        }
        for host in [
            "site.example.com",
            "site.example.com:80",
            "localhost.example.com",
            "192.0.2.1:80",
            "",
        ] {
            assert!(!is_of_this_machine(host), "{host}");
        }
    }
}
