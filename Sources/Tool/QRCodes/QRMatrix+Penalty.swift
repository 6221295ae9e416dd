extension QRMatrix {
    /// How hard the code is to read: the lower, the better.
    ///
    /// It counts long runs of one colour, squares of one colour, patterns that look like the finder's, and an uneven share
    /// of dark modules.
    var penalty: Int {
        let rows = (0..<side).map { row in (0..<side).map { self[$0, row] } }
        let columns = (0..<side).map { column in (0..<side).map { self[column, $0] } }
        let lines = (rows + columns).map { Self.runs($0) + Self.finderLikes($0) }.reduce(0, +)
        return lines + squares + shareOfDark
    }

    /// Five of one colour in a row count 3, and each further one 1.
    private static func runs(_ line: [Bool]) -> Int {
        var (penalty, length) = (0, 0)
        for (place, isDark) in line.enumerated() {
            length = place > 0 && line[place - 1] == isDark ? length + 1 : 1
            if length == 5 { penalty += 3 } else if length > 5 { penalty += 1 }
        }
        return penalty
    }

    /// Each row of 1:1:3:1:1 with four light modules on a side counts 40.
    private static func finderLikes(_ line: [Bool]) -> Int {
        let core = [true, false, true, true, true, false, true]
        let light = [Bool](repeating: false, count: 4)
        let patterns = [core + light, light + core]
        return line.indices.dropLast(10).reduce(0) { sum, start in
            sum + (patterns.contains { line[start..<start + 11].elementsEqual($0) } ? 40 : 0)
        }
    }

    /// Each square of two by two in one colour counts 3.
    private var squares: Int {
        var penalty = 0
        for row in 1..<side {
            for column in 1..<side {
                let colour = self[column, row]
                if self[column - 1, row] == colour, self[column, row - 1] == colour,
                    self[column - 1, row - 1] == colour
                {
                    penalty += 3
                }
            }
        }
        return penalty
    }

    /// Each full 5 % away from a half counts 10.
    private var shareOfDark: Int {
        let count = (0..<side).reduce(0) { sum, row in sum + (0..<side).count { self[$0, row] } }
        return abs(count * 20 - side * side * 10) / (side * side) * 10
    }
}
