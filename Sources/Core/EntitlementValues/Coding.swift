// How values are written with `Codable`: as the broker writes them, an identifier as a text, a time as a number of
// milliseconds.

extension EntitlementIdentifier {
    /// Reads the identifier from a text.
    ///
    /// - Parameter decoder: Where the text is.
    /// - Throws: `DecodingError` if a text is missing.
    public init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(String.self))
    }

    /// Writes the identifier as a text.
    ///
    /// - Parameter encoder: Where the text goes.
    /// - Throws: What the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}

extension Timestamp: Codable {
    /// Reads the instant from a number of milliseconds since the Unix epoch.
    ///
    /// - Parameter decoder: Where the number is.
    /// - Throws: `DecodingError` if a whole number is missing.
    public init(from decoder: any Decoder) throws {
        self.init(milliseconds: try decoder.singleValueContainer().decode(Int64.self))
    }

    /// Writes the instant as a number of milliseconds since the Unix epoch.
    ///
    /// - Parameter encoder: Where the number goes.
    /// - Throws: What the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(milliseconds)
    }
}

extension TimeToLive: Codable {
    /// Reads the length from a number of milliseconds.
    ///
    /// - Parameter decoder: Where the number is.
    /// - Throws: `DecodingError` if a whole number is missing.
    public init(from decoder: any Decoder) throws {
        self.init(milliseconds: try decoder.singleValueContainer().decode(Int64.self))
    }

    /// Writes the length as a number of milliseconds.
    ///
    /// - Parameter encoder: Where the number goes.
    /// - Throws: What the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(milliseconds)
    }
}
