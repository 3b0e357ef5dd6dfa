use super::super::tests::names;
use super::super::{FolderOutput, place};
use super::pending::{Pending, pending_change, pending_changes};
use super::*;
use crate::causes::with_causes;
use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt;

const OLD: [(&str, &str); 3] = [("a.yaml", "a"), ("m/b.yaml", "b"), ("m/mine.txt", "mine")];
const NEW: [(&str, &str); 4] = [
    ("a.yaml", "A"),
    ("m/b.yaml", "B"),
    ("m/c.yaml", "C"),
    ("n/deep/d.yaml", "D"),
];

fn files_of(folder: &Path) -> BTreeMap<String, String> {
    let entries = walkdir::WalkDir::new(folder).into_iter().map(Result::unwrap);
    let files = entries.filter(|entry| !entry.file_type().is_dir());
    let files = files.map(|file| {
        let path = file.path().strip_prefix(folder).unwrap().to_str().unwrap().to_owned();
        (path, fs::read_to_string(file.path()).unwrap())
    });
    files.collect()
}

fn map(files: &[(&str, &str)]) -> BTreeMap<String, String> {
    let files = files
        .iter()
        .map(|(path, text)| ((*path).to_owned(), (*text).to_owned()));
    files.collect()
}

fn new_state() -> BTreeMap<String, String> {
    let mut state = map(&OLD);
    state.extend(map(&NEW));
    state
}

fn bytes<'c>(files: &'c [(&'c str, &'c str)]) -> impl Iterator<Item = (&'c str, &'c [u8])> {
    files.iter().map(|(path, text)| (*path, text.as_bytes()))
}

fn old_folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    place(folder.path(), bytes(&OLD)).unwrap();
    folder
}

/// Returns a folder in the state left by a process that was killed after its change took effect and `moved` files were
/// moved.
fn half_done(moved: &[&str]) -> tempfile::TempDir {
    half_done_with(moved, None)
}

fn half_done_with(moved: &[&str], mut other: Option<Replacement>) -> tempfile::TempDir {
    let folder = old_folder();
    let change = FolderChange::new(folder.path()).unwrap();
    place(change.path(), bytes(&NEW)).unwrap();
    let mut record = Record {
        inode: inode(&metadata(&change.staging).unwrap()),
        replaced: BTreeMap::new(),
        removed: BTreeMap::new(),
        outside: other.as_ref().map(|other| Outside::new(other).unwrap()),
    };
    if let Some(other) = &mut other {
        other.keep();
    }
    record.look(&change.files, folder.path(), "").unwrap();
    fs::write(change.staging.join(RECORD), serde_json::to_vec(&record).unwrap()).unwrap();
    let journal = folder.path().join(JOURNAL);
    fs::rename(&change.staging, &journal).unwrap();
    for path in moved {
        fs::rename(journal.join(FILES).join(path), folder.path().join(path)).unwrap();
    }
    drop(change);
    folder
}

fn read(folder: &Path) -> BTreeMap<String, String> {
    let pending = pending_change(folder).unwrap();
    let mut files = files_of(folder);
    files.retain(|path, _| !pending.hides(OsStr::new(path.split('/').next().unwrap())));
    for (path, staged) in pending.files() {
        files.insert(path.to_owned(), fs::read_to_string(staged).unwrap());
    }
    files
}

#[test]
fn all_files_change_together_and_others_are_kept() {
    let folder = old_folder();
    fs::set_permissions(folder.path().join("a.yaml"), fs::Permissions::from_mode(0o640)).unwrap();
    let change = FolderChange::new(folder.path()).unwrap();
    place(change.path(), bytes(&NEW)).unwrap();
    assert_eq!(
        read(folder.path()),
        map(&OLD),
        "a change that does not count is not seen"
    );
    change.commit().unwrap();
    assert_eq!(files_of(folder.path()), new_state());
    let mode = fs::metadata(folder.path().join("a.yaml")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
    assert_eq!(names(folder.path()), ["a.yaml", "m", "n"]);
}

#[test]
fn a_nearby_change_of_a_parent_folder_is_completed() {
    let folder = half_done(&["a.yaml"]);
    let inside = folder.path().join("m/of/it");
    fs::create_dir_all(&inside).unwrap();
    finish_changes_above(&inside, 2).unwrap();
    assert_ne!(files_of(folder.path()), new_state());
    finish_changes_above(&inside, 3).unwrap();
    assert_eq!(files_of(folder.path()), new_state());
    finish_changes_above(&folder.path().join("absent"), 3).unwrap();
}

#[test]
fn a_dropped_change_leaves_nothing() {
    let folder = old_folder();
    let change = FolderChange::new(folder.path()).unwrap();
    place(change.path(), bytes(&NEW)).unwrap();
    drop(change);
    assert_eq!(files_of(folder.path()), map(&OLD));
    assert_eq!(names(folder.path()), ["a.yaml", "m"]);
}

#[test]
fn a_committed_change_is_read_as_done_and_completed_by_the_next_one() {
    for moved in [&[][..], &["a.yaml"], &["a.yaml", "m/b.yaml", "n"]] {
        let folder = half_done(moved);
        assert_eq!(read(folder.path()), new_state(), "{moved:?}");
        finish_change(folder.path()).unwrap();
        assert_eq!(files_of(folder.path()), new_state(), "{moved:?}");
        assert_eq!(names(folder.path()), ["a.yaml", "m", "n"], "{moved:?}");

        let folder = half_done(moved);
        let next = FolderChange::new(folder.path()).unwrap();
        place(next.path(), bytes(&[("a.yaml", "newer")])).unwrap();
        next.commit().unwrap();
        let mut expected = new_state();
        expected.insert("a.yaml".to_owned(), "newer".to_owned());
        assert_eq!(files_of(folder.path()), expected, "{moved:?}");
    }
}

#[test]
fn a_file_outside_the_folder_changes_together_with_it() {
    let elsewhere = tempfile::tempdir().unwrap();
    let file = elsewhere.path().join("Dockerfile");
    let prepared = |text: &str| super::super::prepare(&file, text.as_bytes()).unwrap();
    let folder = old_folder();
    let change = |text: &str| {
        let change = FolderChange::new(folder.path()).unwrap();
        place(change.path(), bytes(&[("a.yaml", text)])).unwrap();
        change.commit_with(prepared(text)).unwrap();
    };
    for text in ["first", "second"] {
        change(text);
        assert_eq!(fs::read_to_string(&file).unwrap(), text);
        assert_eq!(fs::read_to_string(folder.path().join("a.yaml")).unwrap(), text);
        assert_eq!(names(elsewhere.path()), ["Dockerfile"]);
    }
    // An error in the folder also stops the change outside.
    let stuck = FolderChange::new(folder.path()).unwrap();
    place(stuck.path(), bytes(&[("a.yaml/x", "third")])).unwrap();
    stuck.commit_with(prepared("third")).unwrap_err();
    assert_eq!(fs::read_to_string(&file).unwrap(), "second");
    assert_eq!(names(elsewhere.path()), ["Dockerfile"]);
    // If a change has taken effect, both parts are finished.
    for before in [Some("old"), None] {
        match before {
            Some(text) => fs::write(&file, text).unwrap(),
            None => fs::remove_file(&file).unwrap(),
        }
        let folder = half_done_with(&[], Some(prepared("new")));
        assert_eq!(fs::read_to_string(&file).ok().as_deref(), before);
        finish_change(folder.path()).unwrap();
        assert_eq!(files_of(folder.path()), new_state());
        assert_eq!(fs::read_to_string(&file).unwrap(), "new");
        assert_eq!(names(elsewhere.path()), ["Dockerfile"]);
    }
}

#[test]
fn a_file_outside_the_folder_that_was_changed_since_is_kept() {
    let elsewhere = tempfile::tempdir().unwrap();
    let file = elsewhere.path().join("Dockerfile");
    fs::write(&file, "old").unwrap();
    let folder = half_done_with(&[], Some(super::super::prepare(&file, b"new").unwrap()));
    fs::write(&file, "edited").unwrap();
    finish_change(folder.path()).unwrap();
    assert_eq!(files_of(folder.path()), new_state());
    assert_eq!(fs::read_to_string(&file).unwrap(), "edited");
    assert_eq!(names(elsewhere.path()), ["Dockerfile"]);
}

#[test]
fn outside_the_folder_only_the_prepared_file_is_moved() {
    for forged in ["notes", "../other", ".profile.opmx-1-0123456789abcdef"] {
        let elsewhere = tempfile::tempdir().unwrap();
        let file = elsewhere.path().join("Dockerfile");
        let folder = half_done_with(&[], Some(super::super::prepare(&file, b"new").unwrap()));
        // A record forged by an attacker who knows the inode of the folder.
        let path = folder.path().join(JOURNAL).join(RECORD);
        let mut record: Record = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        let outside = serde_json::to_value(&record.outside).unwrap();
        let waiting = outside["waiting"].as_str().unwrap();
        fs::rename(elsewhere.path().join(waiting), elsewhere.path().join("notes")).unwrap();
        fs::write(elsewhere.path().join(".profile.opmx-1-0123456789abcdef"), "theirs").unwrap();
        let mut outside = outside.clone();
        outside["waiting"] = forged.into();
        record.outside = serde_json::from_value(outside).unwrap();
        fs::write(&path, serde_json::to_vec(&record).unwrap()).unwrap();
        finish_change(folder.path()).unwrap();
        assert!(!file.exists(), "{forged}");
        assert_eq!(names(elsewhere.path()).len(), 2, "{forged}");
    }
}

#[test]
fn a_folder_created_in_vain_is_removed() {
    let parent = tempfile::tempdir().unwrap();
    let change = FolderChange::new(&parent.path().join("made")).unwrap();
    place(change.path(), bytes(&NEW)).unwrap();
    drop(change);
    assert_eq!(names(parent.path()), [""; 0]);
}

#[test]
fn files_changed_since_are_kept() {
    let folder = half_done(&[]);
    fs::write(folder.path().join("a.yaml"), "edited").unwrap();
    fs::write(folder.path().join("m/c.yaml"), "made").unwrap();
    let mut expected = new_state();
    expected.extend(map(&[("a.yaml", "edited"), ("m/c.yaml", "made")]));
    assert_eq!(read(folder.path()), expected);
    finish_change(folder.path()).unwrap();
    assert_eq!(files_of(folder.path()), expected);
}

#[test]
fn a_journal_created_elsewhere_is_not_trusted() {
    let made = half_done(&[]);
    let folder = old_folder();
    // The state after a checkout or the extraction of an archive.
    for (path, text) in files_of(made.path())
        .iter()
        .filter(|(path, _)| path.starts_with(JOURNAL))
    {
        fs::create_dir_all(folder.path().join(path).parent().unwrap()).unwrap();
        fs::write(folder.path().join(path), text).unwrap();
    }
    let before = files_of(folder.path());
    assert_eq!(read(folder.path()), before);
    finish_change(folder.path()).unwrap();
    let change = FolderChange::new(folder.path()).unwrap();
    place(change.path(), bytes(&NEW)).unwrap();
    let error = with_causes(&change.commit().unwrap_err());
    assert!(
        error.ends_with(".opmx-changes in this folder was not created by opmx; move it away"),
        "{error}"
    );
    assert_eq!(files_of(folder.path()), before);
}

#[test]
fn a_change_whose_record_cannot_be_read_is_an_error_and_not_a_foreign_folder() {
    let folder = half_done(&[]);
    let record = folder.path().join(JOURNAL).join(RECORD);
    let mut longer = fs::read(&record).unwrap();
    longer.resize(RECORD_LIMIT + 1, b' ');
    fs::write(&record, longer).unwrap();
    let before = files_of(folder.path());
    for error in [
        pending_change(folder.path()).unwrap_err(),
        finish_change(folder.path()).unwrap_err(),
        FolderChange::new(folder.path()).unwrap_err(),
    ] {
        assert_eq!(error.path, record);
        let error = with_causes(&error);
        assert!(error.ends_with("the content is larger than 67108864 bytes"), "{error}");
    }
    assert_eq!(files_of(folder.path()), before);
}

#[test]
fn a_journal_reaches_nothing_outside_and_follows_no_links() {
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("b.yaml"), "theirs").unwrap();
    let folder = half_done(&[]);
    fs::remove_dir_all(folder.path().join("m")).unwrap();
    std::os::unix::fs::symlink(outside.path(), folder.path().join("m")).unwrap();
    let waiting = folder.path().join(JOURNAL).join(FILES);
    std::os::unix::fs::symlink("/etc", waiting.join("etc")).unwrap();
    assert!(
        pending_change(folder.path())
            .unwrap()
            .files()
            .all(|(path, _)| !path.starts_with("m/"))
    );
    finish_change(folder.path()).unwrap();
    assert_eq!(files_of(outside.path()), map(&[("b.yaml", "theirs")]));
    assert_eq!(names(folder.path()), ["a.yaml", "m", "n"]);
}

#[test]
fn obstacles_are_found_before_anything_changes() {
    for (path, reason) in [
        ("a.yaml/x", "expected a folder, but found a file"),
        ("m", "expected a file, but found a folder"),
        (
            "link",
            "expected a file, but found a symbolic link, which is not followed here",
        ),
        (
            "link/x",
            "expected a folder, but found a symbolic link, which is not followed here",
        ),
    ] {
        let folder = old_folder();
        std::os::unix::fs::symlink("a.yaml", folder.path().join("link")).unwrap();
        let before = files_of(folder.path());
        let change = FolderChange::new(folder.path()).unwrap();
        place(change.path(), bytes(&[("A", "new"), (path, "new")])).unwrap();
        let error = with_causes(&change.commit().unwrap_err());
        assert!(error.ends_with(reason), "{error}");
        assert_eq!(files_of(folder.path()), before);
    }
}

#[test]
fn concurrent_changes_are_serialized() {
    let folder = old_folder();
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let folder = folder.path();
            scope.spawn(move || {
                for round in 0..5 {
                    let text = format!("{writer} {round}");
                    let change = FolderChange::new(folder).unwrap();
                    place(change.path(), bytes(&[("a.yaml", &text), ("m/b.yaml", &text)])).unwrap();
                    change.commit().unwrap();
                }
            });
        }
    });
    let files = files_of(folder.path());
    assert_eq!(files["a.yaml"], files["m/b.yaml"]);
    assert!(files["a.yaml"].ends_with(" 4"), "{files:?}");
    assert_eq!(names(folder.path()), ["a.yaml", "m"]);
}

#[test]
fn an_empty_folder_is_replaced_with_its_permissions_and_a_full_one_kept() {
    let parent = tempfile::tempdir().unwrap();
    let write = |folder: &Path| {
        let output = FolderOutput::new(folder).unwrap();
        let is_new = matches!(output, FolderOutput::New(_));
        place(output.path(), bytes(&NEW)).unwrap();
        output.commit().unwrap();
        is_new
    };
    let [absent, empty, full, link] = ["absent", "empty", "full", "link"].map(|name| parent.path().join(name));
    assert!(write(&absent));
    fs::create_dir(&empty).unwrap();
    fs::set_permissions(&empty, fs::Permissions::from_mode(0o750)).unwrap();
    assert!(write(&empty));
    assert_eq!(fs::metadata(&empty).unwrap().permissions().mode() & 0o777, 0o750);
    place(&full, bytes(&OLD)).unwrap();
    assert!(!write(&full));
    assert_eq!(files_of(&full), new_state());
    fs::create_dir(parent.path().join("linked")).unwrap();
    std::os::unix::fs::symlink("linked", &link).unwrap();
    assert!(!write(&link));
    for folder in [&absent, &empty, &link] {
        assert_eq!(files_of(&folder.canonicalize().unwrap()), map(&NEW));
    }
    assert_eq!(names(parent.path()), ["absent", "empty", "full", "link", "linked"]);
}

#[test]
fn files_are_removed_with_the_change_and_so_are_emptied_folders() {
    let folder = old_folder();
    let mut change = FolderChange::new(folder.path()).unwrap();
    place(change.path(), bytes(&[("a.yaml", "new")])).unwrap();
    let gone: Vec<&str> = OLD
        .iter()
        .map(|(path, _)| *path)
        .filter(|path| *path != "a.yaml")
        .collect();
    for path in gone {
        change.remove(path);
    }
    change.commit().unwrap();
    assert_eq!(files_of(folder.path()), map(&[("a.yaml", "new")]));
    assert_eq!(names(folder.path()), ["a.yaml"]);
}

/// Leaves a folder as a process does that was killed after the removal of a file took effect, and before the file went.
fn half_removed(folder: &Path, path: &str) {
    let mut change = FolderChange::new(folder).unwrap();
    change.remove(path);
    let mut record = Record {
        inode: inode(&metadata(&change.staging).unwrap()),
        replaced: BTreeMap::new(),
        removed: BTreeMap::new(),
        outside: None,
    };
    record.look_at_removed(&change.removed, folder).unwrap();
    fs::write(change.staging.join(RECORD), serde_json::to_vec(&record).unwrap()).unwrap();
    fs::rename(&change.staging, folder.join(JOURNAL)).unwrap();
}

#[test]
fn a_folder_emptied_before_a_kill_is_removed_with_the_change() {
    let folder = old_folder();
    place(folder.path(), bytes(&[("n/deep/d.yaml", "d")])).unwrap();
    half_removed(folder.path(), "n/deep/d.yaml");
    fs::remove_file(folder.path().join("n/deep/d.yaml")).unwrap();
    fs::remove_dir(folder.path().join("n/deep")).unwrap();
    finish_change(folder.path()).unwrap();
    assert_eq!(names(folder.path()), ["a.yaml", "m"]);
}

#[test]
fn a_folder_replaced_by_a_link_is_not_removed_with_its_file() {
    let folder = old_folder();
    place(folder.path(), bytes(&[("n/d.yaml", "d")])).unwrap();
    half_removed(folder.path(), "n/d.yaml");
    fs::remove_dir_all(folder.path().join("n")).unwrap();
    let outside = tempfile::tempdir().unwrap();
    fs::create_dir(outside.path().join("empty")).unwrap();
    std::os::unix::fs::symlink(outside.path().join("empty"), folder.path().join("n")).unwrap();
    finish_change(folder.path()).unwrap();
    assert_eq!(names(outside.path()), ["empty"]);
    assert_eq!(names(folder.path()), ["a.yaml", "m", "n"]);
}

#[test]
fn a_committed_removal_is_read_as_done_unless_the_file_was_changed() {
    for changed in [false, true] {
        let folder = old_folder();
        half_removed(folder.path(), "a.yaml");
        if changed {
            fs::write(folder.path().join("a.yaml"), "mine").unwrap();
        }
        assert_eq!(pending_change(folder.path()).unwrap().removes("a.yaml"), !changed);
        finish_change(folder.path()).unwrap();
        assert_eq!(folder.path().join("a.yaml").exists(), changed);
    }
}

#[test]
fn only_files_inside_the_folder_can_be_removed() {
    let folder = old_folder();
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("file"), "x").unwrap();
    std::os::unix::fs::symlink(outside.path(), folder.path().join("link")).unwrap();
    let escape = format!("../{}/file", outside.path().file_name().unwrap().to_str().unwrap());
    for path in ["link/file", "link", "m", "absent", &escape, ""] {
        let mut change = FolderChange::new(folder.path()).unwrap();
        change.remove(path);
        change.commit().unwrap_err();
    }
    assert!(outside.path().join("file").exists());
}

#[test]
fn a_nearby_change_of_a_parent_folder_is_read() {
    for moved in [&[][..], &["m/c.yaml"]] {
        let folder = half_done(moved);
        let inside = folder.path().join("m");
        let waiting = |levels| -> Vec<(String, String)> {
            let pending = pending_changes(&inside, levels).unwrap();
            let files = pending.files().map(|(path, waiting)| {
                assert_eq!(Pending::inside(&inside, waiting), Some(Path::new(path)));
                (path.to_owned(), fs::read_to_string(waiting).unwrap())
            });
            files.collect()
        };
        let all = map(&[("b.yaml", "B"), ("c.yaml", "C")]).into_iter();
        let all: Vec<_> = all.filter(|(path, _)| moved.is_empty() || path != "c.yaml").collect();
        assert_eq!(waiting(1), all);
        assert!(waiting(0).is_empty());
    }
}
