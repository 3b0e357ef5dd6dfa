//! The support periods of versions, as listed in a catalog.

use super::csv_facts::Linked;
use crate::version::parse_tolerant;
use serde_json::Value;

/// All versions with the same major and minor number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line {
    /// The name, such as `1.8`.
    pub(super) name: String,
    pub(super) phases: Vec<Phase>,
    /// The platforms and their versions.
    pub(super) platforms: Vec<String>,
}

/// A period with one kind of support.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Phase {
    pub(super) name: String,
    /// The first day, such as `2026-01-31`.
    pub(super) start: String,
    /// The last day.
    pub(super) end: String,
}

/// Returns the support periods of a package, in the order of the document.
pub(super) fn lines(document: &Value) -> Vec<Line> {
    let list = |value: &Value, key: &str| value.get(key).and_then(Value::as_array).cloned().unwrap_or_default();
    let text = |value: &Value, key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let line = |version: &Value| {
        let phases = list(version, "phases");
        let phases = phases.iter().map(|phase| Phase {
            name: text(phase, "name"),
            start: text(phase, "startDate"),
            end: text(phase, "endDate"),
        });
        let platforms = list(version, "platformCompatibility");
        let platforms = platforms.iter().map(|platform| {
            let versions = list(platform, "versions");
            let versions: Vec<&str> = versions.iter().filter_map(Value::as_str).collect();
            format!("{} {}", text(platform, "name"), versions.join(", "))
        });
        Line {
            name: text(version, "name"),
            phases: phases.collect(),
            platforms: platforms.collect(),
        }
    };
    list(document, "versions").iter().map(line).collect()
}

/// Returns the facts about the support of a version.
pub(super) fn facts(lines: &[Line], version: &str) -> Vec<(&'static str, Vec<Linked>)> {
    let Some(version) = parse_tolerant(version) else {
        return Vec::new();
    };
    let name = format!("{}.{}", version.major, version.minor);
    let Some(line) = lines.iter().find(|line| line.name == name) else {
        return Vec::new();
    };
    let plain = |text: String| Linked { text, address: None };
    let phases = line
        .phases
        .iter()
        .map(|Phase { name, start, end }| plain(format!("{name} from {start} to {end}")));
    let platforms = line.platforms.iter().cloned().map(plain);
    let facts = [("Support phases", phases.collect()), ("Platforms", platforms.collect())];
    facts
        .into_iter()
        .filter(|(_, values): &(_, Vec<Linked>)| !values.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn versions_belong_to_the_lifecycle_of_their_major_and_minor_number() {
        let document = json!({"versions": [
            {"name": "1.8", "phases": [{"name": "Full support", "startDate": "2026-01-01", "endDate": "2026-06-30"}],
             "platformCompatibility": [{"name": "openshift", "versions": ["4.20", "4.21"]}]},
            {"name": "1.7"}, 7]});
        let lines = lines(&document);
        let rows: Vec<String> = facts(&lines, "1.8.3")
            .iter()
            .map(|(name, values)| format!("{name}: {}", values[0].text))
            .collect();
        assert_eq!(
            rows,
            [
                "Support phases: Full support from 2026-01-01 to 2026-06-30",
                "Platforms: openshift 4.20, 4.21"
            ]
        );
        assert!(
            facts(&lines, "1.7.0").is_empty() && facts(&lines, "2.0.0").is_empty() && facts(&lines, "x").is_empty()
        );
    }
}
