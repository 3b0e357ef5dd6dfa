//! Lists the objects that OLM would create for a bundle: `cargo run --example plan -- FOLDER`.

#![allow(clippy::print_stdout, reason = "an example prints")]

use opmx::install::content::of_files;
use opmx::install::plan::{PlanOptions, Subject, plan};
use opmx::text::Limits;
use opmx::tree::{Tree, TreeLimits};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args()
        .nth(1)
        .unwrap_or("testdata/compost-operator".to_owned());

    let files = Tree::from_directory(folder.as_ref(), &TreeLimits::default())?;
    let (content, _warnings) = of_files(&files, None, &Limits::default())?;
    let bundle = Subject::Bundle {
        content: &content,
        catalog: "catalog",
        catalog_namespace: "olm",
        replaces: None,
    };
    let planned = plan(bundle, None, &PlanOptions::default())?.ok_or("there is nothing to install")?;
    for step in &planned.plan.status.plan {
        println!("{} {}", step.resource.kind, step.resource.name);
    }
    Ok(())
}
