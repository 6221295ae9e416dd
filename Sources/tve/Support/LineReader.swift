#if CLI
import HostSystem
import RowBatches

/// Reads standard input in pieces of whole lines.
struct LineReader {
    private var cutter: LineCutter
    /// How many bytes are read at once.
    private let block = 1 << 18
    private var isAtEnd = false
    /// Whether a signal ended the reading before the end of the input.
    private(set) var isInterrupted = false

    init(limits: LineCutter.Limits) { cutter = LineCutter(limits: limits) }

    var bytesRead: Int { cutter.bytesRead }

    /// Reads the next piece.
    ///
    /// - Parameter mayWait: Whether to wait until a whole line has come.
    /// - Returns: The piece; `nil` at the end, or if it would have to be waited for and `mayWait` is false.
    /// - Throws: `CommandFailure` if standard input cannot be read.
    mutating func next(mayWait: Bool) throws(CommandFailure) -> LineCutter.Piece? {
        while true {
            if let piece = cutter.next() { return piece }
            if isAtEnd { return nil }
            switch StandardStreams.awaitInput(mayWait: mayWait) {
            case .ready:
                let bytes = try Self.read(upTo: block)
                if bytes.isEmpty { finish(isCut: false) } else { cutter.add(bytes) }
            case .notYet: return nil
            case .stopped:
                isInterrupted = true
                // The rest is half a line.
                finish(isCut: true)
            }
        }
    }

    private static func read(upTo count: Int) throws(CommandFailure) -> [UInt8] {
        do throws(FileFailure) {
            return try StandardStreams.read(upTo: count)
        } catch {
            throw .io("standard input", error, file: "-")
        }
    }

    private mutating func finish(isCut: Bool) {
        isAtEnd = true
        cutter.finish(isCut: isCut)
    }
}
#endif
