#if Service
import MetadataDecryption
import ServiceResponses
import TextCodecs

/// The attributes of a user that an app may see, decrypted as far as there are keys.
struct ShownAttributes {
    /// The values by name, in the order of the profile.
    private(set) var object = JSONWriter()
    /// The names of those that have a value which cannot be read: no key decrypts it, or it is malformed.
    private(set) var unreadable: [String] = []

    /// Reads the attributes that the app may see; the others are not even decrypted.
    ///
    /// - Parameters:
    ///   - attributes: All attributes, as the broker sent them.
    ///   - names: The names of those that the app may see.
    ///   - decrypter: Decrypts encrypted ones; `nil` if there are no keys.
    init(of attributes: UserMetadata, lettingThrough names: Set<String>, decryptedWith decrypter: MetadataDecrypter?) {
        let visible = UserMetadata(attributes.entries.filter { names.contains($0.name.rawValue) })
        for entry in (decrypter.map { visible.decrypted(with: $0) } ?? visible).entries {
            switch entry.value {
            case .success(let value): add(value, named: entry.name.rawValue)
            // The broker sent an error in place of the value: there is none.
            case .failure(.reported): continue
            case .failure: unreadable.append(entry.name.rawValue)
            }
        }
    }

    private mutating func add(_ value: AttributeValue, named name: String) {
        switch value.content {
        case .null: return
        case .text(let text): object.member(name, text)
        case .boolean(let bool): object.member(name, bool)
        case .list(let texts):
            object.name(name)
            object.array { writer in
                for text in texts { writer.value(text) }
            }
        // Of these, the text is JSON.
        case .number, .object, .other: object.member(name, raw: value.text.utf8)
        }
    }
}
#endif
