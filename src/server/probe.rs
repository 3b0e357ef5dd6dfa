//! Requests the health of a gRPC server, with the flags and exit codes of the well-known probe `grpc_health_probe`.
//!
//! OLM up to v0.46 runs `grpc_health_probe -addr=:50051` inside every catalog pod, so an index image must contain a
//! program with that name.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;
use tokio::time::timeout;
use tonic::Code;
use tonic::transport::Endpoint;
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;

/// The parameters of a health request, and its time limits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Probe {
    /// `host:port`, or `:port` for this machine.
    pub address: String,
    /// The service to check; empty for the server as a whole.
    pub service: String,
    /// The maximum time to connect.
    pub connect_timeout: Duration,
    /// The maximum time to wait for the answer.
    pub rpc_timeout: Duration,
}

/// What the command line of a probe requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Request {
    /// To check the health of a server.
    Check(Probe),
    /// To print the version.
    Version,
    /// To print the flags.
    Help,
}

/// The reason why a probe fails.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProbeError {
    /// The command line is invalid.
    #[error("{flag}: {reason}")]
    Arguments {
        /// The flag, or the argument.
        flag: String,
        /// The problem with the flag or argument.
        reason: &'static str,
    },
    /// No server listens at the address, or the server does not speak HTTP/2.
    #[error("cannot connect to {address} within {} ms: {reason}", timeout.as_millis())]
    Connection {
        /// The address.
        address: String,
        /// The maximum time to connect.
        timeout: Duration,
        /// The reason for the failure.
        reason: String,
    },
    /// The server did not answer the request.
    #[error("{address} does not answer: {reason}")]
    Call {
        /// The address.
        address: String,
        /// The reason for the failure.
        reason: String,
    },
    /// The server reports that it is not serving.
    #[error("service unhealthy (responded with {status:?})")]
    NotServing {
        /// The status that the server returned.
        status: ServingStatus,
    },
}

impl ProbeError {
    /// Returns the exit code of the well-known probe for this failure.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Arguments { .. } => 1,
            Self::Connection { .. } => 2,
            Self::Call { .. } => 3,
            Self::NotServing { .. } => 4,
        }
    }
}

/// Parses the arguments after the name of the program: `-addr`, `-service`, `-connect-timeout` and `-rpc-timeout`, with
/// one or two dashes, and the value after `=` or as the next argument. Durations have the format of Go (`1s`, `1m30s`,
/// `500ms`). Flags that only change the output are accepted. `-version` and `-help` take precedence over all other
/// flags before them.
///
/// # Errors
/// Returns an error if a flag is unknown, its value is missing or invalid, or no address is specified.
pub fn parse<I: IntoIterator<Item = String>>(arguments: I) -> Result<Request, ProbeError> {
    let mut probe = Probe {
        address: String::new(),
        service: String::new(),
        connect_timeout: Duration::from_secs(1),
        rpc_timeout: Duration::from_secs(1),
    };
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        let wrong = |reason| ProbeError::Arguments {
            flag: argument.clone(),
            reason,
        };
        let Some(flag) = argument.strip_prefix("--").or_else(|| argument.strip_prefix('-')) else {
            return Err(wrong("is not a flag"));
        };
        let (name, value) = match flag.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (flag, None),
        };
        match name {
            "v" => continue,
            "version" => return Ok(Request::Version),
            "h" | "help" => return Ok(Request::Help),
            _ => {}
        }
        if !["addr", "service", "connect-timeout", "rpc-timeout", "user-agent"].contains(&name) {
            return Err(wrong(
                "is not a flag of this probe; use -addr, -service, -connect-timeout, -rpc-timeout, -version or -help",
            ));
        }
        let value = value
            .or_else(|| arguments.next())
            .ok_or_else(|| wrong("needs a value"))?;
        let time = || match duration(&value) {
            Some(time) if time > Duration::ZERO => Ok(time),
            _ => Err(wrong("needs a duration greater than zero, such as 500ms or 1s")),
        };
        match name {
            "addr" => probe.address = value,
            "service" => probe.service = value,
            "connect-timeout" => probe.connect_timeout = time()?,
            "rpc-timeout" => probe.rpc_timeout = time()?,
            _ => {}
        }
    }
    if probe.address.is_empty() {
        return Err(ProbeError::Arguments {
            flag: "-addr".to_owned(),
            reason: "is required; use host:port, or :port for localhost",
        });
    }
    Ok(Request::Check(probe))
}

/// Parses a duration in the format of Go: a sequence of numbers with units.
fn duration(text: &str) -> Option<Duration> {
    const UNITS: [(&str, f64); 7] = [
        ("ns", 1e-9),
        ("us", 1e-6),
        ("µs", 1e-6),
        ("ms", 1e-3),
        ("s", 1.0),
        ("m", 60.0),
        ("h", 3600.0),
    ];
    if text == "0" {
        return Some(Duration::ZERO);
    }
    let mut seconds = 0.0;
    let mut rest = text.strip_prefix('+').unwrap_or(text);
    while !rest.is_empty() {
        let digits = rest.find(|character: char| !character.is_ascii_digit() && character != '.')?;
        let (number, behind) = rest.split_at_checked(digits)?;
        let end = behind
            .find(|character: char| character.is_ascii_digit() || character == '.')
            .unwrap_or(behind.len());
        let (unit, behind) = behind.split_at_checked(end)?;
        let (_, factor) = UNITS.iter().find(|(name, _)| *name == unit)?;
        seconds += number.parse::<f64>().ok()? * factor;
        rest = behind;
    }
    if text.is_empty() {
        return None;
    }
    Duration::try_from_secs_f64(seconds).ok()
}

/// Requests the health of the server. `Ok` means that the server is serving.
///
/// # Errors
/// Returns an error if no server answers, or the answer is not `SERVING`.
pub async fn probe(probe: &Probe) -> Result<(), ProbeError> {
    let unreachable = |reason: String| ProbeError::Connection {
        address: probe.address.clone(),
        timeout: probe.connect_timeout,
        reason,
    };
    let failed = |reason: String| ProbeError::Call {
        address: probe.address.clone(),
        reason,
    };
    let connected = timeout(probe.connect_timeout, connect(&probe.address)).await;
    let channel = match connected {
        Ok(Ok(channel)) => channel,
        Ok(Err(reason)) => return Err(unreachable(reason)),
        Err(_) => return Err(unreachable("the connection timed out".to_owned())),
    };
    let question = HealthCheckRequest {
        service: probe.service.clone(),
    };
    match timeout(probe.rpc_timeout, HealthClient::new(channel).check(question)).await {
        Ok(Ok(answer)) => match answer.into_inner().status() {
            ServingStatus::Serving => Ok(()),
            status => Err(ProbeError::NotServing { status }),
        },
        Ok(Err(status)) => Err(failed(match status.code() {
            Code::Unimplemented => "it has no service grpc.health.v1.Health".to_owned(),
            code => format!("{code:?}: {}", status.message()),
        })),
        Err(_) => Err(failed(format!("no answer within {} ms", probe.rpc_timeout.as_millis()))),
    }
}

async fn connect(address: &str) -> Result<tonic::transport::Channel, String> {
    let Some((host, port)) = address.rsplit_once(':') else {
        return Err("the address has no port".to_owned());
    };
    let port: u16 = port.parse().map_err(|_| "the port is not a number".to_owned())?;
    let addresses: Vec<SocketAddr> = if host.is_empty() || host == "localhost" {
        // A container whose image was built from scratch has no file that defines localhost.
        let loopback: [IpAddr; 2] = [Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()];
        loopback.map(|address| SocketAddr::new(address, port)).into()
    } else {
        let host = host.trim_start_matches('[').trim_end_matches(']');
        let found = tokio::net::lookup_host((host, port)).await;
        found.map_err(|error| error.to_string())?.collect()
    };
    let mut reason = "the host has no address".to_owned();
    for address in addresses {
        let endpoint = Endpoint::from_shared(format!("http://{address}")).map_err(|error| error.to_string())?;
        match endpoint.connect().await {
            Ok(channel) => return Ok(channel),
            Err(error) => reason = chain(&error),
        }
    }
    Err(reason)
}

/// Returns the message of the innermost cause, which describes the actual problem.
fn chain(error: &dyn std::error::Error) -> String {
    let mut innermost = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    innermost.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(arguments: &[&str]) -> Result<Request, ProbeError> {
        parse(arguments.iter().map(|argument| (*argument).to_owned()))
    }

    fn parsed(arguments: &[&str]) -> Result<Probe, ProbeError> {
        match asked(arguments)? {
            Request::Check(probe) => Ok(probe),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_version_and_the_help_need_no_address() {
        for (flag, expected) in [
            ("-version", Request::Version),
            ("--version", Request::Version),
            ("-help", Request::Help),
            ("--help", Request::Help),
            ("-h", Request::Help),
        ] {
            assert_eq!(asked(&["-v", flag]).unwrap(), expected, "{flag}");
        }
    }

    #[test]
    fn flags_are_parsed_like_go_flags() {
        let probe = parsed(&["-addr=:50051"]).unwrap();
        assert_eq!((probe.address.as_str(), probe.service.as_str()), (":50051", ""));
        assert_eq!(
            (probe.connect_timeout, probe.rpc_timeout),
            (Duration::from_secs(1), Duration::from_secs(1))
        );
        let flags = [
            "--addr",
            "localhost:1",
            "-service=api.Registry",
            "-connect-timeout",
            "250ms",
            "-v",
            "-rpc-timeout=1m30s",
        ];
        let probe = parsed(&flags).unwrap();
        assert_eq!(
            (probe.address.as_str(), probe.service.as_str()),
            ("localhost:1", "api.Registry")
        );
        assert_eq!(
            (probe.connect_timeout, probe.rpc_timeout),
            (Duration::from_millis(250), Duration::from_secs(90))
        );
    }

    #[test]
    fn invalid_flags_are_reported_and_exit_with_1() {
        for (arguments, said) in [
            (vec![], "-addr: is required"),
            (vec!["-addr"], "-addr: needs a value"),
            (vec!["-tls", "-addr=:1"], "-tls: is not a flag of this probe"),
            (vec!["addr"], "addr: is not a flag"),
            (vec!["-rpc-timeout=1"], "-rpc-timeout=1: needs a duration"),
            (vec!["-rpc-timeout="], "-rpc-timeout=: needs a duration"),
            (vec!["-rpc-timeout=1x"], "-rpc-timeout=1x: needs a duration"),
            (vec!["-rpc-timeout=0"], "-rpc-timeout=0: needs a duration"),
        ] {
            let error = parsed(&arguments).unwrap_err();
            assert!(error.to_string().starts_with(said), "{error}");
            assert_eq!(error.exit_code(), 1);
        }
    }
}
