//! The parts of an expression.

use cel::common::ast::{EntryExpr, Expr, IdedExpr, LiteralValue};

/// Returns the direct parts of an expression.
fn parts(expression: &IdedExpr) -> Vec<&IdedExpr> {
    match &expression.expr {
        Expr::Select(select) => vec![&select.operand],
        Expr::List(list) => list.elements.iter().collect(),
        Expr::Map(map) => map.entries.iter().flat_map(|entry| of_entry(&entry.expr)).collect(),
        Expr::Struct(message) => message.entries.iter().flat_map(|entry| of_entry(&entry.expr)).collect(),
        Expr::Call(call) => call.target.as_deref().into_iter().chain(&call.args).collect(),
        Expr::Comprehension(comprehension) => vec![
            &comprehension.iter_range,
            &comprehension.accu_init,
            &comprehension.loop_cond,
            &comprehension.loop_step,
            &comprehension.result,
        ],
        Expr::Ident(_) | Expr::Literal(_) | Expr::Unspecified => Vec::new(),
    }
}

/// Returns the parts of an entry of a map or message.
pub(super) fn of_entry(entry: &EntryExpr) -> Vec<&IdedExpr> {
    match entry {
        EntryExpr::MapEntry(entry) => vec![&entry.key, &entry.value],
        EntryExpr::StructField(field) => vec![&field.value],
    }
}

/// Returns the depth of the tree below and including an expression.
pub(super) fn depth(expression: &IdedExpr) -> usize {
    let (mut deepest, mut open) = (0, vec![(expression, 1)]);
    while let Some((expression, depth)) = open.pop() {
        deepest = deepest.max(depth);
        open.extend(parts(expression).into_iter().map(|part| (part, depth + 1)));
    }
    deepest
}

/// Returns the regular expressions that an expression contains as literals, each once.
pub(super) fn patterns(expression: &IdedExpr) -> Vec<&str> {
    let (mut patterns, mut open) = (Vec::new(), vec![expression]);
    while let Some(expression) = open.pop() {
        if let Some(pattern) = pattern(expression)
            && !patterns.contains(&pattern)
        {
            patterns.push(pattern);
        }
        open.extend(parts(expression));
    }
    patterns
}

/// Returns the regular expression that a call of `matches` contains as a literal.
pub(super) fn pattern(call: &IdedExpr) -> Option<&str> {
    let Expr::Call(call) = &call.expr else { return None };
    match call.args.last().map(|argument| &argument.expr) {
        Some(Expr::Literal(LiteralValue::String(text))) if call.func_name == "matches" => Some(text.inner()),
        _ => None,
    }
}
