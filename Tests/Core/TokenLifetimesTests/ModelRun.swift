import EntitlementValues
import Synchronization
import TestVectors
import TVETesting
import TokenLifetimes

/// One random sequence of events, for a ledger and for the model.
struct ModelRun {
    private final class Jumps: Sendable {
        let distances = Mutex<[Int64]>([])

        func note(_ report: LedgerReport) {
            guard case .clockJumpedBack(let from, let to) = report else { return }
            distances.withLock { $0.append(from.since(to).milliseconds) }
        }
    }

    private let time: ManualTime
    private let jumps = Jumps()
    private let policy: LedgerPolicy
    private var ledger: EntitlementLedger
    private var model: LedgerModel

    // Few names, so that events concern the same entries; two are canonically equivalent, and two would be equal if
    // joined.
    private static let requestors: [RequestorID] = ["R", "R|M", "\u{E9}"]
    private static let mvpds: [MVPDID] = ["M", "M|X", "e\u{301}", "\u{E9}"]
    private static let resources: [ResourceID] = ["X", "M|X", "K", "\u{212A}", "X "]
    private static let devices: [DeviceID] = ["D1", "D2"]
    private static let start: Int64 = 1_768_498_200_000
    private static let hour: Int64 = 3_600_000

    init(_ random: inout Noise) throws {
        policy = try LedgerPolicy(
            refreshMargin: TimeToLive(milliseconds: random.pick([0, 1, 300_000, 2 * Self.hour])),
            clockMargin: TimeToLive(milliseconds: random.pick([0, 60_000, Self.hour])),
            capacity: random.pick([2, 5, 1000])
        )
        time = ManualTime(at: Timestamp(milliseconds: Self.start))
        let jumps = jumps
        ledger = EntitlementLedger(policy: policy, time: time.source) { jumps.note($0) }
        _ = ledger.count
        model = LedgerModel(
            margin: policy.refreshMargin.milliseconds,
            clockMargin: policy.clockMargin.milliseconds,
            capacity: policy.capacity,
            now: Self.start
        )
    }

    /// The first difference; `nil` if there is none.
    func firstDifference(_ random: inout Noise) throws -> String? {
        var run = self
        for step in 0..<Int.random(in: 1...14, using: &random) {
            let event = run.event(&random)
            let asked = run.entitlement(&random)
            // Not after every event: a question shows the clock to the ledger.
            let isAsked = Bool.random(using: &random)
            if let difference = try run.apply(event) ?? (isAsked ? run.compare(asked) : nil) {
                return "step \(step), \(event): \(difference)"
            }
        }
        return run.compareAll()
    }

    // MARK: Events

    private func event(_ random: inout Noise) -> ModelEvent {
        let requestor = random.pick(Self.requestors)
        let mvpd = random.pick(Self.mvpds)
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<8: return record(&random)
        case 8..<12: return .clock(model.now + distance(&random))
        case 12: return .select(requestor, mvpd)
        case 13: return .cancel(requestor)
        case 14: return .logOut(Bool.random(using: &random) ? .mvpd(mvpd) : .everything)
        case 15: return .bind(random.pick(Self.devices))
        case 16:
            let issuers = Set(Self.mvpds.filter { _ in Bool.random(using: &random) })
            return .allow(requestor, Int.random(in: 0..<4, using: &random) == 0 ? nil : issuers)
        case 17: return .answered(entitlement(&random), random.pick([200, 403, 404, 410, 412, 500]))
        case 18: return .sweep
        default: return .snapshot
        }
    }

    private func entitlement(_ random: inout Noise) -> Entitlement {
        let requestor = random.pick(Self.requestors)
        let mvpd = random.pick(Self.mvpds)
        if Int.random(in: 0..<3, using: &random) == 0 { return .authentication(requestor: requestor, mvpd: mvpd) }
        let resource = random.pick(Self.resources)
        return .authorization(requestor: requestor, mvpd: mvpd, resource: resource)
    }

    private func record(_ random: inout Noise) -> ModelEvent {
        let begin: Int64? = Bool.random(using: &random) ? model.now + distance(&random) : nil
        let isReadable = Int.random(in: 0..<12, using: &random) > 0
        return .record(
            entitlement(&random),
            notBefore: begin,
            notAfter: isReadable ? (begin ?? model.now) + distance(&random) : nil,
            issuer: Int.random(in: 0..<4, using: &random) == 0 ? random.pick(Self.mvpds) : nil,
            device: Int.random(in: 0..<4, using: &random) == 0 ? random.pick(Self.devices) : nil
        )
    }

    /// Often a round number, so that instants meet exactly.
    private func distance(_ random: inout Noise) -> Int64 {
        let round = [
            -24 * Self.hour, -Self.hour, -60_001, -60_000, -1, 0, 1, 1000, 60_000, 300_000, Self.hour, 6 * Self.hour,
            24 * Self.hour,
        ]
        return Bool.random(using: &random)
            ? random.pick(round) : Int64.random(in: -Self.hour...2 * Self.hour, using: &random)
    }

    private mutating func apply(_ event: ModelEvent) throws -> String? {
        switch event {
        case .clock(let now):
            time.set(Timestamp(milliseconds: now))
            _ = ledger.count
            model.setClock(now)
        case .record(let entitlement, let notBefore, let notAfter, let issuer, let device):
            let period = EntitlementPeriod(
                notBefore: notBefore.map { Timestamp(milliseconds: $0) },
                notAfter: notAfter.map { Timestamp(milliseconds: $0) }
            )
            var said: String
            do throws(LedgerError) {
                said = try ledger.record(entitlement, period, issuer: issuer, device: device).rawValue
            } catch {
                said = error.code
            }
            let expected = model.record(entitlement, notBefore, notAfter, issuer, device)
            if said != expected { return "\(said), not \(expected)" }
        case .select(let requestor, let mvpd):
            try ledger.select(mvpd, for: requestor)
            model.select(requestor, mvpd)
        case .cancel(let requestor):
            ledger.cancelSelection(for: requestor)
            model.cancel(requestor)
        case .logOut(let scope):
            ledger.logOut(scope)
            model.logOut(scope)
        case .bind(let device):
            try ledger.bind(to: device)
            model.bind(device)
        case .allow(let requestor, let issuers):
            ledger.allow(issuers: issuers, for: requestor)
            model.allow(requestor, issuers)
        case .answered(let entitlement, let status):
            ledger.invalidate(entitlement, serverStatus: status)
            model.answered(entitlement, status)
        case .sweep:
            let swept = ledger.sweep().map(\.entitlement)
            if swept != model.sweep() { return "another sweep" }
        case .snapshot:
            let jumps = jumps
            let text = ledger.snapshot
            ledger = try EntitlementLedger(snapshot: text, policy: policy, time: time.source) { jumps.note($0) }
            if ledger.snapshot != text { return "another snapshot" }
        }
        return nil
    }

    // MARK: Questions

    private func compare(_ asked: Entitlement) -> String? {
        let (status, expected) = (ledger.status(of: asked), model.status(asked))
        return status == expected ? nil : "\(asked) is \(status), not \(expected)"
    }

    private func compareAll() -> String? {
        for row in ledger.entries {
            let expected = model.status(row.entitlement)
            if row.status != expected { return "\(row.entitlement) is \(row.status), not \(expected)" }
        }
        if ledger.entries.map(\.entitlement) != model.rows.map(\.entitlement).sorted() { return "other entries" }
        if ledger.expired.map(\.entitlement) != model.expired { return "other expired entries" }
        if ledger.nextExpiry?.milliseconds != model.nextExpiry { return "another next expiry" }
        if ledger.device != model.device { return "another device" }
        for requestor in Self.requestors {
            let chosen = model.selected.first { $0.0 == requestor }?.1
            if ledger.selection(for: requestor) != chosen { return "another selection for \(requestor)" }
        }
        if jumps.distances.withLock({ $0 }) != model.jumps { return "other jumps of the clock" }
        return nil
    }
}
