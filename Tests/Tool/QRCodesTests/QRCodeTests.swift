import QRCodes
import TestVectors
import Testing

@Suite struct QRCodeTests {
    static let file = Result { try VectorFile<QRCodeGroup>.named("qr_codes/qr_code_test.json") }

    /// Empty if the file cannot be read; the first test reports that.
    static let cases = (try? file.get())?.testGroups.flatMap(\.tests) ?? []

    static let address = "https://broker.example.org/api/v2/authenticate/REF30/8ER640M"

    @Test func `The file holds as many codes as it says`() throws {
        let file = try Self.file.get()
        #expect(file.testGroups.map(\.tests.count).reduce(0, +) == file.numberOfTests)
        #expect(file.numberOfTests >= 36)
    }

    @Test(arguments: cases)
    func `A code is the same as that of another encoder, module by module`(_ test: QRCodeTest) throws {
        let code = try #require(QRCode(Array(test.content.utf8), mask: test.mask))
        #expect(code.side == test.side)
        let isSame = code.modules == test.modules
        #expect(isSame)
    }

    // qrcode 8.2 chooses it, too. Masks of other contents may differ, since encoders read the rule on patterns that look
    // like the finder's in two ways.
    @Test func `The mask that is easiest to read is chosen`() throws {
        let content = Array(Self.address.utf8)
        let chosen = try #require(QRCode(content))
        #expect((0..<8).filter { QRCode(content, mask: $0) == chosen } == [2])
    }

    @Test func `An empty code is made, and one that is too long is not`() {
        #expect(QRCode([])?.side == 21)
        #expect(QRCode([UInt8](repeating: 0xFF, count: QRCode.maximumLength))?.side == 177)
        #expect(QRCode([UInt8](repeating: 0xFF, count: QRCode.maximumLength + 1)) == nil)
    }

    @Test(arguments: [-1, 8]) func `There are eight masks`(_ mask: Int) { #expect(QRCode([1], mask: mask) == nil) }

    @Test func `Modules outside of a code are light`() throws {
        let code = try #require(QRCode(Array(Self.address.utf8)))
        #expect(code.isDark(column: 0, row: 0))
        for place in [-1, code.side, .max, .min] {
            #expect(!code.isDark(column: place, row: 0) && !code.isDark(column: 0, row: place))
        }
    }

    @Test func `The text shows each module once, inside of the quiet zone`() throws {
        let code = try #require(QRCode(Array(Self.address.utf8)))
        let lines = code.text.split(separator: "\n")
        #expect(lines.count == code.textRows)
        var shown: [[Bool]] = []
        for line in lines {
            #expect(line.hasPrefix("\u{1B}[30;107m") && line.hasSuffix("\u{1B}[0m"))
            let blocks = line.dropFirst("\u{1B}[30;107m".count).dropLast("\u{1B}[0m".count)
            #expect(blocks.count == code.textColumns)
            shown.append(blocks.map { $0 == "█" || $0 == "▀" })
            shown.append(blocks.map { $0 == "█" || $0 == "▄" })
        }
        let edge = QRCode.quietZone
        for (row, modules) in shown.enumerated() {
            for (column, isDark) in modules.enumerated() {
                #expect(isDark == code.isDark(column: column - edge, row: row - edge))
            }
        }
    }
}

extension QRCode {
    /// All modules row by row; true for dark.
    var modules: [Bool] {
        (0..<side).flatMap { row in (0..<side).map { isDark(column: $0, row: row) } }
    }
}

struct QRCodeGroup: Decodable, Sendable {
    let tests: [QRCodeTest]
}

struct QRCodeTest: Decodable, Sendable, CustomTestStringConvertible {
    let tcId: Int
    let comment: String
    let content: String
    let mask: Int
    let side: Int
    let matrix: String

    var testDescription: String { "tcId \(tcId): \(comment)" }

    /// The modules of the matrix, row by row.
    var modules: [Bool] {
        let bits = Vectors.bytes(hexadecimal: matrix).flatMap { byte -> [Bool] in
            (0..<8).reversed().map { byte >> UInt8($0) & 1 == 1 }
        }
        return Array(bits.prefix(side * side))
    }
}
