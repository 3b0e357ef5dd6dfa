//! Regular expressions with the syntax and meaning of Go.

pub(crate) mod schema;

/// The maximum number of repetitions that counts may demand, also in nested groups.
const MOST_REPETITIONS: u32 = 1000;
/// The classes in brackets, such as `[:alpha:]`.
const NAMED_CLASSES: [&str; 14] = [
    "alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "print", "punct", "space", "upper", "word",
    "xdigit",
];

/// The beginning of a group. Nothing reads what groups capture, and without captures, compiled patterns are smaller.
const GROUP: &str = "(?:";
const OPEN_CLASS: &str = "a bracket [ is not closed";
const UNKNOWN_CLASS: &str = "it contains an unknown character class";
const UNKNOWN_ESCAPE: &str = "it contains an escape that does not exist";
const TOO_MANY: &str = "it repeats an expression more than 1000 times";

/// Translates a pattern of Go into a pattern with the same meaning for the crate `regex`. Does not check the names of
/// Unicode classes; the crate also accepts some names that Go does not know.
///
/// # Errors
/// Returns the reason why Go rejects the pattern.
pub(crate) fn translate(pattern: &str) -> Result<String, &'static str> {
    let mut translator = Translator {
        rest: pattern,
        translated: String::with_capacity(pattern.len() * 2),
        flags: String::new(),
        names: Vec::new(),
        open: vec![1],
        last: None,
    };
    while let Some(letter) = translator.next() {
        translator.token(letter)?;
    }
    if translator.open.len() > 1 {
        return Err("a parenthesis ( is not closed");
    }
    Ok(translator.translated)
}

/// What a repetition would repeat.
#[derive(Clone, Copy)]
struct Last {
    /// The number of repetitions that counts demand in it.
    repetitions: u32,
    /// Whether the previous token was a repetition.
    is_repeated: bool,
}

struct Translator<'p> {
    rest: &'p str,
    translated: String,
    /// Flags that apply to what follows. In Go, a repetition after flags repeats what precedes them.
    flags: String,
    names: Vec<&'p str>,
    /// For the pattern and every open group, the maximum number of repetitions that counts demand in it.
    open: Vec<u32>,
    last: Option<Last>,
}

impl Translator<'_> {
    fn next(&mut self) -> Option<char> {
        let letter = self.rest.chars().next()?;
        self.rest = &self.rest[letter.len_utf8()..];
        Some(letter)
    }

    fn skip(&mut self, prefix: &str) -> bool {
        let behind = self.rest.strip_prefix(prefix);
        self.rest = behind.unwrap_or(self.rest);
        behind.is_some()
    }

    fn token(&mut self, letter: char) -> Result<(), &'static str> {
        match letter {
            '\\' => self.escaped()?,
            '[' => {
                let class = self.class()?;
                self.push(&class);
            }
            '(' => self.group()?,
            ')' => {
                let repetitions = self.open.pop().unwrap_or(1);
                let Some(outer) = self.open.last_mut() else {
                    return Err("a parenthesis ) has no matching (");
                };
                *outer = repetitions.max(*outer);
                self.flags.clear();
                self.translated.push(')');
                self.last = Some(Last {
                    repetitions,
                    is_repeated: false,
                });
            }
            '|' => {
                self.push("|");
                self.last = None;
            }
            '*' | '+' | '?' => self.repetition(letter.encode_utf8(&mut [0; 4]), 1)?,
            '{' => match count(self.rest) {
                Some((written, behind)) => {
                    self.rest = behind;
                    self.repetition(&format!("{{{written}}}"), repetitions(written)?)?;
                }
                None => self.push(r"\{"),
            },
            '^' | '$' | '.' => self.push(letter.encode_utf8(&mut [0; 4])),
            other => self.push(&literal(other)),
        }
        Ok(())
    }

    /// Adds something that can be repeated.
    fn push(&mut self, part: &str) {
        self.translated.push_str(&std::mem::take(&mut self.flags));
        self.translated.push_str(part);
        self.last = Some(Last {
            repetitions: 1,
            is_repeated: false,
        });
    }

    fn repetition(&mut self, operator: &str, times: u32) -> Result<(), &'static str> {
        let is_lazy = self.skip("?");
        let last = self.last.as_mut().ok_or("a repetition has nothing to repeat")?;
        if last.is_repeated {
            return Err("a repetition follows a repetition");
        }
        last.is_repeated = true;
        last.repetitions *= times.max(1);
        if last.repetitions > MOST_REPETITIONS {
            return Err(TOO_MANY);
        }
        if let Some(open) = self.open.last_mut() {
            *open = last.repetitions.max(*open);
        }
        self.translated.push_str(operator);
        self.translated.push_str(if is_lazy { "?" } else { "" });
        Ok(())
    }

    /// Reads what follows a backslash outside classes.
    fn escaped(&mut self) -> Result<(), &'static str> {
        if self.skip("Q") {
            let (quoted, behind) = self.rest.split_once(r"\E").unwrap_or((self.rest, ""));
            self.rest = behind;
            for letter in quoted.chars() {
                self.push(&literal(letter));
            }
            if let Some(last) = &mut self.last {
                last.is_repeated = false;
            }
            return Ok(());
        }
        let boundaries = [("A", r"\A"), ("z", r"\z"), ("b", r"(?-u:\b)"), ("B", r"(?-u:\B)")];
        if let Some((_, boundary)) = boundaries.into_iter().find(|(letter, _)| self.skip(letter)) {
            self.push(boundary);
        } else if let Some(class) = self.escaped_class()? {
            self.push(&class);
        } else {
            let letter = self.escaped_letter()?;
            self.push(&literal(letter));
        }
        Ok(())
    }

    /// Reads a class of characters after a backslash, if there is one.
    fn escaped_class(&mut self) -> Result<Option<String>, &'static str> {
        let perl = [
            ("d", "[0-9]"),
            ("D", "[^0-9]"),
            ("s", r"[\t\n\f\r ]"),
            ("S", r"[^\t\n\f\r ]"),
            ("w", "[0-9A-Za-z_]"),
            ("W", "[^0-9A-Za-z_]"),
        ];
        if let Some((_, class)) = perl.into_iter().find(|(letter, _)| self.skip(letter)) {
            return Ok(Some(class.to_owned()));
        }
        let mut is_negated = self.rest.starts_with('P');
        if !self.skip("p") && !self.skip("P") {
            return Ok(None);
        }
        let name = if self.skip("{") {
            let (name, behind) = self.rest.split_once('}').ok_or(UNKNOWN_CLASS)?;
            self.rest = behind;
            name
        } else {
            let before = self.rest;
            self.next().ok_or(UNKNOWN_CLASS)?;
            &before[..before.len() - self.rest.len()]
        };
        is_negated ^= name.starts_with('^');
        let name = name.strip_prefix('^').unwrap_or(name);
        let is_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        if !name.starts_with(|letter: char| letter.is_ascii_uppercase()) || !name.chars().all(is_name) {
            return Err(UNKNOWN_CLASS);
        }
        Ok(Some(unicode_class(name, is_negated)))
    }

    /// Reads a single character after a backslash.
    fn escaped_letter(&mut self) -> Result<char, &'static str> {
        let code = match self.next().ok_or("nothing follows the last \\")? {
            '1'..='9' if !self.rest.starts_with(|next: char| next.is_digit(8)) => {
                return Err("it contains a backreference");
            }
            '8' | '9' => return Err(UNKNOWN_ESCAPE),
            digit @ '0'..='7' => {
                let more = self
                    .rest
                    .bytes()
                    .take(2)
                    .take_while(|next| (b'0'..=b'7').contains(next));
                let more = more.count();
                let (digits, behind) = self.rest.split_at(more);
                self.rest = behind;
                u32::from_str_radix(&format!("{digit}{digits}"), 8).map_err(|_| UNKNOWN_ESCAPE)?
            }
            'x' => {
                let digits = if self.skip("{") {
                    let (digits, behind) = self.rest.split_once('}').ok_or(UNKNOWN_ESCAPE)?;
                    self.rest = behind;
                    digits
                } else {
                    let (digits, behind) = self.rest.split_at_checked(2).ok_or(UNKNOWN_ESCAPE)?;
                    self.rest = behind;
                    digits
                };
                if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
                    return Err(UNKNOWN_ESCAPE);
                }
                u32::from_str_radix(digits, 16).map_err(|_| UNKNOWN_ESCAPE)?
            }
            'a' => 0x07,
            'f' => 0x0c,
            'n' => 0x0a,
            'r' => 0x0d,
            't' => 0x09,
            'v' => 0x0b,
            other if other.is_ascii() && !other.is_ascii_alphanumeric() => u32::from(other),
            _ => return Err(UNKNOWN_ESCAPE),
        };
        char::from_u32(code).ok_or(UNKNOWN_ESCAPE)
    }

    /// Reads a class up to its closing bracket.
    fn class(&mut self) -> Result<String, &'static str> {
        let mut class = String::from(if self.skip("^") { "[^" } else { "[" });
        let mut is_first = true;
        // A bracket at the beginning is one of the characters.
        while is_first || !self.rest.starts_with(']') {
            is_first = false;
            if let Some((name, behind)) = self.rest.strip_prefix("[:").and_then(|name| name.split_once(":]")) {
                if !NAMED_CLASSES.contains(&name.strip_prefix('^').unwrap_or(name)) {
                    return Err(UNKNOWN_CLASS);
                }
                self.rest = behind;
                class.push_str(&format!("[:{name}:]"));
                continue;
            }
            let low = match self.next().ok_or(OPEN_CLASS)? {
                '\\' => {
                    if let Some(escaped) = self.escaped_class()? {
                        class.push_str(&escaped);
                        continue;
                    }
                    self.escaped_letter()?
                }
                other => other,
            };
            class.push_str(&literal(low));
            if self.rest.starts_with('-') && !self.rest.starts_with("-]") && self.rest.len() > 1 {
                self.skip("-");
                let high = match self.next().ok_or(OPEN_CLASS)? {
                    '\\' => self.escaped_letter()?,
                    other => other,
                };
                if high < low {
                    return Err("a range of characters ends before it begins");
                }
                class.push('-');
                class.push_str(&literal(high));
            }
        }
        self.skip("]");
        class.push(']');
        Ok(class)
    }

    /// Reads the special syntax after an opening bracket, if any, such as `?:`.
    fn group(&mut self) -> Result<(), &'static str> {
        if !self.skip("?") {
            self.open_group(GROUP);
            return Ok(());
        }
        if ["=", "!", "<=", "<!"].iter().any(|look| self.rest.starts_with(look)) {
            return Err("it contains a lookahead or lookbehind");
        }
        if self.skip("P<") || self.skip("<") {
            let (name, behind) = self.rest.split_once('>').ok_or("the name of a group does not end")?;
            let is_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
            if name.is_empty() || !name.chars().all(is_name) {
                return Err("a group name may contain only letters, digits and underscores");
            }
            if self.names.contains(&name) {
                return Err("two groups have the same name");
            }
            self.names.push(name);
            self.rest = behind;
            self.open_group(GROUP);
            return Ok(());
        }
        let (flags, behind, is_group) = flags(self.rest).ok_or("it sets flags that do not exist")?;
        self.rest = behind;
        if is_group {
            self.open_group(&format!("(?{flags}:"));
        } else {
            if !flags.is_empty() {
                self.flags.push_str(&format!("(?{flags})"));
            }
            if let Some(last) = &mut self.last {
                last.is_repeated = false;
            }
        }
        Ok(())
    }

    fn open_group(&mut self, bracket: &str) {
        self.push(bracket);
        self.open.push(1);
        self.last = None;
    }
}

fn literal(letter: char) -> String {
    regex::escape(letter.encode_utf8(&mut [0; 4]))
}

/// Returns the class of characters with a Unicode name.
fn unicode_class(name: &str, is_negated: bool) -> String {
    match (name, is_negated) {
        // Strings contain no surrogates.
        ("Cs", false) => r"[^\x00-\x{10FFFF}]".to_owned(),
        ("Cs", true) => r"[\x00-\x{10FFFF}]".to_owned(),
        // In Go, unassigned characters belong to no class.
        ("C", false) => r"[\p{Cc}\p{Cf}\p{Co}]".to_owned(),
        ("C", true) => r"[^\p{Cc}\p{Cf}\p{Co}]".to_owned(),
        (_, false) => format!(r"\p{{{name}}}"),
        (_, true) => format!(r"\P{{{name}}}"),
    }
}

/// Reads flags. Returns each of them once, the text after the colon or bracket that follows, and whether it is a colon,
/// which begins a group.
fn flags(text: &str) -> Option<(String, &str, bool)> {
    let (mut on, mut off) = (String::new(), String::new());
    let mut is_negated = false;
    for (at, letter) in text.char_indices() {
        match letter {
            'i' | 'm' | 's' | 'U' => {
                let (to, from) = if is_negated {
                    (&mut off, &mut on)
                } else {
                    (&mut on, &mut off)
                };
                from.retain(|other| other != letter);
                if !to.contains(letter) {
                    to.push(letter);
                }
            }
            '-' if !is_negated => is_negated = true,
            ':' | ')' if !is_negated || !off.is_empty() => {
                let dash = if off.is_empty() { "" } else { "-" };
                return Some((format!("{on}{dash}{off}"), &text[at + 1..], letter == ':'));
            }
            _ => return None,
        }
    }
    None
}

/// Splits a string after an opening brace into a count of repetitions and what follows its closing brace. In Go, other
/// braces are plain characters.
fn count(text: &str) -> Option<(&str, &str)> {
    let is_number = |text: &str| {
        text.bytes().all(|byte| byte.is_ascii_digit()) && !text.is_empty() && (text == "0" || !text.starts_with('0'))
    };
    let (count, behind) = text.split_once('}')?;
    let is_count = match count.split_once(',') {
        Some((least, most)) => is_number(least) && (most.is_empty() || is_number(most)),
        None => is_number(count),
    };
    is_count.then_some((count, behind))
}

/// Returns the number of repetitions that a count demands.
fn repetitions(count: &str) -> Result<u32, &'static str> {
    let number = |text: &str| {
        text.parse()
            .ok()
            .filter(|number| *number <= MOST_REPETITIONS)
            .ok_or(TOO_MANY)
    };
    let (least, most) = count.split_once(',').unwrap_or((count, count));
    let least = number(least)?;
    let most = if most.is_empty() { least } else { number(most)? };
    if most < least {
        return Err("the maximum of a count is smaller than its minimum");
    }
    Ok(most)
}

#[cfg(test)]
mod tests;
