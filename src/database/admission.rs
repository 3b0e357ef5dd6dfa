//! The check that a database must pass before its content is read or changed. The database must consist of plain tables
//! and indexes, so that statements have no hidden effects. No table or index may report more rows than fit into the
//! file.
//!
//! Other schema objects would run inside the statements of this program, or of the next program that reads the
//! database. These objects are views, virtual tables, triggers other than the two of the schema, computed columns,
//! constraints and defaults with expressions, and indexes over expressions or over part of a table. No index has ever
//! contained them, so a database that contains one of them is refused, regardless of its name. Plain tables and indexes
//! are accepted under any name.

use super::guard::Budget;
use super::schema::{self, State};
use rusqlite::{Connection, ErrorCode};
use std::path::{Path, PathBuf};

/// A reason to refuse the schema of a database.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotPlain {
    /// An object that runs when it is queried or when rows change.
    #[error("it defines the {kind} {name:?}; {PLAIN}")]
    Object {
        /// The kind of the object.
        kind: &'static str,
        /// The name of the object.
        name: String,
    },
    /// A table that contains an expression.
    #[error("its table {name:?} has a computed column, or a constraint or default with an expression; {PLAIN}")]
    Table {
        /// The table.
        name: String,
    },
    /// An index that contains an expression.
    #[error("its index {name:?} covers an expression or only part of its table; {PLAIN}")]
    Index {
        /// The index.
        name: String,
    },
    /// The schema has more objects than the limit.
    #[error("it defines more than {OBJECTS} tables and indexes")]
    Objects,
    /// A table or index that refers to the same pages many times.
    #[error("its table or index {name:?} reports more rows than fit into the file")]
    Folded {
        /// The table or index.
        name: String,
    },
}

/// A reason to reject a file as an index.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unfit {
    /// The file is empty.
    #[error("{} is empty, possibly because of a failed download", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// The database does not consist of plain tables and indexes, has too many of them, or reports too many rows.
    #[error("{} is refused because {reason}", path.display())]
    NotPlain {
        /// The file.
        path: PathBuf,
        /// The reason for the refusal.
        reason: NotPlain,
    },
}

impl Unfit {
    pub(super) fn not_plain(path: &Path, reason: NotPlain) -> Self {
        let path = path.to_owned();
        Self::NotPlain { path, reason }
    }
}

/// The maximum number of objects that the schema of an index may define; schema version 13 defines 19.
const OBJECTS: usize = 500;

/// The part of a message that explains why an object or a definition is refused.
const PLAIN: &str = "opmx accepts only databases that consist of plain tables and indexes";

/// A reason to refuse a database.
#[derive(Debug)]
pub(super) enum Refused {
    NotPlain(NotPlain),
    /// SQLite reports an error, for example because the file is damaged.
    Engine(rusqlite::Error),
}

impl From<rusqlite::Error> for Refused {
    fn from(error: rusqlite::Error) -> Self {
        Self::Engine(error)
    }
}

/// Returns the state of the open database, or an error if the database must not be read or changed. The caller ensures
/// that the database does not change during the check.
pub(super) fn admit(connection: &Connection, budget: &Budget) -> Result<State, Refused> {
    let objects = objects(connection)?;
    if objects.len() > OBJECTS {
        return Err(Refused::NotPlain(NotPlain::Objects));
    }
    for object in &objects {
        check_definition(object).map_err(Refused::NotPlain)?;
    }
    // From here on, statements can name these tables, because none of them is a view.
    let bytes = size(connection)?;
    for object in &objects {
        check_size(connection, budget, object, bytes)?;
    }
    budget.renew();
    Ok(schema::state(connection)?)
}

/// A row of the schema table.
#[derive(Debug)]
struct Object {
    kind: String,
    name: String,
    table: String,
    /// `None` for the implicit index of a key.
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

/// Returns whether an index covers all rows of its table and consists of column names, each with at most a collation
/// and an order.
fn is_plain_index(words: &[Token]) -> bool {
    let Some(open) = words.iter().position(|token| *token == Token::Sign('(')) else {
        // The implicit index of a key.
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

/// Returns the size of the whole file in bytes, as SQLite reports it.
fn size(connection: &Connection) -> rusqlite::Result<u64> {
    let number = |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let bytes = number("page_count")?.saturating_mul(number("page_size")?);
    Ok(bytes.try_into().unwrap_or_default())
}

/// Checks that the rows and values of a table or index fit into the file without sharing space. If a page is the child
/// of many pages, or the overflow page of many values, reading the table practically never ends. Reads only the sizes
/// of values, which are in the row headers.
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
    // A row occupies at least four bytes, and reading it takes up to three steps for each column.
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
        // A number may be longer as text than in its stored form.
        #[expect(
            clippy::cast_precision_loss,
            reason = "the sizes of real files are represented exactly; larger values need not be"
        )]
        Ok(total) if total > 4.0 * bytes as f64 => Err(folded()),
        Ok(_) => Ok(()),
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::OperationInterrupted) => Err(folded()),
        // Every other scan of the table also ends at this damage, and reports it.
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseCorrupt) => Ok(()),
        Err(error) => Err(Refused::Engine(error)),
    }
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// A token of a definition.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    /// A keyword, name or number, in lower case.
    Word(String),
    /// A quoted name, in lower case.
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

/// Splits a definition into tokens, omitting white space and comments.
fn tokens(definition: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = definition;
    while let Some(first) = rest.chars().next() {
        let (token, length) = match first {
            _ if first.is_ascii_whitespace() => (None, 1),
            // A byte order mark, which SQLite ignores.
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

/// Parses the quoted string at the start. Two closing quotes in a row represent one quote character in the string,
/// unless the closing quote is `]`. Returns the content of the string and its length including the quotes.
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
