#if Client
import EntitlementFlows
import Testing

/// Which page comes next when the browser comes back from one, and what follows the last.
@Suite("Pages of a logout")
struct LogoutVisitsTests {
    private static func pages(_ names: String...) -> [UserAgentVisit] {
        names.map { UserAgentVisit(to: "https://\($0).example", for: .logout) }
    }

    /// Lets the browser come back until nothing follows.
    private static func returns(to visits: inout LogoutVisits) -> [LogoutVisits.Next] {
        var all: [LogoutVisits.Next] = []
        while let next = visits.browserReturned(at: .zero) { all.append(next) }
        return all
    }

    @Test func `Without a page, a return is none from a logout`() {
        var visits = LogoutVisits()
        visits.begin([], at: .zero)
        let next = visits.browserReturned(at: .zero)
        #expect(next == nil && !visits.holdsSession(at: .zero))
    }

    @Test func `Each return brings the next page, and the last one says that it is done`() {
        var visits = LogoutVisits()
        let pages = Self.pages("a", "b", "c")
        visits.begin(pages, at: .zero)
        let all = Self.returns(to: &visits)
        #expect(all == [.page(pages[1]), .page(pages[2]), .done] && !visits.holdsSession(at: .zero))
    }

    @Test func `Pages that are left of an earlier logout come after those of a later one`() {
        var visits = LogoutVisits()
        let (first, second) = (Self.pages("a", "b"), Self.pages("c", "d"))
        visits.begin(first, at: .zero)
        visits.begin(second, at: .zero)
        let all = Self.returns(to: &visits)
        #expect(all == [.page(second[1]), .page(first[1]), .done])
    }

    @Test func `They come also after a logout without a page`() {
        var visits = LogoutVisits()
        let pages = Self.pages("a", "b")
        visits.begin(pages, at: .zero)
        visits.begin([], at: .zero)
        let all = Self.returns(to: &visits)
        #expect(all == [.page(pages[1]), .done])
    }

    @Test func `A forced sign-in begins after its last page, and a logout takes its place`() {
        var visits = LogoutVisits()
        let pages = Self.pages("a", "b")
        visits.begin(pages, before: nil, since: 7, at: .zero)
        let all = Self.returns(to: &visits)
        #expect(all == [.page(pages[1]), .signIn(nil, since: 7)])
        visits.begin(Self.pages("a"), before: nil, since: 7, at: .zero)
        visits.begin(Self.pages("c"), at: .zero)
        let later = Self.returns(to: &visits)
        #expect(later == [.done])
    }

    @Test func `Whoever ends them has no page`() {
        var visits = LogoutVisits()
        visits.begin(Self.pages("a", "b"), at: .zero)
        visits.end()
        let all = Self.returns(to: &visits)
        #expect(all.isEmpty)
    }

    @Test func `The browser may be away for half an hour at each page`() {
        var visits = LogoutVisits()
        visits.begin(Self.pages("a", "b"), at: .seconds(10))
        #expect(visits.holdsSession(at: .seconds(1_809)) && !visits.holdsSession(at: .seconds(1_810)))
        _ = visits.browserReturned(at: .seconds(1_000))
        #expect(visits.holdsSession(at: .seconds(2_799)) && !visits.holdsSession(at: .seconds(2_800)))
    }
}
#endif
