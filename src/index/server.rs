//! The program that serves an index from its image: opmx itself, or the program of a base image.

use super::image::{BASE_PROGRAM, Program};
use super::program::{Binary, ProgramError, programs};
use crate::bundle::annotations::PACKAGE;
use crate::image::{Image, ImageError, Platform, Reference, Transports, check_base};

/// The program that serves an index from its image, with its platforms.
#[derive(Debug, Clone)]
pub enum Server {
    /// This program itself, and its binaries for other platforms.
    Opmx {
        /// The binaries. A binary for the platform of this program is used instead of this program.
        binaries: Vec<Binary>,
        /// The base image; each platform uses its own variant. Without a base image, the index image contains only the
        /// program and the index.
        base: Option<Reference>,
    },
    /// The program of a base image.
    Base {
        /// The base image.
        base: Reference,
        /// Whether to use the base image of every platform. Otherwise, only the base image for the platform set in the
        /// [`ImageOptions`](crate::image::ImageOptions) is used.
        all_platforms: bool,
    },
}

/// An error that prevents the use of a program in an image.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServerError {
    /// A program cannot serve an index from an image.
    #[error(transparent)]
    Program(#[from] ProgramError),
    /// The base image cannot be read.
    #[error(transparent)]
    Image(#[from] ImageError),
}

/// A reason why an image is probably not a base image for an index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BaseDoubt {
    /// The image.
    pub base: String,
    /// The reason.
    pub kind: BaseDoubtKind,
}

/// The kinds of [`BaseDoubt`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BaseDoubtKind {
    /// The image is a bundle.
    Bundle,
    /// The image does not contain the program `/bin/opm`, which index images on a base start.
    NoProgram,
}

/// Checks the layers of the base images, which runtimes refuse to unpack if they are damaged. Returns the reasons why
/// the images probably cannot serve an index, once for each image.
///
/// # Errors
/// Returns an error if a layer is damaged or exceeds a limit.
pub(super) fn check_bases(programs: &[Program], transports: &Transports) -> Result<Vec<BaseDoubt>, ImageError> {
    let mut doubts = Vec::new();
    for program in programs {
        let (base, needs_program) = match program {
            Program::Base(base) => (base, true),
            Program::Binary { base: Some(base), .. } => (base, false),
            Program::Binary { base: None, .. } | Program::Absent(_) => continue,
        };
        let has_program = check_base(base, &BASE_PROGRAM[1..], transports.image_limit())?;
        let entrypoint = base.config_value().pointer("/config/Entrypoint/0");
        let starts_program = entrypoint.is_some_and(|program| program == BASE_PROGRAM);
        let kind = if base.label(PACKAGE).is_some() {
            BaseDoubtKind::Bundle
        } else if needs_program && !has_program && !starts_program {
            BaseDoubtKind::NoProgram
        } else {
            continue;
        };
        let base = base.origin().to_owned();
        doubts.push(BaseDoubt { base, kind });
    }
    doubts.dedup();
    Ok(doubts)
}

/// Returns the programs of the image, with their base images.
///
/// # Errors
/// Returns an error if a program cannot serve an index from an image, or the base image cannot be pulled for a
/// platform.
pub(super) async fn serving(server: &Server, transports: &Transports) -> Result<Vec<Program>, ServerError> {
    match server {
        Server::Opmx { binaries, base } => {
            let mut serving = Vec::new();
            for binary in programs(binaries)? {
                let base = match base {
                    Some(base) => Some(pull_for(&binary.platform, base, transports).await?),
                    None => None,
                };
                serving.push(Program::Binary { binary, base });
            }
            Ok(serving)
        }
        Server::Base {
            base,
            all_platforms: false,
        } => {
            transports.require_platform(base).await?;
            Ok(vec![Program::Base(transports.pull(base).await?)])
        }
        Server::Base {
            base,
            all_platforms: true,
        } => {
            let offers = transports.offers(base).await?;
            if offers.is_empty() {
                return Err(ImageError::no_platform(base, None, &offers).into());
            }
            let mut serving = Vec::new();
            for offer in offers {
                let image = transports.pull(&base.with_digest(&offer.digest)).await?;
                serving.push(Program::Base(image));
            }
            Ok(serving)
        }
    }
}

/// Pulls the image for exactly this platform.
async fn pull_for(platform: &Platform, base: &Reference, transports: &Transports) -> Result<Image, ImageError> {
    let offers = transports.offers(base).await?;
    let Some(offer) = offers.iter().find(|offer| offer.platform == *platform) else {
        return Err(ImageError::no_platform(base, Some(platform), &offers));
    };
    transports.pull(&base.with_digest(&offer.digest)).await
}
