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

    /// Reads the header of a stored record; throws `.malformedRecord` or `.newerForm`.
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

    /// Begins a record with its header.
    ///
    /// The schema is the version of the content's own form. `keyID` is `nil` for a record that is not sealed. `salt` is
    /// salt and nonce.
    static func header(schema: UInt32, keyID: String?, salt: [UInt8]) -> [UInt8] {
        var header = mark
        header.append((keyID == nil ? Kind.unsealed : .sealed).rawValue)
        header.append(bigEndian: schema)
        guard let keyID else { return header }
        header.append(UInt8(truncatingIfNeeded: keyID.utf8.count))
        header += keyID.utf8
        return header + salt
    }
}

extension RecordContext {
    /// What is bound to a sealed record.
    ///
    /// Each part comes after its length, so that none can be read as two others.
    func associatedData(keyID: String) -> [UInt8] {
        var data: [UInt8] = []
        data.reserveCapacity(192)
        data.append(part: "swift-tve-tokens sealed record 1".utf8)
        data.append(part: purpose.rawValue.utf8)
        data.append(part: schema)
        data.append(part: keyID.utf8)
        data.append(part: key.bytes)
        data.append(part: version)
        return data
    }
}

extension [UInt8] {
    fileprivate mutating func append(bigEndian number: some FixedWidthInteger) {
        for shift in stride(from: number.bitWidth - 8, through: 0, by: -8) {
            append(UInt8(truncatingIfNeeded: number >> shift))
        }
    }

    fileprivate mutating func append(part: some Collection<UInt8>) {
        append(bigEndian: UInt32(truncatingIfNeeded: part.count))
        append(contentsOf: part)
    }

    fileprivate mutating func append(part number: some FixedWidthInteger) {
        append(bigEndian: UInt32(truncatingIfNeeded: number.bitWidth / 8))
        append(bigEndian: number)
    }
}
