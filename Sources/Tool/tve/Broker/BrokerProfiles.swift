#if CLI
import ArgumentParser
#if Client
import BrokerClient
import EntitlementValues
import MetadataDecryption
import ServiceResponses
import TextCodecs
#endif

struct BrokerProfiles: BrokerSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "profiles",
        abstract: "List the sign-ins of this device.",
        discussion: """
            Example:
              tve broker profiles --requestor REF30 --statement statement.jwt

            As JSON it is the broker's answer with all attributes, which are personal data; encrypted ones stay \
            encrypted (tve decrypt --batch --input profiles).

            Exit codes: 0 signed in; 21 not signed in; 23 throttled; 24 must register anew; 64 usage; 66 no such file; \
            69 no answer; 74 output failed; 78 the broker refuses the request, or a file cannot be used.
            """
    )

    @OptionGroup var options: BrokerOptions

    #if Client
    func run(_ conversation: BrokerConversation) async throws {
        let answer = try await conversation.caller.profiles(requestor: conversation.requestor)
        for fault in answer.faults { Console.note("\(fault)", code: fault.code, as: output) }
        let exitCode: ExitCode = answer.profiles.isEmpty ? .notSignedIn : .success
        let lines = aligned(answer.profiles.map { ($0.mvpd.rawValue.printable, $0.line) })
        try Console.show(
            answer.profiles.isEmpty ? "not signed in\n" : lines, or: answer.object, in: output, endingWith: exitCode)
    }
    #endif
}

#if Client
extension Profile {
    /// The type, the end and the names of the attributes.
    fileprivate var line: String {
        let names = attributes.entries.map(\.name.rawValue).joined(separator: ", ")
        return "\(type?.rawValue ?? "profile"), until \(notAfter)" + (names.isEmpty ? "" : ", with \(names)")
    }
}
#endif
#endif
