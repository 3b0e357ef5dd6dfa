//! The options for reading and writing images.

use super::cache::DEFAULT_CACHE_SIZE;
use super::credentials::Credentials;
use super::platform::Platform;
use super::unpack::DEFAULT_IMAGE_LIMIT;
use std::path::PathBuf;
use std::time::Duration;

/// The options for reading and writing images.
#[derive(Debug, Clone)]
pub struct ImageOptions {
    /// The source of registry logins.
    pub credentials: Credentials,
    /// A PEM file with certificates that are trusted in addition to the system certificates.
    pub ca_file: Option<PathBuf>,
    /// The settings from outside that cannot be used.
    pub unusable: UnusableSettings,
    /// Whether to accept any certificate.
    pub skip_tls_verify: bool,
    /// Whether to use plain HTTP for every registry.
    pub use_http: bool,
    /// The maximum time to establish a connection.
    pub connect_timeout: Duration,
    /// The maximum time without any data transfer before a request fails.
    pub stall_timeout: Duration,
    /// The maximum total time for requesting a manifest or token, or for reading the body of an error response.
    pub request_timeout: Duration,
    /// The minimum transfer rate of a blob in bytes per second; 0 for no minimum.
    pub least_rate: u64,
    /// The time window over which the transfer rate of a blob is measured.
    pub rate_window: Duration,
    /// The platform to choose from images for several platforms; an index or base image without it is an error. If
    /// `None`, this is `linux/amd64` or, if there is no such image, any other platform.
    pub platform: Option<Platform>,
    /// The policy for retrying failed requests.
    pub retry: RetryPolicy,
    /// The maximum number of concurrent requests.
    pub parallel: usize,
    /// The cache for pulled content.
    pub cache: CacheMode,
    /// The maximum size of the cache in bytes.
    pub cache_size: u64,
    /// The maximum total size in bytes of the layers of an image.
    pub image_limit: u64,
    /// The delay after moving a tag in a registry before the tag is checked again. It must be the same for all clients
    /// that move the tag, and longer than the response time of the registry.
    pub settle: Duration,
}

/// Whether pulled content is kept for the next run. By default, it is not kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CacheMode {
    /// Content is not kept; large content is written to temporary files.
    Off,
    /// Content is kept in this directory.
    Directory(PathBuf),
}

impl Default for ImageOptions {
    fn default() -> Self {
        Self {
            credentials: Credentials::default(),
            ca_file: None,
            unusable: UnusableSettings::default(),
            skip_tls_verify: false,
            use_http: false,
            connect_timeout: Duration::from_secs(20),
            stall_timeout: Duration::from_mins(1),
            request_timeout: Duration::from_mins(1),
            least_rate: 8 << 10,
            rate_window: Duration::from_mins(1),
            platform: None,
            retry: RetryPolicy::default(),
            parallel: 6,
            cache: CacheMode::Off,
            cache_size: DEFAULT_CACHE_SIZE,
            image_limit: DEFAULT_IMAGE_LIMIT,
            settle: Duration::from_secs(2),
        }
    }
}

/// The policy for retrying failed requests. The delays follow a fixed schedule, so that two runs behave the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RetryPolicy {
    /// The number of retries after the first attempt.
    pub retries: u32,
    /// The delay before the first retry; it doubles each time.
    pub first_delay: Duration,
    /// The maximum delay before a retry.
    pub longest_delay: Duration,
    /// The maximum delay that a registry may request; if it requests a longer delay, opmx does not retry.
    pub longest_wait: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            retries: 5,
            first_delay: Duration::from_millis(500),
            longest_delay: Duration::from_secs(15),
            longest_wait: Duration::from_mins(2),
        }
    }
}

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
