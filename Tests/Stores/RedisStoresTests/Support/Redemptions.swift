#if Redis
import EntitlementValues
import RedisStores
import Synchronization
import Testing
import TestVectors
import TokenRedemption

let noon = Timestamp(milliseconds: 1_768_480_200_000)

/// A different ID for each number.
func id(_ number: Int) -> ReplayID {
    let bytes = (0..<32).map { UInt8(truncatingIfNeeded: $0 < 8 ? number >> (8 * $0) : $0 * 7) }
    guard let id = ReplayID(digest: bytes.span) else { preconditionFailure("32 bytes are a digest") }
    return id
}

extension RedisReplayStore {
    /// A redemption for ten hours, longer than any test.
    func redeem(_ number: Int) async throws(ReplayStoreError) -> Redemption {
        try await redeem(id(number), until: noon + .hours(10), at: noon)
    }

    /// Redeems new tokens until one is answered, two minutes at most.
    ///
    /// - Parameters:
    ///   - number: The first token.
    ///   - prepare: What to do before each redemption.
    /// - Returns: The answer.
    /// - Throws: An error if none is answered.
    func answer(from number: Int, _ prepare: () -> Void = {}) async throws -> Redemption {
        var next = number
        return try await polled("an answer") {
            prepare()
            defer { next += 1 }
            return try? await redeem(next)
        }
    }

    /// Why a redemption got no answer; `nil` if it got one.
    func refusal(_ number: Int) async -> String? {
        do throws(ReplayStoreError) {
            _ = try await redeem(number)
            return nil
        } catch {
            guard case .unavailable(let reason) = error else { return "\(error)" }
            return reason
        }
    }

    /// A store on a Unix domain socket.
    init(
        socket path: String,
        timeLimit: TimeToLive = .patient,
        connectTimeLimit: TimeToLive = .patient,
        connections: Int = 2,
        maximumWaiting: Int = 10_000,
        time: TimeSource = .fixed(at: noon),
        onWarning: @escaping @Sendable (RedisWarning) -> Void = { _ in }
    ) throws {
        try self.init(
            try RedisAddress(.unixSocket(path: path)),
            settings: try RedisPoolSettings(
                connections: connections, timeLimit: timeLimit, connectTimeLimit: connectTimeLimit,
                maximumWaiting: maximumWaiting),
            time: time, onWarning: onWarning)
    }
}

extension TimeToLive {
    /// The longest limit that there is, for tests in which none is to pass.
    static let patient = TimeToLive.seconds(60)
    /// A limit of a time that a test moves: as long as it stands, nothing is late.
    ///
    /// It is short, since who waits for a server looks at the time only after so long.
    static let untilMoved = TimeToLive(milliseconds: 50)
}

extension RedisPoolSettings {
    /// Settings for tests in which no limit is to pass.
    static func patient(
        prefix: String = standard.prefix,
        connections: Int = standard.connections,
        clientName: String = standard.clientName
    ) throws -> RedisPoolSettings {
        try RedisPoolSettings(
            prefix: prefix, connections: connections, timeLimit: .patient, connectTimeLimit: .patient,
            clientName: clientName)
    }
}

/// Counts how often each token was won.
final class Tally: Sendable {
    private let state: Mutex<(wins: [Int], answers: Int, refusals: Int, hasEnded: Bool)>

    let tokens: Int

    init(tokens: Int) {
        self.tokens = tokens
        state = Mutex(([Int](repeating: 0, count: tokens), 0, 0, false))
    }

    /// How often each token was won.
    var wins: [Int] { state.withLock { $0.wins } }
    /// How many redemptions were answered.
    var answers: Int { state.withLock { $0.answers } }
    var refusals: Int { state.withLock { $0.refusals } }
    var hasEnded: Bool { state.withLock { $0.hasEnded } }

    func end() { state.withLock { $0.hasEnded = true } }

    func note(_ number: Int, _ redemption: Redemption?) {
        state.withLock { state in
            if redemption != nil { state.answers += 1 }
            switch redemption {
            case .first: state.wins[number] += 1
            case .seen: break
            case nil: state.refusals += 1
            }
        }
    }
}

extension RedisReplayStore {
    /// Redeems all tokens again and again, and once more after the end was announced.
    func redeemAll(_ tally: Tally) async {
        var isLast = false
        repeat {
            isLast = tally.hasEnded
            await withTaskGroup(of: Void.self) { group in
                for start in 0..<64 {
                    group.addTask {
                        for number in stride(from: start, to: tally.tokens, by: 64) {
                            tally.note(number, try? await redeem(number))
                        }
                    }
                }
            }
        } while !isLast
    }
}

/// Keeps the warnings that were reported.
final class Notes: Sendable {
    private let notes = Mutex<[RedisWarning]>([])

    var all: [RedisWarning] { notes.withLock { $0 } }
    func note(_ warning: RedisWarning) { notes.withLock { $0.append(warning) } }
}
#endif
