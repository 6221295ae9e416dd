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
    /// The first instant at which its code is of no use.
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
    /// What the browser has as a cookie that came back first, or in which the user confirmed.
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
#endif
