package import HostSystem
import TextCodecs

/// The text of a value, and which key of the ring decrypted it.
package struct KeyText: Sendable {
    /// The text in UTF-8, overwritten when released.
    package let bytes: WipedBytes
    /// The key, as an index into the ring.
    package let keyIndex: Int

    package init(bytes: WipedBytes, keyIndex: Int) {
        self.bytes = bytes
        self.keyIndex = keyIndex
    }

    /// The text as a string; `nil` if it is not UTF-8, which a chosen text always is.
    package var string: String? {
        bytes.withSpan { String(validating: $0) }
    }
}

/// Chooses between the bytes that the keys of a ring decrypt one value to.
///
/// A text of certain plausibility decides at once. Otherwise the most plausible text is chosen. If several are equally
/// plausible, none is: a wrong text in a million rows is worse than a row that is reported as undecryptable.
package struct TextChoice {
    private let shape: PlausibleText
    private var best: KeyText?
    private var plausibility = Plausibility.none
    private var isTie = false

    package init(_ shape: PlausibleText) { self.shape = shape }

    /// Whether further keys cannot change the choice.
    package var isSettled: Bool { plausibility == .certain }

    /// The chosen text; `nil` if there is none.
    package var chosen: KeyText? { isTie ? nil : best }

    /// Considers what one key, given as an index into the ring, decrypted the value to.
    package mutating func offer(_ bytes: Span<UInt8>, from index: Int) {
        let offered = shape.plausibility(of: bytes)
        guard offered != .none, offered >= plausibility else { return }
        isTie = offered == plausibility
        best = KeyText(bytes: WipedBytes(bytes), keyIndex: index)
        plausibility = offered
    }
}
