#if CLI
import ArgumentParser
import EntitlementKeys
import EntitlementValues
import ServiceResponses
import TokenLifetimes

/// The kind of body or token on standard input.
enum LifetimeSource: String, ExpressibleByArgument, CaseIterable {
    case profiles, decisions, authn, authz, token

    /// Maximum length of a body in bytes; real ones have a few kilobytes.
    private static let maximumLength = 1 << 24

    /// Throws `ValidationError` if an option is missing that the source needs, or one is there that contradicts it.
    func validate(_ command: LifetimeRecord) throws {
        let subject = command.subject
        guard self != .profiles || subject.requestor != nil else {
            throw ValidationError("--from profiles needs --requestor, which the body does not name.")
        }
        guard self == .profiles || subject.requestor == nil, subject.mvpd == nil, subject.resource == nil,
            command.expires == nil, command.notBefore == nil, command.issuer.isEmpty, command.device == nil
        else { throw ValidationError("With --from, the body says what is granted and until when.") }
        guard self != .token || !command.keys.isEmpty else { throw ValidationError("--from token needs --keys.") }
    }

    /// Reads and parses the body or token.
    ///
    /// Throws an error of ``CommandEnding``, or `CommandFailure`, if it cannot be read, parsed or verified.
    func recording(_ command: LifetimeRecord) throws -> Recording {
        if self == .token { return try .token(verifiedToken(command)) }
        let body = try TokenInput.standardInput("the body", upTo: Self.maximumLength)
        switch self {
        case .profiles:
            let requestor = RequestorID(command.subject.requestor ?? "")
            return .profiles(try ProfilesResponse(parsing: body), requestor)
        case .decisions: return .decisions(try DecisionsResponse(parsing: body))
        case .authn, .token: return .authentication(try AuthenticationResponse(parsing: body))
        case .authz: return .authorization(try AuthorizationResponse(parsing: body))
        }
    }

    private func verifiedToken(_ command: LifetimeRecord) throws -> VerifiedEntitlementToken {
        let keys = try KeyPaths(paths: command.keys).read(try command.password.read())
        let bytes = try TokenInput.bytes(nil)
        return try EntitlementTokenVerifier(keys: keys).verify(bytes, at: command.options.now)
    }
}

/// What is recorded in a ledger.
enum Recording: Sendable {
    case grant(Entitlement, EntitlementPeriod, issuer: MVPDID?, device: DeviceID?)
    case token(VerifiedEntitlementToken)
    case profiles(ProfilesResponse, RequestorID)
    case decisions(DecisionsResponse)
    case authentication(AuthenticationResponse)
    case authorization(AuthorizationResponse)

    /// Records it; returns the outcome of each grant.
    ///
    /// Throws `LedgerError`, or what is wrong with the body as `ResponseRecordingError`.
    func record(in ledger: EntitlementLedger) throws -> [RecordOutcome] {
        switch self {
        case .grant(let entitlement, let period, let issuer, let device):
            [try ledger.record(entitlement, period, issuer: issuer, device: device)]
        case .token(let token): [try ledger.record(token)]
        case .profiles(let response, let requestor): try ledger.record(response, for: requestor)
        case .decisions(let response): try ledger.record(response)
        case .authentication(let response): [try ledger.record(response)]
        case .authorization(let response): [try ledger.record(response)]
        }
    }
}
#endif
