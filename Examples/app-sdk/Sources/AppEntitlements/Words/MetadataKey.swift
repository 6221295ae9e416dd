/// What `getMetadata` is asked for; the value is that of the operator's constant.
public enum MetadataKey: Int, Sendable, Hashable, CaseIterable {
    /// `METADATA_AUTHENTICATION`: the end of the sign-in, as the operator's text.
    case authentication = 0
    /// `METADATA_AUTHORIZATION`: always without a value, since the gateway does not tell the end of a decision.
    case authorization = 1
    /// `METADATA_DEVICE_ID`: always without a value, since the gateway keeps the device's identifier to itself.
    case deviceID = 2
    /// `METADATA_USER_META`: an attribute of the viewer, or all of them.
    case userMetadata = 3

    /// The name of the operator's constant.
    public var name: String {
        switch self {
        case .authentication: "METADATA_AUTHENTICATION"
        case .authorization: "METADATA_AUTHORIZATION"
        case .deviceID: "METADATA_DEVICE_ID"
        case .userMetadata: "METADATA_USER_META"
        }
    }

    /// Reads the dictionary of `getMetadata`; `nil` if it names no question.
    ///
    /// - Parameter arguments: `METADATA_OPCODE_KEY` with the name of the question or its number as text.
    init?(_ arguments: [String: String]) {
        let asked = arguments["METADATA_OPCODE_KEY"]
        guard let found = Self.allCases.first(where: { $0.name == asked || String($0.rawValue) == asked }) else {
            return nil
        }
        self = found
    }
}
