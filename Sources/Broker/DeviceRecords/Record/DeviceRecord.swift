public import BrokerMessages
public import EntitlementValues
import ServiceResponses

/// What is kept of one device.
///
/// It holds what must outlive a process: credentials and tokens, the chosen provider, what is known of the profile, and
/// what is under way. It never holds a media token, a denial, a permit, or a code that was used.
///
/// Several processes may change a record at the same time. So values are not set but adopted: each method merges what it
/// is given into what is there, by a rule that gives the same result in any order.
public struct DeviceRecord: Sendable, Hashable {
    /// The device.
    public let device: DeviceKey
    /// The identifier that the broker knows the device by; `nil` if none was adopted.
    public private(set) var identifier: DeviceIdentifier?
    /// The registrations of the device.
    public private(set) var registrations: [RegistrationScope: DeviceRegistration]
    /// What is kept for each requestor that the device was used with.
    public private(set) var requestors: [RequestorID: RequestorRecord]
    /// Members that this library does not know, from a newer release.
    let unknownFields: [JSONField]

    private var redactedSubject: Redacted<String?>

    /// The subscriber whom the device belongs to, by a name that a request to erase would give; `nil` if not known.
    ///
    /// The store keeps a keyed hash of it beside the record.
    public var subject: String? {
        get { redactedSubject.value }
        set { redactedSubject = Redacted(newValue) }
    }

    /// Makes the record of a device of which nothing is known.
    ///
    /// - Parameter device: The device.
    public init(of device: DeviceKey) {
        self.init(device, identifier: nil, registrations: [:], requestors: [:], subject: nil, unknownFields: [])
    }

    init(
        _ device: DeviceKey,
        identifier: DeviceIdentifier?,
        registrations: [RegistrationScope: DeviceRegistration],
        requestors: [RequestorID: RequestorRecord],
        subject: String?,
        unknownFields: [JSONField]
    ) {
        (self.device, self.identifier) = (device, identifier)
        (self.registrations, self.requestors) = (registrations, requestors)
        (redactedSubject, self.unknownFields) = (Redacted(subject), unknownFields)
    }

    /// What is kept for a requestor; empty if the device was not used with it.
    ///
    /// - Parameter requestor: The requestor.
    public subscript(_ requestor: RequestorID) -> RequestorRecord {
        get { requestors[requestor] ?? RequestorRecord() }
        set { requestors[requestor] = newValue == RequestorRecord() ? nil : newValue }
    }

    // MARK: Merging

    /// Keeps an identifier unless there is one: a device keeps the first, since its registrations belong to it.
    ///
    /// - Parameter identifier: The identifier.
    /// - Returns: The identifier that is kept.
    @discardableResult
    public mutating func adopt(_ identifier: DeviceIdentifier) -> DeviceIdentifier {
        if let known = self.identifier { return known }
        self.identifier = identifier
        return identifier
    }

    /// Keeps credentials unless there are some: the first ones win.
    ///
    /// Store new credentials before their first use, and go on with those that this returns.
    ///
    /// - Parameters:
    ///   - credentials: The credentials that the broker gave.
    ///   - scope: What they are for.
    /// - Returns: The credentials that are kept.
    @discardableResult
    public mutating func adopt(_ credentials: ClientCredentials, for scope: RegistrationScope) -> ClientCredentials {
        if let known = registrations[scope] { return known.credentials }
        registrations[scope] = DeviceRegistration(credentials: credentials)
        return credentials
    }

    /// Keeps an access token unless there is one that was created later.
    ///
    /// - Parameters:
    ///   - token: The token that the broker gave.
    ///   - credentials: The credentials that it was made with.
    ///   - scope: What it is for.
    /// - Returns: The token that is kept; `nil` if the credentials are not those of the record, so that the token is
    ///   of no use.
    @discardableResult
    public mutating func adopt(
        _ token: AccessToken,
        madeWith credentials: ClientCredentials,
        for scope: RegistrationScope
    ) -> AccessToken? {
        guard registrations[scope]?.credentials == credentials else { return nil }
        registrations[scope]?.adopt(token)
        return registrations[scope]?.token
    }

    /// Drops an access token that the broker refused, unless another has taken its place.
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - scope: What it was for.
    public mutating func drop(_ token: AccessToken, for scope: RegistrationScope) {
        registrations[scope]?.drop(token)
    }

    /// Forgets a registration, token included: the application has decided to register anew.
    ///
    /// - Parameters:
    ///   - credentials: The credentials to forget; others stay.
    ///   - scope: What they are for.
    public mutating func forget(_ credentials: ClientCredentials, for scope: RegistrationScope) {
        if registrations[scope]?.credentials == credentials { registrations[scope] = nil }
    }
}

extension DeviceRecord: CustomStringConvertible, CustomReflectable {
    /// How many registrations and requestors the record has.
    public var description: String {
        "device record with \(registrations.count) registrations and \(requestors.count) requestors"
    }

    /// Shows the numbers only.
    public var customMirror: Mirror {
        Mirror(self, children: ["registrations": registrations.count, "requestors": requestors.count])
    }
}
