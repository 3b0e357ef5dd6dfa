//! The options that several commands share, and what they mean to the rooms below.

use crate::cli::size::Size;
use crate::terminal::{Format, Printer};
use crate::tree::TreeLimits;
use clap::Args;
use std::path::PathBuf;

// Given to each argument, because a heading of the whole struct would also take in what follows it in a command.
const REGISTRY: &str = "Registry options";
const LIMITS: &str = "Limits";

/// How to reach registries.
#[derive(Debug, Clone, Args)]
pub struct RegistryArguments {
    /// Credential file, in the form of docker and podman
    ///
    /// Without it the usual places are searched: $REGISTRY_AUTH_FILE, $XDG_RUNTIME_DIR/containers/auth.json,
    /// $XDG_CONFIG_HOME/containers/auth.json, $DOCKER_CONFIG/config.json, ~/.docker/config.json.
    #[arg(long, help_heading = REGISTRY, value_name = "FILE")]
    pub authfile: Option<PathBuf>,
    /// Trust the certificates in this PEM file, besides those of the system
    #[arg(long, help_heading = REGISTRY, value_name = "FILE")]
    pub ca_file: Option<PathBuf>,
    /// Accept any certificate of a registry
    #[arg(long, help_heading = REGISTRY, alias = "skip-tls", conflicts_with = "use_http")]
    pub skip_tls_verify: bool,
    /// Talk plain HTTP to registries
    #[arg(long, help_heading = REGISTRY)]
    pub use_http: bool,
    /// How often to try again when a registry fails, stalls or limits the rate
    #[arg(long, help_heading = REGISTRY, value_name = "N", default_value_t = 4)]
    pub retries: u32,
    /// Neither use nor fill the cache of layers
    #[arg(long, help_heading = REGISTRY, conflicts_with = "cache_dir")]
    pub no_cache: bool,
    /// Folder for the cache of layers
    ///
    /// Without it the cache is the folder opmx in $XDG_CACHE_HOME, or in ~/.cache.
    #[arg(long, help_heading = REGISTRY, value_name = "DIR")]
    pub cache_dir: Option<PathBuf>,
    /// Platform to take from an image that has several, as OS/ARCH or OS/ARCH/VARIANT
    #[arg(long, help_heading = REGISTRY, value_name = "PLATFORM", default_value = "linux/amd64", value_parser = platform)]
    pub platform: String,
}

/// How much a bundle may hold.
#[derive(Debug, Clone, Args)]
pub struct LimitArguments {
    /// Largest file in a bundle
    #[arg(long, help_heading = LIMITS, value_name = "SIZE", default_value_t = Size(TreeLimits::default().file_bytes))]
    pub max_file_size: Size,
    /// Most files in a bundle
    #[arg(long, help_heading = LIMITS, value_name = "N", default_value_t = TreeLimits::default().files)]
    pub max_files: usize,
    /// Largest size of all files of a bundle together
    #[arg(long, help_heading = LIMITS, value_name = "SIZE", default_value_t = Size(TreeLimits::default().total_bytes))]
    pub max_total_size: Size,
    /// Deepest nesting of a YAML or JSON document
    #[arg(long, help_heading = LIMITS, value_name = "N", default_value_t = 512)]
    pub max_depth: usize,
    /// Most documents in one YAML file
    #[arg(long, help_heading = LIMITS, value_name = "N", default_value_t = 10_000)]
    pub max_documents: usize,
}

impl LimitArguments {
    /// The limits on the files.
    pub fn tree(&self) -> TreeLimits {
        TreeLimits {
            files: self.max_files,
            file_bytes: self.max_file_size.0,
            total_bytes: self.max_total_size.0,
        }
    }
}

/// The form of the result.
#[derive(Debug, Clone, Args)]
pub struct OutputArguments {
    /// Form of the result
    #[arg(short = 'o', long, value_enum, value_name = "FORM", default_value_t)]
    pub output: Format,
}

/// The container tool of opm's commands that work on a database. It is taken, and not needed.
#[derive(Debug, Clone, Default, Args)]
pub struct ContainerToolArgument {
    /// Not needed: no container tool is used
    #[arg(short = 'c', long, hide = true, value_name = "TOOL")]
    container_tool: Option<String>,
}

/// The container tools of opm's commands that work on an index image. They are taken, and not needed.
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

/// The container tool of opm's bundle commands. It is taken, and not needed.
#[derive(Debug, Clone, Default, Args)]
pub struct ImageBuilderArgument {
    /// Not needed: no container tool is used
    #[arg(short = 'b', long, hide = true, value_name = "TOOL")]
    image_builder: Option<String>,
}

impl ContainerToolArgument {
    /// Says once that no tool is needed, where one was chosen.
    pub fn answer(&self, printer: &Printer) {
        answer(printer, &[("--container-tool", self.container_tool.as_deref())]);
    }
}

impl ImageToolArguments {
    /// Says once that no tool is needed, where one was chosen.
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
    /// Says once that no tool is needed, where one was chosen.
    pub fn answer(&self, printer: &Printer) {
        answer(printer, &[("--image-builder", self.image_builder.as_deref())]);
    }
}

fn answer(printer: &Printer, tools: &[(&str, Option<&str>)]) {
    // "none" asks for what opmx does anyway.
    let chosen: Vec<_> = tools
        .iter()
        .filter(|(_, tool)| tool.is_some_and(|tool| tool != "none"))
        .map(|(option, _)| *option)
        .collect();
    if !chosen.is_empty() {
        let chosen = chosen.join(", ");
        printer.warning(format_args!(
            "{chosen} can be left out: opmx pulls and builds images itself, with no container tool"
        ));
    }
}

fn platform(text: &str) -> Result<String, String> {
    let parts: Vec<_> = text.split('/').collect();
    let plain = |part: &&str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if matches!(parts.len(), 2 | 3) && parts.iter().all(plain) {
        Ok(text.to_owned())
    } else {
        Err("a platform is OS/ARCH or OS/ARCH/VARIANT, as in linux/arm64".to_owned())
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
    fn sizes_take_units_and_become_limits() {
        let line = parse("--max-file-size 1MiB --max-total-size 2GiB --max-files 3").unwrap();
        let limits = line.limits.tree();
        assert_eq!(
            (limits.files, limits.file_bytes, limits.total_bytes),
            (3, 1 << 20, 2 << 30)
        );
        let limits = parse("").unwrap().limits.tree();
        assert_eq!(limits.file_bytes, TreeLimits::default().file_bytes);
        assert!(parse("--max-file-size much").is_err());
    }

    #[test]
    fn the_old_name_of_skip_tls_verify_works_and_excludes_plain_http() {
        assert!(parse("--skip-tls").unwrap().registry.skip_tls_verify);
        assert!(parse("--skip-tls-verify --use-http").is_err());
        assert!(parse("--no-cache --cache-dir x").is_err());
    }

    #[test]
    fn platforms_have_two_or_three_parts() {
        assert_eq!(
            parse("--platform linux/arm/v7").unwrap().registry.platform,
            "linux/arm/v7"
        );
        for wrong in ["linux", "linux/", "a/b/c/d", "linux/../x"] {
            assert!(parse(&format!("--platform {wrong}")).is_err(), "{wrong}");
        }
    }

    #[test]
    fn container_tools_are_answered_by_one_warning() {
        let (printer, streams) = captured();
        parse("-p none -u podman -c docker").unwrap().tools.answer(&printer);
        let said = streams.stderr();
        assert!(
            said.starts_with("warning: --container-tool, --build-tool can be left out"),
            "{said}"
        );
        assert_eq!(said.lines().count(), 1);
        let (printer, streams) = captured();
        parse("--pull-tool none -o json").unwrap().tools.answer(&printer);
        assert_eq!(streams.stderr(), "");
    }
}
