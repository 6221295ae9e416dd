#if Service
public import CoreMetrics
import EntitlementValues
import TextCodecs
import Synchronization

/// Keeps counts and times in memory, and writes them as Prometheus text.
///
/// The number of series is bounded: what comes behind the first 1000 is not kept.
public final class MetricsRegistry: MetricsFactory {
    private struct Name: Hashable {
        let label: String
        let dimensions: [String]
    }

    private let series = Mutex<[Name: Instrument]>([:])
    private static let maximumSeries = 1000

    /// Makes an empty registry.
    public init() {}

    /// Makes a counter, or finds the one of that name.
    public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        instrument(label, dimensions, .counter)
    }

    /// Makes a gauge, or finds the one of that name.
    public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        instrument(label, dimensions, .gauge)
    }

    /// Makes a histogram of times, or finds the one of that name.
    public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        instrument(label, dimensions, .histogram)
    }

    /// Makes a histogram of values, or finds the one of that name.
    public func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        instrument(label, dimensions, aggregate ? .histogram : .gauge)
    }

    /// Keeps the counter: it may be made again.
    public func destroyCounter(_ handler: any CounterHandler) {}
    /// Keeps the gauge: it may be made again.
    public func destroyMeter(_ handler: any MeterHandler) {}
    /// Keeps the histogram: it may be made again.
    public func destroyTimer(_ handler: any TimerHandler) {}
    /// Keeps the histogram: it may be made again.
    public func destroyRecorder(_ handler: any RecorderHandler) {}

    private func instrument(_ label: String, _ dimensions: [(String, String)], _ kind: Instrument.Kind)
        -> Instrument
    {
        let pairs = dimensions.sorted { $0.0 < $1.0 }.map { "\(Self.name($0.0))=\"\(Self.escaped($0.1))\"" }
        let name = Name(label: Self.name(label), dimensions: pairs)
        return series.withLock { series in
            if let found = series[name] { return found }
            let made = Instrument(kind)
            if series.count < Self.maximumSeries { series[name] = made }
            return made
        }
    }

    /// Everything, in the Prometheus text format 0.0.4; times in seconds.
    public func text() -> String {
        let series = series.withLock { $0 }
        var text = ""
        var family: String?
        let sorted = series.sorted {
            ($0.key.label, $0.key.dimensions.joined()) < ($1.key.label, $1.key.dimensions.joined())
        }
        for (name, instrument) in sorted {
            if family != name.label {
                text += "# TYPE \(name.label) \(instrument.kind.rawValue)\n"
                family = name.label
            }
            instrument.write(name.label, name.dimensions, to: &text)
        }
        return text
    }

    /// A name that Prometheus takes.
    private static func name(_ text: String) -> String {
        String(
            decoding: text.utf8.map { $0.isURLSafe && $0 != UInt8(ascii: "-") ? $0 : UInt8(ascii: "_") },
            as: UTF8.self)
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    }
}

/// One series.
///
/// Values are whole numbers, and nanoseconds in histograms of times.
private final class Instrument: CounterHandler, MeterHandler, TimerHandler, RecorderHandler {
    enum Kind: String {
        case counter, gauge, histogram
    }

    let kind: Kind
    private let value = Atomic<Int64>(0)
    private let sum = Atomic<Int64>(0)
    private let buckets = Buckets()

    init(_ kind: Kind) { self.kind = kind }

    func increment(by amount: Int64) { value.wrappingAdd(amount, ordering: .relaxed) }
    func reset() { value.store(0, ordering: .relaxed) }

    func set(_ number: Int64) { value.store(number, ordering: .relaxed) }
    func set(_ number: Double) { set(Int64(number)) }
    func increment(by amount: Double) { increment(by: Int64(amount)) }
    func decrement(by amount: Double) { increment(by: -Int64(amount)) }

    func record(_ number: Int64) { kind == .histogram ? recordNanoseconds(number) : set(number) }
    func record(_ number: Double) { record(Int64(number)) }

    func recordNanoseconds(_ duration: Int64) {
        value.wrappingAdd(1, ordering: .relaxed)
        sum.wrappingAdd(duration, ordering: .relaxed)
        buckets.count(duration)
    }

    func write(_ label: String, _ dimensions: [String], to text: inout String) {
        guard kind == .histogram else {
            text += "\(label)\(Self.braced(dimensions)) \(value.load(ordering: .relaxed))\n"
            return
        }
        for (limit, count) in buckets.cumulative {
            text += "\(label)_bucket\(Self.braced(dimensions + ["le=\"\(limit)\""])) \(count)\n"
        }
        text += "\(label)_sum\(Self.braced(dimensions)) \(Double(sum.load(ordering: .relaxed)) / 1e9)\n"
        text += "\(label)_count\(Self.braced(dimensions)) \(value.load(ordering: .relaxed))\n"
    }

    private static func braced(_ dimensions: [String]) -> String {
        dimensions.isEmpty ? "" : "{\(dimensions.joined(separator: ","))}"
    }
}

/// Counts of durations by size.
private final class Buckets: Sendable {
    /// Upper limits in nanoseconds, and as they are written.
    private static let limits: [(Int64, String)] = [
        (100_000, "0.0001"), (250_000, "0.00025"), (500_000, "0.0005"), (1_000_000, "0.001"), (2_500_000, "0.0025"),
        (5_000_000, "0.005"), (10_000_000, "0.01"), (25_000_000, "0.025"), (50_000_000, "0.05"),
        (100_000_000, "0.1"),
        (250_000_000, "0.25"), (1_000_000_000, "1"), (5_000_000_000, "5"),
    ]
    private let counts: [Cell] = Buckets.limits.map { _ in Cell() } + [Cell()]

    private final class Cell: Sendable {
        let value = Atomic<Int64>(0)
    }

    func count(_ duration: Int64) {
        let index = Self.limits.firstIndex { duration <= $0.0 } ?? Self.limits.count
        counts[index].value.wrappingAdd(1, ordering: .relaxed)
    }

    var cumulative: [(limit: String, count: Int64)] {
        var total: Int64 = 0
        return zip(Self.limits.map(\.1) + ["+Inf"], counts).map { limit, cell in
            total += cell.value.load(ordering: .relaxed)
            return (limit, total)
        }
    }
}
#endif
