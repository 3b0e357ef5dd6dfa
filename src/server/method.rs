//! The gRPC methods of the server: which method a path requests, and what the method provides.

/// A method of a service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Method(usize);

const REGISTRY: &str = "api.Registry";
const EXPERIMENTAL: &str = "api.ExperimentalRegistry";
const HEALTH: &str = "grpc.health.v1.Health";
/// The service and name of each method, and whether its answer is a stream.
const METHODS: [(&str, &str, bool); 16] = [
    (REGISTRY, "ListPackages", true),
    (REGISTRY, "GetPackage", false),
    (REGISTRY, "GetBundle", false),
    (REGISTRY, "GetBundleForChannel", false),
    (REGISTRY, "GetChannelEntriesThatReplace", true),
    (REGISTRY, "GetBundleThatReplaces", false),
    (REGISTRY, "GetChannelEntriesThatProvide", true),
    (REGISTRY, "GetLatestChannelEntriesThatProvide", true),
    (REGISTRY, "GetDefaultBundleThatProvides", false),
    (REGISTRY, "ListBundles", true),
    (EXPERIMENTAL, "ExperimentalListPackageCustomSchemas", true),
    (HEALTH, "Check", false),
    (HEALTH, "Watch", true),
    ("grpc.reflection.v1.ServerReflection", "ServerReflectionInfo", true),
    ("grpc.reflection.v1alpha.ServerReflection", "ServerReflectionInfo", true),
    // Unsupported methods.
    ("unknown", "unknown", false),
];

impl Method {
    /// Returns the method that a path requests.
    pub(super) fn of(path: &str) -> Self {
        let mut parts = path.strip_prefix('/').unwrap_or_default().splitn(2, '/');
        let asked = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        let known = METHODS.iter().position(|(service, name, _)| (*service, *name) == asked);
        Self(known.unwrap_or(METHODS.len() - 1))
    }

    /// Returns all methods.
    pub(super) fn all() -> impl Iterator<Item = Self> {
        (0..METHODS.len()).map(Self)
    }

    /// Returns the position of the method among [`Method::all`].
    pub(super) fn number(self) -> usize {
        self.0
    }

    pub(super) fn service(self) -> &'static str {
        METHODS[self.0].0
    }

    pub(super) fn name(self) -> &'static str {
        METHODS[self.0].1
    }

    /// Returns the message about a path, if it requests no known method.
    pub(super) fn unknown(self, path: &str) -> Option<String> {
        if self.0 + 1 < METHODS.len() {
            return None;
        }
        let path = path.strip_prefix('/').unwrap_or(path);
        let (service, method) = path.rsplit_once('/').unwrap_or((path, ""));
        Some(if METHODS.iter().any(|(known, ..)| *known == service) {
            format!("unknown method {method} for service {service}")
        } else {
            format!("unknown service {service}")
        })
    }

    pub(super) fn is_stream(self) -> bool {
        METHODS[self.0].2
    }

    /// Returns what the method provides.
    pub(super) fn subject(self) -> Subject {
        match (self.service(), self.name()) {
            (REGISTRY | EXPERIMENTAL, _) => Subject::Registry,
            (HEALTH, "Check") => Subject::Health,
            (HEALTH, _) => Subject::Watch,
            _ => Subject::Other,
        }
    }
}

/// What a method provides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Subject {
    /// The served content.
    Registry,
    /// The current health of the server.
    Health,
    /// Every change in the health of the server until the client ends the call.
    Watch,
    /// The description of the services, or an unsupported method.
    Other,
}

#[cfg(test)]
mod tests {
    use super::super::proto::DESCRIPTORS;
    use super::*;
    use prost::Message;
    use prost_types::FileDescriptorSet;

    #[test]
    fn an_unknown_method_or_service_is_named() {
        for (path, message) in [
            ("/api.Registry/NoSuch", "unknown method NoSuch for service api.Registry"),
            (
                "/grpc.health.v1.Health/List",
                "unknown method List for service grpc.health.v1.Health",
            ),
            ("/nope.S/M", "unknown service nope.S"),
            ("/", "unknown service "),
        ] {
            assert_eq!(Method::of(path).unknown(path).as_deref(), Some(message));
        }
        let known = "/api.Registry/GetBundle";
        assert_eq!(Method::of(known).unknown(known), None);
    }

    #[test]
    fn every_method_of_the_registry_api_is_known() {
        let set = FileDescriptorSet::decode(DESCRIPTORS).unwrap();
        let services = set.file.iter().flat_map(|file| {
            let package = file.package();
            file.service.iter().map(move |service| (package, service))
        });
        let mut defined: Vec<(String, String, bool)> = services
            .flat_map(|(package, service)| {
                let name = format!("{package}.{}", service.name());
                let methods = service.method.iter();
                methods.map(move |method| (name.clone(), method.name().to_owned(), method.server_streaming()))
            })
            .collect();
        let known = METHODS.iter().filter(|(service, ..)| service.starts_with("api."));
        let mut known: Vec<(String, String, bool)> = known
            .map(|(service, name, is_stream)| ((*service).to_owned(), (*name).to_owned(), *is_stream))
            .collect();
        defined.sort();
        known.sort();
        assert_eq!(known, defined);
        for (service, name, _) in known {
            assert_eq!(Method::of(&format!("/{service}/{name}")).subject(), Subject::Registry);
        }
    }
}
