#if CLI
    import EntitlementValues

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
            octets.appendJSON(text)
        }
    }
#endif
