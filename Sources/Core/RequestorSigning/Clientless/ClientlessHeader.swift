import EntitlementValues
import TextCodecs

/// Parses the header of a clientless request: every field once, in a fixed order.
struct ClientlessHeader {
    let method: String
    let requestor: String
    let nonce: String
    let algorithm: String
    let sent: Timestamp
    let uri: String
    let publicKey: String
    let signature: [UInt8]
    /// The signed part: everything before the public key.
    let signed: [UInt8]

    init(_ header: String) throws(RequestorSigningError) {
        let bytes = Array(header.utf8)
        let methodEnd = bytes.firstIndex(of: UInt8(ascii: " ")) ?? 0
        method = String(decoding: bytes[..<methodEnd], as: UTF8.self)
        guard (try? checkMethod(method)) != nil else { throw .malformed(.request(field: "method")) }
        var values: [ClientlessField: String] = [:]
        var position = methodEnd + 1
        var signedEnd = 0
        for field in ClientlessField.allCases {
            if field != .requestor {
                guard bytes[position...].starts(with: separator) else {
                    throw .malformed(.request(field: field.rawValue))
                }
                if field == .publicKey { signedEnd = position }
                position += separator.count
            }
            let name = Array("\(field.rawValue)=".utf8)
            guard bytes[position...].starts(with: name) else { throw .malformed(.request(field: field.rawValue)) }
            position += name.count
            let end = Self.end(of: bytes, from: position)
            let value = String(decoding: bytes[position..<end], as: UTF8.self)
            guard (try? field.check(value)) != nil else { throw .malformed(.request(field: field.rawValue)) }
            values[field] = value
            position = end
        }
        guard position == bytes.count else { throw .malformed(.request(field: ClientlessField.signature.rawValue)) }
        requestor = values[.requestor] ?? ""
        nonce = values[.nonce] ?? ""
        algorithm = values[.algorithm] ?? ""
        uri = values[.uri] ?? ""
        publicKey = values[.publicKey] ?? ""
        signed = Array(bytes[..<signedEnd])
        sent = try Self.time(values[.time] ?? "")
        guard let code = Base64.decode(Array((values[.signature] ?? "").utf8), options: .canonical) else {
            throw .malformed(.request(field: ClientlessField.signature.rawValue))
        }
        signature = code
    }

    /// The index of the next separator, or the end.
    private static func end(of bytes: [UInt8], from start: Int) -> Int {
        var index = start
        while index < bytes.count, !bytes[index...].starts(with: separator) { index += 1 }
        return index
    }

    /// Reads milliseconds since 1970: digits only, without leading zeros.
    private static func time(_ text: String) throws(RequestorSigningError) -> Timestamp {
        guard 1...15 ~= text.utf8.count, text.utf8.allSatisfy(\.isASCIIDigit), text == "0" || text.utf8.first != 0x30,
            let milliseconds = Int64(text)
        else { throw .malformed(.request(field: ClientlessField.time.rawValue)) }
        return Timestamp(milliseconds: milliseconds)
    }
}

private let separator = Array(", ".utf8)
