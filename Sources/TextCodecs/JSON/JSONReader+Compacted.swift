extension JSONReader {
    /// A value as JSON on one line of ASCII white space and printing characters: white space outside strings is
    /// dropped, and what some readers take for a line end or a terminal for a command is escaped.
    package static func compacted(_ text: Span<UInt8>, _ value: JSONValue) -> [UInt8] {
        var bytes: [UInt8] = []
        var isString = false
        var index = value.range.lowerBound
        while index < value.range.upperBound {
            let byte = text[index]
            if isString, byte == UInt8(ascii: "\\") {
                bytes.append(byte)
                index += 1
                bytes.append(text[index])
            } else {
                if byte == UInt8(ascii: "\"") { isString.toggle() }
                if isString || !byte.isWhiteSpace { bytes.append(byte) }
            }
            index += 1
        }
        return JSONWriter.escapingLineEnds(bytes)
    }
}
