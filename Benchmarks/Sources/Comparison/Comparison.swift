// Times all workloads in turns, and writes the result as JSON.
//
//     Comparison [--rounds N] [--only NAME]… [--java VerifyToken.java]

import Foundation
import Workloads

@main
enum Comparison {
    static func main() async throws {
        let options = try Options(CommandLine.arguments.dropFirst())
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("comparison-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        // Not on the main thread: from there, jwt-kit's actor would change threads twice for each token.
        let series = try await Task.detached { try await compare(options, folder) }.value
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let results = Results(cores: processorCount, rounds: options.rounds, operations: results(of: series))
        try FileHandle.standardOutput.write(contentsOf: encoder.encode(results) + Data("\n".utf8))
    }

    private static func compare(_ options: Options, _ folder: URL) async throws -> [Series] {
        var contenders: [any Contender] = try Workload.all().filter {
            options.names.isEmpty || options.names.contains($0.name)
        }
        guard let floor = contenders.first(where: { $0.name.hasSuffix("EVP_PKEY_verify, 2048 bits") }) else {
            throw UsageError.unknownName
        }
        if let source = options.java {
            contenders.append(try await JavaVerifier(source: source, folder: folder, floor: floor.name))
        }
        return try await race(contenders, rounds: options.rounds)
    }

    private static func results(of series: [Series]) -> [Results.Operation] {
        series.map { one in
            let sorted = one.processor.sorted()
            let floor = series.first { $0.name == one.floor }
            return Results.Operation(
                name: one.name,
                isLong: one.isLong,
                microseconds: sorted.part(0.5),
                p10: sorted.part(0.1),
                p90: sorted.part(0.9),
                clockMicroseconds: one.clock.sorted().part(0.5),
                floor: floor?.name,
                // Compared round by round, because what slowed one of them slowed the other, too.
                ratioToFloor: floor.map { floor in
                    zip(one.processor, floor.processor).map { $0 / $1 }.sorted().part(0.5)
                }
            )
        }
    }
}

private struct Results: Encodable {
    let cores: Int
    let rounds: Int
    let operations: [Operation]

    /// Microseconds of processor time, except `clockMicroseconds`.
    struct Operation: Encodable {
        let name: String
        let isLong: Bool
        let microseconds: Double
        let p10: Double
        let p90: Double
        let clockMicroseconds: Double
        let floor: String?
        let ratioToFloor: Double?
    }
}

private struct Options {
    var rounds = 41
    var names: [String] = []
    var java: String?

    init(_ arguments: some Sequence<String>) throws {
        var rest = arguments.makeIterator()
        while let option = rest.next() {
            guard let value = rest.next() else { throw UsageError.missingValue(option) }
            switch option {
            case "--rounds":
                guard let number = Int(value), number > 0 else { throw UsageError.missingValue(option) }
                rounds = number
            case "--only": names.append(value)
            case "--java": java = value
            default: throw UsageError.unknownOption(option)
            }
        }
    }
}

private enum UsageError: Error {
    case missingValue(String)
    case unknownOption(String)
    /// `--only` left out the floor for 2048 bits, which is needed.
    case unknownName
}

extension [Double] {
    /// Returns the quantile of sorted numbers: 0.5 gives the median.
    fileprivate func part(_ part: Double) -> Double { self[Int(Double(count - 1) * part)] }
}
