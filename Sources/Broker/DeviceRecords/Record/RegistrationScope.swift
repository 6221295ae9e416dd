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
