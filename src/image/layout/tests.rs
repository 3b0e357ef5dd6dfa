use super::*;
use crate::image::layout_writer::tests::image;
use crate::image::layout_writer::write_layout;

#[test]
fn an_index_that_has_not_changed_is_parsed_once() {
    let directory = tempfile::tempdir().unwrap();
    write_layout(&image("one", false), directory.path(), Some("v1")).unwrap();
    let layouts = Layouts::default();
    let entries = |tag| layouts.open(directory.path(), tag).unwrap().entries;
    assert!(Arc::ptr_eq(&entries(Some("v1")), &entries(None)));
}

#[test]
fn a_change_of_the_index_is_seen_by_the_next_read() {
    let directory = tempfile::tempdir().unwrap();
    let layouts = Layouts::default();
    for content in ["one", "two"] {
        let written = image(content, false);
        write_layout(&written, directory.path(), Some("v1")).unwrap();
        assert_eq!(
            layouts.state(directory.path(), Some("v1")).unwrap(),
            TagState::Image(written.digest())
        );
    }
}
