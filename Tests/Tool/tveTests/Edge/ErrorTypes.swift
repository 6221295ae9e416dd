#if CLI
import Foundation
import TestVectors

/// The types of errors in the sources.
enum ErrorTypes {
    struct Found {
        let name: String
        /// The path of the file in the sources.
        let file: String
        /// The names of the rows that a table of all errors must have: a structure has one, an enumeration one for each case.
        let rows: [String]
    }

    /// Types that do not come to the edge of the tool, each with the reason.
    static let others = [
        // What a row, a request or a page is answered with.
        "FieldFault": "a batch answers the row with it",
        "RecordFault": "a batch answers the row with it",
        "TooManyFaults": "the service ends its answer with it",
        "StatedClientFault": "the service answers the request with it",
        "RequestError": "the service answers the request with it",
        "RequestRefusal": "the service answers the request with it",
        "BrokenBody": "the service throws what it holds, and the connection ends",
        "EventSinkFailure": "the gateway logs it",
        "ListenerError": "tve serve logs it, and ends with 69",
        "Refusal": "the simulator answers the request with it",
        "SiteFault": "the simulator answers the request with it",
        "NotAnArchive": "tve broker review names the file with it, and ends with 65",
        // What another error holds, or what another one is made of.
        "SoftwareStatementFault": "BrokerRequestError holds it",
        "RequestFault": "BrokerError holds it",
        "TransportFailure": "BrokerError holds it",
        "AddressFault": "BrokerError holds it",
        "WorldFault": "SimulationError holds it",
        "MediaTokenError": "a verdict, or ResponseTokenError, holds it",
        "ResponseTokenError": "EntitlementFlowError holds it",
        "RecordStoreError": "DeviceRecordsError and PlaybackSessionError hold it",
        "SealedTableError": "DeviceRecordsError and PlaybackSessionError are made of it",
        "ReplayStoreError": "a verdict, a finding or EntitlementFlowError holds it",
        "TimestampFault": "ServiceResponseError holds it",
        "JSONFault": "each reader of JSON has an error of its own",
        "FormFault": "BrokerRequestError is made of it",
        "AttributeError": "a batch answers the row with it",
        "SignedTextError": "MediaTokenError and EntitlementTokenError are made of it",
        "SignerSearchFailure": "each verifier has an error of its own",
        "OpeningFailure": "SealingError is made of it",
        "UnlockFailure": "KeyError is made of it",
        "NothingWritten": "OpenSSLFailure is made of it",
        "RedisConfigurationError": "ReplayStoreOpeningError is made of it",
        "RedisReloadError": "ReplayStoreOpeningError is made of it",
        "RedisFailure": "ReplayStoreError and RecordStoreError are made of it",
        "VoidChange": "EntitlementSession catches it",
        // What the command knows more of.
        "VerificationPolicyError": "the command line is wrong: argument(of:_:)",
        "ReplayStoreAddressError": "the command line is wrong: ReplayStoreAddress(_:of:)",
        "SeparatedHeaderError": "the words go by the form of the input: CommandFailure(_:_:)",
        "ServiceSettingsError": "it has many faults, and tve serve and tve doctor report each",
    ]

    /// Cases that the command ends with in another way, before they come to the edge.
    static let endedBefore: Set = ["SimulationServiceError.notLoopback"]

    /// Whether the tool has the module of a type, as it is built now.
    static func isBuilt(_ type: Found) -> Bool {
        #if !Service
        if type.file.hasPrefix("Service/TVEService/") || type.file.hasPrefix("Broker/BrokerSimulation/") {
            return false
        }
        #endif
        #if !Client
        if type.file.hasPrefix("Broker/BrokerClient/") || type.file.hasPrefix("Broker/EntitlementFlows/") {
            return false
        }
        #endif
        return true
    }

    /// Reads the sources.
    static func all() throws -> [Found] {
        let sources = Vectors.repository.appending(path: "Sources")
        let names = try FileManager.default.subpathsOfDirectory(atPath: sources.path)
            .filter { $0.hasSuffix(".swift") }
        var texts: [(file: String, text: String)] = []
        for name in names.sorted() {
            texts.append((name, try String(contentsOf: sources.appending(path: name), encoding: .utf8)))
        }
        let declaration =
            #/\n[@A-Za-z ]*\b(struct|enum|class|actor|extension|protocol) ([A-Za-z.]+)(?:<[^>{]*>)? *:([^{]*)\{/#
        let declared = texts.flatMap { file, text in
            text.matches(of: declaration).map { match in
                let parents = match.3.split { !$0.isLetter && !$0.isNumber }.map(String.init)
                let rest = text[match.range.upperBound...]
                let body = rest[..<(rest.firstRange(of: "\n}")?.lowerBound ?? rest.endIndex)]
                return (file: file, kind: match.1, name: String(match.2), parents: parents, body: body)
            }
        }
        // A protocol of errors makes a type one, too.
        var kinds: Set = ["Error"]
        kinds.formUnion(declared.filter { $0.kind == "protocol" && $0.parents.contains("Error") }.map(\.name))
        let errors = declared.filter { $0.kind != "protocol" && !kinds.isDisjoint(with: $0.parents) }
        return Dictionary(grouping: errors, by: \.name).map { name, parts in
            let type = parts.first { $0.kind != "extension" } ?? parts[0]
            let rows =
                switch type.kind {
                case "enum": cases(of: type.body).map { "\(name).\($0)" }
                case "struct": [name]
                default: [String]()
                }
            return Found(name: name, file: type.file, rows: rows)
        }
    }

    /// The names after `case` on the first level of a body.
    private static func cases(of body: Substring) -> [String] {
        body.split(separator: "\n").filter { $0.hasPrefix("    case ") }.map { line in
            String(line.dropFirst("    case ".count).prefix { $0.isLetter || $0.isNumber })
        }
    }
}
#endif
