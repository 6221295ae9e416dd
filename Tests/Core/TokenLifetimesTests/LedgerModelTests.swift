import EntitlementValues
import Synchronization
import Testing
import TestVectors
import TokenLifetimes

/// Random sequences of events and questions, against a model that keeps arrays and looks at all of them every time.
@Suite struct LedgerModelTests {
    /// Each seed drives 500 sequences; a failure names the seed and the sequence.
    @Test(arguments: 0..<200)
    func `Ledger and model agree`(seed: Int) throws {
        var random = Noise(seed: UInt64(seed))
        for sequence in 0..<500 {
            let run = try ModelRun(&random)
            let difference = try run.firstDifference(&random)
            #expect(difference == nil, "seed \(seed), sequence \(sequence)")
            if difference != nil { return }
        }
    }
}

extension Noise {
    mutating func pick<Item>(_ items: [Item]) -> Item { items[Int.random(in: items.indices, using: &self)] }
}

/// An event, as the ledger and the model receive it.
enum ModelEvent {
    case clock(Int64)
    case record(Entitlement, notBefore: Int64?, notAfter: Int64?, issuer: MVPDID?, device: DeviceID?)
    case select(RequestorID, MVPDID)
    case cancel(RequestorID)
    case logOut(LogoutScope)
    case bind(DeviceID)
    case allow(RequestorID, Set<MVPDID>?)
    case answered(Entitlement, Int)
    case sweep
    case snapshot
}

/// The rules once more, written as simply as possible.
struct LedgerModel {
    struct Row {
        let entitlement: Entitlement
        let notBefore: Int64?
        let notAfter: Int64?
        let issuer: MVPDID
        let recorded: Int64
        var isOver = false
    }

    let margin: Int64
    let clockMargin: Int64
    let capacity: Int
    var rows: [Row] = []
    var selected: [(RequestorID, MVPDID)] = []
    var allowed: [(RequestorID, Set<MVPDID>)] = []
    var device: DeviceID?
    var now: Int64
    var latest: Int64
    var jumps: [Int64] = []

    init(margin: Int64, clockMargin: Int64, capacity: Int, now: Int64) {
        self.margin = margin
        self.clockMargin = clockMargin
        self.capacity = capacity
        self.now = now
        latest = now
    }

    mutating func setClock(_ instant: Int64) {
        now = instant
        if latest - now > clockMargin {
            jumps.append(latest - now)
            latest = now
        }
        if now > latest { latest = now }
        markWhatIsOver()
    }

    mutating func markWhatIsOver() {
        for index in rows.indices where (rows[index].notAfter ?? now) <= now { rows[index].isOver = true }
    }

    /// What the ledger must answer: an outcome, or the code of an error.
    mutating func record(
        _ entitlement: Entitlement,
        _ notBefore: Int64?,
        _ notAfter: Int64?,
        _ issuer: MVPDID?,
        _ device: DeviceID?
    ) -> String {
        let issuer = issuer ?? entitlement.mvpd
        for (requestor, list) in allowed where requestor == entitlement.requestor && !list.contains(issuer) {
            return "issuer_not_allowed"
        }
        if let device, let own = self.device, own != device { return "other_device" }
        if let old = rows.first(where: { $0.entitlement == entitlement }) {
            let begins = [(notBefore, notAfter), (old.notBefore, old.notAfter)].map { begin, end -> Int64? in
                // Neither in March 1973 or before, nor in the year 10000 or later; nor of a period that is never good.
                guard let begin, begin >= 100_000_000_000, begin <= 253_402_300_799_999 else { return nil }
                return end.map { $0 <= begin } == true ? nil : begin
            }
            if let new = begins[0], let held = begins[1], new < held { return "superseded" }
        } else if rows.count == capacity {
            return "full"
        }
        if self.device == nil { self.device = device }
        rows.removeAll { $0.entitlement == entitlement }
        rows.append(
            Row(entitlement: entitlement, notBefore: notBefore, notAfter: notAfter, issuer: issuer, recorded: now))
        markWhatIsOver()
        return "recorded"
    }

    mutating func select(_ requestor: RequestorID, _ mvpd: MVPDID) {
        for (other, chosen) in selected where other == requestor && chosen != mvpd {
            rows.removeAll { $0.entitlement.requestor == requestor }
        }
        selected.removeAll { $0.0 == requestor }
        selected.append((requestor, mvpd))
    }

    mutating func cancel(_ requestor: RequestorID) {
        for (other, mvpd) in selected where other == requestor {
            rows.removeAll { $0.entitlement.requestor == requestor && $0.entitlement.mvpd == mvpd }
        }
        selected.removeAll { $0.0 == requestor }
    }

    mutating func logOut(_ scope: LogoutScope) {
        switch scope {
        case .everything:
            rows = []
            selected = []
        case .mvpd(let mvpd):
            rows.removeAll { $0.entitlement.mvpd == mvpd }
            selected.removeAll { $0.1 == mvpd }
        }
    }

    mutating func bind(_ device: DeviceID) {
        if self.device != nil && self.device != device { rows = [] }
        self.device = device
    }

    mutating func allow(_ requestor: RequestorID, _ issuers: Set<MVPDID>?) {
        allowed.removeAll { $0.0 == requestor }
        guard let issuers else { return }
        allowed.append((requestor, issuers))
        rows.removeAll { $0.entitlement.requestor == requestor && !issuers.contains($0.issuer) }
    }

    mutating func answered(_ entitlement: Entitlement, _ status: Int) {
        guard [403, 404, 410, 412].contains(status) else { return }
        if entitlement.resource != nil && status != 412 {
            rows.removeAll { $0.entitlement == entitlement }
        } else {
            rows.removeAll {
                $0.entitlement.requestor == entitlement.requestor && $0.entitlement.mvpd == entitlement.mvpd
            }
        }
    }

    mutating func sweep() -> [Entitlement] {
        let swept = expired
        rows.removeAll { $0.isOver }
        return swept
    }

    var expired: [Entitlement] { rows.filter(\.isOver).map(\.entitlement).sorted() }

    var nextExpiry: Int64? { rows.filter { !$0.isOver }.compactMap(\.notAfter).min() }

    func status(_ entitlement: Entitlement) -> EntitlementStatus {
        guard let row = rows.first(where: { $0.entitlement == entitlement }) else { return .unknown }
        guard let notAfter = row.notAfter else { return .expired(since: Timestamp(milliseconds: row.recorded)) }
        if row.isOver { return .expired(since: Timestamp(milliseconds: notAfter)) }
        if let notBefore = row.notBefore, now < notBefore {
            return .notYetValid(for: TimeToLive(milliseconds: notBefore - now))
        }
        let rest = TimeToLive(milliseconds: notAfter - now)
        return rest.milliseconds <= margin ? .expiring(in: rest) : .valid(for: rest)
    }
}
