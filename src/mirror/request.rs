//! Mirror requests as plain data.

use super::plan::CatalogObject;
use super::target::Target;
use crate::catalog::olm_v1::{Allowed, InstalledBundle};
use crate::catalog::selection::part::{Part, Versions};
use crate::image::{Platform, PlatformError};
use crate::resolver::closure::Follow;
use crate::shape::nearest;
use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};

/// The content to mirror.
#[derive(Debug, Clone, Default)]
pub struct MirrorRequest {
    /// The requested parts of catalogs.
    pub catalogs: Vec<CatalogRequest>,
    /// The requested packages for OLM v1. They are added to the parts of their catalogs. A catalog whose parts are
    /// still empty after that is not mirrored.
    pub extensions: Vec<ExtensionRequest>,
    /// Images to mirror in addition to those of the catalogs.
    pub images: Vec<ImageRequest>,
    /// Patterns that match the references of excluded images. A pattern may match anywhere in a reference.
    pub blocked: Vec<Regex>,
    /// The naming of images at the target; `None` if the target is not known yet.
    pub naming: Option<Naming>,
}

/// The naming of images at the target.
#[derive(Debug, Clone)]
pub struct Naming {
    /// The target registry and the path prefix of the images.
    pub target: Target,
    /// Whether the path of an image begins with its original host.
    pub keep_host: bool,
    /// The maximum number of path components below the target, for registries with a limit; 0 for no maximum.
    pub most_parts: usize,
}

/// A request for a part of a catalog; by default, the whole catalog without the dependencies of its bundles.
#[derive(Debug, Clone, Default)]
pub struct CatalogRequest {
    /// The name of the index: an image, a folder or a file.
    pub catalog: String,
    /// The requested part of each package; all packages if empty.
    pub parts: BTreeMap<String, Part>,
    /// The requested versions of all packages if `parts` is empty.
    pub versions: Versions,
    /// The names of installed bundles, by package: their versions in the catalog are added to [`Part::from`].
    pub installed: BTreeMap<String, BTreeSet<String>>,
    /// Whether the parts are those that a cluster uses. If such a part lacks the default channel of its package, one of
    /// its channels becomes the default channel.
    pub is_of_cluster: bool,
    /// The new default channels of packages whose default channel would be removed.
    pub default_channels: BTreeMap<String, String>,
    /// The objects through which a cluster uses the catalog.
    pub objects: Vec<CatalogObject>,
    /// Which dependencies of the parts are followed.
    pub follow: Follow,
    /// The place of the catalog at the target, if not the default.
    pub place: Place,
    /// The requested platforms of the images; all platforms if empty.
    pub platforms: BTreeSet<Platform>,
}

/// A request for the bundles that OLM v1 installs for a ClusterExtension.
#[derive(Debug, Clone)]
pub struct ExtensionRequest {
    /// The name of the ClusterExtension.
    pub name: String,
    /// The package.
    pub package: String,
    /// The allowed bundles.
    pub allowed: Allowed,
    /// The allowed versions as written; `None` for all.
    pub range: Option<String>,
    /// The installed bundle.
    pub installed: Option<InstalledBundle>,
    /// The catalogs in which OLM v1 looks for the package.
    pub catalogs: Vec<ExtensionCatalog>,
}

/// A ClusterCatalog in which OLM v1 looks for the package of a ClusterExtension.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExtensionCatalog {
    /// The name of the ClusterCatalog.
    pub name: String,
    /// The index: [`CatalogRequest::catalog`].
    pub index: String,
    /// The priority.
    pub priority: i64,
}

/// A request for an image.
#[derive(Debug, Clone)]
pub struct ImageRequest {
    /// The image reference as requested.
    pub image: String,
    /// The place of the image at the target, if not the default.
    pub place: Place,
    /// The requested platforms; all platforms if empty.
    pub platforms: BTreeSet<Platform>,
}

/// A place at the target. Unset fields are derived from the name of the image.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The path below the target.
    pub repository: Option<String>,
    /// The tag.
    pub tag: Option<String>,
}

impl CatalogRequest {
    /// Whether the whole catalog is requested, so that its image can be copied unchanged.
    pub fn is_whole(&self) -> bool {
        self.parts.is_empty() && matches!(self.versions, Versions::All)
    }
}

/// The operating systems that Go supports.
const SYSTEMS: [&str; 15] = [
    "aix",
    "android",
    "darwin",
    "dragonfly",
    "freebsd",
    "illumos",
    "ios",
    "js",
    "linux",
    "netbsd",
    "openbsd",
    "plan9",
    "solaris",
    "wasip1",
    "windows",
];
/// The architectures that Go supports.
const ARCHITECTURES: [&str; 14] = [
    "386", "amd64", "arm", "arm64", "loong64", "mips", "mips64", "mips64le", "mipsle", "ppc64", "ppc64le", "riscv64",
    "s390x", "wasm",
];

/// Parses a platform to mirror. No image has an unknown platform, so that it would select nothing.
///
/// # Errors
/// Returns an error if the string is not a platform, or Go does not support the platform. The error contains the most
/// similar platform.
pub fn platform(text: &str) -> Result<Platform, String> {
    let platform: Platform = text.parse().map_err(|error: PlatformError| error.to_string())?;
    let known = |word: &str, words: &[&'static str]| {
        let exact = words.iter().copied().find(|known| *known == word);
        exact.or_else(|| nearest(word, words.iter().copied()))
    };
    let near = known(&platform.os, &SYSTEMS).zip(known(&platform.architecture, &ARCHITECTURES));
    match near {
        Some((os, architecture)) if os == platform.os && architecture == platform.architecture => Ok(platform),
        Some((os, architecture)) => Err(format!(
            "{platform} is not a known platform; did you mean {os}/{architecture}?"
        )),
        None => Err(format!("{platform} is not a known platform")),
    }
}
