//! The programs that serve an index from its image: opmx itself, as a static binary for each platform.

use crate::files::{FileError, open_regular};
use crate::image::{Platform, PlatformError};
use object::elf::{self, FileHeader64};
use object::read::elf::{FileHeader, ProgramHeader};
use object::{Endianness, FileKind, ReadCache};
use std::fs::File;
use std::path::PathBuf;
use std::str::FromStr;

/// The processors for which index images can be built, with their names in images, and the machine number and byte
/// order of their ELF files.
const PROCESSORS: [(&str, elf::Machine, Endianness); 6] = [
    ("amd64", elf::EM_X86_64, Endianness::Little),
    ("arm64", elf::EM_AARCH64, Endianness::Little),
    ("loong64", elf::EM_LOONGARCH, Endianness::Little),
    ("ppc64le", elf::EM_PPC64, Endianness::Little),
    ("riscv64", elf::EM_RISCV, Endianness::Little),
    ("s390x", elf::EM_S390, Endianness::Big),
];

/// Returns the platforms for which index images can be built, sorted.
pub fn platforms() -> Vec<Platform> {
    let platform = |(architecture, ..): (&str, elf::Machine, Endianness)| Platform {
        architecture: architecture.to_owned(),
        ..Platform::default()
    };
    PROCESSORS.map(platform).to_vec()
}

/// A program for a platform.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Binary {
    /// The platform of the program.
    pub platform: Platform,
    /// The path of the program.
    pub path: PathBuf,
}

/// A string that does not name a program and its platform.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BinaryError {
    /// The string does not have the form `PLATFORM=FILE`.
    #[error("expected PLATFORM=FILE, such as linux/arm64=opmx-arm64")]
    Form,
    /// The text before the `=` is not a platform.
    #[error(transparent)]
    Platform(#[from] PlatformError),
}

impl FromStr for Binary {
    type Err = BinaryError;

    /// Parses `linux/arm64=FILE`, or `arm64=FILE`.
    fn from_str(text: &str) -> Result<Self, BinaryError> {
        let (platform, path) = text.split_once('=').ok_or(BinaryError::Form)?;
        if path.is_empty() {
            return Err(BinaryError::Form);
        }
        Ok(Self {
            platform: platform.parse()?,
            path: path.into(),
        })
    }
}

/// A reason why a program cannot serve an index from an image.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProgramError {
    /// The program cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// The program needs a dynamic linker and libraries.
    #[error(
        "{} is not a static Linux program, but an index image contains no libraries to link against",
        path.display()
    )]
    NotStatic {
        /// The program.
        path: PathBuf,
    },
    /// The file is not a 64-bit program for Linux.
    #[error("{} is not a program for Linux because {problem}", path.display())]
    NotAProgram {
        /// The file.
        path: PathBuf,
        /// The problem with the file.
        problem: &'static str,
    },
    /// The program is not for the processor of the specified platform.
    #[error("{} is not a program for {platform}: {found}", path.display())]
    OtherProcessor {
        /// The program.
        path: PathBuf,
        /// The specified platform.
        platform: Platform,
        /// The actual processor of the program.
        found: Processor,
    },
    /// No index image can be built for the platform.
    #[error(
        "index images cannot be built for {platform}, only for Linux on {}",
        PROCESSORS.map(|(name, ..)| name).join(", ")
    )]
    UnknownPlatform {
        /// The platform.
        platform: Platform,
    },
    /// Two programs have the same platform.
    #[error("two programs were specified for {platform}: {} and {}", one.display(), other.display())]
    Twice {
        /// The platform.
        platform: Platform,
        /// The first program.
        one: PathBuf,
        /// The second program.
        other: PathBuf,
    },
    /// This opmx is built for another operating system, and no program for Linux was specified.
    #[error("this opmx is built for {system}, but an index image needs opmx for Linux")]
    Foreign {
        /// The operating system, as Rust names it.
        system: &'static str,
    },
}

/// The processor of an ELF file, according to its headers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Processor {
    machine: elf::Machine,
    order: Endianness,
}

impl std::fmt::Display for Processor {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut known = PROCESSORS.iter();
        match known.find(|(_, machine, order)| (*machine, *order) == (self.machine, self.order)) {
            Some((name, ..)) => write!(formatter, "it is for linux/{name}"),
            None => write!(formatter, "it is for the ELF machine {}", self.machine.0),
        }
    }
}

/// Returns the programs of an index image, in the order of their platforms: the specified programs, and this program
/// itself unless another program was specified for its platform.
///
/// # Errors
/// Returns an error if a program cannot serve an index from an image, or two programs have the same platform.
pub(crate) fn programs(named: &[Binary]) -> Result<Vec<Binary>, ProgramError> {
    let mut programs = named.to_vec();
    if let Some(platform) = own_platform() {
        if !named.iter().any(|binary| binary.platform == platform) {
            let path = std::env::current_exe().map_err(|error| FileError::new("find", "opmx", error))?;
            programs.push(Binary { platform, path });
        }
    } else if named.is_empty() {
        let system = std::env::consts::OS;
        return Err(ProgramError::Foreign { system });
    }
    programs.sort_by(|one, other| one.platform.cmp(&other.platform));
    for (one, other) in programs.iter().zip(programs.iter().skip(1)) {
        if one.platform == other.platform {
            return Err(ProgramError::Twice {
                platform: one.platform.clone(),
                one: one.path.clone(),
                other: other.path.clone(),
            });
        }
    }
    programs.iter().try_for_each(check)?;
    Ok(programs)
}

/// Returns the platform that this program was built for, if that is Linux.
fn own_platform() -> Option<Platform> {
    let architecture = match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        "loongarch64" => "loong64",
        "powerpc64" if cfg!(target_endian = "little") => "ppc64le",
        other => other,
    };
    cfg!(target_os = "linux").then(|| Platform {
        os: "linux".to_owned(),
        architecture: architecture.to_owned(),
    })
}

/// Checks that a file is a program for its platform and needs no other file to run.
///
/// # Errors
/// Returns an error if the file cannot be read, is not a program for the platform, or needs other files to run.
pub(crate) fn check(binary: &Binary) -> Result<(), ProgramError> {
    let Binary { platform, path } = binary;
    let mut processors = PROCESSORS.iter().filter(|_| platform.os == "linux");
    let wanted = processors.find(|(name, ..)| *name == platform.architecture);
    let &(_, machine, order) = wanted.ok_or_else(|| ProgramError::UnknownPlatform {
        platform: platform.clone(),
    })?;
    let file = open_regular(path).map_err(|error| FileError::new("read", path, error))?;
    let headers = Headers::read(&ReadCache::new(file)).map_err(|problem| ProgramError::NotAProgram {
        path: path.clone(),
        problem,
    })?;
    if headers.processor != (Processor { machine, order }) {
        return Err(ProgramError::OtherProcessor {
            path: path.clone(),
            platform: platform.clone(),
            found: headers.processor,
        });
    }
    if headers.has_interpreter {
        return Err(ProgramError::NotStatic { path: path.clone() });
    }
    Ok(())
}

/// The required data from the headers of a 64-bit ELF file.
struct Headers {
    processor: Processor,
    /// Whether a dynamic linker has to load the program.
    has_interpreter: bool,
}

impl Headers {
    /// Reads the headers; the error describes the problem with the file.
    fn read(file: &ReadCache<File>) -> Result<Self, &'static str> {
        match FileKind::parse(file) {
            Ok(FileKind::Elf64) => {}
            Ok(FileKind::Elf32) => return Err("it is not for a 64-bit processor"),
            _ => return Err("it is not an ELF file"),
        }
        let damaged = |_| "its headers are damaged or truncated";
        let header = FileHeader64::<Endianness>::parse(file).map_err(damaged)?;
        let order = header.endian().map_err(damaged)?;
        if ![elf::ET_EXEC, elf::ET_DYN].contains(&header.e_type(order)) {
            return Err("it cannot be started");
        }
        let mut programs = header.program_headers(order, file).map_err(damaged)?.iter();
        let machine = header.e_machine(order);
        Ok(Self {
            processor: Processor { machine, order },
            has_interpreter: programs.any(|program| program.p_type(order) == elf::PT_INTERP),
        })
    }
}

/// Returns the smallest possible program for a platform: only headers, with an interpreter if requested.
#[cfg(test)]
pub(crate) fn smallest(architecture: &str, interpreter: bool) -> Vec<u8> {
    let (_, machine, order) = PROCESSORS.into_iter().find(|known| known.0 == architecture).unwrap();
    let two = |number: u16| match order {
        Endianness::Little => number.to_le_bytes(),
        Endianness::Big => number.to_be_bytes(),
    };
    let mut file = vec![0; 64 + 56];
    let order_of_bytes = if order == Endianness::Little { 1 } else { 2 };
    file[..7].copy_from_slice(&[0x7f, b'E', b'L', b'F', 2, order_of_bytes, 1]);
    let mut set = |at: usize, bytes: [u8; 2]| file[at..at + 2].copy_from_slice(&bytes);
    set(16, two(2));
    set(18, two(machine.0));
    set(54, two(56));
    set(56, two(1));
    let (low, high) = match order {
        Endianness::Little => (0, 0),
        Endianness::Big => (6, 2),
    };
    set(32 + low, two(64));
    set(64 + high, two(if interpreter { 3 } else { 1 }));
    file
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn checked(platform: &str, content: &[u8]) -> Result<(), String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("opmx");
        std::fs::write(&path, content).unwrap();
        let platform = platform.parse().unwrap();
        let shown = path.display().to_string();
        check(&Binary { platform, path }).map_err(|error| error.to_string().replace(&shown, "opmx"))
    }

    #[test]
    fn static_programs_for_every_platform_are_accepted() {
        for (architecture, ..) in PROCESSORS {
            let platform = format!("linux/{architecture}");
            assert_eq!(checked(&platform, &smallest(architecture, false)), Ok(()));
            let dynamic = checked(&platform, &smallest(architecture, true)).unwrap_err();
            assert!(dynamic.contains("not a static Linux program"), "{dynamic}");
        }
    }

    #[test]
    fn other_files_are_rejected_with_their_kind() {
        let whole = smallest("s390x", false);
        for (platform, content, problem) in [
            (
                "arm64",
                &*smallest("amd64", false),
                "opmx is not a program for linux/arm64: it is for linux/amd64",
            ),
            (
                "ppc64le",
                &whole,
                "opmx is not a program for linux/ppc64le: it is for linux/s390x",
            ),
            (
                "s390x",
                &whole[..100],
                "opmx is not a program for Linux because its headers are damaged or truncated",
            ),
            (
                "s390x",
                &whole[..40],
                "opmx is not a program for Linux because its headers are damaged or truncated",
            ),
            (
                "amd64",
                b"#!/bin/sh\n",
                "opmx is not a program for Linux because it is not an ELF file",
            ),
            (
                "amd64",
                b"",
                "opmx is not a program for Linux because it is not an ELF file",
            ),
            (
                "arm64",
                b"\x7fELF\x01\x01\x01\0\0\0\0\0\0\0\0\0",
                "opmx is not a program for Linux because it is not for a 64-bit processor",
            ),
            (
                "darwin/arm64",
                &whole,
                "index images cannot be built for darwin/arm64, only for Linux on amd64, arm64, loong64, ppc64le, \
                 riscv64, s390x",
            ),
        ] {
            assert_eq!(checked(platform, content).unwrap_err(), problem);
        }
        let mut object = smallest("arm64", false);
        object[16] = 1;
        let said = checked("arm64", &object).unwrap_err();
        assert_eq!(said, "opmx is not a program for Linux because it cannot be started");
        let mut machine = smallest("arm64", false);
        machine[18] = 40;
        let said = checked("arm64", &machine).unwrap_err();
        assert_eq!(
            said,
            "opmx is not a program for linux/arm64: it is for the ELF machine 40"
        );
    }

    #[test]
    fn a_binary_option_consists_of_a_platform_and_a_program() {
        let binary: Binary = "linux/arm64=out/opmx=2".parse().unwrap();
        assert_eq!(binary.platform.to_string(), "linux/arm64");
        assert_eq!(binary.path, Path::new("out/opmx=2"));
        for text in ["opmx", "linux/arm64=", "linux/arm/v7=opmx", ""] {
            assert!(text.parse::<Binary>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_platform_has_only_one_program() {
        let named = ["arm64=a", "arm64=b"].map(|text| text.parse().unwrap());
        let error = programs(&named).unwrap_err().to_string();
        assert_eq!(error, "two programs were specified for linux/arm64: a and b");
    }
}
