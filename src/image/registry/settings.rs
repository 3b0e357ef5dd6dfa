//! The check of proxy settings. Without it, the HTTP library would ignore settings that it cannot use, and send
//! requests that it should not send.

use super::address::is_this_machine;
use crate::image::options::UnusableSettings;
use hyper_util::client::proxy::matcher::Matcher;
use reqwest::Url;

/// Returns the problem with the proxy for a URL.
pub(super) fn problem_of_proxy<'a>(settings: &'a UnusableSettings, url: &Url) -> Option<&'a str> {
    let problem = match url.scheme() {
        "http" => &settings.http_proxy,
        _ => &settings.https_proxy,
    };
    let problem = problem.as_deref()?;
    // Any proxy shows whether a proxy would be used.
    let any = Matcher::builder()
        .all("http://localhost")
        .no(settings.without_proxy.as_str())
        .build();
    let is_proxied = |uri: hyper::Uri| any.intercept(&uri).is_some();
    let is_exempt = is_this_machine(url) || is_exempt_by_port(&settings.without_proxy, url);
    let is_needed = !is_exempt && url.as_str().parse().is_ok_and(is_proxied);
    is_needed.then_some(problem)
}

/// Whether a URL is requested without a proxy because of a host with its port, such as `registry.example.com:5000`. The
/// HTTP library ignores such entries.
pub(super) fn is_exempt_by_port(without_proxy: &str, url: &Url) -> bool {
    let host = |entry: &str| {
        let (host, port) = entry.trim().rsplit_once(':')?;
        let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
        let host = bare.or(Some(host).filter(|host| !host.is_empty() && !host.contains(':')))?;
        (port.parse().ok() == url.port_or_known_default()).then(|| host.to_owned())
    };
    let hosts: Vec<String> = without_proxy.split(',').filter_map(host).collect();
    let any = Matcher::builder().all("http://localhost").no(hosts.join(",")).build();
    let is_exempt = |uri: hyper::Uri| any.intercept(&uri).is_none();
    !hosts.is_empty() && url.as_str().parse().is_ok_and(is_exempt)
}

/// Returns the problem with the address of a proxy, in the form of a relative clause.
pub fn proxy_problem(address: &str) -> Option<&'static str> {
    let matcher = Matcher::builder().http(address).build();
    match matcher.intercept(&hyper::Uri::from_static("http://registry.example.com")) {
        None => Some("which is not the address of a proxy"),
        Some(proxy) if !matches!(proxy.uri().scheme_str(), Some("http" | "https")) => {
            Some("but SOCKS proxies are not supported")
        }
        Some(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_of_http_proxies_can_be_used() {
        for address in [
            "http://proxy.example.com:3128",
            "https://proxy.example.com",
            "proxy.example.com:3128",
            "http://user:password@10.0.0.1:3128/",
        ] {
            assert_eq!(proxy_problem(address), None, "{address}");
        }
        for address in [
            "http:/127.0.0.1:1",
            "http//proxy.example.com:3128",
            ":::bad",
            "ftp://proxy",
        ] {
            let problem = proxy_problem(address);
            assert_eq!(problem, Some("which is not the address of a proxy"), "{address}");
        }
        let problem = proxy_problem("socks5://proxy.example.com:1080");
        assert_eq!(problem, Some("but SOCKS proxies are not supported"));
    }

    #[test]
    fn a_host_may_be_exempt_from_proxies_for_one_port() {
        let exempt = |without: &str, url: &str| is_exempt_by_port(without, &url.parse().unwrap());
        let all = "a.example.com:5000, .b.example.com:443,10.0.0.1:5000,[::2]:5000,c.example.com";
        for url in [
            "https://a.example.com:5000/v2/",
            "http://below.a.example.com:5000/v2/",
            "https://below.b.example.com/v2/",
            "http://10.0.0.1:5000/v2/",
            "http://[::2]:5000/v2/",
        ] {
            assert!(exempt(all, url), "{url}");
        }
        for url in [
            "https://a.example.com/v2/",
            "https://a.example.com:5001/v2/",
            "http://below.b.example.com/v2/",
            "http://10.0.0.2:5000/v2/",
            "http://[::2]/v2/",
            "https://c.example.com/v2/",
        ] {
            assert!(!exempt(all, url), "{url}");
        }
        assert!(!exempt("", "https://a.example.com:5000/"));
        assert!(!exempt("::2", "https://a.example.com:2/"));
    }

    #[test]
    fn an_unusable_proxy_concerns_only_requests_through_it() {
        let settings = UnusableSettings {
            https_proxy: Some("bad".to_owned()),
            without_proxy: "internal.example.com,other.example.com:5000".to_owned(),
            ..UnusableSettings::default()
        };
        let problem = |url: &str| problem_of_proxy(&settings, &url.parse().unwrap()).is_some();
        assert!(problem("https://registry.example.com/v2/"));
        assert!(!problem("http://registry.example.com/v2/"));
        assert!(!problem("https://internal.example.com/v2/"));
        assert!(!problem("https://other.example.com:5000/v2/"));
        assert!(problem("https://other.example.com:5001/v2/"));
        assert!(!problem("https://localhost:5000/v2/"));
    }
}
