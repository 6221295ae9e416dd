#if Client
import TextCodecs

/// Finds the entries of a recording in a stream: the objects in `log.entries`, whatever is around them.
///
/// It knows strings and brackets only; what is in an entry, the reader of JSON looks at.
struct EntryScanner: Sendable {
    /// The longest entry that is looked at, in bytes.
    private static let longestEntry = 16 << 20

    private(set) var isAtStart = true
    private(set) var hasEntries = false
    /// Whether each document that began has ended.
    private(set) var isComplete = false

    /// The brackets on the way to an entry, each with the name of the member that it is the value of.
    private static let way: [(bracket: UInt8, name: [UInt8]?)] = [
        (UInt8(ascii: "{"), nil), (UInt8(ascii: "{"), Array("log".utf8)), (UInt8(ascii: "["), Array("entries".utf8)),
        (UInt8(ascii: "{"), nil),
    ]
    /// How many brackets are open, and how many of these are the first ones of the way.
    private var (depth, reached) = (0, 0)
    private var (isString, isEscaped) = (false, false)
    /// The beginning of the last string: the name of what follows.
    private var name: [UInt8] = []
    /// What came of the entry; `nil` if it is too long.
    private var entry: [UInt8]? = []
    /// Whether the entry has said when it started: one that says so again lacks a bracket, and is the next one.
    private var hasStarted = false

    private var isInEntry: Bool { reached == Self.way.count }

    /// Reads on; returns the entries that end here, with an empty one for each that is too long or broken, and `nil` for
    /// the end of a document.
    mutating func read(_ bytes: [UInt8]) -> [[UInt8]?] {
        if !bytes.isEmpty { isAtStart = false }
        var found: [[UInt8]?] = []
        let text = bytes.span
        var start = 0
        for index in text.indices {
            let byte = text[index]
            if isString {
                readString(byte)
                continue
            }
            switch byte {
            case UInt8(ascii: "\""):
                isString = true
                name.removeAll(keepingCapacity: true)
            case UInt8(ascii: ":") where isInEntry && name == Self.firstName:
                guard hasStarted else {
                    hasStarted = true
                    continue
                }
                found.append([])
                // Of the next entry, what came before is lost; some recorders write this member first.
                (entry, start, depth) = (Array("{\"startedDateTime\"".utf8), index, reached)
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                if open(byte) { (start, hasStarted) = (index, false) }
            case UInt8(ascii: "}") where depth == 3 && reached == 3:
                // What an entry with a bracket too many leaves.
                found.append([])
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                guard close() else {
                    if depth == 0 { found.append(nil) }
                    continue
                }
                append(text.extracting(start..<index + 1))
                found.append(entry ?? [])
                entry = []
            default: continue
            }
        }
        if isInEntry { append(text.extracting(start..<text.count)) }
        return found
    }

    private static let firstName = Array("startedDateTime".utf8)

    private mutating func readString(_ byte: UInt8) {
        if isEscaped {
            isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
            isEscaped = true
        } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\n") {
            // No string has a line end: one that lost its quote must not take the rest of the file along.
            isString = false
        } else if name.count < 16 {
            name.append(byte)
        }
    }

    /// Notes an opening bracket; whether an entry begins with it.
    private mutating func open(_ byte: UInt8) -> Bool {
        let isOnWay = depth == reached && !isInEntry && byte == Self.way[depth].bracket
        depth += 1
        isComplete = false
        guard isOnWay, Self.way[reached].name ?? name == name else { return false }
        reached += 1
        if reached == 3 { hasEntries = true }
        return isInEntry
    }

    /// Notes a closing bracket; whether an entry ends with it.
    private mutating func close() -> Bool {
        guard depth > 0 else { return false }
        let wasInEntry = isInEntry
        depth -= 1
        reached = min(reached, depth)
        if depth == 0 { isComplete = true }
        return wasInEntry && !isInEntry
    }

    private mutating func append(_ text: Span<UInt8>) {
        guard let count = entry?.count, count + text.count <= Self.longestEntry else {
            entry = nil
            return
        }
        entry?.append(copying: text)
    }
}
#endif
