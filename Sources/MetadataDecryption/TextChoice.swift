import TextCodecs
package import HostSystem

/// The text of a value, and which key of the ring read it.
package struct Reading: Sendable {
    package let text: WipedBytes
    package let index: Int

    package init(text: WipedBytes, index: Int) {
        self.text = text
        self.index = index
    }

    /// The text without a copy on the way; `nil` where it is not UTF-8, which no reading is.
    package var string: String? {
        text.withSpan { bytes in
            guard let text = try? UTF8Span(validating: bytes) else { return nil }
            return String(copying: text)
        }
    }
}

/// Chooses between what the keys of a ring make of one value.
///
/// A certain text settles it. Otherwise the most plausible one counts, and if several are equally plausible, none: a
/// wrong text in a million rows is worse than a row that says it has none.
package struct TextChoice {
    private let shape: PlausibleText
    private var best: Reading?
    private var plausibility = Plausibility.none
    private var isTie = false

    package init(_ shape: PlausibleText) { self.shape = shape }

    /// Whether further keys could change nothing.
    package var isSettled: Bool { plausibility == .certain }

    /// The text chosen; `nil` where no key read the value.
    package var reading: Reading? { isTie ? nil : best }

    /// Looks at what one key made of the value.
    package mutating func offer(_ bytes: Span<UInt8>, from index: Int) {
        let offered = shape.plausibility(of: bytes)
        guard offered != .none, offered >= plausibility else { return }
        isTie = offered == plausibility
        best = Reading(text: WipedBytes(bytes), index: index)
        plausibility = offered
    }
}
