// swift-tools-version: 6.3
import PackageDescription

typealias Dependency = Target.Dependency

// The tables of targets below are written in these words. Lists of what several need stand after `on:`.
func module(_ name: String, on lists: [Dependency] = [], _ others: Dependency...) -> Target {
    .target(name: name, dependencies: lists + others)
}
func program(_ name: String, on lists: [Dependency] = [], _ others: Dependency...) -> Target {
    .executableTarget(name: name, dependencies: lists + others)
}
/// With what most tests use.
func tests(of module: String, on lists: [Dependency] = [], _ others: Dependency...) -> Target {
    let usual = foundations + [.byName(name: module), "TestVectors", "TVETesting"]
    return .testTarget(name: "\(module)Tests", dependencies: usual + lists + others)
}
func systemLibrary(_ name: String, _ file: String?, apt: String, brew: String) -> Target {
    .systemLibrary(name: name, pkgConfig: file, providers: [.apt([apt]), .brew([brew])])
}
func library(_ name: String, showing others: String...) -> Product { .library(name: name, targets: [name] + others) }

extension Dependency {
    /// Of another package; the client of the broker needs it, and the service with it.
    static func client(_ product: String) -> Self { .product(product, if: "Client") }
    /// Of another package; only the service needs it.
    static func service(_ product: String) -> Self { .product(product, if: "Service") }

    static func product(_ name: String, if trait: String) -> Self {
        let package = products.first { $1.contains(name) }?.key ?? name
        return .product(name: name, package: package, condition: .when(traits: [trait]))
    }
    static func module(_ name: String, if trait: String) -> Self {
        .target(name: name, condition: .when(traits: [trait]))
    }
}

/// What the modules use of other packages.
let products = [
    "async-http-client": ["AsyncHTTPClient"], "hummingbird": ["Hummingbird", "HummingbirdCore", "HummingbirdTLS"],
    "swift-argument-parser": ["ArgumentParser"], "swift-configuration": ["Configuration"],
    "swift-distributed-tracing": ["InMemoryTracing", "Instrumentation", "Tracing"], "swift-http-types": ["HTTPTypes"],
    "swift-log": ["InMemoryLogging", "Logging"], "swift-metrics": ["CoreMetrics", "Metrics", "MetricsTestKit"],
    "swift-nio": ["NIOCore", "NIOEmbedded", "NIOHTTP1", "NIOPosix"], "swift-nio-ssl": ["NIOSSL"],
    "swift-nio-extras": ["NIOHTTPCompression", "NIOHTTPTypes", "NIOHTTPTypesHTTP1"],
    "swift-service-lifecycle": ["ServiceLifecycle", "UnixSignals"], "swift-system": ["SystemPackage"],
]
let clientProducts = [
    "AsyncHTTPClient", "CoreMetrics", "HTTPTypes", "Instrumentation", "Logging", "Metrics", "NIOCore", "NIOHTTP1",
    "NIOHTTPCompression", "NIOPosix", "NIOSSL", "Tracing",
].map(Dependency.client)
let serviceProducts = [
    "Configuration", "CoreMetrics", "HTTPTypes", "Hummingbird", "HummingbirdCore", "HummingbirdTLS", "Instrumentation",
    "Logging", "Metrics", "NIOCore", "NIOHTTP1", "NIOHTTPTypes", "NIOSSL", "ServiceLifecycle", "SystemPackage",
    "Tracing", "UnixSignals",
].map(Dependency.service)
/// What tests need to talk HTTP themselves.
let wire = ["HTTPTypes", "NIOCore", "NIOHTTP1", "NIOPosix"].map(Dependency.client)

let keys: [Dependency] = ["EntitlementKeys", "EntitlementValues", "OpenSSLBridge", "TextCodecs"]
/// What most modules build on.
let foundations = keys + ["HostSystem"]
let tokens: [Dependency] = ["MediaTokens", "MetadataDecryption", "TokenRedemption"]
/// What the broker is told, and what is kept of devices.
let records: [Dependency] = ["BrokerMessages", "DeviceRecords", "SealedRecords", "ServiceResponses"]

// Debian's hiredis.pc brings a flag that SwiftPM refuses with a warning in every build, and needs none of its others.
#if os(macOS)
let hiredis: String? = "hiredis"
#else
let hiredis: String? = nil
#endif

/// The modules of each floor; a floor is a folder of `Sources`.
///
/// A module imports those of its own floor and of the floors before it.
let sources: KeyValuePairs<String, [Target]> = [
    "System": [
        module("CLibrary"),
        systemLibrary("COpenSSL", "libcrypto", apt: "libssl-dev", brew: "openssl@3"),
        systemLibrary("CLibSSL", "libssl", apt: "libssl-dev", brew: "openssl@3"),
        systemLibrary("CExpat", "expat", apt: "libexpat1-dev", brew: "expat"),
        systemLibrary("CSQLite", "sqlite3", apt: "libsqlite3-dev", brew: "sqlite"),
        systemLibrary("CHiredis", hiredis, apt: "libhiredis-dev", brew: "hiredis"),
    ],
    "Core": [
        module("TextCodecs", "CLibrary"), module("HostSystem", "CLibrary", "TextCodecs"),
        module("OpenSSLBridge", "CLibrary", "COpenSSL", "HostSystem", "TextCodecs"),
        module("EntitlementValues", "HostSystem", "TextCodecs"),
        module("EntitlementKeys", "EntitlementValues", "HostSystem", "OpenSSLBridge", "TextCodecs"),
        module("MetadataDecryption", on: foundations), module("RequestorSigning", on: foundations),
        module("MediaTokens", on: keys), module("TokenLifetimes", on: keys, "MediaTokens"),
        module("TokenRedemption", "CLibrary", "EntitlementValues", "MediaTokens", "OpenSSLBridge", "TextCodecs"),
        module("TVETokens", on: tokens, "EntitlementKeys", "EntitlementValues", "RequestorSigning", "TokenLifetimes"),
        module("EntitlementDates", "EntitlementValues"),
        module("MediaRSS", "CExpat", "EntitlementValues", "TextCodecs"),
        module(
            "ServiceResponses", "EntitlementKeys", "EntitlementValues", "MediaTokens", "MetadataDecryption",
            "TextCodecs", "TokenLifetimes"),
        // Calls of libcrypto to compare with, and to make bad signatures with; the modules that verify make none of them.
        module("OpenSSLReference", "COpenSSL", "HostSystem", "OpenSSLBridge"),
        module("TVETesting", on: keys, "MediaTokens", "OpenSSLReference", "TokenRedemption"),
    ],
    "Stores": [
        module("SealedRecords", on: foundations),
        module(
            "SQLiteStores", "CLibrary", "CSQLite", "EntitlementValues", "HostSystem", "SealedRecords", "TextCodecs",
            "TokenLifetimes", "TokenRedemption"),
        module(
            "RedisStores", on: foundations, "CLibrary", "SealedRecords", "TokenRedemption",
            .module("CHiredis", if: "Redis"), .module("CLibSSL", if: "Redis")),
        module(
            "StoreAddresses", "EntitlementKeys", "EntitlementValues", "RedisStores", "SQLiteStores", "SealedRecords",
            "TokenRedemption"),
    ],
    "Playback": [module("PlaybackSessions", on: foundations, "MediaTokens", "SealedRecords")],
    "Broker": [
        module(
            "BrokerMessages", "EntitlementValues", "HostSystem", "OpenSSLBridge", "RequestorSigning",
            "ServiceResponses",
            "TextCodecs"),
        module(
            "DeviceRecords", "BrokerMessages", "EntitlementValues", "HostSystem", "SealedRecords", "ServiceResponses",
            "TextCodecs"),
        module("BrokerClient", on: foundations + records + clientProducts, "CLibrary", "RequestorSigning"),
        module("EntitlementFlows", on: foundations + records + tokens + clientProducts, "BrokerClient"),
        module(
            "BrokerSimulation", on: foundations, "BrokerClient", "BrokerMessages", "MediaTokens", "OpenSSLReference",
            "RequestorSigning", "ServiceResponses", "TVETesting", .client("HTTPTypes")),
    ],
    "Service": [
        module("RowBatches", on: foundations + tokens, "ServiceResponses"),
        module(
            "TVEService", on: foundations + records + tokens + serviceProducts, "BrokerClient", "BrokerSimulation",
            "CLibrary", "EntitlementFlows", "PlaybackSessions", "RowBatches", "StoreAddresses"),
    ],
    "Tool": [
        module("QRCodes"),
        program(
            "tve", on: foundations + records + tokens, "MediaRSS", "OpenSSLReference", "PlaybackSessions", "QRCodes",
            "RedisStores", "RequestorSigning", "RowBatches", "SQLiteStores", "StoreAddresses", "TVETesting",
            "TokenLifetimes", .module("BrokerClient", if: "Client"), .module("BrokerSimulation", if: "Client"),
            .module("EntitlementFlows", if: "Client"), .module("TVEService", if: "Service"), .client("Logging"),
            .product("ArgumentParser", if: "CLI")),
    ],
]

/// The tests of each floor, and what only tests use.
let tests: KeyValuePairs<String, [Target]> = [
    "Core": [
        module("TestVectors", "TextCodecs"),
        program("VerificationWork", on: foundations, "MediaTokens", "TVETesting"),
        .testTarget(name: "TextCodecsTests", dependencies: ["TextCodecs"]),
        .testTarget(name: "HostSystemTests", dependencies: ["HostSystem", "TestServers", "TestVectors"]),
        .testTarget(
            name: "EntitlementValuesTests",
            dependencies: ["EntitlementDates", "EntitlementValues", "TestVectors", "TVETesting"]),
        .testTarget(name: "OpenSSLBridgeTests", dependencies: foundations + ["OpenSSLReference", "TestVectors"]),
        .testTarget(name: "EntitlementKeysTests", dependencies: foundations + ["TestVectors"]),
        tests(of: "MediaTokens"), tests(of: "RequestorSigning"), tests(of: "TokenRedemption", "MediaTokens"),
        tests(of: "TokenLifetimes", "MediaTokens"), tests(of: "MetadataDecryption", "OpenSSLReference"),
        tests(of: "MediaRSS", "MediaTokens"),
        tests(of: "ServiceResponses", "MediaTokens", "MetadataDecryption", "TokenLifetimes"),
    ],
    "Stores": [
        module("TestServers", "CLibrary", "RedisStores", "TestVectors"),
        // The promises of every store of records.
        module("RecordChecks", "EntitlementValues", "SealedRecords", "TestVectors"),
        // Redeems in processes of its own, which tests race and kill.
        program("ReplayRedeemer", on: foundations, "SQLiteStores", "TokenRedemption"),
        tests(of: "SealedRecords", "RecordChecks"),
        tests(
            of: "SQLiteStores", "BrokerMessages", "DeviceRecords", "MediaTokens", "RecordChanger", "RecordChecks",
            "ReplayRedeemer", "SealedRecords", "TokenLifetimes", "TokenRedemption"),
        tests(
            of: "RedisStores", "MediaTokens", "RecordChecks", "SealedRecords", "TestServers", "TokenRedemption", "tve"),
    ],
    "Playback": [tests(of: "PlaybackSessions", "MediaTokens", "RecordChecks", "SealedRecords", "SQLiteStores")],
    "Broker": [
        // Client and simulated broker joined in one process.
        module(
            "BrokerBench", on: wire, "BrokerClient", "BrokerSimulation", "CLibrary", "EntitlementValues", "TVETesting",
            "TestVectors"),
        // Changes a record, and serves devices, in processes of their own, which tests race and kill.
        program(
            "RecordChanger", "BrokerMessages", "DeviceRecords", "EntitlementValues", "SQLiteStores", "SealedRecords"),
        program(
            "DeviceWorker", "BrokerBench", "BrokerClient", "BrokerMessages", "DeviceRecords", "EntitlementFlows",
            "EntitlementValues", "RedisStores", "SQLiteStores", "SealedRecords", "TVETesting", "TestVectors"),
        tests(of: "BrokerMessages", "MetadataDecryption", "RequestorSigning", "ServiceResponses"),
        tests(
            of: "DeviceRecords", "BrokerMessages", "RecordChecks", "SealedRecords", "ServiceResponses", "SQLiteStores"),
        tests(
            of: "BrokerClient", on: records + clientProducts, "BrokerBench", "CLibrary", "MetadataDecryption",
            "RecordChecks", "RequestorSigning", "SQLiteStores", "TestServers", .client("InMemoryLogging"),
            .client("InMemoryTracing"), .client("MetricsTestKit")),
        tests(
            of: "BrokerSimulation", on: records + wire, "BrokerBench", "BrokerClient", "CLibrary", "MediaTokens",
            "MetadataDecryption", "QRCodes", "RequestorSigning", "SQLiteStores", "tve"),
        tests(
            of: "EntitlementFlows", on: records + tokens, "BrokerBench", "BrokerClient", "BrokerSimulation",
            "DeviceWorker", "RecordChecks", "RequestorSigning", "SQLiteStores", "TestServers", .client("HTTPTypes")),
    ],
    "Service": [
        // What the service's load is compared with.
        program(
            "BareRoute", on: records + serviceProducts, "BrokerClient", "EntitlementKeys", "EntitlementValues",
            "MediaTokens", .client("NIOPosix")),
        tests(of: "RowBatches", on: tokens),
        tests(
            of: "TVEService", on: records, "BrokerBench", "BrokerClient", "BrokerSimulation", "EntitlementFlows",
            "MediaTokens", "PlaybackSessions", "RecordChecks", "TestServers", "TokenRedemption", "tve",
            .service("HTTPTypes"), .service("Hummingbird"), .service("Logging"), .service("NIOCore"),
            .service("NIOEmbedded"), .service("NIOHTTP1"), .service("NIOHTTPTypes"), .service("NIOHTTPTypesHTTP1"),
            .service("NIOPosix"), .service("ServiceLifecycle")),
    ],
    "Tool": [
        .testTarget(name: "QRCodesTests", dependencies: ["QRCodes", "TestVectors"]),
        tests(
            of: "tve", on: records + tokens, "CLibrary", "MediaRSS", "PlaybackSessions", "RequestorSigning",
            "SQLiteStores", "StoreAddresses", "TokenLifetimes", .module("BrokerClient", if: "Client"),
            .module("BrokerSimulation", if: "Service"), .module("EntitlementFlows", if: "Client"),
            .module("TVEService", if: "Service")),
    ],
]

func targets(in folder: String, _ floors: KeyValuePairs<String, [Target]>) -> [Target] {
    floors.flatMap { floor, targets in
        for target in targets { target.path = "\(folder)/\(floor)/\(target.name)" }
        return targets
    }
}

let package = Package(
    name: "swift-tve-tokens", platforms: [.macOS(.v15)],
    products: [
        library("TVETokens"), library("EntitlementDates"), library("MediaRSS"), library("ServiceResponses"),
        library("SQLiteStores"), library("RedisStores"), library("BrokerMessages"), library("BrokerClient"),
        library("DeviceRecords", showing: "SealedRecords"), library("PlaybackSessions", showing: "SealedRecords"),
        library("EntitlementFlows"), library("BrokerSimulation"), library("TVEService"), library("TVETesting"),
        .executable(name: "tve", targets: ["tve"]),
    ],
    traits: [
        .trait(name: "CLI", description: "The command-line tool `tve`; needs swift-argument-parser."),
        .trait(
            name: "Redis",
            description: "Used tokens and records on Redis and Valkey, with TLS; needs libhiredis and libssl."),
        .trait(
            name: "Client",
            description:
                "The broker's client, EntitlementFlows, BrokerSimulation, `tve broker`; needs async-http-client."),
        .trait(
            name: "Service",
            description: "The verification service and the gateway, `tve serve`; `tve simulate`; needs Hummingbird.",
            enabledTraits: ["Client"]),
        .default(enabledTraits: ["CLI"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-configuration.git", from: "1.4.0", traits: ["JSON"]),
        .package(url: "https://github.com/apple/swift-distributed-tracing.git", from: "1.7.3"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0", traits: []),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics.git", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras.git", from: "1.35.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-system.git", from: "1.8.1"),
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.1", traits: []),
        .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.13.0"),
    ],
    targets: targets(in: "Sources", sources) + targets(in: "Tests", tests), swiftLanguageModes: [.v6]
)

// Fuzz targets exist on request only: libFuzzer brings its own `main`. See Fuzz/run.sh.
if Context.environment["TVE_FUZZ"] != nil {
    let targets = [
        "FuzzBrokerMessages", "FuzzCommonAccess", "FuzzDates", "FuzzEdgeGrant", "FuzzKeys", "FuzzLifetimes",
        "FuzzMetadata", "FuzzPlaybackSession", "FuzzResponses", "FuzzSignature", "FuzzSignedText", "FuzzTokenText",
    ].map { name in
        program(
            name, on: foundations, "BrokerMessages", "MediaTokens", "MetadataDecryption", "PlaybackSessions",
            "ServiceResponses", "TokenLifetimes")
    }
    for target in targets { target.path = "Fuzz/\(target.name)" }
    package.targets += targets
}

// One set of rules for all code, by which every public type says whether it is Sendable; the system libraries have none.
for target in package.targets where target.type != .system {
    target.swiftSettings = [
        .strictMemorySafety(), .treatWarning("ExplicitSendable", as: .error),
        .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"), .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
        .enableUpcomingFeature("InferIsolatedConformances"), .enableUpcomingFeature("ImmutableWeakCaptures"),
    ]
    if ["BrokerSimulation", "TVEService"].contains(target.name) {
        target.resources = [.embedInCode("openapi.yaml"), .embedInCode("openapi.json")]
    }
}
