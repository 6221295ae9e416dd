import ServiceResponses
import TextCodecs

/// The identity of a user with promotional temporary access, `AP-TempPass-Identity`.
///
/// It is sent as Base64 of a JSON object. The broker counts each text as a user of its own, so the text must be the same
/// each time: it is never parsed and written again. It is personal data, so neither description nor mirror shows it.
public struct TemporaryIdentity: BrokerHeader {
    /// `AP-TempPass-Identity`.
    public static let name = "AP-TempPass-Identity"
    /// The longest JSON, in bytes.
    public static let maximumLength = 1024

    private let redactedText: Redacted<String>

    /// The JSON object, byte for byte as it was given.
    public var json: String { redactedText.value }

    /// Takes a JSON object.
    ///
    /// - Parameter json: For example `{"email":"user@example.org"}`.
    /// - Throws: `.empty`, `.tooLong`, or `.notJSON`.
    public init(json: String) throws(BrokerHeaderError) {
        try HeaderText.checkLength(json, of: Self.name, limit: Self.maximumLength)
        _ = try json.withBytes { text throws(BrokerHeaderError) in
            try BrokerHeaderError.mapping(Self.name, JSONObject(text, in: 0..<text.count))
        }
        redactedText = Redacted(json)
    }

    /// Makes an object of one member.
    ///
    /// - Parameters:
    ///   - value: What identifies the user, as it is: case and white space make another user.
    ///   - member: The member's name.
    /// - Throws: `.empty` if the value is empty, `.tooLong`.
    public init(_ value: String, as member: String = "email") throws(BrokerHeaderError) {
        guard !value.utf8.isEmpty else { throw .empty(header: Self.name) }
        var object = JSONWriter(escaping: .minimal)
        object.member(member, value)
        try self.init(json: String(decoding: object.finished, as: UTF8.self))
    }

    /// Makes an object of one member that the broker cannot read: the SHA-256 of what identifies the user.
    ///
    /// - Parameters:
    ///   - value: What identifies the user, hashed as it is: trim it and fold its case before, if that is the same user.
    ///   - member: The member's name.
    /// - Throws: `.empty` if there is nothing to hash, `.backend` if libcrypto failed.
    public init(hashing value: String, as member: String = "email") throws(BrokerHeaderError) {
        try self.init(try SHA256Text.hash(value, for: Self.name), as: member)
    }

    /// Reads Base64 of a JSON object.
    ///
    /// - Parameter headerValue: The value of the header.
    /// - Throws: `BrokerHeaderError`.
    public init(headerValue: String) throws(BrokerHeaderError) {
        try self.init(json: try HeaderText.decodeBase64(headerValue, of: Self.name, limit: Self.maximumLength))
    }

    /// The Base64 of the JSON.
    public var headerValue: String { Base64.encode(Array(json.utf8)) }
}

extension TemporaryIdentity: CustomStringConvertible {
    /// The words *temporary identity*, not the identity.
    public var description: String { "temporary identity" }
}
