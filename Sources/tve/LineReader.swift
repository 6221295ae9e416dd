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
        /// How much is read at once.
        private let block = 1 << 18
        private var kept: [UInt8] = []
        private var isSkipping = false
        private var isAtEnd = false
        private var isAtStart = true
        private var lineNumber = 1
        private(set) var octetsRead = 0

        /// The next piece; `nil` at the end.
        mutating func next() throws(FileFailure) -> Piece? {
            while !isAtEnd {
                var octets = try StandardStreams.read(upTo: block)
                octetsRead += octets.count
                isAtEnd = octets.isEmpty
                if isAtStart, octets.starts(with: [0xEF, 0xBB, 0xBF]) { octets.removeFirst(3) }
                isAtStart = false
                if isSkipping {
                    guard let lineEnd = octets.firstIndex(of: UInt8(ascii: "\n")) else { continue }
                    octets.removeFirst(lineEnd + 1)
                    isSkipping = false
                }
                let lastLineEnd = octets.lastIndex(of: UInt8(ascii: "\n"))
                let whole = lastLineEnd.map { octets[...$0] } ?? []
                let rest = lastLineEnd.map { octets[($0 + 1)...] } ?? octets[...]
                let lines = kept + whole
                kept = whole.isEmpty ? kept + rest : Array(rest)
                if kept.count > Self.longestLine {
                    kept = []
                    isSkipping = true
                    return piece(.tooLong, lines: 1)
                }
                if !whole.isEmpty {
                    return piece(.lines(lines), lines: lines.count { $0 == UInt8(ascii: "\n") })
                }
            }
            defer { kept = [] }
            return kept.isEmpty ? nil : piece(.lines(kept), lines: 1)
        }

        private mutating func piece(_ content: Content, lines: Int) -> Piece {
            defer { lineNumber += lines }
            return Piece(firstLine: lineNumber, content: content)
        }
    }
#endif
