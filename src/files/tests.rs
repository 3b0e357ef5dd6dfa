use super::*;
use crate::causes::with_causes;

pub(super) fn names(directory: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn a_dropped_replacement_leaves_the_old_file() {
    let directory = tempfile::tempdir().unwrap();
    let target = directory.path().join("index.db");
    write(&target, b"old").unwrap();
    let mut replacement = Replacement::new(&target).unwrap();
    replacement.file().write_all(b"half").unwrap();
    drop(replacement);
    assert_eq!(fs::read(&target).unwrap(), b"old");
    assert_eq!(names(directory.path()), ["index.db"]);
}

#[test]
fn a_new_file_does_not_replace_an_existing_one() {
    let directory = tempfile::tempdir().unwrap();
    let target = directory.path().join("a");
    write_new(&target, b"1").unwrap();
    assert!(write_new(&target, b"2").is_err());
    assert_eq!(fs::read(&target).unwrap(), b"1");
    assert_eq!(names(directory.path()), ["a"]);
}

#[test]
fn concurrent_replacements_use_their_own_files() {
    let directory = tempfile::tempdir().unwrap();
    let target = directory.path().join("index.db");
    std::thread::scope(|scope| {
        for number in 0..4 {
            let target = &target;
            scope.spawn(move || {
                for round in 0..200 {
                    let content = format!("{number} {round}");
                    let mut replacement = Replacement::new(target).unwrap();
                    replacement.file().write_all(content.as_bytes()).unwrap();
                    assert_eq!(fs::read_to_string(replacement.path()).unwrap(), content);
                    if round % 2 == 0 {
                        replacement.commit().unwrap();
                    }
                }
            });
        }
    });
    assert_eq!(names(directory.path()), ["index.db"]);
}

#[test]
fn known_content_is_tied_to_the_file_itself() {
    let directory = tempfile::tempdir().unwrap();
    let (target, link) = (directory.path().join("a.yaml"), directory.path().join("b.yaml"));
    fs::write(&target, "old").unwrap();
    std::os::unix::fs::symlink("a.yaml", &link).unwrap();
    require_content(&target, b"old").unwrap();
    assert!(require_content(&target, b"other").is_err());
    assert!(require_content(&link, b"old").is_err());
}

#[test]
fn leftovers_of_a_dead_process_are_removed_and_files_in_use_kept() {
    let directory = tempfile::tempdir().unwrap();
    let target = directory.path().join("index.db");
    fs::write(directory.path().join(".index.db.opmx-1-0123456789abcdef"), "dead").unwrap();
    let in_use = Replacement::new(&target).unwrap();
    write(&target, b"new").unwrap();
    assert!(in_use.path().exists());
    assert_eq!(names(directory.path()).len(), 2);
    drop(in_use);
    assert_eq!(names(directory.path()), ["index.db"]);
}

#[test]
fn similarly_named_files_of_a_user_are_kept() {
    let directory = tempfile::tempdir().unwrap();
    let target = directory.path().join("index.db");
    for name in [".index.db.opmx-notes", ".index.db.opmx-1-0", ".index.db.opmx-"] {
        fs::write(directory.path().join(name), "mine").unwrap();
    }
    let link = directory.path().join(".index.db.opmx-1-0123456789abcdef");
    std::os::unix::fs::symlink(".index.db.opmx-notes", link).unwrap();
    let before = names(directory.path());
    write(&target, b"new").unwrap();
    fs::remove_file(&target).unwrap();
    assert_eq!(names(directory.path()), before);
}

#[test]
fn only_regular_files_are_replaced() {
    let directory = tempfile::tempdir().unwrap();
    let link = directory.path().join("null");
    std::os::unix::fs::symlink("/dev/null", &link).unwrap();
    let error = with_causes(&write(&link, b"new").unwrap_err());
    assert!(error.ends_with("null: it is a device, not a regular file"), "{error}");
    assert!(write(directory.path(), b"new").is_err());
    assert_eq!(names(directory.path()), ["null"]);
}

#[test]
fn a_new_folder_is_created_behind_a_dangling_link_or_in_an_empty_folder() {
    use std::os::unix::fs::symlink;
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    fs::create_dir(at("empty")).unwrap();
    for target in ["empty", "absent"] {
        let link = at(&format!("to-{target}"));
        symlink(target, &link).unwrap();
        let new = NewFolder::new(&link).unwrap();
        fs::write(new.path().join("file"), "new").unwrap();
        new.commit().unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink(), "{target}");
        assert_eq!(names(&at(target)), ["file"]);
        assert!(
            matches!(NewFolder::new(&link), Err(NewFolderError::Taken { .. })),
            "{target}"
        );
    }
    assert_eq!(names(directory.path()), ["absent", "empty", "to-absent", "to-empty"]);
}

#[test]
fn a_link_is_followed_only_under_an_explicit_name() {
    let directory = tempfile::tempdir().unwrap();
    let link = directory.path().join("link");
    std::os::unix::fs::symlink("file", &link).unwrap();
    let usual = link.to_str().unwrap();
    assert_eq!(behind_links_unless(usual, &link).unwrap(), link);
    assert_eq!(
        behind_links_unless("plan.json", &link).unwrap(),
        directory.path().join("file")
    );
}

#[test]
fn a_path_is_resolved_through_all_its_links() {
    use std::os::unix::fs::symlink;
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    fs::create_dir(at("folder")).unwrap();
    symlink("folder/second", at("first")).unwrap();
    symlink("../file", at("folder/second")).unwrap();
    symlink("loop", at("loop")).unwrap();
    for file in ["absent", "there"] {
        assert_eq!(behind_links(&at("first")).unwrap(), at("folder/../file"), "{file}");
        write(&behind_links(&at("first")).unwrap(), file.as_bytes()).unwrap();
        assert_eq!(fs::read_to_string(at("file")).unwrap(), file);
    }
    assert_eq!(behind_links(&at("file")).unwrap(), at("file"));
    assert!(behind_links(&at("loop")).is_err());
    write(&at("first"), b"new").unwrap();
    assert!(fs::symlink_metadata(at("first")).unwrap().is_file());
    assert_eq!(fs::read_to_string(at("file")).unwrap(), "there");
    assert_eq!(names(directory.path()), ["file", "first", "folder", "loop"]);
}

#[test]
fn names_too_long_for_a_temporary_suffix_are_still_written() {
    let directory = tempfile::tempdir().unwrap();
    let name = "ä".repeat(127);
    write(&directory.path().join(&name), b"new").unwrap();
    write_new(&directory.path().join("b".repeat(255)), b"new").unwrap();
    assert_eq!(names(directory.path()), ["b".repeat(255), name]);
}

#[test]
fn a_file_keeps_its_mode_and_is_never_more_accessible_while_written() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    let directory = tempfile::tempdir().unwrap();
    let target = directory.path().join("index.db");
    let mode = |path: &Path| fs::metadata(path).unwrap().mode() & 0o777;
    for kept in [0o600, 0o640, 0o666, 0o444, 0o755, 0o400] {
        let _ = fs::remove_file(&target);
        fs::write(&target, "old").unwrap();
        fs::set_permissions(&target, fs::Permissions::from_mode(kept)).unwrap();
        let mut replacement = Replacement::new(&target).unwrap();
        assert_eq!(mode(replacement.path()), 0o600, "{kept:o}");
        replacement.file().write_all(b"new").unwrap();
        replacement.commit().unwrap();
        assert_eq!(mode(&target), kept, "{kept:o}");
    }
    let fresh = directory.path().join("fresh");
    fs::write(&fresh, "").unwrap();
    write(&directory.path().join("new.db"), b"new").unwrap();
    assert_eq!(mode(&directory.path().join("new.db")), mode(&fresh));
}
