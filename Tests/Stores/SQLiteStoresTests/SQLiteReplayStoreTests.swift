import EntitlementKeys
import EntitlementValues
import Foundation
import MediaTokens
import SQLiteStores
import Synchronization
import TVETesting
import TestVectors
import Testing
import TokenRedemption

@Suite struct SQLiteReplayStoreTests {
    static let now = Timestamp(milliseconds: 1_768_498_200_000)
    static let end = now + .minutes(22)

    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("used.sqlite")
    }

    private func store(_ time: TimeSource = .fixed(at: now)) throws -> SQLiteReplayStore {
        try SQLiteReplayStore(path: path, patience: .seconds(60), time: time)
    }

    private func redeem(
        _ store: SQLiteReplayStore,
        _ number: Int,
        until end: Timestamp = end,
        at now: Timestamp = now
    ) async throws -> Redemption {
        try await store.redeem(.numbered(number), until: end, at: now)
    }

    // MARK: Probes

    /// Otherwise a file that dropped its redemptions at the wrong time would refuse good tokens as forgotten.
    @Test func `Probes of a clock that leaps forget nothing`() async throws {
        let time = ManualTime(at: Self.now)
        #expect(try await redeem(try store(time.source), 1) == .first)
        // A store that is opened during a leap believes it.
        time.set(Self.now + .hours(24))
        let store = try store(time.source)
        for leap in [TimeToLive.hours(24), .zero, .hours(24), .zero] {
            time.set(Self.now + leap)
            for _ in 0..<20 { try await store.probe() }
        }
        #expect(try await redeem(store, 1) == .seen)
        #expect(try await redeem(store, 2) == .first)
    }

    /// A store that was opened while the clock is wrong does forget, and then a probe says what is true: the file can be
    /// written.
    @Test func `A probe is not judged by what was forgotten`() async throws {
        let time = ManualTime(at: Self.now)
        #expect(try await redeem(try store(time.source), 1) == .first)
        time.set(Self.now + .hours(24))
        let store = try store(time.source)
        #expect(try await redeem(store, 2, until: Self.end + .hours(24), at: time.now) == .first)
        time.set(Self.now)
        await #expect(throws: ReplayStoreError.self) { try await redeem(store, 3) }
        try await store.probe()
    }

    @Test func `A probe of a file that was moved fails`() async throws {
        let store = try store()
        try await store.probe()
        try FileManager.default.moveItem(atPath: path, toPath: path + ".moved")
        await #expect(throws: ReplayStoreError.self) { try await store.probe() }
    }

    // MARK: One-time use

    @Test func `A token passes once for all who open the file`() async throws {
        let key = try SigningKey(contentsOfFile: Vectors.key("test-only-issuer-2048.pkcs8.pem"))
        let issuer = TestMediaTokenIssuer(key: key)
        let token = try issuer.issueText(TestTokenClaims(requestor: "REF30", resource: "A", issued: Self.now))
        let verifier = MediaTokenVerifier(keys: try issuer.verificationKeys)
        let expectations = TokenExpectations(requestor: "REF30", resource: "A")
        var codes: [String] = []
        for _ in 0..<2 {
            let verdict = await verifier.verdict(
                on: token, expecting: expectations, at: Self.now, redeemingIn: try store())
            codes.append(verdict.code)
        }
        #expect(codes == ["valid", "replayed"])
    }

    @Test(arguments: [false, true])
    func `What was redeemed is known when the file is opened again`(_ survivesPowerLoss: Bool) async throws {
        for expected in [Redemption.first, .seen] {
            let store = try SQLiteReplayStore(
                path: path, survivesPowerLoss: survivesPowerLoss, time: .fixed(at: Self.now))
            for number in 0..<50 { #expect(try await redeem(store, number) == expected) }
        }
    }

    /// Eight tasks present the same IDs to two stores on one file, each in another order.
    @Test func `Of many tasks exactly one is the first`() async throws {
        let count = 2000
        let stores = [try store(), try store()]
        let first = await withTaskGroup(of: [Int].self) { group in
            for task in 0..<8 {
                group.addTask {
                    var first: [Int] = []
                    for turn in 0..<count {
                        let number = (turn * (task % 2 == 0 ? 1 : count - 1) + task * 3) % count
                        let answer = try? await redeem(stores[task % 2], number)
                        if answer == .first { first.append(number) }
                    }
                    return first
                }
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
        #expect(first.sorted() == Array(0..<count))
    }

    @Test func `Equal redemptions of one moment have one winner`() async throws {
        let store = try store()
        let answers = await withTaskGroup(of: Redemption?.self) { group in
            for _ in 0..<500 { group.addTask { try? await redeem(store, 7) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.count { $0 == .first } == 1)
        #expect(answers.count { $0 == .seen } == 499)
    }

    // MARK: Clocks

    @Test func `Redemptions that are over are dropped`() async throws {
        let time = ManualTime(at: Self.now)
        let store = try store(time.source)
        for number in 0..<200 { _ = try await redeem(store, number) }
        time.advance(by: .minutes(30))
        for number in 200..<300 { _ = try await redeem(store, number, until: time.now + .minutes(22), at: time.now) }
        // All of the first ones are dropped by now, and unknown IDs that ended with them are refused.
        await #expect(throws: ReplayStoreError.forgotten(until: Self.end, forgottenThrough: Self.end)) {
            try await redeem(store, 1000)
        }
        let reopened = try self.store(time.source)
        await #expect(throws: ReplayStoreError.forgotten(until: Self.end, forgottenThrough: Self.end)) {
            try await redeem(reopened, 0)
        }
        #expect(try await redeem(reopened, 299, until: time.now + .minutes(22), at: time.now) == .seen)
    }

    @Test func `A clock that goes back an hour between redemption and sweep forgets nothing`() async throws {
        let time = ManualTime(at: Self.now)
        let store = try store(time.source)
        for number in 0..<100 { _ = try await redeem(store, number) }
        time.set(Self.now - .hours(1))
        for number in 100..<200 { _ = try await redeem(store, number, until: time.now + .minutes(22), at: time.now) }
        time.advance(by: .minutes(21))
        for number in 0..<100 { #expect(try await redeem(store, number, at: time.now) == .seen) }
    }

    /// Otherwise one redemption while the clock is wrong would have every first play refused until the time has caught
    /// up.
    @Test func `A clock that leaps ahead and back has nothing refused`() async throws {
        let time = ManualTime(at: Self.now)
        let store = try store(time.source)
        for number in 0..<100 { #expect(try await redeem(store, number) == .first) }
        time.set(Self.now + .hours(24))
        for number in 100..<300 {
            #expect(try await redeem(store, number, until: time.now + .minutes(22), at: time.now) == .first)
        }
        time.set(Self.now)
        for number in 300..<400 { #expect(try await redeem(store, number) == .first) }
        for number in 0..<400 { #expect(try await redeem(store, number) == .seen) }
    }

    /// After hours the store believes the clock and drops what has ended by it, and knows that it did.
    @Test func `A leap that lasts for hours lets nothing pass twice`() async throws {
        let time = ManualTime(at: Self.now)
        let store = try store(time.source)
        for number in 0..<100 { #expect(try await redeem(store, number) == .first) }
        time.set(Self.now + .hours(24))
        for number in 100..<300 {
            _ = try await redeem(store, number, until: time.now + .minutes(22), at: time.now)
            time.advance(by: .minutes(2))
        }
        time.set(Self.now)
        for number in 0..<100 {
            await #expect(throws: ReplayStoreError.self) { try await redeem(store, number) }
        }
        await #expect(throws: ReplayStoreError.self) { try await redeem(store, 100, until: Self.end + .hours(24)) }
    }

    @Test(arguments: 0..<4)
    func `Nothing passes twice whatever the clocks do`(_ seed: Int) async throws {
        var random = Noise(seed: UInt64(seed))
        let time = ManualTime(at: Self.now)
        let store = try store(time.source)
        var passed: Set<Int> = []
        var answers: Set<String> = []
        for _ in 0..<1500 {
            switch random.next() % 100 {
            case 0..<3: time.set(time.now + .hours(Int64(random.next() % 3)) - .hours(1))
            case 4: time.set(Self.now)
            default: time.advance(by: .seconds(Int64(random.next() % 60)))
            }
            let number = Int(random.next() % 300)
            let until = Self.now + .seconds(Int64(number * 7919 % 300) * (number % 5 == 0 ? -3600 : 300))
            let now = random.next() % 4 == 0 ? until - .minutes(10) : time.now
            do throws(ReplayStoreError) {
                let answer = try await store.redeem(.numbered(number), until: until, at: now)
                answers.insert("\(answer)")
                if answer == .first { #expect(passed.insert(number).inserted) }
            } catch {
                if case .forgotten = error { answers.insert("forgotten") }
            }
        }
        #expect(answers == ["first", "seen", "forgotten"])
    }

    @Test(arguments: [Int64.min, -1, 0, 1, .max])
    func `Any instant is answered`(_ milliseconds: Int64) async throws {
        let instant = Timestamp(milliseconds: milliseconds)
        for clock in [Timestamp(milliseconds: .min), Timestamp(milliseconds: .max)] {
            let store = try SQLiteReplayStore(path: folder.path(UUID().uuidString), time: .fixed(at: clock))
            #expect(try await redeem(store, 1, until: instant) == .first)
            _ = try? await redeem(store, 1, until: instant)
        }
    }

    // MARK: Processes

    /// Four processes present the same tokens, each in another order; one of them is killed on the way.
    @Test(arguments: [false, true])
    func `Of four processes exactly one is the first`(_ isOneKilled: Bool) async throws {
        let count = isOneKilled ? 2048 : 10_000
        let redeemers = try [1, 3, 7, 9].map { step in
            try Redeemer(path, folder, first: step * 1001, count: count, step: step, atOnce: 32)
        }
        if isOneKilled {
            try await redeemers[0].process.waitForAnswers()
            redeemers[0].process.kill()
        }
        var winners = [Int](repeating: 0, count: count)
        for redeemer in redeemers {
            for (number, answer) in try await redeemer.answers() {
                if answer == "first" { winners[number] += 1 }
                #expect(answer == "first" || answer == "seen")
            }
        }
        #expect(winners.allSatisfy { $0 <= 1 })
        // If the killed process won a token and could not report it, the token has no known winner.
        let unknown = winners.count { $0 == 0 }
        #expect(unknown <= (isOneKilled ? 32 : 0))
    }

    @Test func `A process killed at any point loses no redemption that it answered`() async throws {
        var kills = Kills(usually: 100)
        let count = 1 << 16
        var first: Set<Int> = []
        for run in 0..<kills.count {
            let redeemer = try Redeemer(path, folder, first: run * 331, count: count, atOnce: 8)
            try await kills.kill(redeemer.process, inRun: run)
            let answers = try await redeemer.answers()
            if kills.isAfterAnswers(run: run) { #expect(!answers.isEmpty) }
            for (number, answer) in answers {
                #expect(answer == "first" || answer == "seen", "\(number) \(answer)")
                if answer == "first" { #expect(first.insert(number).inserted, "\(number) passed twice") }
            }
        }
        #expect(!first.isEmpty)
        let store = try store(.system)
        for number in first.sorted() {
            #expect(try await redeem(store, number, until: .now + .minutes(22), at: .now) == .seen)
        }
    }

    @Test func `A fork needs a store of its own`() async throws {
        let answers = try await Redeemer(forkingOn: path, folder).answers()
        #expect(answers.map(\.number) == [1, 2])
        #expect(answers.first?.answer == "first")
        #expect(answers.last?.answer.contains("forked") == true)
    }

    @Test func `A full disk refuses and forgets nothing`() async throws {
        let answers = try await Redeemer(path, folder, count: 1200, atOnce: 4, limit: 200).answers()
        let first = answers.filter { $0.answer == "first" }.map(\.number)
        let refused = answers.filter { $0.answer.hasPrefix("unavailable") }
        #expect(!first.isEmpty)
        #expect(!refused.isEmpty)
        #expect(first.count + refused.count == 1200)
        #expect(refused.allSatisfy { $0.answer.contains("did not answer") })
        let store = try store(.system)
        for number in first {
            #expect(try await redeem(store, number, until: .now + .minutes(22), at: .now) == .seen)
        }
        #expect(try await redeem(store, 5000, until: .now + .minutes(22), at: .now) == .first)
    }
}
