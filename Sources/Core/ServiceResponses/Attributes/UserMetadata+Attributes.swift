public import MetadataDecryption

// The types of the attributes are those that the service documents.
extension UserMetadata {
    /// The value of any attribute.
    ///
    /// - Parameter name: The attribute.
    /// - Returns: The value; `nil` if the attribute is absent, or its value is `null`.
    /// - Throws: `AttributeError` if the attribute has no usable value.
    public func value(_ name: MetadataAttribute) throws(AttributeError) -> AttributeValue? {
        guard let value = try self[name]?.value.get(), value.content != .null else { return nil }
        return value
    }

    /// The value of an attribute that is a text.
    ///
    /// - Parameter name: The attribute.
    /// - Returns: The text; `nil` if the attribute is absent.
    /// - Throws: `AttributeError` if the attribute has no usable value, or is not a text.
    public func text(_ name: MetadataAttribute) throws(AttributeError) -> String? {
        guard let value = try value(name) else { return nil }
        guard case .text(let text) = value.content else { throw .otherShape(.text) }
        return text
    }

    /// The value of an attribute that is a list of texts, or a single text.
    ///
    /// - Parameter name: The attribute.
    /// - Returns: The texts; `nil` if the attribute is absent.
    /// - Throws: `AttributeError` if the attribute has no usable value, or is neither.
    public func list(_ name: MetadataAttribute) throws(AttributeError) -> [String]? {
        guard let value = try value(name) else { return nil }
        switch value.content {
        case .list(let texts): return texts
        case .text(let text) where name.type == .text: return [text]
        default: throw .otherShape(.list)
        }
    }

    /// The value of an attribute that is a bool.
    ///
    /// Both JSON's `true` and `false` are read, and the texts and numbers `true`, `false`, `1` and `0`.
    ///
    /// - Parameter name: The attribute.
    /// - Returns: The bool; `nil` if the attribute is absent.
    /// - Throws: `AttributeError` if the attribute has no usable value, or is not a bool.
    public func boolean(_ name: MetadataAttribute) throws(AttributeError) -> Bool? {
        guard let value = try value(name) else { return nil }
        switch value.content {
        case .boolean(let bool): return bool
        case .text(let text), .number(let text):
            if let bool = AttributeValue.boolean(text) { return bool }
            throw .otherShape(.boolean)
        default: throw .otherShape(.boolean)
        }
    }

    /// The provider's identifier of the account; it may equal that of the household.
    public var userID: String? {
        get throws(AttributeError) { try text(.userID) }
    }

    /// The identifier of the account for counting concurrent streams.
    public var upstreamUserID: String? {
        get throws(AttributeError) { try text(.upstreamUserID) }
    }

    /// The provider's identifier of the household.
    public var householdID: String? {
        get throws(AttributeError) { try text(.householdID) }
    }

    /// The postal codes of the account.
    public var zip: [String]? {
        get throws(AttributeError) { try list(.zip) }
    }

    /// The channels that the user may watch.
    public var channelIDs: [String]? {
        get throws(AttributeError) { try list(.channelID) }
    }

    /// Whether the user was signed in by the home network.
    public var hbaStatus: Bool? {
        get throws(AttributeError) { try boolean(.hbaStatus) }
    }

    /// Whether the device may mirror its screen.
    public var allowMirroring: Bool? {
        get throws(AttributeError) { try boolean(.allowMirroring) }
    }

    /// Whether the user is the head of the household.
    public var isHeadOfHousehold: Bool? {
        get throws(AttributeError) { try boolean(.isHeadOfHousehold) }
    }

    /// The user's language.
    public var language: String? {
        get throws(AttributeError) { try text(.language) }
    }

    /// The highest ratings that the user may watch.
    public var maxRating: MaximumRating? {
        get throws(AttributeError) {
            guard let value = try value(.maxRating) else { return nil }
            guard case .object(let fields) = value.content else { throw .otherShape(.object) }
            return MaximumRating(fields)
        }
    }
}

/// The highest ratings that a user may watch, by rating system.
public struct MaximumRating: Sendable, Hashable {
    /// The rating of the Motion Picture Association, for example `PG-13`.
    public let mpaa: String?
    /// The rating of the TV Parental Guidelines, for example `TV-Y`.
    public let vchip: String?
    /// The page on which the ratings can be managed.
    public let url: String?
    /// Members that this library does not know, and known members that are not texts.
    public let unknownFields: [JSONField]

    init(_ fields: [JSONField]) {
        var unknown = fields
        func take(_ name: String) -> String? {
            guard let index = unknown.firstIndex(where: { $0.name == name }), let text = unknown[index].value.string
            else { return nil }
            unknown.remove(at: index)
            return text
        }
        (mpaa, vchip, url) = (take("MPAA"), take("VCHIP"), take("URL"))
        unknownFields = unknown
    }
}
