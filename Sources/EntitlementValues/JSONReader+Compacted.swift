extension JSONReader {
    /// A value as JSON on one line of ASCII white space and printing characters: white space outside strings is
    /// dropped, and what some readers take for a line end or a terminal for a command is escaped.
    package static func compacted(_ text: Span<UInt8>, _ value: JSONValue) -> [UInt8] {
        var octets: [UInt8] = []
        var isString = false
        var index = value.range.lowerBound
        while index < value.range.upperBound {
            let octet = text[index]
            if isString, octet == UInt8(ascii: "\\") {
                octets.append(octet)
                index += 1
                octets.append(text[index])
            } else {
                if octet == UInt8(ascii: "\"") { isString.toggle() }
                if isString || !octet.isWhiteSpace { octets.append(octet) }
            }
            index += 1
        }
        return JSONWriter.escapingLineEnds(octets)
    }
}
