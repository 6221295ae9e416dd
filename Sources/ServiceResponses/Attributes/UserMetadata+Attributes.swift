public import MetadataDecryption

// Their types are those of the service's list of user metadata attributes.
extension UserMetadata {
    /// The value of any attribute; `nil` where it is not there, or `null`.
    ///
    /// - Throws: `AttributeError` where it is there and has no value to work with.
    public func value(_ name: MetadataAttribute) throws(AttributeError) -> AttributeValue? {
        guard let value = try self[name]?.value.get(), value.content != .null else { return nil }
        return value
    }

    /// The text of an attribute that is one; `nil` where it is not there.
    ///
    /// - Throws: `AttributeError` where it is there and is no text.
    public func text(_ name: MetadataAttribute) throws(AttributeError) -> String? {
        guard let value = try value(name) else { return nil }
        guard case .text(let text) = value.content else { throw .otherShape(.text) }
        return text
    }

    /// The texts of an attribute that is a list, or that is one text; `nil` where it is not there.
    ///
    /// - Throws: `AttributeError` where it is there and is neither.
    public func list(_ name: MetadataAttribute) throws(AttributeError) -> [String]? {
        guard let value = try value(name) else { return nil }
        switch value.content {
        case .list(let texts): return texts
        case .text(let text) where name.type == .text: return [text]
        default: throw .otherShape(.list)
        }
    }

    /// The bool value of an attribute that is one; `nil` where it is not there.
    ///
    /// `true` and `false`, as texts also `1` and `0`.
    ///
    /// - Throws: `AttributeError` where it is there and is none.
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

    /// The account, by the provider's name for it; it may equal the household.
    public var userID: String? {
        get throws(AttributeError) { try text(.userID) }
    }

    /// The account, for counting concurrent streams.
    public var upstreamUserID: String? {
        get throws(AttributeError) { try text(.upstreamUserID) }
    }

    /// The household.
    public var householdID: String? {
        get throws(AttributeError) { try text(.householdID) }
    }

    /// Postal codes of the account; a single one is a list of one.
    public var zip: [String]? {
        get throws(AttributeError) { try list(.zip) }
    }

    /// The channels that the user may watch.
    public var channelIDs: [String]? {
        get throws(AttributeError) { try list(.channelID) }
    }

    /// Whether the sign-in was by the home network.
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

    /// The strictest rating that the user may watch.
    public var maxRating: MaximumRating? {
        get throws(AttributeError) {
            guard let value = try value(.maxRating) else { return nil }
            guard case .object(let fields) = value.content else { throw .otherShape(.object) }
            return MaximumRating(fields)
        }
    }
}

/// The strictest rating that a user may watch, by rating system.
public struct MaximumRating: Sendable, Hashable {
    /// By the Motion Picture Association: `PG-13`.
    public let mpaa: String?
    /// By the TV Parental Guidelines: `TV-Y`.
    public let vchip: String?
    /// Where the ratings can be managed.
    public let url: String?
    /// Members that are not known here, and known ones that are no texts.
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
