//! Publishing bundles in additional channels, for the commands on images and on database files.

use crate::cli::additions::Mode;
use crate::cli::values::name;
use crate::database::add::promote::{Promoted, Promotion};
use crate::terminal::Printer;
use clap::Args;
use std::collections::BTreeSet;

/// The bundles to publish, and the channels.
#[derive(Debug, Args)]
pub(crate) struct PromotionArguments {
    /// Bundles of the index, separated by commas or spaces: their names, or their images as stored in the index
    #[arg(value_name = "BUNDLE", value_delimiter = ',', value_parser = name, required = true)]
    bundles: Vec<String>,
    /// Channels to publish the bundles in, separated by commas; missing channels are created
    #[arg(
        short,
        long = "channel",
        value_name = "CHANNELS",
        value_delimiter = ',',
        value_parser = name,
        required = true
    )]
    channels: Vec<String>,
    /// Mode for placing the bundles in the channels
    #[arg(long, value_enum, value_name = "MODE", default_value_t)]
    mode: Mode,
}

/// The requested promotion.
pub(crate) struct Asked {
    bundles: BTreeSet<String>,
    channels: BTreeSet<String>,
    mode: Mode,
}

impl PromotionArguments {
    pub(crate) fn asked(&self) -> Asked {
        Asked {
            bundles: self.bundles.iter().cloned().collect(),
            channels: self.channels.iter().cloned().collect(),
            mode: self.mode,
        }
    }
}

impl Asked {
    pub(crate) fn promotion(&self) -> Promotion<'_> {
        Promotion {
            bundles: &self.bundles,
            channels: &self.channels,
            mode: self.mode.into(),
        }
    }
}

/// Reports the channels in which bundles are now published.
pub(crate) fn report(promoted: &Promoted, printer: &Printer) {
    let listed = |channels: &BTreeSet<String>| channels.iter().cloned().collect::<Vec<_>>().join(", ");
    for (bundle, channels) in &promoted.already {
        printer.status(format_args!("{bundle} is already in {}", listed(channels)));
    }
    for (bundle, channels) in &promoted.bundles {
        printer.status(format_args!("promoted bundle {bundle} to {}", listed(channels)));
    }
    for (bundle, channels) in &promoted.below {
        printer.status(format_args!(
            "also added bundle {bundle} to {}, because a promoted bundle replaces or skips it",
            listed(channels)
        ));
    }
    for package in &promoted.packages {
        for change in &package.channels {
            let (channel, package) = (&change.channel, &package.package);
            match (&change.before, &change.after) {
                (Some(before), Some(after)) => printer.status(format_args!(
                    "channel {channel} of package {package}: head {before} -> {after}"
                )),
                (None, Some(after)) => {
                    printer.status(format_args!("new channel {channel} of package {package}: head {after}"));
                }
                (_, None) => {}
            }
        }
    }
}
