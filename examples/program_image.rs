//! Builds an image that contains a static program, for one platform or for several:
//! `cargo run --example program_image -- REFERENCE linux/amd64=FILE linux/arm64=FILE`.

#![allow(clippy::print_stdout, reason = "an example prints")]

use opmx::image::{
    EntryContent, ImageConfig, ImageOptions, LayerEntry, Platform, Reference, Silent, Tagged, Transports, build,
    layer_from_files,
};
use std::error::Error;
use std::sync::Arc;

const PROGRAM: &str = "opmx";

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let reference: Reference = arguments.next().ok_or("specify an image reference")?.parse()?;
    let mut images = Vec::new();
    for binary in arguments {
        let (platform, file) = binary.split_once('=').ok_or("expected PLATFORM=FILE")?;
        let platform: Platform = platform.parse()?;
        let program = LayerEntry {
            path: PROGRAM.to_owned(),
            mode: 0o755,
            content: EntryContent::File(file.into()),
        };
        let config = ImageConfig {
            entrypoint: vec![format!("/{PROGRAM}")],
            user: "1001".to_owned(),
            os: platform.os,
            architecture: platform.architecture,
            ..ImageConfig::default()
        };
        images.push(build(&config, vec![layer_from_files(&[program], 0)?])?);
    }
    let transports = Transports::new(ImageOptions::default(), Arc::new(Silent));
    let image = Tagged::for_platforms(images)?;
    println!("{}", transports.push(image, &reference).await?);
    Ok(())
}
