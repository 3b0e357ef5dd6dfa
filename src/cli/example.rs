//! The command lines that report the faults in the examples of rules.

use crate::rules::examples::{Example, INDEX_CHECK, INDEX_DOCKERFILE};

/// Returns the command line that reports the fault in an example.
pub fn found_by(example: &Example) -> String {
    if let Some(command) = example.wrong.as_deref().filter(|_| example.command_line) {
        return command.trim_end().to_owned();
    }
    let mut command = format!("opmx {}", example.command.as_deref().unwrap_or("bundle validate"));
    let mut flag = |name: &str, value: &str| {
        command.push_str(" --");
        command.push_str(name);
        command.push(' ');
        command.push_str(value);
    };
    if let Some(suite) = &example.suite {
        flag("suite", suite);
    }
    if let Some(judge) = &example.judge {
        flag("as", judge);
    }
    if let Some(cluster) = &example.cluster {
        flag("for", cluster);
    }
    if example.policy.is_some() {
        flag("policy", "policy.yaml");
    }
    for (name, value) in &example.flags {
        flag(name, &value.to_string());
    }
    if example.categories.is_some() {
        flag("categories", "categories.json");
    }
    for (index, _) in example.sources.iter().enumerate() {
        flag("api-source", &format!("source-{}.txt", index + 1));
    }
    if example.file == INDEX_DOCKERFILE {
        flag("index-dockerfile", INDEX_DOCKERFILE);
    }
    if example.command.as_deref() == Some(INDEX_CHECK) && example.platforms.is_some() {
        command.push_str(" --images");
    }
    command
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::examples::all;

    #[test]
    fn the_command_contains_the_required_flags() {
        let examples = all().unwrap();
        let found_by = |id: &str| found_by(&examples[id]);
        assert_eq!(found_by("olm-required"), "opmx bundle validate");
        assert_eq!(found_by("yaml-too-deep"), "opmx bundle validate --max-depth 20");
        assert_eq!(found_by("content-unparsable"), "opmx bundle validate --as opm");
        assert_eq!(found_by("catalog-entry-bundle"), "opmx validate");
        assert_eq!(found_by("convert-order"), "opmx bundle convert");
        assert_eq!(found_by("cluster-bundle-size"), "opmx index check --for 0.18.0");
        assert_eq!(found_by("index-image-missing"), "opmx index check --images");
        assert_eq!(found_by("hub-v1-deprecated"), "opmx bundle validate memcached --as api");
    }
}
