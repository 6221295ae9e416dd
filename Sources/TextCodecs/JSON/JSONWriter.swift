/// Writes one JSON object on one line.
package struct JSONWriter {
    package private(set) var bytes: [UInt8] = [UInt8(ascii: "{")]
    private var isFirst = true

    package init() {}

    package mutating func member(_ name: String, _ text: String) {
        begin(name)
        append(text)
    }

    package mutating func member(_ name: String, _ number: some BinaryInteger) {
        member(name, raw: String(number).utf8)
    }

    package mutating func member(_ name: String, _ bool: Bool) {
        member(name, raw: (bool ? "true" : "false").utf8)
    }

    package mutating func member(_ name: String, _ object: JSONWriter) {
        member(name, raw: object.finished)
    }

    package mutating func member(_ name: String, _ objects: [JSONWriter]) {
        let list = objects.map(\.finished).joined(separator: [UInt8(ascii: ",")])
        member(name, raw: [UInt8(ascii: "[")] + list + [UInt8(ascii: "]")])
    }

    /// Writes a value that is JSON already.
    package mutating func member(_ name: String, raw value: some Sequence<UInt8>) {
        begin(name)
        bytes.append(contentsOf: value)
    }

    /// The whole object.
    package var finished: [UInt8] { bytes + [UInt8(ascii: "}")] }

    private mutating func begin(_ name: String) {
        if !isFirst { bytes.append(UInt8(ascii: ",")) }
        isFirst = false
        append(name)
        bytes.append(UInt8(ascii: ":"))
    }

    private mutating func append(_ text: String) {
        // Most texts are ASCII, in which nothing else is to be escaped.
        if text.utf8.allSatisfy({ $0 < 0x80 }) { bytes.appendJSON(text) } else { bytes += Self.string(text) }
    }

    /// A text as JSON.
    package static func string(_ text: String) -> [UInt8] {
        var string: [UInt8] = []
        string.appendJSON(text)
        return escapingLineEnds(string)
    }

    /// Escapes what JSON allows inside strings and some readers take for a line end, or a terminal for a command:
    /// U+0080 to U+009F, U+2028 and U+2029.
    package static func escapingLineEnds(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.contains(where: { $0 == 0xC2 || $0 == 0xE2 }) else { return bytes }
        var escaped: [UInt8] = []
        for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
            switch scalar.value {
            case 0x80...0x9F, 0x2028, 0x2029: escaped += escape(scalar.value)
            default: escaped += Array(String(scalar).utf8)
            }
        }
        return escaped
    }

    private static func escape(_ value: UInt32) -> [UInt8] {
        let digits = String(value, radix: 16)
        return Array("\\u\(String(repeating: "0", count: max(0, 4 - digits.count)))\(digits)".utf8)
    }
}
