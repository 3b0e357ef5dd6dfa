//! Hints about the intended name if a bundle or an index does not exist.

use crate::bundle::location::{Location, LocationError, is_word};
use crate::cli::error::CommandError;
use crate::index::location::is_file_name;
use crate::tree::LAYOUT_FILE;
use std::path::Path;

/// The maximum number of folder entries that are searched for a similar name.
const LOOKED_AT: usize = 10_000;

/// Adds a hint that a bundle name without a registry may have been meant as a folder, and the name of a folder that
/// does not exist as an image or as another folder.
pub(crate) fn with_guess(error: CommandError, location: &Location) -> CommandError {
    if let Location::Directory(directory) = location {
        let name = directory.display().to_string();
        return match directory.try_exists() {
            Ok(false) if is_word(&name) => with_nearest(
                error.hint(format!("if {name} is an image, specify its host or tag")),
                &name,
            ),
            Ok(false) => with_nearest(error, &name),
            _ if directory.is_file() => error.hint(format!("{name} is a file, but a bundle is a folder or an image")),
            _ => error,
        };
    }
    match location.registry_reference() {
        Some(name) if !names_host(name) => {
            if let Some(hint) = layout_hint(name) {
                return error.first_hint(hint);
            }
            let hint = format!("there is no folder {name}, so the name was interpreted as an image");
            with_nearest(error.first_hint(hint), name)
        }
        _ => error,
    }
}

/// Parses the location of a bundle. The error for an invalid location suggests a folder with a similar name.
pub(crate) fn location(name: &str) -> Result<Location, CommandError> {
    name.parse().map_err(|error: LocationError| {
        let error = CommandError::from(error);
        if Path::new(name).is_file() {
            return error.hint(format!("{name} is a file, but a bundle is a folder or an image"));
        }
        with_nearest(error, name)
    })
}

/// Adds a hint that the name of an index may have been meant as a file or folder, and suggests a similar name. Errors
/// about other names are not changed.
pub(crate) fn with_index_guess(error: CommandError, name: &str) -> CommandError {
    let path = Path::new(name);
    let has_transport = ["docker://", "oci:", "oci-archive:"]
        .iter()
        .any(|start| name.starts_with(start));
    if has_transport || path.exists() || !error.to_string().contains(name) {
        return error;
    }
    if is_file_name(name) || is_word(name) {
        return with_nearest(error, name);
    }
    if names_host(name) {
        return error;
    }
    if let Some(hint) = layout_hint(name) {
        return error.first_hint(hint);
    }
    let hint = format!("there is no file or folder {name}, so the name was interpreted as an image");
    with_nearest(error.first_hint(hint), name)
}

/// Returns the hint for the name of an OCI image layout that lacks its transport, such as `images:v1`.
fn layout_hint(name: &str) -> Option<String> {
    let (folder, _) = name.split_once([':', '@'])?;
    let is_layout = Path::new(folder).join(LAYOUT_FILE).is_file();
    is_layout.then(|| format!("{folder} is an OCI image layout; to use an image in it, specify oci:{name}"))
}

pub(crate) fn with_nearest(error: CommandError, name: &str) -> CommandError {
    match nearest(Path::new(name)) {
        Some(nearest) => error.hint(format!("did you mean {nearest}?")),
        None => error,
    }
}

/// Whether a name starts with the host of a registry, unless it is a path.
pub(crate) fn names_host(reference: &str) -> bool {
    reference
        .split_once('/')
        .is_some_and(|(host, _)| host == "localhost" || host.contains(['.', ':']))
}

/// Returns the path of the most similarly named entry in the folder of `path`, if at most one letter in three differs.
fn nearest(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?;
    let folder = path.parent()?;
    let searched = if folder == Path::new("") {
        Path::new(".")
    } else {
        folder
    };
    let entries = std::fs::read_dir(searched).ok()?.take(LOOKED_AT);
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let near = names.filter_map(|other| {
        let distance = strsim::damerau_levenshtein(&other, name);
        (distance > 0 && distance * 3 <= name.chars().count()).then_some((distance, other))
    });
    let (_, nearest) = near.min()?;
    Some(folder.join(nearest).display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hints(message: &str, name: &str) -> Vec<String> {
        let error = CommandError::failure(message);
        with_index_guess(error, name).hints().to_vec()
    }

    #[test]
    fn a_similar_existing_name_is_suggested() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("catalog")).unwrap();
        std::fs::write(folder.path().join("index.db"), "").unwrap();
        let at = |name: &str| folder.path().join(name).display().to_string();
        let about = |name: &str| hints(&format!("cannot read {}", at(name)), &at(name));
        assert_eq!(about("catalgo"), [format!("did you mean {}?", at("catalog"))]);
        assert_eq!(about("inedx.db"), [format!("did you mean {}?", at("index.db"))]);
        assert_eq!(about("other.db"), Vec::<String>::new());
        assert_eq!(about("catalog"), Vec::<String>::new());
        assert_eq!(hints("something else failed", &at("catalgo")), Vec::<String>::new());
    }

    #[test]
    fn a_name_taken_for_an_image_is_reported() {
        let no_file =
            |name: &str| format!("there is no file or folder {name}, so the name was interpreted as an image");
        for name in ["surely-nowhere:v1", "surely/nowhere:v1"] {
            assert_eq!(hints(&format!("{name}: no"), name), [no_file(name)]);
        }
        for name in [
            "registry.example.com/index:v1",
            "localhost/index",
            "docker://index",
            "oci:nowhere:v1",
            "oci-archive:nowhere.tar",
            "nowhere/index.db",
        ] {
            assert_eq!(hints(&format!("{name}: no"), name), Vec::<String>::new());
        }
    }

    #[test]
    fn a_layout_without_a_transport_is_recognized() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(LAYOUT_FILE), "{}").unwrap();
        let folder = folder.path().display();
        assert_eq!(
            layout_hint(&format!("{folder}:v1")),
            Some(format!(
                "{folder} is an OCI image layout; to use an image in it, specify oci:{folder}:v1"
            ))
        );
        assert_eq!(layout_hint("surely-nowhere:v1"), None);
    }
}
