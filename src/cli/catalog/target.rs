//! The target of a command in a catalog: `PACKAGE[:CHANNEL][@BUNDLE]`.

use std::fmt;
use std::str::FromStr;

/// A package, or one of its channels or bundles.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TargetArgument {
    pub(crate) package: String,
    pub(crate) channel: Option<String>,
    /// The name or version of the bundle.
    pub(crate) bundle: Option<String>,
}

impl fmt::Display for TargetArgument {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.package)?;
        if let Some(channel) = &self.channel {
            write!(formatter, ":{channel}")?;
        }
        self.bundle.iter().try_for_each(|bundle| write!(formatter, "@{bundle}"))
    }
}

impl FromStr for TargetArgument {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (before, bundle) = match text.split_once('@') {
            Some((before, bundle)) => (before, Some(bundle)),
            None => (text, None),
        };
        let (package, channel) = match before.split_once(':') {
            Some((package, channel)) => (package, Some(channel)),
            None => (before, None),
        };
        if package.is_empty() || channel == Some("") || bundle == Some("") {
            return Err("expected PACKAGE, PACKAGE:CHANNEL, PACKAGE@VERSION or PACKAGE@BUNDLE");
        }
        Ok(Self {
            package: package.to_owned(),
            channel: channel.map(str::to_owned),
            bundle: bundle.map(str::to_owned),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_channels_and_bundles_are_parsed() {
        let parts = |text: &str| {
            let target: TargetArgument = text.parse().ok()?;
            assert_eq!(target.to_string(), text);
            Some((
                target.package,
                target.channel.unwrap_or_default(),
                target.bundle.unwrap_or_default(),
            ))
        };
        let of = |package: &str, channel: &str, bundle: &str| Some((package.into(), channel.into(), bundle.into()));
        assert_eq!(parts("etcd"), of("etcd", "", ""));
        assert_eq!(parts("etcd:alpha"), of("etcd", "alpha", ""));
        assert_eq!(parts("etcd@0.9.2"), of("etcd", "", "0.9.2"));
        assert_eq!(parts("etcd:alpha@etcd.v0.9.2"), of("etcd", "alpha", "etcd.v0.9.2"));
        for wrong in ["", ":alpha", "@1", "etcd:", "etcd@", "etcd:@1"] {
            assert_eq!(parts(wrong), None, "{wrong}");
        }
    }
}
