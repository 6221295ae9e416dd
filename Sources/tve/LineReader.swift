#if CLI
    import OpenSSLBridge

    /// Cuts standard input into pieces of whole lines, in bounded memory.
    struct LineReader {
        struct Limits: Sendable {
            /// Longest line that is read, in octets without its end.
            let longestLine: Int
            /// Most lines of a piece.
            let mostLines: Int
        }

        /// What was read, and the number of its first line, from 1.
        struct Piece: Sendable {
            let firstLine: Int
            let content: Content

            /// Octets of the lines.
            var count: Int { if case .lines(let octets) = content { octets.count } else { 0 } }
        }

        enum Content: Sendable {
            /// Some lines, each ended by LF; the last line of the input may lack it.
            case lines([UInt8])
            /// A line that is longer than the limit, and was skipped.
            case tooLong
        }

        let limits: Limits
        /// How much is read at once.
        private let block = 1 << 18

        /// What was read and not yet given out, from `start` on.
        private var buffer: [UInt8] = []
        private var start = 0
        /// Up to where the buffer is known to hold no line end.
        private var searched = 0
        private var isSkipping = false
        private var isAtEnd = false
        private var lineNumber = 1
        private(set) var octetsRead = 0
        /// Whether a signal ended the reading, and the input goes on.
        private(set) var isInterrupted = false

        init(limits: Limits) { self.limits = limits }

        /// The next piece; `nil` at the end, or where it would have to be waited for and that is not wanted.
        mutating func next(mayWait: Bool) throws(FileFailure) -> Piece? {
            while true {
                if isSkipping { skipToLineEnd() }
                if !isSkipping {
                    if let piece = wholeLines() { return piece }
                    if buffer.count - start > limits.longestLine {
                        isSkipping = true
                        return piece(.tooLong, lines: 1)
                    }
                }
                if isAtEnd { return lastLine() }
                switch StandardStreams.awaitInput(mayWait: mayWait) {
                case .ready: try read()
                case .notYet: return nil
                case .stopped:
                    isInterrupted = true
                    isAtEnd = true
                }
            }
        }

        private mutating func read() throws(FileFailure) {
            buffer.removeFirst(start)
            searched = max(0, searched - start)
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
            while lines < limits.mostLines {
                searched = max(searched, end)
                guard let lineEnd = buffer[searched...].firstIndex(of: lineFeed) else {
                    searched = buffer.count
                    break
                }
                guard lineEnd - end <= limits.longestLine else { break }
                end = lineEnd + 1
                lines += 1
            }
            guard lines > 0 else { return nil }
            defer { start = end }
            return piece(.lines(Array(buffer[start..<end])), lines: lines)
        }

        private mutating func lastLine() -> Piece? {
            // After a signal the rest is half a line.
            guard !isSkipping, !isInterrupted, start < buffer.count else { return nil }
            defer { start = buffer.count }
            return piece(.lines(Array(buffer[start...])), lines: 1)
        }

        private mutating func skipToLineEnd() {
            if let lineEnd = buffer[start...].firstIndex(of: lineFeed) {
                start = lineEnd + 1
                isSkipping = false
            } else {
                buffer.removeAll(keepingCapacity: true)
                start = 0
                searched = 0
            }
        }

        private mutating func piece(_ content: Content, lines: Int) -> Piece {
            defer { lineNumber += lines }
            return Piece(firstLine: lineNumber, content: content)
        }
    }

    extension LineReader.Piece {
        /// Where each line stands in the octets, without its LF, and its number.
        var lines: [(number: Int, range: Range<Int>)] {
            guard case .lines(let octets) = content else { return [] }
            var lines: [(number: Int, range: Range<Int>)] = []
            var start = 0
            while start < octets.count {
                let end = octets[start...].firstIndex(of: lineFeed) ?? octets.count
                lines.append((firstLine + lines.count, start..<end))
                start = end + 1
            }
            return lines
        }
    }

    private let lineFeed = UInt8(ascii: "\n")
#endif
