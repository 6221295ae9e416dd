#if CLI
import ArgumentParser
import EntitlementKeys
import MetadataDecryption
#if Client
import EntitlementFlows
import EntitlementValues
import ServiceResponses
import TextCodecs
#endif

struct BrokerMetadata: BrokerSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "metadata",
        abstract: "Show what is known of the subscriber, such as an attribute of the provider.",
        discussion: """
            Examples:
              tve broker metadata zip --key test-key.pem \\
                  --requestor REF30 --statement statement.jwt
              tve broker metadata METADATA_AUTHENTICATION \\
                  --requestor REF30 --statement statement.jwt

            NAME is an attribute (zip, userID, maxRating), or a key of the operator's library: METADATA_AUTHENTICATION for \
            the end of the sign-in, METADATA_AUTHORIZATION for that of the decision on --resource, METADATA_DEVICE_ID for \
            the device's identifier, METADATA_USER_META for all attributes. Attributes are personal data.

            As JSON it is one object: name, value (null if there is none; times are milliseconds since 1970), encrypted.

            Exit codes: 0 shown; 17 there is none; 20 not decrypted; 21 not signed in; 23 throttled; 24 must register \
            anew; 64 usage; 66 no such file; 69 no answer; 74 output failed; 78 the broker refuses the request, or a key \
            or file cannot be used.
            """
    )

    @Argument(help: "The attribute, or one of the keys above.")
    var name: String

    @OptionGroup var options: BrokerOptions

    @Option(name: .long, help: ArgumentHelp("The resource of METADATA_AUTHORIZATION.", valueName: "id"))
    var resource: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "A file or folder with your private keys; may be repeated, the newest first.", valueName: "path"),
        completion: .file())
    var key: [String] = []

    @OptionGroup var password: PasswordOptions

    @Flag(name: .long, help: "Admit keys of 1024 to 2047 bits, as on the wire.")
    var allowWeakKeys = false

    func validate() throws {
        guard !name.isEmpty else { throw ValidationError("The name is empty (an unset variable?).") }
        guard resource != "" else { throw ValidationError("--resource is empty (an unset variable?).") }
        guard (name == "METADATA_AUTHORIZATION") == (resource != nil) else {
            throw ValidationError("--resource goes with METADATA_AUTHORIZATION, and is needed there.")
        }
    }

    #if Client
    func run(_ conversation: BrokerConversation) async throws {
        let decrypter = try decrypter()
        let session = try await conversation.session { $0.decrypter = decrypter }
        if question != .deviceIdentifier {
            // The answer to a question for metadata does not tell throttling and a missing sign-in from an empty one.
            var status = try await session.checkAuthentication()
            if case .authenticated(let signIn) = status, signIn.until == nil {
                status = try await session.checkAuthentication(.broker)
            }
            guard case .authenticated = status else { throw EntitlementFlowError.notAuthenticated }
        }
        try report(try await session.metadata(question))
    }

    private var question: MetadataQuestion {
        switch name {
        case "METADATA_AUTHENTICATION": .authenticationTTL
        case "METADATA_AUTHORIZATION": .authorizationTTL(ResourceID(resource ?? ""))
        case "METADATA_DEVICE_ID": .deviceIdentifier
        case "METADATA_USER_META": .userMetadata(nil)
        default: .userMetadata(name)
        }
    }

    private func decrypter() throws -> MetadataDecrypter? {
        guard !key.isEmpty else { return nil }
        let opener = try password.read()
        let keys = try opener.openOfferingWeakKeys(of: "--key") { password throws(KeyError) in
            try DecryptionKeys(contentsOf: key, password: password, allowingWeakKeys: allowWeakKeys)
        }
        return MetadataDecrypter(keys: keys)
    }

    private func report(_ answer: MetadataAnswer) throws {
        // All attributes name those that are encrypted; one alone is of no use then.
        let isUnreadable = answer.isEncrypted && question != .userMetadata(nil)
        let exitCode: ExitCode = isUnreadable ? .undecryptable : answer.value == nil ? .unknownEntitlement : .success
        switch output {
        case .json:
            var object = JSONWriter()
            object.member("name", name)
            object.member("value", raw: answer.value?.json ?? Array("null".utf8))
            object.member("encrypted", answer.isEncrypted)
            try Console.write(object.finished + [UInt8(ascii: "\n")], endingWith: exitCode)
        case .text:
            if isUnreadable {
                let advice = key.isEmpty ? "give --key PRIVATE.pem" : "none of the keys decrypts it"
                throw CommandFailure("encrypted", "\(name) is encrypted; \(advice)", exitCode: exitCode)
            }
            guard let value = answer.value else {
                throw CommandFailure("no_metadata", "there is no \(name)", exitCode: exitCode)
            }
            try Console.write("\(value.text.printable)\n")
        }
    }
    #endif
}

#if Client
extension MetadataAnswer.Value {
    /// The value for people.
    fileprivate var text: String {
        switch self {
        case .instant(let instant): "\(instant)"
        case .text(let text), .json(let text): text
        }
    }

    /// The value as JSON.
    fileprivate var json: [UInt8] {
        switch self {
        case .instant(let instant): Array("\(instant.milliseconds)".utf8)
        case .text(let text): JSONWriter.string(text)
        case .json(let text): Array(text.utf8)
        }
    }
}
#endif
#endif
