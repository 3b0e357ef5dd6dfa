//! The content of installed versions: images and manifests that their InstallPlans name.

use super::component::Component;
use crate::csv::{Csv, GROUP};
use crate::install::permissions;
use serde_json::{Value, json};
use std::collections::HashMap;

/// The versions that OLM did not copy, by namespace and name.
pub(super) type Originals<'a> = HashMap<(&'a str, &'a str), Component<'a>>;

pub(super) fn originals<'a>(all: &[Component<'a>]) -> Originals<'a> {
    let mut originals = Originals::new();
    for object in all.iter().filter(|object| object.is_csv() && !object.is_copied()) {
        let place = (object.text("/metadata/namespace"), object.name());
        originals.entry(place).or_insert(*object);
    }
    originals
}

/// Returns the namespace from which OLM copied a version.
pub(super) fn home_of(copy: Component<'_>) -> &str {
    Csv(copy.0).copied_from()
}

/// The namespace and the name of an installed version.
type Place<'a> = (&'a str, &'a str);

/// What the objects of a cluster say about the content of installed versions.
pub(super) struct Contents<'a> {
    originals: &'a Originals<'a>,
    /// The first copy of each version that OLM copied into a namespace.
    copies: HashMap<Place<'a>, Component<'a>>,
    /// The first image of the bundle that OLM unpacked for each version; `None` if the lookup names none.
    images: HashMap<Place<'a>, Option<&'a str>>,
    /// The steps of all InstallPlans for each version.
    steps: HashMap<Place<'a>, Vec<Component<'a>>>,
}

impl<'a> Contents<'a> {
    pub(super) fn of(all: &[Component<'a>], originals: &'a Originals<'a>) -> Self {
        let mut contents = Self {
            originals,
            copies: HashMap::new(),
            images: HashMap::new(),
            steps: HashMap::new(),
        };
        for object in all {
            let namespace = object.text("/metadata/namespace");
            if object.is_copied() {
                contents.copies.entry((namespace, object.name())).or_insert(*object);
            }
            if !object.is(GROUP, "InstallPlan") {
                continue;
            }
            for lookup in object.list("/status/bundleLookups").iter().map(Component) {
                let version = (namespace, lookup.text("/identifier"));
                contents.images.entry(version).or_insert(lookup.some_text("/path"));
            }
            for step in object.list("/status/plan").iter().map(Component) {
                let version = (namespace, step.text("/resolving"));
                contents.steps.entry(version).or_default().push(step);
            }
        }
        contents
    }

    /// Returns the content of an installed version: if possible, the bundle image from the catalog, `image`, or from
    /// the InstallPlan. Otherwise, returns the objects in the InstallPlan or, if there are none, only the
    /// ClusterServiceVersion, with a note.
    pub(super) fn of_version(
        &self,
        namespace: &str,
        installed: &str,
        image: Option<String>,
    ) -> (Vec<permissions::Content>, Option<String>) {
        let looked_up = || self.images.get(&(namespace, installed)).copied().flatten();
        if let Some(image) = image.or_else(|| looked_up().map(str::to_owned)) {
            let content = permissions::Content::Image {
                named: image.clone(),
                resolved: image,
            };
            return (vec![content], None);
        }
        let planned = self.planned(namespace, installed);
        if !planned.is_empty() {
            return (vec![permissions::Content::raw_objects(&planned)], None);
        }
        let mut alone = json!({"apiVersion": crate::csv::API_VERSION, "kind": crate::csv::KIND,
            "metadata": {"name": installed}});
        if let Some(version) = self.version(namespace, installed) {
            alone["spec"] = version.get("/spec").cloned().unwrap_or_default();
        }
        let note = format!(
            "the input does not specify the bundle of {installed}, so its Install contains only the ClusterServiceVersion"
        );
        (vec![permissions::Content::raw_objects(&[alone])], Some(note))
    }

    /// Returns the installed version; if the namespace contains only a copy of it, the original.
    fn version(&self, namespace: &str, installed: &str) -> Option<Component<'a>> {
        let original = |namespace: &str| self.originals.get(&(namespace, installed)).copied();
        original(namespace).or_else(|| original(home_of(*self.copies.get(&(namespace, installed))?)))
    }

    /// Returns the objects that OLM applied, if the InstallPlans contain them.
    fn planned(&self, namespace: &str, installed: &str) -> Vec<Value> {
        let object = |step: &Component<'_>| {
            let mut object: Value = serde_json::from_str(step.text("/resource/manifest")).ok()?;
            // The manifest is only a reference to the unpacked content.
            if object.get("catalogSourceName").is_some() {
                return None;
            }
            // Omit the objects that OLM generates again, whose manifests specify no kind, and the Subscription, which
            // an Operator replaces.
            let is_generated = object.get("kind").is_none();
            let goes = is_generated || step.text("/resource/kind") == "Subscription";
            object.as_object_mut()?.shift_remove("status");
            (!goes).then_some(object)
        };
        let steps = self.steps.get(&(namespace, installed)).into_iter().flatten();
        steps.filter_map(object).collect()
    }
}
