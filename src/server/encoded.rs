//! Messages that are encoded in advance, and functions that write message fields.

use prost::DecodeError;
use prost::bytes::{Buf, BufMut, Bytes};
use prost::encoding::{DecodeContext, WireType, encode_key, encode_varint, skip_field};

/// A message in wire format, in parts. Other messages can share these parts, because the fields of a message may come
/// in any order and in any number of pieces.
#[derive(Debug, Clone, Default)]
pub struct Encoded(pub(super) [Bytes; 4]);

impl From<Bytes> for Encoded {
    fn from(whole: Bytes) -> Self {
        Self([whole, Bytes::new(), Bytes::new(), Bytes::new()])
    }
}

impl prost::Message for Encoded {
    fn encode_raw(&self, buffer: &mut impl BufMut) {
        for part in &self.0 {
            buffer.put_slice(part);
        }
    }

    /// Encoded messages are only sent; if one is received, its fields are skipped like unknown fields.
    fn merge_field(
        &mut self,
        tag: u32,
        wire_type: WireType,
        buffer: &mut impl Buf,
        context: DecodeContext,
    ) -> Result<(), DecodeError> {
        skip_field(wire_type, tag, buffer, context)
    }

    fn encoded_len(&self) -> usize {
        self.0.iter().map(Bytes::len).sum()
    }

    fn clear(&mut self) {
        *self = Self::default();
    }
}

/// Writes a string, unless it is empty, because an absent field represents an empty string.
pub(super) fn put_text(buffer: &mut Vec<u8>, field: u32, text: &str) {
    if !text.is_empty() {
        put_element(buffer, field, text.as_bytes());
    }
}

/// Writes one element of a list: a string, or an encoded message.
pub(super) fn put_element(buffer: &mut Vec<u8>, field: u32, content: &[u8]) {
    encode_key(field, WireType::LengthDelimited, buffer);
    encode_varint(content.len() as u64, buffer);
    buffer.extend_from_slice(content);
}
