#if Service
import HTTPTypes
import MediaTokens
import PlaybackSessions

extension [String] {
    /// The most sessions of a request whose signatures are looked at.
    private static let maximumSignatures = 4

    /// Finds the first good session among the texts that a request presents.
    ///
    /// A browser may send several cookies of one name, and other sites of the same domain can plant some of them. A text
    /// that is not a session, or names a key that is not in the ring, costs little and does not count: else a few planted
    /// cookies would lock a viewer out.
    ///
    /// Returns the session, and what the check returned. If none is good, it is the first one that cannot be checked now, and
    /// may be good; else the first one whose signature was looked at, or else the first text, with what is wrong with it.
    /// `nil` if there are no texts.
    func firstGoodSession<Found>(
        _ check: (String) async throws(PlaybackSessionError) -> Found
    ) async -> (text: String, result: Result<Found, PlaybackSessionError>)? {
        var junk: (text: String, error: PlaybackSessionError)?
        var bad: (text: String, error: PlaybackSessionError)?
        var undecided: (text: String, error: PlaybackSessionError)?
        var signatures = 0
        for text in self where signatures < Self.maximumSignatures {
            do throws(PlaybackSessionError) {
                return (text, .success(try await check(text)))
            } catch {
                if error.isBeforeSignature {
                    junk = junk ?? (text, error)
                    continue
                }
                signatures += 1
                if error.status == .errorUnknown {
                    undecided = undecided ?? (text, error)
                } else {
                    bad = bad ?? (text, error)
                }
            }
        }
        return (undecided ?? bad ?? junk).map { ($0.text, .failure($0.error)) }
    }
}

extension HTTPFields {
    /// The values of all cookies of a name, in their order.
    func cookies(named name: String) -> [String] {
        var values: [String] = []
        for field in self where field.name == .cookie { values += field.value.cookies(named: name) }
        return values
    }
}

extension PlaybackSessionError {
    /// Whether the text was refused before its signature was looked at.
    fileprivate var isBeforeSignature: Bool {
        switch self {
        case .tooLarge, .malformed, .unknownKey: true
        default: false
        }
    }
}
#endif
