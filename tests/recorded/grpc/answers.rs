//! Calls of any method by name, with requests and answers in the JSON of the recordings.

use opmx::server::proto::registry_client::RegistryClient;
use opmx::server::proto::{
    Bundle, ChannelEntry, Dependency, GetAllProvidersRequest, GetAllReplacementsRequest, GetBundleInChannelRequest,
    GetBundleRequest, GetDefaultProviderRequest, GetLatestProvidersRequest, GetPackageRequest, GetReplacementRequest,
    GroupVersionKind, ListBundlesRequest, ListPackageRequest, Package, PackageName, Property,
};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use tokio_stream::StreamExt;
use tonic::transport::Channel;
use tonic::{Code, Response, Status, Streaming};
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_client::HealthClient;
use tonic_reflection::pb::v1::server_reflection_client::ServerReflectionClient;
use tonic_reflection::pb::v1::{ServerReflectionRequest, server_reflection_request, server_reflection_response};

/// Makes a call.
pub(crate) async fn answer(channel: &Channel, rpc: &str, request: &Value) -> Value {
    let mut client = RegistryClient::new(channel.clone());
    let mut health = HealthClient::new(channel.clone());
    let field = |name: &str| request[name].as_str().unwrap_or_default().to_owned();
    let (group, version, kind, plural) = (field("group"), field("version"), field("kind"), field("plural"));
    let service = HealthCheckRequest {
        service: field("service"),
    };
    match rpc {
        "ListPackages" => stream(client.list_packages(ListPackageRequest {}).await, package_name).await,
        "ListBundles" => stream(client.list_bundles(ListBundlesRequest {}).await, bundle).await,
        "GetPackage" => unary(
            client.get_package(GetPackageRequest { name: field("name") }).await,
            package,
        ),
        "GetBundle" => {
            let (pkg_name, channel_name, csv_name) = (field("pkgName"), field("channelName"), field("csvName"));
            let request = GetBundleRequest {
                pkg_name,
                channel_name,
                csv_name,
            };
            unary(client.get_bundle(request).await, bundle)
        }
        "GetBundleForChannel" => {
            let (pkg_name, channel_name) = (field("pkgName"), field("channelName"));
            let request = GetBundleInChannelRequest { pkg_name, channel_name };
            #[allow(deprecated)]
            let answer = client.get_bundle_for_channel(request).await;
            unary(answer, bundle)
        }
        "GetChannelEntriesThatReplace" => {
            let request = GetAllReplacementsRequest {
                csv_name: field("csvName"),
            };
            stream(client.get_channel_entries_that_replace(request).await, channel_entry).await
        }
        "GetBundleThatReplaces" => {
            let (csv_name, pkg_name, channel_name) = (field("csvName"), field("pkgName"), field("channelName"));
            let request = GetReplacementRequest {
                csv_name,
                pkg_name,
                channel_name,
            };
            unary(client.get_bundle_that_replaces(request).await, bundle)
        }
        "GetChannelEntriesThatProvide" => {
            let request = GetAllProvidersRequest {
                group,
                version,
                kind,
                plural,
            };
            stream(client.get_channel_entries_that_provide(request).await, channel_entry).await
        }
        "GetLatestChannelEntriesThatProvide" => {
            let request = GetLatestProvidersRequest {
                group,
                version,
                kind,
                plural,
            };
            stream(
                client.get_latest_channel_entries_that_provide(request).await,
                channel_entry,
            )
            .await
        }
        "GetDefaultBundleThatProvides" => {
            let request = GetDefaultProviderRequest {
                group,
                version,
                kind,
                plural,
            };
            unary(client.get_default_bundle_that_provides(request).await, bundle)
        }
        "grpc.health.v1.Health/Check" => unary(
            health.check(service).await,
            |answer| json!({"status": answer.status().as_str_name()}),
        ),
        "grpc.health.v1.Health/Watch" => {
            let mut answers = health.watch(service).await.unwrap().into_inner();
            let first = answers.next().await.unwrap().unwrap();
            json!({"code": "OK", "response": {"status": first.status().as_str_name()}})
        }
        "reflection/list_services" => {
            let request = ServerReflectionRequest {
                host: String::new(),
                message_request: Some(server_reflection_request::MessageRequest::ListServices(String::new())),
            };
            let mut client = ServerReflectionClient::new(channel.clone());
            let mut answers = client
                .server_reflection_info(tokio_stream::once(request))
                .await
                .unwrap()
                .into_inner();
            let Some(server_reflection_response::MessageResponse::ListServicesResponse(list)) =
                answers.next().await.unwrap().unwrap().message_response
            else {
                panic!("no list of services");
            };
            let mut names: Vec<_> = list.service.into_iter().map(|service| service.name).collect();
            names.sort();
            json!({"code": "OK", "responses": names})
        }
        other => panic!("an unknown call: {other}"),
    }
}

fn unary<T>(answer: Result<Response<T>, Status>, to_json: impl FnOnce(T) -> Value) -> Value {
    match answer {
        Ok(answer) => json!({"code": "OK", "response": to_json(answer.into_inner())}),
        Err(status) => json!({"code": code(status.code()), "message": status.message()}),
    }
}

async fn stream<T>(answer: Result<Response<Streaming<T>>, Status>, to_json: fn(T) -> Value) -> Value {
    let mut responses = Vec::new();
    let error = match answer {
        Err(status) => Some(status),
        Ok(answer) => {
            let mut answers = answer.into_inner();
            loop {
                match answers.next().await {
                    None => break None,
                    Some(Ok(message)) => responses.push(to_json(message)),
                    Some(Err(status)) => break Some(status),
                }
            }
        }
    };
    match error {
        None => json!({"code": "OK", "responses": responses}),
        Some(status) => json!({"code": code(status.code()), "message": status.message(), "responses": responses}),
    }
}

fn code(code: Code) -> String {
    let name = format!("{code:?}");
    let mut canonical = String::new();
    for character in name.chars() {
        if character.is_uppercase() && !canonical.is_empty() && name != "Ok" {
            canonical.push('_');
        }
        canonical.push(character.to_ascii_uppercase());
    }
    canonical
}

fn fields(pairs: impl IntoIterator<Item = (&'static str, Value)>) -> Value {
    let given = pairs.into_iter().filter(|(_, value)| match value {
        Value::String(text) => !text.is_empty(),
        Value::Array(values) => !values.is_empty(),
        _ => true,
    });
    Value::Object(
        given
            .map(|(name, value)| (name.to_owned(), value))
            .collect::<Map<_, _>>(),
    )
}

fn package_name(message: PackageName) -> Value {
    fields([("name", message.name.into())])
}

fn package(message: Package) -> Value {
    let channels = message.channels.into_iter().map(|channel| {
        assert_eq!(channel.deprecation, None);
        fields([("name", channel.name.into()), ("csvName", channel.csv_name.into())])
    });
    assert_eq!(message.deprecation, None);
    fields([
        ("name", message.name.into()),
        ("channels", channels.collect()),
        ("defaultChannelName", message.default_channel_name.into()),
    ])
}

fn channel_entry(message: ChannelEntry) -> Value {
    fields([
        ("packageName", message.package_name.into()),
        ("channelName", message.channel_name.into()),
        ("bundleName", message.bundle_name.into()),
        ("replaces", message.replaces.into()),
    ])
}

fn bundle(message: Bundle) -> Value {
    let apis = |apis: Vec<GroupVersionKind>| {
        let apis = apis.into_iter().map(|api| {
            fields([
                ("group", api.group.into()),
                ("version", api.version.into()),
                ("kind", api.kind.into()),
                ("plural", api.plural.into()),
            ])
        });
        apis.collect()
    };
    let typed = |kind: String, value: String| fields([("type", kind.into()), ("value", value.into())]);
    assert_eq!(message.deprecation, None);
    fields([
        ("csvName", message.csv_name.into()),
        ("packageName", message.package_name.into()),
        ("channelName", message.channel_name.into()),
        ("csvJson", shortened(&message.csv_json, 400, false)),
        (
            "object",
            message
                .object
                .iter()
                .map(|object| shortened(object, 150, true))
                .collect(),
        ),
        ("bundlePath", message.bundle_path.into()),
        ("providedApis", apis(message.provided_apis)),
        ("requiredApis", apis(message.required_apis)),
        ("version", message.version.into()),
        ("skipRange", message.skip_range.into()),
        (
            "dependencies",
            message
                .dependencies
                .into_iter()
                .map(|Dependency { r#type, value }| typed(r#type, value))
                .collect(),
        ),
        (
            "properties",
            message
                .properties
                .into_iter()
                .map(|Property { r#type, value }| typed(r#type, value))
                .collect(),
        ),
        ("replaces", message.replaces.into()),
        ("skips", message.skips.into()),
    ])
}

/// Long strings are recorded as values that can be compared.
fn shortened(text: &str, limit: usize, with_kind: bool) -> Value {
    if text.chars().count() <= limit {
        return text.into();
    }
    let digest = Sha256::digest(text.as_bytes())
        .iter()
        .fold(String::new(), |mut hex, byte| {
            let _ = write!(hex, "{byte:02x}");
            hex
        });
    let mut short = json!({"sha256": digest, "bytes": text.len()});
    if with_kind {
        let object: Value = serde_json::from_str(text).unwrap();
        short["kind"] = object["kind"].clone();
    }
    short
}
