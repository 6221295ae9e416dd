/// Finds what a user may have meant by a mistyped word.
package enum Suggestion {
    /// Looks for the name that is most like a word that was typed; `nil` if none is like it.
    package static func nearest(to word: String, among names: [String]) -> String? {
        let word = Array(word.utf8)
        let near = names.map { (name: $0, edits: edits(from: word, to: Array($0.utf8))) }
        return near.filter { $0.edits <= max(1, min(word.count, $0.name.utf8.count) / 3) }
            .min { $0.edits < $1.edits }?.name
    }

    /// How many bytes must be inserted, removed, changed or swapped with their neighbour to make one word of another
    /// (Levenshtein's distance, with swaps).
    private static func edits(from one: [UInt8], to other: [UInt8]) -> Int {
        var (before, last) = ([Int](), Array(0...other.count))
        for index in one.indices {
            var row = [index + 1]
            for column in other.indices {
                let change = last[column] + (one[index] == other[column] ? 0 : 1)
                row.append(min(change, last[column + 1] + 1, row[column] + 1))
                guard index > 0, column > 0, one[index] == other[column - 1], one[index - 1] == other[column] else {
                    continue
                }
                row[column + 1] = min(row[column + 1], before[column - 1] + 1)
            }
            (before, last) = (last, row)
        }
        return last[other.count]
    }
}
