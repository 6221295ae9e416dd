/// A value in CBOR (RFC 8949), of the kinds that Common Access Tokens are made of.
///
/// Every value has one spelling, the deterministic encoding (RFC 8949 §4.2.1), and no other is read: a token in two
/// spellings can pass one check and mean something else to the next. What these tokens have no use for is refused as
/// well: keys of maps that are not integers, integers of more than 63 bits, floats and simple values.
///
/// A float of whole seconds is refused, too: deterministic encoding of an instant could be either, and no implementation
/// that was read writes one.
package indirect enum TokenCBOR: Sendable, Hashable {
    case integer(Int64)
    case bytes([UInt8])
    case text(String)
    case array([TokenCBOR])
    case map([Int64: TokenCBOR])
    case tagged(UInt64, TokenCBOR)

    /// How many containers and tags a value can be in: the ID of a key is in a map, an array and two tags.
    private static let maximumDepth = 4
    /// How many values there may be in all, keys included; a token that is issued has less than 40.
    private static let maximumCount = 64

    /// Decodes a value, which fills the bytes; `nil` if they are anything else than ``encoded`` gives.
    package init?(_ bytes: [UInt8]) {
        var reader = Reader(rest: bytes[...])
        guard let value = reader.value(depth: 0), reader.rest.isEmpty else { return nil }
        self = value
    }

    /// The value in deterministic encoding.
    package var encoded: [UInt8] {
        var output: [UInt8] = []
        write(to: &output)
        return output
    }

    private func write(to output: inout [UInt8]) {
        switch self {
        case .integer(let value):
            Self.writeHead(value < 0 ? 1 : 0, UInt64(value < 0 ? ~value : value), to: &output)
        case .bytes(let bytes):
            Self.writeHead(2, UInt64(bytes.count), to: &output)
            output += bytes
        case .text(let text):
            Self.writeHead(3, UInt64(text.utf8.count), to: &output)
            output += text.utf8
        case .array(let values):
            Self.writeHead(4, UInt64(values.count), to: &output)
            for value in values { value.write(to: &output) }
        case .map(let members):
            Self.writeHead(5, UInt64(members.count), to: &output)
            for (key, value) in members.sorted(by: { Self.place(of: $0.key) < Self.place(of: $1.key) }) {
                Self.integer(key).write(to: &output)
                value.write(to: &output)
            }
        case .tagged(let tag, let value):
            Self.writeHead(6, tag, to: &output)
            value.write(to: &output)
        }
    }

    private static func writeHead(_ kind: UInt8, _ argument: UInt64, to output: inout [UInt8]) {
        guard argument >= 24 else { return output.append(kind << 5 | UInt8(argument)) }
        let size: UInt8 = argument <= 0xFF ? 0 : argument <= 0xFFFF ? 1 : argument <= 0xFFFF_FFFF ? 2 : 3
        output.append(kind << 5 | 24 + size)
        for shift in stride(from: (8 << Int(size)) - 8, through: 0, by: -8) {
            output.append(UInt8(truncatingIfNeeded: argument >> UInt64(shift)))
        }
    }

    /// Where a key stands in a map: in the order of the encoded bytes, so 0 and above before -1 and below.
    private static func place(of key: Int64) -> UInt64 { UInt64(bitPattern: key < 0 ? key ^ Int64.max : key) }

    /// Reads values from the start of some bytes.
    private struct Reader {
        var rest: ArraySlice<UInt8>
        private var count = 0

        init(rest: ArraySlice<UInt8>) { self.rest = rest }

        /// Reads a value that is in so many containers and tags.
        mutating func value(depth: Int) -> TokenCBOR? {
            count += 1
            guard depth <= maximumDepth, count <= maximumCount, let (kind, argument) = head() else { return nil }
            switch kind {
            case 0: return Int64(exactly: argument).map { .integer($0) }
            case 1: return Int64(exactly: argument).map { .integer(~$0) }
            case 2: return take(argument).map { .bytes(Array($0)) }
            case 3: return take(argument).flatMap { String(validating: $0, as: UTF8.self) }.map { .text($0) }
            case 4: return array(of: argument, depth: depth + 1)
            case 5: return map(of: argument, depth: depth + 1)
            case 6: return value(depth: depth + 1).map { .tagged(argument, $0) }
            default: return nil
            }
        }

        // The loops end at the first value that is missing or too many, whatever number the bytes announce.

        private mutating func array(of length: UInt64, depth: Int) -> TokenCBOR? {
            var values: [TokenCBOR] = []
            for _ in 0..<length {
                guard let value = value(depth: depth) else { return nil }
                values.append(value)
            }
            return .array(values)
        }

        private mutating func map(of length: UInt64, depth: Int) -> TokenCBOR? {
            var members: [Int64: TokenCBOR] = [:]
            var last: UInt64?
            for _ in 0..<length {
                guard case .integer(let key)? = value(depth: depth), last.map({ $0 < place(of: key) }) ?? true,
                    let value = value(depth: depth)
                else { return nil }
                members[key] = value
                last = place(of: key)
            }
            return .map(members)
        }

        /// Reads the kind of a value and its number or length, which must be in the shortest form.
        private mutating func head() -> (kind: UInt8, argument: UInt64)? {
            guard let first = rest.popFirst() else { return nil }
            let short = first & 0x1F
            if short < 24 { return (first >> 5, UInt64(short)) }
            // 28 to 30 mean nothing, and 31 is a length that is not told.
            guard short < 28, let bytes = take(1 << UInt64(short - 24)) else { return nil }
            let argument = bytes.reduce(0) { $0 << 8 | UInt64($1) }
            let least: UInt64 = short == 24 ? 24 : 1 << (4 << UInt64(short - 24))
            return argument >= least ? (first >> 5, argument) : nil
        }

        private mutating func take(_ length: UInt64) -> ArraySlice<UInt8>? {
            guard length <= UInt64(rest.count) else { return nil }
            defer { rest = rest.dropFirst(Int(length)) }
            return rest.prefix(Int(length))
        }
    }
}
