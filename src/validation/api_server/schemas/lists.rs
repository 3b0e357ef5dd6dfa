//! Checks in schemas how the items of lists and the fields of maps are merged.

use super::{LIST_TYPE, Walk, type_of};
use crate::value::text;
use serde_json::{Map, Value};

pub(super) const MAP_KEYS: &str = "x-kubernetes-list-map-keys";
pub(super) const MAP_TYPE: &str = "x-kubernetes-map-type";

impl Walk<'_, '_> {
    /// Checks the type of a list.
    pub(super) fn list_type(&mut self, schema: &Map<String, Value>, kind: &str) {
        let path = self.path.key(LIST_TYPE);
        if !["atomic", "map", "set"].contains(&kind) {
            let message = format!("{LIST_TYPE} is {kind:?}, but the API server knows only atomic, map and set");
            self.part.refuse(&path, message, "Use atomic, map or set.");
            return;
        }
        if type_of(schema) != "array" {
            let message = format!("{LIST_TYPE} is set for a value that is not an array");
            self.part.refuse(&path, message, "Remove the key, or set type: array.");
            return;
        }
        let Some(items) = schema.get("items").filter(|items| items.is_object()) else {
            return;
        };
        let path = self.path.key("items");
        if kind != "atomic" && items.get("nullable") == Some(&Value::Bool(true)) {
            let message = format!("the items of a list of the type {kind} must not be nullable");
            self.part.refuse(&path.key("nullable"), message, "Remove nullable.");
        }
        match (kind, text(items, "type")) {
            ("set", "array") if !["", "atomic"].contains(&text(items, LIST_TYPE)) => {
                let message = "a list that is an item of a set must be atomic".to_owned();
                let help = format!("Set {LIST_TYPE}: atomic for the items, or for the list itself.");
                self.part.refuse(&path.key(LIST_TYPE), message, &help);
            }
            ("set", "object") if text(items, MAP_TYPE) != "atomic" => {
                let message = "an object that is an item of a set must be atomic".to_owned();
                let help = format!("Set {MAP_TYPE}: atomic for the items, or {LIST_TYPE}: atomic for the list.");
                self.part.refuse(&path.key(MAP_TYPE), message, &help);
            }
            ("map", item) if item != "object" => {
                let message = "the items of a list of the type map must be objects".to_owned();
                let help = format!("Use items of the type object, or {LIST_TYPE}: set.");
                self.part.refuse(&path.key("type"), message, &help);
            }
            _ => {}
        }
        let has_keys = schema
            .get(MAP_KEYS)
            .is_some_and(|keys| !keys.is_null() && *keys != Value::Array(Vec::new()));
        if kind == "map" && !has_keys {
            let message = format!("a list of the type map has no {MAP_KEYS}");
            let help = "List the fields that together identify an item, such as [name].";
            self.part.refuse(&self.path.key(MAP_KEYS), message, help);
        }
    }

    /// Checks the keys of a list whose items are identified by keys.
    pub(super) fn map_keys(&mut self, schema: &Map<String, Value>, keys: &[Value]) {
        let path = self.path.key(MAP_KEYS);
        let kind = schema.get(LIST_TYPE).unwrap_or(&Value::Null);
        if !keys.is_empty() && (kind.is_null() || kind == "atomic" || kind == "set") {
            let message = format!("a list whose type is not map has {MAP_KEYS}");
            self.part
                .refuse(&path, message, &format!("Set {LIST_TYPE}: map, or remove the keys."));
            return;
        }
        let Some(items) = schema.get("items").filter(|items| text(items, "type") == "object") else {
            return;
        };
        let properties = match items.get("properties") {
            None | Some(Value::Null) => None,
            Some(Value::Object(properties)) => Some(properties),
            Some(_) => return,
        };
        for (index, key) in keys.iter().enumerate() {
            let Some(name) = key.as_str() else { continue };
            if keys[..index].contains(key) {
                let message = format!("the key {name:?} is listed twice");
                self.part.refuse(&path.index(index), message, "Remove one of them.");
                continue;
            }
            match properties.and_then(|properties| properties.get(name)) {
                Some(Value::Object(property)) => self.map_key(items, name, property),
                Some(_) => {}
                None => {
                    let message = format!("the items of the list have no property {name:?}, which is one of its keys");
                    let help = "Correct the key, or add the property to the items.";
                    self.part.refuse(&path.index(index), message, help);
                }
            }
        }
    }

    /// Checks a property of the items of a list that is one of the keys of the list.
    fn map_key(&mut self, items: &Value, name: &str, property: &Map<String, Value>) {
        let path = self.path.key("items").key("properties").key(name);
        let kind = type_of(property);
        if ["array", "object"].contains(&kind) {
            let message = format!("{name} is a key of the list, so it cannot be an {kind}");
            self.part
                .refuse(&path.key("type"), message, "Use a string, a number or a boolean.");
        }
        if property.get("nullable") == Some(&Value::Bool(true)) {
            let message = format!("{name} is a key of the list, so it cannot be nullable");
            self.part.refuse(&path.key("nullable"), message, "Remove nullable.");
        }
        let is_required = match items.get("required") {
            None | Some(Value::Null) => false,
            Some(Value::Array(names)) => names.iter().any(|required| required == name),
            Some(_) => true,
        };
        if !is_required && property.get("default").is_none_or(Value::is_null) {
            let message = format!("{name} is a key of the list, but is neither required nor has a default");
            let help = format!("Add {name} to the required properties of the items, or give it a default.");
            self.part.refuse(&path, message, &help);
        }
    }

    /// Checks the type of a map.
    pub(super) fn map_type(&mut self, schema: &Map<String, Value>, kind: &str) {
        let path = self.path.key(MAP_TYPE);
        if !["atomic", "granular"].contains(&kind) {
            let message = format!("{MAP_TYPE} is {kind:?}, but the API server knows only atomic and granular");
            self.part.refuse(&path, message, "Use atomic or granular.");
        } else if type_of(schema) != "object" {
            let message = format!("{MAP_TYPE} is set for a value that is not an object");
            self.part.refuse(&path, message, "Remove the key, or set type: object.");
        }
    }
}
