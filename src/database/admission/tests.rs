use super::super::guard::{STEPS, guard};
use super::*;

/// Returns the result of the check of an index after some statements.
fn admitted(statements: &str) -> Result<State, Refused> {
    let mut connection = Connection::open_in_memory().unwrap();
    schema::create(&connection, 0).unwrap();
    connection
        .execute_batch(statements)
        .unwrap_or_else(|error| panic!("{statements}: {error}"));
    let budget = guard(&mut connection, STEPS).unwrap();
    admit(&connection, &budget)
}

fn refused(statements: &str) -> NotPlain {
    match admitted(statements) {
        Err(Refused::NotPlain(why)) => why,
        other => panic!("{statements}: {other:?}"),
    }
}

#[test]
fn an_index_with_additional_plain_tables_and_indexes_is_admitted() {
    for statements in [
        "",
        "CREATE TABLE notes (a TEXT DEFAULT 'as (check)', \"check\" INT DEFAULT -1, [as] DEFAULT CURRENT_TIMESTAMP)",
        "CREATE TABLE notes (a TEXT PRIMARY KEY, b UNIQUE) WITHOUT ROWID; INSERT INTO notes VALUES ('a', 1)",
        "CREATE TABLE notes (a /* CHECK (a) */ TEXT, -- AS (1)\n b INTEGER PRIMARY KEY AUTOINCREMENT)",
        "CREATE TABLE \"no \"\"tes\" (\"a \"\"b\" TEXT PRIMARY KEY); INSERT INTO \"no \"\"tes\" VALUES (1)",
        "CREATE INDEX more ON channel_entry (package_name COLLATE NOCASE DESC, \"channel_name\", [depth] ASC)",
        "CREATE INDEX \"mo\"\"re\" ON properties (type); ANALYZE",
        "INSERT INTO api VALUES ('g', 'v', 'k', printf('%5000d', 1)); INSERT INTO channel_entry (depth) VALUES (1), (0)",
    ] {
        match admitted(statements) {
            Ok(state) => assert_eq!(state, State::Index(schema::VERSION)),
            Err(error) => panic!("{statements}: {error:?}"),
        }
    }
}

#[test]
fn executable_schema_objects_are_rejected_whatever_their_name() {
    for (statements, expected) in [
        ("CREATE VIEW v AS SELECT 1", "it defines the view \"v\""),
        (
            "DROP TABLE package; CREATE VIEW \"Package\" AS SELECT 1 AS name",
            "it defines the view \"Package\"",
        ),
        (
            "CREATE TRIGGER t AFTER INSERT ON package BEGIN DELETE FROM package; END",
            "it defines the trigger \"t\"",
        ),
        (
            "DROP TRIGGER api_provider_cleanup;
            CREATE TRIGGER api_provider_cleanup AFTER INSERT ON package BEGIN DELETE FROM package; END",
            "it defines the trigger \"api_provider_cleanup\"",
        ),
        (
            "PRAGMA writable_schema = ON;
            INSERT INTO sqlite_schema VALUES ('table', 'f', 'f', 0, 'CREATE VIRTUAL TABLE f USING fts5(x)')",
            "it defines the virtual table \"f\"",
        ),
        (
            "CREATE VIEW \"a\u{1b}[31m\u{202e}\n\" AS SELECT 1",
            "it defines the view \"a\\u{1b}[31m\\u{202e}\\n\"",
        ),
    ] {
        let expected = format!("{expected}; opmx accepts only databases that consist of plain tables and indexes");
        assert_eq!(refused(statements).to_string(), expected);
    }
    let many: String = (0..500).map(|number| format!("CREATE TABLE t{number} (x);")).collect();
    assert_eq!(refused(&many), NotPlain::Objects);
}

#[test]
fn tables_and_indexes_with_expressions_are_rejected() {
    for definition in [
        "a TEXT, b AS (a || a)",
        "a TEXT, b GENERATED ALWAYS AS (length(a)) STORED",
        "a TEXT CHECK (a LIKE '%a%b')",
        "a TEXT, CONSTRAINT c CHECK(length(a) < 5)",
        "a TEXT \u{feff}CHECK (a <> '')",
        "a TEXT /*/ */ CHECK (a <> '')",
        "a DEFAULT (hex(zeroblob(1000)))",
        "a DEFAULT/**/(1)",
    ] {
        let why = refused(&format!("CREATE TABLE t ({definition})"));
        assert_eq!(why, NotPlain::Table { name: "t".to_owned() }, "{definition}");
    }
    for index in [
        "(lower(name))",
        "(name || '')",
        "(name, -depth)",
        "(name) WHERE depth > 1",
        "(name LIKE 'a')",
    ] {
        let why = refused(&format!("CREATE TABLE t (name, depth); CREATE INDEX i ON t {index}"));
        assert_eq!(why, NotPlain::Index { name: "i".to_owned() }, "{index}");
    }
}

/// Writes a file whose only table has a single leaf page below `depth` inner pages, each of which refers forty times to
/// the page below it.
fn folded(path: &std::path::Path, depth: usize) {
    let connection = Connection::open(path).unwrap();
    connection
        .execute_batch("PRAGMA page_size = 512; PRAGMA foreign_keys = 0")
        .unwrap();
    schema::create(&connection, 0).unwrap();
    connection
        .execute_batch(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40)
            INSERT INTO related_image SELECT 'image', 'bundle' FROM n;
            CREATE TABLE spare (x); INSERT INTO spare VALUES (zeroblob(20000)); ",
        )
        .unwrap();
    let root = |table: &str| -> usize {
        let sql = "SELECT rootpage FROM sqlite_master WHERE name = ?1";
        let page: i64 = connection.query_row(sql, [table], |row| row.get(0)).unwrap();
        usize::try_from(page).unwrap()
    };
    let (root, spare) = (root("related_image"), root("spare"));
    let bytes = std::fs::read(path).unwrap();
    drop(connection);
    let mut pages: Vec<Vec<u8>> = bytes.chunks(512).map(<[u8]>::to_vec).collect();
    assert_eq!(pages[root - 1][0], 5, "the root is an inner page");
    let child = |page: &[u8], cell: usize| {
        let at = usize::from(u16::from_be_bytes([page[12 + 2 * cell], page[13 + 2 * cell]]));
        u32::from_be_bytes([page[at], page[at + 1], page[at + 2], page[at + 3]])
    };
    let leaf = child(&pages[root - 1], 0);
    let mut below = leaf;
    // The overflow pages of the long value become inner pages, each with forty identical children.
    for level in 0..depth {
        let number = if level + 1 == depth { root } else { spare + 1 + level };
        let mut page = vec![0_u8; 512];
        page[0] = 5;
        page[3..5].copy_from_slice(&40_u16.to_be_bytes());
        page[8..12].copy_from_slice(&below.to_be_bytes());
        for cell in 0..40_usize {
            let at = 512 - 5 * (cell + 1);
            page[at..at + 4].copy_from_slice(&below.to_be_bytes());
            page[at + 4] = u8::try_from(cell).unwrap();
            page[12 + 2 * cell..14 + 2 * cell].copy_from_slice(&u16::try_from(at).unwrap().to_be_bytes());
        }
        page[5..7].copy_from_slice(&u16::try_from(512 - 5 * 40).unwrap().to_be_bytes());
        pages[number - 1] = page;
        below = u32::try_from(number).unwrap();
    }
    std::fs::write(path, pages.concat()).unwrap();
}

#[test]
fn a_table_with_shared_pages_is_rejected() {
    let folder = tempfile::tempdir().unwrap();
    for depth in [3, 12] {
        let path = folder.path().join(format!("{depth}.db"));
        folded(&path, depth);
        let mut connection = Connection::open(&path).unwrap();
        let budget = guard(&mut connection, STEPS).unwrap();
        match admit(&connection, &budget) {
            Err(Refused::NotPlain(NotPlain::Folded { name })) => assert_eq!(name, "related_image"),
            other => panic!("{depth}: {other:?}"),
        }
    }
}
