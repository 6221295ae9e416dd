#if Service
import BrokerMessages
package import EntitlementValues
import OpenSSLBridge

/// A sign-in that a user has begun, and that does not count yet.
///
/// It has a session of its own at the broker's client, with a registration of its own: the profile that comes of it belongs
/// to that registration, and no request but its proof asks for it.
package struct OpenSignIn: Sendable, Hashable {
    /// On which screen the user signs in.
    package enum Kind: String, Sendable, Hashable {
        /// In a browser to which the app sends the user: the return has to prove that it came to this device.
        case browser
        /// On another screen, where the user types a code.
        case code
    }

    /// How far it is.
    package enum Phase: Sendable, Hashable {
        /// The user is away, at the provider.
        case away
        /// A browser has come back, of which it is not known that it is the device's.
        case returned(at: Timestamp)
        /// The device, or the browser in which the user confirmed, has proved that it came back.
        case proven(at: Timestamp)
    }

    /// The session that it has.
    package let number: Int64
    /// On which screen; in a browser until a code is shown.
    package var kind = Kind.browser
    /// Stands in the address of the return: 128 random bits.
    package let state: String
    /// When it was begun.
    let begun: Timestamp
    /// The end of its code.
    var until: Timestamp
    /// Where the return page sends the browser; one of the app's list.
    let returnTo: String?
    /// The provider, once it is chosen.
    package var mvpd: MVPDID?
    package var phase: Phase = .away
    /// The code that the user types on another screen.
    package var activationCode: String?
    /// How the other screen names the device.
    package var deviceName: String?
    /// The cookie of the browser that came back first, or in which the user confirmed.
    package var mark: String?
    /// The one-time code that was handed to the app through its return address; it proves this return and no other.
    package var proof: String?
    /// Whether the broker had a profile when the first browser came back; `nil` until one has.
    ///
    /// Only this question says that the browser which came back is the one that signed in. A profile that any later question
    /// finds is held back for ``holdTime``.
    package var isThere: Bool?

    /// How long the proof may take after the return.
    static let proofTime = TimeToLive.minutes(2)
    /// How long a return is waited for in which the broker has no profile yet.
    ///
    /// After it the user has cancelled at the provider. It has an end so that the address of the provider's login, which
    /// stays good at the broker, is of no use to a user it is forwarded to after that.
    static let lateTime = TimeToLive.seconds(8)
    /// How long a profile is held back that was not there with the first return: another browser that comes back in this
    /// time is the one that has signed in.
    static let holdTime = TimeToLive.seconds(1)

    /// Whether the broker may be asked for it: not as long as a browser is away, or has not proved where it came back.
    var mayBeAskedAbout: Bool {
        if kind == .code { return true }
        guard case .proven = phase else { return false }
        return true
    }

    /// Whether the one-time code of the return is good: also once more, since the answer to the first one may be lost.
    func isProved(by code: String, at now: Timestamp) -> Bool {
        switch phase {
        case .away: return false
        case .returned(let at), .proven(let at):
            guard let proof, now < at + Self.proofTime else { return false }
            return proof.isSameSecret(as: code)
        }
    }
}

extension OpenSignIn: CustomStringConvertible, CustomReflectable {
    /// On which screen, and since when; neither state nor codes.
    package var description: String { "sign-in by \(kind.rawValue) since \(begun)" }

    /// A mirror of the same.
    package var customMirror: Mirror { Mirror(self, children: ["kind": kind.rawValue, "begun": begun]) }
}

extension String {
    /// Compares secrets without telling by the time how much of them is the same.
    func isSameSecret(as other: String) -> Bool { isEqualInConstantTime(Array(utf8), Array(other.utf8)) }
}

/// A sign-in that was given up, or not proved: its session is used only to log out at the broker.
///
/// Its address at the provider stays good until its code ends, and a user may still sign in there.
package struct SpentSignIn: Sendable, Hashable {
    /// The session that it had.
    package let number: Int64
    /// Stands in the address of the return.
    let state: String
    /// The provider; `nil` if none was chosen, so that no user can have signed in.
    let mvpd: MVPDID?
    /// The end of its code.
    let until: Timestamp
    /// When it is cleared away: a login that was begun before its code has ended may end after that.
    var clearing: Timestamp { until + .minutes(2) }
    /// The plays that began with it before it became void, which are revoked.
    package var plays: [NotedPlay] = []
}

/// A play that began with a sign-in: it ends if that becomes void, when the user signs out, and with the device.
package struct NotedPlay: Sendable, Hashable {
    /// The name of the playback session.
    package let session: String
    /// The first instant at which no text of the session is good.
    package let until: Timestamp

    package init(session: String, until: Timestamp) { (self.session, self.until) = (session, until) }
}

/// The last sign-in that was proved with the return of a browser.
///
/// If another browser comes back to the same address, the proof was not worth its name: the sign-in is void.
package struct ProvedSignIn: Sendable, Hashable {
    /// The session that it had, which counts since.
    let number: Int64
    /// Stands in the address of the return.
    package let state: String
    /// The provider.
    let mvpd: MVPDID?
    /// Where the return page sends the browser.
    let returnTo: String?
    /// The cookie of the browser that came back.
    let mark: String?
    /// The one-time code that proved it; `nil` if the browser itself did.
    let proof: String?
    /// When it was proved.
    let at: Timestamp
    /// The plays that have begun with it since, as long as it may still become void.
    package var plays: [NotedPlay] = []

    /// Whether a code that an app sends once more is the one that proved it.
    func isProved(by code: String, at now: Timestamp) -> Bool {
        guard let proof, now < at + OpenSignIn.proofTime else { return false }
        return proof.isSameSecret(as: code)
    }
}

/// A logout of which the user's browser has not come back yet, or not from all of the providers' pages.
package struct OpenLogout: Sendable, Hashable {
    /// Stands in the address of the return.
    let state: String
    /// Where the return page sends the browser; one of the app's list.
    let returnTo: String?
    /// The end of the time in which the return is known.
    let until: Timestamp

    /// From how many pages the browser has yet to come back: it opens one at a time, and each return is to the same address.
    var pages: Int64

    package init(state: String, returnTo: String?, until: Timestamp, pages: Int64 = 1) {
        (self.state, self.returnTo, self.until, self.pages) = (state, returnTo, until, pages)
    }
}

extension SpentSignIn: CustomStringConvertible, CustomReflectable {
    /// Until when it is remembered; not the state.
    package var description: String { "spent sign-in until \(until)" }

    /// A mirror of the same.
    package var customMirror: Mirror { Mirror(self, children: ["until": until]) }
}

extension ProvedSignIn: CustomStringConvertible, CustomReflectable {
    /// When it was proved; neither state nor mark nor code.
    package var description: String { "sign-in proved at \(at)" }

    /// A mirror of the same.
    package var customMirror: Mirror { Mirror(self, children: ["at": at]) }
}

extension OpenLogout: CustomStringConvertible, CustomReflectable {
    /// Until when its return is known; not the state.
    package var description: String { "logout until \(until)" }

    /// A mirror of the same.
    package var customMirror: Mirror { Mirror(self, children: ["until": until]) }
}

/// Why a sign-in ended without a user who is signed in.
package enum SignInEnd: String, Sendable, Hashable {
    /// The app gave it up, or began another one.
    case cancelled
    /// Its code ended before the user signed in.
    case codeEnded = "code_ended"
    /// The browser came back, and the provider had signed no user in.
    case notSignedIn = "not_signed_in"
    /// The device did not prove in time that the browser had come back to it, two browsers came back, or a user signed in
    /// with a code that no user had confirmed.
    case notProved = "return_not_proved"
}
#endif
