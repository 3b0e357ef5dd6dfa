//! Advice for errors about index databases.

use super::{Advice, Hints, hint, hints, hints_of, image_in, of_system, raise};
use crate::catalog::graph::GraphError;
use crate::database::add::promote::PromoteError;
use crate::database::add::{AddError, Refusal, Refused};
use crate::database::admission::Unfit;
use crate::database::content_error::ContentError;
use crate::database::deprecate::DeprecateError;
use crate::database::error::DatabaseError;
use crate::database::read::ReadError;
use crate::database::remove::RemoveError;
use crate::tree::LAYOUT_FILE;

const DATABASE_STEPS: &str = "--max-database-steps";
const RESTORE: &str = "restore the database from a backup";
const ENCODING: &str =
    "list all such values with opmx index check, and correct them, or restore the database from a backup";

hints! {
    DatabaseError {
        pass: [Read, File],
        missing: [NoFolder, NoTarget],
        none: [NotADatabase, NotAnIndex, TooLarge, Newer, Locked, ReadOnly, CannotOpen, Full, Other],
        Self::Unfit(Unfit::Empty { .. }) => hint("specify an index database, or remove the file to start a new \
                                                      database"),
        Self::Unfit(Unfit::NotPlain { .. }) => Advice::default(),
        Self::Steps { .. } => hint(raise(DATABASE_STEPS)),
        Self::Io { .. } => hint("check the disk, its free space, the quota and the limit on file sizes"),
        Self::Damaged {
            source: ContentError::Encoding { .. },
            ..
        } => hint(ENCODING),
        Self::Damaged { .. } => hint(RESTORE),
        Self::ForeignParts { .. } => hint("remove these parts with an SQLite program, and run the command again"),
    }
    ReadError {
        pass: [Beside],
        none: [NotADatabase, Unfit, Truncated, NotAnIndex, NoVersion, TooNew, Changed, Copy, Manifests],
        Self::Missing { .. } => hint(
            "specify an existing database, or create it with opmx registry add or, from a file-based catalog, with opmx \
             index from-fbc",
        )
        .of_missing(),
        Self::File { source, .. } => of_system(source),
        Self::Folder { path } if path.join(LAYOUT_FILE).is_file() => image_in(path),
        Self::Folder { .. } => hint(
            "if the folder contains a file-based catalog, convert it to a database with opmx index from-fbc, or use a \
             command that reads file-based catalogs: opmx serve, render, migrate, validate, or a command of opmx index",
        ),
        Self::Steps { .. } => hint(raise(DATABASE_STEPS)),
        Self::Content {
            source: ContentError::Encoding { .. },
            ..
        } => hint(ENCODING),
        Self::Content { .. } => hint(RESTORE),
    }
    RemoveError {
        pass: [Database],
        none: [],
        Self::Unknown { nearest: Some(_), .. } => Advice::missing(),
        Self::Unknown { .. } => hint("use opmx index list packages to show the available packages").of_missing(),
        Self::NameBytes { .. } => hint("store the names as text with opmx index check --fix, then try again"),
        Self::UnreadableName { .. } => hint(RESTORE),
    }
    PromoteError {
        pass: [Database],
        missing: [Unknown],
        none: [Graph, HiddenCharacter, BlankChannel],
        Self::NoChannel { .. } => hint("remove the bundle with the command prune-stranded, and add it again"),
        Self::Deprecated { .. } => hint("promote a newer bundle of the package instead"),
        Self::Strands { .. } => hint("use --mode semver to order bundles only by version"),
    }
    DeprecateError {
        pass: [Remove, Database],
        missing: [Unknown],
        none: [DefaultChannel, PackageHeads],
        Self::NoChannel { .. } => hint("unless the bundle is deprecated already, remove it with the command prune-stranded"),
    }
    AddError {
        pass: [Database, Spool],
        none: [],
        Self::Refused(refusals) => refusal_hints(refusals),
        Self::Losses(_) => hint(
            "make the new bundle replace the head of each of its channels, or omit --strict and --deny warnings",
        ),
    }
}

/// Returns the advice for bundles that an index refuses, each hint once.
fn refusal_hints(refusals: &[Refused]) -> Advice {
    let mut hints = Vec::new();
    for refusal in refusals {
        let hint = match &refusal.refusal {
            Refusal::OverwriteMode => "omit --overwrite-latest, or add the bundles with --mode replaces".to_owned(),
            Refusal::Substitutes {
                bundle, substitutes, ..
            } => format!(
                "allow the annotation with --enable-alpha and --mode replaces, or remove it and make {bundle} replace \
                 or skip {substitutes}"
            ),
            Refusal::AlreadyPresent { differences, .. } if differences.is_empty() => {
                "skip existing bundles with --if-exists skip".to_owned()
            }
            Refusal::AlreadyPresent { differences, .. } if differences.images.is_none() && !differences.content => {
                "use opmx index promote or opmx registry promote to publish a bundle in additional channels".to_owned()
            }
            Refusal::AlreadyPresent { .. } => {
                "use a new version for the bundle, or replace the head of its channels with \
                 --overwrite-latest"
                    .to_owned()
            }
            Refusal::Graph(GraphError::Unreachable { version, bundle, .. }) if version.is_empty() => {
                format!(
                    "set spec.version in the ClusterServiceVersion of {bundle}; without it, {bundle} has the lowest \
                     version"
                )
            }
            Refusal::Graph(GraphError::Unreachable { .. } | GraphError::SeveralUnreachable { .. }) => {
                "to order the channel by version instead, use --mode semver".to_owned()
            }
            _ => continue,
        };
        if !hints.contains(&hint) {
            hints.push(hint);
        }
    }
    hints_of(hints)
}
