// swift-tools-version: 6.3
import PackageDescription

let settings: [SwiftSetting] = [
    .strictMemorySafety(),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
]

// It depends on nothing: an app links this code, Foundation, and on Apple's systems VideoSubscriberAccount.
let package = Package(
    name: "app-sdk",
    platforms: [.iOS(.v16), .macOS(.v13), .tvOS(.v16)],
    products: [.library(name: "AppEntitlements", targets: ["AppEntitlements"])],
    targets: [
        .target(name: "AppEntitlements", swiftSettings: settings),
        .executableTarget(name: "tour", dependencies: ["AppEntitlements"], swiftSettings: settings),
        // The README's code before and after the change.
        .target(name: "OldLibrary", path: "Tests/OldLibrary", swiftSettings: settings),
        .target(
            name: "SampleBefore", dependencies: ["OldLibrary"], path: "Tests/SampleBefore", swiftSettings: settings),
        .target(
            name: "SampleAfter", dependencies: ["AppEntitlements"], path: "Tests/SampleAfter", swiftSettings: settings),
        // Its server for bad answers calls the sockets of the C library.
        .testTarget(
            name: "AppEntitlementsTests", dependencies: ["AppEntitlements", "SampleAfter", "SampleBefore"],
            swiftSettings: Array(settings.dropFirst())),
    ]
)
