public import EntitlementValues

/// Names an attribute of a user as the service spells it, for example `zip`.
///
/// Case counts. Any attribute can arrive encrypted; the settings of the integration decide which ones do.
///
/// Source: the page on user metadata in the service's public documentation for programmers.
public struct MetadataAttribute: EntitlementIdentifier {
    /// The name as it is on the wire.
    public let rawValue: String

    /// Takes the text as it is.
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// The postal codes of the account, which are always encrypted.
    public static let zip: MetadataAttribute = "zip"
    /// The account, as the provider identifies it.
    public static let userID: MetadataAttribute = "userID"
    /// The account, as it is identified for limits on concurrent streams.
    public static let upstreamUserID: MetadataAttribute = "upstreamUserID"
    /// The household.
    public static let householdID: MetadataAttribute = "householdID"
    /// Whether the user is the head of the household: `1`.
    public static let isHeadOfHousehold: MetadataAttribute = "is_hoh"
    /// The account, as one particular provider identifies it.
    public static let primaryOID: MetadataAttribute = "primaryOID"
    /// The type of the account, as one particular provider names it.
    public static let typeID: MetadataAttribute = "typeID"
    /// Whether the user was signed in by the home network (home-based authentication).
    public static let hbaStatus: MetadataAttribute = "hba_status"
    /// Whether the device may mirror its screen.
    public static let allowMirroring: MetadataAttribute = "allowMirroring"
    /// Whether the device is on the provider's network.
    public static let onNet: MetadataAttribute = "onNet"
    /// Whether the device is at home.
    public static let inHome: MetadataAttribute = "inHome"
    /// The channels that the user may watch.
    public static let channelID: MetadataAttribute = "channelID"
    /// The strictest rating that the user may watch, by rating system.
    public static let maxRating: MetadataAttribute = "maxRating"
    /// The user's language.
    public static let language: MetadataAttribute = "language"
    /// The provider.
    public static let mvpd: MetadataAttribute = "mvpd"
    /// Postal codes that one provider encrypts for another party, by a scheme of its own.
    ///
    /// They cannot be decrypted here.
    public static let encryptedZip: MetadataAttribute = "encryptedZip"

    /// The attributes above, in their order.
    package static let documented: [MetadataAttribute] = [
        zip, userID, upstreamUserID, householdID, isHeadOfHousehold, primaryOID, typeID, hbaStatus, allowMirroring,
        onNet,
        inHome, channelID, maxRating, language, mvpd, encryptedZip,
    ]

    /// The form that a text of this attribute has; `.text` for unknown attributes.
    public var shape: MetadataShape {
        switch self {
        case .zip, .channelID: .list
        case .maxRating: .object
        case .hbaStatus, .allowMirroring, .isHeadOfHousehold: .boolean
        default: .text
        }
    }
}

/// The form that the text of an attribute has.
public enum MetadataShape: Sendable, Hashable, CaseIterable {
    /// Printable text.
    case text
    /// A JSON array of strings or numbers, or the bare text of its elements.
    case list
    /// `true` or `false`, also as `1` or `0`.
    case boolean
    /// A JSON object.
    case object
}
