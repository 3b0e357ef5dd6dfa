//! Builds the image of a bundle from plain manifests: `cargo run --example build_bundle -- FOLDER LAYOUT`.

#![allow(clippy::print_stdout, reason = "an example prints")]

use opmx::build::{BuildOptions, build};
use opmx::image::{ImageOptions, Reference, Silent, Transports};
use opmx::tree::{Tree, TreeLimits};
use std::error::Error;
use std::sync::Arc;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().unwrap_or("testdata/greenhouse-operator".to_owned());
    let layout = arguments.next().unwrap_or("target/examples/bundle".to_owned());

    let files = Tree::from_directory(folder.as_ref(), &TreeLimits::default())?;
    let transports = Transports::new(ImageOptions::default(), Arc::new(Silent));
    let built = build(files, &BuildOptions::default(), &transports).await?;
    for finding in &built.findings {
        println!("{finding}");
    }
    let (image, _) = built.image.ok_or("the bundle has errors")?;
    let to: Reference = format!("oci:{layout}:latest").parse()?;
    println!("{}", transports.push(&image, &to).await?);
    Ok(())
}
