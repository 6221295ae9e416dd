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
