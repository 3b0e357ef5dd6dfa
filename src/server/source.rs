//! The source of data that the listing does not contain: a database, or the files of a catalog.

use super::ServerOptions;
use super::clients::{Client, Clients};
use super::file_based::{CatalogFiles, Files};
use super::listing::{Listing, encode_manifests};
use super::pool::{Pool, changed, fault_of_database, stopping};
use super::unread::{Form, Permit, Unread};
use super::wording::Wording;
use crate::catalog::file_based::error::CatalogError;
use crate::catalog::{ManifestsId, Text};
use crate::causes::with_causes;
use crate::database;
use crate::database::entries::Edge;
use crate::database::read::{Database, ReadError};
use crate::diagnostic::Diagnostic;
use crate::kubernetes::GroupVersionKind;
use prost::bytes::Bytes;
use std::collections::HashMap;
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::spawn_blocking;
use tonic::Status;

/// The maximum size in bytes of a document for which reading is faster than switching to another thread.
const SHORT: usize = 512 << 10;

/// The content to serve.
#[derive(Debug)]
pub enum Served {
    /// An index database.
    Database(Box<Database>),
    /// A file-based catalog.
    Files(Box<CatalogFiles>),
}

impl From<Database> for Served {
    fn from(database: Database) -> Self {
        Self::Database(Box::new(database))
    }
}

impl From<CatalogFiles> for Served {
    fn from(files: CatalogFiles) -> Self {
        Self::Files(Box::new(files))
    }
}

impl Served {
    /// Returns whether the index contains no package.
    ///
    /// # Errors
    /// Returns an error if the database cannot be read.
    pub fn is_empty(&self) -> Result<bool, ReadError> {
        match self {
            Self::Database(database) => database.is_empty(),
            Self::Files(files) => Ok(files.is_empty()),
        }
    }

    /// Checks that the content can be read. Returns the findings about a database; those about a file-based catalog are
    /// known since it was opened.
    ///
    /// # Errors
    /// Returns an error if the database cannot be read.
    pub fn check(&self) -> Result<Vec<Diagnostic>, ReadError> {
        match self {
            Self::Database(database) => {
                database.catalog()?;
                database.plurals()?;
                database::check::check(database)
            }
            Self::Files(_) => Ok(Vec::new()),
        }
    }

    /// Reads the data that has not been read yet.
    pub(super) fn prepare(
        self,
        options: ServerOptions,
        clients: Arc<Clients>,
    ) -> Result<(Listing, ServedIndex), ReadError> {
        let readers = options.readers.max(1);
        let (listing, origin) = match self {
            Self::Database(index) => {
                let listing = Listing::of_database(&index.catalog_without_skip_ranges()?, &index.plurals()?);
                (listing, Origin::Database(Arc::new(Pool::new(*index, readers)?)))
            }
            Self::Files(files) => {
                let (listing, files) = files.into_parts();
                let permits = Arc::new(Semaphore::new(readers));
                let files = Arc::new(files);
                (listing, Origin::Files { files, permits })
            }
        };
        let source = ServedIndex {
            origin,
            unread: Unread::new(&options, clients),
        };
        Ok((listing, source))
    }
}

/// A prepared index. Clones share all data.
#[derive(Debug, Clone)]
pub(super) struct ServedIndex {
    pub(super) origin: Origin,
    /// The budget in bytes for content that clients have not received yet.
    unread: Unread,
}

#[derive(Debug, Clone)]
pub(super) enum Origin {
    Database(Arc<Pool>),
    Files {
        files: Arc<Files>,
        /// Limits the number of concurrent calls that read.
        permits: Arc<Semaphore>,
    },
}

impl ServedIndex {
    pub(super) fn wording(&self) -> Wording {
        match &self.origin {
            Origin::Database(_) => Wording::Database,
            Origin::Files { .. } => Wording::Files,
        }
    }

    /// Returns the reason why the source cannot be served anymore, if it has changed since it was opened.
    pub(super) fn fault(&self) -> Option<String> {
        match &self.origin {
            Origin::Database(pool) => pool.check_unchanged().err().map(|error| fault_of_database(&error)),
            Origin::Files { files, .. } => files.check_unchanged().err().map(|error| fault_of_files(&error)),
        }
    }

    /// Returns the skip ranges of the bundles in a database, which apply in all channels. In a file-based catalog, skip
    /// ranges belong to the entries of channels, so they are already in the listing.
    pub(super) async fn skip_ranges(&self) -> Result<HashMap<ManifestsId, Text>, Status> {
        match &self.origin {
            Origin::Database(pool) => pool.read_long(Database::skip_ranges).await,
            Origin::Files { .. } => Ok(HashMap::new()),
        }
    }

    /// Returns the manifest fields of a bundle, with the part of the budget that they use until they are sent.
    pub(super) async fn manifests(
        &self,
        id: ManifestsId,
        client: Option<&Arc<Client>>,
        form: Form,
    ) -> Result<(Bytes, Permit), Status> {
        self.within_budget(client, form, Bytes::len, || self.read_manifests(id))
            .await
    }

    /// Returns the field of a bundle that contains the ClusterServiceVersion in a database, with the part of the budget
    /// that it uses until it is sent.
    pub(super) async fn csv(
        &self,
        pool: &Pool,
        id: ManifestsId,
        client: Option<&Arc<Client>>,
    ) -> Result<(Bytes, Permit), Status> {
        let read = || async {
            let csv = pool.read(|index| index.csv(id)).await?;
            Ok(encode_manifests::<&str>(csv.as_deref(), &[]))
        };
        self.within_budget(client, Form::Whole, Bytes::len, read).await
    }

    /// Reads content, and takes the part of the budget that the content uses until it is sent.
    async fn within_budget<T, R: Future<Output = Result<T, Status>>>(
        &self,
        client: Option<&Arc<Client>>,
        form: Form,
        size: impl Fn(&T) -> usize,
        read: impl Fn() -> R,
    ) -> Result<(T, Permit), Status> {
        let turn = turn_of(client).await?;
        let content = read().await?;
        let size = size(&content);
        if let Some(taken) = self.unread.try_take(size, client, form) {
            return Ok((content, taken));
        }
        // A call that waits for budget must not keep any data, so the content is read again. It must not keep other
        // calls of the client from reading either, which may need less.
        drop((content, turn));
        let taken = self.unread.take(size, client, form).await?;
        let _turn = turn_of(client).await?;
        Ok((read().await?, taken))
    }

    async fn read_manifests(&self, id: ManifestsId) -> Result<Bytes, Status> {
        let (files, permits) = match &self.origin {
            Origin::Database(pool) => {
                return pool.read(move |index| encoded(index, id)).await;
            }
            Origin::Files { files, permits } => (Arc::clone(files), Arc::clone(permits)),
        };
        read_file(permits, files.length(id), move || files.manifests(id)).await
    }

    /// Returns the positions of the documents that have the custom schema `schema` and belong to `package`, or to no
    /// package if `package` is empty.
    pub(super) fn custom(&self, schema: &str, package: &str) -> Result<Vec<usize>, Status> {
        match &self.origin {
            Origin::Database(_) => Err(no_custom_schemas()),
            Origin::Files { files, .. } => Ok(files.custom(schema, package)),
        }
    }

    /// Returns the document at a position from [`ServedIndex::custom`] as a message, with the part of the budget that
    /// it uses until it is sent.
    pub(super) async fn custom_document(
        &self,
        at: usize,
        client: Option<&Arc<Client>>,
    ) -> Result<(Bytes, Permit), Status> {
        let Origin::Files { files, permits } = &self.origin else {
            return Err(no_custom_schemas());
        };
        let length = files.custom_length(at);
        // A message can be several times as large as its document.
        self.within_budget(client, Form::Stream, Bytes::len, || {
            let files = Arc::clone(files);
            read_file(Arc::clone(permits), length, move || files.custom_document(at))
        })
        .await
    }

    /// Returns all entries that replace or skip a bundle, with the part of the budget that they use until they are
    /// sent.
    pub(super) async fn replacing(
        &self,
        name: &str,
        client: Option<&Arc<Client>>,
    ) -> Result<(Vec<Edge>, Permit), Status> {
        let read = || async {
            match &self.origin {
                Origin::Database(pool) => pool.read(|index| index.entries_that_replace(name)).await,
                Origin::Files { files, .. } => Ok(files.graph.replacing(name)),
            }
        };
        self.within_budget(client, Form::Whole, |edges| size_of_edges(edges), read)
            .await
    }

    /// Returns the entry of a channel that replaces or skips a bundle.
    pub(super) async fn replacing_in(
        &self,
        package: String,
        channel: String,
        name: String,
    ) -> Result<Option<Edge>, Status> {
        match &self.origin {
            Origin::Database(pool) => {
                pool.read(move |index| index.bundle_that_replaces(&package, &channel, &name))
                    .await
            }
            Origin::Files { files, .. } => Ok(files.graph.replacing_in(&package, &channel, &name)),
        }
    }

    /// Returns the edges of all bundles that provide an API, with the part of the budget that they use until they are
    /// sent.
    pub(super) async fn providing(
        &self,
        api: &GroupVersionKind,
        client: Option<&Arc<Client>>,
    ) -> Result<(Vec<Edge>, Permit), Status> {
        let read = || async {
            match &self.origin {
                Origin::Database(pool) => pool.read(|index| index.entries_that_provide(api)).await,
                Origin::Files { files, .. } => Ok(files.graph.providing(api)),
            }
        };
        self.within_budget(client, Form::Whole, |edges| size_of_edges(edges), read)
            .await
    }

    /// Returns, for each channel, the edges of the newest bundle that provides an API, with the part of the budget that
    /// they use until they are sent.
    pub(super) async fn latest_providing(
        &self,
        api: &GroupVersionKind,
        client: Option<&Arc<Client>>,
    ) -> Result<(Vec<Edge>, Permit), Status> {
        let read = || async {
            match &self.origin {
                Origin::Database(pool) => pool.read(|index| index.latest_entries_that_provide(api)).await,
                Origin::Files { files, .. } => Ok(files.graph.latest_providing(api)),
            }
        };
        self.within_budget(client, Form::Whole, |edges| size_of_edges(edges), read)
            .await
    }

    /// Returns the entry of a bundle that provides an API, from the default channel of a package.
    pub(super) async fn default_providing(&self, api: GroupVersionKind) -> Result<Option<Edge>, Status> {
        match &self.origin {
            Origin::Database(pool) => pool.read(move |index| index.default_bundle_that_provides(&api)).await,
            Origin::Files { files, .. } => Ok(files.graph.default_providing(&api)),
        }
    }
}

/// Waits until the client may read content. Content is read before there is budget for it, so only a few calls of one
/// client may read at the same time. They do not wait for the client meanwhile, so this ends soon.
async fn turn_of(client: Option<&Arc<Client>>) -> Result<Option<OwnedSemaphorePermit>, Status> {
    let Some(client) = client else { return Ok(None) };
    let turn = Arc::clone(&client.readers).acquire_owned().await;
    turn.map(Some).map_err(|_| stopping())
}

/// Returns the size of edges in memory in bytes.
fn size_of_edges(edges: &[Edge]) -> usize {
    let texts = |edge: &Edge| {
        let Edge {
            package,
            channel,
            bundle,
            replaces,
        } = edge;
        package.len() + channel.len() + bundle.len() + replaces.as_ref().map_or(0, String::len)
    };
    edges.iter().map(|edge| size_of::<Edge>() + texts(edge)).sum()
}

fn no_custom_schemas() -> Status {
    Status::unimplemented("a database cannot contain documents with custom schemas; serve a file-based catalog")
}

/// Reads from the files of a catalog, on another thread if reading takes a long time.
async fn read_file(
    permits: Arc<Semaphore>,
    length: usize,
    read: impl FnOnce() -> Result<Bytes, CatalogError> + Send + 'static,
) -> Result<Bytes, Status> {
    let permit = permits.acquire_owned().await.map_err(|_| stopping())?;
    if length <= SHORT {
        return read().map_err(|error| refused(&error));
    }
    let reading = spawn_blocking(move || {
        let answer = read();
        drop(permit);
        answer
    });
    match reading.await {
        Ok(answer) => answer.map_err(|error| refused(&error)),
        Err(_) => Err(Status::internal("reading the catalog was interrupted")),
    }
}

fn refused(error: &CatalogError) -> Status {
    let said = fault_of_files(error);
    tracing::error!(error = said, "cannot answer");
    match error {
        CatalogError::Changed { .. } => Status::unavailable(changed("the catalog")),
        _ => Status::internal(said),
    }
}

/// Encodes the manifests of a bundle in a database. If its ClusterServiceVersion is only in its image, the stand-in is
/// served, as it is from a catalog.
fn encoded(index: &Database, id: ManifestsId) -> Result<Bytes, ReadError> {
    let (encoded, is_complete) = index.with_manifests(id, |csv, objects| {
        (encode_manifests(csv, objects), csv.is_some() || !objects.is_empty())
    })?;
    if is_complete {
        return Ok(encoded);
    }
    let stand_in = index.stand_in(id)?;
    let csv = stand_in.as_deref();
    Ok(encode_manifests(csv, csv.as_slice()))
}

fn fault_of_files(error: &CatalogError) -> String {
    match error {
        CatalogError::Changed { file } => changed(file.display()),
        _ => with_causes(error),
    }
}
