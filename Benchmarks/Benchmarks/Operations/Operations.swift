// One benchmark for each workload. Run: swift package --package-path Benchmarks benchmark

import Benchmark
import Workloads

let benchmarks: @Sendable () -> Void = {
    let workloads: [Workload]
    do {
        workloads = try Workload.all()
    } catch {
        preconditionFailure("the workloads cannot be prepared: \(error)")
    }
    for workload in workloads {
        Benchmark(
            workload.name,
            configuration: .init(
                metrics: [.wallClock, .throughput],
                warmupIterations: 2,
                scalingFactor: workload.isLong ? .one : .kilo,
                maxDuration: .milliseconds(500),
                maxIterations: .kilo(100)
            )
        ) { benchmark in
            benchmark.startMeasurement()
            try await workload.run(benchmark.scaledIterations.count)
        }
    }
}
