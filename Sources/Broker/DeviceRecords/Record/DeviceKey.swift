public import EntitlementValues

/// The key under which a device's record is kept.
///
/// It is the server's own name of the device; the broker never sees it.
public struct DeviceKey: EntitlementIdentifier {
    /// The key's text.
    public let rawValue: String

    /// Makes a key from its text, unchanged.
    public init(_ rawValue: String) { self.rawValue = rawValue }
}
