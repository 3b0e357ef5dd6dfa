//! Encodes JSON as the messages of `google/protobuf/struct.proto`.

use prost::bytes::Bytes;
use serde_json::{Map, Value};

/// Encodes an object as a `google.protobuf.Struct`.
pub(super) fn encode(object: &Map<String, Value>) -> Bytes {
    // Write from the end backwards, so that the length of each part is known before the length is written.
    let mut backward = Vec::new();
    put_fields(&mut backward, object);
    backward.reverse();
    backward.into()
}

/// Writes the fields of a `Struct`, a map from names to values.
fn put_fields(out: &mut Vec<u8>, object: &Map<String, Value>) {
    for (name, value) in object.iter().rev() {
        put_message(out, 1, |out| {
            put_message(out, 2, |out| put_value(out, value));
            put_bytes(out, 1, name);
        });
    }
}

/// Writes the only field of a `Value`.
fn put_value(out: &mut Vec<u8>, value: &Value) {
    match value {
        Value::Null => out.extend([0, 1 << 3]),
        Value::Number(number) => {
            let double = number.as_f64().unwrap_or_default();
            out.extend(double.to_be_bytes());
            out.push(2 << 3 | 1);
        }
        Value::String(text) => put_bytes(out, 3, text),
        Value::Bool(yes) => out.extend([u8::from(*yes), 4 << 3]),
        Value::Object(object) => put_message(out, 5, |out| put_fields(out, object)),
        Value::Array(items) => put_message(out, 6, |out| {
            for item in items.iter().rev() {
                put_message(out, 1, |out| put_value(out, item));
            }
        }),
    }
}

fn put_bytes(out: &mut Vec<u8>, field: u8, text: &str) {
    put_message(out, field, |out| out.extend(text.bytes().rev()));
}

/// Writes a field: its number, the length of its content, and the content.
fn put_message(out: &mut Vec<u8>, field: u8, content: impl FnOnce(&mut Vec<u8>)) {
    let before = out.len();
    content(out);
    let length = out.len() - before;
    let place = out.len();
    prost::encoding::encode_varint(length as u64, out);
    if let Some(varint) = out.get_mut(place..) {
        varint.reverse();
    }
    out.push(field << 3 | 2);
}

#[cfg(test)]
mod tests {
    use super::*;
    use prost::Message;
    use prost_types::value::Kind;
    use serde_json::json;

    fn json_of(value: prost_types::Value) -> Value {
        match value.kind.unwrap() {
            Kind::NullValue(_) => Value::Null,
            Kind::NumberValue(number) => json!(number),
            Kind::StringValue(text) => json!(text),
            Kind::BoolValue(yes) => json!(yes),
            Kind::StructValue(object) => object
                .fields
                .into_iter()
                .map(|(name, value)| (name, json_of(value)))
                .collect(),
            Kind::ListValue(list) => list.values.into_iter().map(json_of).collect(),
        }
    }

    #[test]
    fn an_object_is_encoded_readably_for_other_implementations() {
        let object = json!({
            "text": "x".repeat(300), "empty": "", "number": 1.5, "whole": -3.0, "no": false, "yes": true, "null": null,
            "list": [1.0, [], {}, ["a", {"b": null}]], "": {"ä": "ö"},
        });
        let encoded = encode(object.as_object().unwrap());
        let read = prost_types::Struct::decode(encoded).unwrap();
        let value = prost_types::Value {
            kind: Some(Kind::StructValue(read)),
        };
        assert_eq!(json_of(value), object);
    }
}
