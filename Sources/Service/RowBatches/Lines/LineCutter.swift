/// Cuts a stream of bytes into pieces of whole lines, in bounded memory.
package struct LineCutter: Sendable {
    /// How long lines and pieces may be.
    package struct Limits: Sendable {
        /// Maximum length of a line in bytes, without its line end.
        package let maximumLineLength: Int
        /// Maximum number of lines in a piece.
        package let maximumLines: Int
        /// How values are separated and quoted, if a line is a record of them, which may take several input lines.
        package let form: SeparatedForm?

        package init(maximumLineLength: Int, maximumLines: Int, form: SeparatedForm? = nil) {
            self.maximumLineLength = maximumLineLength
            self.maximumLines = maximumLines
            self.form = form
        }
    }

    /// A part of the input, and the number of its first line, from 1.
    package struct Piece: Sendable {
        /// The number of its first line; of its first record, if lines are records, which may take several input lines.
        package let firstLine: Int
        package let content: Content
        /// The lines of the input that it takes, from 1.
        package let inputLines: ClosedRange<Int>
        /// The line of the input in which a quotation mark opens that is not closed up to the end of the piece.
        package let openMark: Int?
        fileprivate let form: SeparatedForm?

        /// Number of bytes that the piece holds.
        package var count: Int {
            switch content {
            case .lines(let bytes), .tooLong(let bytes): bytes.count
            }
        }
    }

    /// What a piece holds.
    package enum Content: Sendable {
        /// Lines, each ending with LF; the last line of the input may lack it.
        case lines([UInt8])
        /// A line longer than the limit; only its head is kept, 64 KiB at most.
        case tooLong(head: [UInt8])
    }

    private static let maximumHeadLength = 1 << 16

    private let limits: Limits

    /// The input; from `start` on it is not part of any piece yet.
    private var buffer: [UInt8] = []
    private var start = 0
    /// The index up to which line ends were looked for.
    private var searched = 0
    /// The next line end, if it was found and its line is not part of any piece yet.
    private var found: Int?
    private var ends: RecordEnds?
    private var isSkipping = false
    /// The head of a record that is too long, until its end is known, and with it how many lines it takes.
    private var skippedHead: [UInt8]?
    /// Whether the last byte that was skipped is a line feed.
    private var isAfterLineFeed = false
    private var isAtEnd = false
    private var lineNumber = 1
    /// How many lines of the input are part of a piece.
    private var linesTaken = 0
    package private(set) var bytesRead = 0

    package init(limits: Limits) {
        self.limits = limits
        ends = limits.form.map { RecordEnds(form: $0) }
    }

    /// Adds the next bytes of the input.
    package mutating func add(_ bytes: some Sequence<UInt8>) {
        buffer.removeFirst(start)
        searched = max(0, searched - start)
        found = found.map { $0 - start }
        start = 0
        let isFirst = bytesRead < 3
        let before = buffer.count
        buffer += bytes
        bytesRead += buffer.count - before
        // The bytes of a byte order mark may arrive one by one.
        if isFirst, bytesRead >= 3, lineNumber == 1, buffer.starts(with: [0xEF, 0xBB, 0xBF]) {
            (start, searched) = (3, 3)
            ends = limits.form.map { RecordEnds(form: $0) }
        }
    }

    /// Ends the input; if it was cut short, the rest is half a line and is dropped.
    package mutating func finish(isCut: Bool) {
        isAtEnd = true
        if isCut {
            start = buffer.count
            found = nil
            skippedHead = nil
        }
    }

    /// Takes the next piece; `nil` if more input is needed, or at the end.
    ///
    /// It has at most `maximumLines` lines, beside the limit of all pieces.
    package mutating func next(atMost maximumLines: Int = .max) -> Piece? {
        if isSkipping, let piece = skipToLineEnd() { return piece }
        if !isSkipping {
            if let piece = wholeLines(atMost: min(maximumLines, limits.maximumLines)) { return piece }
            if buffer.count - start > limits.maximumLineLength, let piece = beginSkipping() { return piece }
        }
        return isAtEnd ? lastLine() : nil
    }

    private mutating func wholeLines(atMost maximumLines: Int) -> Piece? {
        var end = start
        var lines = 0
        var lastLine = linesTaken
        while lines < maximumLines, let lineEnd = lineEnd(), lineEnd - end <= limits.maximumLineLength {
            found = nil
            end = lineEnd + 1
            lines += 1
            lastLine = ends?.lineFeeds ?? lastLine + 1
        }
        guard lines > 0 else { return nil }
        defer { start = end }
        return piece(.lines(Array(buffer[start..<end])), lines: lines, upTo: lastLine)
    }

    private mutating func lastLine() -> Piece? {
        guard !isSkipping else {
            isSkipping = false
            return skippedRecord(isEnded: isAfterLineFeed)
        }
        guard start < buffer.count else { return nil }
        defer { start = buffer.count }
        return piece(
            .lines(Array(buffer[start...])), lines: 1, upTo: lineReached(isEnded: buffer.last == lineFeed),
            openMark: ends?.openMark)
    }

    /// The line of the input that the search for line ends has reached.
    private func lineReached(isEnded: Bool) -> Int {
        guard let ends else { return linesTaken + 1 }
        return isEnded ? ends.lineFeeds : ends.lineFeeds + 1
    }

    /// Finds the next line end, and searches up to it, but not past it.
    private mutating func lineEnd() -> Int? {
        if let found { return found }
        searched = max(searched, start)
        if limits.form == nil {
            found = buffer[searched...].firstIndex(of: lineFeed)
        } else {
            found = ends?.end(in: buffer, from: searched)
        }
        searched = found.map { $0 + 1 } ?? buffer.count
        return found
    }

    private mutating func beginSkipping() -> Piece? {
        isSkipping = true
        let head = Array(buffer[start...].prefix(min(Self.maximumHeadLength, limits.maximumLineLength)))
        // How many lines a record takes is known at its end. Nothing can come after a header, so it is told at once.
        guard limits.form != nil, lineNumber > 1 else {
            return piece(.tooLong(head: head), lines: 1, upTo: linesTaken + 1, openMark: ends?.openMark)
        }
        skippedHead = head
        return skipToLineEnd()
    }

    /// Drops bytes up to the line end.
    ///
    /// Returns the record that was skipped, if it was not told before and its end has come.
    private mutating func skipToLineEnd() -> Piece? {
        guard let end = lineEnd() else {
            if let last = buffer.last { isAfterLineFeed = last == lineFeed }
            buffer.removeAll(keepingCapacity: true)
            start = 0
            searched = 0
            return nil
        }
        found = nil
        start = end + 1
        isSkipping = false
        return skippedRecord(isEnded: true)
    }

    private mutating func skippedRecord(isEnded: Bool) -> Piece? {
        guard let head = skippedHead else { return nil }
        skippedHead = nil
        return piece(
            .tooLong(head: head), lines: 1, upTo: lineReached(isEnded: isEnded), openMark: ends?.openMark)
    }

    private mutating func piece(_ content: Content, lines: Int, upTo lastLine: Int, openMark: Int? = nil) -> Piece {
        let inputLines = (linesTaken + 1)...max(linesTaken + 1, lastLine)
        defer {
            lineNumber += lines
            linesTaken = inputLines.upperBound
        }
        return Piece(
            firstLine: lineNumber, content: content, inputLines: inputLines, openMark: openMark, form: limits.form)
    }
}

extension LineCutter.Piece {
    /// A line, or a record.
    package struct Line: Sendable {
        package let number: Int
        /// Its range in the bytes of the piece, without LF.
        package let range: Range<Int>
        /// The lines of the input that it takes, from 1.
        package let inputLines: ClosedRange<Int>
    }

    /// The lines or records of the piece.
    package var lines: [Line] {
        guard case .lines(let bytes) = content else { return [] }
        var lines: [Line] = []
        var start = 0
        guard let form else {
            while start < bytes.count {
                let number = firstLine + lines.count
                let end = bytes[start...].firstIndex(of: lineFeed) ?? bytes.count
                lines.append(Line(number: number, range: start..<end, inputLines: number...number))
                start = end + 1
            }
            return lines
        }
        var ends = RecordEnds(form: form, lineFeeds: inputLines.lowerBound - 1)
        while start < bytes.count {
            let first = ends.lineFeeds + 1
            let end = ends.end(in: bytes, from: start)
            // What has no end goes up to the last line of the piece.
            let last = end == nil ? inputLines.upperBound : ends.lineFeeds
            // A backslash before the last line end of the input takes nothing along.
            let isEscaped = end == nil && form.quoting == .unquoted && bytes.last == lineFeed
            let range = start..<(end ?? (isEscaped ? bytes.count - 1 : bytes.count))
            lines.append(Line(number: firstLine + lines.count, range: range, inputLines: first...last))
            start = (end ?? bytes.count) + 1
        }
        return lines
    }
}

private let lineFeed = UInt8(ascii: "\n")
