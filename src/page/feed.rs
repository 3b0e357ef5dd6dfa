//! Recent versions in a catalog, as an Atom feed.

use super::frame::{File, Site};
use super::model::{Model, Release};
use super::path::short_digest;
use askama::Template;
use jiff::Timestamp;
use jiff::civil::{Date, DateTime, Time};
use jiff::tz::TimeZone;

/// The maximum number of versions in a feed.
const MOST: usize = 50;

/// A version in the feed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) created: Timestamp,
    pub(super) updated: String,
    pub(super) title: String,
    pub(super) summary: String,
    pub(super) id: String,
    pub(super) path: String,
}

#[derive(Template)]
#[template(path = "page/feed.xml")]
struct Feed<'a> {
    site: &'a Site,
    base: &'a str,
    id: String,
    updated: String,
    entries: &'a [Entry],
}

/// Returns the most recent of those versions of a package that specify a creation time.
pub(super) fn entries(model: &Model<'_>) -> Vec<Entry> {
    let mut entries: Vec<Entry> = model
        .versions
        .iter()
        .filter_map(|version| entry(model, version))
        .collect();
    latest(&mut entries);
    entries
}

/// Keeps the most recently created entries.
pub(super) fn latest(entries: &mut Vec<Entry>) {
    entries.sort_by(|one, other| other.created.cmp(&one.created).then_with(|| one.path.cmp(&other.path)));
    entries.truncate(MOST);
}

fn entry(model: &Model<'_>, version: &Release) -> Option<Entry> {
    let created = created(&version.facts.created_at)?;
    let name = format!("{}/{}", model.package.name, version.name);
    Some(Entry {
        created,
        updated: created.to_string(),
        title: format!("{} {}", model.display_name(), version.version),
        summary: version.facts.summary.clone(),
        id: format!("urn:opmx:{}", short_digest(name.as_bytes())),
        path: version.path.clone(),
    })
}

/// Dates with the name of the month. Dates such as 7/12/2021 are ambiguous.
const IN_WORDS: [&str; 4] = ["%b %d, %Y", "%B %d, %Y", "%d %b %Y", "%d %B %Y"];

/// Parses the time in an annotation, which authors write in several forms. A time without a zone is in UTC.
pub(super) fn created(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    let zoned = || text.parse::<Timestamp>().ok();
    let local = || {
        let in_words = || {
            let mut dates = IN_WORDS.iter().filter_map(|format| Date::strptime(format, text).ok());
            dates.next().map(|date| date.to_datetime(Time::midnight()))
        };
        let local = text.parse::<DateTime>().ok().or_else(in_words)?;
        Some(local.to_zoned(TimeZone::UTC).ok()?.timestamp())
    };
    zoned().or_else(local)
}

/// Renders the feed.
///
/// # Errors
/// Returns an error if the template cannot be rendered.
pub(super) fn feed(site: &Site, entries: &[Entry]) -> Result<File, askama::Error> {
    let filled = Feed {
        base: &site.base,
        id: format!(
            "urn:opmx:{}",
            short_digest(format!("{} {}", site.title, site.base).as_bytes())
        ),
        updated: entries
            .first()
            .map_or_else(|| Timestamp::UNIX_EPOCH.to_string(), |entry| entry.updated.clone()),
        site,
        entries,
    };
    Ok(("feed.xml".to_owned(), filled.render()?.into_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_time_formats_are_parsed() {
        let time_of = |text: &str| created(text).map(|time| time.to_string());
        assert_eq!(time_of("2023-05-01T10:00:00Z").as_deref(), Some("2023-05-01T10:00:00Z"));
        assert_eq!(time_of("2023-05-01 10:00:00").as_deref(), Some("2023-05-01T10:00:00Z"));
        assert_eq!(time_of(" 2023-05-01 ").as_deref(), Some("2023-05-01T00:00:00Z"));
        assert_eq!(
            time_of("2023-05-01T10:00:00+02:00").as_deref(),
            Some("2023-05-01T08:00:00Z")
        );
        assert_eq!(time_of("Jan 2, 2019").as_deref(), Some("2019-01-02T00:00:00Z"));
        assert_eq!(time_of("2 January 2019").as_deref(), Some("2019-01-02T00:00:00Z"));
        for unknown in ["yesterday", "07/12/2021", "99/99/9999"] {
            assert_eq!(time_of(unknown), None);
        }
    }
}
