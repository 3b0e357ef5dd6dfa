//! Validation rules of schemas, which are expressions in the Common Expression Language.

/// Returns the reason why no parser accepts an expression, or `None` if this is not certain. Only quotes, brackets and
/// operators are checked, because Kubernetes has its own macros and syntax.
pub(super) fn problem_of_expression(expression: &str) -> Option<&'static str> {
    let mut brackets = Vec::new();
    let (mut rest, mut word) = (expression, expression);
    let mut last = None;
    while let Some(letter) = rest.chars().next() {
        let behind = &rest[letter.len_utf8()..];
        let doubled = behind.strip_prefix(letter);
        let mut next = behind;
        match letter {
            '"' | '\'' => {
                let prefix = &word[..word.len() - rest.len()];
                let is_raw = ["r", "br"].iter().any(|raw| prefix.eq_ignore_ascii_case(raw));
                let Some(end) = literal(rest, letter, is_raw) else {
                    return Some("a quote is not closed");
                };
                next = end;
            }
            '`' => {
                let Some((_, end)) = behind.split_once('`') else {
                    return Some("a quote is not closed");
                };
                next = end;
            }
            '/' if doubled.is_some() => {
                let Some((_, end)) = behind.split_once('\n') else { break };
                (rest, word) = (end, end);
                continue;
            }
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
        if !letter.is_ascii_alphanumeric() && letter != '_' {
            word = next;
        }
        rest = next;
    }
    if !brackets.is_empty() {
        return Some("a bracket is not closed");
    }
    let is_operator = last.is_some_and(|last| "=&|<>+-*/%!?:,.".contains(last));
    is_operator.then_some("it ends with an operator")
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
    fn only_certain_mistakes_in_expressions_are_named() {
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
