//! Checks rules in the Common Expression Language as OLM compiles them: with the single variable `properties`, the
//! functions of the language and `semver_compare`, and a boolean result.

use super::functions::{Form, Misfit, result_of};
use super::stack::on_deep_stack;
use super::types::{TYPE_NAMES, Type};
use cel::common::ast::{CallExpr, ComprehensionExpr, EntryExpr, Expr, IdedExpr, LiteralValue};
use cel::{Env, Program};
use std::cell::OnceCell;
use std::ops::Range;

/// A problem with a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The kind of the problem.
    pub kind: ProblemKind,
    /// A description of the problem. Messages put it after `the rule of a constraint`.
    pub reason: String,
    /// The byte range of the affected part of the rule, if known.
    pub span: Option<Range<usize>>,
}

/// The kinds of problems with rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProblemKind {
    /// OLM rejects the rule, or the rule exceeds a limit.
    Invalid,
    /// OLM accepts the rule, but opmx cannot evaluate it.
    NotEvaluated,
}

/// Checks a rule.
///
/// # Errors
/// Returns the first reason why OLM rejects the rule; if there is none, the first reason why opmx cannot evaluate it.
pub fn check(rule: &str) -> Result<(), Problem> {
    compile(rule, |_| ())
}

/// Checks a rule, and passes it to `with` on a deep stack. Rules that are unreasonably long or deeply nested are
/// rejected before parsing, because the parser recurses at every bracket.
///
/// # Errors
/// Returns the problems that [`check`] returns.
pub(super) fn compile<T: Send>(rule: &str, with: impl FnOnce(Program) -> T + Send) -> Result<T, Problem> {
    bounded(rule).map_err(|reason| Problem::invalid(reason, None))?;
    on_deep_stack(|| parsed(rule).map(with)).unwrap_or_else(|| {
        Err(Problem {
            kind: ProblemKind::NotEvaluated,
            reason: "cannot be checked, because the system cannot start another thread".to_owned(),
            span: None,
        })
    })
}

fn parsed(rule: &str) -> Result<Program, Problem> {
    let language = Env::stdlib().with_optional_support(false);
    let program = language.compile(rule).map_err(|errors| syntax(rule, &errors))?;
    let checker = Checker {
        program: &program,
        rule,
        not_evaluated: OnceCell::new(),
    };
    let result = checker.type_of(program.expression(), &mut Vec::new())?;
    if !matches!(result, Type::Boolean) {
        let reason = format!("evaluates to {} instead of true or false", result.name());
        return Err(Problem::invalid(reason, None));
    }
    match checker.not_evaluated.into_inner() {
        Some(problem) => Err(problem),
        None => Ok(program),
    }
}

impl Problem {
    fn invalid(reason: String, span: Option<Range<usize>>) -> Self {
        Self {
            kind: ProblemKind::Invalid,
            reason,
            span,
        }
    }
}

fn bounded(rule: &str) -> Result<(), String> {
    const LONGEST: usize = 16 << 10;
    const DEEPEST: usize = 64;
    // The tree is at most as deep as the number of its operators, fields and calls. The parser of OLM refuses trees
    // that are deeper than 250.
    const MOST_PARTS: usize = 1000;
    if rule.len() > LONGEST {
        return Err(format!("is longer than {LONGEST} bytes"));
    }
    // Strings count, too: to tell them apart safely takes a lexer.
    let signs = rule.chars().filter(|letter| ".+-*/%<>=!?([{".contains(*letter)).count();
    let parts = signs + rule.matches("in").count();
    if parts > MOST_PARTS {
        return Err(format!("has more than {MOST_PARTS} operators, fields and brackets"));
    }
    let mut depth = 0_usize;
    for letter in rule.chars() {
        match letter {
            '(' | '[' | '{' | '?' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > DEEPEST {
            return Err(format!("is nested more than {DEEPEST} levels deep"));
        }
    }
    Ok(())
}

fn syntax(rule: &str, errors: &cel::ParseErrors) -> Problem {
    let Some(first) = errors.errors.first() else {
        return Problem::invalid(format!("has a syntax error: {errors}"), None);
    };
    let (line, column) = first.pos;
    let span = usize::try_from(line - 1).ok().zip(usize::try_from(column - 1).ok());
    let span = span.and_then(|(line, column)| {
        let start: usize = rule.split_inclusive('\n').take(line).map(str::len).sum();
        let at = (start + column).min(rule.len());
        (rule.is_char_boundary(at)).then(|| at..(at + 1).min(rule.len()))
    });
    let span = span.filter(|span| rule.get(span.clone()).is_some_and(|part| !part.is_empty()));
    Problem::invalid(format!("has a syntax error at {line}:{column}: {}", first.msg), span)
}

struct Checker<'a> {
    program: &'a Program,
    rule: &'a str,
    /// The first part that OLM accepts, but opmx cannot evaluate.
    not_evaluated: OnceCell<Problem>,
}

type Variables<'a> = Vec<(&'a str, Type)>;

impl Checker<'_> {
    fn problem<T>(&self, at: &IdedExpr, reason: String) -> Result<T, Problem> {
        Err(Problem::invalid(reason, self.span(at)))
    }

    /// Notes that opmx cannot evaluate this part.
    fn note(&self, at: &IdedExpr, what: &str) {
        self.not_evaluated.get_or_init(|| Problem {
            kind: ProblemKind::NotEvaluated,
            reason: format!("{what}, which opmx cannot evaluate"),
            span: self.span(at),
        });
    }

    fn span(&self, at: &IdedExpr) -> Option<Range<usize>> {
        let span = self.program.source_info().offset_for(at.id);
        span.and_then(|(start, stop)| {
            let start = usize::try_from(start).ok()?;
            let stop = usize::try_from(stop).ok()?.max(start + 1);
            self.rule.get(start..stop).map(|_| start..stop)
        })
    }

    fn type_of<'e>(&self, expression: &'e IdedExpr, variables: &mut Variables<'e>) -> Result<Type, Problem> {
        Ok(match &expression.expr {
            Expr::Literal(literal) => match literal {
                LiteralValue::Boolean(_) => Type::Boolean,
                LiteralValue::String(_) => Type::Text,
                LiteralValue::Int(_) | LiteralValue::UInt(_) | LiteralValue::Double(_) => Type::Number,
                LiteralValue::Bytes(_) => Type::Bytes,
                LiteralValue::Null => Type::Null,
            },
            Expr::Ident(name) => {
                let bound = variables.iter().rev().find(|(bound, _)| bound == name);
                match bound {
                    Some((_, kind)) => *kind,
                    None if name == "properties" => Type::List,
                    None if TYPE_NAMES.contains(&name.as_str()) => Type::Named,
                    None => {
                        let reason = format!("uses the variable `{name}`, but the only variable is `properties`");
                        return self.problem(expression, reason);
                    }
                }
            }
            Expr::Select(_) if is_type_of_protobuf(expression) => {
                self.note(expression, "uses a type of google.protobuf");
                Type::Named
            }
            Expr::Select(select) => {
                let operand = self.type_of(&select.operand, variables)?;
                if !operand.may_be(Type::Map) {
                    let reason = format!("selects the field `{}` of {}", select.field, operand.name());
                    return self.problem(expression, reason);
                }
                if select.test { Type::Boolean } else { Type::Unknown }
            }
            Expr::List(list) => {
                for element in &list.elements {
                    self.type_of(element, variables)?;
                }
                Type::List
            }
            Expr::Map(map) => {
                for entry in &map.entries {
                    if let EntryExpr::MapEntry(entry) = &entry.expr {
                        self.type_of(&entry.key, variables)?;
                        self.type_of(&entry.value, variables)?;
                    }
                }
                Type::Map
            }
            Expr::Call(call) => return self.call(expression, call, variables),
            Expr::Comprehension(comprehension) => return self.comprehension(comprehension, variables),
            Expr::Struct(message) if message.type_name.starts_with("google.protobuf.") => {
                self.note(expression, "constructs a message of google.protobuf");
                Type::Unknown
            }
            Expr::Struct(message) => {
                return self.problem(
                    expression,
                    format!("constructs a message of type `{}`", message.type_name),
                );
            }
            Expr::Unspecified => return self.problem(expression, "is empty".to_owned()),
        })
    }

    fn call<'e>(
        &self,
        expression: &IdedExpr,
        call: &'e CallExpr,
        variables: &mut Variables<'e>,
    ) -> Result<Type, Problem> {
        let (mut parts, mut types) = (Vec::new(), Vec::new());
        for part in call.target.as_deref().into_iter().chain(&call.args) {
            parts.push(part);
            types.push(self.type_of(part, variables)?);
        }
        let (form, receiver) = match call.target {
            Some(_) => (Form::Member, 1),
            None => (Form::Free, 0),
        };
        let name = call.func_name.as_str();
        let shown = if name == "_?_:_" {
            "?:"
        } else {
            name.trim_matches(['_', '@'])
        };
        let result = match result_of(name, form, &types) {
            Ok(result) => result,
            Err(misfit) => {
                let (at, reason) = match misfit {
                    Misfit::Name => (expression, format!("calls `{name}`, which OLM does not support")),
                    Misfit::Form(Form::Free) => (expression, format!("calls `{name}` on a value; write {name}(…)")),
                    Misfit::Form(Form::Member) => (
                        expression,
                        format!("calls `{name}` without a value; write VALUE.{name}(…)"),
                    ),
                    Misfit::Count(count) => {
                        let passed = match types.len() - receiver {
                            1 => "1 argument".to_owned(),
                            several => format!("{several} arguments"),
                        };
                        let count = count - receiver;
                        (expression, format!("passes {passed} to `{name}`, which takes {count}"))
                    }
                    Misfit::Argument(at, wanted) => {
                        let (found, wanted) = (types[at].name(), wanted.name());
                        (
                            parts[at],
                            format!("passes {found} to `{shown}`, which expects {wanted}"),
                        )
                    }
                    Misfit::Arguments => {
                        let types: Vec<&str> = types.iter().map(|found| found.name()).collect();
                        let types = types.join(" and ");
                        (
                            expression,
                            format!("passes {types} to `{shown}`, which does not support this"),
                        )
                    }
                };
                return self.problem(at, reason);
            }
        };
        match (name, &types[..]) {
            ("_==_" | "_!=_", [left, right]) if !left.goes_with(*right) => {
                self.problem(expression, format!("compares {} with {}", left.name(), right.name()))
            }
            ("_?_:_", [_, left, right]) if !left.goes_with(*right) => {
                let (left, right) = (left.name(), right.name());
                self.problem(
                    expression,
                    format!("evaluates to {left} or {right}, depending on a condition"),
                )
            }
            ("_?_:_", [_, left, right]) => Ok(if left == right { *left } else { Type::Unknown }),
            ("timestamp" | "duration", _) => {
                self.note(expression, &format!("calls `{name}`"));
                Ok(result)
            }
            _ => Ok(result),
        }
    }

    /// Returns the type of a comprehension. The macros `all`, `exists`, `exists_one`, `map` and `filter` expand to
    /// comprehensions.
    fn comprehension<'e>(
        &self,
        comprehension: &'e ComprehensionExpr,
        variables: &mut Variables<'e>,
    ) -> Result<Type, Problem> {
        let range = self.type_of(&comprehension.iter_range, variables)?;
        if ![Type::List, Type::Map, Type::Unknown].contains(&range) {
            let reason = format!("iterates over {}", range.name());
            return self.problem(&comprehension.iter_range, reason);
        }
        let initial = self.type_of(&comprehension.accu_init, variables)?;
        let outer = variables.len();
        // Each property is a map with a type and a value.
        let properties = matches!(&comprehension.iter_range.expr, Expr::Ident(name) if name == "properties");
        let element = if properties { Type::Map } else { Type::Unknown };
        variables.push((&comprehension.iter_var, element));
        if let Some(second) = &comprehension.iter_var2 {
            variables.push((second, Type::Unknown));
        }
        variables.push((&comprehension.accu_var, initial));
        self.type_of(&comprehension.loop_cond, variables)?;
        self.type_of(&comprehension.loop_step, variables)?;
        let result = self.type_of(&comprehension.result, variables);
        variables.truncate(outer);
        result
    }
}

/// Whether an expression is the name of a type of timestamps or durations.
fn is_type_of_protobuf(expression: &IdedExpr) -> bool {
    let Expr::Select(select) = &expression.expr else {
        return false;
    };
    let Expr::Select(package) = &select.operand.expr else {
        return false;
    };
    ["Duration", "Timestamp"].contains(&select.field.as_str())
        && package.field == "protobuf"
        && matches!(&package.operand.expr, Expr::Ident(name) if name == "google")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn rules_accepted_by_olm_are_accepted() {
        for rule in [
            "properties.exists(p, p.type == \"acme.fips\" && p.value == true)",
            "properties.exists(p, p.type == 'olm.package' && semver_compare(p.value.version, '1.0.0') >= 0)",
            "properties.all(p, has(p.type)) || size(properties) > 3",
            "properties.filter(p, p.type == 'a').size() == 1",
            "properties.exists_one(p, p.type.startsWith('a')) ? true : false",
            "!('x' in properties.map(p, p.type))",
            "true",
        ] {
            assert_eq!(check(rule), Ok(()), "{rule}");
        }
    }

    #[test]
    fn unknown_names_are_reported_with_their_position() {
        let at = |rule: &str| {
            let problem = check(rule).unwrap_err();
            (problem.reason, problem.span.map(|span| rule[span].to_owned()))
        };
        let (reason, _) = at("props.exists(p, p.type == 'a')");
        assert!(reason.contains("the variable `props`"), "{reason}");
        let (reason, _) = at("properties.exists(p, semver(p.value) > 1)");
        assert!(reason.contains("calls `semver`"), "{reason}");
        let (reason, _) = at("semver_compare('1.0.0') == 0");
        assert!(reason.contains("which takes 2"), "{reason}");
        let (reason, _) = at("1 && true");
        assert!(reason.contains("passes a number to `&&`"), "{reason}");
        let (reason, _) = at("properties.type == 'a'");
        assert!(reason.contains("selects the field `type` of a list"), "{reason}");
    }

    #[test]
    fn the_result_must_be_a_boolean() {
        for rule in [
            "1",
            "'a'",
            "properties",
            "size(properties)",
            "properties.map(p, p.type)",
            "properties[0].value",
        ] {
            let problem = check(rule).unwrap_err();
            assert!(
                problem.reason.starts_with("evaluates to "),
                "{rule}: {}",
                problem.reason
            );
        }
    }

    #[test]
    fn parsing_rules_is_bounded() {
        assert!(
            check("properties.exists(p, p.type == )")
                .unwrap_err()
                .reason
                .contains("has a syntax error")
        );
        assert!(check(&"(".repeat(100_000)).unwrap_err().reason.contains("longer"));
        assert!(check(&"(".repeat(1_000)).unwrap_err().reason.contains("nested"));
        assert!(check(&"!".repeat(10_000)).is_err());
        for (start, part, signs) in [
            ("properties[0]", ".a", 1),
            ("1", "+1", 1),
            ("true", "==true", 2),
            ("properties", "[0]", 1),
            ("properties[0]", ".size()", 2),
            ("1", " in properties", 1),
        ] {
            let of = |count: usize| check(&format!("{start}{}", part.repeat(count)));
            let reason = |count: usize| of(count).err().map(|problem| problem.reason).unwrap_or_default();
            assert!(reason(1001).contains("more than 1000"), "{part}: {}", reason(1001));
            // The longest chain that is parsed fits into the stack of a thread.
            let longest = reason(995 / signs);
            assert!(!longest.contains("more than"), "{part}: {longest}");
        }
    }

    #[test]
    fn functions_have_the_signatures_of_olm() {
        for (rule, expected) in [
            ("contains('a', 'b')", "without a value; write VALUE.contains(…)"),
            ("startsWith('a', 'b')", "without a value"),
            ("'x'.semver_compare() == 0", "on a value; write semver_compare(…)"),
            ("'1.0.0'.semver_compare('1.0.0') == 0", "on a value"),
            ("'x'.int() == 1", "on a value"),
            ("semver_compare('1.0.0', 1) == 0", "passes a number to `semver_compare`"),
            (
                "'a'.contains() == true",
                "passes 0 arguments to `contains`, which takes 1",
            ),
            ("size('a', 'b') == 1", "passes 2 arguments to `size`, which takes 1"),
            ("size(1) == 1", "passes a number to `size`, which does not support this"),
            ("'a' + 1 == 'a1'", "passes a string and a number to `+`"),
            ("'a' < 1", "passes a string and a number to `<`"),
            ("'a' in 'ab'", "passes a string and a string to `in`"),
            ("'a' == 1", "compares a string with a number"),
            ("true ? 'a' : 1", "evaluates to a string or a number"),
            ("1 ? true : false", "expects true or false"),
            ("{'a': true}.?a.hasValue()", "syntax error"),
            ("optional.none().hasValue()", "the variable `optional`"),
            ("'a'.getHours() == 1", "does not support this"),
        ] {
            let problem = check(rule).unwrap_err();
            assert_eq!(problem.kind, ProblemKind::Invalid, "{rule}");
            assert!(problem.reason.contains(expected), "{rule}: {}", problem.reason);
        }
    }

    #[test]
    fn rules_that_only_olm_can_evaluate_are_distinguished() {
        for (rule, part) in [
            ("timestamp('2024-01-01T00:00:00Z') < timestamp(0)", "timestamp"),
            ("properties.exists(p, duration(p.value).getHours() > 1)", "duration"),
            ("type(true) == google.protobuf.Timestamp", "google.protobuf"),
            ("google.protobuf.Int32Value{value: 1} == 1", "google.protobuf"),
        ] {
            let problem = check(rule).unwrap_err();
            assert_eq!(problem.kind, ProblemKind::NotEvaluated, "{rule}: {}", problem.reason);
            assert!(problem.reason.contains(part), "{rule}: {}", problem.reason);
        }
        let both = check("timestamp(0) < timestamp(1) && contains('a', 'b')").unwrap_err();
        assert_eq!(both.kind, ProblemKind::Invalid);
    }

    #[test]
    fn the_deepest_rules_are_checked_on_a_small_thread_stack() {
        let chain = |start: &str, part: &str, count: usize| format!("{start}{}", part.repeat(count));
        for rule in [
            format!("{}true{}", "(".repeat(64), ")".repeat(64)),
            format!("{}true{} == []", "[".repeat(64), "]".repeat(64)),
            format!("{}true{}", "[1].exists(x,".repeat(64), ")".repeat(64)),
            format!("{} == 1", chain("1", "+1", 990)),
            format!("{} == 1", chain("properties[0]", ".a", 990)),
        ] {
            let small = thread::Builder::new().stack_size(2 << 20);
            let checked = small.spawn(move || check(&rule)).unwrap().join().unwrap();
            assert_eq!(checked, Ok(()));
        }
    }
}
