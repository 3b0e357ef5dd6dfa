//! The methods of `api.Registry`, with the answers and error messages of the reference servers.

use super::clients::Client;
use super::encoded::Encoded;
use super::listing::{Absent, Listing, Wanted, head_message};
use super::proto::service::registry_server;
use super::proto::{
    ChannelEntry, GetAllProvidersRequest, GetAllReplacementsRequest, GetBundleInChannelRequest, GetBundleRequest,
    GetDefaultProviderRequest, GetLatestProvidersRequest, GetPackageRequest, GetReplacementRequest, ListBundlesRequest,
    ListPackageRequest,
};
use super::source::{Origin, ServedIndex};
use super::unread::{Form, Permit};
use super::wording::nothing_replaces;
use crate::catalog::ManifestsId;
use crate::database::entries::Edge;
use crate::kubernetes::GroupVersionKind;
use futures_util::Stream;
use futures_util::stream::{iter, unfold};
use prost::bytes::Bytes;
use std::pin::Pin;
use std::sync::Arc;
use tokio::sync::OnceCell;
use tonic::{Request, Response, Status, async_trait};

type Answers<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;

/// The service. Clones share all data.
#[derive(Debug, Clone)]
pub(super) struct Registry {
    listing: Arc<Listing>,
    source: ServedIndex,
    skip_ranges: Arc<OnceCell<Vec<Bytes>>>,
}

impl Registry {
    pub(super) fn new(listing: Listing, source: ServedIndex) -> Self {
        Self {
            listing: Arc::new(listing),
            source,
            skip_ranges: Arc::default(),
        }
    }

    /// Reads the skip ranges, which takes a long time. Answers about bundles need the skip ranges, so calls that
    /// request a bundle wait until the skip ranges have been read.
    ///
    /// # Errors
    /// Returns an error if the index cannot be read; the next call tries again.
    pub(super) async fn skip_ranges(&self) -> Result<&[Bytes], Status> {
        let read = || async {
            let ranges = self.source.skip_ranges().await?;
            Ok(self.listing.encode_skip_ranges(&ranges))
        };
        let ranges: Result<&Vec<Bytes>, Status> = self.skip_ranges.get_or_try_init(read).await;
        Ok(ranges?)
    }

    /// Returns the bundle `name` of a channel, with its manifests.
    async fn bundle(
        &self,
        client: Option<&Arc<Client>>,
        package: &str,
        channel: &str,
        name: &str,
    ) -> Result<Response<Encoded>, Status> {
        let missing = |absent| self.source.wording().bundle(absent, package, channel, name);
        let entry = self.listing.entry(package, channel, name).map_err(missing)?;
        let Wanted { id, .. } = self.listing.wanted(entry);
        let skip_ranges = self.skip_ranges().await?;
        let (manifests, taken) = self.source.manifests(id, client, Form::Whole).await?;
        Ok(holding(
            taken,
            self.listing.single_message(entry, skip_ranges, manifests),
        ))
    }

    /// Returns the bundle of an edge, or the error `missing` if the bundle is not in the catalog.
    async fn bundle_of(
        &self,
        client: Option<&Arc<Client>>,
        edge: Option<Edge>,
        missing: Status,
    ) -> Result<Response<Encoded>, Status> {
        let Some(edge) = edge else {
            return Err(missing);
        };
        if self.listing.entry(&edge.package, &edge.channel, &edge.bundle).is_err() {
            return Err(missing);
        }
        self.bundle(client, &edge.package, &edge.channel, &edge.bundle).await
    }

    /// Returns the message at or after a position in the listing of all bundles, and the next position. The manifests
    /// that were read last are kept for the next message, which is often about the same bundle.
    async fn listed(
        &self,
        client: Option<&Arc<Client>>,
        at: usize,
        last: &mut Option<(ManifestsId, Bytes, Permit)>,
    ) -> Result<Option<(Encoded, usize)>, Status> {
        let Some((at, entry)) = self.listing.listed(at) else {
            return Ok(None);
        };
        let Wanted { id, inline } = self.listing.wanted(entry);
        let manifests = match last {
            _ if !inline => Bytes::new(),
            Some((known, manifests, _)) if *known == id => manifests.clone(),
            _ => {
                // A call must not keep any budget while it waits for more.
                *last = None;
                let (manifests, taken) = self.source.manifests(id, client, Form::Stream).await?;
                *last = Some((id, manifests.clone(), taken));
                manifests
            }
        };
        // The message contains a copy of the manifests, so only a message that repeats them needs them again.
        if let (Some((_, kept, _)), false) = (last, self.repeats(at + 1, id)) {
            *kept = Bytes::new();
        }
        let message = self.listing.listed_message(entry, self.skip_ranges().await?, manifests);
        Ok(Some((message, at + 1)))
    }

    /// Returns whether the message at or after a position in the listing contains the manifests of this bundle.
    fn repeats(&self, at: usize, of: ManifestsId) -> bool {
        let next = self.listing.listed(at).map(|(_, entry)| self.listing.wanted(entry));
        next.is_some_and(|Wanted { id, inline }| inline && id == of)
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
            None => Err(self.source.wording().package(name)),
        }
    }

    async fn get_bundle(&self, request: Request<GetBundleRequest>) -> Result<Response<Encoded>, Status> {
        let asked = request.get_ref();
        self.bundle(
            client_of(&request),
            &asked.pkg_name,
            &asked.channel_name,
            &asked.csv_name,
        )
        .await
    }

    async fn get_bundle_for_channel(
        &self,
        request: Request<GetBundleInChannelRequest>,
    ) -> Result<Response<Encoded>, Status> {
        let (package, channel) = (&request.get_ref().pkg_name, &request.get_ref().channel_name);
        let missing = |absent| self.source.wording().head(absent, package, channel);
        let (head, manifests) = self.listing.head(package, channel).map_err(missing)?;
        match &self.source.origin {
            // The reference server for databases sends only the name and the ClusterServiceVersion, but the one for
            // files sends the whole bundle.
            Origin::Database(pool) => {
                let id = manifests.ok_or_else(|| missing(Absent::Bundle))?;
                let (csv, taken) = self.source.csv(pool, id, client_of(&request)).await?;
                Ok(holding(taken, head_message(head, csv)))
            }
            Origin::Files { .. } => self.bundle(client_of(&request), package, channel, head).await,
        }
    }

    type GetChannelEntriesThatReplaceStream = Answers<ChannelEntry>;

    async fn get_channel_entries_that_replace(
        &self,
        request: Request<GetAllReplacementsRequest>,
    ) -> Result<Response<Self::GetChannelEntriesThatReplaceStream>, Status> {
        let name = &request.get_ref().csv_name;
        let found = self.source.replacing(name, client_of(&request)).await?;
        channel_entries(found, nothing_replaces(name))
    }

    async fn get_bundle_that_replaces(
        &self,
        request: Request<GetReplacementRequest>,
    ) -> Result<Response<Encoded>, Status> {
        let client = client_of(&request).cloned();
        let GetReplacementRequest {
            csv_name: name,
            pkg_name: package,
            channel_name: channel,
        } = request.into_inner();
        let absent = self.listing.head(&package, &channel).err();
        let missing = self.source.wording().replacement(absent, &package, &channel);
        let edge = self.source.replacing_in(package, channel, name).await?;
        self.bundle_of(client.as_ref(), edge, missing).await
    }

    type GetChannelEntriesThatProvideStream = Answers<ChannelEntry>;

    async fn get_channel_entries_that_provide(
        &self,
        request: Request<GetAllProvidersRequest>,
    ) -> Result<Response<Self::GetChannelEntriesThatProvideStream>, Status> {
        let client = client_of(&request).cloned();
        let GetAllProvidersRequest {
            group, version, kind, ..
        } = request.into_inner();
        let api = GroupVersionKind { group, version, kind };
        let found = self.source.providing(&api, client.as_ref()).await?;
        channel_entries(found, self.source.wording().providing(&api))
    }

    type GetLatestChannelEntriesThatProvideStream = Answers<ChannelEntry>;

    async fn get_latest_channel_entries_that_provide(
        &self,
        request: Request<GetLatestProvidersRequest>,
    ) -> Result<Response<Self::GetLatestChannelEntriesThatProvideStream>, Status> {
        let client = client_of(&request).cloned();
        let GetLatestProvidersRequest {
            group, version, kind, ..
        } = request.into_inner();
        let api = GroupVersionKind { group, version, kind };
        let found = self.source.latest_providing(&api, client.as_ref()).await?;
        channel_entries(found, self.source.wording().providing(&api))
    }

    async fn get_default_bundle_that_provides(
        &self,
        request: Request<GetDefaultProviderRequest>,
    ) -> Result<Response<Encoded>, Status> {
        let client = client_of(&request).cloned();
        let GetDefaultProviderRequest {
            group, version, kind, ..
        } = request.into_inner();
        let api = GroupVersionKind { group, version, kind };
        let elsewhere = match &self.source.origin {
            Origin::Database(_) => false,
            Origin::Files { files, .. } => files.graph.is_provided(&api),
        };
        let missing = self.source.wording().default_provider(&api, elsewhere);
        let edge = self.source.default_providing(api).await?;
        self.bundle_of(client.as_ref(), edge, missing).await
    }

    type ListBundlesStream = Answers<Encoded>;

    async fn list_bundles(
        &self,
        request: Request<ListBundlesRequest>,
    ) -> Result<Response<Self::ListBundlesStream>, Status> {
        let (registry, client) = (self.clone(), client_of(&request).cloned());
        let stream = unfold(
            (registry, client, Some(0), None),
            |(registry, client, at, mut last)| async move {
                match registry.listed(client.as_ref(), at?, &mut last).await {
                    Ok(Some((message, next))) => Some((Ok(message), (registry, client, Some(next), last))),
                    Ok(None) => None,
                    Err(status) => Some((Err(status), (registry, client, None, None))),
                }
            },
        );
        Ok(Response::new(Box::pin(stream)))
    }
}

/// Returns the client that sent the request, if known.
fn client_of<T>(request: &Request<T>) -> Option<&Arc<Client>> {
    request.extensions().get()
}

/// Returns a response that keeps a part of the budget until it is sent.
fn holding<T>(taken: Permit, message: T) -> Response<T> {
    let mut response = Response::new(message);
    response.extensions_mut().insert(taken);
    response
}

/// Returns a stream of entries, which keeps a part of the budget until it ends. As in the reference implementation, an
/// empty list is an error.
fn channel_entries(
    (edges, taken): (Vec<Edge>, Permit),
    missing: Status,
) -> Result<Response<Answers<ChannelEntry>>, Status> {
    if edges.is_empty() {
        return Err(missing);
    }
    let entries = edges.into_iter().map(|edge| {
        Ok(ChannelEntry {
            package_name: edge.package,
            channel_name: edge.channel,
            bundle_name: edge.bundle,
            replaces: edge.replaces.unwrap_or_default(),
        })
    });
    Ok(holding(taken, Box::pin(iter(entries))))
}

#[cfg(test)]
mod tests {
    use super::registry_server::Registry as _;
    use super::*;
    use crate::database::read::Database;
    use crate::database::sample;
    use crate::server::clients::Clients;
    use crate::server::{Served, ServerOptions};
    use futures_util::StreamExt;

    /// Options with which all content counts against the share of the client.
    fn only_shares() -> ServerOptions {
        ServerOptions {
            manifests: 1,
            ..ServerOptions::default()
        }
    }

    fn registry(clients: Arc<Clients>) -> (tempfile::TempDir, Registry) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("index.db");
        sample::write(&path);
        let served = Served::from(Database::open(&path).unwrap());
        let (listing, source) = served.prepare(only_shares(), clients).unwrap();
        (directory, Registry::new(listing, source))
    }

    #[tokio::test]
    async fn data_read_for_an_answer_uses_the_share_of_the_client_until_sent() {
        let clients = Arc::new(Clients::new(&only_shares()));
        let (_directory, registry) = registry(Arc::clone(&clients));
        let client = clients.add();
        let free = || client.manifests.available_permits();
        let all = free();
        macro_rules! check {
            ($method:ident, $request:expr) => {
                let mut request = Request::new($request);
                request.extensions_mut().insert(Arc::clone(&client));
                let answer = registry.$method(request).await.unwrap();
                assert!(free() < all, stringify!($method));
                drop(answer);
                assert_eq!(free(), all, stringify!($method));
            };
        }
        let [pkg_name, channel_name, csv_name] = ["a", "alpha", "a.v1"].map(str::to_owned);
        check!(
            get_bundle_for_channel,
            GetBundleInChannelRequest {
                pkg_name: pkg_name.clone(),
                channel_name: channel_name.clone()
            }
        );
        check!(
            get_bundle,
            GetBundleRequest {
                pkg_name,
                channel_name,
                csv_name
            }
        );
        let csv_name = "k.v1.0.0".to_owned();
        check!(get_channel_entries_that_replace, GetAllReplacementsRequest { csv_name });
        let [group, version, kind] = ["k.io", "v1", "K"].map(str::to_owned);
        check!(
            get_channel_entries_that_provide,
            GetAllProvidersRequest {
                group: group.clone(),
                version: version.clone(),
                kind: kind.clone(),
                ..GetAllProvidersRequest::default()
            }
        );
        check!(
            get_latest_channel_entries_that_provide,
            GetLatestProvidersRequest {
                group,
                version,
                kind,
                ..GetLatestProvidersRequest::default()
            }
        );
        let mut request = Request::new(ListBundlesRequest {});
        request.extensions_mut().insert(Arc::clone(&client));
        let mut answers = registry.list_bundles(request).await.unwrap().into_inner();
        answers.next().await.unwrap().unwrap();
        assert!(free() < all);
        drop(answers);
        assert_eq!(free(), all);
    }
}
