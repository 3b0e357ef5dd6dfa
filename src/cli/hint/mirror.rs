//! Advice for errors about mirrors.

use super::index::FORMS;
use super::{Advice, Hints, OTHER_RUN, hint, hints, hints_of, is_full};
use crate::cli::size::Size;
use crate::files::FileError;
use crate::image::ImageError;
use crate::index::render::sources::SourceError;
use crate::mirror::archive::ArchiveError;
use crate::mirror::collect::CollectError;
use crate::mirror::images::ImagesError;
use crate::mirror::imageset::{ImageSetError, OtherFormat};
use crate::mirror::manifests::ManifestError;
use crate::mirror::pack::PackError;
use crate::mirror::placed::PlacedError;
use crate::mirror::plan::{PlanError as MirrorPlanError, PlanFileError};
use crate::mirror::policy::PolicyError;
use crate::mirror::taken::{SameName, TakenError};
use crate::mirror::transfer::TransferError;
use crate::mirror::verify::VerifyError;

hints! {
    ImagesError {
        pass: [Index, Selection],
        none: [],
    }
    CollectError {
        pass: [Folder, Open, Build, Image, File, Placed, Plan],
        none: [Content],
        Self::Source { source, .. } => match source.as_ref() {
            SourceError::Missing { .. } | SourceError::Name { .. } => hint(FORMS).of_missing(),
            error => error.hints(),
        },
        Self::Filter { source, .. } => source.hints(),
        Self::Package { nearest, .. } | Self::NoPackage { nearest, .. } => {
            hints_of(nearest.iter().map(|name| format!("did you mean {name:?}?"))).of_missing()
        }
    }
    TakenError {
        pass: [],
        none: [],
        Self { reason, .. } => hint(match reason {
            SameName::Registries => "use --keep-host to distinguish the images by their hosts",
            SameName::Shortened => "increase --max-nested-paths, so that the paths of the images stay different",
            SameName::File => "rename the file or folder of the catalog, or set targetCatalog in an \
                               ImageSetConfiguration",
            SameName::Requested => "set targetCatalog or targetTag of a catalog, or targetRepo or targetTag of an image, \
                                    in an ImageSetConfiguration to another value",
        }),
    }
    MirrorPlanError {
        pass: [],
        none: [Form, Version, Limit, Dangling, Loose, Cycle, Size, Destination, Tag, Outside, Nowhere, NoImage],
    }
    PlanFileError {
        pass: [File],
        none: [],
        Self::TooLarge(_) => hint("select fewer packages or versions, and make several plans"),
        Self::Plan { .. } => hint("create the plan with opmx mirror plan"),
    }
    PlacedError {
        pass: [Taken, Plan],
        none: [Nowhere],
        Self::Names { .. } => hint("omit --keep-host and --max-nested-paths to use the names in the plan, or create the \
                                    plan with the same options"),
        Self::Other { planned, asked } => hint(format!("use {planned}, or create a plan for {asked}")),
    }
    ArchiveError {
        pass: [File],
        none: [Version, Name, Contradiction, Plan],
        Self::List { .. } => hint("transfer the list again; if the original is damaged, remove it and run opmx mirror copy --to-archive again, which keeps undamaged volumes"),
        Self::Volume { .. } => hint("specify the folder of the archive or its list, NAME.json"),
        Self::Unfinished { .. } => hint("run opmx mirror copy --to-archive again to finish it"),
        Self::Ambiguous { names, .. } if names.is_empty() => {
            hint("specify the folder that opmx mirror copy --to-archive wrote")
        }
        Self::Ambiguous { .. } => hint("specify the archive's list file, NAME.json"),
        Self::Taken { .. } => hint("choose another name for the new archive with --name, or write it to \
                                    another folder"),
        Self::OtherSize { recorded, .. } => hint(format!(
            "use --volume-size {}, or write the archive to another folder",
            Size(*recorded)
        )),
        Self::Incomplete { .. } => hint("run opmx mirror copy --to-archive again to complete it"),
        Self::Size(_) => hint("increase the volume size with --volume-size"),
        Self::Volumes(error) => error.hints(),
        Self::OtherPlan { .. } => hint("specify the plan that the archive was written from; if it is that plan, the \
                                        archive was changed, so transfer it again"),
        Self::Swapped { .. } => hint("use only volumes of the same archive in one folder"),
        Self::Busy { .. } => hint(OTHER_RUN),
    }
    ManifestError {
        pass: [],
        none: [],
        Self::Name { .. } | Self::Same { .. } => hint("set the catalog name with --catalog-name, or the name of the \
                                                       mirror sets with --name"),
        Self::SourceName { .. } => hint("set another name with --catalog-name"),
        Self::Namespace { .. } => hint("set the namespace of the CatalogSources with --namespace"),
        Self::Unknown { .. } => hint("use the catalog's name from catalogs[].source in the plan"),
        Self::Nowhere => hint("specify the registry with --to"),
    }
    ImageSetError {
        pass: [],
        none: [],
        Self { other: Some(OtherFormat::Older), .. } => hint("set the apiVersion to mirror.openshift.io/v2alpha1, and \
                                                              remove storageConfig"),
        Self { other: Some(OtherFormat::Deletion), .. } => hint("use opmx mirror delete with the plan of the images to \
                                                                 delete"),
        Self { other: None, .. } => Advice::default(),
    }
    PolicyError {
        pass: [],
        none: [Content, Key],
        Self::File { source, .. } => source.hints(),
    }
    PackError {
        pass: [File, Placed, Transfer],
        none: [Name],
        Self::Archive(error) => match error.as_ref() {
            ArchiveError::File(error) => of_unfinished(error),
            error => error.hints(),
        },
        Self::Image(ImageError::File(error)) => of_unfinished(error),
        Self::Image(error) => error.hints(),
        Self::Base { .. } => hint("load the base archive first"),
    }
    VerifyError {
        pass: [Image],
        none: [],
        Self::Nowhere => hint("specify the registry with --at"),
    }
    TransferError {
        pass: [Placed, Target, Journal, File],
        none: [Name],
    }
}

/// Returns the advice for a file of an archive that is being written.
fn of_unfinished(error: &FileError) -> Advice {
    if is_full(&error.source) {
        return hint(format!(
            "free up disk space for {}; the next run continues where this one stopped",
            error.path.display()
        ));
    }
    error.hints()
}
