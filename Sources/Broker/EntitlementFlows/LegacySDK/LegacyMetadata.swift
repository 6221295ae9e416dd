#if Client
public import EntitlementValues
import MetadataDecryption
public import ServiceResponses
public import TextCodecs

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
    public var legacyName: String { told.name }

    /// The value of that constant, which is the key of the callback: 0 to 3.
    public var legacyNumber: Int64 { told.number }

    private var told: (name: String, number: Int64) {
        switch self {
        case .authenticationTTL: ("METADATA_AUTHENTICATION", 0)
        case .authorizationTTL: ("METADATA_AUTHORIZATION", 1)
        case .deviceIdentifier: ("METADATA_DEVICE_ID", 2)
        case .userMetadata: ("METADATA_USER_META", 3)
        }
    }

    /// The dictionary with which the question was asked, by the names of the operator's constants.
    public var legacyArguments: JSON {
        var members: JSON.Object = [Names.operation: .string(legacyName)]
        switch self {
        case .authenticationTTL, .deviceIdentifier, .userMetadata(nil): break
        case .authorizationTTL(let resource): members[Names.resource] = .string(resource.rawValue)
        case .userMetadata(let name?): members[Names.attribute] = .string(name)
        }
        return .object(members)
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

extension MetadataAnswer {
    /// The value as the operator's library handed it over: a text, or what the attribute's JSON says.
    ///
    /// `null` if there is none; that is not an error, and the library told none.
    public var legacyValue: JSON {
        switch value {
        case nil: .null
        case .instant(let instant): .string(instant.legacyExpiry)
        case .text(let text): .string(text)
        case .json(let json): JSON(json: json) ?? .string(json)
        }
    }

    /// `setMetadataStatus:encrypted:forKey:andArguments:`.
    var callback: LegacyCallback {
        LegacyCallback(
            "setMetadataStatus:encrypted:forKey:andArguments:", legacyValue, .bool(isEncrypted),
            .number(question.legacyNumber), question.legacyArguments)
    }
}

extension Timestamp {
    /// The instant as AuthN and AuthZ tokens state their end: `yyyy/MM/dd HH:mm:ss GMT Z`.
    ///
    /// The time is that of UTC, and the offset says so: `2026/11/22 21:15:00 GMT +0000`. Milliseconds are cut off. The
    /// letters *GMT* never counted, the offset did. An instant outside the years 1 to 9999 is an empty text, which old
    /// code takes for the end of validity.
    public var legacyExpiry: String {
        guard let date = CivilDate(of: self) else { return "" }
        let second = date.secondOfDay
        let day = "\(date.year.zeroPadded(to: 4))/\(date.month.zeroPadded(to: 2))/\(date.day.zeroPadded(to: 2))"
        let time = [second / 3600, second / 60 % 60, second % 60].map { $0.zeroPadded(to: 2) }.joined(separator: ":")
        return "\(day) \(time) GMT +0000"
    }
}

extension UserMetadata {
    /// The object that `METADATA_USER_META` without a name answered with: `updated`, `encrypted` and `data`.
    ///
    /// The list `encrypted` names the attributes whose values are encrypted still; those are their ciphertexts. An
    /// attribute that has no value is left out.
    ///
    /// - Parameter updated: When the attributes were told, which the object has in seconds.
    /// - Returns: The object as JSON, on one line.
    public func legacyObject(updated: Timestamp) -> String {
        var data = JSONWriter()
        var encrypted: [String] = []
        for entry in entries {
            switch entry.value {
            case .success(let value): data.member(entry.name.rawValue, raw: value.legacyJSON(sentAs: entry).utf8)
            case .failure:
                guard entry.state == .encrypted, let json = entry.json else { continue }
                encrypted.append(entry.name.rawValue)
                data.member(entry.name.rawValue, raw: json.text.utf8)
            }
        }
        var object = JSONWriter()
        object.member("updated", updated.milliseconds / 1000)
        object.member("encrypted", encrypted)
        object.member("data", data)
        return String(decoding: object.finished, as: UTF8.self)
    }
}

extension AttributeValue {
    /// The value as JSON: as it was sent if it was not encrypted, else by what was decrypted.
    fileprivate func legacyJSON(sentAs entry: UserMetadataEntry) -> String {
        if entry.state == .plain, let json = entry.json { return json.text }
        return switch content {
        case .list, .object: JSONText(parsing: text)?.text ?? JSONText(string: text).text
        default: JSONText(string: text).text
        }
    }
}

extension Profile {
    /// The attribute by which the operator's library told whether the device's own account had signed the user in.
    static let legacyTokenSourceName = "tokenSource"

    /// `Apple` if the device's own account signed the user in; `nil` if not.
    var legacyTokenSource: String? { type == .appleSSO ? "Apple" : nil }
}
#endif
