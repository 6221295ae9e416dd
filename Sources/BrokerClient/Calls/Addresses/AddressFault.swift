#if Client
/// The reason why an address in the broker's answer is refused.
@nonexhaustive
public enum AddressFault: String, Error, Sendable, Hashable, CaseIterable {
    /// The address is empty, or longer than 16 KiB.
    case length
    /// A control character, a space, a backslash, or another character that a URI cannot have (RFC 3986 §2).
    case character
    /// A scheme other than `https`, or plain `http` to a host that is not the broker's.
    case scheme
    /// Another host without a scheme, as in `//example.org`.
    case schemeRelative = "scheme_relative"
    /// A path that does not begin with a slash; it is not defined what it is relative to.
    case relativePath = "relative_path"
    /// The host is missing or malformed, or a user name stands before it.
    case host
}

extension AddressFault: CustomStringConvertible {
    /// What is wrong with the address, without it.
    public var description: String {
        switch self {
        case .length: "it is empty or too long"
        case .character: "it has a character that a URI cannot have"
        case .scheme: "its scheme is not https"
        case .schemeRelative: "it names another host without a scheme"
        case .relativePath: "its path does not begin with a slash"
        case .host: "its host is missing or malformed, or a user name stands before it"
        }
    }
}
#endif
