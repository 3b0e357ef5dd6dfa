//! Generated bundles, and databases that contain them.

use opmx::database::add::Additions;
use opmx::database::change::{ChangeOptions, Target};
use opmx::index::intake::{self, Recording};
use opmx::text::Limits;
use opmx::tree::{Tree, TreeLimits};
use opmx::validation::Strictness;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// One version of an operator: a registry+v1 bundle with one custom resource definition in the channels `stable` and,
/// for every other version, `fast`.
#[derive(Debug, Clone)]
pub(crate) struct Release {
    pub(crate) package: String,
    pub(crate) number: usize,
    /// Lines of text that make the manifests larger.
    pub(crate) lines: usize,
}

impl Release {
    pub(crate) fn new(package: &str, number: usize) -> Self {
        Self {
            package: package.to_owned(),
            number,
            lines: 0,
        }
    }

    /// The versions of a package from the first one on, each replacing the previous one.
    pub(crate) fn line_of(package: &str, count: usize) -> impl Iterator<Item = Self> + '_ {
        (0..count).map(|number| Self::new(package, number))
    }

    pub(crate) fn name(&self) -> String {
        format!("{}.v1.{}.0", self.package, self.number)
    }

    /// The reference of its image.
    pub(crate) fn image(&self) -> String {
        format!("registry.example.com/{}:1.{}.0", self.package, self.number)
    }

    fn files(&self) -> [(&'static str, String); 3] {
        let Self { package, number, lines } = self;
        let name = self.name();
        let replaces = number.checked_sub(1).map_or(String::new(), |before| {
            format!("  replaces: {}\n", Self::new(package, before).name())
        });
        let mut description = String::new();
        for line in 0..*lines {
            writeln!(
                description,
                "    Line {line} of what {name} says about itself, at some length."
            )
            .unwrap();
        }
        let channels = if number % 2 == 0 { "stable" } else { "stable,fast" };
        [
            (
                "manifests/operator.clusterserviceversion.yaml",
                format!(
                    "apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nmetadata:\n  name: {name}\n\
                     spec:\n  displayName: {package}\n  version: 1.{number}.0\n{replaces}  description: |\n    An operator.\n\
                     {description}  installModes:\n  - type: AllNamespaces\n    supported: true\n  \
                     customresourcedefinitions:\n    owned:\n    - name: tools.{package}.example.com\n      kind: Tool\n      version: v1\n  \
                     install:\n    strategy: deployment\n    spec:\n      deployments:\n      - name: {package}\n        spec:\n          \
                     selector: {{matchLabels: {{app: {package}}}}}\n          template:\n            metadata: {{labels: {{app: {package}}}}}\n            \
                     spec:\n              containers:\n              - name: {package}\n                image: registry.example.com/{package}-run:1.{number}.0\n"
                ),
            ),
            (
                "manifests/tool.crd.yaml",
                format!(
                    "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: tools.{package}.example.com\n\
                     spec:\n  group: {package}.example.com\n  scope: Namespaced\n  names: {{kind: Tool, plural: tools, singular: tool, listKind: ToolList}}\n  \
                     versions:\n  - name: v1\n    served: true\n    storage: true\n    schema: {{openAPIV3Schema: {{type: object}}}}\n"
                ),
            ),
            (
                "metadata/annotations.yaml",
                format!(
                    "annotations:\n  operators.operatorframework.io.bundle.channels.v1: {channels}\n  \
                     operators.operatorframework.io.bundle.channel.default.v1: stable\n  \
                     operators.operatorframework.io.bundle.manifests.v1: manifests/\n  \
                     operators.operatorframework.io.bundle.mediatype.v1: registry+v1\n  \
                     operators.operatorframework.io.bundle.metadata.v1: metadata/\n  \
                     operators.operatorframework.io.bundle.package.v1: {package}\n"
                ),
            ),
        ]
    }

    /// Writes the bundle to a folder.
    pub(crate) fn write(&self, folder: &Path) {
        for (path, content) in self.files() {
            let path = folder.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
    }

    fn tree(&self) -> Tree {
        let mut tree = Tree::new(self.image());
        for (path, content) in self.files() {
            tree.insert(path, content.into_bytes(), &TreeLimits::default()).unwrap();
        }
        tree
    }
}

/// Adds bundles to a database by the references of their images.
pub(crate) fn add(releases: impl IntoIterator<Item = Release>, database: &Path) {
    let mut additions = Additions::new(database.parent().unwrap());
    for release in releases {
        let image = release.image();
        let recording = Recording {
            reference: Some(&image),
            ..Recording::default()
        };
        let prepared = intake::prepare(&release.tree(), recording, &Limits::default(), &Strictness::default()).unwrap();
        additions.push(&prepared.record).unwrap();
    }
    let target = Target::InPlace(database);
    additions
        .commit(
            opmx::database::add::Policy::default(),
            &target,
            &ChangeOptions::default(),
        )
        .unwrap();
}
