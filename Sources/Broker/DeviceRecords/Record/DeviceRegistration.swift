public import BrokerMessages
import ServiceResponses

/// The credentials that a broker gave to a device, and the access token that was last made with them.
public struct DeviceRegistration: Sendable, Hashable {
    /// The credentials; they are for good.
    public let credentials: ClientCredentials
    /// The access token; `nil` if none is known, or if it was dropped.
    public private(set) var token: AccessToken?
    /// Members that this library does not know, from a newer release.
    let unknownFields: [JSONField]

    init(credentials: ClientCredentials, token: AccessToken? = nil, unknownFields: [JSONField] = []) {
        (self.credentials, self.token, self.unknownFields) = (credentials, token, unknownFields)
    }

    /// Takes a token unless the one that is there was created later.
    mutating func adopt(_ token: AccessToken) {
        if let known = self.token, known.createdAt > token.createdAt { return }
        self.token = token
    }

    /// Drops a token if it is still the one that is there.
    mutating func drop(_ token: AccessToken) {
        if self.token == token { self.token = nil }
    }
}

/// What a registration is for: a device has one with each broker for each application.
public struct RegistrationScope: Sendable, Hashable {
    /// The origin of the broker, such as `https://api.example.org`.
    public let origin: String
    /// The application that the software statement names; any text that is the same in each run.
    public let application: String

    /// Describes a registration.
    ///
    /// - Parameters:
    ///   - origin: The origin of the broker.
    ///   - application: The application that the software statement names.
    public init(origin: String, application: String) {
        (self.origin, self.application) = (origin, application)
    }
}
