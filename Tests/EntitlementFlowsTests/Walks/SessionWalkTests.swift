#if Client
import BrokerBench
import EntitlementFlows
import Foundation
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

        /// The kind of the walk of a seed; the numbers have no common divisor, so that all kinds meet.
        init(seed: UInt64) {
            isTelevision = seed.isMultiple(of: 3)
            remembersProvider = seed.isMultiple(of: 5)
            writesDecisions = seed.isMultiple(of: 2)
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
                writingDecisions: writesDecisions, with: features)
        }
    }

    @Test(arguments: 1...(isLong ? 200 : 40))
    func `Whatever happens, a session answers, asks and tells what its model does`(seed: UInt64) async throws {
        try await Self.walk(seed, Self.length)
    }

    /// Years pass in such a walk.
    @Test(.enabled(if: isLong, "it takes a minute or more; set TVE_LONG_WALKS"), arguments: [6, 13, 16] as [UInt64])
    func `A session does so in 10,000 steps at a stretch`(seed: UInt64) async throws {
        try await Self.walk(seed, 10_000)
    }

    /// Goes a walk, and lists its steps if the session did not do what its model did.
    private static func walk(_ seed: UInt64, _ length: Int) async throws {
        var random = Noise(seed: seed)
        var steps: [WalkStep] = []
        let kind = Kind(seed: seed)
        while steps.count < length { steps += WalkStep.random(&random, with: kind.features) }
        let walk = try await kind.walk()
        for (index, step) in steps.enumerated() {
            do {
                try await walk.take(step)
            } catch {
                let short = await Self.shortened(Array(steps[...index]), kind)
                let list = short.steps.map { "    \($0)".replacing(/EntitlementFlow\w*\.\w+\./, with: ".") }
                    .joined(separator: "\n")
                Issue.record(
                    "seed \(seed)\(kind):\n\(list)\n\(short.error ?? error)")
                return
            }
        }
        // A walk that permits nothing or signs nobody in proves nothing.
        #expect(walk.signIns > 0 && walk.permits > 0)
    }

    /// Leaves out what the failure does not need: halves first, single steps at the end, as far as 60 attempts go.
    private static func shortened(
        _ steps: [WalkStep],
        _ kind: Kind
    ) async -> (steps: [WalkStep], error: (any Error)?) {
        var (steps, found) = (steps, nil as (any Error)?)
        var size = steps.count / 2
        var attempts = 0
        while size > 0 {
            var start = 0
            while start < steps.count, attempts < 60 {
                attempts += 1
                let rest = Array(steps[..<start] + steps[min(start + size, steps.count)...])
                if let error = await failure(of: rest, kind) {
                    (steps, found) = (rest, error)
                } else {
                    start += size
                }
            }
            size /= 2
        }
        return (steps, found)
    }

    private static func failure(of steps: [WalkStep], _ kind: Kind) async -> (any Error)? {
        do {
            let walk = try await kind.walk()
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
