//! The gate that a database passes before anything in it is read or changed: it is made of plain tables and indexes, so
//! that no statement on it computes more than it says, and of no more rows than its file has room for.
//!
//! What a schema can define beside them would run inside of the statements of this program, or of the next reader:
//! views, virtual tables, triggers but the two of the schema, computed columns, constraints and defaults with
//! expressions, indexes over expressions or parts of a table. No index has ever had them, and none is opened with them,
//! whatever the name. Plain tables and indexes of other names are carried along.

use super::guard::Budget;
use super::schema::{self, State};
use rusqlite::{Connection, ErrorCode};
use std::path::{Path, PathBuf};

/// Why a database is not opened.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotPlain {
    /// An object that runs when it is asked or when rows change.
    #[error("it defines the {kind} {name:?}")]
    Object {
        /// What it is.
        kind: &'static str,
        /// Its name.
        name: String,
    },
    /// A table with an expression in it.
    #[error("its table {name:?} has a computed column, or a constraint or default with an expression")]
    Table {
        /// The table.
        name: String,
    },
    /// An index with an expression in it.
    #[error("its index {name:?} covers an expression, or a part of its table only")]
    Index {
        /// The index.
        name: String,
    },
    /// More objects than anybody looks through.
    #[error("it defines more than {OBJECTS} tables and indexes")]
    Objects,
    /// A table or index that shows its pages many times over.
    #[error("its table or index {name:?} shows more rows than the file has room for")]
    Folded {
        /// The table or index.
        name: String,
    },
}

/// Why a file is not taken for an index, whoever opens it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    /// It holds nothing.
    #[error("{} is empty, as after a failed download", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// It is a database that defines more than tables.
    #[error("{} is refused: {reason}, and an index is made of plain tables", path.display())]
    NotPlain {
        /// The file.
        path: PathBuf,
        /// What it defines.
        reason: NotPlain,
    },
}

impl Unfit {
    pub(super) fn not_plain(path: &Path, reason: NotPlain) -> Self {
        let path = path.to_owned();
        Self::NotPlain { path, reason }
    }
}

/// The objects that the schema of an index may define; version 13 has 19 of them.
const OBJECTS: usize = 500;

/// What keeps a database out.
#[derive(Debug)]
pub(super) enum Refused {
    NotPlain(NotPlain),
    /// The engine cannot tell, as with a damaged file.
    Engine(rusqlite::Error),
}

impl From<rusqlite::Error> for Refused {
    fn from(error: rusqlite::Error) -> Self {
        Self::Engine(error)
    }
}

/// What the open database is, if it may be read and changed. The caller makes sure that it does not change meanwhile.
pub(super) fn admit(connection: &Connection, budget: &Budget) -> Result<State, Refused> {
    let objects = objects(connection)?;
    if objects.len() > OBJECTS {
        return Err(Refused::NotPlain(NotPlain::Objects));
    }
    for object in &objects {
        check_definition(object).map_err(Refused::NotPlain)?;
    }
    // From here on statements can name these tables: none of them is a view.
    let bytes = size(connection)?;
    for object in &objects {
        check_size(connection, budget, object, bytes)?;
    }
    budget.renew();
    Ok(schema::state(connection)?)
}

/// A row of the table of the schema.
#[derive(Debug)]
struct Object {
    kind: String,
    name: String,
    table: String,
    /// Absent for the indexes that keys bring along.
    definition: Option<String>,
}

fn objects(connection: &Connection) -> rusqlite::Result<Vec<Object>> {
    let mut query = connection.prepare("SELECT type, name, tbl_name, sql FROM sqlite_master")?;
    let objects = query.query_map([], |row| {
        Ok(Object {
            kind: row.get(0)?,
            name: row.get(1)?,
            table: row.get(2)?,
            definition: row.get(3)?,
        })
    })?;
    objects.take(OBJECTS + 1).collect()
}

fn check_definition(object: &Object) -> Result<(), NotPlain> {
    let name = || object.name.clone();
    let words = tokens(object.definition.as_deref().unwrap_or_default());
    let has = |word: &str| words.iter().any(|token| token.is_word(word));
    let kind = match object.kind.as_str() {
        "table" if words.get(1).is_some_and(|token| token.is_word("table")) => {
            let default = words.windows(2).any(|pair| {
                pair.first().is_some_and(|token| token.is_word("default")) && pair.get(1) == Some(&Token::Sign('('))
            });
            if default || has("check") || has("as") || has("generated") {
                return Err(NotPlain::Table { name: name() });
            }
            return Ok(());
        }
        "index" => {
            return if is_plain_index(&words) {
                Ok(())
            } else {
                Err(NotPlain::Index { name: name() })
            };
        }
        "trigger" if schema::triggers().any(|known| tokens(known) == words) => return Ok(()),
        "trigger" => "trigger",
        "view" => "view",
        "table" => "virtual table",
        _ => "unknown object",
    };
    Err(NotPlain::Object { kind, name: name() })
}

/// Whether the columns of an index are names, each with a collation and an order at most, of all rows of its table.
fn is_plain_index(words: &[Token]) -> bool {
    let Some(open) = words.iter().position(|token| *token == Token::Sign('(')) else {
        // An index of a key.
        return words.is_empty();
    };
    let (_, columns) = words.split_at(open + 1);
    let Some((Token::Sign(')'), columns)) = columns.split_last() else {
        return false;
    };
    columns.split(|token| *token == Token::Sign(',')).all(|column| {
        let column = match column {
            [column @ .., last] if last.is_word("asc") || last.is_word("desc") => column,
            column => column,
        };
        match column {
            [name] => name.is_name(),
            [name, collate, collation] => name.is_name() && collate.is_word("collate") && collation.is_name(),
            _ => false,
        }
    })
}

/// The bytes of the whole file, as the engine sees it.
fn size(connection: &Connection) -> rusqlite::Result<u64> {
    let number = |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let bytes = number("page_count")?.saturating_mul(number("page_size")?);
    Ok(bytes.try_into().unwrap_or_default())
}

/// Makes sure that a table or an index has its rows and values in the file, each at a place of its own: a page that is
/// the child of many others, or the rest of many values, is the seed of an endless table. Only the sizes of values are
/// read, which stand in the heads of rows.
fn check_size(connection: &Connection, budget: &Budget, object: &Object, bytes: u64) -> Result<(), Refused> {
    let (columns, by) = match object.kind.as_str() {
        "table" => ("pragma_table_info", "NOT INDEXED".to_owned()),
        "index" => ("pragma_index_info", format!("INDEXED BY {}", quoted(&object.name))),
        _ => return Ok(()),
    };
    let mut query = connection.prepare(&format!(
        "SELECT name FROM {columns}(?1, 'main') WHERE name IS NOT NULL"
    ))?;
    let columns = query.query_map([&object.name], |row| row.get::<_, String>(0))?;
    let sizes = columns.map(|name| Ok(format!(", total(octet_length({}))", quoted(&name?))));
    let sizes: String = sizes.collect::<rusqlite::Result<_>>()?;
    // A row takes four bytes at least, and up to three steps for each of its columns.
    budget.grant(bytes.saturating_mul(20).saturating_add(1_000_000));
    let sql = format!("SELECT count(1){sizes} FROM main.{} {by}", quoted(&object.table));
    let mut statement = connection.prepare(&sql)?;
    let columns = statement.column_count();
    let total = statement.query_row([], |row| {
        (0..columns).try_fold(0.0, |sum, column| Ok(sum + row.get::<_, f64>(column)?))
    });
    let folded = || {
        Refused::NotPlain(NotPlain::Folded {
            name: object.name.clone(),
        })
    };
    match total {
        // A number may be longer as text than as it is stored.
        #[expect(
            clippy::cast_precision_loss,
            reason = "the sizes of real files are exact, and others merely large"
        )]
        Ok(total) if total > 4.0 * bytes as f64 => Err(folded()),
        Ok(_) => Ok(()),
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::OperationInterrupted) => Err(folded()),
        // Damage ends every look at the table here, and is told by whoever needs it.
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseCorrupt) => Ok(()),
        Err(error) => Err(Refused::Engine(error)),
    }
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// A part of a definition.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    /// A keyword, a name or a number, in small letters.
    Word(String),
    /// A name in quotes, in small letters.
    Name(String),
    /// A string.
    Text(String),
    Sign(char),
}

impl Token {
    fn is_word(&self, word: &str) -> bool {
        matches!(self, Self::Word(text) if text == word)
    }

    fn is_name(&self) -> bool {
        matches!(self, Self::Word(_) | Self::Name(_))
    }
}

/// The parts of a definition, without white space and comments.
fn tokens(definition: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = definition;
    while let Some(first) = rest.chars().next() {
        let (token, length) = match first {
            _ if first.is_ascii_whitespace() => (None, 1),
            // A byte order mark, which the engine passes over.
            '\u{feff}' => (None, first.len_utf8()),
            '-' if rest.starts_with("--") => (None, rest.find('\n').unwrap_or(rest.len())),
            '/' if rest.starts_with("/*") => (
                None,
                rest.get(2..)
                    .and_then(|rest| rest.find("*/"))
                    .map_or(rest.len(), |end| end + 4),
            ),
            '\'' | '"' | '`' | '[' => {
                let (text, length) = within_quotes(rest, if first == '[' { ']' } else { first });
                let token = if first == '\'' {
                    Token::Text(text)
                } else {
                    Token::Name(text.to_ascii_lowercase())
                };
                (Some(token), length)
            }
            _ if is_word(first) => {
                let length = rest.find(|character| !is_word(character)).unwrap_or(rest.len());
                let word = rest.get(..length).unwrap_or_default();
                (Some(Token::Word(word.to_ascii_lowercase())), length)
            }
            sign => (Some(Token::Sign(sign)), sign.len_utf8()),
        };
        tokens.extend(token);
        rest = rest.get(length..).unwrap_or_default();
    }
    tokens
}

fn is_word(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '_' || character == '$' || !character.is_ascii()
}

/// What stands in quotes at the beginning, where two closing ones stand for one, and how long it is with its quotes.
fn within_quotes(text: &str, close: char) -> (String, usize) {
    let mut content = String::new();
    let mut characters = text.char_indices().skip(1).peekable();
    while let Some((at, character)) = characters.next() {
        if character != close {
            content.push(character);
        } else if close != ']' && characters.next_if(|(_, next)| *next == close).is_some() {
            content.push(close);
        } else {
            return (content, at + 1);
        }
    }
    (content, text.len())
}

#[cfg(test)]
mod tests;
