#if Client
import EntitlementValues
public import HTTPTypes
import OpenSSLBridge
import TextCodecs

/// Everything that the listener of a simulator serves, without sockets: the broker, pages for browsers, and the
/// control calls under `/sim/`.
///
/// Pages and control calls are kept from web pages in the same browser: the request must name a host of the loopback
/// interface, an `Origin` must be the site's own, changes are JSON, and the forms of the overview carry a secret.
public final class SimulatorSite: Sendable {
    /// The broker.
    public let simulator: BrokerSimulator
    /// Where the site is.
    public let settings: SiteSettings

    /// What the forms of the overview carry, so that only a page of this site can send them.
    let formToken: String

    /// Makes a site.
    ///
    /// - Parameters:
    ///   - simulator: The broker.
    ///   - settings: Where the site is.
    /// - Throws: `SimulationError.backend` if there are no random numbers.
    public init(_ simulator: BrokerSimulator, settings: SiteSettings) throws(SimulationError) {
        (self.simulator, self.settings) = (simulator, settings)
        formToken = Hex.encode(try rethrowing(randomBytes(32), as: SimulationError.init(_:)))
    }

    /// Answers a request.
    ///
    /// - Parameters:
    ///   - request: The request, with the authority that the client named (`Host`).
    ///   - body: The body; empty for none.
    ///   - peer: The address of the client; `nil` if there is none.
    /// - Returns: The answer, how long to hold it back, and how the connection is to fail.
    public func answer(to request: HTTPRequest, body: [UInt8], from peer: String? = nil) -> SimulatedAnswer {
        let path = (request.path ?? "/").prefix { $0 != "?" }
        guard let area = SiteArea(path: path) else { return simulator.answer(to: request, body: body, from: peer) }
        let reply: Reply
        do throws(SiteFault) {
            try SiteAccess(settings).check(request, for: area)
            guard body.count <= BrokerSimulator.maximumBodyLength else { throw .tooLarge }
            if area == .logout { return simulator.answer(to: request, body: body, from: peer) }
            let visit = SiteVisit(request, body)
            reply = area == .control ? try control(visit) : try page(visit)
        } catch {
            reply = area == .control ? error.json : error.page(of: self)
        }
        let now = simulator.now
        let answer = SimulatedAnswer(head: reply.head(at: now), body: reply.body, delay: .zero, fault: nil)
        // The report wants to know when the browser was sent back to the application.
        if area == .signIn { simulator.note(RecordedExchange(request, [], at: now, answer)) }
        return answer
    }

    /// The pages for browsers.
    private func page(_ visit: SiteVisit) throws(SiteFault) -> Reply {
        switch (visit.method, visit.path) {
        case (.get, ["sim", "style.css"]): return .styleSheet
        case (.get, []): return overview(visit)
        case (.post, []): return try changeFromOverview(visit)
        case (.get, ["sim", "login"]): return try showLogin(visit)
        case (.post, ["sim", "login"]): return try takeLogin(visit)
        case (.get, ["sim", "activate"]): return try showActivation(visit)
        case (.post, ["sim", "activate"]): return try takeActivation(visit)
        case (_, ["sim", "style.css"]): throw .wrongMethod(allowed: ["GET"])
        default: throw .wrongMethod(allowed: ["GET", "POST"])
        }
    }
}

/// The parts of a simulator's site besides the broker.
enum SiteArea: Sendable, Hashable {
    /// The overview at `/`, for people at this machine.
    case overview
    /// Pages of a sign-in, which browsers of other devices open, too.
    case signIn
    /// What stands for the provider's logout page.
    case logout
    /// Control calls, for programs at this machine.
    case control

    /// The part that a path, without a query, belongs to; `nil` for a path of the broker.
    init?(path: Substring) {
        switch path {
        case "/", "": self = .overview
        case "/sim/login", "/sim/activate", "/sim/style.css": self = .signIn
        case "/sim/logout": self = .logout
        case _ where path.hasPrefix("/sim/logout/"): self = .logout
        case "/sim": self = .control
        case _ where path.hasPrefix("/sim/"): self = .control
        default: return nil
        }
    }
}

/// Where a simulator's site is, and who may use it.
public struct SiteSettings: Sendable, Hashable {
    /// The address of the site, as `http://127.0.0.1:8090`: what its pages show to be copied.
    public var origin: String
    /// Whether browsers of other machines may open the pages of a sign-in, by an IP address or a name in ``names``.
    ///
    /// The control calls and the overview answer to loopback names only.
    public var isOpenToOthers: Bool
    /// The names, besides those of the loopback interface, by which the pages of a sign-in may be asked for.
    public var names: [String]
    /// A line for the overview about where keys and state are kept; empty for none.
    public var keeping: String

    /// Makes the settings of a site.
    ///
    /// - Parameters:
    ///   - origin: The address of the site.
    ///   - isOpenToOthers: Whether browsers of other machines may open the pages of a sign-in.
    ///   - names: The names by which they may do so, besides IP addresses.
    ///   - keeping: A line about where keys and state are kept.
    public init(origin: String, isOpenToOthers: Bool = false, names: [String] = [], keeping: String = "") {
        (self.origin, self.isOpenToOthers, self.names, self.keeping) = (origin, isOpenToOthers, names, keeping)
    }
}
#endif
