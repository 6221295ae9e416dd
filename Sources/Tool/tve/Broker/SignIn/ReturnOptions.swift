#if CLI
import ArgumentParser
#if Client
import BrokerClient
import EntitlementValues
import ServiceResponses
#endif

/// Which domain sign-ins and logouts name, and where a browser goes in the end.
struct ReturnOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "The domain that sessions name (default: the requestor's first, which costs a request).",
            valueName: "domain"))
    var domain: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Where browsers go in the end; this command does not see them come back (default: https://DOMAIN/).",
            valueName: "url"))
    var redirect: String?

    func validate() throws {
        for (name, value) in [("domain", domain), ("redirect", redirect)] where value == "" {
            throw ValidationError("--\(name) is empty (an unset variable?).")
        }
    }

    #if Client
    /// The place, if the options name a domain.
    var place: ReturnPlace? { domain.map { ReturnPlace(domain: $0, redirect: redirect) } }

    /// The place for a requestor; throws if no domain was given, and the requestor has none.
    func place(of requestor: RequestorConfiguration) throws(CommandFailure) -> ReturnPlace {
        if let place { return place }
        guard let first = requestor.domains.first else {
            throw CommandFailure(
                "no_domain", "the requestor has no domain; let the operator add one, or give --domain",
                exitCode: .badConfiguration)
        }
        return ReturnPlace(domain: first.name, redirect: redirect)
    }
    #endif
}
#endif
