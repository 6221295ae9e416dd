#if CLI
import ArgumentParser
#if Client
import EntitlementFlows
import EntitlementValues
import ServiceResponses
import TextCodecs
#endif

struct BrokerPreauthorize: BrokerSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "preauthorize",
        abstract: "Ask which resources the subscriber would be allowed to watch.",
        discussion: """
            Example:
              tve broker preauthorize REF30 news sports \\
                  --requestor REF30 --statement statement.jwt

            The answer is for marks in a list; ask with tve broker authorize before each playback. Five resources go in \
            one request.

            As JSON it is one object: permitted, a list of resources; denied, a list of objects with resource and what \
            tve broker authorize says of a denial; and notMentioned, resources that the broker leaves out, as a rule \
            because they are not gated. All are in the order of the command line.

            Exit codes: 0 at least one is permitted; 21 not signed in; 22 none is; 23 throttled; 24 must register \
            anew; 64 usage; 66 no such file; 69 no answer; 74 output failed; 78 the broker refuses the request, or a file \
            cannot be used.
            """
    )

    @Argument(help: "The resources.")
    var resources: [String]

    @OptionGroup var options: BrokerOptions

    func validate() throws {
        guard !resources.isEmpty else { throw ValidationError("Give at least one resource.") }
        guard !resources.contains("") else { throw ValidationError("A resource is empty (an unset variable?).") }
    }

    #if Client
    func run(_ conversation: BrokerConversation) async throws {
        let session = try await conversation.session()
        let answers = try await session.preauthorize(resources.map { ResourceID($0) }, usingCache: false).answers
        try Console.show(
            answers.map { text($0) }.joined(), or: object(answers), in: output,
            endingWith: answers.contains(where: \.isPermitted) ? .success : .denied)
    }

    private func text(_ answer: PreauthorizedResource) -> String {
        let name = answer.resource.rawValue.printable
        if answer.isNotMentioned { return "not mentioned  \(name)\n" }
        return answer.isPermitted ? "permitted  \(name)\n" : "denied     \(name)\n" + aligned(answer.denial.lines)
    }

    private func object(_ answers: [PreauthorizedResource]) -> JSONWriter {
        var object = JSONWriter()
        object.member("permitted", answers.filter(\.isPermitted).map(\.resource.rawValue))
        object.member("denied", objects: answers.filter { !$0.isPermitted && !$0.isNotMentioned }) { answer, object in
            object.member("resource", answer.resource.rawValue)
            answer.denial.write(to: &object)
        }
        object.member("notMentioned", answers.filter(\.isNotMentioned).map(\.resource.rawValue))
        return object
    }
    #endif
}

#if Client
extension PreauthorizedResource {
    /// Why the subscriber would not be allowed to watch it.
    fileprivate var denial: DenialReport {
        DenialReport(denial: AuthorizationDenial(of: resource, mvpd: nil, because: error))
    }
}
#endif
#endif
