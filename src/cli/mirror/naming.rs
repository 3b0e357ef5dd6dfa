//! Image names at the target, for the commands that need them.

use crate::mirror::request::Naming;
use crate::mirror::target::Target;
use clap::Args;

/// The options for image names at the target.
#[derive(Debug, Args)]
pub(super) struct NamingArguments {
    /// Prefix the path of each image with its host, so that images of different registries never conflict
    #[arg(long)]
    keep_host: bool,
    /// Maximum number of path components below the target; additional components are joined with dashes (0: no limit)
    #[arg(long, value_name = "N", default_value_t = 0)]
    max_nested_paths: usize,
}

impl NamingArguments {
    /// Returns the requested naming of images: below `to` or, if naming options are used without it, below the target
    /// of a plan.
    pub(super) fn requested(&self, to: Option<&Target>, planned: Option<&str>) -> Option<Naming> {
        let planned = || planned.filter(|_| self.is_used())?.parse().ok();
        to.cloned().or_else(planned).map(|target| self.naming(&target))
    }

    /// Whether an option is given.
    pub(super) fn is_used(&self) -> bool {
        self.keep_host || self.max_nested_paths > 0
    }

    /// Returns the naming of images below a target.
    pub(super) fn naming(&self, target: &Target) -> Naming {
        Naming {
            target: target.clone(),
            keep_host: self.keep_host,
            most_parts: self.max_nested_paths,
        }
    }
}
