import TextCodecs

/// The parts of a line: a key and a TAB if the input has them, the JSON, and a CR if there is one.
package struct RowLine: Sendable {
    package let number: Int
    /// The lines of the input that it takes, from 1.
    package let inputLines: ClosedRange<Int>
    package let bytes: [UInt8]
    /// The line without LF and CR.
    let content: Range<Int>
    let json: Range<Int>
    private let ending: Range<Int>
    private let lacksKey: Bool

    /// Takes a line apart; its number counts from 1.
    ///
    /// `inputLines` are the lines of the input that it takes; `nil` if it takes the one of its number. `bytes` is the
    /// piece that it is part of, and `range` the line in it, without LF. `hasKeyPrefix` says whether a key and a TAB
    /// come before the JSON.
    init(
        number: Int,
        inputLines: ClosedRange<Int>? = nil,
        bytes: [UInt8],
        range: Range<Int>,
        hasKeyPrefix: Bool
    ) {
        self.number = number
        self.inputLines = inputLines ?? number...number
        self.bytes = bytes
        let end = bytes[range].last == UInt8(ascii: "\r") ? range.upperBound - 1 : range.upperBound
        content = range.lowerBound..<end
        ending = end..<range.upperBound
        let tab = hasKeyPrefix ? bytes[content].firstIndex(of: UInt8(ascii: "\t")) : nil
        json = (tab.map { $0 + 1 } ?? range.lowerBound)..<end
        lacksKey = hasKeyPrefix && tab == nil
    }

    /// The range of the JSON, once the line is known to be readable text.
    ///
    /// Throws if the key is missing, or the JSON is not UTF-8 or contains NUL.
    var readableJSON: Range<Int> {
        get throws(JSONFault) {
            if lacksKey { throw JSONFault(reason: "no TAB after a key") }
            let text = bytes[json]
            guard text.span.isTextWithoutNUL else { throw JSONFault(reason: Self.fault(of: text)) }
            return json
        }
    }

    /// Says why bytes are not text, without any of them.
    private static func fault(of text: ArraySlice<UInt8>) -> String {
        if UnusableInput.beginsWithConfluentBytes(text) { return "the five bytes of a schema before the JSON" }
        if text.contains(0) { return "NUL in it" }
        return Misreading.isWindows1252(text) ? "not UTF-8; it looks like Windows-1252" : "not UTF-8"
    }

    /// Writes the line, without LF, with other JSON.
    func write(to output: inout [UInt8], json write: (inout [UInt8]) -> Void) {
        output += bytes[content.lowerBound..<json.lowerBound]
        write(&output)
        output += bytes[ending]
    }
}
