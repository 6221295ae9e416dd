#if Client
public import EntitlementValues
public import ServiceResponses

/// An address that the user's browser opens.
///
/// Descriptions and mirrors show neither the address nor the code: the address holds the code, and who knows it could
/// sign in for this device.
public struct UserAgentVisit: Sendable, Hashable {
    /// Why the browser goes there.
    public enum Purpose: String, Sendable, Hashable {
        /// The user signs in at the provider.
        case login
        /// The provider's own session ends.
        case logout
    }

    /// Why the browser goes there.
    public let purpose: Purpose
    /// The first instant at which the address is of no use; `nil` if it has no end.
    public let until: Timestamp?
    /// The code of the sign-in; `nil` for a logout.
    public let code: AuthenticationCode?
    /// Whether the system's browser is to be taken instead of a view inside of the app.
    public let usesSystemBrowser: Bool
    /// Whether nothing has to be done there, so that the browser need not be shown.
    public let needsNoInteraction: Bool

    private let redactedURL: Redacted<String>

    /// The address, absolute.
    public var url: String { redactedURL.value }

    /// Describes a visit.
    ///
    /// - Parameters:
    ///   - url: The address, absolute.
    ///   - purpose: Why the browser goes there.
    ///   - code: The code of the sign-in.
    ///   - until: The first instant at which the address is of no use.
    ///   - usesSystemBrowser: Whether the system's browser is to be taken.
    ///   - needsNoInteraction: Whether nothing has to be done there.
    public init(
        to url: String,
        for purpose: Purpose,
        code: AuthenticationCode? = nil,
        until: Timestamp? = nil,
        usesSystemBrowser: Bool = true,
        needsNoInteraction: Bool = false
    ) {
        (redactedURL, self.purpose, self.code) = (Redacted(url), purpose, code)
        (self.until, self.usesSystemBrowser, self.needsNoInteraction) = (until, usesSystemBrowser, needsNoInteraction)
    }
}

/// A code that a user types on another screen.
public struct ActivationCode: Sendable, Hashable {
    /// The code; its description does not show it.
    public let code: AuthenticationCode
    /// The first instant at which it is of no use.
    public let until: Timestamp
    /// Parameters that the other screen has to add, usually the provider.
    public let missingParameters: [MissingParameter]

    private let redactedURL: Redacted<String?>

    /// The address at which a browser signs in with this code, for example as a QR code; `nil` as long as a provider is
    /// to be chosen.
    public var url: String? { redactedURL.value }

    /// Describes a code.
    ///
    /// - Parameters:
    ///   - code: The code.
    ///   - until: The first instant at which it is of no use.
    ///   - url: The address at which a browser signs in with it.
    ///   - missingParameters: Parameters that the other screen has to add.
    public init(
        _ code: AuthenticationCode,
        until: Timestamp,
        url: String? = nil,
        missing missingParameters: [MissingParameter] = []
    ) {
        (self.code, self.until, redactedURL) = (code, until, Redacted(url))
        self.missingParameters = missingParameters
    }
}

/// What an address means that the user's browser came back to.
///
/// The address itself says nothing of success: the profile does.
public enum ReturnOutcome: Sendable, Hashable {
    /// The address is not the one that browsers are sent back to.
    case otherAddress
    /// The user is signed in.
    case authenticated(SignIn)
    /// A profile does not exist yet; the session goes on asking for it, and `awaitAuthentication` waits for it.
    case waiting
    /// The browser has ended the provider's session, or the last one of several: the logout is done.
    case signedOut
    /// A logout page is done, and this comes next: a further page, or the first step of a sign-in that was forced.
    case goOn(AuthenticationStep)
    /// Nothing was under way.
    case nothingAwaited
}

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
