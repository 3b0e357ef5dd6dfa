//! The methods of `api.Registry` over a SQLite index, with the answers and error texts of the reference server.

use super::encoded::Encoded;
use super::listing::{Listing, Wanted, encode_manifests, head_message};
use super::pool::Pool;
use super::proto::service::registry_server;
use super::proto::{
    ChannelEntry, GetAllProvidersRequest, GetAllReplacementsRequest, GetBundleInChannelRequest, GetBundleRequest,
    GetDefaultProviderRequest, GetLatestProvidersRequest, GetPackageRequest, GetReplacementRequest, ListBundlesRequest,
    ListPackageRequest,
};
use crate::catalog::ManifestsId;
use crate::index::entries::Edge;
use crate::index::read::Index;
use crate::kubernetes::GroupVersionKind;
use futures_util::Stream;
use futures_util::stream::{iter, unfold};
use prost::bytes::Bytes;
use std::pin::Pin;
use std::sync::Arc;
use tokio::sync::OnceCell;
use tonic::{Request, Response, Status, async_trait};

type Answers<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;

/// The service. Clones share everything.
#[derive(Debug, Clone)]
pub(super) struct Registry {
    listing: Arc<Listing>,
    pool: Arc<Pool>,
    skip_ranges: Arc<OnceCell<Vec<Bytes>>>,
}

impl Registry {
    pub(super) fn new(listing: Listing, pool: Arc<Pool>) -> Self {
        Self {
            listing: Arc::new(listing),
            pool,
            skip_ranges: Arc::default(),
        }
    }

    /// Reads what is needed for answers about bundles and takes long. Whoever asks for a bundle earlier waits for it.
    ///
    /// # Errors
    /// When the index cannot be read; the next call tries again.
    pub(super) async fn skip_ranges(&self) -> Result<&[Bytes], Status> {
        let read = || async {
            let ranges = self.pool.read(Index::skip_ranges).await?;
            Ok(self.listing.encode_skip_ranges(&ranges))
        };
        let ranges: Result<&Vec<Bytes>, Status> = self.skip_ranges.get_or_try_init(read).await;
        Ok(ranges?)
    }

    async fn manifests(&self, id: ManifestsId) -> Result<Bytes, Status> {
        self.pool
            .read(move |index| index.with_manifests(id, encode_manifests))
            .await
    }

    /// The bundle `name` of a channel, with its manifests, or the error `missing`.
    async fn bundle(
        &self,
        package: &str,
        channel: &str,
        name: &str,
        missing: impl FnOnce() -> String,
    ) -> Result<Response<Encoded>, Status> {
        let Some(entry) = self.listing.entry(package, channel, name) else {
            return Err(Status::unknown(missing()));
        };
        let Wanted { id, .. } = self.listing.wanted(entry);
        let (skip_ranges, manifests) = (self.skip_ranges().await?, self.manifests(id).await?);
        Ok(Response::new(self.listing.single_message(
            entry,
            skip_ranges,
            manifests,
        )))
    }

    /// The message at or behind a place of the listing of all bundles, and the place behind it. The manifests that were
    /// read last are kept for the next message, which is often about the same bundle.
    async fn listed(
        &self,
        at: usize,
        last: &mut Option<(ManifestsId, Bytes)>,
    ) -> Result<Option<(Encoded, usize)>, Status> {
        let Some((at, entry)) = self.listing.listed(at) else {
            return Ok(None);
        };
        let Wanted { id, inline } = self.listing.wanted(entry);
        let manifests = match last {
            _ if !inline => Bytes::new(),
            Some((known, manifests)) if *known == id => manifests.clone(),
            _ => {
                let manifests = self.manifests(id).await?;
                *last = Some((id, manifests.clone()));
                manifests
            }
        };
        let message = self.listing.listed_message(entry, self.skip_ranges().await?, manifests);
        Ok(Some((message, at + 1)))
    }
}

#[async_trait]
impl registry_server::Registry for Registry {
    type ListPackagesStream = Answers<Encoded>;

    async fn list_packages(
        &self,
        _: Request<ListPackageRequest>,
    ) -> Result<Response<Self::ListPackagesStream>, Status> {
        let listing = Arc::clone(&self.listing);
        let names = (0..).map_while(move |at| listing.package_name(at)).map(Ok);
        Ok(Response::new(Box::pin(iter(names))))
    }

    async fn get_package(&self, request: Request<GetPackageRequest>) -> Result<Response<Encoded>, Status> {
        let name = &request.get_ref().name;
        match self.listing.package(name) {
            Some(package) => Ok(Response::new(package)),
            None => Err(Status::unknown(format!("package {name} not found"))),
        }
    }

    async fn get_bundle(&self, request: Request<GetBundleRequest>) -> Result<Response<Encoded>, Status> {
        let asked = request.get_ref();
        let (package, channel, name) = (&asked.pkg_name, &asked.channel_name, &asked.csv_name);
        let missing = || format!("no entry found for {package} {channel} {name}");
        self.bundle(package, channel, name, missing).await
    }

    async fn get_bundle_for_channel(
        &self,
        request: Request<GetBundleInChannelRequest>,
    ) -> Result<Response<Encoded>, Status> {
        let (package, channel) = (&request.get_ref().pkg_name, &request.get_ref().channel_name);
        let Some((head, id)) = self.listing.head(package, channel) else {
            return Err(Status::unknown(format!("no entry found for {package} {channel}")));
        };
        let csv = self.pool.read(move |index| index.csv(id)).await?;
        Ok(Response::new(head_message(head, csv.as_deref().unwrap_or_default())))
    }

    type GetChannelEntriesThatReplaceStream = Answers<ChannelEntry>;

    async fn get_channel_entries_that_replace(
        &self,
        request: Request<GetAllReplacementsRequest>,
    ) -> Result<Response<Self::GetChannelEntriesThatReplaceStream>, Status> {
        let name = request.into_inner().csv_name;
        let missing = format!("no channel entries found that replace {name}");
        let edges = self.pool.read(move |index| index.entries_that_replace(&name)).await?;
        channel_entries(edges, missing)
    }

    async fn get_bundle_that_replaces(
        &self,
        request: Request<GetReplacementRequest>,
    ) -> Result<Response<Encoded>, Status> {
        let asked = request.into_inner();
        let missing = format!("no entry found for {} {}", asked.pkg_name, asked.channel_name);
        let edge = self
            .pool
            .read(move |index| index.bundle_that_replaces(&asked.pkg_name, &asked.channel_name, &asked.csv_name))
            .await?;
        self.bundle_of(edge, missing).await
    }

    type GetChannelEntriesThatProvideStream = Answers<ChannelEntry>;

    async fn get_channel_entries_that_provide(
        &self,
        request: Request<GetAllProvidersRequest>,
    ) -> Result<Response<Self::GetChannelEntriesThatProvideStream>, Status> {
        let GetAllProvidersRequest {
            group, version, kind, ..
        } = request.into_inner();
        let api = GroupVersionKind { group, version, kind };
        let missing = format!("no channel entries found that provide {api}");
        let edges = self.pool.read(move |index| index.entries_that_provide(&api)).await?;
        channel_entries(edges, missing)
    }

    type GetLatestChannelEntriesThatProvideStream = Answers<ChannelEntry>;

    async fn get_latest_channel_entries_that_provide(
        &self,
        request: Request<GetLatestProvidersRequest>,
    ) -> Result<Response<Self::GetLatestChannelEntriesThatProvideStream>, Status> {
        let GetLatestProvidersRequest {
            group, version, kind, ..
        } = request.into_inner();
        let api = GroupVersionKind { group, version, kind };
        let missing = format!("no channel entries found that provide {api}");
        let edges = self
            .pool
            .read(move |index| index.latest_entries_that_provide(&api))
            .await?;
        channel_entries(edges, missing)
    }

    async fn get_default_bundle_that_provides(
        &self,
        request: Request<GetDefaultProviderRequest>,
    ) -> Result<Response<Encoded>, Status> {
        let GetDefaultProviderRequest {
            group, version, kind, ..
        } = request.into_inner();
        let api = GroupVersionKind { group, version, kind };
        let missing = format!("no entry found that provides {api}");
        let edge = self
            .pool
            .read(move |index| index.default_bundle_that_provides(&api))
            .await?;
        self.bundle_of(edge, missing).await
    }

    type ListBundlesStream = Answers<Encoded>;

    async fn list_bundles(&self, _: Request<ListBundlesRequest>) -> Result<Response<Self::ListBundlesStream>, Status> {
        let stream = unfold((self.clone(), Some(0), None), |(registry, at, mut last)| async move {
            match registry.listed(at?, &mut last).await {
                Ok(Some((message, next))) => Some((Ok(message), (registry, Some(next), last))),
                Ok(None) => None,
                Err(status) => Some((Err(status), (registry, None, None))),
            }
        });
        Ok(Response::new(Box::pin(stream)))
    }
}

impl Registry {
    async fn bundle_of(&self, edge: Option<Edge>, missing: String) -> Result<Response<Encoded>, Status> {
        match edge {
            Some(edge) => {
                self.bundle(&edge.package, &edge.channel, &edge.bundle, || missing)
                    .await
            }
            None => Err(Status::unknown(missing)),
        }
    }
}

/// A stream of entries; the reference calls it an error when there are none.
fn channel_entries(edges: Vec<Edge>, missing: String) -> Result<Response<Answers<ChannelEntry>>, Status> {
    if edges.is_empty() {
        return Err(Status::unknown(missing));
    }
    let entries = edges.into_iter().map(|edge| {
        Ok(ChannelEntry {
            package_name: edge.package,
            channel_name: edge.channel,
            bundle_name: edge.bundle,
            replaces: edge.replaces.unwrap_or_default(),
        })
    });
    Ok(Response::new(Box::pin(iter(entries))))
}
