/// Writes one JSON object (RFC 8259) on one line.
///
/// Members are added in their order; `finished` closes the object.
package struct JSONWriter {
    /// Which characters of a string are escaped.
    package enum Escaping: Sendable {
        /// What must be: quotes, backslashes and controls, to which DEL is counted.
        ///
        /// Each text has one spelling, so that it can be signed or compared.
        case minimal
        /// Also what some readers take for a line end, a terminal for a command, and what hides or reorders text for people.
        ///
        /// These are U+0080 to U+009F, U+2028 and U+2029, and Unicode's format characters (general category Cf), such as
        /// those for the direction of writing.
        case lineSafe
    }

    /// What was written so far: the object without its end.
    package private(set) var bytes: [UInt8] = [UInt8(ascii: "{")]
    private let escaping: Escaping
    private var needsComma = false

    /// Begins an object.
    package init(escaping: Escaping = .lineSafe) {
        self.escaping = escaping
        bytes.reserveCapacity(Self.usualLength)
    }

    /// Most objects are not longer.
    private static let usualLength = 224

    /// The whole object.
    package var finished: [UInt8] { bytes + [UInt8(ascii: "}")] }

    /// Ends the object and the line, and hands the bytes over without a copy.
    package consuming func line() -> [UInt8] {
        bytes += [UInt8(ascii: "}"), UInt8(ascii: "\n")]
        return bytes
    }

    // MARK: Members

    package mutating func member(_ name: String, _ text: String) {
        self.name(name)
        value(text)
    }

    package mutating func member(_ name: String, _ number: some BinaryInteger) {
        self.name(name)
        value(number)
    }

    package mutating func member(_ name: String, _ bool: Bool) {
        self.name(name)
        value(bool)
    }

    package mutating func member(_ name: String, _ object: JSONWriter) {
        self.name(name)
        value(object)
    }

    package mutating func member(_ name: String, _ texts: [String]) {
        self.name(name)
        array { writer in
            for text in texts { writer.value(text) }
        }
    }

    package mutating func member(_ name: String, _ objects: [JSONWriter]) {
        self.name(name)
        array { writer in
            for object in objects { writer.value(object) }
        }
    }

    /// Adds a member that is an object; `write` writes its members.
    package mutating func member(_ name: String, object write: (inout JSONWriter) -> Void) {
        self.name(name)
        object(write)
    }

    /// Adds a member that is an array of objects, one for each item; `write` writes its members.
    package mutating func member<Item>(
        _ name: String,
        objects items: some Sequence<Item>,
        _ write: (Item, inout JSONWriter) -> Void
    ) {
        self.name(name)
        array { writer in
            for item in items { writer.object { write(item, &$0) } }
        }
    }

    /// Adds a member whose value is JSON already, in one step.
    package mutating func member(_ name: String, raw value: [UInt8]) {
        self.name(name)
        self.value(raw: value)
    }

    /// Adds a member whose value is JSON already.
    package mutating func member(_ name: String, raw value: some Sequence<UInt8>) {
        self.name(name)
        self.value(raw: value)
    }

    /// Begins a member; its value comes next.
    package mutating func name(_ name: String) {
        value(name)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    // MARK: Values

    package mutating func value(_ text: String) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        let isPlain = text.withBytes { text in
            guard text.isPlainInJSON else { return false }
            bytes.append(copying: text)
            return true
        }
        if !isPlain { append(escaping: text) }
        bytes.append(UInt8(ascii: "\""))
    }

    package mutating func value(_ object: JSONWriter) {
        separate()
        bytes += object.bytes
        bytes.append(UInt8(ascii: "}"))
    }

    package mutating func value(_ number: some BinaryInteger) { value(raw: String(number).utf8) }

    package mutating func value(_ bool: Bool) { value(raw: (bool ? "true" : "false").utf8) }

    /// Adds a value that is JSON already, in one step.
    package mutating func value(raw value: [UInt8]) {
        separate()
        bytes += value
    }

    /// Adds a value that is JSON already.
    package mutating func value(raw value: some Sequence<UInt8>) {
        separate()
        bytes.append(contentsOf: value)
    }

    /// Adds an object; `write` writes its members.
    package mutating func object<Failure: Error>(
        _ write: (inout JSONWriter) throws(Failure) -> Void
    ) throws(Failure) {
        try enclose(between: "{", and: "}", write)
    }

    /// Adds an array; `write` writes its elements.
    package mutating func array<Failure: Error>(
        _ write: (inout JSONWriter) throws(Failure) -> Void
    ) throws(Failure) {
        try enclose(between: "[", and: "]", write)
    }

    private mutating func enclose<Failure: Error>(
        between opening: Unicode.Scalar,
        and closing: Unicode.Scalar,
        _ write: (inout JSONWriter) throws(Failure) -> Void
    ) throws(Failure) {
        separate()
        bytes.append(UInt8(ascii: opening))
        needsComma = false
        try write(&self)
        bytes.append(UInt8(ascii: closing))
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }

    // MARK: Values by themselves

    /// A text as a JSON string, `lineSafe`.
    package static func string(_ text: String) -> [UInt8] { json(.string(text)) }

    /// A value of any kind as JSON, `lineSafe`.
    package static func json(_ value: JSON) -> [UInt8] {
        var writer = JSONWriter()
        writer.bytes = []
        writer.value(json: value)
        return writer.bytes
    }

    // MARK: Strings

    private mutating func append(escaping text: String) {
        var escaped: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): escaped += [UInt8(ascii: "\\"), byte]
            case 0x0A: escaped += "\\n".utf8
            case 0x0D: escaped += "\\r".utf8
            case 0x09: escaped += "\\t".utf8
            case ..<0x20, 0x7F: escaped += Self.escape(UInt32(byte))
            default: escaped.append(byte)
            }
        }
        bytes += escaping == .minimal ? escaped : Self.escapingUnseen(escaped)
    }

    /// Escapes in JSON what `lineSafe` escapes besides `minimal`.
    static func escapingUnseen(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.contains(where: { $0 > 0x7F }) else { return bytes }
        var escaped: [UInt8] = []
        for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
            switch scalar.value {
            case ..<0x80: escaped.append(UInt8(scalar.value))
            case 0x80...0x9F, 0x2028, 0x2029: escaped += escape(scalar.value)
            case _ where scalar.properties.generalCategory == .format:
                // Beyond the BMP, JSON escapes the two units of UTF-16 (RFC 8259 §7).
                for unit in String(scalar).utf16 { escaped += escape(UInt32(unit)) }
            default: escaped += String(scalar).utf8
            }
        }
        return escaped
    }

    /// `\u` and four digits.
    private static func escape(_ value: UInt32) -> String.UTF8View {
        "\\u\(Hex.encode([UInt8(value >> 8), UInt8(truncatingIfNeeded: value)]))".utf8
    }
}

extension Span<UInt8> {
    /// Whether all bytes are ASCII and need no escape in a JSON string.
    ///
    /// The compiler makes a loop without a branch take many bytes at a time.
    @inline(never)
    fileprivate var isPlainInJSON: Bool {
        var marks: UInt8 = 0
        for index in 0..<count {
            let byte = self[index]
            marks |= byte < 0x20 || byte > 0x7E || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") ? 1 : 0
        }
        return marks == 0
    }
}
