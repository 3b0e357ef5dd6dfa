//! Lifecycles of a package: the maintenance period of each minor version, and the platforms that this version supports.
//!
//! Each package has one document with its lifecycles. Consoles and the gRPC service `ExperimentalRegistry` pass on this
//! document unchanged.

use super::Schema;
use super::check::check_document;
use super::limits::CatalogLimits;
use crate::diagnostic::Diagnostic;
use crate::text;
use serde_json::Value;
use std::fmt;
use std::str::FromStr;

/// The only platform that any program reads.
pub const OPENSHIFT: &str = "openshift";

/// A phase of maintenance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Phase {
    /// The name of the phase, such as `Full support`.
    pub name: String,
    /// The first day of the phase, as `YYYY-MM-DD`.
    pub start_date: String,
    /// The last day of the phase.
    pub end_date: String,
}

/// The versions of a platform that an operator version supports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Platform {
    /// The name of the platform, such as `openshift`.
    pub name: String,
    /// The versions of the platform, as `MAJOR.MINOR`.
    pub versions: Vec<String>,
}

/// The lifecycles document in a file.
#[derive(Debug, Default)]
pub struct LifecycleFile {
    /// The faults in the document.
    pub findings: Vec<Diagnostic>,
    /// The package and the items of `versions`; `None` if the file does not contain a lifecycles document.
    pub document: Option<(String, Vec<Value>)>,
}

/// Reads a file that contains the lifecycles document of a package. `name` is the path in findings.
pub fn read_file(name: &str, bytes: &[u8], limits: CatalogLimits) -> LifecycleFile {
    let reading = text::read(name, bytes, &limits.of_document());
    let mut findings = reading.diagnostics;
    let [document] = &*reading.documents else {
        let document = None;
        return LifecycleFile { findings, document };
    };
    let text = |field: &str| document.value().get(field).and_then(Value::as_str);
    if text("schema") != Some(Schema::Lifecycles.name()) {
        let document = None;
        return LifecycleFile { findings, document };
    }
    findings.extend(check_document(document, limits));
    let versions = document.value().get("versions").and_then(Value::as_array);
    LifecycleFile {
        findings,
        document: Some((
            text("package").unwrap_or_default().to_owned(),
            versions.cloned().unwrap_or_default(),
        )),
    }
}

/// A version `MAJOR.MINOR`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MinorVersion {
    /// The first number.
    pub major: u64,
    /// The second number.
    pub minor: u64,
}

impl FromStr for MinorVersion {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let number = |text: &str| {
            let plain = text.bytes().all(|byte| byte.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
            plain.then(|| text.parse().ok()).flatten()
        };
        let parsed = text
            .split_once('.')
            .and_then(|(major, minor)| Some((number(major)?, number(minor)?)));
        let (major, minor) = parsed.ok_or("expected MAJOR.MINOR, such as 1.2")?;
        Ok(Self { major, minor })
    }
}

impl fmt::Display for MinorVersion {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}.{}", self.major, self.minor)
    }
}

/// A calendar day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date {
    year: u16,
    month: u8,
    day: u8,
}

impl Date {
    /// Returns the next day, or `None` after the year 9999.
    #[must_use]
    pub fn next(self) -> Option<Self> {
        if self.day < days(self.year, self.month) {
            return Some(Self {
                day: self.day + 1,
                ..self
            });
        }
        let (year, month) = match self.month {
            12 => (self.year + 1, 1),
            month => (self.year, month + 1),
        };
        (year <= 9999).then_some(Self { year, month, day: 1 })
    }
}

/// Returns the number of days in a month.
fn days(year: u16, month: u8) -> u8 {
    match month {
        2 if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

impl FromStr for Date {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let error = "expected a date as YYYY-MM-DD, such as 2026-01-31";
        let shape = text.bytes().enumerate().all(|(place, byte)| match place {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        });
        if text.len() != 10 || !shape {
            return Err(error);
        }
        let mut parts = text.split('-');
        let mut part = || {
            parts
                .next()
                .and_then(|part| part.parse::<u16>().ok())
                .unwrap_or_default()
        };
        let (year, month, day) = (part(), part(), part());
        let (month, day) = (month.try_into().unwrap_or(0_u8), day.try_into().unwrap_or(0_u8));
        if !(1..=12).contains(&month) || day == 0 || day > days(year, month) {
            return Err("the date does not exist");
        }
        Ok(Self { year, month, day })
    }
}

impl fmt::Display for Date {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn consecutive_days_are_recognized_across_months_and_leap_years() {
        let next = |day: &str| day.parse::<Date>().unwrap().next().map(|day| day.to_string());
        assert_eq!(next("2026-01-31").unwrap(), "2026-02-01");
        assert_eq!(next("2024-02-28").unwrap(), "2024-02-29");
        assert_eq!(next("2100-02-28").unwrap(), "2100-03-01");
        assert_eq!(next("2026-12-31").unwrap(), "2027-01-01");
        assert_eq!(next("9999-12-31"), None);
    }

    #[test]
    fn only_calendar_days_are_valid() {
        for wrong in [
            "",
            "2026-1-01",
            "2026-02-29",
            "2026-13-01",
            "2026-00-10",
            "2026-01-00",
            "26-01-01",
            "2026/01/01",
            "+026-01-01",
        ] {
            assert!(wrong.parse::<Date>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn versions_consist_of_two_numbers() {
        assert!("1.10".parse::<MinorVersion>().unwrap() > "1.9".parse().unwrap());
        for wrong in [
            "",
            "1",
            "1.",
            ".1",
            "1.2.3",
            "v1.2",
            "01.2",
            "1.x",
            "1.99999999999999999999",
        ] {
            assert!(wrong.parse::<MinorVersion>().is_err(), "{wrong}");
        }
    }
}
