//! Sends any bytes as the message of a call, any strings as the fields of a message, or any bytes over a connection.

#![no_main]

use libfuzzer_sys::fuzz_target;
use opmx_fuzz::bodies::grpc;

fuzz_target!(|input: (u8, Option<[(u8, &str); 4]>, &[u8])| match input {
    (method, Some(texts), _) => grpc::fields(method.into(), texts),
    (method, None, bytes) if method & 0x80 == 0 => grpc::message(method.into(), bytes),
    (method, None, bytes) => grpc::connection(method & 1 == 0, bytes),
});
