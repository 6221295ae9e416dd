#if Client
/// The pages on which the user's browser ends the sessions of providers, and what follows them.
package struct LogoutVisits: Sendable {
    /// What follows when the browser comes back from a page.
    package enum Next: Sendable, Hashable {
        /// Another page: a browser opens one at a time.
        case page(UserAgentVisit)
        /// The logout is done.
        case done
        /// A sign-in that was forced begins, unless the epoch is a later one.
        case signIn(ProviderFilter?, since: Int64)
    }

    private struct Open: Sendable {
        var pages: ArraySlice<UserAgentVisit>
        let last: Next
        /// When the browser was sent to a page last.
        var began: Duration
    }

    /// How long a browser may be away that was sent to a page: as long as a code counts.
    private static let lifetime: Duration = .seconds(1_800)

    /// `nil` if the browser was not sent to a page.
    private var open: Open?

    package init() {}

    /// A logout has pages, the first of which the browser opens now; or none.
    ///
    /// Pages of an earlier logout that the browser has not opened come after them.
    package mutating func begin(_ pages: [UserAgentVisit], at uptime: Duration) {
        let further = pages.dropFirst() + (open?.pages ?? [])
        open = pages.isEmpty && further.isEmpty ? nil : Open(pages: further, last: .done, began: uptime)
    }

    /// The same before a forced sign-in, which begins in that epoch or not at all.
    package mutating func begin(
        _ pages: [UserAgentVisit],
        before filter: ProviderFilter?,
        since epoch: Int64,
        at uptime: Duration
    ) {
        open = Open(pages: pages.dropFirst(), last: .signIn(filter, since: epoch), began: uptime)
    }

    /// Another brand, a choice, the partner's session or a cancel: the browser's next return is not that from a page.
    package mutating func end() { open = nil }

    /// The browser has come back; `nil` if it was not sent to a page.
    package mutating func browserReturned(at uptime: Duration) -> Next? {
        guard let page = open?.pages.popFirst() else {
            defer { open = nil }
            return open?.last
        }
        open?.began = uptime
        return .page(page)
    }

    /// Whether the session must stay, since it alone knows what follows.
    package func holdsSession(at uptime: Duration) -> Bool {
        open.map { uptime - $0.began < Self.lifetime } ?? false
    }
}
#endif
