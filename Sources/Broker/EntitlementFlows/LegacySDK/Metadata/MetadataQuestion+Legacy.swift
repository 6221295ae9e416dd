#if Client
import EntitlementValues

extension MetadataQuestion {
    /// Names in the dictionary of `getMetadata`, and their values.
    ///
    /// They are the names of the operator's constants, as its reference has them.
    private enum Names {
        static let operation = "METADATA_OPCODE_KEY"
        static let resource = "METADATA_RESOURCE_ID_KEY"
        static let attribute = "METADATA_USER_META_KEY"
    }

    /// The name of the operator's constant for the question.
    public var legacyName: String {
        switch self {
        case .authenticationTTL: "METADATA_AUTHENTICATION"
        case .authorizationTTL: "METADATA_AUTHORIZATION"
        case .deviceIdentifier: "METADATA_DEVICE_ID"
        case .userMetadata: "METADATA_USER_META"
        }
    }

    /// The value of that constant, which is the key of the callback: 0 to 3.
    public var legacyNumber: Int64 {
        switch self {
        case .authenticationTTL: 0
        case .authorizationTTL: 1
        case .deviceIdentifier: 2
        case .userMetadata: 3
        }
    }

    /// The dictionary with which the question was asked, by the names of the operator's constants.
    public var legacyArguments: LegacyValue {
        var members: [String: LegacyValue] = [Names.operation: .text(legacyName)]
        switch self {
        case .authenticationTTL, .deviceIdentifier, .userMetadata(nil): break
        case .authorizationTTL(let resource): members[Names.resource] = .text(resource.rawValue)
        case .userMetadata(let name?): members[Names.attribute] = .text(name)
        }
        return .dictionary(members)
    }

    /// Reads the dictionary of `getMetadata`.
    ///
    /// - Parameter arguments: Values by the names of the operator's constants; the operation is a name, or its number
    ///   as text. `nil` is returned if the operation is unknown, or the resource of an authorization's time is missing.
    public init?(legacyArguments arguments: [String: String]) {
        switch arguments[Names.operation] {
        case "METADATA_AUTHENTICATION", "0": self = .authenticationTTL
        case "METADATA_AUTHORIZATION", "1":
            guard let resource = arguments[Names.resource], !resource.isEmpty else { return nil }
            self = .authorizationTTL(ResourceID(resource))
        case "METADATA_DEVICE_ID", "2": self = .deviceIdentifier
        case "METADATA_USER_META", "3": self = .userMetadata(arguments[Names.attribute])
        default: return nil
        }
    }
}
#endif
