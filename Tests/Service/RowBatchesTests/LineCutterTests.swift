import RowBatches
import Testing

@Suite struct LineCutterTests {
    private func pieces(
        of input: String,
        chunkSize: Int = .max,
        maximumLineLength: Int = 8,
        maximumLines: Int = 2,
        form: SeparatedForm? = nil,
        isCut: Bool = false
    ) -> [String] {
        var cutter = LineCutter(
            limits: LineCutter.Limits(
                maximumLineLength: maximumLineLength, maximumLines: maximumLines, form: form))
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
            form: .csv)
        // Inside a value a mark is text, and does not make the next line end part of it.
        #expect(lines == ["1=\"a\nb\",c", "2=\"x\"\"\n,y\"", "3=z\"w", "4=5\",\"\n\""])
    }

    @Test(arguments: [1, 5, .max])
    func `A record that is too long is skipped up to its end`(_ chunkSize: Int) {
        let lines = pieces(
            of: "a\n\"1234\n5678\n9\"\nb\n\"12345678\n", chunkSize: chunkSize, maximumLines: 1,
            form: .csv)
        #expect(lines == ["1=a", "2!\"1234\n56", "3=b", "4!\"1234567"])
    }

    /// The lines of the input that each record takes, and the line of a quotation mark that is not closed.
    private func places(of input: String, chunkSize: Int, maximumLineLength: Int = 100) -> [String] {
        var cutter = LineCutter(
            limits: LineCutter.Limits(maximumLineLength: maximumLineLength, maximumLines: 2, form: .csv))
        var places: [String] = []
        func take() {
            while let piece = cutter.next() {
                let records = piece.lines.map(\.inputLines)
                let mark = piece.openMark.map { " \"\($0)" } ?? ""
                for place in records.isEmpty ? [piece.inputLines] : records {
                    places.append("\(place.lowerBound)-\(place.upperBound)\(mark)")
                }
            }
        }
        var rest = Array(input.utf8)[...]
        while !rest.isEmpty {
            cutter.add(rest.prefix(chunkSize))
            rest = rest.dropFirst(chunkSize)
            take()
        }
        cutter.finish(isCut: false)
        take()
        return places
    }

    @Test(arguments: [1, 3, .max])
    func `Each record knows its lines of the input`(_ chunkSize: Int) {
        let input = "\u{FEFF}a\n\"b\n\n\",\"\n\"\nc\n\n"
        #expect(places(of: input, chunkSize: chunkSize) == ["1-1", "2-5", "6-6", "7-7"])
        #expect(places(of: input + "\"d\n\",\"\ne", chunkSize: chunkSize).last == "8-10 \"9")
        #expect(places(of: input + "\"d\ne\n", chunkSize: chunkSize).last == "8-9 \"8")
        #expect(places(of: input + "d\"\n", chunkSize: chunkSize).last == "8-8")
    }

    @Test(arguments: [1, 5, .max])
    func `A record that is too long is counted with all its lines`(_ chunkSize: Int) {
        let input = "a\n\"1234\n5678\n9\"\nb\n"
        #expect(places(of: input, chunkSize: chunkSize, maximumLineLength: 8) == ["1-1", "2-4", "5-5"])
        let open = places(of: input + "\"1234\n5678\n9", chunkSize: chunkSize, maximumLineLength: 8)
        #expect(open == ["1-1", "2-4", "5-5", "6-8 \"6"])
        let ended = places(of: input + "\"1234\n5678\n", chunkSize: chunkSize, maximumLineLength: 8)
        #expect(ended == ["1-1", "2-4", "5-5", "6-7 \"6"])
    }

    /// It may go on without an end, and nothing can be read without it.
    @Test func `A header that is too long is told at once`() {
        var cutter = LineCutter(limits: LineCutter.Limits(maximumLineLength: 8, maximumLines: 2, form: .csv))
        cutter.add(Array("\"12345678".utf8))
        #expect(cutter.next()?.openMark == 1)
    }

    @Test(arguments: [1, 2, .max])
    func `A backslash escapes in quotation marks, or without them`(_ chunkSize: Int) {
        let lines = [#""5 \""#, #"",b"#, #""a\\",c"#, #"d\"#, "e"]
        func records(_ quoting: SeparatedForm.Quoting) -> [String] {
            pieces(
                of: lines.joined(separator: "\n"), chunkSize: chunkSize, maximumLineLength: 100, maximumLines: 1,
                form: SeparatedForm(separator: UInt8(ascii: ","), quoting: quoting))
        }
        #expect(
            records(.backslash) == ["1=\(lines[0])\n\(lines[1])", "2=\(lines[2])", "3=\(lines[3])", "4=\(lines[4])"])
        #expect(
            records(.unquoted) == ["1=\(lines[0])", "2=\(lines[1])", "3=\(lines[2])", "4=\(lines[3])\n\(lines[4])"])
    }
}
