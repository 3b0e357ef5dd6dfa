//! The name and version of the next release, and the bundle that it replaces.

use super::{Release, ReleaseError, ReleaseOptions};
use crate::bundle::Bundle;
use crate::bundle::stamp::Stamp;
use crate::bundle::versioned_name::with_version;
use crate::manifest::Object;
use crate::olm::annotation::SKIP_RANGE;
use crate::synthesis::operator;
use crate::synthesis::starter::is_annotated;
use crate::text::Document;
use crate::version::parse_strict;
use serde_json::Value;

/// Returns the name, the version and the replaced bundle. Values that do not change are absent.
pub(super) fn wanted(
    before: &Bundle,
    objects: &[Object],
    options: &ReleaseOptions,
    release: &mut Release,
) -> Result<Stamp, ReleaseError> {
    let text = |key: &str| before.olm.as_ref()?.value().get(key)?.as_str().map(str::to_owned);
    let (old, name) = (text("version"), text("name"));
    let replaced = |name: &str| Some(name.to_owned()).filter(|name| text("replaces").as_ref() != Some(name));
    let mut wanted = Stamp {
        replaces: options.replaces.as_deref().and_then(replaced),
        ..Stamp::default()
    };
    // An annotation of a Deployment in the new manifests sets the version, so `olm.yaml` does not need it.
    if options.version.is_none() && is_annotated(objects, "version") {
        return Ok(wanted);
    }
    let version = if let Some(version) = &options.version {
        version.clone()
    } else {
        let found = operator::version(objects).map_err(ReleaseError::NoVersion)?;
        let version = found.version.clone();
        release.inferred_version = Some(found);
        version
    };
    let Some(old) = old.filter(|old| *old != version) else {
        let keys = [&["replaces"][..], &["skips"], &["annotations", SKIP_RANGE]];
        let olm = before.olm.as_ref().map_or(&Value::Null, Document::value);
        let is_set = |keys: &[&str]| !keys.iter().fold(olm, |value, key| &value[*key]).is_null();
        if text("version").is_none() {
            wanted.version = Some(version);
        } else if options.replaces.is_none() && !keys.into_iter().any(is_set) {
            release.unreplaced = Some(version);
        }
        return match name {
            Some(name) if options.replaces.as_ref() == Some(&name) => Err(ReleaseError::Itself { name }),
            _ => Ok(wanted),
        };
    };
    if let (Ok(is), Ok(was)) = (parse_strict(&version), parse_strict(&old))
        && is < was
        && (release.inferred_version.is_some() || options.replaces.is_none())
    {
        let new = version;
        match &release.inferred_version {
            Some(found) => {
                let source_of = found.source.clone();
                return Err(ReleaseError::Older { new, source_of, old });
            }
            None => return Err(ReleaseError::Lower { new, old }),
        }
    }
    if let Some(name) = name {
        let Some(next) = with_version(&name, text("release").as_deref(), &old, &version) else {
            return Err(ReleaseError::Name { name, version: old });
        };
        if options.replaces.as_ref() == Some(&next) {
            return Err(ReleaseError::Itself { name: next });
        }
        if options.replaces.is_none() {
            wanted.replaces = replaced(&name);
        }
    }
    wanted.version = Some(version);
    Ok(wanted)
}
