//! Pipelines that move one tag of one index image: whatever they start from, no bundle is lost silently.

use crate::bundles::Release;
use crate::common::{Outcome, Sandbox};
use crate::memory::{Conditions, MemoryRegistry};
use crate::tools::{DockerRegistry, installed};
use opmx::bundle::location::Location;
use opmx::database::change;
use opmx::image::{
    CacheMode, Credentials, ImageConfig, ImageError, ImageOptions, Race, Reference, RetryPolicy, Silent, TagState,
    Transports, build, write_layout,
};
use opmx::index::gather::GatherOptions;
use opmx::index::location::IndexLocation;
use opmx::index::open::OpenLimits;
use opmx::index::publish::{
    self, AddBundles, Applied, CatalogForm, ChangeError, Destination, IndexChange, PublishError, PublishOptions,
    Published,
};
use opmx::index::server::Server;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;
use tokio::sync::Barrier;

/// A pipeline that uses the library.
struct Pipeline {
    transports: Transports,
    base: Reference,
    bundles: PathBuf,
    /// Where pipelines wait for each other until each has read the tag.
    start: Option<Arc<Barrier>>,
}

fn options(folder: &Path) -> ImageOptions {
    let authfile = folder.join("auth.json");
    std::fs::write(&authfile, "{}").unwrap();
    ImageOptions {
        credentials: Credentials::in_file(authfile),
        use_http: true,
        cache: CacheMode::Off,
        retry: RetryPolicy {
            first_delay: Duration::from_millis(20),
            ..RetryPolicy::default()
        },
        ..ImageOptions::default()
    }
}

/// Adds bundles once all pipelines have reached their first change.
struct Waiting<'a> {
    start: Option<&'a Barrier>,
    started: AtomicBool,
    add: AddBundles<'a>,
}

impl IndexChange for Waiting<'_> {
    type Outcome = ();

    async fn apply(&self, target: &change::Target<'_>, applied: Applied) -> Result<(), ChangeError> {
        if let Some(start) = self.start
            && !self.started.swap(true, Ordering::Relaxed)
        {
            start.wait().await;
        }
        self.add.apply(target, applied).await.map(drop)
    }
}

impl Pipeline {
    fn new(sandbox: &Sandbox, options: ImageOptions) -> Self {
        let base = format!("oci:{}:v1", sandbox.path("base").display());
        Self {
            transports: Transports::new(options, Arc::new(Silent)),
            base: base.parse().unwrap(),
            bundles: sandbox.path(""),
            start: None,
        }
    }

    /// Adds the bundle of a package to an index, as `opmx index add` does.
    async fn add(
        &self,
        package: &str,
        from: Option<&str>,
        to: &str,
        redo: bool,
    ) -> Result<Published<()>, Box<PublishError>> {
        let folder = self.bundles.join(package);
        let location: Location = folder.to_str().unwrap().parse().unwrap();
        let locations = [location];
        let options = GatherOptions::default();
        let writing = change::ChangeOptions::default();
        let destination = Destination::Image {
            to: to.parse().unwrap(),
            server: Server::Base {
                base: self.base.clone(),
                all_platforms: false,
            },
        };
        let publishing = PublishOptions {
            form: CatalogForm::Database,
            mode: Some(options.policy.mode),
            transports: &self.transports,
            limits: OpenLimits::default(),
            writing: &writing,
            redo,
            strictness: &opmx::validation::Strictness::default(),
        };
        let change = Waiting {
            start: self.start.as_deref(),
            started: AtomicBool::new(false),
            add: AddBundles {
                locations: &locations,
                transports: &self.transports,
                options: &options,
                writing: &writing,
            },
        };
        let from: Option<IndexLocation> = from.map(|from| from.parse().unwrap());
        publish::make(from.as_ref(), &destination, publishing, change)
            .await
            .map_err(Box::new)
    }
}

/// A sandbox with a base image, and the bundles of the packages `a`, `b` and `c` in folders with these names.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    let base = build(&ImageConfig::default(), Vec::new()).unwrap();
    write_layout(&base, &sandbox.path("base"), Some("v1")).unwrap();
    for package in ["a", "b", "c"] {
        Release::new(package, 0).write(&sandbox.path(package));
    }
    sandbox
}

fn runtime() -> tokio::runtime::Runtime {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    builder.enable_all().build().unwrap()
}

/// The packages in the index under a reference.
async fn held(pipeline: &Pipeline, reference: &str) -> String {
    let index: IndexLocation = reference.parse().unwrap();
    let database = index.fetch(&pipeline.transports, 1 << 30).await.unwrap();
    let connection = rusqlite::Connection::open(database.path()).unwrap();
    let names = "SELECT group_concat(name, '') FROM (SELECT name FROM package ORDER BY name)";
    connection.query_row(names, [], |row| row.get(0)).unwrap()
}

#[test]
fn two_writers_of_one_tag_lose_nothing_in_200_rounds() {
    const ROUNDS: usize = 200;
    const TOGETHER: usize = 16;
    if !installed(&["docker-registry"]) {
        return;
    }
    let sandbox = sandbox();
    let registry = DockerRegistry::start(&sandbox.path(""), "", "");
    let host = registry.host.as_str();
    let pipeline = || Pipeline::new(&sandbox, options(&sandbox.path("")));
    let elsewhere = &format!("{host}/base:v1");
    let base = runtime().block_on(async {
        let pipeline = pipeline();
        pipeline.add("c", None, elsewhere, true).await.unwrap();
        pipeline.transports.pull(&elsewhere.parse().unwrap()).await.unwrap()
    });
    // Both writers of a round know what the tag stands for before either moves it. How often a change was made again,
    // or nothing where a writer was so slow that it says that it cannot tell, as on a machine that does too much at
    // once.
    let round = |round: usize| -> Option<usize> {
        let to = &format!("{host}/index-{round}:latest");
        let from = match round % 3 {
            2 => elsewhere.clone(),
            kind => {
                let push = async { pipeline().transports.push(&base, &to.parse().unwrap()).await.unwrap() };
                let pinned = runtime().block_on(push).to_string();
                if kind == 0 { to.clone() } else { pinned }
            }
        };
        let (from, start) = (&from, Arc::new(Barrier::new(2)));
        let published = thread::scope(|scope| {
            let writers = ["a", "b"].map(|package| {
                let start = Some(Arc::clone(&start));
                let pipeline = Pipeline { start, ..pipeline() };
                scope.spawn(move || runtime().block_on(pipeline.add(package, Some(from), to, true)))
            });
            writers.map(|writer| writer.join().unwrap())
        });
        let mut redone = 0;
        for published in published {
            match published {
                Ok(published) => redone += published.redone,
                Err(error) => match *error {
                    PublishError::Image(ImageError::Moved {
                        race: Race::Unknown { .. },
                        ..
                    }) => return None,
                    error => panic!("round {round}: {error}"),
                },
            }
        }
        assert_eq!(runtime().block_on(held(&pipeline(), to)), "abc", "round {round}");
        Some(redone)
    };
    let (next, good) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let redone: usize = thread::scope(|scope| {
        let work = || {
            let mut redone = 0;
            while good.load(Ordering::Relaxed) < ROUNDS {
                if let Some(again) = round(next.fetch_add(1, Ordering::Relaxed)) {
                    good.fetch_add(1, Ordering::Relaxed);
                    redone += again;
                }
            }
            redone
        };
        let workers: Vec<_> = (0..TOGETHER).map(|_| scope.spawn(work)).collect();
        workers.into_iter().map(|worker| worker.join().unwrap()).sum()
    });
    let (next, good) = (next.into_inner(), good.into_inner());
    println!(
        "{good} rounds, {redone} changes were made again; in {} rounds more a writer could not tell",
        next - good
    );
    assert!(redone >= ROUNDS / 2, "the writers hardly met: {redone}");
    assert!(next < 2 * ROUNDS, "the writers could hardly ever tell: {next}");
}

/// A registry in memory, pipelines with a short delay, and an index with the package `c` under `index:v1`.
struct Setting {
    registry: MemoryRegistry,
    one: Pipeline,
    other: Pipeline,
    index: String,
    _sandbox: Sandbox,
}

const SETTLE: Duration = Duration::from_millis(400);
const TAG: &str = "/v2/index/manifests/v1";

impl Setting {
    fn new(conditions: Conditions) -> Self {
        let sandbox = sandbox();
        let registry = MemoryRegistry::start(conditions);
        let [one, other] = [(); 2].map(|()| {
            let options = ImageOptions {
                settle: SETTLE,
                ..options(&sandbox.path(""))
            };
            Pipeline::new(&sandbox, options)
        });
        let index = format!("{}/index:v1", registry.host());
        runtime().block_on(one.add("c", None, &index, true)).unwrap();
        Self {
            registry,
            one,
            other,
            index,
            _sandbox: sandbox,
        }
    }

    /// Adds a package to the index.
    fn add(&self, package: &str) -> Result<Published<()>, Box<PublishError>> {
        runtime().block_on(self.one.add(package, Some(&self.index), &self.index, true))
    }

    /// Adds a package, while another pipeline adds the package `b` at the moment when the registry is processing the
    /// manifest of the first one.
    fn overtake(&self, package: &str, redo: bool) -> Result<Published<()>, Box<PublishError>> {
        let (held, go_on) = self.registry.hold(TAG);
        let overtaken = self.one.add(package, Some(&self.index), &self.index, redo);
        let overtaking = async {
            held.await.unwrap();
            let added = self.other.add("b", Some(&self.index), &self.index, true).await;
            added.unwrap();
            go_on.send(()).unwrap();
        };
        runtime().block_on(async { tokio::join!(overtaken, overtaking).0 })
    }

    fn held(&self, reference: &str) -> String {
        runtime().block_on(held(&self.one, reference))
    }
}

#[test]
fn an_image_replaced_by_a_slow_request_is_detected_and_its_bundles_restored() {
    let setting = Setting::new(Conditions::Ignored);
    assert_eq!(setting.overtake("a", true).unwrap().redone, 1);
    assert_eq!(setting.held(&setting.index), "abc");
}

#[test]
fn with_no_redo_a_replaced_image_is_reported() {
    let setting = Setting::new(Conditions::Ignored);
    let Race::Over { lost } = race(setting.overtake("a", false)) else {
        panic!("another race");
    };
    let (repository, _) = setting.index.rsplit_once(':').unwrap();
    assert_eq!(setting.held(&format!("{repository}@{lost}")), "bc");
}

#[test]
fn a_registry_with_conditional_requests_keeps_a_concurrent_change() {
    let setting = Setting::new(Conditions::Honoured);
    let race = race(setting.overtake("a", false));
    assert!(
        matches!(
            race,
            Race::Before {
                found: TagState::Image(_)
            }
        ),
        "{race:?}"
    );
    assert_eq!(setting.held(&setting.index), "bc");
}

#[test]
fn with_conditional_requests_the_change_is_repeated() {
    let setting = Setting::new(Conditions::Honoured);
    assert_eq!(setting.overtake("a", true).unwrap().redone, 1);
    assert_eq!(setting.held(&setting.index), "abc");
}

#[test]
fn a_registry_that_misreads_conditions_still_accepts_the_image() {
    let setting = Setting::new(Conditions::Misread);
    assert_eq!(setting.add("a").unwrap().redone, 0);
    assert_eq!(setting.held(&setting.index), "ac");
}

#[test]
fn a_writer_paused_between_check_and_put_does_not_count_as_first() {
    let setting = Setting::new(Conditions::Ignored);
    // No look is answered while the manifest is under way.
    setting.registry.delay("PUT", TAG, SETTLE * 2);
    setting.registry.delay("HEAD", TAG, SETTLE * 3 / 2);
    assert_eq!(race(setting.add("a")), Race::Unknown { lost: None });
}

#[test]
fn a_manifest_is_not_put_twice_if_the_response_is_lost() {
    let setting = Setting::new(Conditions::Ignored);
    let puts = setting.registry.count("PUT", TAG);
    setting.registry.lose_answer(TAG);
    assert_eq!(setting.add("a").unwrap().redone, 0);
    assert_eq!(setting.registry.count("PUT", TAG), puts + 1);
    assert_eq!(setting.held(&setting.index), "ac");
}

#[test]
fn a_tag_that_appears_in_the_meantime_is_kept() {
    let setting = Setting::new(Conditions::Ignored);
    let new = setting.index.replace("index:v1", "new:v1");
    let (held_back, go_on) = setting.registry.hold("/v2/new/blobs/");
    let slow = setting.one.add("a", None, &new, true);
    let fast = async {
        held_back.await.unwrap();
        setting.other.add("b", None, &new, true).await.unwrap();
        go_on.send(()).unwrap();
    };
    let error = runtime().block_on(async { tokio::join!(slow, fast).0 });
    assert!(matches!(race(error), Race::Before { .. }));
    assert_eq!(setting.held(&new), "b");
}

#[test]
fn one_of_two_concurrent_creators_of_a_tag_is_notified() {
    let setting = Setting::new(Conditions::Ignored);
    let new = setting.index.replace("index:v1", "new:v1");
    // Both have looked before the first manifest is there.
    setting.registry.together("PUT", "/v2/new/manifests/v1", 2);
    let both = async {
        tokio::join!(
            setting.one.add("a", None, &new, true),
            setting.other.add("b", None, &new, true)
        )
    };
    let (first, second) = runtime().block_on(both);
    let (won, lost) = match setting.held(&new).as_str() {
        "a" => (first, second),
        _ => (second, first),
    };
    assert_eq!(won.unwrap().redone, 0);
    assert!(matches!(race(lost), Race::After { .. }));
}

fn race(result: Result<Published<()>, Box<PublishError>>) -> Race {
    match *result.unwrap_err() {
        PublishError::Image(ImageError::Moved { race, .. }) => race,
        other => panic!("expected a lost race, got {other:?}"),
    }
}

#[test]
fn both_layouts_and_archives_keep_concurrent_changes() {
    for transport in ["oci", "oci-archive"] {
        let sandbox = sandbox();
        let index = format!("{transport}:index:v1");
        let outcome = sandbox.run(["index", "add", "-q", "-i", "oci:base:v1", "-b", "c", "-t", &index]);
        assert_eq!(outcome.status, Some(0), "{outcome}");
        let start = |bundle: &str| {
            let line = [
                "index",
                "add",
                "-i",
                "oci:base:v1",
                "-b",
                bundle,
                "-f",
                &index,
                "-t",
                &index,
            ];
            let mut command = sandbox.command(line);
            command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
        };
        for child in ["a", "b"].map(start) {
            let output = child.wait_with_output().unwrap();
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{transport}: {said}");
        }
        let listed = sandbox.run(["index", "list", "packages", &index]);
        let packages: BTreeSet<&str> = listed
            .stdout
            .lines()
            .filter_map(|line| line.split(' ').next())
            .collect();
        assert!(packages.is_superset(&["a", "b", "c"].into()), "{transport}: {listed}");
    }
}

#[test]
fn the_image_that_a_push_replaces_is_reported() {
    let sandbox = sandbox();
    let add = |bundle: &str, more: &[&str]| -> Outcome {
        let line = ["index", "add", "-i", "oci:base:v1", "-t", "oci:index:v1", "-b", bundle];
        let outcome = sandbox.run(line.iter().chain(more));
        assert_eq!(outcome.status, Some(0), "{outcome}");
        outcome
    };
    let first = add("a", &[]);
    assert!(!first.stderr.contains("replaced"), "{first}");
    let pinned = first.stdout.trim();
    let second = add("b", &[]);
    assert!(second.stderr.contains(&format!("replaced {pinned}\n")), "{second}");
    // What it begins with is no news.
    let third = add("c", &["-f", "oci:index:v1"]);
    assert!(!third.stderr.contains("replaced"), "{third}");
}
