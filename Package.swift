// swift-tools-version: 6.3
import PackageDescription

// Debian's hiredis.pc brings a flag that SwiftPM refuses with a warning in every build, and needs none of its others.
#if os(macOS)
let hiredisPackage: String? = "hiredis"
#else
let hiredisPackage: String? = nil
#endif

/// A product that only the service needs.
func serviceProduct(_ name: String, _ package: String) -> Target.Dependency {
    .product(name: name, package: package, condition: .when(traits: ["Service"]))
}

/// A product that the client of the broker needs, and the service with it.
func clientProduct(_ name: String, _ package: String) -> Target.Dependency {
    .product(name: name, package: package, condition: .when(traits: ["Client"]))
}

let serviceDependencies = [
    ("Configuration", "swift-configuration"), ("CoreMetrics", "swift-metrics"), ("HTTPTypes", "swift-http-types"),
    ("Hummingbird", "hummingbird"), ("HummingbirdCore", "hummingbird"), ("HummingbirdTLS", "hummingbird"),
    ("Instrumentation", "swift-distributed-tracing"), ("Logging", "swift-log"),
    ("Metrics", "swift-metrics"), ("NIOCore", "swift-nio"), ("NIOHTTP1", "swift-nio"),
    ("NIOHTTPTypes", "swift-nio-extras"),
    ("NIOSSL", "swift-nio-ssl"), ("ServiceLifecycle", "swift-service-lifecycle"), ("SystemPackage", "swift-system"),
    ("Tracing", "swift-distributed-tracing"), ("UnixSignals", "swift-service-lifecycle"),
].map(serviceProduct)

let clientDependencies = [
    ("AsyncHTTPClient", "async-http-client"), ("CoreMetrics", "swift-metrics"), ("HTTPTypes", "swift-http-types"),
    ("Instrumentation", "swift-distributed-tracing"),
    ("Logging", "swift-log"), ("Metrics", "swift-metrics"), ("NIOCore", "swift-nio"), ("NIOHTTP1", "swift-nio"),
    ("NIOHTTPCompression", "swift-nio-extras"), ("NIOPosix", "swift-nio"), ("NIOSSL", "swift-nio-ssl"),
    ("Tracing", "swift-distributed-tracing"),
].map(clientProduct)

// What most modules build on.
let foundations: [Target.Dependency] = [
    "EntitlementKeys", "EntitlementValues", "HostSystem", "OpenSSLBridge", "TextCodecs",
]

/// The unit tests of a module, with what most of them use.
func tests(of module: String, with others: Target.Dependency...) -> Target {
    .testTarget(
        name: "\(module)Tests",
        dependencies: foundations + [.byName(name: module), "TestVectors", "TVETesting"] + others)
}

let package = Package(
    name: "swift-tve-tokens",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "TVETokens", targets: ["TVETokens"]),
        .library(name: "EntitlementDates", targets: ["EntitlementDates"]),
        .library(name: "MediaRSS", targets: ["MediaRSS"]),
        .library(name: "ServiceResponses", targets: ["ServiceResponses"]),
        .library(name: "SQLiteStores", targets: ["SQLiteStores"]),
        .library(name: "RedisStores", targets: ["RedisStores"]),
        .library(name: "BrokerMessages", targets: ["BrokerMessages"]),
        .library(name: "DeviceRecords", targets: ["DeviceRecords", "SealedRecords"]),
        .library(name: "PlaybackSessions", targets: ["PlaybackSessions", "SealedRecords"]),
        .library(name: "BrokerClient", targets: ["BrokerClient"]),
        .library(name: "EntitlementFlows", targets: ["EntitlementFlows"]),
        .library(name: "BrokerSimulation", targets: ["BrokerSimulation"]),
        .library(name: "BrokerSimulationClient", targets: ["BrokerSimulationClient"]),
        .library(name: "TVEService", targets: ["TVEService"]),
        .library(name: "TVETesting", targets: ["TVETesting"]),
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
    targets: [
        // The core: libcrypto alone, no Foundation.
        .systemLibrary(
            name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
        .target(name: "CLibrary"),
        .target(name: "TextCodecs", dependencies: ["CLibrary"]),
        .target(name: "HostSystem", dependencies: ["CLibrary"]),
        .target(name: "OpenSSLBridge", dependencies: ["CLibrary", "COpenSSL", "HostSystem", "TextCodecs"]),
        .target(name: "EntitlementValues", dependencies: ["HostSystem", "TextCodecs"]),
        .target(
            name: "EntitlementKeys",
            dependencies: ["EntitlementValues", "HostSystem", "OpenSSLBridge", "TextCodecs"]),
        .target(
            name: "MediaTokens",
            dependencies: ["EntitlementKeys", "EntitlementValues", "OpenSSLBridge", "TextCodecs"]),
        .target(name: "MetadataDecryption", dependencies: foundations),
        .target(name: "RequestorSigning", dependencies: foundations),
        .target(
            name: "TokenRedemption",
            dependencies: ["CLibrary", "EntitlementValues", "MediaTokens", "OpenSSLBridge", "TextCodecs"]),
        .target(
            name: "TokenLifetimes",
            dependencies: ["EntitlementKeys", "EntitlementValues", "MediaTokens", "OpenSSLBridge", "TextCodecs"]),
        .target(
            name: "TVETokens",
            dependencies: [
                "EntitlementKeys", "EntitlementValues", "MediaTokens", "MetadataDecryption", "RequestorSigning",
                "TokenLifetimes", "TokenRedemption",
            ]),

        // Beside the core.
        .systemLibrary(name: "CExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"]), .brew(["expat"])]),
        .target(name: "EntitlementDates", dependencies: ["EntitlementValues"]),
        .target(name: "MediaRSS", dependencies: ["CExpat", "EntitlementValues", "TextCodecs"]),
        .target(
            name: "ServiceResponses",
            dependencies: [
                "EntitlementKeys", "EntitlementValues", "MediaTokens", "MetadataDecryption", "TextCodecs",
                "TokenLifetimes",
            ]),
        .target(
            name: "BrokerMessages",
            dependencies: ["EntitlementValues", "OpenSSLBridge", "RequestorSigning", "ServiceResponses", "TextCodecs"]),
        .target(
            name: "SealedRecords",
            dependencies: ["EntitlementKeys", "EntitlementValues", "HostSystem", "OpenSSLBridge", "TextCodecs"]),
        .target(
            name: "DeviceRecords",
            dependencies: [
                "BrokerMessages", "EntitlementValues", "HostSystem", "SealedRecords", "ServiceResponses", "TextCodecs",
            ]),
        .target(
            name: "PlaybackSessions",
            dependencies: foundations + ["MediaTokens", "SealedRecords"]),
        .systemLibrary(
            name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
        .target(
            name: "SQLiteStores",
            dependencies: [
                "CLibrary", "CSQLite", "EntitlementValues", "HostSystem", "SealedRecords", "TextCodecs",
                "TokenLifetimes", "TokenRedemption",
            ]),
        .systemLibrary(
            name: "CHiredis", pkgConfig: hiredisPackage, providers: [.apt(["libhiredis-dev"]), .brew(["hiredis"])]),
        .systemLibrary(
            name: "CLibSSL", pkgConfig: "libssl", providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
        .target(
            name: "RedisStores",
            dependencies: [
                "CLibrary", "EntitlementKeys", "EntitlementValues", "HostSystem", "OpenSSLBridge", "SealedRecords",
                "TextCodecs", "TokenRedemption",
                .target(name: "CHiredis", condition: .when(traits: ["Redis"])),
                .target(name: "CLibSSL", condition: .when(traits: ["Redis"])),
            ]),
        .target(
            name: "TVETesting",
            dependencies: [
                "EntitlementKeys", "EntitlementValues", "MediaTokens", "OpenSSLBridge", "OpenSSLReference",
                "TextCodecs", "TokenRedemption",
            ]),
        // Calls of libcrypto to compare with, and to make bad signatures with; no module of the core makes them.
        .target(name: "OpenSSLReference", dependencies: ["COpenSSL", "HostSystem", "OpenSSLBridge"]),

        // The way to the token: the broker's REST API.
        .target(
            name: "BrokerClient",
            dependencies: foundations + [
                "BrokerMessages", "CLibrary", "DeviceRecords", "RequestorSigning", "SealedRecords", "ServiceResponses",
            ] + clientDependencies),

        .target(
            name: "EntitlementFlows",
            dependencies: foundations + [
                "BrokerClient", "BrokerMessages", "DeviceRecords", "MediaTokens", "MetadataDecryption", "SealedRecords",
                "ServiceResponses", "TokenRedemption",
            ] + clientDependencies),

        // The broker as tests and developers run it themselves.
        .target(
            name: "BrokerSimulation",
            dependencies: foundations + [
                "BrokerMessages", "MediaTokens", "OpenSSLReference", "RequestorSigning", "ServiceResponses",
                "TVETesting", clientProduct("HTTPTypes", "swift-http-types"),
            ],
            resources: [.embedInCode("openapi.yaml")]),
        .target(
            name: "BrokerSimulationClient",
            dependencies: [
                "BrokerClient", "BrokerSimulation", "EntitlementValues", clientProduct("HTTPTypes", "swift-http-types"),
            ]),

        // What the command line and the service share.
        .target(name: "QRCodes"),
        .target(
            name: "StoreAddresses",
            dependencies: [
                "EntitlementKeys", "EntitlementValues", "RedisStores", "SQLiteStores", "SealedRecords",
                "TokenRedemption",
            ]),
        .target(
            name: "RowBatches",
            dependencies: foundations + ["MediaTokens", "MetadataDecryption", "ServiceResponses", "TokenRedemption"]),
        .target(
            name: "TVEService",
            dependencies: foundations + [
                "BrokerClient", "BrokerMessages", "BrokerSimulation", "CLibrary", "DeviceRecords", "EntitlementFlows",
                "MediaTokens", "MetadataDecryption", "PlaybackSessions", "RowBatches", "SealedRecords",
                "ServiceResponses", "StoreAddresses", "TokenRedemption",
            ] + serviceDependencies,
            resources: [.embedInCode("openapi.yaml")]),
        .executableTarget(
            name: "tve",
            dependencies: foundations + [
                "MediaRSS", "MediaTokens", "MetadataDecryption", "OpenSSLReference", "RedisStores", "RequestorSigning",
                "RowBatches", "ServiceResponses", "SQLiteStores", "StoreAddresses", "TokenLifetimes", "TokenRedemption",
                "TVETesting",
                "BrokerMessages", "DeviceRecords", "PlaybackSessions", "QRCodes", "SealedRecords",
                .target(name: "BrokerClient", condition: .when(traits: ["Client"])),
                .target(name: "BrokerSimulation", condition: .when(traits: ["Service"])),
                .target(name: "EntitlementFlows", condition: .when(traits: ["Client"])),
                .target(name: "TVEService", condition: .when(traits: ["Service"])),
                clientProduct("Logging", "swift-log"),
                .product(name: "ArgumentParser", package: "swift-argument-parser", condition: .when(traits: ["CLI"])),
            ]),

        // Tests, and what only they use.
        .target(name: "TestVectors", dependencies: ["TextCodecs"], path: "Tests/TestVectors"),
        .target(
            name: "TestServers", dependencies: ["CLibrary", "RedisStores", "TestVectors"], path: "Tests/TestServers"),
        .executableTarget(
            name: "VerificationWork", dependencies: foundations + ["MediaTokens", "TVETesting"],
            path: "Tests/VerificationWork"),
        // Redeems in processes of its own, which tests race and kill.
        .executableTarget(
            name: "ReplayRedeemer", dependencies: foundations + ["SQLiteStores", "TokenRedemption"],
            path: "Tests/ReplayRedeemer"),
        // The promises of every store of records, and changes of a record in processes of their own.
        .target(
            name: "RecordChecks", dependencies: ["EntitlementValues", "SealedRecords", "TestVectors"],
            path: "Tests/RecordChecks"),
        // Client and simulated broker joined in one process.
        .target(
            name: "BrokerBench",
            dependencies: [
                "BrokerClient", "BrokerSimulation", "BrokerSimulationClient", "CLibrary", "EntitlementValues",
                "TVETesting", "TestVectors",
                clientProduct("HTTPTypes", "swift-http-types"), clientProduct("NIOCore", "swift-nio"),
                clientProduct("NIOHTTP1", "swift-nio"), clientProduct("NIOPosix", "swift-nio"),
            ], path: "Tests/BrokerBench"),
        // Serves devices in processes of its own, which tests kill.
        .executableTarget(
            name: "DeviceWorker",
            dependencies: [
                "BrokerBench", "BrokerClient", "BrokerMessages", "DeviceRecords", "EntitlementFlows",
                "EntitlementValues", "RedisStores", "SQLiteStores", "SealedRecords", "TVETesting", "TestVectors",
            ], path: "Tests/DeviceWorker"),
        .executableTarget(
            name: "RecordChanger",
            dependencies: ["BrokerMessages", "DeviceRecords", "EntitlementValues", "SealedRecords", "SQLiteStores"],
            path: "Tests/RecordChanger"),
        // What the service's load is compared with.
        .executableTarget(
            name: "BareRoute",
            dependencies: [
                "BrokerClient", "BrokerMessages", "DeviceRecords", "EntitlementKeys", "EntitlementValues",
                "MediaTokens", "SealedRecords", "ServiceResponses", clientProduct("NIOPosix", "swift-nio"),
            ] + serviceDependencies, path: "Tests/BareRoute"),
        .testTarget(name: "TextCodecsTests", dependencies: ["TextCodecs"]),
        .testTarget(name: "HostSystemTests", dependencies: ["HostSystem", "TestServers", "TestVectors"]),
        .testTarget(
            name: "EntitlementValuesTests",
            dependencies: ["EntitlementDates", "EntitlementValues", "TestVectors", "TVETesting"]),
        .testTarget(name: "OpenSSLBridgeTests", dependencies: foundations + ["OpenSSLReference", "TestVectors"]),
        .testTarget(name: "EntitlementKeysTests", dependencies: foundations + ["TestVectors"]),
        tests(of: "MediaTokens"),
        tests(of: "MetadataDecryption", with: "OpenSSLReference"),
        tests(of: "RequestorSigning"),
        tests(of: "TokenRedemption", with: "MediaTokens"),
        tests(of: "TokenLifetimes", with: "MediaTokens"),
        tests(of: "MediaRSS", with: "MediaTokens"),
        tests(of: "ServiceResponses", with: "MediaTokens", "MetadataDecryption", "TokenLifetimes"),
        tests(of: "BrokerMessages", with: "RequestorSigning", "ServiceResponses"),
        tests(of: "SealedRecords", with: "RecordChecks"),
        tests(
            of: "PlaybackSessions", with: "MediaTokens", "RecordChecks", "SealedRecords", "SQLiteStores"),
        tests(
            of: "DeviceRecords", with: "BrokerMessages", "RecordChecks", "SealedRecords", "ServiceResponses",
            "SQLiteStores"),
        .testTarget(
            name: "BrokerClientTests",
            dependencies: foundations + [
                "BrokerBench", "BrokerClient", "BrokerMessages", "CLibrary", "DeviceRecords", "MetadataDecryption",
                "RequestorSigning", "SealedRecords", "ServiceResponses", "SQLiteStores", "TestServers", "TestVectors",
                "TVETesting",
                clientProduct("InMemoryLogging", "swift-log"), clientProduct("MetricsTestKit", "swift-metrics"),
                clientProduct("InMemoryTracing", "swift-distributed-tracing"),
            ] + clientDependencies),
        tests(
            of: "BrokerSimulation", with: "BrokerBench", "BrokerClient", "BrokerMessages", "BrokerSimulationClient",
            "CLibrary", "DeviceRecords", "MediaTokens",
            "MetadataDecryption", "QRCodes", "RequestorSigning", "SQLiteStores", "SealedRecords", "ServiceResponses",
            "tve",
            clientProduct("HTTPTypes", "swift-http-types"), clientProduct("NIOCore", "swift-nio"),
            clientProduct("NIOHTTP1", "swift-nio"), clientProduct("NIOPosix", "swift-nio")),
        tests(
            of: "EntitlementFlows", with: "BrokerBench", "BrokerClient", "BrokerMessages", "BrokerSimulation",
            "BrokerSimulationClient", "DeviceRecords", "DeviceWorker", "MediaTokens", "MetadataDecryption",
            "RequestorSigning", "SQLiteStores",
            "SealedRecords", "ServiceResponses", "TestServers", "TokenRedemption",
            clientProduct("HTTPTypes", "swift-http-types")),
        tests(
            of: "SQLiteStores", with: "BrokerMessages", "DeviceRecords", "MediaTokens", "RecordChanger", "RecordChecks",
            "ReplayRedeemer", "SealedRecords", "TokenLifetimes", "TokenRedemption"),
        tests(
            of: "RedisStores", with: "MediaTokens", "RecordChecks", "SealedRecords", "TestServers", "TokenRedemption",
            "tve"),
        tests(of: "RowBatches", with: "MediaTokens", "MetadataDecryption", "TokenRedemption"),
        .testTarget(name: "QRCodesTests", dependencies: ["QRCodes", "TestVectors"]),
        tests(
            of: "tve", with: "BrokerMessages", "CLibrary", "DeviceRecords", "MediaTokens", "SQLiteStores",
            "SealedRecords", "ServiceResponses"),
        tests(
            of: "TVEService", with: "BrokerBench", "BrokerClient", "BrokerMessages", "BrokerSimulation",
            "BrokerSimulationClient", "DeviceRecords", "EntitlementFlows", "MediaTokens", "PlaybackSessions",
            "RecordChecks", "SealedRecords",
            "ServiceResponses", "TestServers", "TokenRedemption", "tve",
            serviceProduct("HTTPTypes", "swift-http-types"), serviceProduct("Logging", "swift-log"),
            serviceProduct("NIOCore", "swift-nio"), serviceProduct("NIOEmbedded", "swift-nio"),
            serviceProduct("NIOHTTP1", "swift-nio"), serviceProduct("NIOHTTPTypes", "swift-nio-extras"),
            serviceProduct("NIOHTTPTypesHTTP1", "swift-nio-extras"), serviceProduct("NIOPosix", "swift-nio"),
            serviceProduct("ServiceLifecycle", "swift-service-lifecycle")),
    ],
    swiftLanguageModes: [.v6]
)

// Fuzz targets exist on request only: libFuzzer brings its own `main`. See Fuzz/run.sh.
if Context.environment["TVE_FUZZ"] != nil {
    package.targets += [
        "FuzzBrokerMessages", "FuzzDates", "FuzzEdgeGrant", "FuzzKeys", "FuzzLifetimes", "FuzzMetadata",
        "FuzzPlaybackSession", "FuzzResponses",
        "FuzzSignature", "FuzzSignedText", "FuzzTokenText",
    ].map { name in
        .executableTarget(
            name: name,
            dependencies: foundations + [
                "BrokerMessages", "MediaTokens", "MetadataDecryption", "PlaybackSessions", "ServiceResponses",
                "TokenLifetimes",
            ],
            path: "Fuzz/\(name)"
        )
    }
}

// One set of rules for all code; the system libraries have none.
for target in package.targets where target.type != .system {
    target.swiftSettings = [
        .strictMemorySafety(),
        // Every public type says whether it is Sendable.
        .treatWarning("ExplicitSendable", as: .error),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
        .enableUpcomingFeature("InferIsolatedConformances"),
        .enableUpcomingFeature("ImmutableWeakCaptures"),
    ]
}
