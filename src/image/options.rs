//! How images are moved: what whoever uses the transports decides.

use super::cache::DEFAULT_CACHE_SIZE;
use super::credentials::Credentials;
use super::platform::Platform;
use super::unpack::DEFAULT_IMAGE_LIMIT;
use std::path::PathBuf;
use std::time::Duration;

/// How images are moved.
#[derive(Debug, Clone)]
pub struct ImageOptions {
    /// Where the logins for registries are.
    pub credentials: Credentials,
    /// Certificates in PEM that are trusted besides those of the system.
    pub ca_file: Option<PathBuf>,
    /// Accept any certificate.
    pub skip_tls_verify: bool,
    /// Speak plain HTTP to every registry.
    pub use_http: bool,
    /// How long a connection may take to come about.
    pub connect_timeout: Duration,
    /// How long nothing may arrive or leave before a request counts as failed.
    pub stall_timeout: Duration,
    /// How long a manifest, a token or the text of an error may take in all.
    pub request_timeout: Duration,
    /// The bytes a second that a blob has to move at the least; 0 for any number.
    pub least_rate: u64,
    /// The time over which the rate of a blob is measured.
    pub rate_window: Duration,
    /// What to choose from images for several platforms; `linux/amd64` where nothing is said.
    pub platform: Option<Platform>,
    /// How failed requests are repeated.
    pub retry: RetryPolicy,
    /// How many requests run at once.
    pub parallel: usize,
    /// Where pulled content is kept.
    pub cache: CacheMode,
    /// Bytes that the cache may hold.
    pub cache_size: u64,
    /// Bytes that the layers of one image may have.
    pub image_limit: u64,
    /// How long to wait, after a tag of a registry was moved, before it is looked at again. It must be the same for all
    /// who move one tag, and longer than the registry takes to answer.
    pub settle: Duration,
}

/// Whether pulled content is kept for the next run, which it is not by default.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CacheMode {
    /// No; large content goes to temporary files.
    Off,
    /// In this directory.
    Directory(PathBuf),
}

impl Default for ImageOptions {
    fn default() -> Self {
        Self {
            credentials: Credentials::default(),
            ca_file: None,
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

/// How failed requests are repeated. The waits are a fixed schedule, so that two runs do the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RetryPolicy {
    /// How often a request is repeated after the first try.
    pub retries: u32,
    /// The wait before the first repetition; it doubles each time.
    pub first_delay: Duration,
    /// Where the doubling ends.
    pub longest_delay: Duration,
    /// The longest wait that a registry may ask for; beyond it the request fails.
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
