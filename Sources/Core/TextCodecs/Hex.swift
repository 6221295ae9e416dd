/// Writes and reads hexadecimal digits.
package enum Hex {
    /// Encodes bytes as lower-case digits, two for each.
    package static func encode(_ bytes: some Sequence<UInt8>) -> String {
        let digit = { (value: UInt8) in value + (value < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10) }
        // In one step; each byte of a sequence of any kind costs several calls.
        let bytes = Array(bytes)
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count * 2)
        for byte in bytes {
            text.append(digit(byte >> 4))
            text.append(digit(byte & 15))
        }
        return String(decoding: text, as: UTF8.self)
    }
}

extension UInt8 {
    /// The value of a hexadecimal digit in either case; `nil` for other characters.
    @inlinable
    package var hexDigitValue: UInt8? {
        switch self {
        case 0x30...0x39: self - 0x30
        case 0x41...0x46: self - 0x41 + 10
        case 0x61...0x66: self - 0x61 + 10
        default: nil
        }
    }
}
