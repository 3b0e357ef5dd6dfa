//! The name of the cluster object for an index: a CatalogSource or ClusterCatalog.

/// The maximum length of a name.
const LONGEST: usize = 63;

/// The prefix of a name that would otherwise begin with a digit.
const PREFIX: &str = "cs-";

/// Returns a valid name of a CatalogSource or ClusterCatalog for an index: the last component of its path, with the tag
/// of an image. OLM gives the name of a CatalogSource to a Service, so it never begins with a digit.
pub fn object_name(index: &str) -> String {
    let without_digest = index.split('@').next().unwrap_or_default();
    let last = without_digest.trim_end_matches('/').rsplit('/').next();
    let name = last.unwrap_or_default();
    let name = name.trim_start_matches("oci-archive:").trim_start_matches("oci:");
    let (name, tag) = name.split_once(':').unwrap_or((name, ""));
    let name = name.strip_suffix(".db").or(name.strip_suffix(".tar")).unwrap_or(name);
    let name = format!("{name}-{tag}");
    let plain = |letter: char| {
        if letter.is_ascii_alphanumeric() {
            letter.to_ascii_lowercase()
        } else {
            '-'
        }
    };
    let name: String = name.chars().map(plain).collect();
    let name = name.trim_matches('-');
    let prefix = if name.starts_with(|letter: char| letter.is_ascii_digit()) {
        PREFIX
    } else {
        ""
    };
    let name: String = prefix.chars().chain(name.chars()).take(LONGEST).collect();
    match name.trim_end_matches('-') {
        "" => "catalog".to_owned(),
        name => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_is_named_after_its_index_and_its_tag() {
        for (index, name) in [
            ("registry.example.com/garden/index:v1", "index-v1"),
            ("registry.example.com/garden/Index:v4.21", "index-v4-21"),
            ("registry.example.com:5000/Index_1@sha256:0", "index-1"),
            ("oci:layouts/tools:v1", "tools-v1"),
            ("oci-archive:tools.tar:v1", "tools-v1"),
            ("dir/index.db", "index"),
            ("catalog/", "catalog"),
            ("..", "catalog"),
            ("registry.example.com/3scale/3cat:v1", "cs-3cat-v1"),
            ("registry.example.com/-3cat", "cs-3cat"),
        ] {
            assert_eq!(object_name(index), name, "{index}");
        }
    }
}
