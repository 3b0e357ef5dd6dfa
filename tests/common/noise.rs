//! Content that cannot be compressed and is the same in every run.

fn states() -> impl Iterator<Item = u64> {
    std::iter::successors(Some(0x2545_f491_4f6c_dd1d_u64), |state| {
        let mut state = *state;
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        Some(state)
    })
    .skip(1)
}

/// Returns incompressible bytes.
pub(crate) fn bytes(length: usize) -> Vec<u8> {
    states().map(|state| state.to_be_bytes()[0]).take(length).collect()
}

/// Returns letters of the alphabet of base64, which only lose the two bits of a byte that they do not use.
pub(crate) fn letters(length: usize) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let letter = |state: u64| char::from(LETTERS[usize::try_from(state >> 58).unwrap()]);
    states().map(letter).take(length).collect()
}
