public import EntitlementKeys
import EntitlementValues
public import MetadataDecryption
public import TextCodecs

/// The attributes of a user that a provider shared, in the order of the body.
///
/// Attributes are independent: one that is malformed or cannot be decrypted does not affect the others.
///
/// The typed accessors return `nil` if an attribute is absent. They throw `AttributeError` if it is present but has no
/// usable value: it is still encrypted, could not be decrypted, is malformed, or has another type.
public struct UserMetadata: Sendable {
    /// The attributes, including unknown ones.
    public let entries: [UserMetadataEntry]

    /// Makes a collection of attributes, each of another name.
    package init(_ entries: [UserMetadataEntry]) {
        self.entries = entries
    }

    init(_ places: [AttributePlace], in text: Span<UInt8>) {
        entries = places.map { UserMetadataEntry($0, in: text) }
    }

    /// The attribute of a name.
    ///
    /// - Parameter name: The attribute.
    /// - Returns: The attribute; `nil` if it is absent.
    public subscript(_ name: MetadataAttribute) -> UserMetadataEntry? {
        entries.first { $0.name == name }
    }

    /// Decrypts the encrypted attributes.
    ///
    /// - Parameter decrypter: Has the private keys.
    /// - Returns: The same attributes. Each encrypted one has its decrypted value, or the error that prevented it.
    public func decrypted(with decrypter: MetadataDecrypter) -> UserMetadata {
        UserMetadata(entries.map { $0.decrypted(with: decrypter) })
    }
}

extension UserMetadata: CustomStringConvertible {
    /// The names and outcomes, without values.
    public var description: String { entries.map(\.description).joined(separator: ", ") }
}

/// One attribute of a user, with its value or the reason why it has none.
public struct UserMetadataEntry: Sendable {
    /// Which attribute it is.
    public let name: MetadataAttribute
    /// The attribute's location in the body.
    public let path: JSONLocation
    /// Whether the value was sent encrypted; `nil` if the body does not say, or in unknown words.
    public let state: AttributeState?
    /// The value's JSON as it was sent; `nil` if there is none.
    public let json: JSONText?
    /// The value, or the reason why there is none; `AttributeError.encrypted` until it is decrypted.
    public let value: Result<AttributeValue, AttributeError>
    /// The key that decrypted the value; an old key here means that the service still encrypts for it.
    public let key: DecryptionKey?
    /// Members of the attribute that this library does not know, as they were sent.
    public let unknownFields: [JSONField]

    /// The code of the error that the service sent instead of the value; `nil` if it sent none.
    public var errorCode: EnhancedErrorCode? {
        guard case .failure(.reported(let code)) = value else { return nil }
        return code
    }

    /// The `state` that was sent, if it is an unknown one.
    let unknownState: JSONText?

    /// Makes an attribute to be sent unencrypted.
    package init(_ name: MetadataAttribute, plain value: JSONText, unknownFields: [JSONField] = []) {
        self.init(name, state: .plain, json: value, unknownFields: unknownFields)
    }

    /// Makes an attribute to be sent encrypted: RSA blocks in Base64.
    package init(_ name: MetadataAttribute, encrypted ciphertext: String, unknownFields: [JSONField] = []) {
        self.init(name, state: .encrypted, json: JSONText(string: ciphertext), unknownFields: unknownFields)
    }

    /// Makes an attribute to be sent with an error instead of its value.
    package init(_ name: MetadataAttribute, error: EnhancedErrorCode, unknownFields: [JSONField] = []) {
        (self.name, path) = (name, .root + "attributes" + name.rawValue)
        (state, json, unknownState, key) = (nil, nil, nil, nil)
        (value, self.unknownFields) = (.failure(.reported(error)), unknownFields)
    }

    private init(_ name: MetadataAttribute, state: AttributeState, json: JSONText, unknownFields: [JSONField]) {
        (self.name, self.state, self.json, self.unknownFields) = (name, state, json, unknownFields)
        (path, unknownState, key) = (.root + "attributes" + name.rawValue, nil, nil)
        value =
            switch state {
            case .plain: json.text.json { AttributeValue($0, $1, of: name) }.map(Result.success) ?? .failure(.malformed)
            case .encrypted: .failure(.encrypted)
            }
    }

    init(_ place: AttributePlace, in text: Span<UInt8>) {
        name = place.name
        path = place.path
        let state = try? place.state.get()
        self.state = state
        unknownState = state == nil ? place.stateNode.map { JSONText(text, $0) } : nil
        json = place.node.map { JSONText(text, $0) }
        key = nil
        unknownFields = place.unknownFields
        value = place.state.flatMap { state in
            guard let node = place.node else { return .failure(.malformed) }
            switch state {
            case .plain: return .success(AttributeValue(text, node, of: place.name))
            case .encrypted: return .failure(node.value.kind == .string ? .encrypted : .encryptedNotText)
            }
        }
    }

    private init(
        _ entry: UserMetadataEntry,
        value: Result<AttributeValue, AttributeError>,
        key: DecryptionKey?
    ) {
        (name, path, state, json) = (entry.name, entry.path, entry.state, entry.json)
        (unknownFields, unknownState) = (entry.unknownFields, entry.unknownState)
        (self.value, self.key) = (value, key)
    }

    /// Whether the value is marked as plain, but is Base64 of as many bytes as RSA blocks have.
    ///
    /// It is still read as plain. Ask the operator of the service about such a value; the body may have been changed.
    public var looksEncrypted: Bool {
        guard state == .plain, let text = json?.string else { return false }
        let count = Base64.decode(Array(text.utf8), options: .canonical)?.count ?? 0
        return count > 0 && count % 128 == 0
    }

    func decrypted(with decrypter: MetadataDecrypter) -> UserMetadataEntry {
        guard case .failure(.encrypted) = value, let ciphertext = json?.string else { return self }
        do throws(MetadataDecryptionError) {
            let decrypted = try decrypter.decrypt(ciphertext, of: name)
            let value = AttributeValue(text: decrypted.text, of: name)
            return UserMetadataEntry(self, value: .success(value), key: decrypted.key)
        } catch {
            return UserMetadataEntry(self, value: .failure(.decryption(error)), key: nil)
        }
    }
}

extension UserMetadataEntry: CustomStringConvertible {
    /// The name and outcome, without the value.
    public var description: String {
        switch value {
        case .success: "\(name.rawValue.printable): a value"
        case .failure(let error): "\(name.rawValue.printable): \(error.code)"
        }
    }
}

/// Whether an attribute's value was sent encrypted.
public enum AttributeState: Sendable, Hashable {
    /// The value was sent as it is.
    case plain
    /// The value was sent encrypted for the programmer: RSA blocks in Base64.
    case encrypted

    /// Reads the text of a `state`: `plain`, `enc` or `encrypted`, in upper or lower case.
    ///
    /// `nil` for any other text, which must not be taken for `plain`.
    package init?(text: String) {
        // Only ASCII letters have a case here: other letters that fold to these make another text.
        let bytes = text.utf8.map { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 ? $0 | 0x20 : $0 }
        switch String(decoding: bytes, as: UTF8.self) {
        case "plain": self = .plain
        case "enc", "encrypted": self = .encrypted
        default: return nil
        }
    }

    /// The text of a `state`, as the service writes it.
    var wireText: String {
        switch self {
        case .plain: "plain"
        case .encrypted: "enc"
        }
    }
}
