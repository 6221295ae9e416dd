public import EntitlementValues
import TextCodecs

/// A provider that a user may choose, as the broker lists it.
///
/// Flags that the broker does not send are `nil`, not `false`: the broker's reference gives no default.
public struct MVPD: Sendable, Hashable {
    /// The provider.
    public let id: MVPDID
    /// Its name for people.
    public let displayName: String?
    /// The address of its logo.
    public package(set) var logoURL: String?
    /// Whether it stands for temporary access without signing in (`isTempPass`).
    public let isTemporaryAccess: Bool?
    /// Whether it signs users in for other providers (`isProxy`).
    public let isProxy: Bool?
    /// Its state of introduction at the device's single sign-on partner.
    public let boardingStatus: BoardingStatus?
    /// Its identifier at the device's single sign-on partner (`platformMappingId`).
    public let platformMappingID: String?
    /// Whether single sign-on through the device's platform is enabled for it (`enablePlatformServices`).
    public let enablesPlatformServices: Bool?
    /// Whether the platform's own picker shows it (`displayInPlatformPicker`).
    public let appearsInPlatformPicker: Bool?
    /// Whether a user who refuses the platform access may not sign in with it (`enforcePlatformPermissions`).
    public let enforcesPlatformPermissions: Bool?
    /// Whether each service provider needs an authentication of its own (`authPerAggregator`).
    public let authenticatesPerAggregator: Bool?
    /// Whether an authentication for another service provider can happen unseen (`passiveAuthnEnabled`).
    public let allowsPassiveAuthentication: Bool?
    /// Whether an authentication ends with the browser's session (`authPerBrowserSession`).
    public let authenticatesPerBrowserSession: Bool?
    /// Members that this library does not know, as they were sent.
    public let unknownFields: [JSONField]

    /// Makes a provider to be sent.
    ///
    /// The flags are those of the same names; `nil` is not sent.
    package init(
        id: MVPDID,
        displayName: String? = nil,
        logoURL: String? = nil,
        isTemporaryAccess: Bool? = nil,
        isProxy: Bool? = nil,
        boardingStatus: BoardingStatus? = nil,
        platformMappingID: String? = nil,
        enablesPlatformServices: Bool? = nil,
        appearsInPlatformPicker: Bool? = nil,
        enforcesPlatformPermissions: Bool? = nil,
        authenticatesPerAggregator: Bool? = nil,
        allowsPassiveAuthentication: Bool? = nil,
        authenticatesPerBrowserSession: Bool? = nil,
        unknownFields: [JSONField] = []
    ) {
        (self.id, self.displayName, self.logoURL) = (id, displayName, logoURL)
        (self.isTemporaryAccess, self.isProxy) = (isTemporaryAccess, isProxy)
        (self.boardingStatus, self.platformMappingID) = (boardingStatus, platformMappingID)
        self.enablesPlatformServices = enablesPlatformServices
        self.appearsInPlatformPicker = appearsInPlatformPicker
        self.enforcesPlatformPermissions = enforcesPlatformPermissions
        self.authenticatesPerAggregator = authenticatesPerAggregator
        self.allowsPassiveAuthentication = allowsPassiveAuthentication
        self.authenticatesPerBrowserSession = authenticatesPerBrowserSession
        self.unknownFields = unknownFields
    }

    init(_ node: JSONNode, at path: JSONLocation, in text: Span<UInt8>) throws(ServiceResponseError) {
        var object = try BodyObject(node, at: path)
        id = MVPDID(try object.requireIdentifier("id", text))
        displayName = try object.takeText("displayName", text)
        logoURL = try object.takeText("logoUrl", text)
        isTemporaryAccess = try object.takeBoolean("isTempPass", text)
        isProxy = try object.takeBoolean("isProxy", text)
        boardingStatus = try object.takeText("boardingStatus", text).map(BoardingStatus.init)
        platformMappingID = try object.takeText("platformMappingId", text)
        enablesPlatformServices = try object.takeBoolean("enablePlatformServices", text)
        appearsInPlatformPicker = try object.takeBoolean("displayInPlatformPicker", text)
        enforcesPlatformPermissions = try object.takeBoolean("enforcePlatformPermissions", text)
        authenticatesPerAggregator = try object.takeBoolean("authPerAggregator", text)
        allowsPassiveAuthentication = try object.takeBoolean("passiveAuthnEnabled", text)
        authenticatesPerBrowserSession = try object.takeBoolean("authPerBrowserSession", text)
        unknownFields = object.unknownFields(text)
    }

    var object: JSONWriter {
        var object = JSONWriter()
        object.member("id", id.rawValue)
        object.member("displayName", ifPresent: displayName)
        object.member("logoUrl", ifPresent: logoURL)
        object.member("isTempPass", ifPresent: isTemporaryAccess)
        object.member("isProxy", ifPresent: isProxy)
        object.member("boardingStatus", ifPresent: boardingStatus?.rawValue)
        object.member("platformMappingId", ifPresent: platformMappingID)
        object.member("enablePlatformServices", ifPresent: enablesPlatformServices)
        object.member("displayInPlatformPicker", ifPresent: appearsInPlatformPicker)
        object.member("enforcePlatformPermissions", ifPresent: enforcesPlatformPermissions)
        object.member("authPerAggregator", ifPresent: authenticatesPerAggregator)
        object.member("passiveAuthnEnabled", ifPresent: allowsPassiveAuthentication)
        object.member("authPerBrowserSession", ifPresent: authenticatesPerBrowserSession)
        object.members(unknownFields)
        return object
    }
}

extension MVPD: CustomStringConvertible {
    /// The provider, and its name for people.
    public var description: String {
        id.rawValue.printable + (displayName.map { " (\($0.printable))" } ?? "")
    }
}

/// How far a provider is introduced at the device's single sign-on partner, by the broker's name.
///
/// The broker may add names at any time. Upper and lower case are different.
///
/// Source: the operator's reference of its library for iOS; samples of the REST API show none.
public struct BoardingStatus: EntitlementIdentifier {
    /// The name as it is written on the wire.
    public let rawValue: String

    /// Makes a status from its name, unchanged.
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// The partner's picker lists the provider, and the user signs in at the provider.
    public static let picker: BoardingStatus = "PICKER"
    /// The partner signs the user in.
    public static let supported: BoardingStatus = "SUPPORTED"
}
