package import HostSystem
package import OpenSSLBridge
package import ServiceResponses
import TextCodecs

/// How a decrypted text is written into a row.
package struct PlainTextForm: Sendable {
    private let parses: Bool
    let pseudonyms: Pseudonyms?

    /// Makes a form; by default a text is written as a JSON string.
    ///
    /// If `parses` is true, a text that is a JSON array or object is written as that array or object. `pseudonyms`
    /// makes the hashes that are written instead of texts, if wanted.
    package init(parses: Bool = false, pseudonyms: Pseudonyms? = nil) {
        self.parses = parses
        self.pseudonyms = pseudonyms
    }

    /// Writes a text as JSON; throws if it could not be hashed.
    func json(_ text: String) throws(OpenSSLFailure) -> [UInt8] {
        guard parses else { return try string(text) }
        return try text.withBytes { bytes throws(OpenSSLFailure) in
            guard let value = try? JSONReader.value(of: bytes, in: 0..<bytes.count) else { return try string(text) }
            switch value.kind {
            case .array where pseudonyms != nil:
                let elements = (try? JSONReader.elements(of: bytes, in: value.range)) ?? []
                return try list(elements.map { $0.plain(in: bytes) })
            case .array, .object:
                return try pseudonyms == nil ? value.compacted(in: bytes) : string(text)
            default:
                return try string(text)
            }
        }
    }

    /// Writes an attribute's value as JSON of its own type: a list, a Boolean, an object or a string.
    ///
    /// Throws if it could not be hashed.
    package func json(_ value: AttributeValue) throws(OpenSSLFailure) -> [UInt8] {
        switch value.content {
        case .list(let texts):
            return try list(texts)
        case .boolean(let bool) where pseudonyms == nil:
            return Array((bool ? "true" : "false").utf8)
        case .object where pseudonyms == nil:
            let object = value.text.withBytes { bytes in
                (try? JSONReader.value(of: bytes, in: 0..<bytes.count))?.compacted(in: bytes)
            }
            if let object { return object }
        case .text, .boolean, .object, .number, .null, .other:
            break
        }
        return try string(value.text)
    }

    /// A text, or its hash; throws if it could not be hashed.
    func text(_ text: String) throws(OpenSSLFailure) -> String {
        try pseudonyms?.pseudonym(of: text) ?? text
    }

    /// Writes a text, or its hash, as a JSON string.
    private func string(_ text: String) throws(OpenSSLFailure) -> [UInt8] {
        JSONWriter.string(try self.text(text))
    }

    /// Writes texts, or their hashes, as a JSON array.
    private func list(_ texts: [String]) throws(OpenSSLFailure) -> [UInt8] {
        var list = [UInt8(ascii: "[")]
        for (index, text) in texts.enumerated() {
            if index > 0 { list.append(UInt8(ascii: ",")) }
            list += try string(text)
        }
        list.append(UInt8(ascii: "]"))
        return list
    }
}

extension JSONValue {
    /// The text of a string; the JSON of any other value.
    fileprivate func plain(in text: Span<UInt8>) -> String {
        if kind == .string, let string = string(in: text) { return string }
        return String(decoding: compacted(in: text), as: UTF8.self)
    }
}

/// Replaces texts by keyed hashes: equal texts get equal hashes, and the text cannot be found without the key.
///
/// HMAC-SHA-256 (RFC 2104), 64 lowercase hexadecimal digits. The name of the field is not part of the hash, so that
/// tables can be joined over fields of different names. With the key, a short text such as a postal code is easily
/// found by trying all of them.
package struct Pseudonyms: Sendable {
    private let key: AuthenticationKey

    /// Takes a key of at least 32 bytes, as many as the hash has.
    package init(key: WipedBytes) { self.key = AuthenticationKey(key, digest: .sha256) }

    /// Hashes the UTF-8 of a text to 64 lowercase hexadecimal digits.
    ///
    /// The text is taken as it is: nothing is trimmed or normalised.
    package func pseudonym(of text: String) throws(OpenSSLFailure) -> String {
        Hex.encode(try key.code(of: Array(text.utf8)))
    }
}
