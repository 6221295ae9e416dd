/// The codewords of a code in the order in which they are drawn.
struct Codewords {
    /// Data and error correction, interleaved block by block.
    let bytes: [UInt8]

    /// Makes the codewords of bytes that fit a code of this size.
    init(_ content: [UInt8], in version: QRVersion) {
        let data = Self.data(content, in: version)
        let solomon = ReedSolomon(length: version.correctionLength)
        // All blocks are as long as the first one, or one codeword longer; the longer ones come last.
        let shortLength = data.count / version.blockCount
        let shortCount = version.blockCount - data.count % version.blockCount
        var blocks: [ArraySlice<UInt8>] = []
        var start = 0
        for index in 0..<version.blockCount {
            let end = start + shortLength + (index < shortCount ? 0 : 1)
            blocks.append(data[start..<end])
            start = end
        }
        bytes =
            Self.interleaved(blocks) + Self.interleaved(blocks.map { solomon.correction(of: $0)[...] })
    }

    /// Mode, count and content, and padding up to the length of the version.
    private static func data(_ content: [UInt8], in version: QRVersion) -> [UInt8] {
        var bits: [Bool] = []
        func append(_ value: Int, width: Int) {
            for bit in (0..<width).reversed() { bits.append(value >> bit & 1 == 1) }
        }
        append(0b0100, width: 4)
        append(content.count, width: version.countWidth)
        for byte in content { append(Int(byte), width: 8) }
        append(0, width: min(4, version.dataLength * 8 - bits.count))
        append(0, width: (8 - bits.count % 8) % 8)
        var data = stride(from: 0, to: bits.count, by: 8).map { start in
            bits[start..<start + 8].reduce(UInt8(0)) { $0 << 1 | ($1 ? 1 : 0) }
        }
        // Padding alternates between two codewords.
        var padding: UInt8 = 0xEC
        while data.count < version.dataLength {
            data.append(padding)
            padding ^= 0xEC ^ 0x11
        }
        return data
    }

    /// The first codeword of each block, then the second of each, and so on.
    private static func interleaved(_ blocks: [ArraySlice<UInt8>]) -> [UInt8] {
        let longest = blocks.map(\.count).max() ?? 0
        return (0..<longest).flatMap { place in
            blocks.compactMap { place < $0.count ? $0[$0.startIndex + place] : nil }
        }
    }
}
