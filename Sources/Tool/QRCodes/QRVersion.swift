/// The size of a code, 1 to 40, and how it divides its codewords with error correction L.
struct QRVersion: Sendable, Hashable {
    /// 1 to 40.
    let number: Int

    // ISO/IEC 18004, table 9, rows of level L; the first entry is version 1.
    private static let correctionLengths = [
        7, 10, 15, 20, 26, 18, 20, 24, 30, 18, 20, 24, 26, 30, 22, 24, 28, 30, 28, 28,
        28, 28, 30, 30, 26, 28, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30,
    ]
    private static let blockCounts = [
        1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 4, 6, 6, 6, 6, 7, 8,
        8, 9, 9, 10, 12, 12, 12, 13, 14, 15, 16, 17, 18, 19, 19, 20, 21, 22, 24, 25,
    ]

    /// The smallest version that holds so many bytes; `nil` if none does.
    init?(holding count: Int) {
        guard let number = (1...40).first(where: { Self(number: $0).byteCapacity >= count }) else { return nil }
        self.init(number: number)
    }

    private init(number: Int) { self.number = number }

    /// Modules of a side.
    var side: Int { 17 + 4 * number }

    /// Bits of the field that counts the bytes.
    var countWidth: Int { number < 10 ? 8 : 16 }

    /// How many blocks the codewords are divided into.
    var blockCount: Int { Self.blockCounts[number - 1] }

    /// Codewords for error correction in each block.
    var correctionLength: Int { Self.correctionLengths[number - 1] }

    /// All codewords.
    var codewordCount: Int {
        // What finder patterns, timing patterns and format information leave, for a code without alignment patterns.
        var modules = (16 * number + 128) * number + 64
        if number >= 2 {
            let patterns = number / 7 + 2
            modules -= (25 * patterns - 10) * patterns - 55
        }
        if number >= 7 { modules -= 36 }
        return modules / 8
    }

    /// Codewords for data.
    var dataLength: Int { codewordCount - blockCount * correctionLength }

    /// Bytes that fit in byte mode: four bits name the mode.
    private var byteCapacity: Int { (dataLength * 8 - 4 - countWidth) / 8 }

    /// The centres of the alignment patterns, for columns and rows alike.
    var alignmentCentres: [Int] {
        guard number >= 2 else { return [] }
        let count = number / 7 + 2
        // Version 32 is the one exception in the standard's table.
        let step = number == 32 ? 26 : (number * 4 + count * 2 + 1) / (count * 2 - 2) * 2
        return [6] + (0..<(count - 1)).reversed().map { side - 7 - $0 * step }
    }
}
