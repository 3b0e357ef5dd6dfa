//! A user's pipeline, `pipeline.sh`, with a real registry with TLS and a password.

use crate::certificate::certificate_from_authority;
use crate::programs::{push_image, write_login};
use crate::tools::{DockerRegistry, installed, run};
use opmx::image::{CacheMode, Credentials, ImageOptions};
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// A bundle of the package rake with an image in the registry, whose operator has these permissions on pods.
fn bundle(folder: &Path, host: &str, version: &str, replaces: Option<&str>, verbs: &str) {
    let replaces = replaces.map_or(String::new(), |before| format!("  replaces: rake.v{before}\n"));
    let csv = format!(
        "apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nmetadata: {{name: rake.v{version}}}\n\
         spec:\n  displayName: rake\n  version: {version}\n{replaces}  \
         installModes: [{{type: AllNamespaces, supported: true}}]\n  install:\n    strategy: deployment\n    spec:\n      \
         clusterPermissions:\n      - serviceAccountName: rake\n        rules:\n        \
         - {{apiGroups: [\"\"], resources: [pods], verbs: [{verbs}]}}\n      deployments:\n      - name: rake\n        spec:\n          \
         selector: {{matchLabels: {{app: rake}}}}\n          template:\n            metadata: {{labels: {{app: rake}}}}\n            \
         spec:\n              serviceAccountName: rake\n              containers:\n              - name: rake\n                \
         image: {host}/garden/rake:v1\n"
    );
    let annotations = "annotations:\n  operators.operatorframework.io.bundle.channels.v1: stable\n  \
         operators.operatorframework.io.bundle.manifests.v1: manifests/\n  \
         operators.operatorframework.io.bundle.mediatype.v1: registry+v1\n  \
         operators.operatorframework.io.bundle.metadata.v1: metadata/\n  \
         operators.operatorframework.io.bundle.package.v1: rake\n";
    let folder = folder.join(version);
    for (path, text) in [
        ("manifests/rake.clusterserviceversion.yaml", csv.as_str()),
        ("metadata/annotations.yaml", annotations),
    ] {
        fs::create_dir_all(folder.join(path).parent().unwrap()).unwrap();
        fs::write(folder.join(path), text).unwrap();
    }
}

/// The environment of a pipeline: a working folder and a registry.
struct Runner<'a> {
    folder: &'a Path,
    host: &'a str,
}

impl Runner<'_> {
    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        let opmx = Path::new(env!("CARGO_BIN_EXE_opmx")).parent().unwrap();
        command
            .current_dir(self.folder)
            .env_clear()
            .env("PATH", format!("{}:/usr/bin:/bin", opmx.display()))
            .env("HOME", self.folder)
            .env("XDG_CACHE_HOME", self.folder.join("cache"))
            .env("REGISTRY_AUTH_FILE", self.folder.join("auth.json"))
            .env("REGISTRY", format!("{}/garden", self.host))
            .env("CA_FILE", self.folder.join("ca.pem"))
            .env("BASE_IMAGE", format!("{}/garden/base:v1", self.host));
        command
    }

    fn pipeline(&self, arguments: &str, approved: &str) -> Output {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/registry/pipeline.sh");
        let mut command = self.command("bash");
        let arguments = arguments.split(' ');
        command
            .arg(script)
            .args(arguments)
            .env("APPROVED", approved)
            .output()
            .unwrap()
    }

    /// The output of a run that must succeed, mainly the digests of the published images.
    fn publishes(&self, arguments: &str, approved: &str) -> Vec<String> {
        let output = self.pipeline(arguments, approved);
        let (stdout, said) = (text(&output.stdout), text(&output.stderr));
        assert!(output.status.success(), "{arguments}: {stdout}{said}");
        let digests = stdout.lines().filter(|line| line.contains("@sha256:"));
        digests.map(str::to_owned).collect()
    }

    fn opmx(&self, line: &str) -> Output {
        let mut command = self.command("opmx");
        command
            .args(line.split(' '))
            .arg("--ca-file")
            .arg("ca.pem")
            .output()
            .unwrap()
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn repeating_a_pipeline_publishes_once_and_its_status_reports_what_is_missing() {
    if !installed(&["docker-registry", "htpasswd", "openssl", "bash"]) {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let folder = directory.path();
    certificate_from_authority(folder);
    let file = |name: &str| folder.join(name);
    fs::write(file("htpasswd"), run("htpasswd", &["-Bbn", "me", "open sesame"])).unwrap();
    let auth = format!(
        "auth: {{htpasswd: {{realm: test, path: {}}}}}",
        file("htpasswd").display()
    );
    let tls = format!(
        "  tls: {{certificate: {}, key: {}}}",
        file("cert.pem").display(),
        file("key.pem").display()
    );
    let registry = DockerRegistry::start(folder, &tls, &auth);
    let host = registry.host.clone();
    let host = host.as_str();
    write_login(folder, host, "open sesame");
    let options = ImageOptions {
        credentials: Credentials::in_file(file("auth.json")),
        ca_file: Some(file("ca.pem")),
        cache: CacheMode::Off,
        ..ImageOptions::default()
    };
    for name in ["rake", "base"] {
        push_image(&options, &format!("{host}/garden/{name}:v1"), name);
    }
    bundle(folder, host, "1.0.0", None, "get");
    bundle(folder, host, "1.1.0", Some("1.0.0"), "get");
    bundle(folder, host, "1.2.0", Some("1.1.0"), "get, delete");
    let runner = Runner { folder, host };
    let status = |output: &Output| output.status.code();

    let first = runner.publishes("1.0.0 rake 1.0.0", "");
    assert_eq!(first.len(), 2, "added and promoted: {first:?}");
    let again = runner.publishes("1.0.0 rake 1.0.0", "");
    assert_eq!(again, [first[1].as_str(); 2], "the second run changes no digest");

    let second = runner.publishes("1.1.0 rake 1.1.0 1.0.0", "");
    assert_eq!(second.len(), 3, "{second:?}");
    let again = runner.publishes("1.1.0 rake 1.1.0 1.0.0", "");
    assert_eq!(again, [second[2].as_str(); 3], "the second run changes no digest");

    let refused = runner.pipeline("1.2.0 rake 1.2.0", "");
    assert_eq!(status(&refused), Some(3), "{}", text(&refused.stderr));
    assert!(text(&refused.stdout).contains("delete"), "{}", text(&refused.stdout));
    let index = format!("{host}/garden/index:latest");
    let published = runner.opmx(&format!("index list bundles {index}"));
    assert!(
        !text(&published.stdout).contains("1.2.0"),
        "{}",
        text(&published.stdout)
    );
    let approved = runner.publishes("1.2.0 rake 1.2.0", "yes");
    assert_eq!(runner.publishes("1.2.0 rake 1.2.0", "yes"), [approved[1].as_str(); 2]);

    // A script can tell what does not exist from what is no, from what failed, and from its own mistakes.
    for (expected, line) in [
        (0, format!("index list channels {index}")),
        (
            1,
            format!("index add -b {host}/garden/rake-bundle:v1.2.0 -f {index} --dry-run"),
        ),
        (2, format!("index list bundles {index} --no-such-option")),
        (3, format!("index diff {index} {} --exit-code", first[0])),
        (3, "permissions diff 1.1.0 1.2.0".to_owned()),
        (4, format!("bundle validate {host}/garden/rake-bundle:v9")),
        (4, format!("index list packages {host}/garden/nowhere:v1")),
        (4, format!("index rm -o spade -f {index} --dry-run")),
        (4, format!("index promote rake.v9 -c fast -f {index} --dry-run")),
        (4, "bundle build 9.0.0 -t oci:out:v1".to_owned()),
    ] {
        let output = runner.opmx(&line);
        assert_eq!(status(&output), Some(expected), "{line}: {}", text(&output.stderr));
    }
    drop(registry);
    let unreachable = runner.pipeline("1.2.0 rake 1.2.0", "yes");
    assert_eq!(status(&unreachable), Some(1), "{}", text(&unreachable.stderr));
}
