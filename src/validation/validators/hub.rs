//! `operatorhubv2` and its predecessor `operatorhub`: checks the information that a catalog shows about an operator.

use super::csv::min_kube_version;
use super::{Input, address, capabilities, csv_of, found, removed_apis};
use crate::csv::Csv;
use crate::diagnostic::Diagnostic;
use crate::manifest::Object;
use crate::rules;
use crate::text::Path;
use crate::value::text;
use crate::version::parse_tolerant;
use serde_json::Value;

/// The image types that catalogs show.
const ICON_TYPES: [&str; 4] = ["image/gif", "image/jpeg", "image/png", "image/svg+xml"];

/// Runs the current form of the validator.
pub(super) fn check(input: &Input<'_>, findings: &mut Vec<Diagnostic>) {
    let Some((object, csv)) = csv_of(input) else {
        return;
    };
    if crashes(input, csv) {
        return;
    }
    check_display_fields(input, object, csv, findings);
    removed_apis::check(input, findings);
}

/// Runs the first form of the validator, which also checks capabilities and categories.
pub(super) fn check_first(input: &Input<'_>, findings: &mut Vec<Diagnostic>) {
    let Some((object, csv)) = csv_of(input) else {
        return;
    };
    if crashes(input, csv) {
        return;
    }
    check_display_fields(input, object, csv, findings);
    capabilities::check_capabilities(input, findings);
    capabilities::check_categories(input, findings);
    removed_apis::check(input, findings);
    let message = "operatorhub has been replaced by operatorhubv2, capabilities and categories";
    findings.push(Diagnostic::new(&rules::HUB_V1_DEPRECATED, message));
}

/// Returns whether the original verdict is requested and the original validators crash, as on an empty list of icons,
/// before they report anything.
fn crashes(input: &Input<'_>, csv: Csv<'_>) -> bool {
    let icons = csv.get(&["spec", "icon"]).and_then(Value::as_array);
    input.options.reference && icons.is_some_and(Vec::is_empty)
}

fn check_display_fields(input: &Input<'_>, object: &Object, csv: Csv<'_>, findings: &mut Vec<Diagnostic>) {
    if csv.text(&["spec", "provider", "name"]).trim().is_empty() {
        let message = "the provider of the operator is not named";
        let path = Path::from("spec.provider.name");
        findings.push(found(&rules::HUB_PROVIDER_NAME, object, &path, message));
    }
    maintainers(object, csv, findings);
    links(object, csv, findings);
    let version = parse_tolerant(csv.version());
    let absent = csv
        .get(&["spec", "version"])
        .is_none_or(|version| version.is_null() || version == "");
    if absent || version.is_some_and(|version| version.cmp_precedence(&ZERO).is_eq()) {
        let path = Path::from("spec.version");
        findings.push(found(
            &rules::HUB_VERSION_MISSING,
            object,
            &path,
            "spec.version is not set",
        ));
    }
    icon(object, csv, findings);
    // The rules of `csv` report the same defects. The rules of this validator report them only if the original verdict
    // is requested.
    let (missing, format) = if input.options.reference {
        (&rules::HUB_MINKUBEVERSION_MISSING, &rules::HUB_MINKUBEVERSION_FORMAT)
    } else {
        (&rules::CSV_MINKUBEVERSION_MISSING, &rules::CSV_MINKUBEVERSION_FORMAT)
    };
    findings.extend(min_kube_version(object, missing, format));
}

const ZERO: semver::Version = semver::Version::new(0, 0, 0);

fn maintainers(object: &Object, csv: Csv<'_>, findings: &mut Vec<Diagnostic>) {
    for (index, entry) in csv.list(&["spec", "maintainers"]).iter().enumerate() {
        let path = Path::from("spec.maintainers").index(index);
        let (name, email) = (text(entry, "name"), text(entry, "email"));
        if name.is_empty() || email.is_empty() {
            let (key, missing) = if name.is_empty() {
                ("name", "name")
            } else {
                ("email", "email address")
            };
            let message = format!("a maintainer has no {missing}");
            let rule = &rules::HUB_MAINTAINER_INCOMPLETE;
            findings.push(found(rule, object, &path.key(key), message));
        }
        if !email.is_empty()
            && let Err(problem) = address::check_mail(email)
        {
            let message = format!("{email:?} is not an email address: {problem}");
            findings.push(found(&rules::HUB_MAINTAINER_EMAIL, object, &path.key("email"), message));
        }
    }
}

fn links(object: &Object, csv: Csv<'_>, findings: &mut Vec<Diagnostic>) {
    for (index, entry) in csv.list(&["spec", "links"]).iter().enumerate() {
        let path = Path::from("spec.links").index(index);
        let (name, url) = (text(entry, "name"), text(entry, "url"));
        if name.is_empty() || url.is_empty() {
            let key = if name.is_empty() { "name" } else { "url" };
            let message = format!("a link has no {key}");
            findings.push(found(&rules::HUB_LINK_INCOMPLETE, object, &path.key(key), message));
        }
        if !url.is_empty()
            && let Err(problem) = address::check_url(url)
        {
            let message = format!("{url:?} is not a web address: {problem}");
            findings.push(found(&rules::HUB_LINK_URL, object, &path.key("url"), message));
        }
    }
}

/// Checks only the first icon.
fn icon(object: &Object, csv: Csv<'_>, findings: &mut Vec<Diagnostic>) {
    let path = Path::from("spec.icon");
    let icons = csv.list(&["spec", "icon"]);
    let Some(first) = icons.first() else {
        findings.push(found(&rules::HUB_ICON_MISSING, object, &path, "there is no icon"));
        return;
    };
    if icons.len() > 1 {
        let message = format!("there are {} icons, but only one is shown", icons.len());
        findings.push(found(&rules::HUB_ICON_COUNT, object, &path.index(1), message));
    }
    let (data, media_type) = (text(first, "base64data"), text(first, "mediatype"));
    if data.is_empty() || media_type.is_empty() {
        let key = if data.is_empty() { "base64data" } else { "mediatype" };
        let message = format!("the icon has no {key}");
        findings.push(found(
            &rules::HUB_ICON_INCOMPLETE,
            object,
            &path.index(0).key(key),
            message,
        ));
    }
    if !media_type.is_empty() && !ICON_TYPES.contains(&media_type) {
        let message = format!("catalogs do not show images of type {media_type}");
        let path = path.index(0).key("mediatype");
        findings.push(found(&rules::HUB_ICON_MEDIATYPE, object, &path, message));
    }
}
