//! The image of an index: a database or a file-based catalog, with opmx to serve it.

use super::program::Binary;
use crate::image::{
    Cache, EntryContent, Image, ImageConfig, ImageError, Layer, LayerEntry, Platform, Tagged, append, build,
    layer_from_files, layer_through_cache,
};
use crate::olm::label::{CONFIGS_LABEL, DATABASE_LABEL};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The path of the database in an image that opmx or opm builds.
pub(crate) const DATABASE_PATH: &str = "/database/index.db";
/// The path of the file-based catalog in an image that opmx or opm builds.
pub(crate) const CONFIGS_PATH: &str = "/configs";
/// A file with this name hides the files that lower layers have in the same folder.
const HIDES_THE_REST: &str = ".wh..wh..opq";

/// OLM up to v0.46 runs this program in the container to check whether the index is served.
const PROBE: &str = "grpc_health_probe";
const PORT: &str = "50051/tcp";
/// The folder of opmx in an image without a base image.
const FOLDER: &str = "bin";
/// The folder of opmx on a base image. The folder `bin` of a base image may be a link, which a layer would replace with
/// a folder.
const FOLDER_ON_BASE: &str = "opmx/bin";
/// The program that an index image starts if it uses the program of its base image.
pub(super) const BASE_PROGRAM: &str = "/bin/opm";
/// The folder for temporary files in an image without a base image. A Dockerfile written for opm creates the cache of a
/// catalog there, as the user of the image.
const TEMPORARY: &str = "tmp";
const TEMPORARY_MODE: u32 = 0o1777;
/// The search path of programs in an image that does not specify one.
const USUAL_PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// The content of an index image.
#[derive(Debug, Clone)]
pub enum IndexContent {
    /// A database in this file.
    Database(PathBuf),
    /// A file-based catalog: its files, each with its path relative to the catalog folder.
    Catalog(Vec<(String, PathBuf)>),
}

/// The program that serves an index from its image.
#[derive(Debug, Clone)]
pub enum Program {
    /// A static binary, in an image of its own or on top of a base image.
    Binary {
        /// The binary.
        binary: Binary,
        /// The base image for the same platform.
        base: Option<Image>,
    },
    /// The program `/bin/opm` of this base image. It must accept the command that opm has: `registry serve` for a
    /// database, or `serve` for a catalog.
    Base(Image),
    /// No program: users of the image extract the index from it.
    Absent(Platform),
}

/// Builds an index image: an image for one program, or an image index for several programs, in which all images share
/// the content layer. The same content, labels, programs and time produce the same digest; `epoch` is the recorded
/// time, in seconds since 1970. Programs that were compressed before come from the cache.
///
/// # Errors
/// Returns an error if a file cannot be read, a temporary file cannot be written, or two programs have the same
/// platform.
pub fn image_of(
    content: &IndexContent,
    labels: &BTreeMap<String, String>,
    programs: &[Program],
    epoch: u64,
    cache: Option<&Cache>,
) -> Result<Tagged, ImageError> {
    let data = content.layer(programs, epoch)?;
    let images = programs.iter().map(|program| {
        let mut config = content.config(program);
        config.epoch = epoch;
        let own = std::mem::replace(&mut config.labels, labels.clone());
        config.labels.extend(own);
        image_with(program, config, &data, cache)
    });
    let images = images.collect::<Result<Vec<_>, _>>()?;
    match images.as_slice() {
        [image] => Ok(image.into()),
        _ => Tagged::for_platforms(images),
    }
}

impl IndexContent {
    /// Returns the layer with the files, at the paths where the programs look for them.
    fn layer(&self, programs: &[Program], epoch: u64) -> Result<Layer, ImageError> {
        let mut entries = Vec::new();
        match self {
            Self::Database(file) => {
                let inside = DATABASE_PATH.trim_start_matches('/');
                entries.push(entry(inside, 0o644, EntryContent::File(file.clone())));
            }
            Self::Catalog(files) => {
                let folder = CONFIGS_PATH.trim_start_matches('/');
                let on_base =
                    |program: &Program| matches!(program, Program::Base(_) | Program::Binary { base: Some(_), .. });
                // A base image may contain another catalog.
                if programs.iter().any(on_base) {
                    let content = EntryContent::Bytes(Vec::new());
                    entries.push(entry(&format!("{folder}/{HIDES_THE_REST}"), 0o644, content));
                }
                let files = files
                    .iter()
                    .map(|(path, file)| entry(&format!("{folder}/{path}"), 0o644, EntryContent::File(file.clone())));
                entries.extend(files);
                // The command that serves the catalog expects the folder, although it may be empty.
                if entries.is_empty() {
                    entries.push(entry(folder, 0o755, EntryContent::Folder));
                }
            }
        }
        layer_from_files(&entries, epoch)
    }

    /// Returns the labels of the image and the command that it starts.
    fn config(&self, program: &Program) -> ImageConfig {
        let (label, path) = match self {
            Self::Database(_) => (DATABASE_LABEL, DATABASE_PATH),
            Self::Catalog(_) => (CONFIGS_LABEL, CONFIGS_PATH),
        };
        let mut config = ImageConfig {
            labels: BTreeMap::from([(label.to_owned(), path.to_owned())]),
            ..ImageConfig::default()
        };
        if matches!(program, Program::Absent(_)) {
            return config;
        }
        config.exposed_ports = vec![PORT.to_owned()];
        let mut command = match self {
            Self::Database(_) => vec!["registry", "serve", "--database", path],
            Self::Catalog(_) => vec!["serve", path, "--cache-dir=/tmp/cache"],
        };
        if let (Self::Catalog(_), Program::Base(_)) = (self, program) {
            // No cache was created for this catalog, but without this option, opm would require one.
            command.push("--cache-enforce-integrity=false");
        }
        config.command = command.into_iter().map(str::to_owned).collect();
        config
    }
}

fn image_with(
    program: &Program,
    mut config: ImageConfig,
    data: &Layer,
    cache: Option<&Cache>,
) -> Result<Image, ImageError> {
    let data = data.clone();
    let epoch = config.epoch;
    match program {
        Program::Binary { binary, base: None } => {
            config.entrypoint = vec![format!("/{FOLDER}/opmx")];
            config.environment = vec![format!("PATH=/{FOLDER}")];
            "1001".clone_into(&mut config.user);
            config.architecture.clone_from(&binary.platform.architecture);
            let mut entries = programs(binary, FOLDER);
            entries.push(entry(TEMPORARY, TEMPORARY_MODE, EntryContent::Folder));
            build(&config, vec![layer_of(&entries, epoch, cache)?, data])
        }
        Program::Binary {
            binary,
            base: Some(base),
        } => {
            let path = environment(base, "PATH").unwrap_or(USUAL_PATH);
            config.entrypoint = vec![format!("/{FOLDER_ON_BASE}/opmx")];
            config.environment = vec![format!("PATH=/{FOLDER_ON_BASE}:{path}")];
            let programs = programs(binary, FOLDER_ON_BASE);
            append(base, &config, vec![layer_of(&programs, epoch, cache)?, data])
        }
        Program::Base(base) => {
            config.entrypoint = vec![BASE_PROGRAM.to_owned()];
            append(base, &config, vec![data])
        }
        Program::Absent(platform) => {
            config.os.clone_from(&platform.os);
            config.architecture.clone_from(&platform.architecture);
            build(&config, vec![data])
        }
    }
}

/// Returns opmx under all of its names.
fn programs(binary: &Binary, folder: &str) -> Vec<LayerEntry> {
    let link = |name: &str| {
        let content = EntryContent::Link("opmx".to_owned());
        entry(&format!("{folder}/{name}"), 0o777, content)
    };
    let content = EntryContent::File(binary.path.clone());
    vec![
        entry(&format!("{folder}/opmx"), 0o755, content),
        link(PROBE),
        link("opm"),
    ]
}

fn layer_of(entries: &[LayerEntry], epoch: u64, cache: Option<&Cache>) -> Result<Layer, ImageError> {
    cache.map_or_else(
        || layer_from_files(entries, epoch),
        |cache| layer_through_cache(entries, epoch, cache),
    )
}

fn entry(path: &str, mode: u32, content: EntryContent) -> LayerEntry {
    LayerEntry {
        path: path.to_owned(),
        mode,
        content,
    }
}

/// Returns the value of an environment variable of the image.
fn environment<'a>(image: &'a Image, name: &str) -> Option<&'a str> {
    let variables = image.config_value().pointer("/config/Env")?.as_array()?;
    variables
        .iter()
        .find_map(|variable| variable.as_str()?.strip_prefix(name)?.strip_prefix('='))
}

/// Returns the Dockerfile that opm writes for an index, with the base image `base`.
pub fn dockerfile(base: &str) -> String {
    format!(
        "FROM {base}\nLABEL {DATABASE_LABEL}={DATABASE_PATH}\nADD database/index.db {DATABASE_PATH}\nEXPOSE 50051\n\
         ENTRYPOINT [\"/bin/opm\"]\nCMD [\"registry\", \"serve\", \"--database\", \"{DATABASE_PATH}\"]\n"
    )
}

#[cfg(test)]
mod tests {
    use super::super::program::smallest;
    use super::*;
    use crate::image::{extract_file, validate};
    use std::fs;
    use std::path::Path;

    fn base(architecture: &str) -> Image {
        let config = ImageConfig {
            architecture: architecture.to_owned(),
            environment: vec!["PATH=/usr/bin".to_owned()],
            ..ImageConfig::default()
        };
        let file = entry("bin", 0o777, EntryContent::Link("usr/bin".to_owned()));
        build(&config, vec![layer_from_files(&[file], 0).unwrap()]).unwrap()
    }

    fn binary(folder: &Path, architecture: &str) -> Binary {
        let path = folder.join(architecture);
        fs::write(&path, smallest(architecture, false)).unwrap();
        let platform = architecture.parse().unwrap();
        Binary { platform, path }
    }

    #[test]
    fn images_for_several_platforms_share_the_database() {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("index.db");
        fs::write(&database, "rows").unwrap();
        let content = IndexContent::Database(database);
        let program = |architecture| Program::Binary {
            binary: binary(folder.path(), architecture),
            base: None,
        };
        let tagged = image_of(
            &content,
            &BTreeMap::new(),
            &[program("arm64"), program("amd64")],
            0,
            None,
        )
        .unwrap();
        let platforms: Vec<_> = tagged.images().iter().map(|image| image.platform().unwrap()).collect();
        assert_eq!(platforms, ["amd64", "arm64"].map(|text| text.parse().unwrap()));
        let [amd64, arm64] = tagged.images() else { panic!() };
        assert_eq!(amd64.layers()[1].descriptor, arm64.layers()[1].descriptor);
        assert_ne!(amd64.layers()[0].descriptor, arm64.layers()[0].descriptor);
        for image in tagged.images() {
            validate(image).unwrap();
            assert_eq!(image.label(DATABASE_LABEL), Some(DATABASE_PATH));
        }
        let again = image_of(
            &content,
            &BTreeMap::new(),
            &[program("amd64"), program("arm64")],
            0,
            None,
        )
        .unwrap();
        assert_eq!(again.digest(), tagged.digest());
    }

    #[test]
    fn opmx_is_added_to_a_base_and_found_first_in_the_path() {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("index.db");
        fs::write(&database, "rows").unwrap();
        let program = Program::Binary {
            binary: binary(folder.path(), "s390x"),
            base: Some(base("s390x")),
        };
        let tagged = image_of(&IndexContent::Database(database), &BTreeMap::new(), &[program], 0, None).unwrap();
        let [image] = tagged.images() else { panic!() };
        assert_eq!(tagged.digest(), image.digest());
        assert_eq!(image.platform(), Some("s390x".parse().unwrap()));
        assert_eq!(environment(image, "PATH"), Some("/opmx/bin:/usr/bin"));
        let config = &image.config_value()["config"];
        assert_eq!(config["Entrypoint"][0], "/opmx/bin/opmx");
        let opmx = folder.path().join("opmx");
        extract_file(image, "opmx/bin/opmx", &opmx, u64::MAX).unwrap();
        assert_eq!(fs::read(opmx).unwrap(), smallest("s390x", false));
        assert_eq!(image.layers()[0].descriptor, base("s390x").layers()[0].descriptor);
    }
}
