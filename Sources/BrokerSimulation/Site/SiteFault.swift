#if Client
import TextCodecs

/// Why a page or a control call is refused.
enum SiteFault: Error, Sendable, Hashable {
    /// The request names another host than this machine.
    case wrongHost
    /// A page of another origin sent the request.
    case foreignOrigin
    /// A form of the overview lacks its secret: it is from before the last start.
    case oldForm
    case notFound
    case wrongMethod(allowed: [String])
    case notJSON
    case tooLarge
    /// Something in the request cannot be used; the text says what, without a secret.
    case badRequest(String)
    /// What the simulator refused.
    case refused(SimulationError)

    /// The status of the answer.
    var status: Int {
        switch self {
        case .wrongHost, .foreignOrigin, .oldForm: 403
        case .notFound: 404
        case .wrongMethod: 405
        case .notJSON: 415
        case .tooLarge: 413
        case .badRequest: 400
        case .refused(.unknownScenario), .refused(.unknownClient), .refused(.unknownCode), .refused(.unknownUser),
            .refused(.unknownIntegration):
            404
        case .refused(.backend), .refused(.keys): 500
        case .refused: 400
        }
    }

    private var code: String {
        switch self {
        case .wrongHost: "wrong_host"
        case .foreignOrigin: "foreign_origin"
        case .oldForm: "old_form"
        case .notFound: "not_found"
        case .wrongMethod: "method_not_allowed"
        case .notJSON: "not_json"
        case .tooLarge: "too_large"
        case .badRequest: "bad_request"
        case .refused(let error): error.code
        }
    }

    private var detail: String {
        switch self {
        case .wrongHost: "this part of the simulator is reached by the names localhost and 127.0.0.1 only"
        case .foreignOrigin: "a page of another origin may not do this"
        case .oldForm: "the form is from before the last start; load the page again"
        case .notFound: "the path is unknown"
        case .wrongMethod(let allowed): "the path takes \(allowed.joined(separator: " or "))"
        case .notJSON: "a change is sent with Content-Type: application/json"
        case .tooLarge: "the body is longer than \(BrokerSimulator.maximumBodyLength) bytes"
        case .badRequest(let reason): reason
        case .refused(let error): error.description
        }
    }

    /// For programs.
    var json: Reply {
        var error = JSONWriter()
        error.member("code", code)
        error.member("detail", detail)
        var object = JSONWriter()
        object.member("error", error)
        return withAllowed(.control(object, status: status))
    }

    /// For people.
    var page: Reply {
        let page = Page("This does not work", "<p class=\"alert\" role=\"alert\">\(Self.sentence(detail))</p>")
        return withAllowed(page.reply(status: status))
    }

    private static func sentence(_ detail: String) -> String {
        detail.prefix(1).uppercased() + detail.dropFirst() + "."
    }

    private func withAllowed(_ reply: Reply) -> Reply {
        guard case .wrongMethod(let allowed) = self else { return reply }
        var reply = reply
        reply.fields["Allow"] = allowed.joined(separator: ", ")
        return reply
    }
}
#endif
