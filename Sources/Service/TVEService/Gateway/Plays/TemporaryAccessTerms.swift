#if Service
import EntitlementFlows
import EntitlementValues
import ServiceResponses
import TextCodecs

/// Until when temporary access lasts, and how many further resources it allows.
struct TemporaryAccessTerms: Sendable, Hashable {
    /// The first instant at which nothing may be watched anymore.
    ///
    /// The broker cuts no stream off, so the playback session ends here.
    let until: Timestamp
    /// How many further resources may be watched; `nil` if they are not counted, or not known.
    let remainingResources: Int64?

    /// Takes the terms out of a profile.
    init(of profile: Profile) {
        until = profile.notAfter
        guard case .number(let digits)? = try? profile.attributes.value("remaining_resources")?.content else {
            remainingResources = nil
            return
        }
        remainingResources = Int64(digits)
    }

    /// Finds the terms of a permit.
    ///
    /// The broker is asked for the profile, with one call, if it is not known; so is it if resources are counted, since the
    /// permit has changed their number. Without an end a session does not begin, so that none can outlive it.
    ///
    /// - Parameters:
    ///   - playback: The permit.
    ///   - session: The session of the device.
    /// - Throws: `EntitlementFlowError` if the end cannot be found out; `GatewayRefusal` if it is over.
    init(of playback: AuthorizedPlayback, in session: EntitlementSession) async throws {
        var profile = try await session.profile(.localOnly)
        if profile?.mvpd != playback.mvpd {
            profile = try await session.profile(.broker)
        } else if let known = profile, let remaining = TemporaryAccessTerms(of: known).remainingResources {
            // With the last resource the profile ends at the broker. To ask for it would sign the user out, and the next play
            // would be told so instead of what is used up.
            guard remaining > 1 else {
                self.init(until: known.notAfter)
                return
            }
            // The end is known, so the play does not fail if the number cannot be asked for.
            do throws(EntitlementFlowError) {
                profile = try await session.profile(.broker)
            } catch .broker(_) {
                self.init(until: known.notAfter)
                return
            }
        }
        guard let profile, profile.mvpd == playback.mvpd else { throw EntitlementFlowError.superseded }
        self.init(of: profile)
    }

    private init(until: Timestamp) { (self.until, remainingResources) = (until, nil) }

    /// The terms in JSON.
    var object: JSONWriter {
        var object = JSONWriter()
        object.member("until", until.milliseconds)
        if let remainingResources { object.member("remainingResources", remainingResources) }
        return object
    }
}
#endif
