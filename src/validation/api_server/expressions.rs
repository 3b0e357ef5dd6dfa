//! Validation rules of schemas, which are expressions in the Common Expression Language.

/// Returns the reason why no parser accepts an expression, or `None` if this is not certain. Only quotes, brackets and
/// operators are checked, because Kubernetes has its own macros and syntax.
pub(super) fn problem_of_expression(expression: &str) -> Option<&'static str> {
    let Some(code) = masked(expression) else {
        return Some("a quote is not closed");
    };
    let mut brackets = Vec::new();
    let mut rest = code.as_str();
    let mut last = None;
    while let Some(letter) = rest.chars().next() {
        let behind = &rest[letter.len_utf8()..];
        let doubled = behind.strip_prefix(letter);
        let mut next = behind;
        match letter {
            '(' => brackets.push(')'),
            '[' => brackets.push(']'),
            '{' => brackets.push('}'),
            ')' | ']' | '}' if brackets.pop() != Some(letter) => {
                return Some("a closing bracket has no opening bracket");
            }
            '!' | '<' | '>' => next = behind.strip_prefix('=').unwrap_or(behind),
            '=' | '&' | '|' => match doubled {
                Some(end) => next = end,
                None if letter == '=' => return Some("= must be =="),
                None if letter == '&' => return Some("& must be &&"),
                None => return Some("| must be ||"),
            },
            _ => {}
        }
        if !letter.is_whitespace() {
            last = Some(letter);
        }
        rest = next;
    }
    if !brackets.is_empty() {
        return Some("a bracket is not closed");
    }
    let is_operator = last.is_some_and(|last| "=&|<>+-*/%!?:,.".contains(last));
    is_operator.then_some("it ends with an operator")
}

/// Returns the fields that an expression selects from `self` and `oldSelf`, each as a chain of names. Chains end before
/// anything that is not a plain selection, such as a function or an index. Escaped names are unescaped.
pub(super) fn fields_of_self(expression: &str) -> Vec<Vec<String>> {
    let code = masked(expression).unwrap_or_default();
    let mut chains = Vec::new();
    for (at, _) in code.match_indices("elf") {
        let (before, rest) = (&code[..at], &code[at + "elf".len()..]);
        let Some(before) = before.strip_suffix('s').or_else(|| before.strip_suffix("oldS")) else {
            continue;
        };
        if before.ends_with(|letter: char| is_part_of_word(letter) || letter == '.') {
            continue;
        }
        // A macro may declare a variable of this name.
        if rest.trim_start().starts_with(',') {
            return Vec::new();
        }
        let (mut rest, mut chain) = (rest, Vec::new());
        while let Some(selected) = rest.strip_prefix('.') {
            let end = selected
                .find(|letter| !is_part_of_word(letter))
                .unwrap_or(selected.len());
            let (name, behind) = selected.split_at(end);
            if name.is_empty() || behind.trim_start().starts_with('(') {
                break;
            }
            chain.push(unescaped(name));
            rest = behind;
        }
        if !chain.is_empty() {
            chains.push(chain);
        }
    }
    chains
}

/// Whether an expression certainly uses the variable `oldSelf`.
pub(super) fn uses_old_self(expression: &str) -> bool {
    let code = masked(expression).unwrap_or_default();
    // A macro may declare a variable of this name.
    let declares = |rest: &str| rest.trim_start().starts_with(',');
    let uses: Vec<&str> = old_selves(&code).collect();
    !uses.is_empty() && !uses.into_iter().any(declares)
}

/// Whether an expression may use the variable `oldSelf`.
pub(super) fn mentions_old_self(expression: &str) -> bool {
    masked(expression).is_none_or(|code| old_selves(&code).next().is_some())
}

/// Returns the code after each occurrence of the variable `oldSelf`.
fn old_selves(code: &str) -> impl Iterator<Item = &str> {
    const NAME: &str = "oldSelf";
    code.match_indices(NAME).filter_map(|(at, _)| {
        let (before, rest) = (&code[..at], &code[at + NAME.len()..]);
        let is_part = before.ends_with(|letter: char| is_part_of_word(letter) || letter == '.');
        (!is_part && !rest.starts_with(is_part_of_word)).then_some(rest)
    })
}

fn is_part_of_word(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}

/// The words of the language that are escaped if they are the name of a field.
const RESERVED: [&str; 21] = [
    "as",
    "break",
    "const",
    "continue",
    "else",
    "false",
    "for",
    "function",
    "if",
    "import",
    "in",
    "let",
    "loop",
    "namespace",
    "null",
    "package",
    "return",
    "true",
    "var",
    "void",
    "while",
];
/// The escapes in names of fields, and what they stand for.
const ESCAPES: [(&str, &str); 4] = [
    ("__dash__", "-"),
    ("__dot__", "."),
    ("__slash__", "/"),
    ("__underscores__", "__"),
];

/// Returns the name in the schema of a field that an expression selects. Kubernetes escapes names that are not
/// identifiers of the language.
fn unescaped(name: &str) -> String {
    let inner = name.strip_prefix("__").and_then(|name| name.strip_suffix("__"));
    if let Some(word) = inner.filter(|word| RESERVED.contains(word)) {
        return word.to_owned();
    }
    let mut written = String::with_capacity(name.len());
    let mut rest = name;
    while let Some(letter) = rest.chars().next() {
        if let Some((escape, meaning)) = ESCAPES.iter().find(|(escape, _)| rest.starts_with(escape)) {
            written.push_str(meaning);
            rest = &rest[escape.len()..];
        } else {
            written.push(letter);
            rest = &rest[letter.len_utf8()..];
        }
    }
    written
}

/// Replaces each string and each quoted name in an expression with `#`, and removes comments. Returns `None` if a quote
/// is not closed.
fn masked(expression: &str) -> Option<String> {
    let mut code = String::with_capacity(expression.len());
    let (mut rest, mut word) = (expression, expression);
    while let Some(letter) = rest.chars().next() {
        let behind = &rest[letter.len_utf8()..];
        let next = match letter {
            '"' | '\'' => {
                let prefix = &word[..word.len() - rest.len()];
                let is_raw = ["r", "br"].iter().any(|raw| prefix.eq_ignore_ascii_case(raw));
                code.push('#');
                literal(rest, letter, is_raw)?
            }
            '`' => {
                code.push('#');
                behind.split_once('`')?.1
            }
            '/' if behind.starts_with('/') => behind.split_once('\n').map_or("", |(_, end)| end),
            letter => {
                code.push(letter);
                behind
            }
        };
        if !letter.is_ascii_alphanumeric() && letter != '_' {
            word = next;
        }
        rest = next;
    }
    Some(code)
}

/// Returns the text after a string, or `None` if the string does not end.
fn literal(text: &str, quote: char, is_raw: bool) -> Option<&str> {
    let triple = quote.to_string().repeat(3);
    let is_triple = text.starts_with(&triple);
    let delimiter = if is_triple { triple.as_str() } else { &triple[..1] };
    let mut rest = &text[delimiter.len()..];
    loop {
        if let Some(behind) = rest.strip_prefix(delimiter) {
            return Some(behind);
        }
        let letter = rest.chars().next()?;
        rest = &rest[letter.len_utf8()..];
        if letter == '\\' && !is_raw {
            let escaped = rest.chars().next()?;
            rest = &rest[escaped.len_utf8()..];
        } else if !is_triple && ['\n', '\r'].contains(&letter) {
            return None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_field_selections_of_self_are_found() {
        for (expression, wanted) in [
            ("self.a.b == oldSelf.c", &["a.b", "c"][..]),
            ("has(self.a) && self.b.size() > 0", &["a", "b"]),
            ("self.list[0].x + self.map['y'].z", &["list", "map"]),
            ("'self.a' != x.self.b && myself.c // self.d", &[]),
            ("self.`a-b` || self.?c", &[]),
            ("self.x__dash__prop.a__dot__b", &["x-prop.a.b"]),
            ("self.redact__underscores__d == self.a__slash__b", &["redact__d", "a/b"]),
            ("self.__namespace__.__in__ > self.a___dash__", &["namespace.in", "a_-"]),
            ("self.__other__ == self.a__in__", &["__other__", "a__in__"]),
            ("x.all(self, self.a)", &[]),
            ("self == 1 && self.startsWith('a')", &[]),
        ] {
            let found: Vec<String> = fields_of_self(expression).iter().map(|chain| chain.join(".")).collect();
            assert_eq!(found, wanted, "{expression}");
        }
    }

    #[test]
    fn the_use_of_old_self_is_found() {
        for (expression, uses, mentions) in [
            ("self == oldSelf", true, true),
            ("oldSelf.a.oldSelf > 1", true, true),
            ("self.oldSelf == 'oldSelf' && myoldSelf == oldSelf2", false, false),
            ("self.all(oldSelf, oldSelf > 1)", false, true),
            ("oldSelf == '", false, true),
        ] {
            assert_eq!(
                (uses_old_self(expression), mentions_old_self(expression)),
                (uses, mentions),
                "{expression}"
            );
        }
    }

    #[test]
    fn only_certain_errors_in_expressions_are_reported() {
        for expression in [
            "(a",
            "a)",
            "[a)",
            "{'a': 1",
            "'a",
            r"'a\'",
            "'a\nb'",
            r#""""a"""#,
            "`a",
            "a = 1",
            "a === 1",
            "a & b",
            "a | b",
            "a &&",
            "a ==",
            "!",
            "a ? b :",
            "a.",
            "a && // b",
        ] {
            assert!(problem_of_expression(expression).is_some(), "{expression}");
        }
        for expression in [
            "",
            "true",
            "a == 1 && b != 2 || !(c <= 3 && d >= 4)",
            "self.?a[?0].orValue({?'b': [?c, d,]})",
            r#"self.all(k, v, v.isURL() && url(v).getScheme() in ['https', "http"])"#,
            r"a.matches('^[(\\d]$')",
            r#"a == r'\' || b == R"\\\" || c == br'\' && d == b'('"#,
            "'''a'b\n(''' + \"\"\"\"c\"\"\"",
            "a // (b = 'c\n == 1",
            "self.`a-(b)` == 1",
            "a ? -1.5e3 : 0x1u",
            "cel.bind(x, self.spec, x.a == x.b)",
            "'é(' + a",
        ] {
            assert_eq!(problem_of_expression(expression), None, "{expression}");
        }
    }
}
