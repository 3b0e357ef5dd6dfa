//! Evaluates rules against the properties of a bundle.

use super::check::{Problem, check};
use crate::pattern::translate;
use crate::version::parse_tolerant;
use cel::common::ast::{EntryExpr, Expr, IdedExpr};
use cel::extractors::This;
use cel::{Context, ExecutionError, Program};
use regex::RegexBuilder;
use serde_json::{Map, Number, Value, json};
use std::cell::Cell;
use std::fmt;
use std::sync::Arc;

/// A valid rule.
pub struct Rule {
    program: Program,
}

impl fmt::Debug for Rule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Rule").finish_non_exhaustive()
    }
}

/// A limit on the total number of rule parts that are evaluated.
#[derive(Debug)]
pub struct Budget {
    limit: u64,
    left: Cell<Option<u64>>,
}

impl Budget {
    /// Creates a budget of `limit` parts.
    pub fn new(limit: u64) -> Self {
        Self {
            limit,
            left: Cell::new(Some(limit)),
        }
    }

    /// Returns the number of parts with which the budget was created.
    pub fn limit(&self) -> u64 {
        self.limit
    }

    /// Whether a rule was skipped because it would have exceeded the budget.
    pub fn is_spent(&self) -> bool {
        self.left.get().is_none()
    }

    fn take(&self, cost: u64) -> bool {
        self.left.set(self.left.get().and_then(|left| left.checked_sub(cost)));
        !self.is_spent()
    }
}

impl Rule {
    /// Compiles a rule.
    ///
    /// # Errors
    /// Returns the first problem that [`check`] finds in the rule.
    pub fn compile(rule: &str) -> Result<Self, Problem> {
        check(rule)?;
        let program = Program::compile(rule).map_err(|error| Problem {
            reason: format!("has a syntax error: {error}"),
            span: None,
        })?;
        Ok(Self { program })
    }

    /// Whether the rule holds for these properties. Each property is a pair: its type and the JSON text of its value.
    /// Returns `false` if the evaluation fails. Also returns `false` if the rule would exceed the budget; the budget is
    /// then spent.
    pub fn holds<'p>(&self, properties: impl Iterator<Item = (&'p str, &'p str)>, budget: &Budget) -> bool {
        let mut bytes = 0;
        let value = |(kind, text): (&str, &str)| {
            bytes += text.len();
            let value = serde_json::from_str(text).map_or(Value::Null, with_floats);
            json!({"type": kind, "value": value})
        };
        let properties: Vec<Value> = properties.map(value).collect();
        let sizes = Sizes {
            properties: properties.len() as u64,
            others: properties.iter().map(largest).max().unwrap_or(0),
        };
        let cost = cost(self.program.expression(), sizes).saturating_add(bytes as u64 / 8);
        if !budget.take(cost) {
            return false;
        }
        let Ok(properties) = cel::to_value(&properties) else {
            return false;
        };
        let mut context = Context::default();
        context.add_variable_from_value("properties", properties);
        let compare = |left: Arc<String>, right: Arc<String>| semver_compare(&left, &right);
        let matching = |This(text): This<Arc<String>>, pattern: Arc<String>| matches(&text, &pattern);
        let added = context
            .add_function("semver_compare", compare)
            .and_then(|()| context.add_function("matches", matching));
        if added.is_err() {
            return false;
        }
        self.program.execute(&context) == Ok(cel::Value::Bool(true))
    }
}

fn semver_compare(left: &str, right: &str) -> Result<i64, ExecutionError> {
    let version = |text: &str| {
        parse_tolerant(text).ok_or_else(|| ExecutionError::function_error("semver_compare", format!("{text:?}")))
    };
    Ok(version(left)?.cmp_precedence(&version(right)?) as i64)
}

/// The maximum size in bytes of a compiled regular expression.
const LARGEST_PATTERN: usize = 1 << 18;
/// The approximate maximum cost of compiling a regular expression.
const PATTERN_COST: u64 = 2000;
/// The cost of each byte of a string that a regular expression is matched against.
const BYTE_COST: u64 = 4;

/// Whether a regular expression matches anywhere in a string. The time is linear in the length of the string.
fn matches(text: &str, pattern: &str) -> Result<bool, ExecutionError> {
    let pattern = translate(pattern).map_err(|reason| ExecutionError::function_error("matches", reason))?;
    let pattern = RegexBuilder::new(&pattern)
        .size_limit(LARGEST_PATTERN)
        .dfa_size_limit(LARGEST_PATTERN)
        .nest_limit(64)
        .build()
        .map_err(|error| ExecutionError::function_error("matches", error))?;
    Ok(pattern.is_match(text))
}

/// Converts all numbers to floats, because Go decodes all JSON numbers as floats.
fn with_floats(value: Value) -> Value {
    match value {
        Value::Number(number) => number
            .as_f64()
            .and_then(Number::from_f64)
            .map_or(Value::Null, Value::Number),
        Value::Array(items) => items.into_iter().map(with_floats).collect(),
        Value::Object(map) => {
            let map: Map<String, Value> = map.into_iter().map(|(key, value)| (key, with_floats(value))).collect();
            Value::Object(map)
        }
        other => other,
    }
}

/// Returns the size of the largest list, map or string in a value. The size of a list or map is the number of its
/// items; the size of a string is the number of its bytes, divided by 16.
fn largest(value: &Value) -> u64 {
    match value {
        Value::Array(items) => items.iter().map(largest).max().unwrap_or(0).max(items.len() as u64),
        Value::Object(map) => map.values().map(largest).max().unwrap_or(0).max(map.len() as u64),
        Value::String(text) => text.len() as u64 / 16,
        _ => 1,
    }
}

#[derive(Clone, Copy)]
struct Sizes {
    properties: u64,
    others: u64,
}

/// Returns an upper bound on the number of parts that are evaluated for an expression.
fn cost(expression: &IdedExpr, sizes: Sizes) -> u64 {
    let of = |expression: &IdedExpr| cost(expression, sizes);
    let sum = |costs: &mut dyn Iterator<Item = u64>| costs.fold(1_u64, u64::saturating_add);
    match &expression.expr {
        Expr::Select(select) => of(&select.operand).saturating_add(1),
        Expr::List(list) => sum(&mut list.elements.iter().map(of)),
        Expr::Map(map) => sum(&mut map.entries.iter().map(|entry| match &entry.expr {
            EntryExpr::MapEntry(entry) => of(&entry.key).saturating_add(of(&entry.value)),
            EntryExpr::StructField(field) => of(&field.value),
        })),
        Expr::Call(call) => {
            let parts = sum(&mut call.target.as_deref().into_iter().chain(&call.args).map(of));
            // `largest` counts strings in units of 16 bytes.
            let bytes = sizes.others.saturating_mul(16);
            match call.func_name.as_str() {
                "matches" => parts.saturating_add(PATTERN_COST.saturating_add(bytes.saturating_mul(BYTE_COST))),
                _ => parts,
            }
        }
        Expr::Comprehension(comprehension) => {
            let range = &comprehension.iter_range;
            let written = match &range.expr {
                Expr::List(list) => list.elements.len() as u64,
                Expr::Map(map) => map.entries.len() as u64,
                _ => 0,
            };
            let times = match &range.expr {
                Expr::Ident(name) if name == "properties" => sizes.properties,
                _ => sizes.properties.max(sizes.others).max(written),
            };
            let each = of(&comprehension.loop_cond).saturating_add(of(&comprehension.loop_step));
            let once = of(range).saturating_add(of(&comprehension.result));
            times.saturating_mul(each).saturating_add(once)
        }
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROPERTIES: [(&str, &str); 3] = [
        ("olm.package", r#"{"packageName":"foo","version":"v1.2"}"#),
        ("acme.size", "3"),
        ("acme.names", r#"["a","b"]"#),
    ];

    fn holds(rule: &str) -> bool {
        Rule::compile(rule)
            .unwrap()
            .holds(PROPERTIES.into_iter(), &Budget::new(100_000))
    }

    #[test]
    fn rules_are_judged_on_the_properties() {
        assert!(holds(
            "properties.exists(p, p.type == 'olm.package' && p.value.packageName == 'foo')"
        ));
        assert!(holds(
            "properties.exists(p, p.type == 'olm.package' && semver_compare(p.value.version, '1.1.9') > 0)"
        ));
        assert!(!holds(
            "properties.exists(p, p.type == 'olm.package' && semver_compare(p.value.version, '1.2.0') > 0)"
        ));
        assert!(holds("properties.exists(p, p.type == 'acme.size' && p.value > 2.5)"));
        assert!(holds("properties.exists(p, p.type == 'acme.names' && 'b' in p.value)"));
        assert!(!holds("properties.all(p, p.value.packageName == 'foo')"));
    }

    #[test]
    fn texts_are_matched_with_regular_expressions() {
        let of_name = |test: &str| holds(&format!("properties.exists(p, p.type == 'olm.package' && {test})"));
        assert!(of_name("p.value.packageName.matches('^fo+$')"));
        assert!(of_name("matches(p.value.packageName, 'o')"));
        assert!(!of_name("p.value.packageName.matches('^o')"));
        assert!(!of_name("p.value.packageName.matches('(')"));
        assert!(!of_name("p.value.packageName.matches('((fo*){500}){500}|foo')"));
        assert!(!holds(
            "properties.exists(p, p.type == 'acme.size' && p.value.matches('3'))"
        ));
    }

    #[test]
    fn regular_expressions_have_the_meaning_of_go() {
        for (text, pattern) in [
            ("a{,2}", "^a{,2}$"),
            ("x{", "x{"),
            ("[x", "[[]x"),
            ("&", "[a&&b]"),
            ("ab", "^a\\\\B"),
        ] {
            assert!(holds(&format!("'{text}'.matches('{pattern}')")), "{pattern}");
        }
        assert!(holds("!'aé'.matches('^a\\\\B')"));
    }

    #[test]
    fn an_evaluation_with_a_pattern_that_go_rejects_fails() {
        for pattern in ["[^a--c]", "a**", "(?x)a"] {
            assert!(!holds(&format!("'a'.matches('{pattern}')")), "{pattern}");
            assert!(!holds(&format!("!'a'.matches('{pattern}')")), "{pattern}");
        }
    }

    #[test]
    fn a_regular_expression_costs_more_than_other_functions() {
        let rule = Rule::compile("properties.exists(p, p.type.matches('^acme'))").unwrap();
        let budget = Budget::new(PATTERN_COST);
        assert!(!rule.holds(PROPERTIES.into_iter(), &budget));
        assert!(budget.is_spent());
        let rule = Rule::compile("properties.exists(p, p.type.startsWith('acme'))").unwrap();
        assert!(rule.holds(PROPERTIES.into_iter(), &Budget::new(PATTERN_COST)));
    }

    #[test]
    fn what_costs_too_much_is_not_evaluated() {
        let nested = (0..12).fold("true".to_owned(), |inner, depth| {
            format!("properties.exists(p{depth}, {inner})")
        });
        let rule = Rule::compile(&nested).unwrap();
        let properties: Vec<(&str, &str)> = (0..100).map(|_| ("a", "1")).collect();
        let budget = Budget::new(1_000_000);
        assert!(!rule.holds(properties.iter().copied(), &budget));
        assert!(budget.is_spent());
    }
}
