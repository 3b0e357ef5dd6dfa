//! Advice for errors about indexes of either form, their images and sites.

use super::{Advice, Hints, VALUES, hint, hints, hints_of, image_in, raise};
use crate::bundle::MediaType;
use crate::bundle::location::LoadError;
use crate::catalog::selection::SelectionError;
use crate::index::api_sources::ApiSourceError;
use crate::index::catalog_image::{CatalogImageError, EmptyCatalog};
use crate::index::export::ExportError;
use crate::index::extract::ExtractError;
use crate::index::follow::FollowError;
use crate::index::gather::{GatherError, GatherProblem};
use crate::index::import::ImportError;
use crate::index::intake::IntakeError;
use crate::index::location::{FetchError, IndexLocationError};
use crate::index::open::OpenError;
use crate::index::program::ProgramError;
use crate::index::publish::{ChangeError, PublishError};
use crate::index::release::ReleaseError;
use crate::index::render::RenderError;
use crate::index::render::bundle::BundleError;
use crate::index::render::dockerfile::DockerfileError;
use crate::index::render::folder::FolderError;
use crate::index::render::sources::SourceError;
use crate::index::render::template::TemplateRenderError;
use crate::index::server::ServerError;
use crate::page::PageError;

pub(super) const FORMS: &str = "an index is an image, a database file or the folder of a file-based catalog";
const BASE: &str = "use a base image that contains only a program";

impl Hints for IndexLocationError {
    fn hints(&self) -> Advice {
        let mut advice = hint(format!("{FORMS}, but this path does not exist"));
        advice.hints.extend(self.source.hints().hints);
        advice.of_missing()
    }
}

impl Hints for EmptyCatalog {
    fn hints(&self) -> Advice {
        hint(
            "add bundles with opmx catalog add; if the folder contains a template, render it first with opmx alpha \
             render-template",
        )
    }
}

hints! {
    FetchError {
        pass: [Image, File],
        none: [Catalog, NoCatalog],
        Self::Database { .. } => hint("an index with a database needs no conversion; use a command of opmx index to change it"),
        Self::Missing { .. } => hint(FORMS).of_missing(),
        Self::Bundle { .. } => hint("use opmx bundle inspect to show a bundle, and opmx index add to add it to an index"),
        Self::Layout { folder } => image_in(folder),
        Self::NoIndex { source, .. } => source.hints().of_existing(),
    }
    OpenError {
        pass: [Location, Image, Fetch, Read, Catalog, Load, File],
        none: [],
    }
    ApiSourceError {
        pass: [File, Tree, Read, Index],
        none: [Unreadable],
        Self::TooMany { .. } => hint(raise(VALUES)),
        Self::Nothing { .. } => hint(
            "a source is an index, CustomResourceDefinitions, or the output of \"kubectl api-resources\" or \
             \"kubectl get --raw /apis/GROUP/VERSION\"",
        ),
    }
    IntakeError {
        pass: [],
        none: [Findings, Record],
        Self::NoReference { .. } => {
            hint("specify the published location with --record-as, or omit --by-reference")
        }
    }
    GatherProblem {
        pass: [Intake],
        none: [],
        Self::Load(LoadError::Index { .. } | LoadError::NoBundle { .. }) => {
            hint("specify a bundle image; \"opmx index add --from-index\" starts from an index")
        }
        Self::Load(error) => error.hints(),
        Self::MediaType { media_type: MediaType::K8sV1, .. } => {
            hint("use \"opmx bundle convert BUNDLE OUT --to registry+v1\" to convert the bundle to a format that every version of \
                  OLM can read")
        }
        Self::MediaType { media_type: MediaType::RegistryV1, .. } => Advice::default(),
    }
    GatherError {
        pass: [Spool, Add],
        none: [Bundles],
    }
    ImportError {
        pass: [Catalog, Load, Empty, Spool, Add],
        none: [Findings, Bundle, SameName, Head],
    }
    ProgramError {
        pass: [File],
        none: [NotAProgram, OtherProcessor, UnknownPlatform, Twice],
        Self::NotStatic { .. } => hint(
            "build opmx with `-C target-feature=+crt-static` and an explicit --target, specify a static binary with \
             --binary, build on a base image with --binary-image, or write a Dockerfile with --generate",
        ),
        Self::Foreign { .. } => {
            hint("specify an opmx binary for Linux with --binary, or build on a base image with --binary-image")
        }
    }
    ChangeError {
        pass: [Gather, Remove, Deprecate, Promote, Import],
        none: [],
    }
    PublishError {
        pass: [Fetch, Import, Follow, Database, Change, Image, Program, File],
        none: [],
        Self::BaseIsIndex { .. } => hint(BASE),
        Self::Taken { .. } => hint("choose another file, or remove the existing one"),
    }
    FollowError {
        pass: [Catalog, Edit, Read, Render, File],
        none: [Write],
    }
    CatalogImageError {
        pass: [Catalog, Empty, Server, Image],
        none: [Findings],
        Self::BaseIsIndex { .. } => hint(BASE),
    }
    ServerError {
        pass: [Program, Image],
        none: [],
    }
    ExtractError {
        pass: [Source, Folder],
        none: [],
        Self::Selection(error) => match error {
            SelectionError::Package { nearest: Some(name), .. } => hint(format!("did you mean {name:?}?")).of_missing(),
            SelectionError::Package { .. } | SelectionError::Channel { .. } | SelectionError::Bundle { .. } => {
                hint("use opmx index list packages to show the available packages").of_missing()
            }
            SelectionError::Version { .. } => Advice::default(),
        },
    }
    PageError {
        pass: [Open, Read, File],
        none: [Template, Threads],
        Self::Other { .. } => hint("use an --output folder that is empty or contains a site"),
        Self::Taken { .. } => hint("move the file to another name, or use another --output folder"),
        Self::Listing { .. } => hint(
            "the file lists what an earlier run has written; restore it, or use an --output folder that is empty",
        ),
    }
    ExportError {
        pass: [Index, Folder, Tree, File],
        none: [Name, NoContent, Findings, Object],
        Self::UnknownPackage { nearest, .. } => {
            hints_of(nearest.iter().map(|name| format!("did you mean {name:?}?"))).of_missing()
        }
        Self::Reference { source, .. } => source.hints(),
        Self::Load { source, .. } => source.hints(),
    }
    RenderError {
        pass: [Read],
        none: [],
        Self::Property { .. } => hint("remove the bundle from the index and add it again"),
    }
    SourceError {
        pass: [Image, Fetch, Tree, Intake, Read, Catalog, Load, Render, File],
        missing: [Missing],
        none: [NoIndex, Unknown, Write],
        Self::Name { source, .. } => source.hints().of_missing(),
    }
    FolderError {
        pass: [Source, Folder, File],
        none: [PackageName],
    }
    BundleError {
        pass: [Location, Load, Intake, Render],
        none: [],
    }
    ReleaseError {
        pass: [File, Catalog],
        missing: [NoVersion],
        none: [Bundles, Package, Version, Changed],
        Self::Folder { .. } => hint("specify a folder that contains the file ci.yaml, such as operators/PACKAGE"),
        Self::Bundle { source, .. } => source.hints(),
        Self::Template { source, .. } => source.hints(),
        Self::Foreign { .. } => hint("add this content to the template, or remove it from the catalog with --overwrite"),
    }
    TemplateRenderError {
        pass: [],
        none: [Bundles, Template],
    }
    DockerfileError {
        pass: [File],
        none: [NotAFolder, Name, Label],
        Self::Taken { .. } => hint("remove the existing file to write it again"),
        Self::Builder => hint("use --builder-image to specify an image that contains opm or opmx as /bin/opm"),
    }
}
