//! The connection to the registry of a mirror, if the same run also accesses other registries.

use crate::cli::Context;
use crate::cli::arguments::ConnectionArguments;
use crate::image::Transports;
use clap::Args;
use std::path::PathBuf;

const TARGET: &str = "Target registry options";

/// The options for connections to the target registry. The defaults are the options for the other registries.
#[derive(Debug, Args)]
pub(super) struct TargetArguments {
    /// Credential file for the target registry
    #[arg(long = "to-authfile", id = "to_authfile", help_heading = TARGET, value_name = "FILE")]
    authfile: Option<PathBuf>,
    /// Trust the certificates in this PEM file for the target registry, in addition to those of the system
    #[arg(long = "to-ca-file", id = "to_ca_file", help_heading = TARGET, value_name = "FILE", conflicts_with = "to_use_http")]
    ca_file: Option<PathBuf>,
    /// Accept any certificate from the target registry
    #[arg(long = "to-skip-tls-verify", id = "to_skip_tls_verify", help_heading = TARGET, conflicts_with = "to_use_http")]
    skip_tls_verify: bool,
    /// Use plain HTTP for the target registry
    #[arg(long = "to-use-http", id = "to_use_http", help_heading = TARGET)]
    use_http: bool,
    /// Use HTTPS for the target registry despite --use-http; --to-ca-file and --to-skip-tls-verify have the same effect
    #[arg(long = "to-use-https", id = "to_use_https", help_heading = TARGET, conflicts_with = "to_use_http")]
    use_https: bool,
}

impl TargetArguments {
    /// Returns the transports for the target.
    pub(super) fn transports(&self, others: &ConnectionArguments, context: &Context<'_>) -> Transports {
        let use_https = self.use_https || self.skip_tls_verify || self.ca_file.is_some();
        // If every certificate were accepted, a certificate authority for the target would have no effect.
        let skips_verify = others.skip_tls_verify && !self.use_http && self.ca_file.is_none();
        let target = ConnectionArguments {
            authfile: self.authfile.clone().or_else(|| others.authfile.clone()),
            ca_file: self.ca_file.clone().or_else(|| others.ca_file.clone()),
            skip_tls_verify: self.skip_tls_verify || skips_verify,
            use_http: self.use_http || (others.use_http && !use_https),
            ..others.clone()
        };
        target.transports(context)
    }
}

/// Replaces the options in a hint with those for the target.
pub(super) fn for_target(hint: &str) -> String {
    let hint = hint.replace("omit --use-http for this registry", "use --to-use-https for the target");
    ["--authfile", "--ca-file", "--skip-tls-verify", "--use-http"]
        .into_iter()
        .fold(hint, |hint, option| {
            hint.replace(option, &option.replacen("--", "--to-", 1))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_about_the_target_name_its_options() {
        for (hint, wanted) in [
            (
                "specify the certificate authority with --ca-file, or accept any certificate with --skip-tls-verify",
                "specify the certificate authority with --to-ca-file, or accept any certificate with \
                 --to-skip-tls-verify",
            ),
            ("omit --use-http for this registry", "use --to-use-https for the target"),
            ("log in, or use --authfile", "log in, or use --to-authfile"),
        ] {
            assert_eq!(for_target(hint), wanted);
        }
    }
}
