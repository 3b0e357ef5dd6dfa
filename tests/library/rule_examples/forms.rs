//! Writes a value in other forms of YAML and as JSON, and records the place of every key and value.

use opmx::text::Path;
use serde_json::Value;
use std::collections::HashMap;
use std::ops::Range;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// Flow style on one line, keys without quotes.
    Flow,
    /// JSON on one line.
    Json,
    /// Block style, with quotes around every key and string.
    Block,
}

/// The text of a value, and the places of everything in it.
#[derive(Debug, Default)]
pub(crate) struct Written {
    pub(crate) text: String,
    pub(crate) values: HashMap<String, Range<usize>>,
    pub(crate) keys: HashMap<String, Range<usize>>,
    /// The path whose value is written as the alias of an anchor, and the name of that anchor's key.
    alias: Option<(Path, &'static str)>,
}

/// Writes the value. The first key and value are not ASCII, so that columns and bytes differ on one line.
pub(crate) fn write(value: &Value, form: Form) -> Written {
    let mut written = Written::default();
    written.begin(form);
    written.root(value, form);
    written
}

/// Writes the value of `path` with an anchor under a key before all others, and an alias instead of it.
pub(crate) fn write_anchored(value: &Value, path: &Path) -> Written {
    const KEY: &str = "gr\u{f6}\u{df}e";
    let mut written = Written {
        alias: Some((path.clone(), "shared")),
        ..Written::default()
    };
    written.text.push_str(&format!("{{{KEY}: &shared "));
    let alias = written.alias.take();
    written.value(path.get(value).unwrap(), path, Form::Flow);
    written.alias = alias;
    written.text.push_str(", ");
    written.root(value, Form::Flow);
    written
}

impl Written {
    fn begin(&mut self, form: Form) {
        self.text.push_str(match form {
            Form::Flow => "{gr\u{f6}\u{df}e: \u{6f22}\u{5b57} \u{1f600}, ",
            Form::Json => "{\"gr\u{f6}\u{df}e\": \"\u{6f22}\u{5b57} \u{1f600}\", ",
            Form::Block => "# \u{6f22}\u{5b57} \u{1f600}\n\"gr\u{f6}\u{df}e\": \"\u{6f22}\u{5b57}\"\n",
        });
    }

    fn root(&mut self, value: &Value, form: Form) {
        let map = value.as_object().unwrap();
        let start = self.text.find(['{', '"']).unwrap();
        if form == Form::Block {
            self.block(value, &Path::root(), 0);
        } else {
            self.entries(map.iter(), &Path::root(), form);
            self.text.push('}');
        }
        let end = self.text.trim_end().len();
        self.values.insert(Path::root().to_string(), start..end);
        self.text.push('\n');
    }

    fn entries<'v>(&mut self, entries: impl Iterator<Item = (&'v String, &'v Value)>, path: &Path, form: Form) {
        for (number, (key, value)) in entries.enumerate() {
            if number > 0 {
                self.text.push_str(", ");
            }
            let path = path.key(key);
            self.key(key, &path, form);
            self.value(value, &path, form);
        }
    }

    fn key(&mut self, key: &str, path: &Path, form: Form) {
        let start = self.text.len();
        let plain = key.starts_with(|letter: char| letter.is_ascii_alphabetic())
            && key
                .chars()
                .all(|letter| letter.is_ascii_alphanumeric() || ".-/".contains(letter));
        if form == Form::Flow && plain && !["y", "n", "on", "off", "yes", "no"].contains(&key) {
            self.text.push_str(key);
        } else {
            self.text.push_str(&Value::from(key).to_string());
        }
        self.keys.insert(path.to_string(), start..self.text.len());
        self.text.push_str(": ");
    }

    fn value(&mut self, value: &Value, path: &Path, form: Form) {
        let start = self.text.len();
        if let Some((_, name)) = self.alias.as_ref().filter(|(at, _)| at == path) {
            // The inner values are at the anchor; only the value as a whole is here.
            self.text.push_str(&format!("*{name}"));
            self.values.insert(path.to_string(), start..self.text.len());
            return;
        }
        match value {
            Value::Object(map) => {
                self.text.push('{');
                self.entries(map.iter(), path, form);
                self.text.push('}');
            }
            Value::Array(items) => {
                self.text.push('[');
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        self.text.push_str(", ");
                    }
                    self.value(item, &path.index(index), form);
                }
                self.text.push(']');
            }
            scalar => self.text.push_str(&scalar.to_string()),
        }
        self.values.insert(path.to_string(), start..self.text.len());
    }

    /// Begins in the middle of a line or at its beginning, and ends with a line break.
    fn block(&mut self, value: &Value, path: &Path, indent: usize) {
        let start = self.text.len();
        match value {
            Value::Object(map) if !map.is_empty() => {
                for (number, (key, value)) in map.iter().enumerate() {
                    if number > 0 {
                        self.text.push_str(&" ".repeat(indent));
                    }
                    let path = path.key(key);
                    self.key(key, &path, Form::Block);
                    self.below(value, &path, indent + 3);
                }
            }
            Value::Array(items) if !items.is_empty() => {
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        self.text.push_str(&" ".repeat(indent));
                    }
                    self.text.push_str("-  ");
                    self.block(item, &path.index(index), indent + 3);
                }
            }
            other => {
                self.value(other, path, Form::Flow);
                self.text.push('\n');
            }
        }
        let end = self.text.trim_end().len();
        self.values.insert(path.to_string(), start..end);
    }

    fn below(&mut self, value: &Value, path: &Path, indent: usize) {
        let deep = match value {
            Value::Object(map) => !map.is_empty(),
            Value::Array(items) => !items.is_empty(),
            _ => false,
        };
        if deep {
            self.text.push_str(&format!("# \u{6f22}\n{}", " ".repeat(indent)));
        }
        self.block(value, path, indent);
    }
}
