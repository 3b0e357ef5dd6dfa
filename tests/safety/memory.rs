//! A registry in memory whose answers can be delayed, lost, or made to depend on conditional headers.

use crate::http::{Reply, Request, Server};
use opmx::image::Digest;
use std::collections::HashMap;
use std::sync::{Arc, Barrier, Mutex};
use std::thread;
use std::time::Duration;
use tokio::sync::oneshot;

/// How the registry handles `If-Match` and `If-None-Match`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Conditions {
    Ignored,
    Honoured,
    /// It compares with an entity tag other than the one it returns.
    Misread,
}

#[derive(Default)]
struct Store {
    blobs: HashMap<String, Vec<u8>>,
    /// By their path, with a tag or digest.
    manifests: HashMap<String, (Vec<u8>, String)>,
}

/// What happens to a request before it is processed.
enum Trick {
    /// It waits for a signal from the test, once.
    Hold(Mutex<Option<(oneshot::Sender<()>, oneshot::Receiver<()>)>>),
    Delay(Duration),
    Together(Barrier),
    /// It is processed, but answered with an error, once.
    LoseAnswer(Mutex<bool>),
}

type Tricks = Mutex<Vec<(&'static str, String, Arc<Trick>)>>;

pub(crate) struct MemoryRegistry {
    server: Server,
    tricks: Arc<Tricks>,
}

impl MemoryRegistry {
    pub(crate) fn start(conditions: Conditions) -> Self {
        let tricks = Arc::new(Tricks::default());
        let (store, known) = (Mutex::new(Store::default()), Arc::clone(&tricks));
        let server = Server::start(move |request, _| {
            let mine =
                |trick: &&(&str, String, Arc<Trick>)| trick.0 == request.method && request.path.starts_with(&trick.1);
            let found: Vec<_> = known
                .lock()
                .unwrap()
                .iter()
                .filter(mine)
                .map(|trick| Arc::clone(&trick.2))
                .collect();
            let mut lose = false;
            for trick in found {
                match &*trick {
                    Trick::Hold(ends) => {
                        let ends = ends.lock().unwrap().take();
                        if let Some((held, go_on)) = ends {
                            held.send(()).unwrap();
                            go_on.blocking_recv().unwrap();
                        }
                    }
                    Trick::Delay(time) => thread::sleep(*time),
                    Trick::Together(barrier) => drop(barrier.wait()),
                    Trick::LoseAnswer(once) => lose = std::mem::take(&mut once.lock().unwrap()),
                }
            }
            let reply = store.lock().unwrap().answer(request, conditions);
            if lose { Reply::new(503, "") } else { reply }
        });
        Self { server, tricks }
    }

    pub(crate) fn host(&self) -> &str {
        &self.server.host
    }

    pub(crate) fn count(&self, method: &str, path: &str) -> usize {
        self.server.count(method, path)
    }

    fn play(&self, method: &'static str, path: &str, trick: Trick) {
        self.tricks
            .lock()
            .unwrap()
            .push((method, path.to_owned(), Arc::new(trick)));
    }

    /// Blocks the next `PUT` or blob request for this path: signals its arrival, and waits for a signal to continue.
    pub(crate) fn hold(&self, path: &str) -> (oneshot::Receiver<()>, oneshot::Sender<()>) {
        let (held, wait) = oneshot::channel();
        let (go_on, told) = oneshot::channel();
        let method = if path.contains("/blobs/") { "HEAD" } else { "PUT" };
        self.play(method, path, Trick::Hold(Mutex::new(Some((held, told)))));
        (wait, go_on)
    }

    /// Delays each request.
    pub(crate) fn delay(&self, method: &'static str, path: &str, time: Duration) {
        self.play(method, path, Trick::Delay(time));
    }

    /// Blocks requests until this many are pending.
    pub(crate) fn together(&self, method: &'static str, path: &str, count: usize) {
        self.play(method, path, Trick::Together(Barrier::new(count)));
    }

    /// Processes the next `PUT` of this path, but answers with an error.
    pub(crate) fn lose_answer(&self, path: &str) {
        self.play("PUT", path, Trick::LoseAnswer(Mutex::new(true)));
    }
}

impl Store {
    fn answer(&mut self, request: &Request, conditions: Conditions) -> Reply {
        let path = request.path.split('?').next().unwrap().to_owned();
        let found = |content: Option<&Vec<u8>>| match content {
            Some(content) => Reply::new(200, content.clone()),
            None => Reply::new(404, ""),
        };
        let digest_in = |text: &str| {
            text.rsplit_once("sha256")
                .map(|(_, hex)| hex.trim_start_matches("%3A").trim_start_matches(':').to_owned())
        };
        match request.method.as_str() {
            "POST" => Reply::new(202, "").header("Location", format!("{path}upload")),
            "PUT" if path.contains("/blobs/") => {
                let digest = digest_in(&request.path).unwrap();
                self.blobs.insert(digest, request.body.clone());
                Reply::new(201, "")
            }
            "PUT" => self.put(&path, request, conditions),
            _ if path.contains("/blobs/") => found(digest_in(&path).and_then(|digest| self.blobs.get(&digest))),
            _ => match self.manifests.get(&path) {
                Some((content, media_type)) => Reply::new(200, content.clone())
                    .header("Content-Type", media_type)
                    .header("Docker-Content-Digest", Digest::of(content).to_string())
                    .header("ETag", format!("\"{}\"", Digest::of(content))),
                None => Reply::new(404, ""),
            },
        }
    }

    fn put(&mut self, path: &str, request: &Request, conditions: Conditions) -> Reply {
        let there = self
            .manifests
            .get(path)
            .map(|(content, _)| format!("\"{}\"", Digest::of(content)));
        let header = |name: &str| request.headers.get(name).cloned();
        let refused = match conditions {
            Conditions::Ignored => false,
            Conditions::Honoured => {
                header("if-match").is_some_and(|expected| there.as_ref() != Some(&expected))
                    || header("if-none-match").is_some() && there.is_some()
            }
            Conditions::Misread => header("if-match").is_some(),
        };
        if refused {
            return Reply::new(412, "");
        }
        let digest = Digest::of(&request.body);
        let (repository, _) = path.rsplit_once('/').unwrap();
        let media_type = header("content-type").unwrap();
        for path in [path.to_owned(), format!("{repository}/{digest}")] {
            self.manifests.insert(path, (request.body.clone(), media_type.clone()));
        }
        Reply::new(201, "").header("Docker-Content-Digest", digest.to_string())
    }
}
