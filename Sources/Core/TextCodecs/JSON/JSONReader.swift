/// Reads JSON (RFC 8259) as ranges of its text.
///
/// One traversal serves three readings: `value` keeps where one value is, `members` and `elements` keep one level of
/// it, and `node` keeps everything. What is kept is checked as well: names occur once in their object, and `node`
/// refuses half a surrogate pair in any string. Whether the text is UTF-8 is not checked; see `isTextWithoutNUL`. In one that
/// is not, names have replacement characters, and two that are the same then count as one name.
///
/// Values stay where they are, with the digits they came in with, and a repeated member is an error, not a choice.
/// Foundation's decoder offers neither, and the core does not have it.
package struct JSONReader {
    /// How many levels of objects and arrays are read.
    package static let maximumDepth = 64
    /// How many members of one object are kept; each takes more memory than its text.
    package static let maximumMembers = 10_000

    /// How much of what is inside a value is kept.
    private enum Extent {
        case nothing, oneLevel, everything

        /// The extent for the values inside.
        var inside: Extent { self == .everything ? .everything : .nothing }
    }

    private let start: Int
    private let end: Int
    private var position: Int
    private let maximumValues: Int
    private let maximumElements: Int
    private var keptValues = 0

    /// Reads a value of any kind, and nothing else but white space around it.
    package static func value(of text: Span<UInt8>, in range: Range<Int>) throws(JSONFault) -> JSONValue {
        var contents = JSONContents()
        return try whole(text, in: range, keeping: .nothing, into: &contents)
    }

    /// Reads the members of one JSON object, and leaves the inside of their values alone.
    package static func members(of text: Span<UInt8>, in range: Range<Int>) throws(JSONFault) -> JSONMembers {
        var contents = JSONContents()
        _ = try whole(text, in: range, as: .object, keeping: .oneLevel, into: &contents)
        return contents.members
    }

    /// Reads the elements of one JSON array, and leaves the inside of them alone.
    package static func elements(of text: Span<UInt8>, in range: Range<Int>) throws(JSONFault) -> [JSONValue] {
        var contents = JSONContents()
        _ = try whole(text, in: range, as: .array, keeping: .oneLevel, into: &contents)
        return contents.elements.map(\.value)
    }

    /// Reads a value of a kind, or (with `nil`) of any, with everything inside it, in one pass.
    ///
    /// It costs the same however deep the text is nested. The range is the value with white space around it.
    ///
    /// A value of two bytes takes some hundred bytes of memory, so give a limit if the text comes from outside.
    /// `maximumValues` limits all values inside, and `maximumElements` those of one array. When there are more, the
    /// reading ends with a fault of the kind `tooManyValues` or `tooManyMembers`.
    package static func node(
        of text: Span<UInt8>,
        in range: Range<Int>,
        as kind: JSONValue.Kind? = nil,
        maximumValues: Int = .max,
        maximumElements: Int = .max
    ) throws(JSONFault) -> JSONNode {
        var contents = JSONContents()
        let value = try whole(
            text, in: range, as: kind, keeping: .everything, maximumValues: maximumValues,
            maximumElements: maximumElements, into: &contents)
        return JSONNode(value, contents)
    }

    // MARK: Values

    private static func whole(
        _ text: Span<UInt8>,
        in range: Range<Int>,
        as kind: JSONValue.Kind? = nil,
        keeping extent: Extent,
        maximumValues: Int = .max,
        maximumElements: Int = .max,
        into contents: inout JSONContents
    ) throws(JSONFault) -> JSONValue {
        var reader = JSONReader(
            start: range.lowerBound, end: range.upperBound, position: range.lowerBound, maximumValues: maximumValues,
            maximumElements: maximumElements)
        reader.skipWhiteSpace(text)
        let first = reader.byte(text)
        if kind == .object, first != UInt8(ascii: "{") { throw JSONFault(reason: "not a JSON object") }
        if kind == .array, first != UInt8(ascii: "[") { throw JSONFault(reason: "not a JSON array") }
        let value = try reader.value(text, depth: 0, keeping: extent, into: &contents)
        reader.skipWhiteSpace(text)
        guard reader.position == reader.end else {
            throw reader.fault("more text after the JSON \(kind?.rawValue ?? "value")")
        }
        return value
    }

    private mutating func value(
        _ text: Span<UInt8>,
        depth: Int,
        keeping extent: Extent,
        into contents: inout JSONContents
    ) throws(JSONFault) -> JSONValue {
        switch byte(text) {
        case UInt8(ascii: "{"):
            return try container(text, .object, closing: "}", depth: depth, keeping: extent, into: &contents)
        case UInt8(ascii: "["):
            return try container(text, .array, closing: "]", depth: depth, keeping: extent, into: &contents)
        case UInt8(ascii: "\""):
            let value = try string(text)
            if extent == .everything, value.hasEscapes, value.bytes(in: text) == nil {
                throw fault("half a surrogate pair", at: value.range.lowerBound)
            }
            return value
        case UInt8(ascii: "t"): return try word(text, "true", as: .boolean)
        case UInt8(ascii: "f"): return try word(text, "false", as: .boolean)
        case UInt8(ascii: "n"): return try word(text, "null", as: .null)
        default: return try number(text)
        }
    }

    private mutating func container(
        _ text: Span<UInt8>,
        _ kind: JSONValue.Kind,
        closing: Unicode.Scalar,
        depth: Int,
        keeping extent: Extent,
        into contents: inout JSONContents
    ) throws(JSONFault) -> JSONValue {
        guard depth < Self.maximumDepth else { throw .tooDeep }
        let start = position
        position += 1
        skipWhiteSpace(text)
        if !take(text, closing) {
            repeat {
                skipWhiteSpace(text)
                let name = kind == .object ? try name(text, keeping: extent, besides: &contents) : nil
                if extent == .nothing {
                    _ = try value(text, depth: depth + 1, keeping: .nothing, into: &contents)
                } else {
                    guard keptValues < maximumValues else { throw .tooManyValues(limit: maximumValues) }
                    keptValues += 1
                    guard contents.members.list.count < Self.maximumMembers else { throw .tooManyMembers }
                    guard contents.elements.count < maximumElements else {
                        throw .tooManyElements(limit: maximumElements)
                    }
                    try keepValue(text, named: name, depth: depth + 1, keeping: extent.inside, in: &contents)
                }
                skipWhiteSpace(text)
            } while take(text, ",")
            guard take(text, closing) else { throw fault }
        }
        return JSONValue(kind: kind, range: start..<position)
    }

    /// Reads the name of a member and the colon after it.
    ///
    /// The members before it are in `contents`, which is `inout` to be read in its place: a copy would cost more than
    /// the look. Returns the name, escapes resolved; `nil` if it is not kept.
    private mutating func name(
        _ text: Span<UInt8>,
        keeping extent: Extent,
        besides contents: inout JSONContents
    ) throws(JSONFault) -> String? {
        guard byte(text) == UInt8(ascii: "\"") else { throw fault }
        let found = try string(text)
        var name: String?
        if extent != .nothing {
            name = found.string(in: text)
            guard let name else { throw fault("a broken escape in a name", at: found.range.lowerBound) }
            guard contents.members.index(of: name) == nil else {
                throw .repeated(name, at: found.range.lowerBound - start)
            }
        }
        skipWhiteSpace(text)
        guard take(text, ":") else { throw fault }
        skipWhiteSpace(text)
        return name
    }

    /// Reads the value of a member, or an element, which has no name, and adds it to the contents around it.
    private mutating func keepValue(
        _ text: Span<UInt8>,
        named name: String?,
        depth: Int,
        keeping extent: Extent,
        in contents: inout JSONContents
    ) throws(JSONFault) {
        do throws(JSONFault) {
            var inside = JSONContents()
            let value = try value(text, depth: depth, keeping: extent, into: &inside)
            let node = extent == .nothing ? JSONNode(value) : JSONNode(value, inside)
            if let name { contents.members.append(name, node) } else { contents.elements.append(node) }
        } catch {
            throw error.inside(name.map { .member($0) } ?? .element(contents.elements.count))
        }
    }

    private mutating func string(_ text: Span<UInt8>) throws(JSONFault) -> JSONValue {
        let start = position
        // Nearly all strings are plain, and those are looked through many bytes at a time.
        if let quote = text.firstIndex(of: UInt8(ascii: "\""), in: start + 1..<end),
            text.extracting(start + 1..<quote).isPlainStringOfJSON
        {
            position = quote + 1
            return JSONValue(kind: .string, range: start..<position)
        }
        var hasEscapes = false
        position += 1
        while position < end {
            let byte = text[position]
            position += 1
            switch byte {
            case UInt8(ascii: "\""):
                return JSONValue(kind: .string, range: start..<position, hasEscapes: hasEscapes)
            case UInt8(ascii: "\\"):
                hasEscapes = true
                try escape(text)
            case ..<0x20:
                throw fault("a control character inside a string", at: position - 1)
            default:
                continue
            }
        }
        throw fault("a string without its end", at: start)
    }

    private mutating func escape(_ text: Span<UInt8>) throws(JSONFault) {
        let kind = byte(text)
        position += 1
        if kind == UInt8(ascii: "u") {
            guard position + 4 <= end, (0..<4).allSatisfy({ text[position + $0].hexDigitValue != nil }) else {
                throw fault("a broken escape", at: position - 2)
            }
            position += 4
        } else if !JSONValue.hasSimpleEscape(kind) {
            throw fault("a broken escape", at: position - 2)
        }
    }

    private mutating func word(
        _ text: Span<UInt8>,
        _ word: String,
        as kind: JSONValue.Kind
    ) throws(JSONFault) -> JSONValue {
        let start = position
        for letter in word.utf8 {
            guard byte(text) == letter else { throw fault }
            position += 1
        }
        return JSONValue(kind: kind, range: start..<position)
    }

    private mutating func number(_ text: Span<UInt8>) throws(JSONFault) -> JSONValue {
        let start = position
        _ = take(text, "-")
        if !byte(text).isASCIIDigit { throw fault(ofValue: text, at: start) }
        if !take(text, "0") { try digits(text) }
        if take(text, ".") { try digits(text) }
        if take(text, "e") || take(text, "E") {
            _ = take(text, "+") || take(text, "-")
            try digits(text)
        }
        return JSONValue(kind: .number, range: start..<position)
    }

    private mutating func digits(_ text: Span<UInt8>) throws(JSONFault) {
        guard byte(text).isASCIIDigit else { throw fault }
        while byte(text).isASCIIDigit { position += 1 }
    }

    // MARK: Steps

    /// The next byte; 0, which no JSON text holds, at the end.
    private func byte(_ text: Span<UInt8>) -> UInt8 {
        position < end ? text[position] : 0
    }

    private mutating func take(_ text: Span<UInt8>, _ scalar: Unicode.Scalar) -> Bool {
        guard byte(text) == UInt8(ascii: scalar) else { return false }
        position += 1
        return true
    }

    private mutating func skipWhiteSpace(_ text: Span<UInt8>) {
        while byte(text).isWhiteSpace { position += 1 }
    }

    private var fault: JSONFault { fault("not JSON") }

    /// The fault of a value that begins with no character of one, which names what other writers put there.
    @inline(never)
    private func fault(ofValue text: Span<UInt8>, at index: Int) -> JSONFault {
        guard let word = JSONFault.ForeignWord(text, at: index, before: end) else { return fault }
        return JSONFault(reason: "not JSON at byte \(index - start): \(word)")
    }

    /// A fault with its place, counted from the start of what is read; `nil` is where the reader is.
    ///
    /// It is not inlined, to keep the making of texts out of the loops.
    @inline(never)
    private func fault(_ what: String, at index: Int? = nil) -> JSONFault {
        JSONFault(what, at: (index ?? position) - start)
    }
}
