#if Service
public import CoreMetrics
import EntitlementValues
import Synchronization
import TextCodecs

/// Keeps metrics in memory and writes them as Prometheus text.
///
/// At most 4000 series are kept. Instruments made after that work, but do not appear in the text.
public final class MetricsRegistry: MetricsFactory {
    private struct Name: Hashable {
        let label: String
        let dimensions: [String]
    }

    private let series = Mutex<[Name: Instrument]>([:])
    /// What families measure, by their names.
    private let descriptions = Mutex<[String: String]>([:])
    private static let maximumSeries = 4000

    /// Makes an empty registry.
    public init() {}

    /// Returns the counter with a label and dimensions, and makes it if there is none.
    ///
    /// - Parameters:
    ///   - label: The name of the series.
    ///   - dimensions: The names and values of its labels.
    /// - Returns: The instrument.
    public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        instrument(.counter, label: label, dimensions: dimensions)
    }

    /// Returns the gauge with a label and dimensions, and makes it if there is none.
    ///
    /// - Parameters:
    ///   - label: The name of the series.
    ///   - dimensions: The names and values of its labels.
    /// - Returns: The instrument.
    public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        instrument(.gauge, label: label, dimensions: dimensions)
    }

    /// Returns the histogram of durations with a label and dimensions, and makes it if there is none.
    ///
    /// - Parameters:
    ///   - label: The name of the series.
    ///   - dimensions: The names and values of its labels.
    /// - Returns: The instrument.
    public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        instrument(.histogram, label: label, dimensions: dimensions)
    }

    /// Returns the histogram, or gauge, of values with a label and dimensions, and makes it if there is none.
    ///
    /// - Parameters:
    ///   - label: The name of the series.
    ///   - dimensions: The names and values of its labels.
    ///   - aggregate: Whether values are collected in a histogram; else the last value is kept, as in a gauge.
    /// - Returns: The instrument.
    public func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        instrument(aggregate ? .histogram : .gauge, label: label, dimensions: dimensions)
    }

    /// Does nothing: the counter keeps its count, in case it is asked for again.
    public func destroyCounter(_ handler: any CounterHandler) {}
    /// Does nothing: the gauge keeps its value, in case it is asked for again.
    public func destroyMeter(_ handler: any MeterHandler) {}
    /// Does nothing: the histogram keeps its counts, in case it is asked for again.
    public func destroyTimer(_ handler: any TimerHandler) {}
    /// Does nothing: the histogram keeps its counts, in case it is asked for again.
    public func destroyRecorder(_ handler: any RecorderHandler) {}

    /// Says what a family of series measures; the text shows it as `# HELP`.
    ///
    /// - Parameters:
    ///   - label: The name of the series.
    ///   - text: What they measure, in one line.
    public func describe(_ label: String, as text: String) {
        descriptions.withLock { $0[Self.name(label)] = text }
    }

    private func instrument(
        _ kind: Instrument.Kind,
        label: String,
        dimensions: [(String, String)]
    ) -> Instrument {
        let pairs = dimensions.sorted { $0.0 < $1.0 }.map { "\(Self.name($0.0))=\"\(Self.escaped($0.1))\"" }
        let name = Name(label: Self.name(label), dimensions: pairs)
        return series.withLock { series in
            if let found = series[name] { return found }
            let made = Instrument(kind)
            if series.count < Self.maximumSeries { series[name] = made }
            return made
        }
    }

    /// All series in the Prometheus text format 0.0.4, with durations in seconds.
    public func text() -> String {
        let series = series.withLock { $0 }
        let descriptions = descriptions.withLock { $0 }
        var text = ""
        var family: String?
        let sorted = series.sorted {
            ($0.key.label, $0.key.dimensions.joined()) < ($1.key.label, $1.key.dimensions.joined())
        }
        for (name, instrument) in sorted {
            if family != name.label {
                if let description = descriptions[name.label] {
                    text += "# HELP \(name.label) \(Self.escaped(description, inHelp: true))\n"
                }
                text += "# TYPE \(name.label) \(instrument.kind.rawValue)\n"
                family = name.label
            }
            instrument.write(label: name.label, dimensions: name.dimensions, to: &text)
        }
        return text
    }

    /// A valid Prometheus name, with other characters replaced by `_`.
    private static func name(_ text: String) -> String {
        String(
            decoding: text.utf8.map { $0.isURLSafe && $0 != UInt8(ascii: "-") ? $0 : UInt8(ascii: "_") },
            as: UTF8.self)
    }

    /// Escapes the value of a label, or a description, in which quotation marks stay as they are.
    static func escaped(_ text: String, inHelp: Bool = false) -> String {
        let text = text.replacing("\\", with: "\\\\").replacing("\n", with: "\\n")
        return inHelp ? text : text.replacing("\"", with: "\\\"")
    }
}

/// One series: a counter, a gauge or a histogram.
///
/// Values are whole numbers; in histograms of durations they are nanoseconds.
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

    func write(label: String, dimensions: [String], to text: inout String) {
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

/// Counts durations by their length.
private final class Buckets: Sendable {
    /// The upper limits of the buckets, in nanoseconds, and in seconds as they are written.
    private static let limits: [(Int64, String)] = [
        (100_000, "0.0001"), (250_000, "0.00025"), (500_000, "0.0005"), (1_000_000, "0.001"), (2_500_000, "0.0025"),
        (5_000_000, "0.005"), (10_000_000, "0.01"), (25_000_000, "0.025"), (50_000_000, "0.05"),
        (100_000_000, "0.1"), (250_000_000, "0.25"),
        // Just above the default time limit of the store, so that what reached it is told from what nearly did.
        (300_000_000, "0.3"), (500_000_000, "0.5"), (1_000_000_000, "1"),
        // Just above the time limit of connecting.
        (2_000_000_000, "2"), (2_500_000_000, "2.5"), (5_000_000_000, "5"),
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
