#if Client
import EntitlementValues
import TextCodecs

/// One of the broker's endpoints, with the identifiers of its path.
enum Route: Sendable, Hashable {
    case register
    case token
    case configuration(RequestorID)
    case createSession(RequestorID)
    case resumeSession(RequestorID, code: String)
    case sessionStatus(RequestorID, code: String)
    case userAgent(RequestorID, code: String)
    case profiles(RequestorID)
    case profile(RequestorID, MVPDID)
    case profileOfCode(RequestorID, code: String)
    case authorize(RequestorID, MVPDID)
    case preauthorize(RequestorID, MVPDID)
    case logout(RequestorID, MVPDID)
    case partnerSession(RequestorID, partner: String)
    case partnerProfile(RequestorID, partner: String)
    case resetTemporaryAccess
    case resetPromotion
    case logoutPage(RequestorID)

    /// The brand in the path; `nil` if the path has none.
    var requestor: RequestorID? {
        switch self {
        case .register, .token, .resetTemporaryAccess, .resetPromotion: nil
        case .configuration(let id), .createSession(let id), .resumeSession(let id, _), .sessionStatus(let id, _),
            .userAgent(let id, _), .profiles(let id), .profile(let id, _), .profileOfCode(let id, _),
            .authorize(let id, _), .preauthorize(let id, _), .logout(let id, _), .partnerSession(let id, _),
            .partnerProfile(let id, _), .logoutPage(let id):
            id
        }
    }

    /// The provider in the path; `nil` if the path has none.
    var mvpd: MVPDID? {
        switch self {
        case .profile(_, let id), .authorize(_, let id), .preauthorize(_, let id), .logout(_, let id): id
        default: nil
        }
    }

    /// The endpoint as a word: for the journal, and to say for which endpoints a scenario is.
    var name: Endpoint {
        switch self {
        case .register: .register
        case .token: .token
        case .configuration: .configuration
        case .createSession: .createSession
        case .resumeSession: .resumeSession
        case .sessionStatus: .sessionStatus
        case .userAgent: .userAgent
        case .profiles: .profiles
        case .profile: .profile
        case .profileOfCode: .profileOfCode
        case .authorize: .authorize
        case .preauthorize: .preauthorize
        case .logout: .logout
        case .partnerSession: .partnerSession
        case .partnerProfile: .partnerProfile
        case .resetTemporaryAccess: .resetTemporaryAccess
        case .resetPromotion: .resetPromotion
        case .logoutPage: .logoutPage
        }
    }

    /// Whether the errors of the endpoint are pages for a browser.
    var isForBrowsers: Bool { name == .userAgent || name == .logoutPage }

    /// Whether the broker counts the call for its limit of requests.
    var isThrottled: Bool { name != .resetTemporaryAccess && name != .resetPromotion && name != .logoutPage }
}
#endif
