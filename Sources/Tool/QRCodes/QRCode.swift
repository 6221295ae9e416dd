/// A QR code that shows bytes, usually an address, to the camera of another device.
///
/// It is made for screens: with error correction L, the lowest, so that it stays as small as possible, and always in byte
/// mode, which every reader takes for text.
///
/// Source: ISO/IEC 18004.
package struct QRCode: Sendable, Hashable {
    /// The most bytes that a code can hold: those of version 40.
    package static let maximumLength = 2953

    /// How many modules, the small squares, a side has: 21 to 177, without the quiet zone.
    package let side: Int

    private let matrix: QRMatrix

    /// Makes the smallest code that holds the bytes; `nil` if there are more of them than ``maximumLength``.
    ///
    /// Readers take the bytes for UTF-8.
    package init?(_ bytes: [UInt8]) {
        guard let version = QRVersion(holding: bytes.count) else { return nil }
        let candidates = (0..<8).map { QRMatrix(bytes, in: version, mask: $0) }
        guard let best = candidates.min(by: { $0.penalty < $1.penalty }) else { return nil }
        (matrix, side) = (best, version.side)
    }

    /// Makes a code with a mask of the caller's, 0 to 7, so that it can be compared with one of another encoder.
    ///
    /// It is `nil` if there are more bytes than ``maximumLength``, or no such mask.
    package init?(_ bytes: [UInt8], mask: Int) {
        guard let version = QRVersion(holding: bytes.count), (0..<8).contains(mask) else { return nil }
        (matrix, side) = (QRMatrix(bytes, in: version, mask: mask), version.side)
    }

    /// Whether a module is dark; all outside of the code are light.
    package func isDark(column: Int, row: Int) -> Bool {
        guard (0..<side).contains(column), (0..<side).contains(row) else { return false }
        return matrix[column, row]
    }
}

// MARK: In a terminal

extension QRCode {
    /// The width of the light border that readers need, in modules.
    package static let quietZone = 4

    /// How many characters a row of ``text`` has.
    package var textColumns: Int { side + 2 * Self.quietZone }

    /// How many lines ``text`` has: two rows of modules in each.
    package var textRows: Int { (side + 2 * Self.quietZone + 1) / 2 }

    /// The code for a terminal, with its quiet zone: half blocks in black on white, a line end after each line.
    ///
    /// The colours are stated (SGR 30 and 107), since a terminal may be dark or light.
    package var text: String {
        let edge = Self.quietZone
        let lines = stride(from: -edge, to: side + edge, by: 2).map { row in
            let line = (-edge..<side + edge).map { column in
                switch (isDark(column: column, row: row), isDark(column: column, row: row + 1)) {
                case (true, true): "█"
                case (true, false): "▀"
                case (false, true): "▄"
                case (false, false): " "
                }
            }
            return "\u{1B}[30;107m\(line.joined())\u{1B}[0m\n"
        }
        return lines.joined()
    }
}
