#if Client
public import EntitlementValues
import MetadataDecryption
public import ServiceResponses
import TextCodecs

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
        object.member("encrypted", raw: JSONText(strings: encrypted).text.utf8)
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
#endif
