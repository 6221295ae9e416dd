#if Client
import BrokerMessages
public import EntitlementValues

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
    ///   ``BrokerSettings/management`` are forgotten, so that the next reset registers anew.
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
        let manager = manager
        do throws(BrokerError) {
            try await manager.perform(call, timeLimit: timeLimit)
        } catch {
            // No login depends on them, and another statement may be in the settings by then.
            if broker.settings.management != nil, case .registration(let refusal) = error {
                _ = try? await manager.forgetRegistration(after: refusal)
            }
            throw error
        }
    }

    /// The same device as a client that resets temporary access.
    private var manager: Caller {
        // A caller with a borrowed token registers nothing, also not for this.
        guard borrowed == nil, let statement = broker.settings.management else { return self }
        let application = Broker.Application(statement, name: "\(broker.application.name):management")
        return broker.serving(application, records: broker.records).caller(device, from: clientAddress)
    }
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
