/// The error correction of QR codes: Reed-Solomon codes over the field of 256 elements with the polynomial 0x11D.
struct ReedSolomon {
    /// The generator polynomial without its leading coefficient, highest power first.
    private let generator: [UInt8]

    /// Prepares to add `length` codewords, at least 1.
    init(length: Int) {
        var generator = [UInt8](repeating: 0, count: length - 1) + [1]
        var root: UInt8 = 1
        for _ in 0..<length {
            // Multiplied by (x - root); subtraction is addition in this field.
            for place in generator.indices {
                generator[place] = Self.multiply(generator[place], root)
                if place + 1 < length { generator[place] ^= generator[place + 1] }
            }
            root = Self.multiply(root, 2)
        }
        self.generator = generator
    }

    /// The codewords that are added to a block.
    func correction(of block: ArraySlice<UInt8>) -> [UInt8] {
        var remainder = [UInt8](repeating: 0, count: generator.count)
        for byte in block {
            let factor = byte ^ remainder.removeFirst()
            remainder.append(0)
            for place in generator.indices { remainder[place] ^= Self.multiply(generator[place], factor) }
        }
        return remainder
    }

    private static func multiply(_ left: UInt8, _ right: UInt8) -> UInt8 {
        var product = 0
        for bit in (0..<8).reversed() {
            product = (product << 1) ^ ((product >> 7) * 0x11D)
            if right >> UInt8(bit) & 1 == 1 { product ^= Int(left) }
        }
        return UInt8(truncatingIfNeeded: product)
    }
}
