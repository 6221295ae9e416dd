#if CLI
    /// Writes one JSON object on one line.
    struct JSONWriter {
        private(set) var octets: [UInt8] = [UInt8(ascii: "{")]
        private var isFirst = true

        mutating func member(_ name: String, _ text: String) {
            begin(name)
            append(text)
        }

        mutating func member(_ name: String, _ number: some BinaryInteger) {
            member(name, raw: String(number).utf8)
        }

        mutating func member(_ name: String, _ truth: Bool) {
            member(name, raw: (truth ? "true" : "false").utf8)
        }

        mutating func member(_ name: String, _ object: JSONWriter) {
            member(name, raw: object.finished)
        }

        mutating func member(_ name: String, _ objects: [JSONWriter]) {
            let list = objects.map(\.finished).joined(separator: [UInt8(ascii: ",")])
            member(name, raw: [UInt8(ascii: "[")] + list + [UInt8(ascii: "]")])
        }

        /// Writes a value that is JSON already.
        mutating func member(_ name: String, raw value: some Sequence<UInt8>) {
            begin(name)
            octets.append(contentsOf: value)
        }

        /// The whole object.
        var finished: [UInt8] { octets + [UInt8(ascii: "}")] }

        private mutating func begin(_ name: String) {
            if !isFirst { octets.append(UInt8(ascii: ",")) }
            isFirst = false
            append(name)
            octets.append(UInt8(ascii: ":"))
        }

        private mutating func append(_ text: String) {
            octets.append(UInt8(ascii: "\""))
            var isASCII = true
            let start = octets.count
            for octet in text.utf8 {
                switch octet {
                case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                    octets.append(UInt8(ascii: "\\"))
                    octets.append(octet)
                case 0x0A: octets.append(contentsOf: "\\n".utf8)
                case 0x0D: octets.append(contentsOf: "\\r".utf8)
                case 0x09: octets.append(contentsOf: "\\t".utf8)
                case ..<0x20, 0x7F: octets.append(contentsOf: Self.escape(UInt32(octet)))
                default:
                    if octet >= 0x80 { isASCII = false }
                    octets.append(octet)
                }
            }
            if !isASCII { octets.replaceSubrange(start..., with: Self.escapingLineEnds(Array(octets[start...]))) }
            octets.append(UInt8(ascii: "\""))
        }

        /// Escapes what JSON allows inside strings and some readers take for a line end, or a terminal for a command:
        /// U+0080 to U+009F, U+2028 and U+2029.
        static func escapingLineEnds(_ octets: [UInt8]) -> [UInt8] {
            guard octets.contains(where: { $0 == 0xC2 || $0 == 0xE2 }) else { return octets }
            var escaped: [UInt8] = []
            for scalar in String(decoding: octets, as: UTF8.self).unicodeScalars {
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
#endif
