#if Client
import BrokerClient
public import EntitlementValues
public import ServiceResponses
import TextCodecs

/// What a user would be allowed to watch: for marks in a list, never for playback.
public struct Preauthorization: Sendable, Hashable {
    /// The answers, one for each resource of the call, in its order.
    public let answers: [PreauthorizedResource]

    /// The resources that would be permitted, in the order of the call.
    public var permitted: [ResourceID] { answers.filter(\.isPermitted).map(\.resource) }

    /// Describes answers.
    ///
    /// - Parameter answers: The answers, in the order of the call.
    public init(_ answers: [PreauthorizedResource]) { self.answers = answers }

    /// Merges what was permitted before with what the broker has decided, in the order of the call.
    ///
    /// `remembered` are resources without white space around them, about which the broker was not asked. What it did not
    /// decide about is not permitted.
    package init(
        of resources: [ResourceID],
        remembering remembered: Set<ResourceID>,
        deciding decision: (ResourceID) -> Decision?
    ) {
        self.init(
            resources.map { resource in
                if remembered.contains(resource.trimmed) {
                    return PreauthorizedResource(resource, isPermitted: true, isCached: true)
                }
                let decided = decision(resource)
                return PreauthorizedResource(
                    resource, isPermitted: decided?.isAuthorized ?? false, because: decided?.error)
            })
    }
}

/// The answer about one resource of a preauthorization.
public struct PreauthorizedResource: Sendable, Hashable {
    /// The resource, as it was asked for.
    public let resource: ResourceID
    /// Whether the user would be allowed to watch it.
    public let isPermitted: Bool
    /// Whether the answer is a permit that the session remembered.
    public let isCached: Bool
    /// The broker's error; `nil` for a permit, or if the broker denied without one or did not decide.
    public let error: EnhancedError?

    /// Describes an answer.
    ///
    /// - Parameters:
    ///   - resource: The resource, as it was asked for.
    ///   - isPermitted: Whether the user would be allowed to watch it.
    ///   - isCached: Whether the answer is a permit that the session remembered.
    ///   - error: The broker's error.
    public init(_ resource: ResourceID, isPermitted: Bool, isCached: Bool = false, because error: EnhancedError? = nil)
    {
        (self.resource, self.isPermitted, self.isCached, self.error) = (resource, isPermitted, isCached, error)
    }
}

extension PreauthorizedResource: CustomStringConvertible, CustomReflectable {
    /// The resource, the answer and the code, without texts for people.
    public var description: String {
        let name = resource.rawValue.printable
        return isPermitted ? "\(name): permitted" : "\(name): denied, \(error?.code?.shown ?? "no code")"
    }

    /// Shows what the description does.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
#endif
