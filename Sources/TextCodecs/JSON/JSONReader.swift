/// Says why a text is not the JSON it must be.
package struct JSONFault: Error {
    package enum Kind {
        case syntax, repeatedMember, tooDeep
    }

    package let kind: Kind
    package let reason: String
    /// Where the fault is, from the inside out; only a reading of whole texts tells.
    package private(set) var stepsOutward: [JSONStep] = []

    package init(reason: String) { self.init(.syntax, reason) }

    private init(_ kind: Kind, _ reason: String) {
        self.kind = kind
        self.reason = reason
    }

    /// The same fault, one step further in.
    func inside(_ step: JSONStep) -> JSONFault {
        var fault = self
        fault.stepsOutward.append(step)
        return fault
    }

    static let tooDeep = JSONFault(.tooDeep, "nested deeper than \(JSONReader.deepest) levels")
    static let brokenName = JSONFault(.syntax, "a broken escape in a name")
    static let brokenText = JSONFault(.syntax, "half a surrogate pair")
    static let repeated = JSONFault(.repeatedMember, "a member occurs twice")
}

/// One step into a JSON value: to a member by its name, or to an element by its place.
package enum JSONStep {
    case member([UInt8])
    case element(Int)
}

/// One value of a JSON text: what it is, and where it stands.
package struct JSONValue {
    package enum Kind: String {
        case object, array, string, number, boolean, null
    }

    package let kind: Kind
    package let range: Range<Int>
    /// Whether it is a string in which something is escaped.
    package var hasEscapes = false

    /// Where the bytes of a string are, quotes left out.
    package var content: Range<Int> { range.lowerBound + 1..<range.upperBound - 1 }
}

/// Reads the members of one JSON object, or the elements of an array (RFC 8259), as ranges of the text.
///
/// Whether the text is UTF-8 is not checked; see `isTextWithoutNUL`.
///
/// Values stay where they are, with the digits they came in with, and a repeated member is an error instead of a choice.
/// Foundation's decoder offers neither, and is not there in the core.
package struct JSONReader {
    /// How many levels of objects and arrays are read.
    package static let deepest = 64

    let start: Int
    let end: Int
    var position: Int

    /// Reads the members of one JSON object.
    package static func members(of text: Span<UInt8>, in range: Range<Int>) throws(JSONFault) -> JSONMembers {
        var reader = JSONReader(start: range.lowerBound, end: range.upperBound, position: range.lowerBound)
        var members = JSONMembers()
        reader.skipWhiteSpace(text)
        guard reader.take(text, "{") else { throw JSONFault(reason: "not a JSON object") }
        reader.skipWhiteSpace(text)
        if !reader.take(text, "}") {
            repeat {
                reader.skipWhiteSpace(text)
                let (name, value) = try reader.member(text, depth: 1)
                guard let bytes = string(text, name) else { throw .brokenName }
                guard members.add(bytes, value) else { throw .repeated }
            } while reader.take(text, ",")
            guard reader.take(text, "}") else { throw reader.fault }
        }
        reader.skipWhiteSpace(text)
        guard reader.position == reader.end else { throw JSONFault(reason: "more behind the JSON object") }
        return members
    }

    /// Reads one value of any kind, and nothing else but white space around it.
    package static func value(of text: Span<UInt8>, in range: Range<Int>) throws(JSONFault) -> JSONValue {
        var reader = JSONReader(start: range.lowerBound, end: range.upperBound, position: range.lowerBound)
        reader.skipWhiteSpace(text)
        let value = try reader.value(text, depth: 0)
        reader.skipWhiteSpace(text)
        guard reader.position == reader.end else { throw JSONFault(reason: "more behind the JSON value") }
        return value
    }

    /// Reads the elements of one JSON array.
    package static func elements(of text: Span<UInt8>, in range: Range<Int>) throws(JSONFault) -> [JSONValue] {
        var reader = JSONReader(start: range.lowerBound, end: range.upperBound, position: range.lowerBound)
        var elements: [JSONValue] = []
        guard reader.take(text, "[") else { throw JSONFault(reason: "not a JSON array") }
        reader.skipWhiteSpace(text)
        if !reader.take(text, "]") {
            repeat {
                reader.skipWhiteSpace(text)
                elements.append(try reader.value(text, depth: 1))
                reader.skipWhiteSpace(text)
            } while reader.take(text, ",")
            guard reader.take(text, "]") else { throw reader.fault }
        }
        return elements
    }

    /// The bytes of a string value, escapes resolved; `nil` for half a surrogate pair.
    package static func string(_ text: Span<UInt8>, _ value: JSONValue) -> [UInt8]? {
        let content = value.content
        guard value.hasEscapes else {
            return [UInt8](capacity: content.count) { output in
                for index in content { output.append(text[index]) }
            }
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(content.count)
        var index = content.lowerBound
        while index < content.upperBound {
            guard text[index] == UInt8(ascii: "\\") else {
                bytes.append(text[index])
                index += 1
                continue
            }
            let escape = text[index + 1]
            index += 2
            guard escape == UInt8(ascii: "u") else {
                bytes.append(simpleEscapes[escape] ?? escape)
                continue
            }
            var scalar = hexadecimal(text, at: index)
            index += 4
            if 0xD800...0xDBFF ~= scalar {
                guard index + 6 <= content.upperBound, text[index] == UInt8(ascii: "\\"),
                    text[index + 1] == UInt8(ascii: "u"),
                    case let low = hexadecimal(text, at: index + 2), 0xDC00...0xDFFF ~= low
                else { return nil }
                scalar = 0x10000 + (scalar - 0xD800) << 10 + (low - 0xDC00)
                index += 6
            }
            guard let scalar = Unicode.Scalar(scalar) else { return nil }
            bytes.append(contentsOf: String(scalar).utf8)
        }
        return bytes
    }

    /// An integer value within 64 bits; `nil` for other numbers.
    package static func integer(_ text: Span<UInt8>, _ value: JSONValue) -> Int64? {
        guard value.kind == .number else { return nil }
        let bytes = value.range.map { text[$0] }
        return Int64(String(decoding: bytes, as: UTF8.self))
    }

    // MARK: Values

    private mutating func member(
        _ text: Span<UInt8>,
        depth: Int
    ) throws(JSONFault) -> (name: JSONValue, value: JSONValue) {
        guard byte(text) == UInt8(ascii: "\"") else { throw fault }
        let name = try string(text)
        skipWhiteSpace(text)
        guard take(text, ":") else { throw fault }
        skipWhiteSpace(text)
        let value = try value(text, depth: depth)
        skipWhiteSpace(text)
        return (name, value)
    }

    mutating func value(_ text: Span<UInt8>, depth: Int) throws(JSONFault) -> JSONValue {
        switch byte(text) {
        case UInt8(ascii: "{"): return try container(text, .object, closing: "}", depth: depth)
        case UInt8(ascii: "["): return try container(text, .array, closing: "]", depth: depth)
        case UInt8(ascii: "\""): return try string(text)
        case UInt8(ascii: "t"): return try word(text, "true", .boolean)
        case UInt8(ascii: "f"): return try word(text, "false", .boolean)
        case UInt8(ascii: "n"): return try word(text, "null", .null)
        default: return try number(text)
        }
    }

    private mutating func container(
        _ text: Span<UInt8>,
        _ kind: JSONValue.Kind,
        closing: Unicode.Scalar,
        depth: Int
    ) throws(JSONFault) -> JSONValue {
        guard depth < Self.deepest else { throw .tooDeep }
        let start = position
        position += 1
        skipWhiteSpace(text)
        if !take(text, closing) {
            repeat {
                skipWhiteSpace(text)
                if kind == .object {
                    _ = try member(text, depth: depth + 1)
                } else {
                    _ = try value(text, depth: depth + 1)
                    skipWhiteSpace(text)
                }
            } while take(text, ",")
            guard take(text, closing) else { throw fault }
        }
        return JSONValue(kind: kind, range: start..<position)
    }

    mutating func string(_ text: Span<UInt8>) throws(JSONFault) -> JSONValue {
        let start = position
        var hasEscapes = false
        position += 1
        while position < end {
            let byte = text[position]
            position += 1
            switch byte {
            case UInt8(ascii: "\""):
                return JSONValue(kind: .string, range: start..<position, hasEscapes: hasEscapes)
            case UInt8(ascii: "\\"):
                hasEscapes = true
                try escape(text)
            case ..<0x20:
                throw JSONFault(reason: "a control character inside a string")
            default:
                continue
            }
        }
        throw JSONFault(reason: "a string without its end")
    }

    private mutating func escape(_ text: Span<UInt8>) throws(JSONFault) {
        let kind = byte(text)
        position += 1
        if kind == UInt8(ascii: "u") {
            guard position + 4 <= end, (0..<4).allSatisfy({ text[position + $0].hexDigitValue != nil }) else {
                throw JSONFault(reason: "a broken escape")
            }
            position += 4
        } else if simpleEscapes[kind] == nil {
            throw JSONFault(reason: "a broken escape")
        }
    }

    private mutating func word(
        _ text: Span<UInt8>,
        _ word: String,
        _ kind: JSONValue.Kind
    ) throws(JSONFault) -> JSONValue {
        let start = position
        for letter in word.utf8 {
            guard byte(text) == letter else { throw fault }
            position += 1
        }
        return JSONValue(kind: kind, range: start..<position)
    }

    private mutating func number(_ text: Span<UInt8>) throws(JSONFault) -> JSONValue {
        let start = position
        _ = take(text, "-")
        if !take(text, "0") { try digits(text) }
        if take(text, ".") { try digits(text) }
        if take(text, "e") || take(text, "E") {
            _ = take(text, "+") || take(text, "-")
            try digits(text)
        }
        return JSONValue(kind: .number, range: start..<position)
    }

    private mutating func digits(_ text: Span<UInt8>) throws(JSONFault) {
        guard byte(text).isASCIIDigit else { throw fault }
        while byte(text).isASCIIDigit { position += 1 }
    }

    // MARK: Steps

    /// The next byte; 0, which no JSON text holds, at the end.
    func byte(_ text: Span<UInt8>) -> UInt8 {
        position < end ? text[position] : 0
    }

    mutating func take(_ text: Span<UInt8>, _ scalar: Unicode.Scalar) -> Bool {
        guard byte(text) == UInt8(ascii: scalar) else { return false }
        position += 1
        return true
    }

    mutating func skipWhiteSpace(_ text: Span<UInt8>) {
        while byte(text).isWhiteSpace { position += 1 }
    }

    private static func hexadecimal(_ text: Span<UInt8>, at index: Int) -> UInt32 {
        (0..<4).reduce(0) { $0 << 4 | UInt32(text[index + $1].hexDigitValue ?? 0) }
    }

    var fault: JSONFault { JSONFault(reason: "not JSON at byte \(position - start)") }
}

private let simpleEscapes: [UInt8: UInt8] = [
    UInt8(ascii: "\""): 0x22, UInt8(ascii: "\\"): 0x5C, UInt8(ascii: "/"): 0x2F, UInt8(ascii: "b"): 0x08,
    UInt8(ascii: "f"): 0x0C, UInt8(ascii: "n"): 0x0A, UInt8(ascii: "r"): 0x0D, UInt8(ascii: "t"): 0x09,
]
