//! The changes that added bundles make to the update graph, as text.

use crate::database::add::{ChannelChange, PackageChange, Report};

/// Returns the lines that show a change: additions begin with `+`, removals with `-`.
pub fn lines(report: &Report) -> Vec<String> {
    report
        .packages
        .iter()
        .flat_map(|package| of_package(package, report))
        .collect()
}

fn of_package(package: &PackageChange, report: &Report) -> Vec<String> {
    let mut lines = vec![format!("package {}", package.package)];
    let (before, after) = &package.default_channel;
    lines.push(match before {
        Some(before) if before == after => format!("  default channel {after}"),
        Some(before) => format!("  default channel {before} -> {after}"),
        None => format!("  + default channel {after}"),
    });
    let added = report.bundles.iter().filter(|bundle| bundle.package == package.package);
    lines.extend(added.map(|bundle| format!("  + bundle {} in {}", bundle.name, bundle.channels.join(", "))));
    lines.extend(package.channels.iter().map(of_channel));
    let dropped = package.dropped.iter();
    lines.extend(dropped.map(|dropped| format!("  - bundle {} from channel {}", dropped.bundle, dropped.channel)));
    lines
}

fn of_channel(ChannelChange { channel, before, after }: &ChannelChange) -> String {
    match (before, after) {
        (Some(before), Some(after)) => format!("  channel {channel}: head {before} -> {after}"),
        (None, Some(after)) => format!("  + channel {channel}: head {after}"),
        (Some(before), None) => format!("  - channel {channel}: head {before}"),
        (None, None) => format!("  channel {channel}"),
    }
}
