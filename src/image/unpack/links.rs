//! The symbolic links in the layers of an image, and the members whose paths lead through them.
//!
//! Runtimes follow links in the folder of a member, so such a member changes files elsewhere.

use super::{Whiteout, is_below, limit, parents, take_with_below};
use crate::image::layer_reader::{Kind, MOST_COMPONENTS, Member};
use crate::tree::TreeError;
use std::collections::BTreeMap;

/// The maximum number of bytes of the paths and targets of links that exist at once.
const MOST_BYTES: usize = 64 << 20;
/// The maximum number of links in a path; no system follows more.
const MOST_IN_PATH: usize = 255;
/// The maximum number of names that are looked up in paths through links.
const MOST_STEPS: usize = 10_000_000;
/// The maximum length of a target; no system creates longer ones.
const LONGEST: usize = 4096;

#[derive(Clone)]
enum Target {
    Path(String),
    /// The link or its target is not UTF-8. Two such names may be read as the same name.
    Unclear,
}

/// The links of some layers, by path.
type Targets = BTreeMap<String, Target>;

/// The links of the layers read so far, from the bottom up.
#[derive(Default)]
pub(super) struct Links {
    lower: Targets,
    upper: Targets,
    bytes: usize,
    steps: usize,
}

impl Links {
    /// Begins the next layer.
    pub(super) fn next_layer(&mut self) {
        self.lower.append(&mut self.upper);
    }

    /// Adds a member. Returns its path without links if links lead to another folder.
    ///
    /// # Errors
    /// Returns an error if a limit is exceeded, or it is not clear which links exist.
    pub(super) fn follow(&mut self, origin: &str, member: &Member<'_>) -> Result<Option<String>, TreeError> {
        let path = &member.path;
        let real = self.real(origin, path, path)?;
        let place = real.as_deref().unwrap_or(path);
        let mut removed = Vec::new();
        if let Some(hidden) = Whiteout::of(place) {
            removed = hidden.take(&mut self.lower);
            // Runtimes differ in whether a layer can hide what it has added itself.
            if matches!(hidden, Whiteout::Path(_)) && !hidden.take(&mut self.upper).is_empty() {
                return Err(refused(origin, path, "whiteout of a link in the same layer"));
            }
        } else if member.kind == Kind::Directory {
            let at = [&mut self.lower, &mut self.upper];
            removed.extend(at.into_iter().filter_map(|links| links.remove_entry(place)));
        } else {
            removed = take_with_below(&mut self.lower, place);
            removed.extend(take_with_below(&mut self.upper, place));
            if let Some(target) = self.target_of(origin, member)? {
                self.bytes += weight(place, &target);
                self.upper.insert(place.to_owned(), target);
            }
        }
        let freed = removed.iter().map(|(path, target)| weight(path, target));
        self.bytes = self.bytes.saturating_sub(freed.sum());
        if self.bytes > MOST_BYTES {
            let what = "the total length of the symbolic links";
            return Err(limit(origin, what, format!("{MOST_BYTES} bytes"), None));
        }
        Ok(real)
    }

    /// Whether a path, or a folder above it, is a link.
    pub(super) fn lead_to(&self, path: &str) -> bool {
        parents(path).chain([path]).any(|path| self.get(path).is_some())
    }

    fn get(&self, path: &str) -> Option<&Target> {
        self.upper.get(path).or_else(|| self.lower.get(path))
    }

    /// Returns the target if the member is a symbolic link, or another name of one.
    fn target_of(&mut self, origin: &str, member: &Member<'_>) -> Result<Option<Target>, TreeError> {
        let target = &member.target;
        let is_clear = ![&member.path, target].iter().any(|name| name.contains('\u{fffd}'));
        match member.kind {
            Kind::SYMLINK if target.len() > LONGEST => {
                let what = format!("the length of the target of the symbolic link {}", member.path);
                Err(limit(origin, what, format!("{LONGEST} bytes"), None))
            }
            Kind::SYMLINK if is_clear => Ok(Some(Target::Path(target.clone()))),
            Kind::SYMLINK => Ok(Some(Target::Unclear)),
            Kind::HARD_LINK => {
                let linked = target.trim_matches('/');
                let linked = match self.real(origin, &member.path, linked)? {
                    Some(real) => real,
                    None => linked.to_owned(),
                };
                let linked = self.get(&linked).cloned();
                Ok(linked.map(|target| if is_clear { target } else { Target::Unclear }))
            }
            _ => Ok(None),
        }
    }

    /// Resolves the links in the folder of `path`. Returns `None` if there are none.
    pub(super) fn real(&mut self, origin: &str, member: &str, path: &str) -> Result<Option<String>, TreeError> {
        let is_plain = !path.split('/').any(|name| ["", ".", ".."].contains(&name));
        if is_plain && !parents(path).any(|folder| self.get(folder).is_some()) {
            return Ok(None);
        }
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let mut pending: Vec<String> = folder.rsplit('/').map(str::to_owned).collect();
        let mut real = String::new();
        let mut in_path = 0;
        while let Some(next) = pending.pop() {
            self.steps += 1;
            if self.steps > MOST_STEPS {
                let what = format!("the number of names in paths through symbolic links (counted up to {member})");
                return Err(limit(origin, what, MOST_STEPS.to_string(), None));
            }
            match next.as_str() {
                "" | "." => continue,
                ".." => {
                    real.truncate(real.rfind('/').unwrap_or(0));
                    continue;
                }
                _ => {}
            }
            let at = if real.is_empty() {
                next
            } else {
                format!("{real}/{next}")
            };
            let target = match self.get(&at) {
                None => {
                    if at.split('/').count() > MOST_COMPONENTS {
                        return Err(refused(
                            origin,
                            member,
                            "path through symbolic links to a folder that is too deep",
                        ));
                    }
                    real = at;
                    continue;
                }
                Some(Target::Unclear) => {
                    return Err(refused(
                        origin,
                        member,
                        "path through a symbolic link that is not UTF-8",
                    ));
                }
                Some(Target::Path(target)) => target,
            };
            let names = target.rsplit('/').map(str::to_owned);
            if target.starts_with('/') {
                real.clear();
            }
            pending.extend(names);
            in_path += 1;
            if in_path > MOST_IN_PATH {
                let what = format!("the number of symbolic links in the path {member}");
                return Err(limit(origin, what, MOST_IN_PATH.to_string(), None));
            }
        }
        Ok(Some(if real.is_empty() {
            name.to_owned()
        } else {
            format!("{real}/{name}")
        }))
    }
}

fn weight(path: &str, target: &Target) -> usize {
    // What the maps need in addition, about.
    const ENTRY: usize = 100;
    let target = match target {
        Target::Path(path) => path.len(),
        Target::Unclear => 0,
    };
    path.len() + target + ENTRY
}

/// The error for a member that changes what is read through a link.
pub(super) fn through_link(origin: &str, path: &str) -> TreeError {
    refused(origin, path, "path through a symbolic link")
}

fn refused(origin: &str, path: &str, kind: &'static str) -> TreeError {
    TreeError::EntryType {
        origin: origin.to_owned(),
        path: path.to_owned(),
        kind,
    }
}

/// Whether a member at `path` changes what is at or below `inside`.
pub(super) fn touches(path: &str, kind: Kind, inside: &str) -> bool {
    match Whiteout::of(path) {
        Some(Whiteout::Path(hidden)) => hidden == inside || is_below(inside, &hidden) || is_below(&hidden, inside),
        Some(Whiteout::Below(folder)) => folder == inside || is_below(inside, &folder) || is_below(&folder, inside),
        None => path == inside || is_below(path, inside) || kind != Kind::Directory && is_below(inside, path),
    }
}
