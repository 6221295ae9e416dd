#if Client
import Synchronization

/// How the broker is at each of its origins, and whether it accepts applications, as operators were told last.
///
/// It is learnt from the calls that are made anyway. Origins and applications are those of settings, so there are few.
final class BrokerCondition: Sendable {
    /// What the condition is about.
    struct Subject: Sendable, Hashable {
        /// Where the broker is.
        let origin: BrokerOrigin
        /// An application, and the step at which it is accepted or not; `nil` for the broker as a whole.
        var application: String?
        var step: RegistrationRefusal.Step?
    }

    /// How the broker is.
    enum State: Sendable, Hashable {
        /// It answers, if only with refusals; or it accepts the application.
        case answering
        /// It refuses the application; with the code of the decision that this asks for.
        case refusing(String)
        /// It takes no more requests from a client address.
        case throttling
        /// It fails or does not answer; with the code of the error.
        case failing(String)

        /// What an error says of the broker; `nil` if it says nothing.
        init?(after error: BrokerError) {
            switch error {
            case .throttled: self = .throttling
            case .transport(let failure):
                switch failure.reason {
                case .request, .cancelled, .shutDown: return nil
                default: self = .failing(error.code)
                }
            case .unavailable: self = .failing(error.code)
            case .unreadable(let answer):
                // With a status of success it is one kind of body that cannot be read; other calls go well.
                guard !(200..<300).contains(answer.status) else { return nil }
                self = .failing(error.code)
            case .refused(_, let status): self = status >= 500 ? .failing(error.code) : .answering
            case .registration, .borrowedTokenRefused: self = .answering
            case .request, .pollSkipped, .unsafeAddress, .store, .cancelled: return nil
            }
        }

        /// Whether operators need not be told of a change between the two.
        fileprivate func isLike(_ other: State) -> Bool {
            switch (self, other) {
            case (.answering, .answering), (.throttling, .throttling), (.failing, .failing): true
            // Another refusal has another cause, and perhaps another person who has to act.
            case (.refusing(let one), .refusing(let other)): one == other
            default: false
            }
        }
    }

    /// Operators are told of a change at most so often: a broker that fails now and then changes with each call.
    private static let shortestInterval: Duration = .seconds(30)

    /// What was told last, and when; at first a broker counts as one that answers.
    private let told = Mutex<[Subject: (state: State, since: Duration?)]>([:])

    /// Takes note of how the broker is at the present uptime.
    ///
    /// Returns the state if operators have to be told of it, and for how long the one before had lasted; else `nil`.
    func change(
        to state: State,
        of subject: Subject,
        at uptime: Duration
    ) -> (state: State, lasted: Duration)? {
        told.withLock { told in
            let last = told[subject] ?? (.answering, nil)
            guard !last.state.isLike(state) else { return nil }
            let lasted = last.since.map { uptime - $0 }
            if let lasted, lasted < Self.shortestInterval { return nil }
            told[subject] = (state, uptime)
            return (state, lasted ?? .zero)
        }
    }
}
#endif
