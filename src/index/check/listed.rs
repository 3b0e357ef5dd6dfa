//! Lists several strings in one finding.

/// The maximum number of strings that one finding lists.
const LISTED: usize = 3;

/// Joins several strings for a message. Strings beyond the maximum are not listed, only counted.
pub(super) fn listed(texts: &[impl AsRef<str>]) -> String {
    let mut shown: Vec<String> = texts.iter().take(LISTED).map(|text| text.as_ref().to_owned()).collect();
    if texts.len() > LISTED {
        shown.push(format!("{} more", texts.len() - LISTED));
    }
    match shown.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => shown.concat(),
    }
}
