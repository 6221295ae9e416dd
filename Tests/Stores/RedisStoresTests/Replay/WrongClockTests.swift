#if Redis
import EntitlementValues
import RedisStores
import Synchronization
import TVETesting
import TestVectors
import Testing
import TokenRedemption

/// Hosts whose clocks are wrong, and a server that they share, whose clock runs evenly.
@Suite(.onOwnThreads)
struct WrongClockTests {
    /// What the server knows.
    private final class Memory: Sendable {
        let time = ManualTime(at: noon)
        private let ends = Mutex<[String: Timestamp]>([:])

        /// Whether the key was not there.
        func set(_ key: String, for lifetime: TimeToLive) -> Bool {
            let now = time.now
            return ends.withLock { ends in
                if let end = ends[key], now <= end { return false }
                ends[key] = now + lifetime
                return true
            }
        }
    }

    /// A token, issued by a clock that is right.
    private struct Token: Sendable {
        let issued: Timestamp
        let expires: Timestamp
    }

    private static func store(on server: FakeServer, at time: ManualTime) throws -> RedisReplayStore {
        try RedisReplayStore(
            socket: server.path, timeLimit: .untilMoved, connectTimeLimit: .untilMoved, connections: 1,
            time: time.source)
    }

    /// However far the clocks leap ahead, and whenever processes are restarted; one walk after the other, for the sockets.
    @Test(.serialized, arguments: 0..<10)
    func `No token passes twice while no clock is late by more than a quarter of an hour`(_ seed: Int) async throws {
        var random = Noise(seed: UInt64(seed))
        let memory = Memory()
        let server = try FakeServer(redemptions: { command in
            guard command.count == 6, let milliseconds = Int64(command[5]) else { return .end("") }
            let isNew = memory.set(command[1], for: TimeToLive(milliseconds: milliseconds))
            return .say(isNew ? "+OK\r\n" : "$-1\r\n")
        })
        defer { server.stop() }
        let clocks = (0..<3).map { _ in ManualTime(at: noon) }
        var stores = try clocks.map { try Self.store(on: server, at: $0) }
        var tokens: [Token] = []
        var passed: Set<Int> = []
        var answers: Set<String> = []
        for _ in 0..<4000 {
            let host = Int(random.next() % 3)
            let clock = clocks[host]
            switch random.next() % 100 {
            case 0..<3: clock.set(memory.time.now - .minutes(Int64(random.next() % 4) * 5))
            case 3..<7: clock.set(memory.time.now + .minutes(Int64(random.next() % 10)))
            case 7..<9: clock.set(memory.time.now + .hours(1 + Int64(random.next() % 48)))
            case 9..<12: stores[host] = try Self.store(on: server, at: clock)
            default: break
            }
            let passes: TimeToLive = random.next() % 200 == 0 ? .hours(3) : .seconds(Int64(random.next() % 60))
            for time in clocks + [memory.time] { time.advance(by: passes) }
            if tokens.isEmpty || random.next() % 4 == 0 {
                let lifetime = TimeToLive.minutes([1, 7, 60, 1440][Int(random.next() % 4)])
                tokens.append(Token(issued: memory.time.now, expires: memory.time.now + lifetime))
            }
            let number = tokens.count - 1 - Int(random.next() % UInt64(min(tokens.count, 40)))
            let (token, now) = (tokens[number], clock.now)
            // As the verifier does.
            guard now >= token.issued - .minutes(1), now <= token.expires else { continue }
            do throws(ReplayStoreError) {
                let answer = try await stores[host].redeem(
                    id(number), until: token.expires + .minutes(15), at: min(now, token.issued))
                answers.insert("\(answer)")
                if answer == .first {
                    #expect(passed.insert(number).inserted, "seed \(seed): token \(number)")
                }
            } catch {
                guard case .forgotten = error else { throw error }
                answers.insert("forgotten")
            }
        }
        // The test would prove nothing if one of the answers never came.
        #expect(answers == ["first", "seen", "forgotten"], "seed \(seed)")
    }
}
#endif
