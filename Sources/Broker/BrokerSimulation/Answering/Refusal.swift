#if Client
import BrokerMessages
package import ServiceResponses
import TextCodecs

/// Why a request gets an error for an answer.
package enum Refusal: Error, Sendable, Hashable {
    /// An error of REST API version 2.
    case error(EnhancedError)
    /// An error of client registration (RFC 7591 §3.2.2, RFC 6749 §5.2), always with status 400.
    case registration(RegistrationErrorCode, String)
    /// A page for a browser.
    case page(status: Int, String)
    /// A failure of libcrypto, which is the simulator's fault and not the client's.
    case failure(String)

    /// Refuses with one of the documented codes.
    static func code(_ code: EnhancedErrorCode, details: String? = nil) -> Refusal {
        .error(EnhancedError(documented: code, details: details))
    }

    /// Refuses a method that a path does not take.
    ///
    /// The errors of registration have status 400, so this one has no body there that a client could read.
    static func wrongMethod(at family: BrokerEndpoint.Family) -> Refusal {
        let refusal = Refusal.error(.methodNotAllowed)
        return family == .registration ? refusal.asPage : refusal.inForm(of: family)
    }

    /// The same for a person at a browser, who has no use for JSON.
    var asPage: Refusal {
        switch self {
        case .error(let error): .page(status: error.status ?? 500, error.message ?? "This went wrong.")
        case .failure: .page(status: 500, "This went wrong.")
        case .registration, .page: self
        }
    }

    /// The same in the form of an endpoint.
    ///
    /// The errors of registration are the client's own, with status 400; for a fault of the server neither RFC has a
    /// body, and one of version 2 has no place there.
    package func inForm(of family: BrokerEndpoint.Family) -> Refusal {
        switch (family, self) {
        case (.browser, _), (.registration, .failure): asPage
        default: self
        }
    }
}

extension EnhancedError {
    /// An error with the action and status that the broker documents for its code.
    ///
    /// A code that is not documented gets status 500 and no action. The details are a text for people, from the
    /// provider.
    init(documented code: EnhancedErrorCode, details: String? = nil) {
        let (action, status) = code.documentedAnswer ?? (.noAction, 500)
        let words = String(code.rawValue.map { $0 == "_" ? " " : $0 })
        self.init(action: action, status: status, code: code, message: "Simulated: \(words).", details: details)
    }

    /// The path exists, but not for the method; no code is documented for it.
    static let methodNotAllowed = EnhancedError(
        action: .noAction, status: 405, message: "Simulated: method not allowed.")
}
#endif
