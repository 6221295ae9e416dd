public import EntitlementValues

extension Timestamp {
    /// Reads a date of an AuthN or AuthZ token: `yyyy/MM/dd HH:mm:ss GMT ±hhmm`, or with `_GMT`.
    ///
    /// The letters say nothing, the offset rules. `nil` for anything else, which counts as expired.
    public init?(tokenDate text: String) {
        let bytes = Array(text.utf8)
        // The other forms that a media token's issue time may have are shorter, or have no slashes.
        guard bytes.count == 29, bytes[4] == UInt8(ascii: "/") else { return nil }
        self.init(bytes.span, in: 0..<bytes.count, forms: [.slashes, .gmtBeforeOffset])
    }
}
