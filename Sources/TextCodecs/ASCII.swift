extension Span where Element == UInt8 {
    /// Narrows a range to what stands between white space (space, TAB, CR, LF).
    package func trimmingWhiteSpace(_ range: Range<Int>) -> Range<Int> {
        var lower = range.lowerBound
        while lower < range.upperBound, self[lower].isWhiteSpace { lower += 1 }
        var upper = range.upperBound
        while upper > lower, self[upper - 1].isWhiteSpace { upper -= 1 }
        return lower..<upper
    }

    /// Reads a run of ASCII digits, all of the range; `nil` for anything else, or more digits than allowed.
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
    /// Space, TAB, CR or LF: what XML calls white space.
    package var isWhiteSpace: Bool {
        self == 0x20 || self == 0x0A || self == 0x0D || self == 0x09
    }

    /// `0` to `9`.
    package var isASCIIDigit: Bool { 0x30...0x39 ~= self }

    /// `a` to `z`, `A` to `Z`.
    package var isASCIILetter: Bool { 0x61...0x7A ~= self || 0x41...0x5A ~= self }

    /// A letter, a digit, `-` or `_`: the alphabet of Base64url, which needs no escape in any part of a URL.
    package var isURLSafe: Bool {
        isASCIILetter || isASCIIDigit || self == UInt8(ascii: "-") || self == UInt8(ascii: "_")
    }

    /// The value of a hexadecimal digit in either case.
    package var hexDigitValue: UInt8? {
        switch self {
        case 0x30...0x39: self - 0x30
        case 0x41...0x46: self - 0x41 + 10
        case 0x61...0x66: self - 0x61 + 10
        default: nil
        }
    }
}

/// Writes a number with leading zeros.
package func padded(_ number: Int, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
}
