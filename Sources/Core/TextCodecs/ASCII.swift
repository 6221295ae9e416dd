extension Span where Element == UInt8 {
    /// Narrows a range of the text by the white space (space, TAB, CR, LF) at both its ends.
    package func trimmingWhiteSpace(_ range: Range<Int>) -> Range<Int> {
        var lower = range.lowerBound
        while lower < range.upperBound, self[lower].isWhiteSpace { lower += 1 }
        var upper = range.upperBound
        while upper > lower, self[upper - 1].isWhiteSpace { upper -= 1 }
        return lower..<upper
    }

    /// Reads a number of ASCII digits, which fills the range.
    ///
    /// `nil` if it has no digit, more than `maximumDigits` or 18, or anything else.
    @inlinable
    package func decimal(in range: Range<Int>, maximumDigits: Int) -> Int64? {
        guard (1...min(maximumDigits, 18)).contains(range.count) else { return nil }
        var value: Int64 = 0
        for index in range {
            guard self[index].isASCIIDigit else { return nil }
            value = value * 10 + Int64(self[index] - UInt8(ascii: "0"))
        }
        return value
    }
}

extension UInt8 {
    /// Whether the byte is a space, TAB, CR or LF, which is what XML calls white space.
    @inlinable
    package var isWhiteSpace: Bool {
        self == 0x20 || self == 0x0A || self == 0x0D || self == 0x09
    }

    /// Whether the byte is `0` to `9`.
    @inlinable
    package var isASCIIDigit: Bool { 0x30...0x39 ~= self }

    /// Whether the byte is `a` to `z` or `A` to `Z`.
    @inlinable
    package var isASCIILetter: Bool { 0x61...0x7A ~= self || 0x41...0x5A ~= self }

    /// Whether the byte is a letter, a digit, `-` or `_`: the alphabet of Base64url.
    ///
    /// These need no escape in any part of a URL.
    @inlinable
    package var isURLSafe: Bool {
        isASCIILetter || isASCIIDigit || self == UInt8(ascii: "-") || self == UInt8(ascii: "_")
    }
}

extension Int {
    /// Writes the number with leading zeros, in at least `width` digits.
    package func zeroPadded(to width: Int) -> String {
        let digits = String(self)
        return String(repeating: "0", count: Swift.max(0, width - digits.utf8.count)) + digits
    }
}
