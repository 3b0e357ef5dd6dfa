//! Several texts, as one finding names them.

/// Texts that one finding names.
const LISTED: usize = 3;

/// Several texts as a message shows them, the rest of many by their number.
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
