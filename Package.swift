// swift-tools-version: 6.3
import PackageDescription

let settings: [SwiftSetting] = [
    .strictMemorySafety(),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .enableUpcomingFeature("ImmutableWeakCaptures"),
]

let package = Package(
    name: "swift-tve-tokens",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "TVETokens", targets: ["TVETokens"]),
        .library(name: "MediaRSS", targets: ["MediaRSS"]),
        .library(name: "TVETesting", targets: ["TVETesting"]),
        .executable(name: "tve", targets: ["tve"]),
    ],
    traits: [
        .trait(name: "CLI", description: "The command-line tool `tve`; needs swift-argument-parser."),
        .default(enabledTraits: ["CLI"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2")
    ],
    targets: [
        // The core: libcrypto alone, no Foundation.
        .systemLibrary(
            name: "COpenSSL",
            pkgConfig: "libcrypto",
            providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]
        ),
        .target(name: "OpenSSLBridge", dependencies: ["COpenSSL"], swiftSettings: settings),
        .target(name: "EntitlementValues", swiftSettings: settings),
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
            name: "RequestorSigning",
            dependencies: ["EntitlementKeys", "EntitlementValues", "OpenSSLBridge"],
            swiftSettings: settings
        ),
        .target(
            name: "TVETokens",
            dependencies: ["EntitlementKeys", "EntitlementValues", "MediaTokens", "RequestorSigning"],
            swiftSettings: settings
        ),

        // Beside the core.
        .target(name: "MediaRSS", dependencies: ["EntitlementValues", "MediaTokens"], swiftSettings: settings),
        .target(
            name: "TVETesting",
            dependencies: ["EntitlementKeys", "EntitlementValues", "MediaTokens", "OpenSSLBridge"],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "tve",
            dependencies: [
                "EntitlementKeys", "EntitlementValues", "MediaRSS", "MediaTokens", "OpenSSLBridge", "RequestorSigning",
                "TVETesting",
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
            name: "tveTests", dependencies: ["MediaTokens", "TestVectors", "TVETesting", "tve"], swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)

// Fuzz targets exist on request only: libFuzzer brings its own `main`. See Fuzz/run.sh.
if Context.environment["TVE_FUZZ"] != nil {
    for name in ["FuzzDates", "FuzzKeys", "FuzzSignedText", "FuzzTokenText"] {
        package.targets.append(
            .executableTarget(
                name: name,
                dependencies: ["EntitlementKeys", "EntitlementValues", "MediaTokens", "OpenSSLBridge"],
                path: "Fuzz/\(name)",
                swiftSettings: settings
            )
        )
    }
}
