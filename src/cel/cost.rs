//! An upper bound on the time and memory that the evaluation of a rule takes.

use super::parts::{of_entry, pattern, patterns};
use cel::common::ast::{CallExpr, ComprehensionExpr, Expr, IdedExpr, LiteralValue};
use serde_json::Value;

/// The approximate maximum cost of compiling a regular expression, apart from the cost of each byte.
pub(super) const PATTERN_COST: u64 = 2000;
/// The approximate maximum cost of compiling each byte of a regular expression: `(?i)\pL` takes longest.
const PATTERN_BYTE_COST: u64 = 500;
/// The approximate maximum number of bytes of memory for compiling each byte of a regular expression.
const PATTERN_BYTE_MEMORY: u64 = 12 << 10;
/// The maximum number of regular expressions in a rule that are compiled once per evaluation. Others are compiled for
/// every call.
pub(super) const KEPT_PATTERNS: usize = 32;
/// The cost of each byte of a string that a regular expression is matched against.
const BYTE_COST: u64 = 4;
/// The number of bytes that are copied or compared for the cost of one part.
const BYTES_OF_PART: u64 = 256;
/// The maximum number of bytes that the evaluation of a rule may need in addition to the properties.
const MOST_MEMORY: u64 = 64 << 20;
/// The approximate size in bytes of a value without its contents.
const VALUE: u64 = 64;
/// The maximum length of a number as a string.
const LONGEST_NUMBER: u64 = 512;

/// Returns an upper bound on the number of parts that are evaluated for a rule; the maximum number if the evaluation
/// could need too much memory.
pub(super) fn cost(rule: &IdedExpr, properties: &[Value]) -> u64 {
    let properties = properties.iter().map(measure).fold(Size::EMPTY, Size::with);
    let mut estimator = Estimator {
        variables: vec![("properties", properties)],
        kept: Vec::new(),
    };
    estimator.kept = patterns(rule).into_iter().take(KEPT_PATTERNS).collect();
    let estimate = estimator.of(rule);
    let kept = estimator.kept.iter().map(|pattern| pattern.len() as u64);
    let (cost, memory) = kept.fold((estimate.steps, estimate.memory), |(cost, memory), length| {
        (
            cost.saturating_add(compiling(length)),
            memory.max(length.saturating_mul(PATTERN_BYTE_MEMORY)),
        )
    });
    if memory > MOST_MEMORY { u64::MAX } else { cost }
}

/// Returns the cost of compiling a regular expression of this length.
fn compiling(length: u64) -> u64 {
    PATTERN_COST.saturating_add(length.saturating_mul(PATTERN_BYTE_COST))
}

/// The largest possible size of a value.
#[derive(Debug, Clone, Copy)]
struct Size {
    bytes: u64,
    /// The number of items of a list or map.
    items: u64,
    /// The bytes of the largest value in a list or map, at any depth.
    inner_bytes: u64,
    /// The items of the longest list or map in a list or map, at any depth.
    inner_items: u64,
    /// The length in bytes of the longest string in the value.
    text: u64,
}

impl Size {
    /// The size of an empty list or map, and of values such as numbers.
    const EMPTY: Self = Self {
        bytes: VALUE,
        items: 0,
        inner_bytes: 0,
        inner_items: 0,
        text: 0,
    };

    fn text(length: u64) -> Self {
        Self {
            bytes: VALUE.saturating_add(length),
            text: length,
            ..Self::EMPTY
        }
    }

    /// Returns the size of this list or map with one more item.
    fn with(self, item: Self) -> Self {
        Self {
            bytes: self.bytes.saturating_add(item.bytes),
            items: self.items.saturating_add(1),
            inner_bytes: self.inner_bytes.max(item.bytes),
            inner_items: self.inner_items.max(item.items).max(item.inner_items),
            text: self.text.max(item.text),
        }
    }

    /// Returns the size of the largest value in this list or map.
    fn inner(self) -> Self {
        Self {
            bytes: self.inner_bytes,
            items: self.inner_items,
            ..self
        }
    }

    fn plus(self, other: Self) -> Self {
        Self {
            bytes: self.bytes.saturating_add(other.bytes),
            items: self.items.saturating_add(other.items),
            text: self.text.saturating_add(other.text),
            ..self.or(other)
        }
    }

    fn times(self, times: u64) -> Self {
        Self {
            bytes: self.bytes.saturating_mul(times),
            items: self.items.saturating_mul(times),
            ..self
        }
    }

    fn or(self, other: Self) -> Self {
        Self {
            bytes: self.bytes.max(other.bytes),
            items: self.items.max(other.items),
            inner_bytes: self.inner_bytes.max(other.inner_bytes),
            inner_items: self.inner_items.max(other.inner_items),
            text: self.text.max(other.text),
        }
    }
}

fn measure(value: &Value) -> Size {
    match value {
        Value::Array(items) => items.iter().map(measure).fold(Size::EMPTY, Size::with),
        Value::Object(map) => map.iter().fold(Size::EMPTY, |size, (key, value)| {
            let key = Size::text(key.len() as u64);
            let with = size.with(measure(value));
            Size {
                bytes: with.bytes.saturating_add(key.bytes),
                inner_bytes: with.inner_bytes.max(key.bytes),
                text: with.text.max(key.text),
                ..with
            }
        }),
        Value::String(text) => Size::text(text.len() as u64),
        _ => Size::EMPTY,
    }
}

#[derive(Debug, Clone, Copy)]
struct Estimate {
    /// The number of parts that are evaluated.
    steps: u64,
    /// The number of bytes that the evaluation holds at one time. Parts of other values take no memory.
    memory: u64,
    size: Size,
}

impl Estimate {
    /// Adds the steps and memory of a part that is evaluated after this one. The size of this estimate is the sum of
    /// what is held.
    fn then(self, next: Self) -> Self {
        let held = self.size.bytes;
        Self {
            steps: self.steps.saturating_add(next.steps),
            memory: self.memory.max(held.saturating_add(next.memory)),
            size: Size {
                bytes: held.saturating_add(next.size.bytes.min(next.memory)),
                ..self.size
            },
        }
    }

    /// Returns the estimate of an expression that creates a value of this size from the evaluated parts.
    fn creating(self, size: Size) -> Self {
        Self {
            steps: self.steps.saturating_add(size.bytes / BYTES_OF_PART),
            memory: self.memory.max(self.size.bytes.saturating_add(size.bytes)),
            size,
        }
    }
}

/// The estimate of an expression before any of its parts.
const NOTHING: Estimate = Estimate {
    steps: 1,
    memory: 0,
    size: Size {
        bytes: 0,
        ..Size::EMPTY
    },
};

struct Estimator<'r> {
    /// The variables in scope, with their sizes.
    variables: Vec<(&'r str, Size)>,
    /// The regular expressions that are compiled once per evaluation.
    kept: Vec<&'r str>,
}

impl<'r> Estimator<'r> {
    fn of(&mut self, expression: &'r IdedExpr) -> Estimate {
        match &expression.expr {
            Expr::Literal(literal) => NOTHING.creating(match literal {
                LiteralValue::String(text) => Size::text(text.inner().len() as u64),
                LiteralValue::Bytes(bytes) => Size::text(bytes.inner().len() as u64),
                _ => Size::EMPTY,
            }),
            Expr::Ident(name) => {
                let known = self.variables.iter().rev().find(|(known, _)| known == name);
                Estimate {
                    size: known.map_or(Size::EMPTY, |(_, size)| *size),
                    ..NOTHING
                }
            }
            Expr::Select(select) => {
                let operand = self.of(&select.operand);
                Estimate {
                    steps: operand.steps.saturating_add(1),
                    size: if select.test { Size::EMPTY } else { operand.size.inner() },
                    ..operand
                }
            }
            Expr::List(list) => self.container(list.elements.iter()),
            Expr::Map(map) => self.container(map.entries.iter().flat_map(|entry| of_entry(&entry.expr))),
            Expr::Call(call) => {
                let kept = pattern(expression).is_some_and(|pattern| self.kept.contains(&pattern));
                self.call(call, kept)
            }
            Expr::Comprehension(comprehension) => self.comprehension(comprehension),
            Expr::Struct(_) | Expr::Unspecified => NOTHING,
        }
    }

    /// Estimates a list or map of these parts. A key counts as an item.
    fn container(&mut self, parts: impl Iterator<Item = &'r IdedExpr>) -> Estimate {
        let (mut all, mut size) = (NOTHING, Size::EMPTY);
        for part in parts {
            let part = self.of(part);
            all = all.then(part);
            size = size.with(part.size);
        }
        all.creating(size)
    }

    /// Estimates a call. `kept` says whether it matches a regular expression that is compiled only once.
    fn call(&mut self, call: &'r CallExpr, kept: bool) -> Estimate {
        let (mut all, mut sizes) = (NOTHING, Vec::new());
        for part in call.target.as_deref().into_iter().chain(&call.args) {
            let part = self.of(part);
            all = all.then(part);
            sizes.push(part.size);
        }
        let sum = |of: fn(&Size) -> u64| sizes.iter().map(of).fold(0, u64::saturating_add);
        let read = match call.func_name.as_str() {
            "matches" => {
                let pattern = sizes.last().map_or(0, |size| size.text);
                let reading = sum(|size| size.text).saturating_mul(BYTE_COST);
                if kept {
                    reading
                } else {
                    all.memory = all.memory.max(pattern.saturating_mul(PATTERN_BYTE_MEMORY));
                    compiling(pattern).saturating_add(reading)
                }
            }
            "contains" | "semver_compare" | "size" => sum(|size| size.text) / BYTES_OF_PART,
            "@in" => sum(|size| size.bytes) / BYTES_OF_PART,
            // These read no more than the smaller operand.
            _ => sizes.iter().map(|size| size.bytes).min().unwrap_or(0) / BYTES_OF_PART,
        };
        all.steps = all.steps.saturating_add(read);
        match (call.func_name.as_str(), &sizes[..]) {
            ("_+_", [left, right]) => all.creating(left.plus(*right)),
            // The result is one of the operands, or a part of one.
            ("_?_:_", [_, left, right]) => Estimate {
                size: left.or(*right),
                ..all
            },
            ("_[_]", [container, ..]) => Estimate {
                size: container.inner(),
                ..all
            },
            ("dyn", [operand]) => all.creating(*operand),
            ("string" | "bytes", [operand]) => all.creating(Size::text(operand.text.saturating_add(LONGEST_NUMBER))),
            _ => all.creating(Size::EMPTY),
        }
    }

    /// Estimates a comprehension. The macros expand to comprehensions: those of `map` and `filter` append to a list,
    /// and the result of the others is a number or boolean.
    fn comprehension(&mut self, comprehension: &'r ComprehensionExpr) -> Estimate {
        let range = self.of(&comprehension.iter_range);
        let start = self.of(&comprehension.accu_init);
        let times = range.size.items;
        let item = range.size.inner();
        let outer = self.variables.len();
        self.variables.push((&comprehension.iter_var, item));
        if let Some(second) = &comprehension.iter_var2 {
            self.variables.push((second, item));
        }
        self.variables.push((&comprehension.accu_var, NOTHING.size));
        let condition = self.of(&comprehension.loop_cond);
        let appended = appended(&comprehension.loop_step, &comprehension.accu_var);
        let step = match appended {
            Some((condition, item)) => {
                let condition = condition.map_or(NOTHING, |condition| self.of(condition));
                let item = self.of(item);
                Estimate {
                    steps: condition.steps.saturating_add(item.steps).saturating_add(3),
                    memory: condition.memory.max(item.memory),
                    size: Size {
                        bytes: 0,
                        ..Size::EMPTY
                    }
                    .with(item.size),
                }
            }
            None => self.of(&comprehension.loop_step),
        };
        let mut added = step.size;
        if let Some((_, item)) = appended {
            added = added.times(times);
            // Parts of different items are not larger than all items together.
            if is_part_of(item, &comprehension.iter_var) {
                added.bytes = added.bytes.min(range.size.bytes);
            }
        }
        let result_size = start.size.plus(added);
        self.variables.truncate(outer);
        self.variables.push((&comprehension.accu_var, result_size));
        let result = self.of(&comprehension.result);
        self.variables.truncate(outer);
        // The items are copied one by one.
        let each = condition.steps.saturating_add(step.steps);
        let copied = range.size.bytes.saturating_add(result_size.bytes) / BYTES_OF_PART;
        let once = [start.steps, result.steps, copied];
        let held = item.bytes.saturating_add(result_size.bytes);
        let looping = Estimate {
            steps: once.into_iter().fold(times.saturating_mul(each), u64::saturating_add),
            memory: held.saturating_add(condition.memory.max(step.memory)),
            size: NOTHING.size,
        };
        let all = NOTHING.then(range).then(looping);
        Estimate {
            size: result.size,
            ..all
        }
    }
}

/// Returns the condition, if any, and the item that a step of `map` or `filter` appends to its result.
fn appended<'r>(step: &'r IdedExpr, result: &str) -> Option<(Option<&'r IdedExpr>, &'r IdedExpr)> {
    let Expr::Call(call) = &step.expr else {
        return None;
    };
    match (call.func_name.as_str(), &call.args[..]) {
        ("_?_:_", [condition, step, _]) => match appended(step, result)? {
            (None, item) => Some((Some(condition), item)),
            (Some(_), _) => None,
        },
        ("_+_", [left, right]) => match (&left.expr, &right.expr) {
            (Expr::Ident(name), Expr::List(list)) if name == result => match &list.elements[..] {
                [item] => Some((None, item)),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    }
}

/// Whether an expression is a variable or selects a part of it.
fn is_part_of(expression: &IdedExpr, variable: &str) -> bool {
    match &expression.expr {
        Expr::Ident(name) => name == variable,
        Expr::Select(select) => !select.test && is_part_of(&select.operand, variable),
        Expr::Call(call) if call.func_name == "_[_]" => call
            .args
            .first()
            .is_some_and(|container| is_part_of(container, variable)),
        _ => false,
    }
}
