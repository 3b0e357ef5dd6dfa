//! Resource quantities, such as `500m` or `1Gi`, in the canonical form of the API server.

use std::cmp::Ordering;

const DECIMAL: [(&str, i32); 10] = [
    ("n", -9),
    ("u", -6),
    ("m", -3),
    ("", 0),
    ("k", 3),
    ("M", 6),
    ("G", 9),
    ("T", 12),
    ("P", 15),
    ("E", 18),
];
const BINARY: [&str; 7] = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

/// The kind of suffix that a quantity has.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Family {
    Decimal,
    Exponent,
    Binary,
}

/// A quantity: a number that is multiplied by a power of ten.
struct Quantity {
    /// `-` or empty.
    sign: &'static str,
    mantissa: i128,
    /// The power of ten, at least -9.
    exponent: i32,
    family: Family,
}

impl Quantity {
    fn parse(text: &str) -> Option<Self> {
        let (sign, unsigned) = match text.as_bytes().first()? {
            b'-' => ("-", &text[1..]),
            b'+' => ("", &text[1..]),
            _ => ("", text),
        };
        let end = unsigned
            .find(|character: char| !character.is_ascii_digit() && character != '.')
            .unwrap_or(unsigned.len());
        let (number, suffix) = unsigned.split_at(end);
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        if whole.len() + fraction.len() == 0 || fraction.contains('.') {
            return None;
        }
        let digits = format!("{whole}{}", fraction.trim_end_matches('0'));
        let digits = digits.trim_start_matches('0');
        let mut mantissa: i128 = if digits.is_empty() { 0 } else { digits.parse().ok()? };
        let (family, exponent, factor) = suffix_of(suffix)?;
        mantissa = mantissa.checked_mul(factor)?;
        let mut exponent = exponent.checked_sub(i32::try_from(fraction.trim_end_matches('0').len()).ok()?)?;
        while exponent < -9 {
            mantissa = mantissa / 10 + i128::from(mantissa % 10 != 0);
            exponent += 1;
        }
        Some(Self {
            sign,
            mantissa,
            exponent,
            family,
        })
    }

    /// Returns the quantity as a multiple of ten to the power of `exponent`, limited to 128 bits. `exponent` must not
    /// be above the exponent of the quantity.
    fn divided(&self, exponent: i32) -> i128 {
        let scale = 10_i128.saturating_pow(self.exponent.abs_diff(exponent));
        let amount = self.mantissa.saturating_mul(scale);
        if self.sign.is_empty() { amount } else { -amount }
    }
}

/// Returns the canonical form of a quantity: no fraction, and the largest suffix that allows this. `1000m` becomes `1`,
/// and `1024Ki` becomes `1Mi`. Values are rounded up to a multiple of 10⁻⁹ (`1n`). Returns `None` if the string is not
/// a quantity, or if it has more digits than fit in 128 bits. No cluster supports such quantities.
pub fn canonical(text: &str) -> Option<String> {
    let Quantity {
        sign,
        mantissa,
        exponent,
        family,
    } = Quantity::parse(text)?;
    if mantissa == 0 {
        return Some("0".to_owned());
    }
    let written = match family {
        Family::Binary => binary(mantissa, exponent),
        Family::Decimal | Family::Exponent => None,
    };
    let written = match written {
        Some(written) => written,
        None => decimal(mantissa, exponent, family == Family::Exponent)?,
    };
    Some(format!("{sign}{written}"))
}

/// Compares two quantities. Returns `None` if one of the strings is not a quantity, or if it has more digits than fit
/// in 128 bits.
pub(crate) fn compare(left: &str, right: &str) -> Option<Ordering> {
    let (left, right) = (Quantity::parse(left)?, Quantity::parse(right)?);
    let least = left.exponent.min(right.exponent);
    Some(left.divided(least).cmp(&right.divided(least)))
}

/// Returns the kind of the suffix, its power of ten, and an additional factor.
fn suffix_of(suffix: &str) -> Option<(Family, i32, i128)> {
    if let Some((_, exponent)) = DECIMAL.iter().find(|(own, _)| *own == suffix) {
        return Some((Family::Decimal, *exponent, 1));
    }
    if let Some(power) = BINARY.iter().position(|own| *own == suffix) {
        return Some((Family::Binary, 0, 1024_i128.pow(u32::try_from(power).ok()?)));
    }
    let exponent: i32 = suffix.strip_prefix(['e', 'E'])?.parse().ok()?;
    (-100..=100)
        .contains(&exponent)
        .then_some((Family::Exponent, exponent, 1))
}

/// Formats a quantity with a suffix, such as `Ki`, that stands for a power of 1024. This format is used only for whole
/// numbers of at least 1024.
fn binary(mantissa: i128, exponent: i32) -> Option<String> {
    let scale = 10_i128.checked_pow(exponent.unsigned_abs())?;
    if mantissa % scale != 0 || mantissa / scale < 1024 {
        return None;
    }
    let (mut value, mut power) = (mantissa / scale, 0);
    while value % 1024 == 0 && power + 1 < BINARY.len() {
        value /= 1024;
        power += 1;
    }
    Some(format!("{value}{}", BINARY.get(power)?))
}

fn decimal(mut mantissa: i128, mut exponent: i32, as_exponent: bool) -> Option<String> {
    while mantissa % 10 == 0 {
        mantissa /= 10;
        exponent += 1;
    }
    while exponent.rem_euclid(3) != 0 {
        mantissa = mantissa.checked_mul(10)?;
        exponent -= 1;
    }
    Some(match DECIMAL.iter().find(|(_, own)| *own == exponent) {
        Some((suffix, _)) if !as_exponent || exponent == 0 => format!("{mantissa}{suffix}"),
        _ => format!("{mantissa}e{exponent}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn quantities_are_written_without_fractions_and_with_the_largest_suffix() {
        for (text, canonical_text) in [
            ("1000m", "1"),
            ("0.5", "500m"),
            ("1.5", "1500m"),
            ("100m", "100m"),
            ("1000", "1k"),
            ("1500", "1500"),
            ("120000", "120k"),
            ("1e3", "1e3"),
            ("1E3", "1e3"),
            ("12e-1", "1200e-3"),
            ("1024Ki", "1Mi"),
            ("1.5Gi", "1536Mi"),
            ("1500Mi", "1500Mi"),
            ("0.5Ki", "512"),
            ("1000Ki", "1000Ki"),
            ("0", "0"),
            ("0Mi", "0"),
            ("-2000m", "-2"),
            ("+1", "1"),
            (".5", "500m"),
            ("1.", "1"),
            ("0.0000000001", "1n"),
            ("64Mi", "64Mi"),
            ("1Ei", "1Ei"),
            ("1025.5", "1025500m"),
        ] {
            assert_eq!(canonical(text).as_deref(), Some(canonical_text), "{text}");
        }
        for wrong in [
            "",
            "-",
            "much",
            "1 Gi",
            "1KiB",
            "1.2.3",
            "1e",
            "Mi",
            "1e999",
            "9".repeat(40).as_str(),
        ] {
            assert_eq!(canonical(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn quantities_with_different_suffixes_are_compared() {
        for (less, more) in [
            ("100m", "1"),
            ("0.5", "501m"),
            ("1G", "1Gi"),
            ("999Mi", "1Gi"),
            ("1023Ki", "1Mi"),
            ("-1", "0"),
            ("-2", "-1.5"),
            ("1n", "1e-8"),
            ("1Ei", "1e100"),
            ("-1e100", "-1Ei"),
        ] {
            assert_eq!(compare(less, more), Some(Ordering::Less), "{less} {more}");
            assert_eq!(compare(more, less), Some(Ordering::Greater), "{more} {less}");
        }
        for (one, other) in [
            ("1000m", "1"),
            ("1024Ki", "1Mi"),
            ("0", "-0"),
            ("1e3", "1k"),
            ("0e100", "0"),
        ] {
            assert_eq!(compare(one, other), Some(Ordering::Equal), "{one} {other}");
        }
        assert_eq!(compare("much", "1"), None);
        assert_eq!(compare("1", ""), None);
    }

    proptest! {
        #[test]
        fn the_canonical_form_is_idempotent(number in 0_u64.., fraction in 0_u32..1000, suffix in "(|[numkMGTPE]|[KMGTPE]i|e[0-9])") {
            if let Some(once) = canonical(&format!("{number}.{fraction:03}{suffix}")) {
                prop_assert_eq!(canonical(&once), Some(once));
            }
        }

        #[test]
        fn any_text_can_be_parsed_and_compared(text in ".{0,12}") {
            let _ = canonical(&text);
            let _ = compare(&text, "1Gi");
        }
    }
}
