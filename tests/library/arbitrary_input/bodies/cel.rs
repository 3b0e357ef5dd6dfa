//! Rules in CEL: one verdict on whether they are valid, and an answer within the budget.

use super::words;
use opmx::cel::{Budget, Rule, check};

const EXAMPLES: [&str; 6] = [
    "properties.exists(p, p.type == 'olm.package' && semver_compare(p.value.version, '1.0.0') >= 0)",
    "properties.filter(p, p.type.startsWith(\"acme\") || p.value in ['a', 'b']).map(p, p.value).size() == 1 ? true : false",
    "properties.all(p, has(p.value) && p.type.matches('^[a-z]+\\\\.\\\\w$')) && !(size(properties) > 3)",
    "{'a': [1, 2u, 3.5, -4]}['a'][0] + 1 == 2 && b'x' != b'y' && null == null && type(1) == int",
    "properties.exists_one(p, p.value[0] == string(1)) || [1, 2].exists(x, x % 2 == 0 || x / 0 > 1)",
    "['aaaaaaaaaaaaaaaa', [1]].map(a, a + a).size() == 1",
];
/// A part of a rule that doubles the size of a value.
const DOUBLING: &str = ".map(a, a + a)";
const PROPERTIES: [(&str, &str); 4] = [
    ("olm.package", r#"{"packageName":"foo","version":"v1.2"}"#),
    ("acme.size", "3"),
    ("acme.names", r#"["a","b",null,{"c":1e300}]"#),
    ("not JSON", "{"),
];

/// Reads any string as a rule.
pub fn rule(text: &str) {
    let checked = check(text);
    if let Err(problem) = &checked {
        assert!(!problem.reason.is_empty());
        if let Some(span) = &problem.span {
            assert!(text.get(span.clone()).is_some(), "{text:?}: {problem:?}");
        }
    }
    match (checked, Rule::compile(text)) {
        (Ok(()), Ok(rule)) => {
            let budget = Budget::new(100_000);
            let verdict = rule.holds(PROPERTIES.into_iter(), &budget);
            let again = rule.holds(PROPERTIES.into_iter(), &Budget::new(100_000));
            assert_eq!(verdict, again, "{text:?}");
            assert!(
                !(verdict && budget.is_spent()),
                "{text:?} holds, although it was not evaluated"
            );
        }
        (Err(problem), Err(same)) => assert_eq!(problem, same),
        (checked, compiled) => panic!("{text:?}: {checked:?}, but {compiled:?}"),
    }
}

/// Reads a valid rule with a word replaced by any string, and doubles the size of its values.
pub fn word(which: usize, word: usize, text: &str) {
    let replaced = words::replaced(EXAMPLES[which % EXAMPLES.len()], word, text);
    rule(&replaced);
    if replaced.contains(DOUBLING) {
        rule(&replaced.replacen(DOUBLING, &DOUBLING.repeat(34), 1));
    }
}
