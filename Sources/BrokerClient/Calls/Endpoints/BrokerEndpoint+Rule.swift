#if Client
extension BrokerEndpoint {
    /// What the broker's reference says of this endpoint.
    var rule: EndpointRule {
        switch self {
        case .register: .register
        case .token: .token
        case .configuration: .configuration
        case .startSession: .startSession
        case .resumeSession: .resumeSession
        case .session: .session
        case .userAgent: .userAgent
        case .profiles: .profiles
        case .profile: .profile
        case .profileByCode: .profileByCode
        case .authorize: .authorize
        case .preauthorize: .preauthorize
        case .logout: .logout
        case .startPartnerSession: .startPartnerSession
        case .createPartnerProfile: .createPartnerProfile
        case .resetTemporaryAccess: .resetTemporaryAccess
        case .resetPromotionalAccess: .resetPromotionalAccess
        }
    }
}
#endif
