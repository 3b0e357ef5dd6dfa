//! The Dockerfile for building the image of a file-based catalog with other tools.

use crate::bundle::generate::{copied, quoted};
use crate::files::{self, FileError};
use crate::olm::label::CONFIGS_LABEL;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// The empty image. It contains no program, so an image based on it contains only the catalog.
pub(crate) const SCRATCH: &str = "scratch";

/// The parts of a catalog image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CatalogImage {
    /// The base image: [`SCRATCH`], or an image that contains `/bin/opm`.
    pub base: String,
    /// The image whose `/bin/opm` creates the cache.
    pub builder: String,
    /// Additional labels.
    pub labels: BTreeMap<String, String>,
}

/// An error that prevents writing a Dockerfile.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DockerfileError {
    /// The catalog is not a folder.
    #[error("{} is not a folder, but a file-based catalog is a folder of files", folder.display())]
    NotAFolder {
        /// The path.
        folder: PathBuf,
    },
    /// The name of the folder is not allowed in a Dockerfile.
    #[error("the name of {} is not allowed in a Dockerfile", folder.display())]
    Name {
        /// The folder.
        folder: PathBuf,
    },
    /// The Dockerfile already exists.
    #[error("{} already exists", file.display())]
    Taken {
        /// The file.
        file: PathBuf,
    },
    /// The builder has to run a program, but [`SCRATCH`] contains none.
    #[error("the builder image cannot be {SCRATCH:?} because a program in the builder creates the catalog cache")]
    Builder,
    /// A label has an empty key, or contains a line break or another control character.
    #[error("the label {label:?} has an empty key or contains a character that is not allowed in a Dockerfile")]
    Label {
        /// The key of the label.
        label: String,
    },
    /// A file cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
}

/// Writes `FOLDER.Dockerfile` next to the folder of a catalog, and returns its path.
///
/// # Errors
/// Returns an error if the folder does not exist, the Dockerfile already exists, or an image or a label is invalid.
pub(crate) fn write_beside(folder: &Path, image: &CatalogImage) -> Result<PathBuf, DockerfileError> {
    let metadata = folder
        .metadata()
        .map_err(|error| FileError::new("read", folder, error))?;
    if !metadata.is_dir() {
        let folder = folder.to_owned();
        return Err(DockerfileError::NotAFolder { folder });
    }
    // The names of `.` and `..` are known only from their absolute paths.
    let named = match folder.file_name() {
        Some(_) => folder.to_owned(),
        None => folder
            .canonicalize()
            .map_err(|error| FileError::new("read", folder, error))?,
    };
    let name = named.file_name().and_then(|name| name.to_str());
    let name = name.filter(|name| !name.contains(char::is_control));
    let Some(name) = name else {
        let folder = folder.to_owned();
        return Err(DockerfileError::Name { folder });
    };
    let text = dockerfile(name, image)?;
    let file = named.with_file_name(format!("{name}.Dockerfile"));
    if file.symlink_metadata().is_ok() {
        return Err(DockerfileError::Taken { file });
    }
    files::write_new(&file, text.as_bytes())?;
    Ok(file)
}

/// Returns the Dockerfile for a catalog in the folder `name`. The Dockerfile has two stages, so that the builder
/// creates the cache, and the image contains only the catalog and the cache.
///
/// # Errors
/// Returns an error if the builder is [`SCRATCH`], or a label cannot be written.
pub(crate) fn dockerfile(name: &str, image: &CatalogImage) -> Result<String, DockerfileError> {
    let CatalogImage { base, builder, labels } = image;
    if builder == SCRATCH {
        return Err(DockerfileError::Builder);
    }
    let added = copied(name, "/configs");
    let mut text = format!(
        "# The builder creates the cache with its /bin/opm.\nFROM {builder} as builder\n\nADD {added}\n\
         RUN [\"/bin/opm\", \"serve\", \"/configs\", \"--cache-dir=/tmp/cache\", \"--cache-only\"]\n\nFROM {base}\n"
    );
    text.push_str(if base == SCRATCH {
        "# This image contains no program. A CatalogSource extracts the catalog from it with\n# spec:\n#   \
        grpcPodConfig:\n#     extractContent:\n#       catalogDir: /configs\n#       cacheDir: /tmp/cache\n"
    } else {
        "# This image contains /bin/opm and /bin/grpc_health_probe.\nENTRYPOINT [\"/bin/opm\"]\nCMD [\"serve\", \
        \"/configs\", \"--cache-dir=/tmp/cache\"]\n"
    });
    // Writing to a string cannot fail.
    let _ = write!(
        text,
        "\nCOPY --from=builder /configs /configs\nCOPY --from=builder /tmp/cache /tmp/cache\n\nLABEL {CONFIGS_LABEL}=/configs\n"
    );
    for (key, value) in labels {
        if key.is_empty() || key.contains(char::is_control) || value.contains(char::is_control) {
            let label = key.clone();
            return Err(DockerfileError::Label { label });
        }
        let _ = writeln!(text, "LABEL \"{}\"=\"{}\"", quoted(key), quoted(value));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(base: &str, builder: &str, labels: &[(&str, &str)]) -> CatalogImage {
        let labels = labels
            .iter()
            .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
        CatalogImage {
            base: base.to_owned(),
            builder: builder.to_owned(),
            labels: labels.collect(),
        }
    }

    /// Returns the text without comments and empty lines.
    fn instructions(text: &str) -> String {
        let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        lines.map(|line| format!("{line}\n")).collect()
    }

    #[test]
    fn the_instructions_are_identical_to_those_of_opm() {
        let text = dockerfile("cat", &image("base:v1", "opm:v1", &[("b", "say \"x\""), ("a", "")])).unwrap();
        assert_eq!(
            instructions(&text),
            "FROM opm:v1 as builder\nADD cat /configs\n\
             RUN [\"/bin/opm\", \"serve\", \"/configs\", \"--cache-dir=/tmp/cache\", \"--cache-only\"]\n\
             FROM base:v1\nENTRYPOINT [\"/bin/opm\"]\nCMD [\"serve\", \"/configs\", \"--cache-dir=/tmp/cache\"]\n\
             COPY --from=builder /configs /configs\nCOPY --from=builder /tmp/cache /tmp/cache\n\
             LABEL operators.operatorframework.io.index.configs.v1=/configs\nLABEL \"a\"=\"\"\nLABEL \"b\"=\"say \\\"x\\\"\"\n"
        );
    }

    #[test]
    fn an_image_from_scratch_has_no_entrypoint_and_requires_a_builder() {
        let text = instructions(&dockerfile("my cat", &image(SCRATCH, "opm:v1", &[])).unwrap());
        assert!(text.contains("FROM scratch\nCOPY "), "{text}");
        assert!(text.contains("ADD [\"my cat\", \"/configs\"]\n"), "{text}");
        let refused = dockerfile("cat", &image("base:v1", SCRATCH, &[])).unwrap_err();
        assert!(matches!(refused, DockerfileError::Builder));
        let refused = dockerfile("cat", &image("base:v1", "opm:v1", &[("a", "b\nRUN x")])).unwrap_err();
        assert!(matches!(refused, DockerfileError::Label { .. }));
    }

    #[test]
    fn the_file_is_written_next_to_the_folder_and_replaces_none() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("cat");
        let image = image("base:v1", "opm:v1", &[]);
        let missing = write_beside(&folder, &image).unwrap_err();
        assert!(matches!(missing, DockerfileError::File(_)), "{missing}");
        std::fs::create_dir(&folder).unwrap();
        let file = write_beside(&folder.join("."), &image).unwrap();
        assert_eq!(file, place.path().join("cat.Dockerfile"));
        let written = std::fs::read_to_string(&file).unwrap();
        assert_eq!(written, dockerfile("cat", &image).unwrap());
        let again = write_beside(&folder, &image).unwrap_err();
        assert!(matches!(again, DockerfileError::Taken { .. }), "{again}");
        let no_folder = write_beside(&file, &image).unwrap_err();
        assert!(matches!(no_folder, DockerfileError::NotAFolder { .. }), "{no_folder}");
    }
}
