#if Service
import BrokerClient
import DeviceRecords
package import EntitlementFlows
import EntitlementValues
import HTTPTypes
import Hummingbird
import NIOCore
import OpenSSLBridge
package import PlaybackSessions
package import SealedRecords
import TextCodecs

/// Answers the requests of apps and of their users' browsers.
///
/// Before its route sees a request, these are checked: where it comes from, which methods the path takes, which device it is
/// of, and whether a page may have sent it with the device's cookie.
struct GatewayResponder {
    let state: ServiceState
    let gateway: Gateway
    /// The one that the gateway is of.
    let configuration: ActiveConfiguration

    /// Answers a request, also one that is refused.
    ///
    /// `parameter` is the part of the path that varies; `nil` if it has none. Throws the error of reading a body
    /// whose client closed the connection.
    func respond(
        to request: Request,
        at path: GatewayPath,
        parameter: String?,
        on channel: any Channel
    ) async throws -> Response {
        let rules = gateway.settings.crossOrigin
        let origin = request.headers[.origin]
        if request.method == .options, let rules {
            return Response(
                status: .noContent,
                headers: rules.preflight(
                    for: origin, taking: path.methods.map(\.rawValue), with: Self.crossOriginFields))
        }
        let query = request.queryParameters
        var response = try await AnsweredEvents.adding(if: query.values(of: "events") == ["1"]) {
            do {
                guard let action = path.action(of: request.method) else {
                    throw RequestError.methodNotAllowed(path.methods)
                }
                guard try query.value(of: "events") ?? "1" == "1" else {
                    throw RequestError.badRequest("events is neither 1 nor left out")
                }
                let response = try await answer(request, by: action, at: path, parameter: parameter, on: channel)
                state.metrics.gateway.count(path.endpoint, nil)
                return response
            } catch {
                let refusal = try RequestError(atGateway: error) ?? state.unexpected(error)
                state.metrics.gateway.count(path.endpoint, refusal)
                return refusal.gatewayForm
            }
        }
        rules?.mark(&response.headers, for: origin)
        return response
    }

    /// The header fields that pages of other origins may send.
    private static let crossOriginFields = ["Authorization", "Content-Type", "If-None-Match"]

    private func answer(
        _ request: Request,
        by action: GatewayRoute.Action,
        at path: GatewayPath,
        parameter: String?,
        on channel: any Channel
    ) async throws -> Response {
        let call = GatewayCall(
            state: state, gateway: gateway, configuration: configuration, request: request,
            endpoint: path.endpoint, parameter: parameter,
            client: try ClientConnection(of: request, on: channel, by: gateway.settings))
        switch action {
        case .open(let answer): return try await answer(call)
        case .device(let answer): return try await answer(try await DeviceCall(admitting: call))
        }
    }
}

extension RequestError {
    /// Tells an app of what went wrong while its request was answered; `nil` if its connection broke, or for a type that
    /// has no answer here.
    ///
    /// This is the one place where errors of the library become answers of the gateway. A type stands here only if it has
    /// one meaning wherever it is thrown; those of bodies and header fields are the client's fault in one place, and ours
    /// in another.
    package init?(atGateway error: any Error) {
        switch error {
        case let error as RequestError: self = error
        case let error as EntitlementFlowError: self.init(error)
        case let error as BrokerError: self.init(EntitlementFlowError.broker(error))
        case let error as DeviceRecordsError: self.init(EntitlementFlowError.store(error))
        case let error as SealedTableError: self.init(error)
        case let error as PlaybackSessionError: self.init(error)
        // What does not open is no such failure: it was caught where it was opened.
        case is OpenSSLFailure, SealingError.undecided: self = .cryptography
        default: return nil
        }
    }

    /// A failure of the flows.
    package init(_ error: EntitlementFlowError) {
        self.init(
            as: FailureKind(error), error.nameForApps, detail: error.detailForApps, retryAfter: error.retryAfter)
    }

    /// Why the user may not watch, with the provider's own text and the addresses in it.
    package init(_ denial: AuthorizationDenial) {
        self.init(as: FailureKind(denial), denial.nameForApps, detail: "\(denial)")
        (message, links) = (denial.message, denial.links)
    }

    /// Why a playback session does not begin, although the user may watch.
    package init(_ error: PlaybackSessionError) {
        self.init(
            as: FailureKind(error), error.nameForApps, detail: error.description, retryAfter: error.retryAfter)
    }

    /// The gateway's own records cannot be read or written: 503.
    package init(_ error: SealedTableError) {
        self =
            switch error {
            case .store(let error): .storeUnavailable(error.code)
            case .sealing: .cryptography
            case .opening(let error): .storeUnavailable(error.code)
            case .damaged, .misplaced: .storeUnavailable("device_record_damaged")
            case .newerSchema: .storeUnavailable("device_record_newer")
            case .contended, .cancelled: .storeUnavailable("device_record_contended")
            }
    }

    private init(as kind: FailureKind, _ code: String, detail: String, retryAfter: Duration? = nil) {
        let answer = kind.answer
        self.init(
            answer.status, code, doing: answer.action, detail: detail,
            retryAfter: answer.retryAfter.map { retryAfter ?? .seconds($0) })
    }

    /// The store of devices cannot tell.
    static func storeUnavailable(_ code: String) -> RequestError {
        RequestError(
            .serviceUnavailable, code, doing: .retry, detail: "the store of devices does not answer; ask again",
            retryAfter: .seconds(1))
    }

    static let cryptography = RequestError(
        .serviceUnavailable, "undecided", doing: .retry, detail: "libcrypto failed; ask again",
        retryAfter: .seconds(1))

    /// There are too many requests of a kind.
    static func tooMany(_ what: String, retryAfter: Duration) -> RequestError {
        RequestError(
            .tooManyRequests, "too_many_requests", doing: .retry, detail: "there were too many \(what)",
            retryAfter: retryAfter)
    }
}

extension EntitlementFlowError {
    /// What happened, and which request to make about it.
    ///
    /// The description names calls of the library, which an app that speaks HTTP does not have.
    fileprivate var detailForApps: String {
        switch self {
        case .notAuthenticated: "the user is not signed in; begin with POST /v1/authentication"
        case .identityNeeded(let mvpd):
            "the provider \(mvpd.rawValue.printable) is promotional access, which needs an identity of the user; "
                + "send it as identity with POST /v1/authentication"
        case .codeEnded:
            "the sign-in's code ended before the user signed in; get a new one with POST /v1/authentication"
        // How the broker is reached, perhaps through a proxy, is nothing that apps are told.
        case .broker(.transport): "no answer came from the broker; ask again"
        case .requestorNotSet: "the service asked for no requestor; this is a fault of the service"
        default: description
        }
    }
}
#endif
