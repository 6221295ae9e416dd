#if Client
import BrokerMessages
import DeviceRecords
public import EntitlementValues
import OpenSSLBridge
import TextCodecs

extension Caller {
    /// Lets temporary access begin anew.
    ///
    /// Operators of an application do this for tests and for customer care. It has no answer but its success, and it is
    /// repeated after a failure only if nothing was sent. It is made with a registration of its own, for the statement
    /// ``BrokerSettings/management``; of the caller's device, nothing is sent with it but what its program calls itself.
    ///
    /// - Parameters:
    ///   - scope: For which devices or identities.
    ///   - mvpd: The pseudo provider of the temporary access.
    ///   - requestor: The brand.
    ///   - timeLimit: How long the call may take in all; `nil` for ``BrokerSettings/timeLimit``.
    /// - Throws: `BrokerError`; ``RequestFault/noManagement`` before anything is sent if the broker's
    ///   ``BrokerEnvironment/management`` is not known; `.registration` with
    ///   ``RegistrationRefusal/Decision/replaceStatement`` if the statement does not allow resets. Refused credentials of
    ///   ``BrokerSettings/management`` are forgotten, so that the next reset registers anew. So are those of the statement
    ///   that was there before, once a reset has succeeded.
    public func resetTemporaryAccess(
        _ scope: TemporaryAccessScope,
        mvpd: MVPDID,
        requestor: RequestorID,
        timeLimit: Duration? = nil
    ) async throws(BrokerError) {
        let (endpoint, parameter) = (scope.endpoint, try scope.parameter)
        for (name, value) in [("requestor", requestor.rawValue), ("mvpd", mvpd.rawValue)] where value.isEmpty {
            throw .request(.badIdentifier(name: name))
        }
        let form = RequestForm(
            query: [("requestor_id", requestor.rawValue), ("mvpd_id", mvpd.rawValue), parameter])
        let request = try broker.request(endpoint, form, known: KnownFields(of: self))
        let call = BrokerCall(endpoint, request) { _ throws(BrokerError) in }
        // A caller with a borrowed token registers nothing, also not for this.
        guard borrowed == nil, let statement = broker.settings.management else {
            return try await perform(call, timeLimit: timeLimit)
        }
        let manager = try manager(registeredWith: statement)
        do throws(BrokerError) {
            try await manager.perform(call, timeLimit: timeLimit)
        } catch .registration(var refusal) {
            // No login depends on them.
            _ = try? await manager.forgetRegistration(after: refusal)
            refusal.isOfResets = true
            throw .registration(refusal)
        }
        await manager.forgetOthers(below: broker.application.nameOfManagers)
    }

    /// The same device as a client that resets temporary access.
    ///
    /// Its credentials are kept under a name of the statement's own: those of another statement may be of another
    /// application, or allow something else.
    private func manager(registeredWith statement: SoftwareStatement) throws(BrokerError) -> Caller {
        let digest = try rethrowing(Digest.sha256.hash(Array(statement.text.utf8))) { (failure: OpenSSLFailure) in
            BrokerError.store(.sealing(.undecided(reason: failure.description)))
        }
        let name = "\(broker.application.nameOfManagers):\(Hex.encode(digest.prefix(8)))"
        return broker.serving(Broker.Application(statement, name: name), records: broker.records)
            .caller(device, from: clientAddress)
    }

    /// Forgets the credentials of other statements for resets, so that no record grows with each new statement.
    ///
    /// `name` is what the names begin with under which they are kept; it was the whole name once.
    private func forgetOthers(below name: String) async {
        let scope = broker.scope
        // The reset is done, whatever becomes of this; the next one forgets them, too.
        _ = try? await change { record in
            for (other, registration) in record.registrations where other.origin == scope.origin && other != scope {
                let isOfResets = other.application == name || other.application.hasPrefix("\(name):")
                if isOfResets { record.forget(registration.credentials, for: other) }
            }
        }
    }
}

extension Broker.Application {
    /// What the names begin with under which credentials for resets are kept.
    fileprivate var nameOfManagers: String { "\(name):management" }
}

/// For whom temporary access begins anew.
///
/// A reset of everything has a case of its own, since the broker reads a missing identifier as *all*.
@nonexhaustive
public enum TemporaryAccessScope: Sendable, Hashable {
    /// One device, by the identifier that the broker's operator knows it by.
    case device(String)
    /// Every device.
    case everyDevice
    /// One identity of promotional access, by the hash of the user's identifier.
    case identity(hash: String)
    /// Every identity of promotional access.
    case everyIdentity

    /// What the broker reads as *all*.
    private static let everything = "all"

    /// The endpoint that resets it.
    var endpoint: BrokerEndpoint {
        switch self {
        case .device, .everyDevice: .resetTemporaryAccess
        case .identity, .everyIdentity: .resetPromotionalAccess
        }
    }

    /// The parameter of the query that says for whom.
    var parameter: (name: String, value: String) {
        get throws(BrokerError) {
            switch self {
            case .device(let identifier): ("device_id", try Self.single(identifier, "device"))
            case .everyDevice: ("device_id", Self.everything)
            case .identity(let hash): ("key", try Self.single(hash, "identity"))
            case .everyIdentity: ("key", Self.everything)
            }
        }
    }

    /// An identifier that the broker cannot take for all of them.
    private static func single(_ identifier: String, _ name: String) throws(BrokerError) -> String {
        let word = identifier.filter { !$0.isWhitespace }.lowercased()
        guard !word.isEmpty, word != everything else { throw .request(.ambiguousIdentifier(name: name)) }
        return identifier
    }
}

extension TemporaryAccessScope: CustomStringConvertible, CustomReflectable {
    /// For whom, without the identifier.
    public var description: String {
        switch self {
        case .device: "one device"
        case .everyDevice: "every device"
        case .identity: "one identity"
        case .everyIdentity: "every identity"
        }
    }

    /// Shows nothing of the identifier.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
#endif
