//! Sizes in human-readable form.

use std::fmt;
use std::str::FromStr;

/// A number of bytes, written as `16MiB`, `500kB`, `2GB` or a plain number.
///
/// `K`, `Ki` and `KiB` stand for 1024, and `k`, `kB` and `KB` for 1000. Larger units follow the same pattern, as in
/// `Gi` and `GB`. The displayed unit is the largest unit that gives a whole number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Size(pub u64);

impl FromStr for Size {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = text.trim();
        let digits = text
            .find(|character: char| !character.is_ascii_digit())
            .unwrap_or(text.len());
        let (number, unit) = text.split_at(digits);
        if number.is_empty() {
            return Err("expected a whole number at the beginning, as in 16MiB");
        }
        let factor: u64 = match unit.trim() {
            "" | "B" => 1,
            "k" | "kB" | "KB" => 1000,
            "K" | "Ki" | "KiB" => 1 << 10,
            "MB" => 1_000_000,
            "M" | "Mi" | "MiB" => 1 << 20,
            "GB" => 1_000_000_000,
            "G" | "Gi" | "GiB" => 1 << 30,
            "TB" => 1_000_000_000_000,
            "T" | "Ti" | "TiB" => 1 << 40,
            _ => {
                return Err(
                    "expected a whole number followed by KiB, MiB, GiB or TiB, or by kB, MB, GB or TB, as in 16MiB",
                );
            }
        };
        let bytes = number.parse::<u64>().ok().and_then(|number| number.checked_mul(factor));
        bytes.map(Self).ok_or("this size does not fit into 64 bits")
    }
}

impl fmt::Display for Size {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(bytes) = self;
        for (shift, unit) in [(40, "TiB"), (30, "GiB"), (20, "MiB"), (10, "KiB")] {
            if *bytes > 0 && bytes.is_multiple_of(1 << shift) {
                return write!(formatter, "{}{unit}", bytes >> shift);
            }
        }
        write!(formatter, "{bytes}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn units_are_parsed() {
        assert_eq!("0".parse(), Ok(Size(0)));
        assert_eq!("16MiB".parse(), Ok(Size(16 << 20)));
        assert_eq!("1 Gi".parse(), Ok(Size(1 << 30)));
        assert_eq!("5MB".parse(), Ok(Size(5_000_000)));
        assert_eq!("2TiB".parse(), Ok(Size(2 << 40)));
        for wrong in [
            "",
            "MiB",
            "1.5MiB",
            "-1",
            "16mib",
            "1PiB",
            "99999999999999999999",
            "18446744073709551615KiB",
        ] {
            assert!(wrong.parse::<Size>().is_err(), "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn every_printed_size_can_be_parsed(bytes: u64) {
            prop_assert_eq!(Size(bytes).to_string().parse(), Ok(Size(bytes)));
        }
    }
}
