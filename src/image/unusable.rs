//! Settings from outside of opmx that cannot be used.

/// The settings that cannot be used, each with its problem. A request that needs one of them fails.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UnusableSettings {
    /// The proxy for requests over plain HTTP.
    pub http_proxy: Option<String>,
    /// The proxy for requests over HTTPS.
    pub https_proxy: Option<String>,
    /// The hosts that are contacted without a proxy, separated by commas.
    pub without_proxy: String,
    /// The certificates to trust instead of those of the system.
    pub certificates: Option<String>,
}
