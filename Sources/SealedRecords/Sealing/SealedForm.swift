import TextCodecs

/// The form of a stored record: a header, and then the content, sealed or not.
///
/// The header is `tve`, a byte for the form, and the schema as four bytes. In a sealed record, the name of the key after
/// its length of one byte, the salt and the nonce come next. Numbers are big-endian.
struct SealedForm {
    static let saltLength = 16
    static let nonceLength = 12
    private static let mark = Array("tve".utf8)

    enum Kind: UInt8 { case unsealed = 0, sealed = 1 }

    let kind: Kind
    let schema: UInt32
    let keyID: String
    let salt: Range<Int>
    let nonce: Range<Int>
    let content: Range<Int>

    /// Reads the header of a stored record.
    ///
    /// - Parameter bytes: The record.
    /// - Throws: `.malformedRecord` or `.newerForm`.
    init(of bytes: Span<UInt8>) throws(SealingError) {
        let start = Self.mark.count
        guard bytes.count >= start + 5, Self.mark.indices.allSatisfy({ bytes[$0] == Self.mark[$0] }) else {
            throw .malformedRecord
        }
        guard let kind = Kind(rawValue: bytes[start]) else { throw .newerForm }
        self.kind = kind
        schema = (start + 1..<start + 5).reduce(0) { $0 << 8 | UInt32(bytes[$1]) }
        guard kind == .sealed else {
            (keyID, salt, nonce, content) = ("", 0..<0, 0..<0, start + 5..<bytes.count)
            return
        }
        let idStart = start + 6
        guard bytes.count >= idStart, case let idEnd = idStart + Int(bytes[idStart - 1]),
            case let headerEnd = idEnd + Self.saltLength + Self.nonceLength, headerEnd <= bytes.count,
            let id = String(validating: bytes.extracting(idStart..<idEnd)), id.isKeyID
        else { throw .malformedRecord }
        keyID = id
        salt = idEnd..<idEnd + Self.saltLength
        nonce = salt.upperBound..<headerEnd
        content = headerEnd..<bytes.count
    }

    /// Begins a record.
    ///
    /// - Parameters:
    ///   - schema: The version of the content's own form.
    ///   - keyID: The name of the key; `nil` for a record that is not sealed.
    ///   - salt: Salt and nonce.
    /// - Returns: The header.
    static func header(schema: UInt32, keyID: String?, salt: [UInt8]) -> [UInt8] {
        let kind = keyID == nil ? Kind.unsealed : .sealed
        let start = mark + [kind.rawValue] + bytes(of: schema)
        guard let keyID else { return start }
        return start + [UInt8(truncatingIfNeeded: keyID.utf8.count)] + keyID.utf8 + salt
    }

    static func bytes(of number: some FixedWidthInteger) -> [UInt8] {
        stride(from: number.bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> $0) }
    }
}

extension RecordContext {
    /// What is bound to a sealed record.
    ///
    /// Each part comes after its length, so that none can be read as two others.
    ///
    /// - Parameter keyID: The name of the key.
    /// - Returns: The associated data.
    func associatedData(keyID: String) -> [UInt8] {
        let parts = [
            Array("swift-tve-tokens sealed record 1".utf8), Array(purpose.rawValue.utf8), SealedForm.bytes(of: schema),
            Array(keyID.utf8), key.bytes, SealedForm.bytes(of: version),
        ]
        return parts.reduce(into: []) { data, part in
            data += SealedForm.bytes(of: UInt32(truncatingIfNeeded: part.count))
            data += part
        }
    }
}
