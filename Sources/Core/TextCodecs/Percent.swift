/// Encodes and decodes percent-encoding (RFC 3986 §2.1).
package enum Percent {
    /// Decodes each `%XX`; other bytes stay as they are.
    ///
    /// `nil` if a `%` does not have two hexadecimal digits after it. A `+` is read as a space, as HTML forms write it,
    /// from the place `spaceStart` of the result on.
    package static func decode(
        _ text: Span<UInt8>,
        in range: Range<Int>,
        plusIsSpaceFrom spaceStart: Int = .max
    ) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(range.count)
        var index = range.lowerBound
        while index < range.upperBound {
            let byte = text[index]
            if byte == UInt8(ascii: "%") {
                guard index + 2 < range.upperBound, let high = text[index + 1].hexDigitValue,
                    let low = text[index + 2].hexDigitValue
                else { return nil }
                bytes.append(high << 4 | low)
                index += 3
            } else {
                let isSpace = byte == UInt8(ascii: "+") && bytes.count >= spaceStart
                bytes.append(isSpace ? UInt8(ascii: " ") : byte)
                index += 1
            }
        }
        return bytes
    }

    /// Decodes each `%XX`; other bytes stay as they are.
    ///
    /// `nil` if a `%` does not have two hexadecimal digits after it.
    package static func decode(_ bytes: [UInt8]) -> [UInt8]? {
        guard bytes.contains(UInt8(ascii: "%")) else { return bytes }
        return bytes.withSpan { decode($0, in: 0..<$0.count) }
    }

    /// Encodes bytes as `%XX`, with upper-case digits as RFC 3986 §2.1 asks.
    ///
    /// `isPlain` says which ASCII bytes stay as they are: the unreserved characters if nothing else is given.
    package static func encode(
        _ bytes: some Sequence<UInt8>,
        leaving isPlain: (UInt8) -> Bool = { $0.isUnreserved }
    ) -> String {
        var text: [UInt8] = []
        for byte in bytes {
            if isPlain(byte) {
                text.append(byte)
            } else {
                text += [UInt8(ascii: "%"), upperCaseDigits[Int(byte >> 4)], upperCaseDigits[Int(byte & 15)]]
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Encodes a text as one segment of a path (RFC 3986 §3.3), whatever characters it has.
    ///
    /// `nil` for an empty text, `.` and `..`, which do not arrive as segments however they are encoded: servers and
    /// proxies drop them, or read them as steps in the path (RFC 3986 §5.2.4 and §6.2.2).
    package static func encode(pathSegment text: String) -> String? {
        if text.isEmpty || text == "." || text == ".." { return nil }
        return text.utf8.allSatisfy(\.isUnreserved) ? text : encode(text.utf8)
    }
}

private let upperCaseDigits = [UInt8]("0123456789ABCDEF".utf8)

extension UInt8 {
    /// Whether the byte is a letter, a digit, `-`, `.`, `_` or `~`, which need no escape in a URI (RFC 3986 §2.3).
    package var isUnreserved: Bool { isURLSafe || self == UInt8(ascii: ".") || self == UInt8(ascii: "~") }
}
