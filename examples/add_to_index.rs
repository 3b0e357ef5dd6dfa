//! Adds bundles to the database of an index, all or none: `cargo run --example add_to_index -- DATABASE BUNDLE...`.

#![allow(clippy::print_stdout, reason = "an example prints")]

use opmx::bundle::location::Location;
use opmx::database::change::{ChangeOptions, Target};
use opmx::image::{ImageOptions, Silent, Transports};
use opmx::index::gather::{GatherError, GatherOptions, add};
use std::error::Error;
use std::path::Path;
use std::sync::Arc;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let database = arguments.next().unwrap_or("target/examples/index.db".to_owned());
    let bundles: Vec<String> = arguments.collect();
    let bundles = if bundles.is_empty() {
        vec![
            "testdata/greenhouse-operator".to_owned(),
            "testdata/compost-operator".to_owned(),
        ]
    } else {
        bundles
    };
    let locations: Vec<Location> = bundles.iter().map(|bundle| bundle.parse()).collect::<Result<_, _>>()?;

    let transports = Transports::new(ImageOptions::default(), Arc::new(Silent));
    let options = GatherOptions {
        parallel: 4,
        ..GatherOptions::default()
    };
    let target = Target::InPlace(Path::new(&database));
    match add(&locations, &transports, &options, &target, &ChangeOptions::default()).await {
        Ok(added) => {
            for remark in &added.remarks {
                println!("{remark}");
            }
            println!("added the bundles to {database}");
        }
        Err(GatherError::Bundles { problems, .. }) => {
            for (location, problem) in problems {
                println!("{location}: {}", opmx::causes::with_causes(&problem));
            }
        }
        Err(error) => return Err(error.into()),
    }
    Ok(())
}
