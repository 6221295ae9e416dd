import TextCodecs

/// The reason why a record could not be sealed or opened, or why its keys cannot be used.
///
/// No case holds a key, or anything of a record.
@nonexhaustive
public enum SealingError: Error, Sendable, Hashable {
    /// libcrypto failed (for example, out of memory). Carries OpenSSL's message, never input.
    case undecided(reason: String)

    /// The stable name of the error, for programs and log searches.
    public var code: String {
        switch self {
        case .undecided: "sealing_undecided"
        }
    }
}

extension SealingError: CustomStringConvertible {
    /// What happened, and what to do about it.
    public var description: String {
        switch self {
        case .undecided(let reason): "\(reason); try again"
        }
    }
}
