#if Client

/// What the operator's library said of a failure: an error of its first system, and a code of its second.
public struct LegacyError: Sendable, Hashable {
    /// The text for `setAuthenticationStatus` or `tokenRequestFailed`; `nil` if the call had no such callback.
    public let original: OriginalError?
    /// The code for `status`; `nil` if the library told none.
    public let code: StatusCode?

    /// Describes what the library said.
    ///
    /// - Parameters:
    ///   - original: The text of the first system.
    ///   - code: The code of the second system.
    public init(_ original: OriginalError?, _ code: StatusCode?) {
        (self.original, self.code) = (original, code)
    }
}
#endif
