//! The target of a mirror: a registry and a path in it.

use crate::image::Reference;
use std::fmt;
use std::str::FromStr;

/// A registry and the path prefix of the images in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target(String);

/// The error for a string that is not a mirror target.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{text:?} is not a mirror target: expected REGISTRY[/PREFIX]{}, such as mirror.example.com:5000/operators",
    if *in_capitals { " in lowercase letters" } else { "" }
)]
pub struct TargetError {
    /// The rejected string.
    pub text: String,
    /// Whether the string would be accepted in lowercase letters.
    pub in_capitals: bool,
}

impl FromStr for Target {
    type Err = TargetError;

    fn from_str(text: &str) -> Result<Self, TargetError> {
        let fail = || TargetError {
            text: text.to_owned(),
            in_capitals: text.contains(char::is_uppercase) && text.to_lowercase().parse::<Self>().is_ok(),
        };
        // As in references to images.
        let place = text.strip_prefix("docker://").unwrap_or(text).trim_end_matches('/');
        let host = place.split('/').next().unwrap_or_default();
        // A tag or digest would appear in the middle of the image names.
        let rest = place.strip_prefix(host).unwrap_or_default();
        let is_host = host == "localhost" || host.contains(['.', ':']);
        if !is_host || rest.contains([':', '@']) {
            return Err(fail());
        }
        match format!("{place}/image:tag").parse() {
            Ok(Reference::Registry(parsed)) if parsed.registry() == host => Ok(Self(place.to_owned())),
            _ => Err(fail()),
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_a_registry_with_a_path() {
        for text in ["localhost", "localhost:5000", "mirror.example.com/a/b/"] {
            assert_eq!(text.parse::<Target>().unwrap().to_string(), text.trim_end_matches('/'));
        }
        let with_transport: Target = "docker://mirror.example.com/a".parse().unwrap();
        assert_eq!(with_transport.to_string(), "mirror.example.com/a");
        for text in [
            "",
            "/",
            "docker://",
            "a",
            "a/b",
            "mirror.example.com/a:v1",
            "mirror.example.com/A",
            "oci:dir",
            "mirror.example.com/a=b",
        ] {
            assert!(text.parse::<Target>().is_err(), "{text:?}");
        }
        let error = "mirror.example.com/A".parse::<Target>().unwrap_err().to_string();
        assert!(
            error.contains("expected REGISTRY[/PREFIX] in lowercase letters"),
            "{error}"
        );
    }
}
