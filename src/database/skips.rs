//! The column `skips` of a database: names of bundles with commas between them. Everywhere else they are a list.

pub(super) fn join(names: &[String]) -> String {
    names.join(",")
}

pub(super) fn split(column: &str) -> Vec<String> {
    let names = column.split(',').filter(|name| !name.is_empty());
    names.map(str::to_owned).collect()
}
