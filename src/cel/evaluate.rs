//! Evaluates rules against the properties of a bundle.

use super::check::{self, Problem};
use super::cost::{KEPT_PATTERNS, cost};
use super::parts::{depth, patterns};
use super::patterns::Patterns;
use super::stack::{SHALLOW, on_deep_stack};
use crate::version::parse_tolerant;
use cel::extractors::This;
use cel::{Context, ExecutionError, Program};
use serde_json::{Map, Number, Value, json};
use std::cell::Cell;
use std::fmt;
use std::sync::Arc;

/// A valid rule.
pub struct Rule {
    program: Program,
    /// Whether the rule can be evaluated on the stack of any thread.
    is_shallow: bool,
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

    /// Deducts a cost; returns `false` if it exceeds the rest of the budget.
    pub(crate) fn take(&self, cost: u64) -> bool {
        self.left.set(self.left.get().and_then(|left| left.checked_sub(cost)));
        !self.is_spent()
    }
}

impl Rule {
    /// Compiles a rule.
    ///
    /// # Errors
    /// Returns the problem that [`check`](check::check) finds in the rule.
    pub fn compile(rule: &str) -> Result<Self, Problem> {
        check::compile(rule, |program| Self {
            is_shallow: depth(program.expression()) <= SHALLOW,
            program,
        })
    }

    /// Whether the rule holds for these properties. Each property is a pair: its type and the JSON text of its value.
    /// Returns `false` if the evaluation fails. Also returns `false` if the rule would exceed the budget, or could need
    /// too much memory; the budget is then spent.
    pub fn holds<'p>(&self, properties: impl Iterator<Item = (&'p str, &'p str)>, budget: &Budget) -> bool {
        let mut bytes = 0;
        let value = |(kind, text): (&str, &str)| {
            bytes += text.len();
            let value = serde_json::from_str(text).map_or(Value::Null, with_floats);
            json!({"type": kind, "value": value})
        };
        let properties: Vec<Value> = properties.map(value).collect();
        let left = budget.left.get();
        let evaluate = || {
            let cost = cost(self.program.expression(), &properties).saturating_add(bytes as u64 / 8);
            let is_within = left.is_some_and(|left| cost <= left);
            (
                cost,
                is_within && self.evaluate(&properties, &Arc::new(self.patterns())),
            )
        };
        let evaluated = if self.is_shallow {
            Some(evaluate())
        } else {
            on_deep_stack(evaluate)
        };
        let Some((cost, holds)) = evaluated else {
            budget.left.set(None);
            return false;
        };
        budget.take(cost) && holds
    }

    /// Returns the regular expressions of the rule that are compiled once per evaluation.
    fn patterns(&self) -> Patterns {
        let literals = patterns(self.program.expression()).into_iter();
        Patterns::of(literals.take(KEPT_PATTERNS))
    }

    fn evaluate(&self, properties: &[Value], patterns: &Arc<Patterns>) -> bool {
        let Ok(properties) = cel::to_value(properties) else {
            return false;
        };
        let mut context = Context::default();
        context.add_variable_from_value("properties", properties);
        let compare = |left: Arc<String>, right: Arc<String>| semver_compare(&left, &right);
        let patterns = Arc::clone(patterns);
        let matching = move |This(text): This<Arc<String>>, pattern: Arc<String>| {
            let matches = patterns.matches(&text, &pattern);
            matches.map_err(|reason| ExecutionError::function_error("matches", reason))
        };
        let added = context
            .add_function("semver_compare", compare)
            .and_then(|()| context.add_function("matches", matching));
        added.is_ok() && self.program.execute(&context) == Ok(cel::Value::Bool(true))
    }
}

fn semver_compare(left: &str, right: &str) -> Result<i64, ExecutionError> {
    let version = |text: &str| {
        parse_tolerant(text).ok_or_else(|| ExecutionError::function_error("semver_compare", format!("{text:?}")))
    };
    Ok(version(left)?.cmp_precedence(&version(right)?) as i64)
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

#[cfg(test)]
mod tests {
    use super::super::cost::PATTERN_COST;
    use super::super::functions::{Form, SIGNATURES, Signature};
    use super::super::types::Type;
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
    fn rules_are_evaluated_on_the_properties() {
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
    fn strings_are_matched_with_regular_expressions() {
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
    fn regular_expressions_have_the_semantics_of_go() {
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
    fn expressions_that_cost_too_much_are_not_evaluated() {
        let nested = (0..12).fold("true".to_owned(), |inner, depth| {
            format!("properties.exists(p{depth}, {inner})")
        });
        let rule = Rule::compile(&nested).unwrap();
        let properties: Vec<(&str, &str)> = (0..100).map(|_| ("a", "1")).collect();
        let budget = Budget::new(1_000_000);
        assert!(!rule.holds(properties.iter().copied(), &budget));
        assert!(budget.is_spent());
    }
    /// Returns the verdict with a budget that only a lack of memory exhausts, or `None` if the budget is spent.
    fn verdict(rule: &str, properties: &[(&str, &str)]) -> Option<bool> {
        let budget = Budget::new(100_000_000);
        let verdict = Rule::compile(rule).unwrap().holds(properties.iter().copied(), &budget);
        (!budget.is_spent()).then_some(verdict)
    }

    #[test]
    fn rules_whose_values_grow_without_bound_are_not_evaluated() {
        let many = |start: &str, step: &str, times: usize| format!("{start}{}.size() == 1", step.repeat(times));
        let nested = (0..24).fold("x23 == x23".to_owned(), |inner, depth| {
            let level = 23 - depth;
            match level {
                0 => format!("['aaaaaaaaaaaaaaaa'].all(x0, {inner})"),
                _ => format!("[x{before} + x{before}].all(x{level}, {inner})", before = level - 1),
            }
        });
        let lists = (0..8).fold("1".to_owned(), |inner, _| format!("[{inner}, {inner}]"));
        for rule in [
            many("['aaaaaaaaaaaaaaaa']", ".map(a, a + a)", 34),
            many("[b'aaaaaaaaaaaaaaaa']", ".map(a, a + a)", 34),
            many("['aaaaaaaaaaaaaaaa']", ".map(a, true, a + a)", 34),
            many("['aaaaaaaaaaaaaaaa']", ".filter(a, true).map(a, a + a)", 34),
            many("[{'k': 'aaaaaaaaaaaaaaaa'}]", ".map(a, {'k': a.k + a['k']})", 34),
            many("[[1]]", ".map(a, a + a)", 34),
            many("[[1]]", ".map(a, [a, a])", 34),
            many("[[1]]", ".map(a, a.map(b, b) + a.map(b, b))", 34),
            many("['aaaaaaaaaaaaaaaa']", ".map(a, string(bytes(a + a)))", 34),
            many("['aaaaaaaaaaaaaaaa']", ".map(a, true ? a + a : a)", 34),
            many("[[1, 2, 3, 4, 5, 6, 7, 8]]", ".map(a, a.map(b, a))", 12),
            nested,
        ] {
            assert_eq!(verdict(&rule, &PROPERTIES), None, "{rule}");
        }
        let rule = format!("{lists}.size() == 2");
        assert_eq!(verdict(&rule, &PROPERTIES), Some(true));
    }

    #[test]
    fn rules_that_create_lists_of_large_properties_are_evaluated() {
        let large = format!("{:?}", "x".repeat(1 << 16));
        let properties: Vec<(&str, &str)> = (0..100)
            .map(|number| ("acme.large", if number == 7 { large.as_str() } else { "1" }))
            .collect();
        for rule in [
            "properties.filter(p, p.type == 'acme.large').size() == 100",
            "properties.map(p, p.value).filter(v, v == 1.0).size() == 99",
            "properties.map(p, p.type + '!').exists(t, t == 'acme.large!')",
            "properties.exists(p, properties.exists(q, p.value == q.value))",
            "properties.filter(p, p.type.matches('^acme')).map(p, p.type).all(t, t.startsWith('acme'))",
        ] {
            assert_eq!(verdict(rule, &properties), Some(true), "{rule}");
        }
    }

    #[test]
    fn copying_and_comparing_large_values_has_a_cost() {
        let large = format!("{:?}", "x".repeat(1 << 20));
        let properties: Vec<(&str, &str)> = (0..100).map(|_| ("acme.large", large.as_str())).collect();
        for rule in [
            "properties.all(p, properties.all(q, p.value + q.value != p.value))",
            "properties.all(p, properties.all(q, properties.all(r, p.value == q.value)))",
        ] {
            assert_eq!(verdict(rule, &properties), None, "{rule}");
        }
    }

    #[test]
    fn a_regular_expression_of_a_rule_is_compiled_once_per_evaluation() {
        let rule = Rule::compile("properties.exists(p, p.type.matches('^a$') || p.type.matches('^b$'))").unwrap();
        let properties: Vec<Value> = (0..100).map(|_| json!({"type": "c", "value": 1})).collect();
        let patterns = Arc::new(rule.patterns());
        assert!(!rule.evaluate(&properties, &patterns));
        assert_eq!(patterns.compiled(), 2);
    }

    #[test]
    fn a_long_regular_expression_of_a_rule_is_charged_once() {
        let pattern = "a".repeat(1000);
        let rule = Rule::compile(&format!("properties.exists(p, p.type.matches('{pattern}'))")).unwrap();
        let properties: Vec<(&str, &str)> = (0..100).map(|_| ("a", "1")).collect();
        let budget = Budget::new(2_000_000);
        assert!(!rule.holds(properties.iter().copied(), &budget));
        assert!(!budget.is_spent());
        let computed = Rule::compile(&format!("properties.exists(p, p.type.matches('' + '{pattern}'))")).unwrap();
        assert!(!computed.holds(properties.iter().copied(), &budget));
        assert!(budget.is_spent());
    }

    #[test]
    fn a_regular_expression_that_could_need_too_much_memory_is_not_compiled() {
        let rule = format!("properties.exists(p, p.type.matches('{}'))", r"\\pL".repeat(2000));
        assert_eq!(verdict(&rule, &PROPERTIES), None);
        let long = format!("{:?}", "a".repeat(10_000));
        assert_eq!(
            verdict("properties.exists(p, 'a'.matches(p.value))", &[("a", &long)]),
            None
        );
    }

    #[test]
    fn the_deepest_rules_are_evaluated_on_a_small_thread_stack() {
        for rule in [
            format!("{}true{}", "(".repeat(64), ")".repeat(64)),
            format!("{}true{}", "[1].exists(x,".repeat(64), ")".repeat(64)),
            format!("1{} == 991", "+1".repeat(990)),
        ] {
            let small = std::thread::Builder::new().stack_size(2 << 20);
            let thread = small.spawn(move || {
                let rule = Rule::compile(&rule).unwrap();
                rule.holds(PROPERTIES.into_iter(), &Budget::new(1_000_000))
            });
            assert!(thread.unwrap().join().unwrap());
        }
    }

    /// Returns an expression of this type that functions can convert.
    fn sample(kind: Type, name: &str) -> Option<&'static str> {
        Some(match kind {
            Type::Boolean => "true",
            Type::Text if name == "bool" => "'true'",
            Type::Text if name == "semver_compare" => "'1.0.0'",
            Type::Text => "'1'",
            Type::Number if name == "_[_]" => "0",
            Type::Unknown if ["_[_]", "@in"].contains(&name) => "1",
            Type::Number => "1",
            Type::Bytes => "b'1'",
            Type::List | Type::Unknown => "[1]",
            Type::Map => "{1: 1}",
            Type::Null => "null",
            Type::Named => "int",
            Type::Time | Type::Duration => return None,
        })
    }

    #[test]
    fn every_accepted_function_can_be_evaluated() {
        let (mut evaluated, mut failing) = (0, Vec::new());
        for signature in SIGNATURES {
            let Signature {
                name,
                form,
                arguments,
                result,
            } = signature;
            let samples: Option<Vec<&str>> = arguments.iter().map(|kind| sample(*kind, name)).collect();
            let (Some(samples), false) = (samples, [Type::Time, Type::Duration].contains(result)) else {
                continue;
            };
            let call = match (*name, *form, &samples[..]) {
                ("@not_strictly_false", ..) => continue,
                ("@in", _, [item, container]) => format!("{item} in {container}"),
                ("_[_]", _, [container, key]) => format!("{container}[{key}]"),
                ("_?_:_", _, [condition, left, right]) => format!("{condition} ? {left} : {right}"),
                (sign, _, [operand]) if sign.ends_with('_') => format!("{}{operand}", sign.trim_matches('_')),
                (sign, _, [left, right]) if sign.ends_with('_') => format!("{left} {} {right}", sign.trim_matches('_')),
                (_, Form::Member, [receiver, others @ ..]) => format!("{receiver}.{name}({})", others.join(", ")),
                _ => format!("{name}({})", samples.join(", ")),
            };
            let rule = format!("[{call}].size() == 1");
            if !holds(&rule) {
                failing.push(rule);
            }
            evaluated += 1;
        }
        assert_eq!(failing, Vec::<String>::new());
        assert!(evaluated > 50, "{evaluated}");
    }
}
