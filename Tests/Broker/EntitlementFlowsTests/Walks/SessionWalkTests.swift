#if Client
import BrokerBench
import EntitlementFlows
import Foundation
import Synchronization
import Testing
import TestVectors

@Suite("Random walks of a session beside its model")
struct SessionWalkTests {
    /// 100,000 steps in all; in a debug build 10,000, because those take minutes, unless `TVE_LONG_WALKS` is set.
    #if DEBUG
    private static let isLong = ProcessInfo.processInfo.environment["TVE_LONG_WALKS"] != nil
    #else
    private static let isLong = true
    #endif
    private static let length = isLong ? 500 : 250

    private struct Kind: CustomStringConvertible {
        let isTelevision: Bool
        let remembersProvider: Bool
        let writesDecisions: Bool
        let features: SessionWalk.Features
        /// With `TVE_WIRE`, one walk goes over HTTP; all would take long.
        let wire: Wire

        /// The kind of the walk of a seed; the numbers have no common divisor, so that all kinds meet.
        init(seed: UInt64) {
            isTelevision = seed.isMultiple(of: 3)
            remembersProvider = seed.isMultiple(of: 5)
            writesDecisions = seed.isMultiple(of: 2)
            wire = seed == 20 ? Wire.current : .call
            features =
                switch seed % 7 {
                case 1: .twoOrigins
                case 2: [.twoOrigins, .erasures]
                case 3: .temporaryAccess
                case 4: .forcedSignIns
                case 5: .erasures
                case 6: [.temporaryAccess, .forcedSignIns, .erasures]
                default: []
                }
        }

        var description: String {
            (isTelevision ? ", on a television" : "") + (remembersProvider ? ", remembering the provider" : "")
                + (writesDecisions ? ", writing decisions" : "") + features.description
        }

        func walk() async throws -> SessionWalk {
            try await SessionWalk(
                onTelevision: isTelevision, rememberingProvider: remembersProvider,
                writingDecisions: writesDecisions, with: features, over: wire)
        }
    }

    @Test(arguments: 1...(isLong ? 200 : 40))
    func `Whatever happens, a session answers, asks and tells what its model does`(seed: UInt64) async throws {
        try await Self.walk(seed, Self.length)
    }

    /// Years pass in such a walk; in a debug build months, of the one that has the most in it.
    @Test(arguments: (isLong ? [6, 13, 16] : [6]) as [UInt64])
    func `A session does so in thousands of steps at a stretch`(seed: UInt64) async throws {
        try await Self.walk(seed, Self.isLong ? 10_000 : 2_500)
    }

    @Test func `A walk whose model is wrong says at once where, and then what is enough for it`() async throws {
        let lines = Lines()
        try await withKnownIssue {
            try await Self.walk(2, Self.length, attempts: 3) { model in
                (model.hasRequestor, model.now) = (false, model.now + 1)
            }
        } matching: { issue in
            lines.add(issue.comments.map(\.rawValue).joined())
            return true
        }
        let (first, last) = (try #require(lines.all.first), try #require(lines.all.last))
        for line in [first, last] {
            #expect(line.contains("seed 2"))
            #expect(line.contains("\n    "), "no step is listed")
        }
        #expect(first.contains("step ") && !last.contains("step "))
    }

    /// The comments of issues.
    private final class Lines: Sendable {
        private let lines = Mutex<[String]>([])

        var all: [String] { lines.withLock { $0 } }
        func add(_ line: String) { lines.withLock { $0.append(line) } }
    }

    /// Goes a walk, and lists its steps if the session did not do what its model did: the last ones at once, since it may
    /// take longer than the whole test has to find out which of all are enough for it.
    ///
    /// - Parameters:
    ///   - seed: Which walk.
    ///   - length: How many steps it has at least.
    ///   - attempts: How many shorter walks are tried after a failure.
    ///   - change: Makes the model wrong, to see what is said then.
    /// - Throws: What keeps the walk from its start.
    private static func walk(
        _ seed: UInt64,
        _ length: Int,
        attempts: Int = 60,
        changing change: ((inout SessionModel) -> Void)? = nil
    ) async throws {
        var random = Noise(seed: seed)
        var steps: [WalkStep] = []
        let kind = Kind(seed: seed)
        while steps.count < length { steps += WalkStep.random(&random, with: kind.features) }
        let walk = try await kind.walk()
        if let change { walk.spoil(change) }
        for (index, step) in steps.enumerated() {
            do {
                try await walk.take(step)
            } catch {
                let done = Array(steps[...index])
                Issue.record("seed \(seed)\(kind), step \(index): \(error)\n\(list(done.suffix(50)))")
                let short = await Self.shortened(done, kind, attempts: attempts, changing: change)
                Issue.record("seed \(seed)\(kind):\n\(list(short.steps[...]))\n\(short.error ?? error)")
                return
            }
        }
        // A walk that permits nothing or signs nobody in proves nothing.
        #expect(walk.signIns > 0 && walk.permits > 0)
    }

    private static func list(_ steps: ArraySlice<WalkStep>) -> String {
        steps.map { "    \($0)".replacing(/EntitlementFlow\w*\.\w+\./, with: ".") }.joined(separator: "\n")
    }

    /// Leaves out what the failure does not need: halves first, single steps at the end, as far as the attempts go.
    private static func shortened(
        _ steps: [WalkStep],
        _ kind: Kind,
        attempts limit: Int,
        changing change: ((inout SessionModel) -> Void)?
    ) async -> (steps: [WalkStep], error: (any Error)?) {
        var (steps, found) = (steps, nil as (any Error)?)
        var size = steps.count / 2
        var attempts = 0
        while size > 0 {
            var start = 0
            while start < steps.count, attempts < limit {
                attempts += 1
                let rest = Array(steps[..<start] + steps[min(start + size, steps.count)...])
                if let error = await failure(of: rest, kind, changing: change) {
                    (steps, found) = (rest, error)
                } else {
                    start += size
                }
            }
            size /= 2
        }
        return (steps, found)
    }

    private static func failure(
        of steps: [WalkStep],
        _ kind: Kind,
        changing change: ((inout SessionModel) -> Void)?
    ) async -> (any Error)? {
        do {
            let walk = try await kind.walk()
            if let change { walk.spoil(change) }
            // What fails has failed with more patience before.
            walk.patience = .seconds(2)
            for step in steps { try await walk.take(step) }
            return nil
        } catch {
            return error
        }
    }
}
#endif
