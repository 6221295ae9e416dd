/// The modules of a code while it is drawn.
struct QRMatrix: Sendable, Hashable {
    let side: Int
    private var dark: [Bool]
    /// Modules of patterns and information, which hold no codeword and are not masked.
    private var reserved: [Bool]

    /// Draws a code of bytes that fit the version, with a mask pattern of 0 to 7.
    init(_ content: [UInt8], in version: QRVersion, mask: Int) {
        side = version.side
        dark = Array(repeating: false, count: side * side)
        reserved = dark
        drawTiming()
        drawFinders()
        drawAlignment(version.alignmentCentres)
        drawFormat(mask: mask)
        drawVersion(version.number)
        draw(Codewords(content, in: version).bytes, mask: mask)
    }

    subscript(column: Int, row: Int) -> Bool { dark[row * side + column] }

    private mutating func reserve(_ column: Int, _ row: Int, isDark: Bool) {
        dark[row * side + column] = isDark
        reserved[row * side + column] = true
    }

    // MARK: Patterns

    private mutating func drawTiming() {
        for place in 0..<side {
            reserve(6, place, isDark: place % 2 == 0)
            reserve(place, 6, isDark: place % 2 == 0)
        }
    }

    /// Three corners, each with the light modules around it.
    private mutating func drawFinders() {
        for (centreX, centreY) in [(3, 3), (side - 4, 3), (3, side - 4)] {
            for deltaY in -4...4 {
                for deltaX in -4...4 {
                    let (column, row) = (centreX + deltaX, centreY + deltaY)
                    guard (0..<side).contains(column), (0..<side).contains(row) else { continue }
                    let distance = max(abs(deltaX), abs(deltaY))
                    reserve(column, row, isDark: distance != 2 && distance != 4)
                }
            }
        }
    }

    private mutating func drawAlignment(_ centres: [Int]) {
        guard let last = centres.last else { return }
        for centreY in centres {
            for centreX in centres {
                // There the finder patterns are.
                if (centreX, centreY) == (6, 6) || (centreX, centreY) == (6, last) || (centreX, centreY) == (last, 6) {
                    continue
                }
                for deltaY in -2...2 {
                    for deltaX in -2...2 {
                        reserve(centreX + deltaX, centreY + deltaY, isDark: max(abs(deltaX), abs(deltaY)) != 1)
                    }
                }
            }
        }
    }

    // MARK: Information

    /// Error correction L and the mask, twice.
    private mutating func drawFormat(mask: Int) {
        let bits = Self.appendingRemainder(0b01 << 3 | mask, width: 10, polynomial: 0x537) ^ 0x5412
        for bit in 0..<15 {
            let isDark = bits >> bit & 1 == 1
            // Around the first finder pattern, leaving the timing patterns out.
            switch bit {
            case 0..<6: reserve(8, bit, isDark: isDark)
            case 6, 7: reserve(8, bit + 1, isDark: isDark)
            case 8: reserve(7, 8, isDark: isDark)
            default: reserve(14 - bit, 8, isDark: isDark)
            }
            if bit < 8 {
                reserve(side - 1 - bit, 8, isDark: isDark)
            } else {
                reserve(8, side - 15 + bit, isDark: isDark)
            }
        }
        reserve(8, side - 8, isDark: true)
    }

    /// The version, twice, in codes of at least version 7.
    private mutating func drawVersion(_ version: Int) {
        guard version >= 7 else { return }
        let bits = Self.appendingRemainder(version, width: 12, polynomial: 0x1F25)
        for bit in 0..<18 {
            let (far, near) = (side - 11 + bit % 3, bit / 3)
            reserve(far, near, isDark: bits >> bit & 1 == 1)
            reserve(near, far, isDark: bits >> bit & 1 == 1)
        }
    }

    /// A value, and after it the remainder of its division by a polynomial: a BCH code.
    private static func appendingRemainder(_ value: Int, width: Int, polynomial: Int) -> Int {
        var remainder = value
        for _ in 0..<width { remainder = (remainder << 1) ^ ((remainder >> (width - 1)) * polynomial) }
        return value << width | remainder
    }

    // MARK: Codewords

    /// Fills the rest in columns of two, from the right, up and down in turn.
    private mutating func draw(_ codewords: [UInt8], mask: Int) {
        var bit = 0
        // The column of the timing pattern is left out.
        let columns = Array(stride(from: side - 1, to: 6, by: -2)) + Array(stride(from: 5, to: 0, by: -2))
        for (pass, right) in columns.enumerated() {
            for step in 0..<side {
                let row = pass % 2 == 0 ? side - 1 - step : step
                for column in [right, right - 1] where !reserved[row * side + column] {
                    // A few modules at the end hold nothing.
                    let isSet = bit < codewords.count * 8 && codewords[bit / 8] >> UInt8(7 - bit % 8) & 1 == 1
                    bit += 1
                    dark[row * side + column] = isSet != Self.isInverted(column, row, by: mask)
                }
            }
        }
    }

    private static func isInverted(_ column: Int, _ row: Int, by mask: Int) -> Bool {
        switch mask {
        case 0: (column + row) % 2 == 0
        case 1: row % 2 == 0
        case 2: column % 3 == 0
        case 3: (column + row) % 3 == 0
        case 4: (column / 3 + row / 2) % 2 == 0
        case 5: column * row % 2 + column * row % 3 == 0
        case 6: (column * row % 2 + column * row % 3) % 2 == 0
        default: ((column + row) % 2 + column * row % 3) % 2 == 0
        }
    }
}
