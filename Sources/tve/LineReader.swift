#if CLI
    import OpenSSLBridge

    /// Cuts standard input into pieces of whole lines, in bounded memory.
    struct LineReader {
        /// What was read, and the number of its first line, from 1.
        struct Piece: Sendable {
            let firstLine: Int
            let content: Content
        }

        enum Content: Sendable {
            /// Some lines, each ended by LF; the last line of the input may lack it.
            case lines([UInt8])
            /// A line that is longer than the limit, and was skipped. (Such a line may also come whole among others.)
            case tooLong
        }

        /// Longest line that is read, in octets without its end.
        ///
        /// Rows hold one token, so this is generous.
        static let longestLine = 1 << 20

        /// Most lines of a piece: a verdict on a blank line is a hundred times as long as the line.
        private let mostLines = 1024
        /// How much is read at once.
        private let block = 1 << 18

        /// What was read and not yet given out, from `start` on.
        private var buffer: [UInt8] = []
        private var start = 0
        private var isSkipping = false
        private var isAtEnd = false
        private var lineNumber = 1
        private(set) var octetsRead = 0

        /// Whether there is a piece to give without reading.
        var hasLines: Bool {
            !isSkipping && buffer[start...].contains(UInt8(ascii: "\n"))
        }

        /// The next piece; `nil` at the end.
        mutating func next() throws(FileFailure) -> Piece? {
            while true {
                if isSkipping { skipToLineEnd() }
                if !isSkipping, let piece = wholeLines() { return piece }
                if !isSkipping, buffer.count - start > Self.longestLine {
                    buffer.removeAll(keepingCapacity: true)
                    start = 0
                    isSkipping = true
                    return piece(.tooLong, lines: 1)
                }
                if isAtEnd { return lastLine() }
                try read()
            }
        }

        private mutating func read() throws(FileFailure) {
            buffer.removeFirst(start)
            start = 0
            let octets = try StandardStreams.read(upTo: block)
            isAtEnd = octets.isEmpty
            let isFirst = octetsRead < 3
            octetsRead += octets.count
            buffer += octets
            // A byte order mark may come in pieces, too.
            if isFirst, octetsRead >= 3, lineNumber == 1, buffer.starts(with: [0xEF, 0xBB, 0xBF]) { start = 3 }
        }

        private mutating func wholeLines() -> Piece? {
            var end = start
            var lines = 0
            while lines < mostLines, let lineEnd = buffer[end...].firstIndex(of: UInt8(ascii: "\n")) {
                end = lineEnd + 1
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

        private mutating func skipToLineEnd() {
            if let lineEnd = buffer.firstIndex(of: UInt8(ascii: "\n")) {
                start = lineEnd + 1
                isSkipping = false
            } else {
                buffer.removeAll(keepingCapacity: true)
                start = 0
            }
        }

        private mutating func piece(_ content: Content, lines: Int) -> Piece {
            defer { lineNumber += lines }
            return Piece(firstLine: lineNumber, content: content)
        }
    }
#endif
