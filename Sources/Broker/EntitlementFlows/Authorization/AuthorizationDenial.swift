#if Client
public import EntitlementValues
public import ServiceResponses
import TextCodecs

/// Why a user may not watch.
public struct AuthorizationDenial: Sendable, Hashable {
    /// The resource, as it was asked for.
    public let resource: ResourceID
    /// The provider; `nil` if there was none to ask.
    public let mvpd: MVPDID?
    /// Who denied: the provider, a rule for its failure, or temporary access.
    public let source: DecisionSource?
    /// The broker's error; `nil` if it denied without one, or did not decide.
    public let error: EnhancedError?

    /// Describes a denial.
    ///
    /// - Parameters:
    ///   - resource: The resource, as it was asked for.
    ///   - mvpd: The provider.
    ///   - source: Who denied.
    ///   - error: The broker's error.
    public init(
        of resource: ResourceID,
        mvpd: MVPDID?,
        source: DecisionSource? = nil,
        because error: EnhancedError?
    ) {
        (self.resource, self.mvpd, self.source, self.error) = (resource, mvpd, source, error)
    }

    /// Takes what the broker denied; `nil` if it did not decide.
    init(of resource: ResourceID, mvpd: MVPDID, by decision: Decision?) {
        self.init(of: resource, mvpd: mvpd, source: decision?.source, because: decision?.error)
    }

    /// The provider's own text about the denial, for people; `nil` if there is none.
    ///
    /// Providers write it, markup and links included, so it is not trusted: here it is plain text, without markup.
    public var message: String? {
        let message = providerText.message
        return message.isEmpty ? nil : message
    }

    /// The `https` addresses in the provider's own text, each once.
    ///
    /// They are not trusted either: show them as what they are, and open them only if the user wants it.
    public var links: [String] { providerText.links }

    private var providerText: ProviderText { ProviderText(error?.details ?? "") }
}

extension AuthorizationDenial: CustomStringConvertible, CustomReflectable {
    /// The resource, the provider and the code, without texts for people.
    public var description: String {
        let reason = error?.code?.shown ?? "no code"
        return "\(resource.rawValue.printable) by \(mvpd?.rawValue.printable ?? "no provider"): denied, \(reason)"
    }

    /// Shows what the description does.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
#endif
