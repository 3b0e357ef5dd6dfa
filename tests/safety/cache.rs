//! A failing cache causes a warning and nothing else.

use crate::common::{Outcome, Sandbox};
use crate::http::{Reply, Server};
use crate::indexes::{self, pipe, run, wrapped};
use opmx::image::{Digest, Image};
use std::fs;
use std::io::Read;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

/// More than is kept in memory.
const LARGE: usize = 9 << 20;

/// A kind of damage, and a function that causes it at a path.
type Case<'a> = (&'a str, &'a dyn Fn(&Path));

/// A registry that holds one image.
fn registry(image: &Image) -> Server {
    let manifest = image.manifest().to_vec();
    let media_type = image.media_type().to_owned();
    let mut blobs = vec![(image.config_descriptor().digest, image.config().to_vec())];
    for layer in image.layers() {
        let mut content = Vec::new();
        layer.content.open().unwrap().read_to_end(&mut content).unwrap();
        blobs.push((layer.descriptor.digest, content));
    }
    Server::start(move |request, _| match request.path.rsplit_once('/') {
        Some(("/v2/team/index/manifests", _)) => {
            Reply::new(200, manifest.clone()).header("Content-Type", media_type.clone())
        }
        Some(("/v2/team/index/blobs", digest)) => {
            let digest: Digest = digest.parse().unwrap();
            let (_, content) = blobs.iter().find(|(known, _)| *known == digest).unwrap();
            Reply::new(200, content.clone())
        }
        _ => Reply::new(404, ""),
    })
}

struct Place {
    sandbox: Sandbox,
    server: Server,
}

impl Place {
    fn new(noise: usize) -> Self {
        let sandbox = Sandbox::new();
        let server = registry(&indexes::database_image(&sandbox, noise));
        fs::create_dir(sandbox.path("tmp")).unwrap();
        Self { sandbox, server }
    }

    fn cache(&self) -> PathBuf {
        self.sandbox.path("cache")
    }

    fn line(&self) -> String {
        format!(
            "index list packages {}/team/index:v1 --use-http --cache-dir cache",
            self.server.host
        )
    }

    fn blobs(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.cache().join("blobs/sha256")).unwrap();
        entries.map(|entry| entry.unwrap().path()).collect()
    }

    /// Runs the command, which must give its usual output and one warning.
    fn passes_over(outcome: &Outcome, expected: &str, of: &str) {
        assert_eq!(outcome.status, Some(0), "{of}: {outcome}");
        assert!(outcome.stdout.contains("tool"), "{of}: {outcome}");
        assert_eq!(outcome.stderr.matches("warning: ").count(), 1, "{of}: {outcome}");
        assert!(outcome.stderr.contains(expected), "{of}: {outcome}");
    }
}

#[test]
fn a_working_cache_is_filled_and_used_silently() {
    let place = Place::new(LARGE);
    for _ in 0..2 {
        let outcome = run(&place.sandbox, &place.line());
        assert_eq!((outcome.status, outcome.stderr.as_str()), (Some(0), ""), "{outcome}");
    }
    assert_eq!(place.server.count("GET", "/blobs/"), 2);
}

#[test]
fn an_unusable_cache_is_bypassed_with_one_warning() {
    let cases: [Case<'_>; 5] = [
        ("a file", &|cache| fs::write(cache, "mine").unwrap()),
        ("a loop of links", &|cache| symlink("cache", cache).unwrap()),
        ("a link that leads nowhere", &|cache| {
            symlink("nowhere/at/all", cache).unwrap();
        }),
        ("a named pipe", &|cache| pipe(cache)),
        ("an image layout", &|cache| {
            fs::create_dir(cache).unwrap();
            fs::write(cache.join("oci-layout"), "{}").unwrap();
        }),
    ];
    let place = Place::new(LARGE);
    for (of, make) in cases {
        make(&place.cache());
        let before = indexes::tree(&place.sandbox.path(""));
        let outcome = run(&place.sandbox, &place.line());
        Place::passes_over(&outcome, "cannot use the cache: ", of);
        assert_eq!(indexes::tree(&place.sandbox.path("")), before, "{of}");
        let _ = fs::remove_file(place.cache()).or_else(|_| fs::remove_dir_all(place.cache()));
    }
}

#[test]
fn damaged_cache_entries_are_fetched_again_with_one_warning() {
    let cases: [Case<'_>; 5] = [
        ("changed", &|blob| fs::write(blob, "damaged").unwrap()),
        ("cut short", &|blob| fs::write(blob, "").unwrap()),
        ("a named pipe", &|blob| pipe(blob)),
        ("a loop of links", &|blob| {
            symlink(blob.file_name().unwrap(), blob).unwrap();
        }),
        ("a device", &|blob| symlink("/dev/zero", blob).unwrap()),
    ];
    let place = Place::new(LARGE);
    let outcome = run(&place.sandbox, &place.line());
    assert_eq!(outcome.status, Some(0), "{outcome}");
    for (of, damage) in cases {
        let blobs = place.blobs();
        for blob in &blobs {
            fs::remove_file(blob).unwrap();
            damage(blob);
        }
        let asked = place.server.count("GET", "/blobs/");
        let outcome = run(&place.sandbox, &place.line());
        Place::passes_over(&outcome, "the cache is damaged; removing ", of);
        assert_eq!(place.server.count("GET", "/blobs/") - asked, 2, "{of}");
        let again = run(&place.sandbox, &place.line());
        assert_eq!((again.status, again.stderr.as_str()), (Some(0), ""), "{of}: {again}");
        assert_eq!(place.server.count("GET", "/blobs/") - asked, 2, "{of}");
    }
}

#[test]
fn folders_where_cached_blobs_are_expected_are_ignored_and_kept() {
    let place = Place::new(LARGE);
    let outcome = run(&place.sandbox, &place.line());
    assert_eq!(outcome.status, Some(0), "{outcome}");
    for blob in place.blobs() {
        fs::remove_file(&blob).unwrap();
        fs::create_dir(&blob).unwrap();
        fs::write(blob.join("notes"), "mine").unwrap();
    }
    let before = indexes::tree(&place.cache());
    let outcome = run(&place.sandbox, &place.line());
    Place::passes_over(&outcome, "cannot use the cache: ", "folders");
    assert_eq!(indexes::tree(&place.cache()), before);
}

#[test]
fn a_full_or_read_only_cache_is_bypassed_with_one_warning() {
    let place = Place::new(LARGE);
    fs::create_dir(place.cache()).unwrap();
    let can_mount = Command::new("unshare")
        .args(["--mount", "mount", "-t", "tmpfs", "tmpfs"])
        .arg(place.cache())
        .output()
        .is_ok_and(|output| output.status.success());
    if !can_mount {
        // Past the test harness, which would keep it to itself.
        std::io::Write::write_all(&mut std::io::stderr(), b"not run: no file system can be mounted here\n").unwrap();
        return;
    }
    for (options, expected) in [
        // Full at once, at the large blob, and at the last bytes of it.
        ("size=4k,nr_inodes=3", "cannot use the cache: "),
        ("size=1m", "cannot use the cache: cannot write "),
        ("size=9m", "cannot use the cache: cannot write "),
        ("ro", "cannot use the cache: cannot create "),
    ] {
        let script = format!("mount -t tmpfs -o {options} tmpfs cache && exec \"$@\"");
        let program = ["unshare", "--mount", "timeout", "60", "sh", "-c", &script, "sh"];
        let outcome = wrapped(&place.sandbox, &program, &place.line());
        Place::passes_over(&outcome, expected, options);
    }
    assert_eq!(fs::read_dir(place.sandbox.path("tmp")).unwrap().count(), 0);
}

#[test]
fn without_a_home_there_is_no_cache_and_no_warning() {
    let place = Place::new(0);
    let line = place.line().replace(" --cache-dir cache", "");
    let program = ["timeout", "60", "env", "-u", "HOME", "-u", "XDG_CACHE_HOME"];
    let outcome = wrapped(&place.sandbox, &program, &line);
    assert_eq!((outcome.status, outcome.stderr.as_str()), (Some(0), ""), "{outcome}");
}
