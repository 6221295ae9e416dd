#if CLI
import ArgumentParser
import EntitlementKeys
import EntitlementValues
import TokenLifetimes

/// An event that changes a ledger, other than a grant.
enum LifetimeEvent: String, ExpressibleByArgument, CaseIterable {
    case logout, cancel, select, device, issuers, answered

    /// Throws `ValidationError` if an option is missing, or one is there that the event ignores.
    func validate(_ command: LifetimeRecord) throws {
        _ = try change(command)
        // An option that an event ignores would make it erase more than the user meant.
        let subject = command.subject
        let isUnused =
            switch self {
            case .logout: subject.requestor == nil && subject.resource == nil
            case .cancel, .issuers: subject.mvpd == nil && subject.resource == nil
            case .select: subject.resource == nil
            case .device: subject.requestor == nil && subject.mvpd == nil && subject.resource == nil
            case .answered: true
            }
        guard isUnused else {
            throw ValidationError(
                "--event \(rawValue) does not go with all of --requestor, --mvpd and --resource; see --help.")
        }
        guard self == .device || command.device == nil else {
            throw ValidationError("--device goes with grants and --event device.")
        }
        guard self == .issuers || command.issuer.isEmpty else {
            throw ValidationError("--issuer goes with grants and --event issuers.")
        }
    }

    /// Returns the change to the ledger, which in turn returns how many entries it erased.
    ///
    /// Throws `ValidationError` if an option is missing.
    func change(
        _ command: LifetimeRecord
    ) throws -> @Sendable (EntitlementLedger) throws(LedgerError) -> Int {
        let subject = command.subject
        switch self {
        case .logout:
            let scope = subject.mvpd.map { LogoutScope.mvpd(MVPDID($0)) } ?? .everything
            return { ledger throws(LedgerError) in ledger.logOut(scope) }
        case .cancel:
            let requestor = RequestorID(try subject.requestorOrFail())
            return { ledger throws(LedgerError) in ledger.cancelSelection(for: requestor) }
        case .select:
            let (requestor, mvpd) = (RequestorID(try subject.requestorOrFail()), MVPDID(try subject.mvpdOrFail()))
            return { ledger throws(LedgerError) in try ledger.select(mvpd, for: requestor) }
        case .device:
            guard let device = command.device else { throw ValidationError("Give --device ID.") }
            return { ledger throws(LedgerError) in try ledger.bind(to: DeviceID(device)) }
        case .issuers:
            let requestor = RequestorID(try subject.requestorOrFail())
            let issuers = command.issuer.isEmpty ? nil : Set(command.issuer.map { MVPDID($0) })
            return { ledger throws(LedgerError) in ledger.allow(issuers: issuers, for: requestor) }
        case .answered:
            let entitlement = try subject.entitlement()
            guard let status = command.status, (100...599).contains(status) else {
                throw ValidationError("Give --status CODE, an HTTP status.")
            }
            return { ledger throws(LedgerError) in ledger.invalidate(entitlement, serverStatus: status) }
        }
    }
}
#endif
