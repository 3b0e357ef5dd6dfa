//! Lists the channels of an index in any form: `cargo run --example read_catalog -- INDEX`.

#![allow(clippy::print_stdout, reason = "an example prints")]

use opmx::image::{ImageOptions, Silent, Transports};
use opmx::index::open::{Index, OpenLimits};
use std::error::Error;
use std::sync::Arc;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let name = std::env::args().nth(1).unwrap_or("testdata/catalog".to_owned());

    let transports = Transports::new(ImageOptions::default(), Arc::new(Silent));
    let index = Index::open_named(&name, &transports, OpenLimits::default()).await?;
    let catalog = index.catalog()?;
    for package in &catalog.packages {
        for channel in &package.channels {
            let head = channel.head.as_deref().unwrap_or("no head");
            println!(
                "{} {}: {head}, {} bundles",
                package.name,
                channel.name,
                channel.entries.len()
            );
        }
    }
    Ok(())
}
