// swift-tools-version: 6.3
import PackageDescription

let settings: [SwiftSetting] = [
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

let serviceDependencies = [
    serviceProduct("Configuration", "swift-configuration"),
    serviceProduct("CoreMetrics", "swift-metrics"),
    serviceProduct("HTTPTypes", "swift-http-types"),
    serviceProduct("Hummingbird", "hummingbird"),
    serviceProduct("Instrumentation", "swift-distributed-tracing"),
    serviceProduct("Logging", "swift-log"),
    serviceProduct("Metrics", "swift-metrics"),
    serviceProduct("NIOCore", "swift-nio"),
    serviceProduct("NIOHTTPTypes", "swift-nio-extras"),
    serviceProduct("ServiceLifecycle", "swift-service-lifecycle"),
    serviceProduct("SystemPackage", "swift-system"),
    serviceProduct("Tracing", "swift-distributed-tracing"),
    serviceProduct("UnixSignals", "swift-service-lifecycle"),
]

let package = Package(
    name: "swift-tve-tokens",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "TVETokens", targets: ["TVETokens"]),
        .library(name: "MediaRSS", targets: ["MediaRSS"]),
        .library(name: "ServiceResponses", targets: ["ServiceResponses"]),
        .library(name: "SQLiteStores", targets: ["SQLiteStores"]),
        .library(name: "RedisStores", targets: ["RedisStores"]),
        .library(name: "TVEService", targets: ["TVEService"]),
        .library(name: "TVETesting", targets: ["TVETesting"]),
        .executable(name: "tve", targets: ["tve"]),
    ],
    traits: [
        .trait(name: "CLI", description: "The command-line tool `tve`; needs swift-argument-parser."),
        .trait(name: "Redis", description: "The replay store on Redis and Valkey; needs libhiredis."),
        .trait(name: "Service", description: "The verification service, `tve serve`; needs Hummingbird."),
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
        .package(url: "https://github.com/apple/swift-system.git", from: "1.8.1"),
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.1", traits: []),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.13.0"),
    ],
    targets: [
        // The core: libcrypto alone, no Foundation.
        .systemLibrary(
            name: "COpenSSL",
            pkgConfig: "libcrypto",
            providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]
        ),
        .target(name: "EntitlementValues", swiftSettings: settings),
        .target(name: "OpenSSLBridge", dependencies: ["COpenSSL", "EntitlementValues"], swiftSettings: settings),
        .target(
            name: "EntitlementKeys",
            dependencies: ["EntitlementValues", "OpenSSLBridge"],
            swiftSettings: settings
        ),
        .target(
            name: "MediaTokens",
            dependencies: ["EntitlementKeys", "EntitlementValues", "OpenSSLBridge"],
            swiftSettings: settings
        ),
        .target(
            name: "MetadataDecryption",
            dependencies: ["EntitlementKeys", "EntitlementValues", "OpenSSLBridge"],
            swiftSettings: settings
        ),
        .target(
            name: "RequestorSigning",
            dependencies: ["EntitlementKeys", "EntitlementValues", "OpenSSLBridge"],
            swiftSettings: settings
        ),
        .target(
            name: "TokenLifetimes",
            dependencies: ["EntitlementKeys", "EntitlementValues", "MediaTokens", "OpenSSLBridge"],
            swiftSettings: settings
        ),
        .target(
            name: "TVETokens",
            dependencies: [
                "EntitlementKeys", "EntitlementValues", "MediaTokens", "MetadataDecryption", "RequestorSigning",
                "TokenLifetimes",
            ],
            swiftSettings: settings
        ),

        // Beside the core.
        .systemLibrary(
            name: "CExpat",
            pkgConfig: "expat",
            providers: [.apt(["libexpat1-dev"]), .brew(["expat"])]
        ),
        .target(
            name: "MediaRSS",
            dependencies: ["CExpat", "EntitlementValues", "MediaTokens"],
            swiftSettings: settings
        ),
        .target(
            name: "ServiceResponses",
            dependencies: [
                "EntitlementKeys", "EntitlementValues", "MediaTokens", "MetadataDecryption", "TokenLifetimes",
            ],
            swiftSettings: settings
        ),
        .systemLibrary(
            name: "CSQLite",
            pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]
        ),
        .target(
            name: "SQLiteStores",
            dependencies: ["CSQLite", "EntitlementValues", "TokenLifetimes"],
            swiftSettings: settings
        ),
        .systemLibrary(
            name: "CHiredis",
            pkgConfig: hiredisPackage,
            providers: [.apt(["libhiredis-dev"]), .brew(["hiredis"])]
        ),
        .target(
            name: "RedisStores",
            dependencies: [
                .target(name: "CHiredis", condition: .when(traits: ["Redis"])), "EntitlementKeys", "EntitlementValues",
                "OpenSSLBridge", "TokenLifetimes",
            ],
            swiftSettings: settings
        ),
        // What the command line and the service share.
        .target(
            name: "StoreAddresses",
            dependencies: ["EntitlementKeys", "RedisStores", "SQLiteStores", "TokenLifetimes"],
            swiftSettings: settings
        ),
        .target(
            name: "VerdictLines",
            dependencies: ["EntitlementKeys", "EntitlementValues", "MediaTokens", "TokenLifetimes"],
            swiftSettings: settings
        ),
        .target(
            name: "TVETesting",
            dependencies: ["EntitlementKeys", "EntitlementValues", "MediaTokens", "OpenSSLBridge"],
            swiftSettings: settings
        ),
        .target(
            name: "TVEService",
            dependencies: [
                "EntitlementKeys", "EntitlementValues", "MediaTokens", "MetadataDecryption", "OpenSSLBridge",
                "ServiceResponses", "StoreAddresses", "TokenLifetimes", "VerdictLines",
            ] + serviceDependencies,
            resources: [.embedInCode("openapi.yaml")],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "tve",
            dependencies: [
                "EntitlementKeys", "EntitlementValues", "MediaRSS", "MediaTokens", "MetadataDecryption",
                "OpenSSLBridge", "RedisStores", "RequestorSigning", "ServiceResponses", "SQLiteStores",
                "StoreAddresses",
                "TokenLifetimes", "TVETesting", "VerdictLines",
                .target(name: "TVEService", condition: .when(traits: ["Service"])),
                serviceProduct("Logging", "swift-log"),
                .product(
                    name: "ArgumentParser",
                    package: "swift-argument-parser",
                    condition: .when(traits: ["CLI"])
                ),
            ],
            swiftSettings: settings
        ),

        // Tests.
        .target(name: "TestVectors", path: "Tests/TestVectors", swiftSettings: settings),
        // Servers that tests start and stop.
        .target(
            name: "TestServers", dependencies: ["RedisStores"], path: "Tests/TestServers", swiftSettings: settings),
        .executableTarget(
            name: "VerificationWork",
            dependencies: ["EntitlementKeys", "EntitlementValues", "MediaTokens", "TVETesting"],
            path: "Tests/VerificationWork",
            swiftSettings: settings
        ),
        .testTarget(name: "EntitlementValuesTests", dependencies: ["EntitlementValues"], swiftSettings: settings),
        .testTarget(
            name: "EntitlementKeysTests",
            dependencies: ["EntitlementKeys", "EntitlementValues", "OpenSSLBridge", "TestVectors"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "MediaTokensTests",
            dependencies: [
                "EntitlementKeys", "EntitlementValues", "MediaTokens", "OpenSSLBridge", "TestVectors", "TVETesting",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "RequestorSigningTests",
            dependencies: ["EntitlementKeys", "EntitlementValues", "OpenSSLBridge", "RequestorSigning", "TestVectors"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "MediaRSSTests",
            dependencies: ["EntitlementValues", "MediaRSS", "MediaTokens", "TestVectors"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "MetadataDecryptionTests",
            dependencies: [
                "EntitlementKeys", "EntitlementValues", "MetadataDecryption", "OpenSSLBridge", "TestVectors",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "ServiceResponsesTests",
            dependencies: [
                "EntitlementKeys", "EntitlementValues", "MediaTokens", "MetadataDecryption", "ServiceResponses",
                "TestVectors", "TokenLifetimes", "TVETesting",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "TokenLifetimesTests",
            dependencies: [
                "EntitlementKeys", "EntitlementValues", "MediaTokens", "OpenSSLBridge", "TestVectors", "TokenLifetimes",
                "TVETesting",
            ],
            swiftSettings: settings
        ),
        // Claims in processes of their own, which tests race and kill.
        .executableTarget(
            name: "ReplayClaimer",
            dependencies: ["EntitlementValues", "SQLiteStores", "TokenLifetimes"],
            path: "Tests/ReplayClaimer",
            swiftSettings: settings
        ),
        .testTarget(
            name: "SQLiteStoresTests",
            dependencies: [
                "EntitlementKeys", "EntitlementValues", "MediaTokens", "ReplayClaimer", "SQLiteStores", "TestVectors",
                "TokenLifetimes", "TVETesting",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "RedisStoresTests",
            dependencies: [
                "EntitlementKeys", "EntitlementValues", "MediaTokens", "RedisStores", "TestServers", "TestVectors",
                "TokenLifetimes", "TVETesting", "tve",
            ],
            swiftSettings: settings
        ),
        // What the service's load is compared with.
        .executableTarget(
            name: "BareRoute",
            dependencies: [
                serviceProduct("HTTPTypes", "swift-http-types"), serviceProduct("Hummingbird", "hummingbird"),
                serviceProduct("Logging", "swift-log"),
            ],
            path: "Tests/BareRoute",
            swiftSettings: settings
        ),
        .testTarget(
            name: "TVEServiceTests",
            dependencies: [
                "EntitlementKeys", "EntitlementValues", "MediaTokens", "TVEService", "TVETesting", "TestServers",
                "TestVectors", "tve",
                serviceProduct("Logging", "swift-log"), serviceProduct("NIOCore", "swift-nio"),
                serviceProduct("NIOPosix", "swift-nio"),
                serviceProduct("ServiceLifecycle", "swift-service-lifecycle"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "tveTests",
            dependencies: ["EntitlementKeys", "MediaTokens", "OpenSSLBridge", "TestVectors", "TVETesting", "tve"],
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)

// Fuzz targets exist on request only: libFuzzer brings its own `main`. See Fuzz/run.sh.
if Context.environment["TVE_FUZZ"] != nil {
    for name in [
        "FuzzDates", "FuzzKeys", "FuzzLifetimes", "FuzzMetadata", "FuzzResponses", "FuzzSignature", "FuzzSignedText",
        "FuzzTokenText",
    ] {
        package.targets.append(
            .executableTarget(
                name: name,
                dependencies: [
                    "EntitlementKeys", "EntitlementValues", "MediaTokens", "MetadataDecryption", "OpenSSLBridge",
                    "ServiceResponses", "TokenLifetimes",
                ],
                path: "Fuzz/\(name)",
                swiftSettings: settings
            )
        )
    }
}
