// swift-tools-version: 6.3
import PackageDescription

// A package of its own, so that nobody who uses the library fetches the benchmark tool. Being outside, it sees public
// API only.
let package = Package(
    name: "benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "swift-tve-tokens", path: "..", traits: ["Redis"]),
        // Its default traits count allocations through two more packages; wall clock and CPU time need neither.
        .package(url: "https://github.com/ordo-one/benchmark.git", exact: "1.38.1", traits: []),
    ],
    targets: [
        .executableTarget(
            name: "MediaTokens-Benchmarks",
            dependencies: [
                .product(name: "Benchmark", package: "benchmark"),
                .product(name: "TVETesting", package: "swift-tve-tokens"),
                .product(name: "TVETokens", package: "swift-tve-tokens"),
            ],
            path: "Benchmarks/MediaTokens",
            plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]
        ),
        .executableTarget(
            name: "RedisClaims",
            dependencies: [
                .product(name: "RedisStores", package: "swift-tve-tokens"),
                .product(name: "TVETokens", package: "swift-tve-tokens"),
            ],
            path: "Benchmarks/RedisClaims"
        ),
        .executableTarget(
            name: "StoreClaims",
            dependencies: [
                .product(name: "SQLiteStores", package: "swift-tve-tokens"),
                .product(name: "TVETokens", package: "swift-tve-tokens"),
            ],
            path: "Benchmarks/StoreClaims"
        ),
    ],
    swiftLanguageModes: [.v6]
)
