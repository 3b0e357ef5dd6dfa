//! Checks rules in the Common Expression Language as OLM compiles them: with the single variable `properties`, the
//! functions of the language and `semver_compare`, and a boolean result.

use cel::Program;
use cel::common::ast::{ComprehensionExpr, EntryExpr, Expr, IdedExpr, LiteralValue};
use std::ops::Range;

/// A problem with a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// A description of the problem. Messages put it after `the rule of a constraint`.
    pub reason: String,
    /// The byte range of the invalid part of the rule, if known.
    pub span: Option<Range<usize>>,
}

/// The statically known type of an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Type {
    Boolean,
    Text,
    Number,
    List,
    Map,
    Other,
    /// A type that is known only during the evaluation, such as the type of a property's value.
    Unknown,
}

impl Type {
    fn name(self) -> &'static str {
        match self {
            Self::Boolean => "true or false",
            Self::Text => "a string",
            Self::Number => "a number",
            Self::List => "a list",
            Self::Map => "a map",
            Self::Other => "a value of another type",
            Self::Unknown => "a value of any type",
        }
    }

    fn may_be(self, wanted: Self) -> bool {
        self == wanted || self == Self::Unknown
    }
}

/// The available operators and functions, with the types of their results.
const FUNCTIONS: &[(&str, Type)] = &[
    ("_&&_", Type::Boolean),
    ("_||_", Type::Boolean),
    ("!_", Type::Boolean),
    ("_==_", Type::Boolean),
    ("_!=_", Type::Boolean),
    ("_<_", Type::Boolean),
    ("_<=_", Type::Boolean),
    ("_>_", Type::Boolean),
    ("_>=_", Type::Boolean),
    ("@in", Type::Boolean),
    ("@not_strictly_false", Type::Boolean),
    ("_+_", Type::Unknown),
    ("_-_", Type::Unknown),
    ("_*_", Type::Number),
    ("_/_", Type::Number),
    ("_%_", Type::Number),
    ("-_", Type::Number),
    ("_[_]", Type::Unknown),
    ("_?_:_", Type::Unknown),
    ("semver_compare", Type::Number),
    ("size", Type::Number),
    ("contains", Type::Boolean),
    ("startsWith", Type::Boolean),
    ("endsWith", Type::Boolean),
    ("matches", Type::Boolean),
    ("bool", Type::Boolean),
    ("bytes", Type::Other),
    ("double", Type::Number),
    ("duration", Type::Other),
    ("dyn", Type::Unknown),
    ("int", Type::Number),
    ("string", Type::Text),
    ("timestamp", Type::Other),
    ("type", Type::Other),
    ("uint", Type::Number),
    ("getDate", Type::Number),
    ("getDayOfMonth", Type::Number),
    ("getDayOfWeek", Type::Number),
    ("getDayOfYear", Type::Number),
    ("getFullYear", Type::Number),
    ("getHours", Type::Number),
    ("getMilliseconds", Type::Number),
    ("getMinutes", Type::Number),
    ("getMonth", Type::Number),
    ("getSeconds", Type::Number),
];

/// The names of types, which can also be used as values.
const TYPE_NAMES: [&str; 10] = [
    "bool",
    "bytes",
    "double",
    "int",
    "list",
    "map",
    "null_type",
    "string",
    "type",
    "uint",
];

/// Checks a rule. The parser recurses at every bracket, so rules that are unreasonably long or deeply nested are
/// rejected before parsing.
///
/// # Errors
/// Returns the first problem.
pub fn check(rule: &str) -> Result<(), Problem> {
    bounded(rule).map_err(|reason| Problem { reason, span: None })?;
    let program = Program::compile(rule).map_err(|errors| syntax(rule, &errors))?;
    let checker = Checker {
        program: &program,
        rule,
    };
    let result = checker.type_of(program.expression(), &mut Vec::new())?;
    if result == Type::Boolean {
        return Ok(());
    }
    Err(Problem {
        reason: format!("evaluates to {} instead of true or false", result.name()),
        span: None,
    })
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
        return Problem {
            reason: format!("has a syntax error: {errors}"),
            span: None,
        };
    };
    let (line, column) = first.pos;
    let span = usize::try_from(line - 1).ok().zip(usize::try_from(column - 1).ok());
    let span = span.and_then(|(line, column)| {
        let start: usize = rule.split_inclusive('\n').take(line).map(str::len).sum();
        let at = (start + column).min(rule.len());
        (rule.is_char_boundary(at)).then(|| at..(at + 1).min(rule.len()))
    });
    Problem {
        reason: format!("has a syntax error at {line}:{column}: {}", first.msg),
        span: span.filter(|span| rule.get(span.clone()).is_some_and(|part| !part.is_empty())),
    }
}

struct Checker<'a> {
    program: &'a Program,
    rule: &'a str,
}

type Variables<'a> = Vec<(&'a str, Type)>;

impl Checker<'_> {
    fn problem<T>(&self, at: &IdedExpr, reason: String) -> Result<T, Problem> {
        let span = self.program.source_info().offset_for(at.id);
        let span = span.and_then(|(start, stop)| {
            let start = usize::try_from(start).ok()?;
            let stop = usize::try_from(stop).ok()?.max(start + 1);
            self.rule.get(start..stop).map(|_| start..stop)
        });
        Err(Problem { reason, span })
    }

    fn type_of<'e>(&self, expression: &'e IdedExpr, variables: &mut Variables<'e>) -> Result<Type, Problem> {
        Ok(match &expression.expr {
            Expr::Literal(literal) => match literal {
                LiteralValue::Boolean(_) => Type::Boolean,
                LiteralValue::String(_) => Type::Text,
                LiteralValue::Int(_) | LiteralValue::UInt(_) | LiteralValue::Double(_) => Type::Number,
                LiteralValue::Bytes(_) | LiteralValue::Null => Type::Other,
            },
            Expr::Ident(name) => {
                let bound = variables.iter().rev().find(|(bound, _)| bound == name);
                match bound {
                    Some((_, kind)) => *kind,
                    None if name == "properties" => Type::List,
                    None if TYPE_NAMES.contains(&name.as_str()) => Type::Other,
                    None => {
                        let reason = format!("uses the variable `{name}`, but the only variable is `properties`");
                        return self.problem(expression, reason);
                    }
                }
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
            Expr::Call(call) => {
                let mut arguments = Vec::new();
                for argument in call.target.as_deref().into_iter().chain(&call.args) {
                    arguments.push((argument, self.type_of(argument, variables)?));
                }
                return self.call(expression, &call.func_name, &arguments);
            }
            Expr::Comprehension(comprehension) => return self.comprehension(comprehension, variables),
            Expr::Struct(message) => {
                return self.problem(
                    expression,
                    format!("constructs a message of type `{}`", message.type_name),
                );
            }
            Expr::Unspecified => return self.problem(expression, "is empty".to_owned()),
        })
    }

    fn call(&self, call: &IdedExpr, name: &str, arguments: &[(&IdedExpr, Type)]) -> Result<Type, Problem> {
        let Some((_, result)) = FUNCTIONS.iter().find(|(known, _)| *known == name) else {
            let reason = format!("calls `{name}`, which OLM does not support");
            return self.problem(call, reason);
        };
        let wanted = match name {
            "_&&_" | "_||_" | "!_" => Some(Type::Boolean),
            "startsWith" | "endsWith" | "matches" | "contains" | "semver_compare" => Some(Type::Text),
            _ => None,
        };
        if let Some(wanted) = wanted
            && let Some((at, found)) = arguments.iter().find(|(_, found)| !found.may_be(wanted))
        {
            let shown = name.trim_matches('_');
            let reason = format!("passes {} to `{shown}`, which expects {}", found.name(), wanted.name());
            return self.problem(at, reason);
        }
        let count = match name {
            "semver_compare" | "startsWith" | "endsWith" | "matches" | "contains" => Some(2),
            "size" | "bool" | "bytes" | "double" | "dyn" | "int" | "string" | "type" | "uint" | "duration"
            | "timestamp" => Some(1),
            _ => None,
        };
        if let Some(count) = count
            && arguments.len() != count
        {
            let passed = match arguments.len() {
                1 => "1 argument".to_owned(),
                several => format!("{several} arguments"),
            };
            let reason = format!("passes {passed} to `{name}`, which takes {count}");
            return self.problem(call, reason);
        }
        Ok(match (name, arguments) {
            ("_?_:_", [(at, condition), (_, left), (_, right)]) => {
                if !condition.may_be(Type::Boolean) {
                    return self.problem(at, format!("uses {} as a condition", condition.name()));
                }
                if left == right { *left } else { Type::Unknown }
            }
            ("_+_", [(_, left), (_, right)]) if left == right => *left,
            ("_-_", [(_, Type::Number), (_, Type::Number)]) => Type::Number,
            _ => *result,
        })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_of_olm_pass() {
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
    fn what_is_not_there_is_named_at_its_place() {
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
    fn the_result_is_true_or_false() {
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
    fn rules_are_parsed_within_bounds() {
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
}
