//! Advice for errors about file-based catalogs, their templates and their packages.

use super::{Advice, Hints, TOTAL_SIZE, VALUES, hint, hints, hints_of, of_system, raise};
use crate::catalog::file_based::draft::{Above, DraftError};
use crate::catalog::file_based::edit::CatalogEditError;
use crate::catalog::file_based::edit::template::TemplateEditError;
use crate::catalog::file_based::error::CatalogError;
use crate::catalog::file_based::load::LoadError as CatalogLoadError;
use crate::catalog::file_based::template::Kind;
use crate::catalog::published::UnpublishedError;
use crate::catalog::release::TemplateChangeError;
use crate::catalog::selection::SelectionError;

hints! {
    CatalogError {
        pass: [File],
        none: [LinkedFolder, LinkedFile, BrokenLink, Document, Limit, NotAFolder, Name, Changed],
        Self::Walk { source, .. } => source.io_error().map(of_system).unwrap_or_default(),
        Self::NotACatalog { .. } => hint("specify a database, the folder of a file-based catalog, or an image of either"),
        Self::Values { .. } => hint(raise(VALUES)),
        Self::TooMuch { .. } => hint(raise(TOTAL_SIZE)),
    }
    CatalogEditError {
        pass: [Catalog, File, Draft, Load, Revise, Folder, Template],
        none: [Findings, Write, Name, Again],
        Self::Conflicts { .. } => hint("choose one of the catalogs with --prefer"),
        Self::Package { nearest, .. } => {
            hints_of(nearest.iter().map(|name| format!("did you mean {name:?}?"))).of_missing()
        }
        Self::Twice { .. } => hint("remove one of the two documents"),
    }
    TemplateEditError {
        pass: [Template],
        none: [],
        Self::Older { .. } => hint("convert the template with \"opmx alpha convert-template basic\""),
        Self::Unsupported { kind: Kind::Basic, .. } => {
            hint("remove bundles by name with \"opmx catalog rm\", or change the catalog that the template is rendered to")
        }
        Self::Unsupported { kind: Kind::Semver, .. } => hint(
            "channels follow from the image lists: change the lists with \"opmx catalog add\" and \"opmx catalog rm\", \
             or change the catalog that the template is rendered to",
        ),
        Self::Unsupported { kind: Kind::Substitutes, .. } => {
            hint("change the template in an editor, or change the catalog that it is rendered to")
        }
        Self::Unnamed { bundles, names: true, .. } if bundles.len() == 1 => {
            hint(format!("add \"name: {}\" to the entry that contains the image of the bundle", bundles.join(", ")))
        }
        Self::Unnamed { names: true, .. } => hint("add the name of each bundle to the entry that contains its image"),
        Self::Unnamed { names: false, .. } => hint(
            "render the template with \"opmx alpha render-template\" and change the catalog, or add the name of each \
             bundle to the entry that contains its image",
        ),
        Self::Stream { .. } => hint("use one of the lists candidate, fast and stable"),
        Self::OtherStream { .. } => Advice::missing(),
        Self::Image { nearest, .. } => {
            hints_of(nearest.iter().map(|image| format!("did you mean {image:?}?"))).of_missing()
        }
    }
    DraftError {
        pass: [],
        none: [ChannelName, Entries, Taken, NoStart, ReplacesItself],
        Self::Channel { nearest, .. } | Self::Bundle { nearest, .. } => {
            hints_of(nearest.iter().map(|name| format!("did you mean {name:?}?"))).of_missing()
        }
        Self::OnlyNames { named: Some(name), .. } => {
            hint(format!("specify the bundle by its name: {name}")).of_missing()
        }
        Self::OnlyNames { .. } => {
            hint("specify the bundle by its name; a basic template contains only the names of bundles").of_missing()
        }
        Self::Entry { .. } => Advice::missing(),
        Self::Twice { .. } => hint("merge the two documents into one"),
        Self::Default { others, .. } => {
            hint(format!("specify another channel with --default-channel; available channels: {}", others.join(", ")))
        }
        Self::SecondHead { bundle, others, above, .. } if above.heads.is_empty() => hint(format!(
            "{}, in its ClusterServiceVersion or with \"opmx catalog add --replaces\", or order the channel by version \
             with --mode semver",
            on_top(bundle, others)
        )),
        Self::SecondHead { above, .. } => hint(match gap(above) {
            Some(gap) => format!("{gap}, or order the channel by version with --mode semver"),
            None => "order the channel by version with --mode semver".to_owned(),
        }),
        Self::At { error, .. } => error.hints(),
        Self::Heads { .. } => hint("make one of the heads replace or skip the others"),
        Self::Differs { .. } => hint("use another version for the bundle, or replace the existing bundle with \
                                      --overwrite"),
        Self::Edges { .. } => hint("change the edges with --overwrite, or omit --replaces and --skips"),
        Self::NoDefault { channels, .. } if channels.is_empty() => hint("specify a channel with --channel"),
        Self::NoDefault { channels, .. } => {
            hint(format!(
                "specify the default channel with --default-channel; the channels are {}",
                channels.join(", ")
            ))
        }
        Self::UnknownDefault { channels, .. } => hint(format!(
            "correct the default channel in metadata/annotations.yaml, or specify it with --default-channel; the \
             channels are {}",
            channels.join(", ")
        )),
        Self::Empty { package } => {
            hint(format!("to remove the whole package, use \"opmx catalog rm\" with the name {package:?} alone"))
        }
        Self::Outside { prerelease: Some(prerelease), .. } => hint(format!(
            "begin the range at {}.{}.{}-0 to include {prerelease}",
            prerelease.major, prerelease.minor, prerelease.patch
        )),
        Self::Outside { .. } => Advice::default(),
        Self::NoLifecycle { others, .. } if others.is_empty() => {
            hint("pass --phase once for each phase of the version")
        }
        Self::NoLifecycle { others, .. } => {
            let others: Vec<String> = others.iter().map(ToString::to_string).collect();
            hint(format!(
                "pass --phase once for each phase of the version, or specify a version that already has a lifecycle: \
                 {}",
                others.join(", ")
            ))
        }
        Self::Version { .. } => hint("remove bundles by name with opmx catalog rm"),
        Self::SameVersion { .. } => {
            hint("use versions that differ in more than build metadata, or order the bundles with --mode replaces")
        }
        Self::Ambiguous { .. } => hint("use the bundle name instead of the version"),
        Self::NoWay { .. } => {
            hint("specify another version, or only channels that have an update path from this version")
        }
    }
    CatalogLoadError {
        pass: [Catalog],
        none: [],
        Self::Document { .. } => hint("to list all problems in a catalog folder, use opmx validate"),
    }
    TemplateChangeError {
        pass: [Revise],
        none: [],
        // The command that reports this error has no options for edges.
        Self::Draft(DraftError::SecondHead { bundle, others, above, .. }) if above.heads.is_empty() => {
            hint(on_top(bundle, others))
        }
        Self::Draft(DraftError::SecondHead { bundle, above, .. }) => hint(match gap(above) {
            Some(gap) => gap,
            None => format!("make {}, which has a higher version, replace or skip {bundle}", above.heads.join(", ")),
        }),
        Self::Draft(error) => error.hints(),
    }
    SelectionError {
        pass: [],
        missing: [Package, Channel, Bundle],
        none: [Version],
    }
    UnpublishedError {
        pass: [],
        missing: [Package, Channel],
        none: [NoDefault, NoHead],
    }
}

/// Returns the advice to make a bundle replace or skip the other heads of its channel.
fn on_top(bundle: &str, others: &[String]) -> String {
    format!("make {bundle} replace or skip {}", others.join(", "))
}

/// Returns the advice to add the bundle that is missing below heads with higher versions.
fn gap(above: &Above) -> Option<String> {
    let [bundle, missing] = above.gap.as_ref()?;
    Some(format!("{bundle} replaces {missing}, which is missing: add it first"))
}
