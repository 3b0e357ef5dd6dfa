//! `opmx permissions --policy`: the policy violations of a bundle.

use crate::bundle::location::Location;
use crate::cli::error::CommandError;
use crate::cli::what_if::InstallArguments;
use crate::cluster::State;
use crate::csv::Csv;
use crate::diagnostic::Diagnostic;
use crate::image::Reference;
use crate::index::location::IndexLocation;
use crate::install::permissions::{Targets, targets};
use crate::steps::Content;
use crate::validation::policy::{Setting, Terms, judge, judge_catalog, judge_image};
use serde_json::Value;

/// Returns the policy violations of a bundle: of its content, its image, and the index that contains it.
pub(super) fn findings(
    bundle: &str,
    content: &Content,
    terms: &Terms,
    install: &InstallArguments,
    state: &State,
) -> Result<Vec<Diagnostic>, CommandError> {
    let objects: Vec<&Value> = content.objects.iter().collect();
    let all: Vec<&Value> = std::iter::once(&content.csv).chain(objects.iter().copied()).collect();
    let namespace = install.namespace(state);
    let setting = Setting {
        objects: &state.objects,
        namespace,
        everywhere: targets(Csv(&content.csv), namespace, state).0 == Targets::All,
    };
    let broken = judge(terms, Some(&content.csv), &objects, &setting).into_iter();
    let mut findings: Vec<Diagnostic> = broken
        .map(|broken| {
            let text = |pointer: &str| {
                let object = all.get(broken.object);
                object
                    .and_then(|object| object.pointer(pointer)?.as_str())
                    .unwrap_or_default()
            };
            let label = format!("{}/{}", text("/kind"), text("/metadata/name"));
            let message = format!("{label}: {}", broken.message);
            Diagnostic::new(broken.rule, message).object(label).path(&broken.path)
        })
        .collect();
    let of_image = |image: &Reference| match image {
        Reference::Registry(image) => Some(image.as_written().to_owned()),
        _ => None,
    };
    if let Some(index) = &install.index {
        if let IndexLocation::Image(image) = index.parse()? {
            findings.extend(of_image(&image).and_then(|name| judge_catalog(terms, &[&name])));
        }
    } else if let Location::Image(image) = bundle.parse()? {
        findings.extend(of_image(&image).and_then(|name| judge_image(terms, &name)));
    }
    Ok(findings)
}
