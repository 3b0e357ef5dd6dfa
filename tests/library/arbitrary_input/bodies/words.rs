//! Examples with one word replaced.

/// Returns the example with one of its words replaced by `text`; word numbers wrap around.
pub(super) fn replaced(example: &str, word: usize, text: &str) -> String {
    let is_word = |letter: char| !letter.is_whitespace() && !"{}[],\"'".contains(letter);
    let words: Vec<&str> = example
        .split(|letter| !is_word(letter))
        .filter(|word| !word.is_empty())
        .collect();
    let Some(old) = words.get(word % words.len().max(1)) else {
        return text.to_owned();
    };
    let start = old.as_ptr() as usize - example.as_ptr() as usize;
    format!("{}{text}{}", &example[..start], &example[start + old.len()..])
}
