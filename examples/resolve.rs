//! Lists the bundles that OLM would install for a package: `cargo run --example resolve -- PACKAGE INDEX`.

#![allow(clippy::print_stdout, reason = "an example prints")]

use opmx::cluster::{State, observe};
use opmx::image::{ImageOptions, Silent, Transports};
use opmx::install::resolve::{NamedIndex, PackageChannel, ResolveOptions, resolve};
use std::error::Error;
use std::sync::Arc;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let package = arguments.next().unwrap_or("compost-operator".to_owned());
    let index = arguments.next().unwrap_or("testdata/catalog".to_owned());

    let mut cluster = State::default();
    observe(&mut cluster, Some("operators"))?;
    let options = ResolveOptions {
        catalogs: vec![NamedIndex {
            index,
            ..NamedIndex::default()
        }],
        packages: vec![PackageChannel { package, channel: None }],
        ..ResolveOptions::default()
    };
    let transports = Transports::new(ImageOptions::default(), Arc::new(Silent));
    let resolved = resolve(cluster, &options, &transports).await?;
    for bundle in resolved.answer?.install {
        println!("{bundle}");
    }
    Ok(())
}
