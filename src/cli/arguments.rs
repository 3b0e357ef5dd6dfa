//! The options that several commands share, and their conversion to the types of the modules below.

use crate::bundle::BundleLimits;
use crate::catalog::file_based::limits::CatalogLimits;
use crate::cli::size::Size;
use crate::cli::values::depth;
use crate::cli::{Context, environment};
use crate::cluster::dump::DumpLimits;
use crate::database::change;
use crate::image::{CacheMode, DEFAULT_IMAGE_LIMIT, ImageOptions, Platform, RetryPolicy, Transports};
use crate::index::open::{OpenLimits, SourceLimits};
use crate::terminal::{Format, Printer};
use crate::text::Limits;
use crate::tree::TreeLimits;
use clap::{Args, value_parser};
use std::path::PathBuf;
use std::time::Duration;

// Each argument sets its heading, because a heading on the whole struct would also apply to the arguments that follow
// the struct in a command.
const REGISTRY: &str = "Registry options";
const LIMITS: &str = "Limits";

/// The options for connections to registries.
#[derive(Debug, Clone, Args)]
pub struct ConnectionArguments {
    /// Credential file, in the format of docker and podman
    ///
    /// By default, the usual files are searched: $REGISTRY_AUTH_FILE, $XDG_RUNTIME_DIR/containers/auth.json or
    /// /run/containers/UID/auth.json, $XDG_CONFIG_HOME/containers/auth.json, $DOCKER_CONFIG/config.json,
    /// ~/.docker/config.json. In a file, the helper in credHelpers for the host comes first, then the longest matching
    /// entry in auths, then the program in credsStore.
    #[arg(long, help_heading = REGISTRY, value_name = "FILE")]
    pub authfile: Option<PathBuf>,
    /// Trust the certificates in this PEM file, in addition to those of the system
    #[arg(long, help_heading = REGISTRY, value_name = "FILE")]
    pub ca_file: Option<PathBuf>,
    /// Accept any certificate from a registry
    #[arg(long, help_heading = REGISTRY, conflicts_with = "use_http")]
    pub skip_tls_verify: bool,
    /// Use plain HTTP for registries
    // In opm, too, `--skip-tls` means plain HTTP.
    #[arg(long, help_heading = REGISTRY, alias = "skip-tls")]
    pub use_http: bool,
    /// Number of retries when a registry fails, stalls or limits the rate
    #[arg(long, help_heading = REGISTRY, value_name = "N", default_value_t = 4)]
    pub retries: u32,
    /// Timeout for a manifest, a token or an error message, from the request to the last byte of the response
    #[arg(long, help_heading = REGISTRY, value_name = "SECONDS", default_value_t = 60, value_parser = value_parser!(u64).range(1..))]
    pub request_timeout: u64,
    /// Minimum transfer rate of a layer in bytes per second, measured over a minute; 0 for no limit
    #[arg(long, help_heading = REGISTRY, value_name = "SIZE", default_value_t = Size(8 << 10))]
    pub min_rate: Size,
}

impl ConnectionArguments {
    /// Returns the transports for manifests and blobs, without a cache. Progress is shown on the terminal.
    pub(crate) fn transports(&self, context: &Context<'_>) -> Transports {
        Transports::new(self.options(), context.printer.progress())
    }

    fn options(&self) -> ImageOptions {
        ImageOptions {
            credentials: environment::credentials(self.authfile.as_deref()),
            ca_file: self.ca_file.clone(),
            unusable: environment::unusable(),
            skip_tls_verify: self.skip_tls_verify,
            use_http: self.use_http,
            request_timeout: Duration::from_secs(self.request_timeout),
            least_rate: self.min_rate.0,
            retry: RetryPolicy {
                retries: self.retries,
                ..RetryPolicy::default()
            },
            ..ImageOptions::default()
        }
    }
}

/// The options for connections to registries, and for reading images.
#[derive(Debug, Clone, Args)]
pub struct RegistryArguments {
    /// The options for connections to registries.
    #[command(flatten)]
    pub connection: ConnectionArguments,
    /// Do not use the layer cache
    #[arg(long, help_heading = REGISTRY, conflicts_with = "cache_dir")]
    pub no_cache: bool,
    /// Folder for the cache of image layers
    ///
    /// By default, the cache is the folder $OPMX_CACHE_DIR, or else the folder opmx in $XDG_CACHE_HOME or ~/.cache.
    #[arg(long, help_heading = REGISTRY, value_name = "DIR")]
    pub cache_dir: Option<PathBuf>,
    /// Maximum total size of the unpacked layers of an image
    #[arg(long, help_heading = REGISTRY, value_name = "SIZE", default_value_t = Size(DEFAULT_IMAGE_LIMIT))]
    pub max_image_size: Size,
    /// Platform to use from a multi-platform image, as OS/ARCH [default: linux/amd64, or any other]
    ///
    /// If you specify a platform, it is an error if an index image or base image does not support it. Bundle images are
    /// read for any platform, because their content does not depend on it.
    #[arg(long, help_heading = REGISTRY, value_name = "PLATFORM")]
    pub platform: Option<Platform>,
}

impl RegistryArguments {
    /// Returns the transports for images. Progress is shown on the terminal.
    pub(crate) fn transports(&self, context: &Context<'_>) -> Transports {
        let cache = match &self.cache_dir {
            _ if self.no_cache => CacheMode::Off,
            Some(directory) => CacheMode::Directory(directory.clone()),
            None => environment::cache_directory().map_or(CacheMode::Off, CacheMode::Directory),
        };
        let options = ImageOptions {
            platform: self.platform.clone(),
            cache,
            image_limit: self.max_image_size.0,
            ..self.connection.options()
        };
        Transports::new(options, context.printer.progress())
    }
}

/// The limits on a bundle.
#[derive(Debug, Clone, Args)]
pub struct LimitArguments {
    /// Maximum size of a file in a bundle; YAML and JSON files must also be smaller than 4GiB
    #[arg(long, help_heading = LIMITS, value_name = "SIZE", default_value_t = Size(TreeLimits::default().file_bytes))]
    pub max_file_size: Size,
    /// Maximum number of files in a bundle
    #[arg(long, help_heading = LIMITS, value_name = "N", default_value_t = TreeLimits::default().files)]
    pub max_files: usize,
    /// Maximum total size of the files of a bundle, and of the parts of a catalog or cluster dump that are kept in
    /// memory
    #[arg(long, help_heading = LIMITS, value_name = "SIZE", default_value_t = Size(TreeLimits::default().total_bytes))]
    pub max_total_size: Size,
    /// Maximum nesting of a YAML or JSON document, at most 127
    #[arg(
        long,
        help_heading = LIMITS,
        value_name = "N",
        default_value_t = Limits::default().depth,
        value_parser = depth
    )]
    pub max_depth: usize,
    /// Maximum number of documents in a YAML file
    #[arg(long, help_heading = LIMITS, value_name = "N", default_value_t = Limits::default().documents)]
    pub max_documents: usize,
    /// Maximum number of keys and values in a YAML or JSON file, in a catalog document, and in all files of a bundle
    /// together
    #[arg(long, help_heading = LIMITS, value_name = "N", default_value_t = Limits::default().values)]
    pub max_values: usize,
}

impl LimitArguments {
    /// Returns the limits on the files.
    pub fn tree(&self) -> TreeLimits {
        TreeLimits {
            files: self.max_files,
            file_bytes: self.max_file_size.0,
            total_bytes: self.max_total_size.0,
        }
    }

    /// Returns the limits on a bundle.
    pub fn bundle(&self) -> BundleLimits {
        BundleLimits {
            tree: self.tree(),
            text: self.text(),
        }
    }

    /// Returns the limits on any source: a bundle or an index.
    pub fn source(&self, database: &DatabaseLimitArguments, registry: &RegistryArguments) -> SourceLimits {
        SourceLimits {
            bundle: self.bundle(),
            index: self.index(database, registry),
        }
    }

    /// Returns the limits on an index of either form.
    pub fn index(&self, database: &DatabaseLimitArguments, registry: &RegistryArguments) -> OpenLimits {
        CatalogLimitArguments::from(self).index(database, registry)
    }

    /// Returns the limits on cluster dumps.
    pub fn dump(&self) -> DumpLimits {
        DumpLimits {
            object: self.text().file_bytes,
            kept: usize::try_from(self.max_total_size.0).unwrap_or(usize::MAX),
            depth: self.max_depth,
            values: self.max_values,
            ..DumpLimits::default()
        }
    }

    /// Returns the limits on the text of each file.
    pub fn text(&self) -> Limits {
        Limits {
            file_bytes: usize::try_from(self.max_file_size.0).unwrap_or(usize::MAX),
            depth: self.max_depth,
            documents: self.max_documents,
            values: self.max_values,
        }
    }
}

/// The limits on a catalog.
#[derive(Debug, Clone, Args)]
pub struct CatalogLimitArguments {
    /// Maximum size of the catalog data that is kept in memory: names, edges, properties and findings
    #[arg(long, help_heading = LIMITS, value_name = "SIZE", default_value_t = Size(TreeLimits::default().total_bytes))]
    pub max_total_size: Size,
    /// Maximum nesting of a catalog document, at most 127
    #[arg(
        long,
        help_heading = LIMITS,
        value_name = "N",
        default_value_t = Limits::default().depth,
        value_parser = depth
    )]
    pub max_depth: usize,
    /// Maximum number of keys and values in a catalog document
    #[arg(long, help_heading = LIMITS, value_name = "N", default_value_t = Limits::default().values)]
    pub max_values: usize,
}

impl From<&LimitArguments> for CatalogLimitArguments {
    fn from(limits: &LimitArguments) -> Self {
        Self {
            max_total_size: limits.max_total_size,
            max_depth: limits.max_depth,
            max_values: limits.max_values,
        }
    }
}

impl CatalogLimitArguments {
    /// Returns the limits on a catalog.
    pub fn catalog(&self) -> CatalogLimits {
        CatalogLimits {
            kept_bytes: usize::try_from(self.max_total_size.0).unwrap_or(usize::MAX),
            depth: self.max_depth,
            values: self.max_values,
            template_values: CatalogLimits::default().template_values.max(self.max_values),
            ..CatalogLimits::default()
        }
    }

    /// Returns the limits on an index of either form.
    fn index(&self, database: &DatabaseLimitArguments, registry: &RegistryArguments) -> OpenLimits {
        OpenLimits {
            catalog: self.catalog(),
            image: registry.max_image_size.0,
            steps: database.max_database_steps,
        }
    }
}

/// The limit on the work that a database may cause.
#[derive(Debug, Clone, Args)]
pub struct DatabaseLimitArguments {
    /// Maximum number of database engine steps; the engine executes about 50 million per second
    #[arg(long, help_heading = LIMITS, value_name = "N", default_value_t = change::ChangeOptions::default().steps)]
    pub max_database_steps: u64,
}

/// The limits on an index of either form.
#[derive(Debug, Clone, Args)]
pub struct IndexLimitArguments {
    #[command(flatten)]
    catalog: CatalogLimitArguments,
    #[command(flatten)]
    pub(crate) database: DatabaseLimitArguments,
}

impl IndexLimitArguments {
    /// Returns the limits on an index of either form.
    pub fn index(&self, registry: &RegistryArguments) -> OpenLimits {
        self.catalog.index(&self.database, registry)
    }
}

/// The output format.
#[derive(Debug, Clone, Args)]
pub struct OutputArguments {
    /// Output format
    #[arg(short = 'o', long, value_enum, value_name = "FORMAT", default_value_t)]
    pub output: Format,
}

/// The container tool option of opm's database commands, which is accepted but not needed.
#[derive(Debug, Clone, Default, Args)]
pub struct ContainerToolArgument {
    /// Not needed: no container tool is used
    #[arg(short = 'c', long, hide = true, value_name = "TOOL")]
    container_tool: Option<String>,
}

/// The container tool options of opm's index image commands, which are accepted but not needed.
#[derive(Debug, Clone, Default, Args)]
pub struct ImageToolArguments {
    #[command(flatten)]
    container: ContainerToolArgument,
    /// Not needed: no container tool is used
    #[arg(short = 'u', long, hide = true, value_name = "TOOL")]
    build_tool: Option<String>,
    /// Not needed: no container tool is used
    #[arg(short = 'p', long, hide = true, value_name = "TOOL")]
    pull_tool: Option<String>,
}

/// The container tool option of opm's bundle commands, which is accepted but not needed.
#[derive(Debug, Clone, Default, Args)]
pub struct ImageBuilderArgument {
    /// Not needed: no container tool is used
    #[arg(short = 'b', long, hide = true, value_name = "TOOL")]
    image_builder: Option<String>,
}

impl ContainerToolArgument {
    /// Warns once that no container tool is needed, if a tool was specified.
    pub fn answer(&self, printer: &Printer) {
        answer(printer, &[("--container-tool", self.container_tool.as_deref())]);
    }
}

impl ImageToolArguments {
    /// Warns once that no container tool is needed, if a tool was specified.
    pub fn answer(&self, printer: &Printer) {
        let tools = [
            ("--container-tool", self.container.container_tool.as_deref()),
            ("--build-tool", self.build_tool.as_deref()),
            ("--pull-tool", self.pull_tool.as_deref()),
        ];
        answer(printer, &tools);
    }
}

impl ImageBuilderArgument {
    /// Warns once that no container tool is needed, if a tool was specified.
    pub fn answer(&self, printer: &Printer) {
        answer(printer, &[("--image-builder", self.image_builder.as_deref())]);
    }
}

fn answer(printer: &Printer, tools: &[(&str, Option<&str>)]) {
    // opmx never uses a container tool, so "none" requires no warning.
    let chosen: Vec<_> = tools
        .iter()
        .filter(|(_, tool)| tool.is_some_and(|tool| tool != "none"))
        .map(|(option, _)| *option)
        .collect();
    if !chosen.is_empty() {
        let chosen = chosen.join(", ");
        printer.warning(format_args!(
            "ignoring {chosen} because opmx pulls and builds images itself"
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terminal::output::tests::captured;
    use clap::Parser;

    #[derive(Debug, Parser)]
    struct Line {
        #[command(flatten)]
        registry: RegistryArguments,
        #[command(flatten)]
        limits: LimitArguments,
        #[command(flatten)]
        output: OutputArguments,
        #[command(flatten)]
        tools: ImageToolArguments,
    }

    fn parse(line: &str) -> Result<Line, clap::Error> {
        Line::try_parse_from(["opmx"].into_iter().chain(line.split_whitespace()))
    }

    #[test]
    fn sizes_accept_units_and_become_limits() {
        let line = parse("--max-file-size 1MiB --max-total-size 2GiB --max-files 3").unwrap();
        let limits = line.limits.tree();
        assert_eq!(
            (limits.files, limits.file_bytes, limits.total_bytes),
            (3, 1 << 20, 2 << 30)
        );
        assert_eq!(line.limits.text().file_bytes, 1 << 20);
        let limits = parse("").unwrap().limits;
        assert_eq!(limits.tree().file_bytes, TreeLimits::default().file_bytes);
        assert_eq!(limits.text(), Limits::default());
        assert!(parse("--max-file-size much").is_err());
    }

    #[test]
    fn a_depth_above_the_maximum_is_rejected() {
        let most = Limits::MOST_DEPTH;
        let line = parse(&format!("--max-depth {most}")).unwrap();
        assert_eq!(line.limits.text().depth, most);
        assert!(parse(&format!("--max-depth {}", most + 1)).is_err());
        assert!(parse("--max-depth deep").is_err());
    }

    #[test]
    fn registries_use_the_default_timeouts_unless_specified() {
        let registry = parse("").unwrap().registry.connection;
        let defaults = ImageOptions::default();
        assert_eq!(Duration::from_secs(registry.request_timeout), defaults.request_timeout);
        assert_eq!(registry.min_rate.0, defaults.least_rate);
        let registry = parse("--request-timeout 5 --min-rate 1MiB")
            .unwrap()
            .registry
            .connection;
        assert_eq!((registry.request_timeout, registry.min_rate.0), (5, 1 << 20));
        assert!(parse("--request-timeout 0").is_err());
    }

    #[test]
    fn skip_tls_is_plain_http_as_in_opm() {
        let connection = parse("--skip-tls").unwrap().registry.connection;
        assert!(connection.use_http && !connection.skip_tls_verify);
        for both in [
            "--skip-tls --skip-tls-verify",
            "--skip-tls-verify --use-http",
            "--no-cache --cache-dir x",
        ] {
            assert!(parse(both).is_err(), "{both}");
        }
    }

    #[test]
    fn a_platform_consists_of_an_operating_system_and_an_architecture() {
        let platform = parse("--platform linux/arm64").unwrap().registry.platform;
        assert_eq!(platform.unwrap().to_string(), "linux/arm64");
        for wrong in ["linux/", "/arm64", "a/b/c", "linux/.."] {
            assert!(parse(&format!("--platform {wrong}")).is_err(), "{wrong}");
        }
    }

    #[test]
    fn container_tool_options_cause_one_warning() {
        let (printer, streams) = captured();
        parse("-p none -u podman -c docker").unwrap().tools.answer(&printer);
        let said = streams.stderr();
        assert!(
            said.starts_with("warning: ignoring --container-tool, --build-tool"),
            "{said}"
        );
        assert_eq!(said.lines().count(), 1);
        let (printer, streams) = captured();
        parse("--pull-tool none -o json").unwrap().tools.answer(&printer);
        assert_eq!(streams.stderr(), "");
    }
}
