#if Client

/// A callback of the operator's library: the selector of its delegate, and the arguments in their order.
///
/// A server has no delegate. It can hand these to an app, which calls the code that it has. Arguments may be tokens,
/// addresses and codes, so descriptions and mirrors show the selector alone.
///
/// Source: the operator's reference of its library for iOS and tvOS.
public struct LegacyCallback: Sendable, Hashable {
    /// The selector, for example `setToken:forResource:`.
    public let selector: String
    /// The arguments, one for each colon of the selector.
    public let arguments: [LegacyValue]

    /// Describes a callback.
    ///
    /// - Parameters:
    ///   - selector: The selector.
    ///   - arguments: The arguments, one for each colon of the selector.
    public init(_ selector: String, _ arguments: LegacyValue...) {
        (self.selector, self.arguments) = (selector, arguments)
    }

    /// The first part of the selector, by which people call the callback: `setToken`.
    public var name: String {
        String(selector.prefix { $0 != ":" })
    }

    /// The callback as a JSON object with `selector` and `arguments`, on one line.
    public var json: String {
        LegacyValue.dictionary(["selector": .text(selector), "arguments": .list(arguments)]).json
    }
}

extension LegacyCallback: CustomStringConvertible, CustomReflectable {
    /// The selector.
    public var description: String { selector }

    /// A mirror of the selector.
    public var customMirror: Mirror { Mirror(self, children: ["selector": selector]) }
}
#endif
