//! Checks the conversion between the versions of a CRD.

use super::Report;
use crate::kubernetes::names::{fault_of_webhook_path, is_dns1035_label};
use crate::rules;
use crate::text::Path;
use crate::validation::validators::address;
use serde_json::Value;
use std::collections::BTreeSet;

/// Versions of the ConversionReview objects that an API server sends.
const REVIEWS: [&str; 2] = ["v1", "v1beta1"];

pub(super) fn check(report: &mut Report<'_>) {
    let conversion = Path::from("spec.conversion");
    if report.get(&conversion).is_none() {
        return;
    }
    let strategy = conversion.key("strategy");
    let (client, reviews) = if report.is_beta() {
        (
            conversion.key("webhookClientConfig"),
            conversion.key("conversionReviewVersions"),
        )
    } else {
        let webhook = conversion.key("webhook");
        (webhook.key("clientConfig"), webhook.key("conversionReviewVersions"))
    };
    let written = report.text(&strategy);
    match written {
        "Webhook" => {
            if report.keeps_unknown_fields() {
                let message = "a conversion webhook conflicts with spec.preserveUnknownFields: true";
                report.add(&rules::CRD_CONVERSION_STRATEGY, &strategy, message);
            }
            client_config(report, &client);
            review_versions(report, &reviews);
            return;
        }
        "None" => {}
        "" if report.is_beta() => {}
        "" => report.add(
            &rules::CRD_CONVERSION_STRATEGY,
            &strategy,
            "the conversion strategy is not set",
        ),
        other => {
            let message = format!("{other:?} is not a conversion strategy");
            report.add(&rules::CRD_CONVERSION_STRATEGY, &strategy, message);
        }
    }
    for (path, what) in [(&client, "a client"), (&reviews, "review versions")] {
        let value = report.get(path);
        if value.is_some_and(|value| value.as_array().is_none_or(|list| !list.is_empty())) {
            let message = format!(
                "a conversion without a webhook must not have {}",
                what.trim_start_matches("a ")
            );
            report.add(&rules::CRD_CONVERSION_CLIENT, path, message);
        }
    }
}

fn client_config(report: &mut Report<'_>, path: &Path) {
    let rule = &rules::CRD_CONVERSION_CLIENT;
    let Some(client) = report.get(path) else {
        return report.add(
            rule,
            path,
            "a conversion webhook needs a client with the service to call",
        );
    };
    let present = |key: &str| client.get(key).filter(|value| !value.is_null());
    match (present("url"), present("service")) {
        (None, None) => report.add(rule, path, "the client names neither a service nor a url"),
        (Some(_), Some(_)) => report.add(
            rule,
            &path.key("url"),
            "clientConfig specifies both service and url, but only one is allowed",
        ),
        (Some(url), None) => {
            if let Err(problem) = check_url(url.as_str().unwrap_or_default()) {
                report.add(rule, &path.key("url"), format!("the url of the webhook {problem}"));
            }
        }
        (None, Some(_)) => service(report, &path.key("service")),
    }
}

fn check_url(url: &str) -> Result<(), &'static str> {
    let rest = url.strip_prefix("https://").ok_or("does not begin with https://")?;
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if authority.contains('@') {
        return Err("names a user");
    }
    if authority.is_empty() {
        return Err("names no host");
    }
    if rest.contains(['?', '#']) {
        return Err("has a query or a fragment");
    }
    address::check_url(url).map_err(|_| "is not a web address")
}

fn service(report: &mut Report<'_>, path: &Path) {
    let rule = &rules::CRD_CONVERSION_CLIENT;
    for key in ["name", "namespace"] {
        if report.text(&path.key(key)).is_empty() {
            report.add(rule, &path.key(key), format!("the service of the webhook has no {key}"));
        }
    }
    let called = report.text(&path.key("path"));
    if let Some(fault) = fault_of_webhook_path(called) {
        report.add(rule, &path.key("path"), format!("the path {called:?} {fault}"));
    }
    let port = report.get(&path.key("port")).and_then(Value::as_i64);
    if let Some(port) = port.filter(|port| !(1..=65_535).contains(port)) {
        report.add(rule, &path.key("port"), format!("{port} is not a port"));
    }
}

fn review_versions(report: &mut Report<'_>, path: &Path) {
    let rule = &rules::CRD_CONVERSION_REVIEW_VERSIONS;
    let versions: Vec<&str> = report
        .list(path)
        .iter()
        .map(|version| version.as_str().unwrap_or_default())
        .collect();
    if versions.is_empty() {
        // For a v1beta1 CRD, the API server assumes that the webhook supports v1beta1.
        if !report.is_beta() {
            report.add(rule, path, "conversionReviewVersions is not set");
        }
        return;
    }
    let mut seen = BTreeSet::new();
    for (index, version) in versions.iter().enumerate() {
        let path = path.index(index);
        if !seen.insert(*version) {
            report.add(rule, &path, format!("the review version {version} is listed twice"));
        } else if !is_dns1035_label(version) {
            report.add(rule, &path, format!("{version:?} is not a valid version name"));
        }
    }
    if !versions.iter().any(|version| REVIEWS.contains(version)) {
        let message = "the webhook supports neither of the review versions that API servers send, v1 and v1beta1";
        report.add(rule, path, message);
    }
}
