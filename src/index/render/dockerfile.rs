//! The Dockerfile with which other tools build the image of a file-based catalog.

use crate::files::{self, FileError};
use crate::index::image::CONFIGS_LABEL;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// The image without content. It holds no program, so the catalog alone is in an image that stands on it.
pub(crate) const SCRATCH: &str = "scratch";

/// What the image of a catalog is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CatalogImage {
    /// The image that it stands on, with `/bin/opm`; or [`SCRATCH`].
    pub base: String,
    /// The image whose `/bin/opm` makes the cache.
    pub builder: String,
    /// More labels.
    pub labels: BTreeMap<String, String>,
}

/// Why there is no Dockerfile.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DockerfileError {
    /// A catalog is a folder.
    #[error("{} is not a directory: a file-based catalog is a folder of files", folder.display())]
    NotAFolder {
        /// What is not one.
        folder: PathBuf,
    },
    /// The folder has no name that a Dockerfile can say.
    #[error("{} has no name that can stand in a Dockerfile", folder.display())]
    Name {
        /// The folder.
        folder: PathBuf,
    },
    /// There is one already.
    #[error("{} is there already", file.display())]
    Taken {
        /// The file.
        file: PathBuf,
    },
    /// Something has to run where nothing is.
    #[error("the builder image cannot be {SCRATCH:?}: a program of it makes the cache of the catalog")]
    Builder,
    /// A label with a line break or another control character.
    #[error("the label {label:?} has a character that cannot stand in a Dockerfile")]
    Label {
        /// Its key.
        label: String,
    },
    /// The system refused.
    #[error(transparent)]
    File(#[from] FileError),
}

/// Writes `FOLDER.Dockerfile` beside the folder of a catalog, and returns where that is.
///
/// # Errors
/// When there is no such folder, the file is there already, or an image or a label is wrong.
pub(crate) fn write_beside(folder: &Path, image: &CatalogImage) -> Result<PathBuf, DockerfileError> {
    let metadata = folder
        .metadata()
        .map_err(|error| FileError::new("read", folder, error))?;
    if !metadata.is_dir() {
        let folder = folder.to_owned();
        return Err(DockerfileError::NotAFolder { folder });
    }
    // `.` and `..` have their names in the path from the root only.
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

/// The text, for a catalog in the folder `name`: in two stages, so that the cache is made by the builder and nothing of
/// it but the catalog and the cache comes into the image.
///
/// # Errors
/// When the builder is [`SCRATCH`], or a label cannot be written.
pub(crate) fn dockerfile(name: &str, image: &CatalogImage) -> Result<String, DockerfileError> {
    let CatalogImage { base, builder, labels } = image;
    if builder == SCRATCH {
        return Err(DockerfileError::Builder);
    }
    let added = if name.contains(char::is_whitespace) {
        format!("[{}, \"/configs\"]", serde_json::Value::from(name))
    } else {
        format!("{name} /configs")
    };
    let mut text = format!(
        "# The builder makes the cache with its /bin/opm.\nFROM {builder} as builder\n\nADD {added}\n\
         RUN [\"/bin/opm\", \"serve\", \"/configs\", \"--cache-dir=/tmp/cache\", \"--cache-only\"]\n\nFROM {base}\n"
    );
    text.push_str(if base == SCRATCH {
        "# This image holds no program. A CatalogSource takes the catalog out of it with\n# spec:\n#   grpcPodConfig:\n\
         #     extractContent:\n#       catalogDir: /configs\n#       cacheDir: /tmp/cache\n"
    } else {
        "# This image holds /bin/opm and /bin/grpc_health_probe.\nENTRYPOINT [\"/bin/opm\"]\n\
         CMD [\"serve\", \"/configs\", \"--cache-dir=/tmp/cache\"]\n"
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

/// A string inside the double quotes of a Dockerfile. A `$` stays the begin of a variable, as it is for opm.
fn quoted(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
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

    /// Without comments and empty lines.
    fn instructions(text: &str) -> String {
        let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        lines.map(|line| format!("{line}\n")).collect()
    }

    #[test]
    fn the_instructions_are_those_of_opm() {
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
    fn an_image_from_scratch_has_no_entrypoint_and_needs_a_builder() {
        let text = instructions(&dockerfile("my cat", &image(SCRATCH, "opm:v1", &[])).unwrap());
        assert!(text.contains("FROM scratch\nCOPY "), "{text}");
        assert!(text.contains("ADD [\"my cat\", \"/configs\"]\n"), "{text}");
        let refused = dockerfile("cat", &image("base:v1", SCRATCH, &[])).unwrap_err();
        assert!(matches!(refused, DockerfileError::Builder));
        let refused = dockerfile("cat", &image("base:v1", "opm:v1", &[("a", "b\nRUN x")])).unwrap_err();
        assert!(matches!(refused, DockerfileError::Label { .. }));
    }

    #[test]
    fn the_file_stands_beside_the_folder_and_replaces_none() {
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
