#if Service
package import EntitlementValues

/// A sign-in that was given up, or not proved: its session serves only to log out at the broker.
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

/// A logout that waits until the user's browser has come back from all of the providers' pages.
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
#endif
