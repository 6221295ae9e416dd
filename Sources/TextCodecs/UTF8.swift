extension Span where Element == UInt8 {
    /// Tells whether the bytes are UTF-8 (RFC 3629: shortest forms, no surrogates, up to U+10FFFF) without NUL.
    package var isTextWithoutNUL: Bool { isASCIIWithoutNUL || isUTF8WithoutNUL }

    /// Nearly all texts are ASCII, and the compiler makes a loop without a branch take many bytes at a time.
    @inline(never)
    private var isASCIIWithoutNUL: Bool {
        var all: UInt8 = 0
        var nulls: UInt8 = 0
        for index in 0..<count {
            let byte = self[index]
            all |= byte
            nulls |= byte == 0 ? 1 : 0
        }
        return all < 0x80 && nulls == 0
    }

    private var isUTF8WithoutNUL: Bool {
        var index = 0
        while index < count {
            let first = self[index]
            index += 1
            if first == 0 { return false }
            if first < 0x80 { continue }
            // How many bytes follow, and what the first of them may be.
            let (length, allowed): (Int, ClosedRange<UInt8>)
            switch first {
            case 0xC2...0xDF: (length, allowed) = (1, 0x80...0xBF)
            case 0xE0: (length, allowed) = (2, 0xA0...0xBF)
            case 0xED: (length, allowed) = (2, 0x80...0x9F)
            case 0xE1...0xEF: (length, allowed) = (2, 0x80...0xBF)
            case 0xF0: (length, allowed) = (3, 0x90...0xBF)
            case 0xF1...0xF3: (length, allowed) = (3, 0x80...0xBF)
            case 0xF4: (length, allowed) = (3, 0x80...0x8F)
            default: return false
            }
            guard count - index >= length, allowed.contains(self[index]) else { return false }
            for offset in 1..<length where !(0x80...0xBF).contains(self[index + offset]) { return false }
            index += length
        }
        return true
    }
}

extension [UInt8] {
    /// Tells whether the bytes are UTF-8 without NUL.
    package var isTextWithoutNUL: Bool { withSpan { $0.isTextWithoutNUL } }
}
