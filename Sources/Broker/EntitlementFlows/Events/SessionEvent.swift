#if Client
public import BrokerMessages
public import DeviceRecords
public import EntitlementValues

/// What a session tells its listeners, besides the values that its methods return: the operator's library told it by
/// callbacks.
public enum SessionEvent: Sendable {
    /// `setRequestorComplete`: whether at least one origin answers for the requestor.
    case requestorComplete(Bool)
    /// `setAuthenticationStatus`: whether the user is signed in, and if not, why.
    case authenticationStatus(AuthenticationResult)
    /// `displayProviderDialog`: the user chooses a provider.
    case chooseProvider(ProviderChoice)
    /// `presentTvProviderDialog` and what follows it: the device asks its partner.
    case askPartner(PartnerQuestion)
    /// `navigateToUrl`: the user's browser opens an address.
    case openUserAgent(UserAgentVisit)
    /// The code that the user types on another screen.
    case showCode(ActivationCode)
    /// `setToken`: the user may watch.
    case permitted(AuthorizedPlayback)
    /// `tokenRequestFailed`: the user may not watch, or could not be asked for.
    case tokenRequestFailed(TokenRequestFailure)
    /// `preauthorizedResources`: the resources that the user would be allowed to watch.
    case preauthorized([ResourceID])
    /// `selectedProvider`: the provider of the user; `nil` if there is none.
    case selectedProvider(ChosenProvider?)
    /// `setMetadataStatus`: the answer to a question for metadata.
    case metadata(MetadataAnswer)
    /// `sendTrackingData`: something that analytics count.
    case tracking(TrackingEvent)
    /// `status`: something noteworthy, by the code of the operator's library.
    case status(SessionStatus)
    /// The listener was too slow: so many events were lost before the next one.
    case missed(Int)
}

extension SessionEvent: CustomStringConvertible, CustomReflectable {
    /// What happened, without values: they may be addresses, codes and tokens.
    public var description: String {
        switch self {
        case .requestorComplete(let isComplete): isComplete ? "requestor is set" : "requestor could not be set"
        case .authenticationStatus(.authenticated): "authenticated"
        case .authenticationStatus: "not authenticated"
        case .chooseProvider: "the user chooses a provider"
        case .askPartner: "the device asks its partner"
        case .openUserAgent: "the browser opens an address"
        case .showCode: "the device shows a code"
        case .permitted: "permitted"
        case .tokenRequestFailed: "not permitted"
        case .preauthorized(let resources): "\(resources.count) resources are preauthorized"
        case .selectedProvider: "the selected provider"
        case .metadata: "metadata"
        case .tracking(let event): "tracking of \(event.kind.rawValue)"
        case .status(let status): "status \(status)"
        case .missed(let count): "\(count) events were missed"
        }
    }

    /// A mirror of the description.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

/// How an authentication, or a question for it, ended.
public enum AuthenticationResult: Sendable, Hashable {
    /// The user is signed in.
    case authenticated(SignIn)
    /// The user is not signed in: no user has signed in yet, or a logout is done.
    case notAuthenticated
    /// The user chose no provider, or cancelled.
    case noProviderChosen
    /// The provider cannot be used with this requestor.
    case providerNotAvailable
    /// Something failed on the way.
    case failed(EntitlementFlowError)
    /// The user's browser came back, and the broker could not be asked at once whether the user is signed in; it is asked
    /// again.
    case unconfirmed(EntitlementFlowError)
}

/// A request for authorization that did not end with a permit.
public enum TokenRequestFailure: Sendable, Hashable {
    /// The user may not watch.
    case denied(AuthorizationDenial)
    /// The user is not signed in.
    case notAuthenticated(ResourceID)
    /// Something failed on the way.
    case failed(ResourceID, EntitlementFlowError)

    /// The resource, as it was asked for.
    public var resource: ResourceID {
        switch self {
        case .denied(let denial): denial.resource
        case .notAuthenticated(let resource), .failed(let resource, _): resource
        }
    }
}

/// Takes the events of all sessions of an application.
public typealias EventObserver = @Sendable (DeviceEvent) -> Void

/// An event with the device that it is about.
public struct DeviceEvent: Sendable {
    /// What happened.
    public let event: SessionEvent
    /// The device, by the server's own name of it.
    public let device: DeviceKey
    /// The visitor's identifier for analytics; `nil` if the device has not stated one.
    public let visitor: VisitorIdentifier?

    /// Describes an event of a device.
    ///
    /// - Parameters:
    ///   - event: What happened.
    ///   - device: The device.
    ///   - visitor: The visitor's identifier for analytics.
    public init(_ event: SessionEvent, of device: DeviceKey, visitor: VisitorIdentifier?) {
        (self.event, self.device, self.visitor) = (event, device, visitor)
    }
}

extension DeviceEvent: CustomStringConvertible, CustomReflectable {
    /// What happened, without values, device and visitor.
    public var description: String { event.description }

    /// A mirror of the description.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
#endif
