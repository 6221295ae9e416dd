import RowBatches
import Testing

@Suite struct LineCutterTests {
    private func pieces(
        of input: String,
        chunkSize: Int = .max,
        maximumLineLength: Int = 8,
        maximumLines: Int = 2,
        separator: UInt8? = nil,
        isCut: Bool = false
    ) -> [String] {
        var cutter = LineCutter(
            limits: LineCutter.Limits(
                maximumLineLength: maximumLineLength, maximumLines: maximumLines, separator: separator))
        var pieces: [String] = []
        func take() {
            while let piece = cutter.next() {
                switch piece.content {
                case .lines(let bytes):
                    let lines = piece.lines.map { "\($0.number)=" + String(decoding: bytes[$0.range], as: UTF8.self) }
                    pieces.append(lines.joined(separator: ","))
                case .tooLong(let head):
                    pieces.append("\(piece.firstLine)!" + String(decoding: head, as: UTF8.self))
                }
            }
        }
        var rest = Array(input.utf8)[...]
        while !rest.isEmpty {
            cutter.add(rest.prefix(chunkSize))
            rest = rest.dropFirst(chunkSize)
            take()
        }
        cutter.finish(isCut: isCut)
        take()
        return pieces
    }

    @Test(arguments: [1, 2, 3, .max])
    func `Chunks do not show in lines`(_ chunkSize: Int) {
        let lines = pieces(of: "\u{FEFF}a\nbb\n\nlast", chunkSize: chunkSize, maximumLines: 1)
        #expect(lines == ["1=a", "2=bb", "3=", "4=last"])
    }

    @Test func `A piece holds at most the allowed lines`() {
        #expect(pieces(of: "a\nb\nc\n") == ["1=a,2=b", "3=c"])
    }

    @Test(arguments: [1, 5, .max])
    func `A line that is too long is skipped and the next is read`(_ chunkSize: Int) {
        let lines = pieces(of: "a\n123456789\nb\n", chunkSize: chunkSize, maximumLines: 1)
        #expect(lines == ["1=a", "2!12345678", "3=b"])
    }

    @Test func `A line of the greatest length is read`() {
        #expect(pieces(of: "12345678\n") == ["1=12345678"])
    }

    @Test func `Half a line is dropped when the input is cut`() {
        #expect(pieces(of: "a\nhal", isCut: true) == ["1=a"])
    }

    @Test(arguments: [1, 2, 3, .max])
    func `A record may contain quoted line ends`(_ chunkSize: Int) {
        let lines = pieces(
            of: "\u{FEFF}\"a\nb\",c\n\"x\"\"\n,y\"\nz\"w\n5\",\"\n\"", chunkSize: chunkSize, maximumLines: 1,
            separator: UInt8(ascii: ","))
        // Inside a value a mark is text, and does not make the next line end part of it.
        #expect(lines == ["1=\"a\nb\",c", "2=\"x\"\"\n,y\"", "3=z\"w", "4=5\",\"\n\""])
    }

    @Test(arguments: [1, 5, .max])
    func `A record that is too long is skipped up to its end`(_ chunkSize: Int) {
        let lines = pieces(
            of: "a\n\"1234\n5678\n9\"\nb\n\"12345678\n", chunkSize: chunkSize, maximumLines: 1,
            separator: UInt8(ascii: ","))
        #expect(lines == ["1=a", "2!\"1234\n56", "3=b", "4!\"1234567"])
    }
}
