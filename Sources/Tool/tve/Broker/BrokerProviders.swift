#if CLI
import ArgumentParser
#if Client
import BrokerClient
import EntitlementValues
import ServiceResponses
import TextCodecs
#endif

struct BrokerProviders: BrokerSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "providers",
        abstract: "List the providers that a subscriber can choose from.",
        discussion: """
            Examples:
              tve broker providers --requestor REF30 --statement statement.jwt
              tve broker providers --requestor REF30 --statement statement.jwt \\
                  --output json | jq -r '.requestor.mvpds[].id'

            The list depends on the device; --device-info shows that of another one.

            Exit codes: 0 done; 23 throttled; 24 must register anew; 64 usage; 66 no such file; 69 no answer; 74 output \
            failed; 78 the broker refuses the request, or a file cannot be used.
            """
    )

    @OptionGroup var options: BrokerOptions

    #if Client
    func run(_ conversation: BrokerConversation) async throws {
        let answer = try await conversation.caller.configuration(requestor: conversation.requestor)
        for fault in answer.faults { Console.note("\(fault)", code: fault.code, as: output) }
        let mvpds = answer.requestor.mvpds
        let lines = aligned(mvpds.map { ($0.id.rawValue.printable, $0.line) })
        let domains = answer.requestor.domains.map(\.name).joined(separator: ", ")
        let heading = "\(mvpds.count) providers of \(answer.requestor.id.rawValue.printable)"
        try Console.show("\(heading)\n\(lines)domains: \(domains.printable)\n", or: answer.object, in: output)
    }
    #endif
}

#if Client
extension MVPD {
    /// The name, and what is unusual about the provider.
    fileprivate var line: String {
        let marks = [
            isTemporaryAccess == true ? "temporary access" : nil, isProxy == true ? "proxy" : nil,
            boardingStatus.map { "partner: \($0.rawValue)" },
        ].compactMap(\.self)
        return (displayName ?? "") + (marks.isEmpty ? "" : " (\(marks.joined(separator: ", ")))")
    }
}
#endif
#endif
