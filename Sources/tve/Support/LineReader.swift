#if CLI
import HostSystem
import RowBatches

/// Reads standard input in pieces of whole lines.
struct LineReader {
    private var cutter: LineCutter
    /// How much is read at once.
    private let block = 1 << 18
    private var isAtEnd = false
    /// Whether a signal ended the reading, and the input goes on.
    private(set) var isInterrupted = false

    init(limits: LineCutter.Limits) { cutter = LineCutter(limits: limits) }

    var bytesRead: Int { cutter.bytesRead }

    /// The next piece; `nil` at the end, or where it would have to be waited for and that is not wanted.
    mutating func next(mayWait: Bool) throws(FileFailure) -> LineCutter.Piece? {
        while true {
            if let piece = cutter.next() { return piece }
            if isAtEnd { return nil }
            switch StandardStreams.awaitInput(mayWait: mayWait) {
            case .ready:
                let bytes = try StandardStreams.read(upTo: block)
                if bytes.isEmpty { finish(isCut: false) } else { cutter.add(bytes) }
            case .notYet: return nil
            case .stopped:
                isInterrupted = true
                // The rest is half a line.
                finish(isCut: true)
            }
        }
    }

    private mutating func finish(isCut: Bool) {
        isAtEnd = true
        cutter.finish(isCut: isCut)
    }
}
#endif
