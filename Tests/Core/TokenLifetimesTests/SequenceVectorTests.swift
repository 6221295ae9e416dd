import EntitlementKeys
import EntitlementValues
import MediaTokens
import Synchronization
import TVETesting
import TestVectors
import Testing
import TokenLifetimes

/// Every sequence of events and questions, with the answers of another implementation.
@Suite struct SequenceVectorTests {
    static let file = Result { try VectorFile<SequenceGroup>.named("token_lifetimes/sequences.json") }

    @Test func `File holds as many tests as it says`() throws {
        let file = try Self.file.get()
        #expect(file.testGroups.map(\.tests.count).reduce(0, +) == file.numberOfTests)
        #expect(file.numberOfTests >= 300)
    }

    /// Bodies of responses are tested with another module.
    static let cases = ((try? file.get())?.testGroups.flatMap(\.tests) ?? []).filter { test in
        !test.steps.contains { $0.event == "record_body" }
    }

    @Test(arguments: cases)
    func `Answers are the stated ones`(_ test: SequenceTest) throws {
        var run = try SequenceRun(test)
        for (index, step) in test.steps.enumerated() {
            let isEvent = step.event != nil
            let difference = try isEvent ? run.apply(step) : run.ask(step)
            #expect(difference == nil, "step \(index): \(step.event ?? step.ask ?? "")")
        }
    }
}

/// A ledger that is led through one sequence.
struct SequenceRun {
    private final class Reports: Sendable {
        let all = Mutex<[LedgerReport]>([])

        func note(_ report: LedgerReport) { all.withLock { $0.append(report) } }
        func takeAll() -> [LedgerReport] {
            all.withLock { reports in
                defer { reports = [] }
                return reports
            }
        }
    }

    private let time: ManualTime
    private let reports = Reports()
    private let policy: LedgerPolicy
    private var ledger: EntitlementLedger

    init(_ test: SequenceTest) throws {
        policy = try LedgerPolicy(
            refreshMargin: TimeToLive(milliseconds: test.refreshMargin),
            clockMargin: TimeToLive(milliseconds: test.clockMargin)
        )
        time = ManualTime(at: Timestamp(milliseconds: test.at))
        ledger = EntitlementLedger(policy: policy, time: time.source, report: reports.note)
        _ = ledger.count
    }

    // MARK: Events

    /// What differs from the vector; `nil` if nothing does.
    mutating func apply(_ step: SequenceStep) throws -> String? {
        var code: String?
        do {
            try tell(step)
        } catch let error as LedgerError {
            code = error.code
        } catch let error as EntitlementTokenError {
            code = error.code
        }
        if code != step.expectedError { return "\(code ?? "no error")" }
        let told = reports.takeAll()
        if let expected = step.reports {
            let codes = Set(told.map(\.code)).intersection([
                "clock_jumped_back", "not_milliseconds", "ends_before_it_begins",
            ])
            if codes != Set(expected) { return "reported \(codes)" }
        }
        guard let distance = step.by else { return nil }
        let isTold = told.contains { report in
            guard case .clockJumpedBack(let from, let to) = report else { return false }
            return from.since(to).milliseconds == distance
        }
        return isTold ? nil : "reported \(told)"
    }

    private mutating func tell(_ step: SequenceStep) throws {
        switch step.event {
        case "clock":
            time.set(Timestamp(milliseconds: try step.at.required))
            _ = ledger.count
        case "record_authentication", "record_authorization":
            let period = EntitlementPeriod(
                notBefore: step.notBefore.map { Timestamp(milliseconds: $0) },
                notAfter: step.expires.map { Timestamp(milliseconds: $0) }
            )
            try ledger.record(
                step.entitlement,
                period,
                issuer: step.issuer.map { MVPDID($0) },
                device: step.device.map { DeviceID($0) }
            )
        case "record_token":
            let keys = try VerificationKeys(contentsOf: try step.keys.required.map(Vectors.key))
            try ledger.record(try EntitlementTokenVerifier(keys: keys).verify(try step.token.required))
        case "logout":
            let mvpd = step.mvpd.map { MVPDID($0) }
            ledger.logOut(step.scope == "all" ? .everything : .mvpd(try mvpd.required))
        case "cancel": ledger.cancelSelection(for: step.requestorID)
        case "select_mvpd": try ledger.select(MVPDID(try step.mvpd.required), for: step.requestorID)
        case "device_changed": try ledger.bind(to: DeviceID(try step.device.required))
        case "server_answered": ledger.invalidate(step.entitlement, serverStatus: try step.status.required)
        case "allowed_issuers":
            ledger.allow(issuers: step.issuers.map { Set($0.map { MVPDID($0) }) }, for: step.requestorID)
        case "sweep":
            let swept = Set(ledger.sweep().map(\.entitlement))
            try #require(swept == Set(try step.swept.required.map(\.entitlement)), "swept")
        case "snapshot":
            let text = ledger.snapshot
            ledger = try EntitlementLedger(snapshot: text, policy: policy, time: time.source, report: reports.note)
            try #require(ledger.snapshot == text, "a snapshot of a snapshot is the same")
        default:
            throw UnknownStep()
        }
    }

    // MARK: Questions

    /// The answer that differs from the vector; `nil` if none does.
    func ask(_ step: SequenceStep) throws -> String? {
        let answer = try step.answer.required
        switch (step.ask, answer) {
        case ("authentication", .status(let expected)), ("authorization", .status(let expected)):
            return expected.difference(from: ledger.status(of: step.entitlement), at: time.now)
        case ("authentication_expiry", _), ("authorization_expiry", _):
            return difference(ledger.expiry(of: step.entitlement), answer)
        case ("next_expiry", _):
            return difference(ledger.nextExpiry, answer)
        case ("device", _):
            return difference(ledger.device?.rawValue, answer)
        case ("selected_mvpd", _):
            return difference(ledger.selection(for: step.requestorID)?.rawValue, answer)
        case ("expired", .entries(let expected)):
            let expired = Set(ledger.expired.map(\.entitlement))
            return expired == Set(expected.map(\.entitlement)) ? nil : "\(expired)"
        default:
            throw UnknownStep()
        }
    }

    private func difference(_ instant: Timestamp?, _ answer: SequenceAnswer) -> String? {
        switch (instant?.milliseconds, answer) {
        case (nil, .nothing): nil
        case (let own?, .instant(let stated)) where own == stated: nil
        default: "\(instant?.description ?? "none")"
        }
    }

    private func difference(_ text: String?, _ answer: SequenceAnswer) -> String? {
        switch (text, answer) {
        case (nil, .nothing): nil
        case (let own?, .text(let stated)) where own.utf8.elementsEqual(stated.utf8): nil
        default: "\(text ?? "none")"
        }
    }
}

struct UnknownStep: Error {}

extension Optional {
    /// A member that the step must have.
    fileprivate var required: Wrapped {
        get throws {
            guard let self else { throw UnknownStep() }
            return self
        }
    }
}

extension StatedStatus {
    fileprivate func difference(from own: EntitlementStatus, at now: Timestamp) -> String? {
        guard own.code == status else { return "\(own)" }
        let (length, end): (Int64?, Int64?) =
            switch own {
            case .valid(let rest), .expiring(let rest), .notYetValid(let rest):
                (rest.milliseconds, (now + rest).milliseconds)
            case .expired(let since):
                (now < since ? nil : now.since(since).milliseconds, since.milliseconds)
            case .unknown: (nil, nil)
            }
        if let ms, ms != length { return "\(own)" }
        // A length that was cut to what is representable does not lead to an instant.
        if let instant, instant != end, length != .max { return "\(own)" }
        return nil
    }
}
