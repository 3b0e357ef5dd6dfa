//! Formats numbers as Go does.

use serde_json::Value;
use std::fmt::Write;

/// Returns the string that a number or boolean becomes where the Kubernetes YAML reader expects a string, such as `1.1`
/// for `1.10`. A string is returned unchanged, and null becomes the empty string. Returns `None` for a list or map.
pub(crate) fn as_string(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Null => Some(String::new()),
        Value::Number(number) if number.is_f64() => {
            let value = number.as_f64()?;
            Some(with_early_exponent(&format!("{value:e}"), || value.to_string()))
        }
        Value::Bool(_) | Value::Number(_) => Some(value.to_string()),
        Value::Array(_) | Value::Object(_) => None,
    }
}

/// Appends a float as Go's `encoding/json` writes it: the fewest digits that parse to the same float, plain between
/// 1e-6 and 1e21, otherwise with an exponent (`1e+21`, `1e-7`). Negative zero is written as `0`, as after a round trip
/// through an object of the Kubernetes libraries.
pub(super) fn write_float(value: f64, out: &mut Vec<u8>) {
    if value == 0.0 {
        out.push(b'0');
        return;
    }
    let size = value.abs();
    let mut text = String::new();
    // Writing into a string cannot fail.
    let _ = if (1e-6..1e21).contains(&size) {
        write!(text, "{value}")
    } else {
        write!(text, "{value:e}")
    };
    if size >= 1e21 {
        text = text.replacen('e', "e+", 1);
    }
    out.extend_from_slice(text.as_bytes());
}

/// Returns the string that the Kubernetes YAML library uses for a float key. It has single precision, and an exponent
/// for values of at least a million (`1e+06`) or below 0.0001.
pub(super) fn float_key(value: f64) -> String {
    if value.is_nan() {
        return ".nan".to_owned();
    }
    #[expect(clippy::cast_possible_truncation, reason = "float keys have single precision")]
    let value = value as f32;
    if value.is_infinite() {
        return if value > 0.0 { ".inf" } else { "-.inf" }.to_owned();
    }
    with_early_exponent(&format!("{value:e}"), || value.to_string())
}

/// Returns the scientific form with at least two digits in the exponent, or the plain form for a number of usual size.
fn with_early_exponent(scientific: &str, plain: impl FnOnce() -> String) -> String {
    let (digits, exponent) = scientific.split_once('e').unwrap_or((scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..6).contains(&exponent) {
        return plain();
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.abs())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn floats_are_formatted_as_in_go() {
        for (value, text) in [
            (1.0, "1"),
            (1e3, "1000"),
            (0.5, "0.5"),
            (1.5e300, "1.5e+300"),
            (1e-6, "0.000001"),
            (1e-7, "1e-7"),
            (1.25e-10, "1.25e-10"),
            (1e20, "100000000000000000000"),
            (1e21, "1e+21"),
            (18_446_744_073_709_551_615.0, "18446744073709552000"),
            (123_456_789_012_345_680_000_000_000_000.0, "1.2345678901234568e+29"),
            (-0.0, "0"),
            (-1e-9, "-1e-9"),
            (-2.5e22, "-2.5e+22"),
        ] {
            let mut out = Vec::new();
            write_float(value, &mut out);
            assert_eq!(String::from_utf8(out).unwrap(), text);
        }
    }

    #[test]
    fn scalars_are_converted_to_strings_as_in_go() {
        for (scalar, text) in [
            (json!(true), "true"),
            (json!(1.1), "1.1"),
            (json!(1.0), "1"),
            (json!(1e3), "1000"),
            (json!(1e6), "1e+06"),
            (json!(12_345_678.5), "1.23456785e+07"),
            (json!(1e-5), "1e-05"),
            (json!(-0.0), "-0"),
            (json!(8), "8"),
            (json!(u64::MAX), "18446744073709551615"),
            (json!(1.5e300), "1.5e+300"),
            (json!(null), ""),
            (json!("1.10"), "1.10"),
        ] {
            assert_eq!(as_string(&scalar).as_deref(), Some(text));
        }
        assert_eq!(as_string(&json!([1])), None);
    }

    #[test]
    fn float_keys_have_single_precision_and_early_exponents() {
        for (value, text) in [
            (1.0, "1"),
            (1.1, "1.1"),
            (100_000.0, "100000"),
            (1e6, "1e+06"),
            (1_234_567.0, "1.234567e+06"),
            (0.0001, "0.0001"),
            (0.00001, "1e-05"),
            (2.345_678_901_234_567, "2.3456788"),
            (1e300, ".inf"),
            (f64::NEG_INFINITY, "-.inf"),
            (f64::NAN, ".nan"),
        ] {
            assert_eq!(float_key(value), text);
        }
    }
}
