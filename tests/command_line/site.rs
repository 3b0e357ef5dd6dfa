//! A site in a folder as a browser would see it: its files, and the problems in them.

use html5ever::tendril::TendrilSink;
use html5ever::{ParseOpts, parse_document};
use markup5ever_rcdom::{Handle, NodeData, RcDom};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// All files, by their paths.
pub(crate) struct Site {
    pub(crate) files: BTreeMap<String, Vec<u8>>,
}

/// A page.
pub(crate) struct Page {
    pub(crate) errors: Vec<String>,
    pub(crate) elements: Vec<Element>,
    /// All text that is shown.
    pub(crate) text: String,
}

/// An element.
#[derive(Debug)]
pub(crate) struct Element {
    pub(crate) name: String,
    pub(crate) attributes: BTreeMap<String, String>,
}

impl Site {
    pub(crate) fn read(folder: &Path) -> Self {
        let mut files = BTreeMap::new();
        for entry in walkdir::WalkDir::new(folder) {
            let entry = entry.unwrap();
            if entry.file_type().is_file() {
                let path = entry.path().strip_prefix(folder).unwrap().to_str().unwrap().to_owned();
                files.insert(path, fs::read(entry.path()).unwrap());
            }
        }
        Self { files }
    }

    pub(crate) fn text(&self, path: &str) -> &str {
        let content = self.files.get(path);
        let content = content.unwrap_or_else(|| panic!("no {path} among {:?}", self.files.keys()));
        std::str::from_utf8(content).unwrap()
    }

    pub(crate) fn json(&self, path: &str) -> serde_json::Value {
        serde_json::from_str(self.text(path)).unwrap()
    }

    pub(crate) fn page(&self, path: &str) -> Page {
        Page::read(self.text(path))
    }

    pub(crate) fn pages(&self) -> BTreeMap<&str, Page> {
        let pages = self
            .files
            .keys()
            .filter(|path| Path::new(path).extension().is_some_and(|extension| extension == "html"));
        pages.map(|path| (path.as_str(), self.page(path))).collect()
    }

    /// All problems: broken links, duplicate names, and content that could run or be fetched from elsewhere.
    pub(crate) fn complaints(&self) -> Vec<String> {
        let pages = self.pages();
        let names: BTreeMap<&str, BTreeSet<&str>> = pages
            .iter()
            .map(|(path, page)| {
                (
                    *path,
                    page.elements.iter().filter_map(|element| element.get("id")).collect(),
                )
            })
            .collect();
        let mut complaints = Vec::new();
        for (path, page) in &pages {
            let mut say = |what: String| complaints.push(format!("{path}: {what}"));
            for error in &page.errors {
                say(error.clone());
            }
            let mut seen = BTreeSet::new();
            let policy = page.elements.iter().any(|element| {
                element.get("http-equiv") == Some("Content-Security-Policy")
                    && element
                        .get("content")
                        .is_some_and(|policy| policy.starts_with("default-src 'none'; script-src 'self';"))
            });
            if !policy {
                say("forbids nothing".to_owned());
            }
            for element in &page.elements {
                if let Some(id) = element.get("id")
                    && !seen.insert(id)
                {
                    say(format!("the name {id} appears twice"));
                }
                for reference in ["for", "aria-labelledby"] {
                    if let Some(id) = element.get(reference)
                        && !names[path].contains(id)
                    {
                        say(format!("{reference} names {id}, which is not there"));
                    }
                }
                for complaint in harm(element) {
                    say(complaint);
                }
                for address in ["href", "src"].iter().filter_map(|name| element.get(name)) {
                    if let Some(complaint) = self.follow(path, element, address, &names) {
                        say(complaint);
                    }
                }
            }
        }
        complaints
    }

    /// The problem of an address.
    fn follow(
        &self,
        from: &str,
        element: &Element,
        address: &str,
        names: &BTreeMap<&str, BTreeSet<&str>>,
    ) -> Option<String> {
        let leads_out = ["https://", "http://", "mailto:"]
            .iter()
            .any(|scheme| address.to_lowercase().starts_with(scheme));
        if leads_out {
            return (element.name != "a").then(|| format!("{} fetches {address}", element.name));
        }
        if element.name == "img" && address.starts_with("data:image/svg+xml;base64,") {
            return None;
        }
        // What the page for errors begins with, where the site is not at the root of its server.
        let rooted = address.strip_prefix("/garden/");
        let (from, address) = rooted.map_or((from, address), |address| ("index.html", address));
        let (path, anchor) = address.split_once('#').unwrap_or((address, ""));
        let mut parts: Vec<&str> = from.split('/').collect();
        parts.pop();
        for part in path.split('/').filter(|part| !path.is_empty() && *part != ".") {
            if part == ".." {
                parts.pop()?;
            } else {
                parts.push(part);
            }
        }
        let target = if path.is_empty() {
            from.to_owned()
        } else {
            parts.join("/")
        };
        if !self.files.contains_key(&target) {
            return Some(format!("{address} leads to {target}, which is not there"));
        }
        let known = anchor.is_empty() || names.get(&*target).is_some_and(|names| names.contains(anchor));
        (!known).then(|| format!("{address} leads to a part of {target} that is not there"))
    }
}

/// Content that could run, or change the appearance of the page.
fn harm(element: &Element) -> Vec<String> {
    let mut harm = Vec::new();
    for name in element.attributes.keys() {
        if name.starts_with("on")
            || ["style", "srcset", "action", "formaction", "background", "ping"].contains(&name.as_str())
        {
            harm.push(format!("{} has {name}", element.name));
        }
    }
    let is_ours = |address: Option<&str>| {
        address.is_some_and(|address| {
            address
                .trim_start_matches("../")
                .trim_start_matches("/garden/")
                .starts_with("assets/")
        })
    };
    let forbidden = [
        "style",
        "iframe",
        "object",
        "embed",
        "base",
        "frame",
        "foreignObject",
        "video",
        "audio",
        "picture",
    ];
    if forbidden.contains(&element.name.as_str()) {
        harm.push(format!("has {}", element.name));
    }
    if element.name == "script" && !is_ours(element.get("src")) {
        harm.push("has a script that is not ours".to_owned());
    }
    harm
}

impl Page {
    fn read(html: &str) -> Self {
        let dom = parse_document(RcDom::default(), ParseOpts::default()).one(html);
        let mut page = Self {
            errors: dom.errors.borrow().iter().map(ToString::to_string).collect(),
            elements: Vec::new(),
            text: String::new(),
        };
        page.walk(&dom.document);
        page
    }

    fn walk(&mut self, node: &Handle) {
        match &node.data {
            NodeData::Element { name, attrs, .. } => self.elements.push(Element {
                name: name.local.to_string(),
                attributes: attrs
                    .borrow()
                    .iter()
                    .map(|attribute| (attribute.name.local.to_string(), attribute.value.to_string()))
                    .collect(),
            }),
            NodeData::Text { contents } => self.text.push_str(&contents.borrow()),
            _ => {}
        }
        for child in node.children.borrow().iter() {
            self.walk(child);
        }
    }

    /// The targets of the links.
    pub(crate) fn links(&self) -> Vec<&str> {
        let links = self.elements.iter().filter(|element| element.name == "a");
        links.filter_map(|link| link.get("href")).collect()
    }
}

impl Element {
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.attributes.get(name).map(String::as_str)
    }
}
