//! No error message repeats its cause, which `source()` returns.

use std::fs;
use std::path::Path;

/// Returns the error variants in a source file that print their own source.
fn repeating(text: &str) -> Vec<String> {
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let attributes = text.split("#[error(").skip(1);
    let repeating = attributes.filter_map(|rest| {
        let (words, item) = rest.split_once(")]")?;
        // What follows the braces or the semicolon of the item belongs to another one.
        let item = item.split(['}', ';']).next()?;
        let marked = item.split_once("#[source]").or_else(|| item.split_once("#[from]"));
        let marked = marked.map_or("", |(_, field)| field.trim_start().trim_start_matches("pub "));
        let name: String = marked
            .chars()
            .take_while(|letter| letter.is_alphanumeric() || *letter == '_')
            .collect();
        let name = match name.as_str() {
            // If nothing is marked, a field named `source` is the source.
            "" if item.contains("source:") => "source",
            "" => return None,
            name if marked[name.len()..].starts_with(": ") => name,
            _ => "0",
        };
        let printed = [format!("{{{name}}}"), format!("{{{name}:"), format!(".{name}")];
        let repeats = printed.iter().any(|words_of| words.contains(words_of.as_str())) || words.contains(", source");
        repeats.then(|| format!("{words}{}", item.lines().next().unwrap_or_default()))
    });
    repeating.collect()
}

#[test]
fn no_error_message_repeats_its_source() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut sources = 0;
    for entry in walkdir::WalkDir::new(&root).sort_by_file_name() {
        let path = entry.unwrap().into_path();
        if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            sources += text.matches("#[error(").count();
            let found = repeating(&text);
            assert!(found.is_empty(), "{} repeats the cause: {found:#?}", path.display());
        }
    }
    assert!(sources > 200, "only {sources} errors were found");
}

#[test]
fn an_error_message_that_repeats_its_source_is_detected() {
    for text in [
        "#[error(\"{0}\")]\n    File(#[from] FileError),",
        "#[error(\"cannot write: {0}\")]\n    Write(#[source] io::Error),",
        "#[error(\"cannot read {}: {source}\", path.display())]\n    Read { path: PathBuf, source: io::Error },",
        "#[error(\"{at}: {problem}\")]\npub struct E {\n    pub at: At,\n    #[source]\n    pub problem: Problem,\n}",
        "#[error(\"{at}: {}\", .source)]\npub struct E {\n    source: Problem,\n}",
    ] {
        assert_eq!(repeating(text).len(), 1, "{text}");
    }
    for text in [
        "#[error(transparent)]\n    File(#[from] FileError),",
        "#[error(\"cannot write\")]\n    Write(#[source] io::Error),",
        "#[error(\"{at}: {problem}\")]\npub struct E {\n    pub at: At,\n    pub problem: Problem,\n}",
        "#[error(\"is not valid: {0}\")]\n    Json(serde_json::Error),\n    #[error(transparent)]\n    File(#[from] FileError),",
    ] {
        assert_eq!(repeating(text), Vec::<String>::new(), "{text}");
    }
}
