//! The image of an index: the database, and opmx itself to serve it.

use crate::files::FileError;
use crate::image::{EntryContent, Image, ImageConfig, ImageError, LayerEntry, append, build, layer_from_files};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The label under which an index image names its database.
pub const DATABASE_LABEL: &str = "operators.operatorframework.io.index.database.v1";
/// The label of a file-based catalog image.
pub const CONFIGS_LABEL: &str = "operators.operatorframework.io.index.configs.v1";
/// Where the database stands in an image that opmx or opm builds.
pub const DATABASE_PATH: &str = "/database/index.db";

const PROGRAM: &str = "bin/opmx";
/// OLM up to v0.46 runs this program in the container to see whether it serves.
const PROBE: &str = "bin/grpc_health_probe";
const PORT: &str = "50051/tcp";

/// What serves the database of an index image.
#[derive(Debug, Clone)]
pub enum Program<'a> {
    /// This static binary, in an image of its own.
    Static(&'a Path),
    /// What the base image brings: it must answer to `/bin/opm registry serve`, as opm's image does.
    Base(&'a Image),
}

/// Why a program cannot serve from an image that holds nothing else.
#[derive(Debug, thiserror::Error)]
#[error("{} is not a static Linux program, and an index image holds nothing that it could be linked with", path.display())]
pub struct NotStatic {
    /// The program.
    pub path: PathBuf,
}

/// Builds an index image. The same database and program give the same digest.
///
/// # Errors
/// When a file cannot be read or a temporary file cannot be written.
pub fn image_of(database: &Path, program: &Program<'_>) -> Result<Image, ImageError> {
    let entry = |path: &str, mode, content| LayerEntry {
        path: path.to_owned(),
        mode,
        content,
    };
    let data = [entry(
        DATABASE_PATH.trim_start_matches('/'),
        0o644,
        EntryContent::File(database.to_owned()),
    )];
    let data = layer_from_files(&data)?;
    let labels = BTreeMap::from([(DATABASE_LABEL.to_owned(), DATABASE_PATH.to_owned())]);
    let mut config = ImageConfig {
        labels,
        exposed_ports: vec![PORT.to_owned()],
        ..ImageConfig::default()
    };
    let serve = ["registry", "serve", "--database", DATABASE_PATH]
        .map(str::to_owned)
        .to_vec();
    match program {
        Program::Static(binary) => {
            let programs = layer_from_files(&[
                entry(PROGRAM, 0o755, EntryContent::File((*binary).to_owned())),
                entry(PROBE, 0o777, EntryContent::Link("opmx".to_owned())),
                entry("bin/opm", 0o777, EntryContent::Link("opmx".to_owned())),
            ])?;
            config.entrypoint = vec![format!("/{PROGRAM}")];
            config.command = serve;
            config.environment = vec!["PATH=/bin".to_owned()];
            "1001".clone_into(&mut config.user);
            architecture().clone_into(&mut config.architecture);
            build(&config, vec![programs, data])
        }
        Program::Base(base) => {
            config.entrypoint = vec!["/bin/opm".to_owned()];
            config.command = serve;
            append(base, &config, vec![data])
        }
    }
}

/// The Dockerfile that opm writes for an index, standing on `base`.
pub fn dockerfile(base: &str) -> String {
    format!(
        "FROM {base}\nLABEL {DATABASE_LABEL}={DATABASE_PATH}\nADD database/index.db {DATABASE_PATH}\nEXPOSE 50051\n\
         ENTRYPOINT [\"/bin/opm\"]\nCMD [\"registry\", \"serve\", \"--database\", \"{DATABASE_PATH}\"]\n"
    )
}

/// The processor that this program was built for, as images name it.
fn architecture() -> &'static str {
    match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        "powerpc64" => "ppc64le",
        other => other,
    }
}

/// Checks that a program needs no other file to run.
///
/// # Errors
/// When the file cannot be read, or is no ELF program without an interpreter.
pub fn require_static(path: &Path) -> Result<(), StaticError> {
    let content = std::fs::read(path).map_err(|error| FileError::new("read", path, error))?;
    if is_static_elf(&content) {
        Ok(())
    } else {
        Err(NotStatic { path: path.to_owned() }.into())
    }
}

/// Why a program cannot be put into an image.
#[derive(Debug, thiserror::Error)]
pub enum StaticError {
    /// It cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// It needs a dynamic linker.
    #[error(transparent)]
    Dynamic(#[from] NotStatic),
}

/// Whether the bytes are a 64-bit ELF program without a program header that names an interpreter.
fn is_static_elf(content: &[u8]) -> bool {
    const INTERPRETER: u32 = 3;
    let number = |at: usize, length: usize| -> Option<u64> {
        let bytes = content.get(at..at.checked_add(length)?)?;
        Some(
            bytes
                .iter()
                .rev()
                .fold(0, |number, byte| number << 8 | u64::from(*byte)),
        )
    };
    if !content.starts_with(b"\x7fELF\x02\x01") {
        return false;
    }
    let headers = || -> Option<bool> {
        let start = usize::try_from(number(32, 8)?).ok()?;
        let (size, count) = (
            usize::try_from(number(54, 2)?).ok()?,
            usize::try_from(number(56, 2)?).ok()?,
        );
        for index in 0..count {
            let at = start.checked_add(size.checked_mul(index)?)?;
            if number(at, 4)? == u64::from(INTERPRETER) {
                return Some(false);
            }
        }
        Some(true)
    };
    headers().unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_program_without_an_interpreter_is_static() {
        assert!(!is_static_elf(b"#!/bin/sh\n"));
        assert!(!is_static_elf(b"\x7fELF\x02\x01"));
        assert!(!is_static_elf(&std::fs::read("/bin/sh").unwrap()));
    }
}
