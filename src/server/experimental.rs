//! The method of `api.ExperimentalRegistry`, which returns documents with schemas that the format does not define.

use super::clients::Client;
use super::encoded::Encoded;
use super::proto::ExperimentalListPackageCustomSchemasRequest;
use super::proto::service::experimental_registry_server::ExperimentalRegistry;
use super::source::ServedIndex;
use super::unread::Permit;
use futures_util::Stream;
use futures_util::stream::{empty, unfold};
use std::pin::Pin;
use std::sync::Arc;
use tonic::{Request, Response, Status, async_trait};

/// The metadata that a request must contain to receive answers.
const ACKNOWLEDGED: &str = "x-acknowledge-experimental";

/// The service.
#[derive(Debug, Clone)]
pub(super) struct Experimental {
    source: ServedIndex,
}

impl Experimental {
    pub(super) fn new(source: ServedIndex) -> Self {
        Self { source }
    }
}

/// The remaining documents, and the part of the budget that the previous answer uses.
struct Rest {
    source: ServedIndex,
    client: Option<Arc<Client>>,
    documents: std::vec::IntoIter<usize>,
    taken: Option<Permit>,
}

impl Rest {
    async fn next(mut self) -> Option<(Result<Encoded, Status>, Self)> {
        let at = self.documents.next()?;
        // A call must not keep any budget while it waits for more.
        self.taken = None;
        match self.source.custom_document(at, self.client.as_ref()).await {
            Ok((document, taken)) => {
                self.taken = Some(taken);
                Some((Ok(Encoded::from(document)), self))
            }
            Err(status) => {
                self.documents = Vec::new().into_iter();
                Some((Err(status), self))
            }
        }
    }
}

#[async_trait]
impl ExperimentalRegistry for Experimental {
    type ExperimentalListPackageCustomSchemasStream = Pin<Box<dyn Stream<Item = Result<Encoded, Status>> + Send>>;

    async fn experimental_list_package_custom_schemas(
        &self,
        request: Request<ExperimentalListPackageCustomSchemasRequest>,
    ) -> Result<Response<Self::ExperimentalListPackageCustomSchemasStream>, Status> {
        let acknowledged = request.metadata().get_all(ACKNOWLEDGED);
        if !acknowledged.iter().any(|value| value == "true") {
            return Ok(Response::new(Box::pin(empty())));
        }
        let client = request.extensions().get::<Arc<Client>>().cloned();
        let asked = request.into_inner();
        if asked.schema.is_empty() {
            return Err(Status::invalid_argument("schema is required"));
        }
        require_plain("schema", &asked.schema)?;
        if !asked.package_name.is_empty() {
            require_plain("package name", &asked.package_name)?;
        }
        let rest = Rest {
            source: self.source.clone(),
            client,
            documents: self.source.custom(&asked.schema, &asked.package_name)?.into_iter(),
            taken: None,
        };
        Ok(Response::new(Box::pin(unfold(rest, Rest::next))))
    }
}

fn require_plain(what: &str, text: &str) -> Result<(), Status> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    if text.bytes().all(plain) && text.starts_with(|first: char| first.is_ascii_alphanumeric()) {
        return Ok(());
    }
    let message = format!(
        "invalid {what} {text:?}: expected letters, digits, dots, hyphens and underscores, beginning with a letter or \
         digit"
    );
    Err(Status::invalid_argument(message))
}
