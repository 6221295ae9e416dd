import ServiceResponses
import TextCodecs

extension DeviceInfo {
    /// Says what may make the broker take the device for an unknown one.
    @nonexhaustive
    public enum Warning: Sendable, Hashable {
        /// A required member is missing or empty.
        case missing(Key)
        /// A member `type` was read as `primaryHardwareType`.
        case typeInsteadOfHardwareType
        /// The member's value is none of those that the reference allows.
        case undocumentedValue(Key)
        /// The member should be a string or a number, and is something else.
        case wrongType(Key)

        /// The stable name of the warning, for programs and log searches.
        public var code: String {
            switch self {
            case .missing: "device_info_missing"
            case .typeInsteadOfHardwareType: "device_info_type_member"
            case .undocumentedValue: "device_info_undocumented_value"
            case .wrongType: "device_info_wrong_type"
            }
        }
    }

    /// The required members that are missing or empty.
    public var missing: [Key] { Key.required.filter { self[$0]?.isEmpty ?? true } }

    /// What may make the broker take the device for an unknown one; without the values.
    public var warnings: [Warning] {
        var warnings = missing.map(Warning.missing)
        if hadTypeMember { warnings.append(.typeInsteadOfHardwareType) }
        for field in fields {
            let key = Key(field.name)
            guard let text = self[key] else {
                warnings.append(.wrongType(key))
                continue
            }
            if let allowed = RestrictedNames.allowed(for: key), !allowed.contains(text), !text.isEmpty {
                warnings.append(.undocumentedValue(key))
            }
        }
        return warnings
    }

    /// The kind of the device, if it says one.
    public var hardwareType: HardwareType? { self[.primaryHardwareType].map { HardwareType($0) } }
}

extension DeviceInfo.Warning: CustomStringConvertible {
    /// What is wrong, and what to do, in one line, without the value.
    public var description: String {
        switch self {
        case .missing(let key):
            "\(key.rawValue.printable) is missing, and the broker may take the device for an unknown one; let the device say it"
        case .typeInsteadOfHardwareType:
            "the member type was read as primaryHardwareType; let the device send that name"
        case .undocumentedValue(let key):
            "\(key.rawValue.printable) has a value that the reference does not list; check its spelling and case"
        case .wrongType(let key):
            "\(key.rawValue.printable) is neither a string nor a number"
        }
    }
}

/// The names that the reference allows for members whose values are restricted.
///
/// The names stand here as they are written on the wire; each belongs to its owner. Source: the reference of
/// `X-Device-Info`.
enum RestrictedNames {
    /// The names for a key; `nil` if any text may be sent.
    static func allowed(for key: DeviceInfo.Key) -> [String]? { table[key] }

    private static let table: [DeviceInfo.Key: [String]] = [
        .primaryHardwareType: HardwareType.documented.map(\.rawValue),
        .osName: [
            "Android", "Chrome OS", "Linux", "Mac OS", "OS X", "OpenBSD", "Roku OS", "Windows", "iOS", "tvOS", "webOS",
        ],
        .osFamily: [
            "Android", "BSD", "Linux", "PlayStation OS", "Roku OS", "Symbian", "Tizen", "Windows", "iOS", "tvOS",
            "macOS",
            "webOS",
        ],
        .osVendor: [
            "Amazon", "Apple", "Google", "LG", "Microsoft", "Mozilla", "Nintendo", "Nokia", "Roku", "Samsung", "Sony",
            "Tizen Project",
        ],
        .browserName: [
            "Android Browser", "Chrome", "Edge", "Firefox", "Internet Explorer", "Opera", "Safari", "SeaMonkey",
            "Symbian Browser",
        ],
        .browserVendor: [
            "Amazon", "Apple", "Google", "Microsoft", "Motorola", "Mozilla", "Netscape", "Nintendo", "Nokia", "Samsung",
            "Sony Ericsson",
        ],
        .connectionSecure: ["true", "false"],
    ]
}
