//! Error messages about missing objects, in the wording of the reference servers. Do not change the messages: some
//! clients look for them.

use super::listing::Absent;
use crate::kubernetes::GroupVersionKind;
use std::fmt::Write as _;
use tonic::Status;

/// The reference server whose wording is used: the servers for databases and for files use different messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wording {
    Database,
    Files,
}

impl Wording {
    pub(super) fn package(self, name: &str) -> Status {
        Status::unknown(match self {
            Self::Database => format!("package {name} not found"),
            Self::Files => format!("package {} not found", quoted(name)),
        })
    }

    pub(super) fn bundle(self, absent: Absent, package: &str, channel: &str, name: &str) -> Status {
        Status::unknown(match (self, absent) {
            (Self::Database, _) => format!("no entry found for {package} {channel} {name}"),
            (Self::Files, Absent::Bundle) => format!(
                "package {}, channel {}, bundle {} not found",
                quoted(package),
                quoted(channel),
                quoted(name)
            ),
            (Self::Files, _) => return self.head(absent, package, channel),
        })
    }

    pub(super) fn head(self, absent: Absent, package: &str, channel: &str) -> Status {
        Status::unknown(match (self, absent) {
            (Self::Database, _) => format!("no entry found for {package} {channel}"),
            (Self::Files, Absent::Package) => return self.package(package),
            (Self::Files, _) => format!("package {}, channel {} not found", quoted(package), quoted(channel)),
        })
    }

    /// Returns the error for a bundle that nothing replaces in a channel; `absent` is set if the channel does not
    /// exist.
    pub(super) fn replacement(self, absent: Option<Absent>, package: &str, channel: &str) -> Status {
        Status::unknown(match (self, absent) {
            (Self::Database, _) => format!("no entry found for {package} {channel}"),
            (Self::Files, Some(Absent::Package)) => format!("package {package} not found"),
            (Self::Files, Some(absent)) => return self.head(absent, package, channel),
            (Self::Files, None) => {
                format!(
                    "no entry found for package {}, channel {}",
                    quoted(package),
                    quoted(channel)
                )
            }
        })
    }

    pub(super) fn providing(self, api: &GroupVersionKind) -> Status {
        Status::unknown(format!("no channel entries found that provide {}", self.api(api)))
    }

    /// Returns the error for an API that no default channel provides; `elsewhere` is set if the head of another channel
    /// provides it.
    pub(super) fn default_provider(self, api: &GroupVersionKind, elsewhere: bool) -> Status {
        match self {
            Self::Files if !elsewhere => self.providing(api),
            _ => Status::unknown(format!("no entry found that provides {}", self.api(api))),
        }
    }

    fn api(self, api: &GroupVersionKind) -> String {
        let GroupVersionKind { group, version, kind } = api;
        match self {
            Self::Database => api.to_string(),
            Self::Files => format!(
                "group:{} version:{} kind:{}",
                quoted(group),
                quoted(version),
                quoted(kind)
            ),
        }
    }
}

/// Returns the error for a bundle that nothing replaces in any channel; all servers use the same message.
pub(super) fn nothing_replaces(name: &str) -> Status {
    Status::unknown(format!("no channel entries found that replace {name}"))
}

/// Quotes a string in the same way as `%q` in Go.
fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for letter in text.chars() {
        match letter {
            '"' | '\\' => quoted.extend(['\\', letter]),
            '\x07' => quoted.push_str("\\a"),
            '\x08' => quoted.push_str("\\b"),
            '\x0c' => quoted.push_str("\\f"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            '\x0b' => quoted.push_str("\\v"),
            '\'' => quoted.push(letter),
            letter if is_shown(letter) => quoted.push(letter),
            letter => {
                let number = u32::from(letter);
                let _ = match number {
                    0..0x20 | 0x7f => write!(quoted, "\\x{number:02x}"),
                    ..0x10000 => write!(quoted, "\\u{number:04x}"),
                    _ => write!(quoted, "\\U{number:08x}"),
                };
            }
        }
    }
    quoted.push('"');
    quoted
}

/// Returns whether a character is visible or a plain space.
fn is_shown(letter: char) -> bool {
    // Go treats combining marks as visible, but `escape_debug` does so only after another character.
    let text = ['a', letter];
    String::from_iter(text).escape_debug().nth(1) == Some(letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_quoted_as_in_go() {
        for (text, expected) in [
            ("", r#""""#),
            ("a \"b\" \\", r#""a \"b\" \\""#),
            ("\u{7}\u{8}\u{c}\n\r\t\u{b}'", r#""\a\b\f\n\r\t\v'""#),
            (
                "\0\u{1f}\u{7f}\u{80}\u{a0}\u{ad}",
                r#""\x00\x1f\x7f\u0080\u00a0\u00ad""#,
            ),
            ("é界\u{301}😀", "\"é界\u{301}😀\""),
            ("\u{200b}\u{feff}\u{e000}\u{f0000}", r#""\u200b\ufeff\ue000\U000f0000""#),
        ] {
            assert_eq!(quoted(text), expected);
        }
    }
}
