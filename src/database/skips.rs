//! The column `skips` of a database: bundle names separated by commas. The rest of the program uses a list.

pub(super) fn join(names: &[String]) -> String {
    names.join(",")
}

pub(super) fn split(column: &str) -> Vec<String> {
    let names = column.split(',').filter(|name| !name.is_empty());
    names.map(str::to_owned).collect()
}
