#if Client
import EntitlementValues
import ServiceResponses

extension Profile {
    /// The attribute by which the operator's library told whether the device's own account had signed the user in.
    static let legacyTokenSourceName = "tokenSource"

    /// `Apple` if the device's own account signed the user in; `nil` if not.
    var legacyTokenSource: String? { type == .appleSSO ? "Apple" : nil }
}
#endif
