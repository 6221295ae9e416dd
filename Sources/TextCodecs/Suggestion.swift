/// Finds what a user may have meant by a mistyped word.
package enum Suggestion {
    /// Looks for a name that is like a word.
    ///
    /// - Parameters:
    ///   - word: What was typed.
    ///   - names: What could have been typed.
    /// - Returns: The most similar name; `nil` if none is like the word.
    package static func nearest(to word: String, among names: [String]) -> String? {
        let word = Array(word.utf8)
        let near = names.map { (name: $0, edits: edits(from: word, to: Array($0.utf8))) }
        return near.filter { $0.edits <= max(1, min(word.count, $0.name.utf8.count) / 3) }
            .min { $0.edits < $1.edits }?.name
    }

    /// How many bytes must be inserted, removed or changed to make one word of another (Levenshtein's distance).
    private static func edits(from one: [UInt8], to other: [UInt8]) -> Int {
        var row = Array(0...other.count)
        for (index, byte) in one.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for (column, otherByte) in other.enumerated() {
                let change = diagonal + (byte == otherByte ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(change, diagonal + 1, row[column] + 1)
            }
        }
        return row[other.count]
    }
}
