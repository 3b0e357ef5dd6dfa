//! Places of findings and values.

use opmx::diagnostic::Diagnostic;
use opmx::source::Place;

/// Checks that every finding has a message of one line, and points into a file.
pub(super) fn of_findings<'a>(findings: impl IntoIterator<Item = &'a Diagnostic>) {
    for diagnostic in findings {
        let related = diagnostic.related.iter().map(|(place, _)| place);
        for place in diagnostic.place.iter().chain(related) {
            inside(place, diagnostic);
        }
        assert!(
            !diagnostic.message.is_empty() && !diagnostic.message.contains('\n'),
            "{diagnostic:?}"
        );
    }
}

/// Checks that the place is part of its text; `what` says whose place it is.
pub(super) fn inside(place: &Place, what: &impl std::fmt::Debug) {
    assert!(
        place.source.text().get(place.span.clone()).is_some(),
        "{what:?} stands outside of its file"
    );
    let (start, end) = (place.start(), place.end());
    assert!(
        (start.line, start.column) <= (end.line, end.column),
        "{what:?} ends before it begins"
    );
    assert!(
        start.line >= 1 && start.column >= 1,
        "{what:?} stands before the first line"
    );
    assert_eq!(Place::text(place), &place.source.text()[place.span.clone()]);
}
