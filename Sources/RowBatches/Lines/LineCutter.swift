/// Cuts a stream of bytes into pieces of whole lines, in bounded memory.
package struct LineCutter: Sendable {
    /// How long lines and pieces may be.
    package struct Limits: Sendable {
        /// Maximum length of a line in bytes, without its line end.
        package let maximumLineLength: Int
        /// Maximum number of lines in a piece.
        package let maximumLines: Int
        /// What stands between two values, if a line is a record of separated values that may contain quoted line ends.
        package let separator: UInt8?

        package init(maximumLineLength: Int, maximumLines: Int, separator: UInt8? = nil) {
            self.maximumLineLength = maximumLineLength
            self.maximumLines = maximumLines
            self.separator = separator
        }
    }

    /// A part of the input, and the number of its first line, from 1.
    package struct Piece: Sendable {
        package let firstLine: Int
        package let content: Content
        fileprivate let separator: UInt8?

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
    /// The index before which the buffer is known to hold no line end, and up to which `ends` has seen it.
    private var searched = 0
    private var ends: RecordEnds?
    private var isSkipping = false
    private var isAtEnd = false
    private var lineNumber = 1
    package private(set) var bytesRead = 0

    package init(limits: Limits) {
        self.limits = limits
        ends = limits.separator.map(RecordEnds.init(separator:))
    }

    /// Adds the next bytes of the input.
    package mutating func add(_ bytes: some Sequence<UInt8>) {
        buffer.removeFirst(start)
        searched = max(0, searched - start)
        start = 0
        let isFirst = bytesRead < 3
        let before = buffer.count
        buffer += bytes
        bytesRead += buffer.count - before
        // The bytes of a byte order mark may arrive one by one.
        if isFirst, bytesRead >= 3, lineNumber == 1, buffer.starts(with: [0xEF, 0xBB, 0xBF]) {
            (start, searched) = (3, 3)
            ends = limits.separator.map(RecordEnds.init(separator:))
        }
    }

    /// Ends the input.
    ///
    /// - Parameter isCut: Whether the input was cut short, so that the rest is half a line and is dropped.
    package mutating func finish(isCut: Bool) {
        isAtEnd = true
        if isCut { start = buffer.count }
    }

    /// Takes the next piece.
    ///
    /// - Parameter maximumLines: How many lines it may have at most, beside the limit of all pieces.
    /// - Returns: The piece; `nil` if more input is needed, or at the end.
    package mutating func next(atMost maximumLines: Int = .max) -> Piece? {
        if isSkipping { skipToLineEnd() }
        if !isSkipping {
            if let piece = wholeLines(atMost: min(maximumLines, limits.maximumLines)) { return piece }
            if buffer.count - start > limits.maximumLineLength {
                isSkipping = true
                let head = buffer[start...].prefix(min(Self.maximumHeadLength, limits.maximumLineLength))
                return piece(.tooLong(head: Array(head)), lines: 1)
            }
        }
        return isAtEnd ? lastLine() : nil
    }

    private mutating func wholeLines(atMost maximumLines: Int) -> Piece? {
        var end = start
        var lines = 0
        while lines < maximumLines, let lineEnd = lineEnd(), lineEnd - end <= limits.maximumLineLength {
            end = lineEnd + 1
            searched = end
            lines += 1
        }
        guard lines > 0 else { return nil }
        defer { start = end }
        return piece(.lines(Array(buffer[start..<end])), lines: lines)
    }

    private mutating func lastLine() -> Piece? {
        guard !isSkipping, start < buffer.count else { return nil }
        defer { start = buffer.count }
        return piece(.lines(Array(buffer[start...])), lines: 1)
    }

    /// Finds the next line end, and searches up to it, but not past it.
    private mutating func lineEnd() -> Int? {
        searched = max(searched, start)
        guard var ends else {
            searched = buffer[searched...].firstIndex(of: lineFeed) ?? buffer.count
            return searched < buffer.count ? searched : nil
        }
        defer { self.ends = ends }
        while searched < buffer.count {
            if ends.isEnd(buffer[searched]) { return searched }
            searched += 1
        }
        return nil
    }

    private mutating func skipToLineEnd() {
        if let lineEnd = lineEnd() {
            start = lineEnd + 1
            searched = start
            isSkipping = false
        } else {
            buffer.removeAll(keepingCapacity: true)
            start = 0
            searched = 0
        }
    }

    private mutating func piece(_ content: Content, lines: Int) -> Piece {
        defer { lineNumber += lines }
        return Piece(firstLine: lineNumber, content: content, separator: limits.separator)
    }
}

extension LineCutter.Piece {
    /// The number of each line, and its range in the bytes of the piece, without LF.
    package var lines: [(number: Int, range: Range<Int>)] {
        guard case .lines(let bytes) = content else { return [] }
        var lines: [(number: Int, range: Range<Int>)] = []
        var start = 0
        var ends = separator.map(RecordEnds.init(separator:))
        while start < bytes.count {
            let end = bytes[start...].firstIndex { ends?.isEnd($0) ?? ($0 == lineFeed) } ?? bytes.count
            lines.append((firstLine + lines.count, start..<end))
            start = end + 1
        }
        return lines
    }
}

private let lineFeed = UInt8(ascii: "\n")
