//! Reads a stream of JSON values, with limits on their number and nesting depth.

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};
use std::cell::Cell;
use std::fmt;

/// The number of values that may still be read, counted across several reads.
#[derive(Debug)]
pub(crate) struct Values {
    left: Cell<usize>,
    repeated: Cell<bool>,
    refusal: Cell<Option<Refusal>>,
}

/// The limit that a value exceeds, if the error is not in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// The input contains too many keys and values.
    Values,
    /// Lists and maps are nested too deeply.
    Depth,
}

impl Values {
    /// Allows `limit` keys and values.
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            left: Cell::new(limit),
            repeated: Cell::new(false),
            refusal: Cell::new(None),
        }
    }

    /// Resets the count and sets a new limit.
    pub(crate) fn renew(&self, limit: usize) {
        self.left.set(limit);
    }

    /// Returns the seed that reads the next value, with lists and maps nested at most `depth` deep.
    pub(crate) fn next(&self, depth: usize) -> Seed<'_> {
        Seed { values: self, depth }
    }

    /// Counts a key or value that is read outside this module.
    pub(crate) fn count<E: Error>(&self) -> Result<(), E> {
        let Some(left) = self.left.get().checked_sub(1) else {
            return Err(self.refuse(Refusal::Values));
        };
        self.left.set(left);
        Ok(())
    }

    /// Returns the limit that prevented a value from being read, if any.
    pub(crate) fn refusal(&self) -> Option<Refusal> {
        self.refusal.get()
    }

    /// Returns whether a key appeared twice in a map.
    pub(crate) fn has_repeated_keys(&self) -> bool {
        self.repeated.get()
    }

    fn refuse<E: Error>(&self, refusal: Refusal) -> E {
        self.refusal.set(Some(refusal));
        E::custom("over a limit")
    }
}

/// Reads one value.
#[derive(Clone, Copy)]
pub(crate) struct Seed<'v> {
    values: &'v Values,
    depth: usize,
}

impl Seed<'_> {
    fn inside<E: Error>(mut self) -> Result<Self, E> {
        let Some(depth) = self.depth.checked_sub(1) else {
            return Err(self.values.refuse(Refusal::Depth));
        };
        self.depth = depth;
        Ok(self)
    }
}

impl<'de> DeserializeSeed<'de> for Seed<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        self.values.count()?;
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Seed<'_> {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let inside = self.inside()?;
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(inside)? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let inside = self.inside()?;
        let mut map = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            self.values.count()?;
            if map.insert(key, entries.next_value_seed(inside)?).is_some() {
                self.values.repeated.set(true);
            }
        }
        Ok(Value::Object(map))
    }
}
