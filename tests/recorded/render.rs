//! Indexes and bundles rendered as file-based catalogs, compared with the output of the reference.

use flate2::read::GzDecoder;
use opmx::catalog::BundleId;
use opmx::catalog::difference::{Kind, difference};
use opmx::catalog::file_based::Blob;
use opmx::catalog::file_based::limits::CatalogLimits;
use opmx::catalog::file_based::load::load;
use opmx::catalog::file_based::read::FileBasedCatalog;
use opmx::catalog::file_based::write::{Language, write};
use opmx::database::change::{self, Target};
use opmx::database::read::Database;
use opmx::index::import::{ImportError, NotKept, Part, import};
use opmx::index::intake::{Recording, prepare};
use opmx::index::location::CatalogFolder;
use opmx::index::render::{RenderOptions, RenderedIndex, render_record};
use opmx::olm::property::DEPRECATED;
use opmx::text::Limits;
use opmx::tree::{Tree, TreeLimits};
use opmx::validation::Strictness;
use serde_json::Value;
use std::fs::{self, File};
use std::io;
use std::path::Path;

const DATABASES: [&str; 4] = [
    "inline-dependencies-cleared",
    "replaces-single",
    "skips-truncated-many-channels",
    "two-packages-skiprange",
];
const BUNDLES: [&str; 2] = ["bundle-image-etcd", "bundle-image-eventing-kogito"];
const CATALOGS: [&str; 3] = [
    "inline-and-dependencies",
    "replaces-three-channels",
    "skips-and-truncation",
];

/// The documents that differ from the reference, which loses dependencies of unknown types.
const KEPT: [(&str, &str, &str); 1] = [(
    "inline-dependencies-cleared",
    "eventing-kogito.v1.2.0",
    "olm.constraint",
)];

/// The catalog of a database, one string per document.
fn rendered(database: &Path) -> Vec<String> {
    let index = Database::open(database).unwrap();
    let rendered = RenderedIndex::new(index, RenderOptions::default()).unwrap();
    let items = rendered.items();
    assert!(items.is_sorted_by_key(|item| rendered.key(*item)));
    let blobs = items.into_iter().map(|item| rendered.blob(item).unwrap().unwrap());
    blobs.map(|blob| text(&blob)).collect()
}

fn text(blob: &Blob) -> String {
    let mut out = Vec::new();
    write(blob, Language::Json, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// The documents of a recorded catalog.
fn recorded(folder: &Path) -> Vec<String> {
    let text = fs::read_to_string(folder.join("render.json")).unwrap();
    let documents = text.split_inclusive("\n}\n");
    documents.map(str::to_owned).collect()
}

/// A document without the property that the reference loses; `None` if it has no such property.
fn without(document: &str, kind: &str) -> Option<Value> {
    let mut document: Value = serde_json::from_str(document).unwrap();
    let properties = document["properties"].as_array_mut()?;
    let before = properties.len();
    properties.retain(|property| property["type"] != kind);
    (properties.len() + 1 == before).then_some(document)
}

#[test]
fn databases_are_rendered_like_the_reference_without_losing_dependencies() {
    let Some(goldens) = crate::shared::folder("goldens/render") else {
        return;
    };
    let workplace = tempfile::tempdir().unwrap();
    let (mut equal, mut kept) = (0, 0);
    for case in DATABASES {
        let database = workplace.path().join(format!("{case}.db"));
        let packed = File::open(goldens.join(case).join("index.db.gz")).unwrap();
        io::copy(&mut GzDecoder::new(packed), &mut File::create(&database).unwrap()).unwrap();
        let before = fs::read(&database).unwrap();
        let (ours, theirs) = (rendered(&database), recorded(&goldens.join(case)));
        assert!(
            fs::read(&database).unwrap() == before,
            "{case}: the database was changed"
        );
        assert_eq!(ours.len(), theirs.len(), "{case}");
        for (ours, theirs) in ours.iter().zip(&theirs) {
            if ours == theirs {
                equal += 1;
                continue;
            }
            let expected: Value = serde_json::from_str(theirs).unwrap();
            let row = KEPT
                .iter()
                .find(|(in_case, name, _)| *in_case == case && expected["name"] == *name);
            let (_, _, kind) = row.unwrap_or_else(|| panic!("{case}: {ours}\n--- recorded\n{theirs}"));
            assert_eq!(without(ours, kind).unwrap(), expected, "{case}");
            kept += 1;
        }
    }
    assert_eq!(kept, KEPT.len());
    println!(
        "{} databases: {equal} documents equal byte for byte, {kept} keep what the reference loses",
        DATABASES.len()
    );
}

#[test]
fn a_database_and_its_catalog_from_the_reference_have_the_same_content() {
    let Some(goldens) = crate::shared::folder("goldens/render") else {
        return;
    };
    let workplace = tempfile::tempdir().unwrap();
    let mut bundles = 0;
    for case in DATABASES {
        let database = workplace.path().join(format!("{case}.db"));
        let packed = File::open(goldens.join(case).join("index.db.gz")).unwrap();
        io::copy(&mut GzDecoder::new(packed), &mut File::create(&database).unwrap()).unwrap();
        let stored = Database::open(&database).unwrap().catalog().unwrap();
        let files = goldens.join(case).join("render.json");
        let files = FileBasedCatalog::open(&files, CatalogLimits::default()).unwrap();
        let loaded = load(&files).unwrap();
        let mut found = difference(&stored, &loaded.catalog);
        // The reference leaves out bundles of no channel, and deprecated ones with their entries.
        let channels = stored.packages.iter().flat_map(|package| &package.channels);
        let listed: Vec<BundleId> = channels
            .flat_map(|channel| &channel.entries)
            .map(|entry| entry.bundle)
            .collect();
        let left_out = |name: &str| {
            let id = stored.find(name).unwrap();
            let mut properties = stored.bundle(id).unwrap().properties.iter();
            !listed.contains(&id) || properties.any(|property| &*property.kind == DEPRECATED)
        };
        found.bundles.retain(|bundle| {
            let is_kept = |row: &(&str, &str, &str)| row.0 == case && row.1 == bundle.name;
            !(KEPT.iter().any(is_kept) || bundle.kind == Kind::Removed && left_out(&bundle.name))
        });
        for package in &mut found.packages {
            for channel in &mut package.channels {
                channel
                    .entries
                    .retain(|entry| entry.kind != Kind::Removed || !left_out(&entry.bundle));
            }
            package
                .channels
                .retain(|channel| !channel.entries.is_empty() || channel.head.is_some());
        }
        found
            .packages
            .retain(|package| !package.channels.is_empty() || package.default_channel.is_some());
        assert!(found.is_empty(), "{case}: {found:#?}");
        bundles += loaded.catalog.bundles.len();
    }
    println!("{bundles} bundles of {} databases", DATABASES.len());
}

#[test]
fn bundles_are_rendered_like_the_reference() {
    let Some(goldens) = crate::shared::folder("goldens/render") else {
        return;
    };
    for case in BUNDLES {
        let folder = goldens.join(case);
        let image = fs::read_to_string(folder.join("image.txt")).unwrap();
        let tree = Tree::from_directory(&folder.join("bundle"), &TreeLimits::default()).unwrap();
        let recording = Recording {
            reference: Some(image.trim()),
            ..Recording::default()
        };
        let prepared = prepare(&tree, recording, &Limits::default(), &Strictness::default()).unwrap();
        let blob = render_record(&prepared.record, RenderOptions::default()).unwrap();
        let [expected] = recorded(&folder).try_into().unwrap();
        assert_eq!(text(&Blob::Bundle(blob)), expected, "{case}");
    }
    println!("{} bundles equal byte for byte", BUNDLES.len());
}

#[test]
fn catalogs_are_written_as_read_and_have_the_same_content_in_yaml() {
    let Some(goldens) = crate::shared::folder("goldens/grpc") else {
        return;
    };
    let mut documents = 0;
    for case in CATALOGS {
        let folder = tempfile::tempdir().unwrap();
        let mut recorded = Vec::new();
        let packed = File::open(goldens.join(case).join("catalog.json.gz")).unwrap();
        io::copy(&mut GzDecoder::new(packed), &mut recorded).unwrap();
        fs::write(folder.path().join("catalog.json"), &recorded).unwrap();
        assert!(written(folder.path(), Language::Json) == recorded, "{case}");
        let yaml = written(folder.path(), Language::Yaml);
        fs::write(folder.path().join("catalog.json"), yaml).unwrap();
        let again = written(folder.path(), Language::Json);
        let values = |bytes: &[u8]| -> Vec<Value> {
            let stream = serde_json::Deserializer::from_slice(bytes).into_iter();
            stream.map(Result::unwrap).collect()
        };
        let values = (values(&again), values(&recorded));
        assert!(values.0 == values.1, "{case}");
        documents += values.0.len();
    }
    println!("{documents} documents of {} catalogs", CATALOGS.len());
}

/// The catalog in a folder, written again.
fn written(folder: &Path, language: Language) -> Vec<u8> {
    let catalog = FileBasedCatalog::open(folder, CatalogLimits::default()).unwrap();
    let mut out = Vec::new();
    for handle in &catalog.handles {
        write(&catalog.document(handle).unwrap(), language, &mut out).unwrap();
    }
    out
}

/// Content of the databases of these cases that a catalog cannot represent, or that an index of that catalog cannot
/// store.
fn round_trip(database: &Path, workplace: &Path, name: &str) -> Option<Vec<NotKept>> {
    let folder = workplace.join(format!("{name}.fbc"));
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("catalog.json"), rendered(database).concat()).unwrap();
    let target = workplace.join(format!("{name}.back.db"));
    let copy = Target::Copy {
        from: None,
        to: &target,
        shown: &target,
    };
    let not_kept = match import(
        &CatalogFolder::from(&*folder),
        CatalogLimits::default(),
        &Strictness::default(),
        &copy,
        &change::ChangeOptions::default(),
    ) {
        Ok(imported) => imported.not_kept,
        // Some recorded databases are no valid catalogs.
        Err(ImportError::Findings { .. }) => return None,
        Err(error) => panic!("{name}: {error}"),
    };
    assert_eq!(rendered(&target).len(), rendered(database).len(), "{name}");
    let named = |part: &Part| matches!(part, Part::Graph(_));
    if !not_kept.iter().any(|not_kept| named(&not_kept.part)) {
        assert!(rendered(&target) == rendered(database), "{name}");
    }
    Some(not_kept)
}

#[test]
fn databases_keep_their_graphs_when_converted_to_a_catalog_and_back() {
    let Some(goldens) = crate::shared::folder("goldens") else {
        return;
    };
    let workplace = tempfile::tempdir().unwrap();
    let mut recorded: Vec<_> = walkdir::WalkDir::new(goldens)
        .into_iter()
        .map(|entry| entry.unwrap().into_path())
        .filter(|path| path.to_str().unwrap().ends_with(".db.gz"))
        .collect();
    recorded.sort();
    let (mut kept, mut invalid, mut named) = (0, 0, 0);
    for (number, path) in recorded.iter().enumerate() {
        let database = workplace.path().join(format!("{number}.db"));
        io::copy(
            &mut GzDecoder::new(File::open(path).unwrap()),
            &mut File::create(&database).unwrap(),
        )
        .unwrap();
        match round_trip(&database, workplace.path(), &number.to_string()) {
            None => invalid += 1,
            Some(parts) => {
                kept += 1;
                named += parts.len();
                for part in parts {
                    println!("{}: {part}", path.display());
                }
            }
        }
    }
    println!("{kept} databases came back, {named} parts of them named as not kept; {invalid} are no valid catalogs");
    assert!(kept >= 6, "{kept} {invalid}");
}
