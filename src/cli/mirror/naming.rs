//! Image names at the target, for the commands that need them.

use crate::cli::error::CommandError;
use crate::mirror::plan::Plan;
use crate::mirror::recorded::{CopiedElsewhere, copied_elsewhere};
use crate::mirror::request::Naming;
use crate::mirror::target::Target;
use crate::terminal::Printer;
use clap::Args;
use std::path::Path;

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

/// Warns if the last copy of the plan in `file` used other image names at the same target than `plan` does.
pub(super) fn warn_of_other_names(plan: &Plan, file: &Path, printer: &Printer) -> Result<(), CommandError> {
    if let Some(CopiedElsewhere {
        result,
        image,
        planned,
        copied,
    }) = copied_elsewhere(plan, file)?
    {
        printer.warning(format_args!(
            "{} records that {image} was copied to {copied}, not to {planned}",
            result.display()
        ));
        printer.warning_hint("use --keep-host and --max-nested-paths as for opmx mirror copy");
    }
    Ok(())
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
