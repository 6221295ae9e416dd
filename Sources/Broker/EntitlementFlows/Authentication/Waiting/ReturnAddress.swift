#if Client

/// What an address is compared by that the browser came back to: scheme, host with port, and path.
///
/// What the broker or the provider appends is not looked at.
package struct ReturnAddress: Hashable {
    private let scheme: String
    private let authority: String
    private let path: String

    /// Takes an address apart; `nil` if it is not absolute.
    package init?(_ text: String) {
        let parts = text.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty else { return nil }
        let target = parts[1].prefix { $0 != "?" && $0 != "#" }
        let authority = target.prefix { $0 != "/" }
        (scheme, self.authority) = (parts[0].lowercased(), authority.lowercased())
        let path = target.dropFirst(authority.count)
        // Browsers add the slash after a host.
        self.path = path.isEmpty ? "/" : String(path)
    }

    /// Compares bytes, so that addresses that only look alike are different.
    package static func == (one: ReturnAddress, other: ReturnAddress) -> Bool {
        one.scheme.utf8.elementsEqual(other.scheme.utf8) && one.authority.utf8.elementsEqual(other.authority.utf8)
            && one.path.utf8.elementsEqual(other.path.utf8)
    }
}
#endif
