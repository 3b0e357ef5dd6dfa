//! The image of an index: the database, and opmx itself to serve it.

use super::program::Binary;
use crate::image::{
    Cache, EntryContent, Image, ImageConfig, ImageError, Layer, LayerEntry, Tagged, append, build, layer_from_files,
    layer_through_cache,
};
use std::collections::BTreeMap;
use std::path::Path;

/// The label under which an index image names its database.
pub const DATABASE_LABEL: &str = "operators.operatorframework.io.index.database.v1";
/// The label of a file-based catalog image.
pub const CONFIGS_LABEL: &str = "operators.operatorframework.io.index.configs.v1";
/// Where the database stands in an image that opmx or opm builds.
pub(crate) const DATABASE_PATH: &str = "/database/index.db";

/// OLM up to v0.46 runs this program in the container to see whether it serves.
const PROBE: &str = "grpc_health_probe";
const PORT: &str = "50051/tcp";
/// Where opmx stands in an image of its own.
const FOLDER: &str = "bin";
/// Where it stands on a base image. Its `bin` may be a link, in whose place a layer would put a folder.
const FOLDER_ON_BASE: &str = "opmx/bin";
/// Where programs are looked for in an image that does not say it.
const USUAL_PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// What serves the database of an index image.
#[derive(Debug, Clone)]
pub enum Program {
    /// A static binary, in an image of its own or on top of a base.
    Binary {
        /// The binary.
        binary: Binary,
        /// The base, which is for the same platform.
        base: Option<Image>,
    },
    /// What the base image brings: it must answer to `/bin/opm registry serve`, as opm's image does.
    Base(Image),
}

/// Builds an index image: of one program an image, of several an image index, in which all share the layer of the
/// database. The same database, programs and time give the same digest; `epoch` is the time that it carries, in seconds since
/// 1970. Programs that were compressed before come from the cache.
///
/// # Errors
/// When a file cannot be read or a temporary file cannot be written, or two programs are for one platform.
pub fn image_of(
    database: &Path,
    programs: &[Program],
    epoch: u64,
    cache: Option<&Cache>,
) -> Result<Tagged, ImageError> {
    let inside = DATABASE_PATH.trim_start_matches('/');
    let data = layer_from_files(&[entry(inside, 0o644, EntryContent::File(database.to_owned()))], epoch)?;
    let images = programs.iter().map(|program| image_with(program, &data, epoch, cache));
    let images = images.collect::<Result<Vec<_>, _>>()?;
    match images.as_slice() {
        [image] => Ok(image.into()),
        _ => Tagged::for_platforms(images),
    }
}

fn image_with(program: &Program, data: &Layer, epoch: u64, cache: Option<&Cache>) -> Result<Image, ImageError> {
    let mut config = ImageConfig {
        labels: BTreeMap::from([(DATABASE_LABEL.to_owned(), DATABASE_PATH.to_owned())]),
        exposed_ports: vec![PORT.to_owned()],
        command: ["registry", "serve", "--database", DATABASE_PATH]
            .map(str::to_owned)
            .to_vec(),
        epoch,
        ..ImageConfig::default()
    };
    let data = data.clone();
    match program {
        Program::Binary { binary, base: None } => {
            config.entrypoint = vec![format!("/{FOLDER}/opmx")];
            config.environment = vec![format!("PATH=/{FOLDER}")];
            "1001".clone_into(&mut config.user);
            config.architecture.clone_from(&binary.platform.architecture);
            build(&config, vec![programs(binary, FOLDER, epoch, cache)?, data])
        }
        Program::Binary {
            binary,
            base: Some(base),
        } => {
            let path = environment(base, "PATH").unwrap_or(USUAL_PATH);
            config.entrypoint = vec![format!("/{FOLDER_ON_BASE}/opmx")];
            config.environment = vec![format!("PATH=/{FOLDER_ON_BASE}:{path}")];
            append(
                base,
                &config,
                vec![programs(binary, FOLDER_ON_BASE, epoch, cache)?, data],
            )
        }
        Program::Base(base) => {
            config.entrypoint = vec!["/bin/opm".to_owned()];
            append(base, &config, vec![data])
        }
    }
}

/// The layer of opmx, under all of the names that it answers to.
fn programs(binary: &Binary, folder: &str, epoch: u64, cache: Option<&Cache>) -> Result<Layer, ImageError> {
    let link = |name: &str| {
        let content = EntryContent::Link("opmx".to_owned());
        entry(&format!("{folder}/{name}"), 0o777, content)
    };
    let content = EntryContent::File(binary.path.clone());
    let entries = [
        entry(&format!("{folder}/opmx"), 0o755, content),
        link(PROBE),
        link("opm"),
    ];
    cache.map_or_else(
        || layer_from_files(&entries, epoch),
        |cache| layer_through_cache(&entries, epoch, cache),
    )
}

fn entry(path: &str, mode: u32, content: EntryContent) -> LayerEntry {
    LayerEntry {
        path: path.to_owned(),
        mode,
        content,
    }
}

/// A variable that programs of the image start with.
fn environment<'a>(image: &'a Image, name: &str) -> Option<&'a str> {
    let variables = image.config_value().pointer("/config/Env")?.as_array()?;
    variables
        .iter()
        .find_map(|variable| variable.as_str()?.strip_prefix(name)?.strip_prefix('='))
}

/// The Dockerfile that opm writes for an index, standing on `base`.
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
        let program = |architecture| Program::Binary {
            binary: binary(folder.path(), architecture),
            base: None,
        };
        let tagged = image_of(&database, &[program("arm64"), program("amd64")], 0, None).unwrap();
        let platforms: Vec<_> = tagged.images().iter().map(|image| image.platform().unwrap()).collect();
        assert_eq!(platforms, ["amd64", "arm64"].map(|text| text.parse().unwrap()));
        let [amd64, arm64] = tagged.images() else { panic!() };
        assert_eq!(amd64.layers()[1].descriptor, arm64.layers()[1].descriptor);
        assert_ne!(amd64.layers()[0].descriptor, arm64.layers()[0].descriptor);
        for image in tagged.images() {
            validate(image).unwrap();
            assert_eq!(image.label(DATABASE_LABEL), Some(DATABASE_PATH));
        }
        let again = image_of(&database, &[program("amd64"), program("arm64")], 0, None).unwrap();
        assert_eq!(again.digest(), tagged.digest());
    }

    #[test]
    fn on_a_base_opmx_stands_beside_what_is_there_and_is_found_first() {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("index.db");
        fs::write(&database, "rows").unwrap();
        let program = Program::Binary {
            binary: binary(folder.path(), "s390x"),
            base: Some(base("s390x")),
        };
        let tagged = image_of(&database, &[program], 0, None).unwrap();
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
