"""Calls every method of a registry server, knowing of it only what its own reflection service says.

Usage: reflection_client.py HOST:PORT. Needs the packages grpcio and grpcio-reflection.
"""

import sys

import grpc
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message_factory import GetMessageClass
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase


def caller(channel, method):
    path = f"/{method.containing_service.full_name}/{method.name}"
    make = channel.unary_stream if method.server_streaming else channel.unary_unary
    return make(
        path,
        request_serializer=lambda message: message.SerializeToString(),
        response_deserializer=GetMessageClass(method.output_type).FromString,
    )


def main(address):
    channel = grpc.insecure_channel(address)
    database = ProtoReflectionDescriptorDatabase(channel)
    services = sorted(database.get_services())
    print("services:", ", ".join(services))
    pool = DescriptorPool(database)
    methods = {method.name: method for method in pool.FindServiceByName("api.Registry").methods}

    called = set()

    def call(method_name, **fields):
        called.add(method_name)
        method = methods[method_name]
        answer = caller(channel, method)(GetMessageClass(method.input_type)(**fields), timeout=10)
        return list(answer) if method.server_streaming else answer

    packages = [package.name for package in call("ListPackages")]
    bundles = call("ListBundles")
    assert packages and bundles
    provided = 0
    for name in packages:
        package = call("GetPackage", name=name)
        assert package.name == name and package.defaultChannelName
        for each in package.channels:
            head = call("GetBundleForChannel", pkgName=name, channelName=each.name)
            assert head.csvName == each.csvName and head.csvJson
    for bundle in bundles:
        key = {"pkgName": bundle.packageName, "channelName": bundle.channelName}
        single = call("GetBundle", csvName=bundle.csvName, **key)
        assert single.version == bundle.version and single.skipRange == bundle.skipRange
        assert list(single.properties) == list(bundle.properties)
        for replaced in set(bundle.skips) | ({bundle.replaces} - {""}):
            assert call("GetChannelEntriesThatReplace", csvName=replaced)
            assert call("GetBundleThatReplaces", csvName=replaced, **key).csvName
        for api in bundle.providedApis:
            provided += 1
            fields = {"group": api.group, "version": api.version, "kind": api.kind}
            entries = call("GetChannelEntriesThatProvide", **fields)
            assert bundle.csvName in [entry.bundleName for entry in entries]
            assert call("GetLatestChannelEntriesThatProvide", **fields)
            assert call("GetDefaultBundleThatProvides", **fields).csvJson
    assert provided
    try:
        call("GetPackage", name="no-such-package")
        raise AssertionError("an unknown package was found")
    except grpc.RpcError as error:
        assert error.code() == grpc.StatusCode.UNKNOWN, error
        # Servers of databases and of file-based catalogs differ in the quotes.
        assert error.details().replace('"', "") == "package no-such-package not found", error
    assert called == set(methods), set(methods) - called

    experimental = pool.FindMethodByName("api.ExperimentalRegistry.ExperimentalListPackageCustomSchemas")
    asked = GetMessageClass(experimental.input_type)(schema="example.com.notes", packageName=packages[0])
    assert not list(caller(channel, experimental)(asked, timeout=10))
    acknowledged = [("x-acknowledge-experimental", "true")]
    try:
        for document in caller(channel, experimental)(asked, timeout=10, metadata=acknowledged):
            assert document["schema"] == "example.com.notes" and document["package"] == packages[0]
    except grpc.RpcError as error:
        # A database has no such documents.
        assert error.code() == grpc.StatusCode.UNIMPLEMENTED, error

    health = pool.FindMethodByName("grpc.health.v1.Health.Check")
    answer = caller(channel, health)(GetMessageClass(health.input_type)(), timeout=10)
    assert answer.status == 1, answer
    print(f"{len(methods)} methods of api.Registry, {len(packages)} packages, {len(bundles)} bundles")


if __name__ == "__main__":
    main(sys.argv[1])
