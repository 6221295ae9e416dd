/// How fast an input is read, over the last five to ten seconds: the first rows take longer than those whose values are
/// remembered.
package struct InputPace: Sendable {
    private var earlier: (bytes: Int, time: Duration)
    private var later: (bytes: Int, time: Duration)

    /// Starts after bytes that were passed over.
    package init(after bytes: Int = 0) {
        earlier = (bytes, .zero)
        later = earlier
    }

    /// Notes how many bytes were read at a time since the start.
    package mutating func note(_ bytes: Int, at time: Duration) {
        guard time - later.time >= .seconds(5) else { return }
        (earlier, later) = (later, (bytes, time))
    }

    /// The seconds that the rest of the input takes, rounded up; `nil` in the first second, which says nothing.
    package func seconds(for rest: Int, after bytes: Int, at time: Duration) -> Int? {
        let elapsed = time - earlier.time
        guard elapsed >= .seconds(1), bytes > earlier.bytes else { return nil }
        return Int(elapsed / .seconds(1) * Double(rest) / Double(bytes - earlier.bytes)) + 1
    }
}
