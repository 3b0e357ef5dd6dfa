//! Checks that schemas accept their defaults.

use super::{EMBEDDED, META, PRESERVE, Walk, is_set, type_of};
use crate::kubernetes::formats::has_format;
use crate::kubernetes::structural::has_type;
use crate::pattern::schema::{LONGEST_PATTERN, compile};
use crate::text::{Path, kind_of};
use serde_json::{Map, Value};

const CORRECT_DEFAULT: &str = "Use a default that the schema accepts, or change the schema.";

impl Walk<'_, '_> {
    /// Checks that the schema accepts its default. Another check reports defaults of the wrong type.
    pub(super) fn default_value(&mut self, schema: &Map<String, Value>, default: &Value) {
        if !default.is_null() && has_type(default, type_of(schema)) {
            let is_resource = self.is_resource();
            let mut path = self.path.key("default");
            self.part_of_default(schema, default, &mut path, is_resource, false);
        }
    }

    /// Checks a default, or a part of it. Defaults of its parts are not applied before, as in the API server.
    /// `is_resource` says whether it is a Kubernetes object, and `keeps_unknown` whether it may have unknown fields. On
    /// return, the path is unchanged.
    fn part_of_default(
        &mut self,
        schema: &Map<String, Value>,
        default: &Value,
        path: &mut Path,
        is_resource: bool,
        keeps_unknown: bool,
    ) {
        if let Some(message) = self.mismatch(schema, default) {
            self.part.refuse(path, message, CORRECT_DEFAULT);
            return;
        }
        let keeps_unknown = keeps_unknown || is_set(schema, PRESERVE);
        match default {
            Value::Object(fields) => {
                let is_resource = is_resource || is_set(schema, EMBEDDED);
                self.required_of_default(schema, fields, path);
                self.fields_of_default(schema, fields, path, is_resource, keeps_unknown);
            }
            Value::Array(items) => {
                let Some(Value::Object(schema)) = schema.get("items") else {
                    return;
                };
                for (index, item) in items.iter().enumerate() {
                    path.push(index);
                    self.part_of_default(schema, item, path, false, keeps_unknown);
                    path.pop();
                }
            }
            _ => {}
        }
    }

    fn required_of_default(&mut self, schema: &Map<String, Value>, fields: &Map<String, Value>, path: &Path) {
        let required = schema.get("required").and_then(Value::as_array);
        let names = required.into_iter().flatten().filter_map(Value::as_str);
        for name in names.filter(|name| !fields.contains_key(*name)) {
            let message = format!("the default has no {name}, which is required");
            let help = "Add the field to this default; the API server does not add the defaults of fields before it \
                        checks the default.";
            self.part.refuse(path, message, help);
        }
    }

    fn fields_of_default(
        &mut self,
        schema: &Map<String, Value>,
        fields: &Map<String, Value>,
        path: &mut Path,
        is_resource: bool,
        keeps_unknown: bool,
    ) {
        let properties = match schema.get("properties") {
            None | Some(Value::Null) => None,
            Some(Value::Object(properties)) => Some(properties),
            Some(_) => return,
        };
        let additional = schema.get("additionalProperties").filter(|schema| !schema.is_null());
        let is_own = |name: &String| is_resource && META.contains(&name.as_str());
        for (name, value) in fields.iter().filter(|(name, _)| !is_own(name)) {
            path.push(name.as_str());
            match properties.and_then(|properties| properties.get(name)).or(additional) {
                Some(Value::Object(schema)) => self.part_of_default(schema, value, path, false, false),
                Some(_) => {}
                None if keeps_unknown => {}
                None => {
                    let message = format!("the default has the field {name}, which the schema does not have");
                    self.part.refuse(path, message, CORRECT_DEFAULT);
                }
            }
            path.pop();
        }
    }

    /// Returns the reason why a schema does not accept a default, regardless of its parts.
    fn mismatch(&mut self, schema: &Map<String, Value>, default: &Value) -> Option<String> {
        let kind = type_of(schema);
        if default.is_null() {
            let accepts = kind.is_empty() || is_set(schema, "nullable");
            return (!accepts).then(|| "the default is null, but the schema is not nullable".to_owned());
        }
        // A type also applies to an int-or-string, which has none in a correct schema.
        if !has_type(default, kind) {
            return Some(format!("the default is {}, but the type is {kind}", kind_of(default)));
        }
        self.not_listed(schema, default)
            .or_else(|| out_of_range(schema, default))
            .or_else(|| of_wrong_size(schema, default))
            .or_else(|| of_wrong_format(schema, default))
            .or_else(|| self.not_matched(schema, default))
    }

    fn not_listed(&mut self, schema: &Map<String, Value>, default: &Value) -> Option<String> {
        let values = schema.get("enum")?.as_array()?;
        self.comparisons = self.comparisons.checked_sub(values.len())?;
        let is_listed = values.is_empty() || values.iter().any(|value| is_same(value, default));
        (!is_listed).then(|| format!("the default {default} is not one of the values of enum"))
    }

    fn not_matched(&mut self, schema: &Map<String, Value>, default: &Value) -> Option<String> {
        let (pattern, string) = (schema.get("pattern")?.as_str()?, default.as_str()?);
        // Compiled patterns match bytes, which are characters only in ASCII.
        if !string.is_ascii() || string.len() > LONGEST_PATTERN {
            return None;
        }
        self.patterns = self.patterns.checked_sub(1)?;
        let regex = compile(pattern)?;
        let matches = regex.is_match(string.as_bytes());
        (!matches).then(|| format!("the default {default} does not match the pattern `{pattern}`"))
    }
}

fn of_wrong_format(schema: &Map<String, Value>, default: &Value) -> Option<String> {
    let (format, string) = (schema.get("format")?.as_str()?, default.as_str()?);
    (!has_format(string, format)).then(|| format!("the default {default} does not have the format {format}"))
}

/// Whether the API server accepts a default as this value of an enum. The API server converts the default to the type
/// of the value: if the value is an integer, it ignores the fraction of the default.
fn is_same(value: &Value, default: &Value) -> bool {
    match default.as_f64() {
        Some(number) if value.is_f64() => value.as_f64() == Some(number),
        Some(number) => value.as_f64() == Some(number.trunc()),
        None => value == default,
    }
}

fn out_of_range(schema: &Map<String, Value>, default: &Value) -> Option<String> {
    let number = default.as_f64()?;
    // For an integer, the API server ignores the fraction of a limit.
    let limit = |key: &str| {
        let limit = schema.get(key)?.as_f64()?;
        Some(if default.is_f64() { limit } else { limit.trunc() })
    };
    let is_exclusive = |key: &str| schema.get(key) == Some(&Value::Bool(true));
    if let Some(minimum) = limit("minimum") {
        if number < minimum {
            return Some(format!("the default {default} is less than the minimum {minimum}"));
        }
        if number <= minimum && is_exclusive("exclusiveMinimum") {
            return Some(format!("the default {default} is the exclusive minimum"));
        }
    }
    if let Some(maximum) = limit("maximum") {
        if number > maximum {
            return Some(format!("the default {default} is greater than the maximum {maximum}"));
        }
        if number >= maximum && is_exclusive("exclusiveMaximum") {
            return Some(format!("the default {default} is the exclusive maximum"));
        }
    }
    None
}

fn of_wrong_size(schema: &Map<String, Value>, default: &Value) -> Option<String> {
    let (count, unit, least, most) = match default {
        Value::String(string) => (string.chars().count(), "length", "minLength", "maxLength"),
        Value::Array(items) => (items.len(), "number of items", "minItems", "maxItems"),
        Value::Object(fields) => (fields.len(), "number of fields", "minProperties", "maxProperties"),
        _ => return None,
    };
    let limit = |key: &str| usize::try_from(schema.get(key)?.as_u64()?).ok();
    let broken = if limit(least).is_some_and(|limit| count < limit) {
        least
    } else if limit(most).is_some_and(|limit| count > limit) {
        most
    } else {
        return None;
    };
    let limit = &schema[broken];
    Some(format!("the {unit} of the default is {count}, but {broken} is {limit}"))
}
