/// What is kept of one device.
public struct DeviceRecord: Sendable, Hashable {
    /// The device.
    public let device: DeviceKey
    /// The registrations of the device.
    public private(set) var registrations: [RegistrationScope: DeviceRegistration] = [:]

    /// Makes the record of a device of which nothing is known.
    ///
    /// - Parameter device: The device.
    public init(of device: DeviceKey) { self.device = device }

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
    ///   - scope: What it is for.
    ///   - credentials: The credentials to forget; others stay.
    public mutating func forget(_ credentials: ClientCredentials, for scope: RegistrationScope) {
        if registrations[scope]?.credentials == credentials { registrations[scope] = nil }
    }
}
