import BrokerMessages
import Testing

/// The table of endpoints: what could be wrong in a row whatever the reference says, and when calls are repeated.
@Suite struct EndpointTableTests {
    @Test func `Each endpoint has a name and an address of its own`() {
        let all = BrokerEndpoint.allCases
        #expect(Set(all.map(\.rawValue)).count == all.count)
        #expect(Set(all.map { "\($0.method.rawValue) \($0.path)" }).count == all.count)
        for endpoint in all {
            #expect(BrokerEndpoint(rawValue: endpoint.rawValue) == endpoint)
            #expect("\(endpoint)" == endpoint.rawValue)
        }
        #expect(BrokerEndpoint(rawValue: "create-session") == nil && BrokerEndpoint(rawValue: "") == nil)
    }

    @Test(arguments: BrokerEndpoint.allCases)
    func `No row contradicts itself`(endpoint: BrokerEndpoint) {
        #expect(!endpoint.successes.isEmpty && endpoint.required.isDisjoint(with: endpoint.optional))
        let path = endpoint.segments.map { segment in
            switch segment {
            case .fixed(let text): text
            case .open(let parameter): "{\(parameter.rawValue)}"
            }
        }
        #expect("/" + path.joined(separator: "/") == endpoint.path)
        for case .fixed(let text) in endpoint.segments { #expect(!text.contains("{") && !text.isEmpty) }
    }

    @Test func `Only what changes nothing twice is repeated after failures`() {
        let repeated = BrokerEndpoint.allCases.filter { $0.repetition == .afterFailures }
        #expect(
            Set(repeated.map(\.rawValue)) == [
                "token", "configuration", "session", "user_agent", "profiles", "profile", "profile_by_code",
                "authorize",
                "preauthorize", "logout",
            ])
    }

    @Test func `Each field has the names of the reference`() {
        #expect(
            RequestField.allCases.flatMap(\.names) == [
                "Authorization", "AP-Device-Identifier", "X-Device-Info", "X-Forwarded-For", "Adobe-Subject-Token",
                "X-Roku-Reserved-Roku-Connect-Token", "AD-Service-Token", "AP-Partner-Framework-Status",
                "AP-TempPass-Identity", "AP-Visitor-Identifier", "AP-Session-Identifier", "AP-SDK-Identifier",
            ])
        let taken = BrokerEndpoint.allCases.map { $0.required.union($0.optional) }
        #expect(taken.allSatisfy { $0.isDisjoint(with: RequestField.ofLibraries) })
    }
}
