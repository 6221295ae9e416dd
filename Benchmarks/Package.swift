// swift-tools-version: 6.3
import PackageDescription

// A separate package, so that users of the library do not fetch the packages that it is compared with. It sees only the
// public API. `run.sh` beside this file runs everything.
let package = Package(
    name: "benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "swift-tve-tokens", path: "..", traits: ["Client", "Redis"]),
        // Its default traits count allocations through two more packages; wall clock and CPU time need neither.
        .package(url: "https://github.com/ordo-one/benchmark.git", exact: "1.38.1", traits: []),
        // What a Swift program could use instead.
        .package(url: "https://github.com/apple/swift-crypto.git", exact: "4.5.2"),
        .package(url: "https://github.com/vapor/jwt-kit.git", exact: "5.7.1"),
        // What the client's calls are compared with, and what serves them.
        .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.37.0"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0", traits: []),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.2"),
    ],
    targets: [
        .systemLibrary(
            name: "Libcrypto",
            pkgConfig: "libcrypto",
            providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]
        ),
        // OpenSSL's own calls, in C.
        .target(name: "Floor", dependencies: ["Libcrypto"]),
        .systemLibrary(
            name: "Libsqlite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
        // Transactions on records in C.
        .target(name: "BareRecords", dependencies: ["Libsqlite"]),
        // The operations that the suite and the comparison time.
        .target(
            name: "Workloads",
            dependencies: [
                "Floor",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "JWTKit", package: "jwt-kit"),
                .product(name: "TVETesting", package: "swift-tve-tokens"),
                .product(name: "TVETokens", package: "swift-tve-tokens"),
            ]
        ),
        .executableTarget(name: "Comparison", dependencies: ["Workloads"]),
        .executableTarget(
            name: "Operations",
            dependencies: ["Workloads", .product(name: "Benchmark", package: "benchmark")],
            path: "Benchmarks/Operations",
            plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]
        ),
        .executableTarget(
            name: "ClientCalls",
            dependencies: [
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "BrokerClient", package: "swift-tve-tokens"),
                .product(name: "BrokerMessages", package: "swift-tve-tokens"),
                .product(name: "DeviceRecords", package: "swift-tve-tokens"),
                .product(name: "TVETokens", package: "swift-tve-tokens"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            path: "Benchmarks/ClientCalls"
        ),
        .executableTarget(
            name: "RecordChanges",
            dependencies: [
                "BareRecords",
                .product(name: "BrokerMessages", package: "swift-tve-tokens"),
                .product(name: "DeviceRecords", package: "swift-tve-tokens"),
                .product(name: "ServiceResponses", package: "swift-tve-tokens"),
                .product(name: "SQLiteStores", package: "swift-tve-tokens"),
                .product(name: "TVETokens", package: "swift-tve-tokens"),
            ],
            path: "Benchmarks/RecordChanges"
        ),
        .executableTarget(
            name: "RedisRedemptions",
            dependencies: [
                .product(name: "RedisStores", package: "swift-tve-tokens"),
                .product(name: "TVETokens", package: "swift-tve-tokens"),
            ],
            path: "Benchmarks/RedisRedemptions"
        ),
        .executableTarget(
            name: "SimulatedDecisions",
            dependencies: [
                "Floor",
                .product(name: "BrokerMessages", package: "swift-tve-tokens"),
                .product(name: "BrokerSimulation", package: "swift-tve-tokens"),
                .product(name: "TVETokens", package: "swift-tve-tokens"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            path: "Benchmarks/SimulatedDecisions"
        ),
        .executableTarget(
            name: "StoreRedemptions",
            dependencies: [
                .product(name: "SQLiteStores", package: "swift-tve-tokens"),
                .product(name: "TVETokens", package: "swift-tve-tokens"),
            ],
            path: "Benchmarks/StoreRedemptions"
        ),
    ],
    swiftLanguageModes: [.v6]
)
