import TextCodecs
public import EntitlementKeys
import EntitlementValues
public import MetadataDecryption

/// What a provider shared about a user: attributes in the order of the body.
///
/// Each attribute stands for itself: one that is broken, or that no key reads, takes nothing away from the others.
///
/// The typed accessors answer `nil` for an attribute that is not there, and throw `AttributeError` for one that is
/// there and cannot be had: still encrypted, not decrypted, broken, of another type.
public struct UserMetadata: Sendable {
    /// The attributes, unknown ones too.
    public let entries: [UserMetadataEntry]

    init(_ places: [AttributePlace], _ text: Span<UInt8>) {
        entries = places.map { UserMetadataEntry($0, text) }
    }

    private init(entries: [UserMetadataEntry]) {
        self.entries = entries
    }

    /// An attribute by its name; `nil` where it is not there.
    public subscript(_ name: MetadataAttribute) -> UserMetadataEntry? {
        entries.first { $0.name == name }
    }

    /// The same attributes, the encrypted ones decrypted or with the reason why not.
    public func decrypted(with decrypter: MetadataDecrypter) -> UserMetadata {
        UserMetadata(entries: entries.map { $0.decrypted(with: decrypter) })
    }
}

extension UserMetadata: CustomStringConvertible {
    /// Names and outcomes, no value.
    public var description: String { entries.map(\.description).joined(separator: ", ") }
}

/// One attribute of a user: how it came, and its value or why there is none.
public struct UserMetadataEntry: Sendable {
    /// Which attribute it is.
    public let name: MetadataAttribute
    /// Where it stands in the body.
    public let path: JSONLocation
    /// How its value came; `nil` where the body does not say, or not in words that are known.
    public let state: AttributeState?
    /// Its value as it stands in the body; `nil` where there is none.
    public let json: JSONText?
    /// Its value; `AttributeError.encrypted` until it is decrypted.
    public let value: Result<AttributeValue, AttributeError>
    /// The key that decrypted the value: an old one here means that somebody still encrypts for it.
    public let key: DecryptionKey?
    /// Members of the attribute that are not known here.
    public let unknownFields: [JSONField]

    init(_ place: AttributePlace, _ text: Span<UInt8>) {
        name = place.name
        path = place.path
        state = try? place.state.get()
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
        unknownFields = entry.unknownFields
        (self.value, self.key) = (value, key)
    }

    /// Whether the value is marked as plain and yet is Base64 of as many bytes as RSA blocks have.
    ///
    /// It is taken as it is marked. Such a value is a question to the service, or to whoever changed the body.
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
    /// Name and outcome, not the value.
    public var description: String {
        switch value {
        case .success: "\(printable(name.rawValue)): a value"
        case .failure(let error): "\(printable(name.rawValue)): \(error.code)"
        }
    }
}
