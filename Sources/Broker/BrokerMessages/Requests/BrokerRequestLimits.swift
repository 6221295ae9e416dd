/// The limits on a request's body.
public enum BrokerRequestLimits: Sendable {
    /// The longest body, in bytes.
    public static let maximumLength = 1 << 20
    /// The most resources in one request.
    public static let maximumResources = 1000
    /// The most JSON values in a body, at all levels together.
    public static let maximumValues = 5000
}
