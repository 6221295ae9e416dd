#if CLI
import ArgumentParser
import EntitlementKeys
import EntitlementValues
import RequestorSigning
import TextCodecs

struct SignRequestorID: ParsableCommand, OutputChoosing {
    static let configuration = CommandConfiguration(
        commandName: "requestor-id",
        abstract: "Sign a requestor ID: SHA-256 with RSA, in Base64.",
        discussion: """
            Examples:
              tve sign requestor-id REF30 --key programmer.key
              printf %s "$ID" | tve sign requestor-id - --key programmer.key
              tve sign requestor-id REF30 --key programmer.p12 \\
                  --password-file password.txt --output json

            The same ID and key always give the same signature, that of openssl dgst -sha256 -sign. tve sign check \
            verifies it.

            Exit codes: 0 signed; 64 usage, or an ID that cannot be signed; 66 no such key file; 69 OpenSSL failed; 74 \
            input or output failed; 78 bad key.
            """
    )

    @Argument(help: "The requestor ID, byte by byte; - reads it from standard input.")
    var id: String

    @OptionGroup var signing: SigningKeyOptions

    @Flag(name: .long, help: "Sign with SHA-1, not SHA-256. For archives only.")
    var legacySha1 = false

    @Flag(name: .long, help: "Break the Base64 after every 76 symbols, as old Android clients did.")
    var legacyLineWrapped = false

    @Option(name: .long, help: ArgumentHelp("How to show the result and failures: text or json.", valueName: "form"))
    var output = OutputForm.text

    func validate() throws {
        try signing.requireKey()
    }

    func run() throws {
        // The key first: a run that cannot succeed should not read from a pipe.
        let key = try signing.read()
        let bytes = try TokenInput.requestorID(id)
        var options: RequestorSignatureOptions = []
        if legacySha1 { options.insert(.legacySHA1) }
        if legacyLineWrapped { options.insert(.legacyLineWrapped) }
        let signature = try RequestorSigner(key: key).sign(bytes, options: options)
        try Console.write(signed: signature, as: "signature", key: key.label, in: output)
    }
}

struct SignCheck: ParsableCommand, OutputChoosing {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Verify the signature of a requestor ID.",
        discussion: """
            Examples:
              tve sign check REF30 --signature "$SIGNATURE" --keys programmer.pem
              tve sign requestor-id REF30 --key programmer.key |
                  tve sign check REF30 --signature - --keys programmer.pem

            Exit codes: 0 one of the keys made it; 11 none did; 64 usage, or an ID that cannot be signed; 66 no such \
            key file; 69 could not decide; 74 input or output failed; 78 bad key.
            """
    )

    @Argument(help: "The requestor ID, byte by byte; - reads it from standard input.")
    var id: String

    @Option(
        name: .long, help: ArgumentHelp("The signature in Base64; - reads it from standard input.", valueName: "base64")
    )
    var signature: String

    @Option(
        name: .long, parsing: .upToNextOption,
        help: ArgumentHelp("Certificates or public keys: files or folders.", valueName: "path"),
        completion: .file())
    var keys: [String]

    @OptionGroup var password: PasswordOptions

    @Flag(name: .long, help: "Also accept SHA-1 signatures. For archives only.")
    var allowSha1 = false

    @Option(name: .long, help: ArgumentHelp("How to show the answer and failures: text or json.", valueName: "form"))
    var output = OutputForm.text

    func validate() throws {
        guard id != "-" || signature != "-" else {
            throw ValidationError("Either the ID or the signature can be read from standard input.")
        }
        guard password.descriptor != 0 || (id != "-" && signature != "-") else {
            throw ValidationError("--password-fd 0 is standard input, which the ID or the signature comes from.")
        }
    }

    func run() throws {
        let verifier = RequestorVerifier(
            keys: try KeyPaths(paths: keys).read(try password.read()), acceptsLegacySHA1: allowSha1)
        let bytes = try TokenInput.requestorID(id)
        let signature = signature == "-" ? try TokenInput.signature() : signature
        let key: VerificationKey
        do throws(RequestorSigningError) {
            key = try verifier.verify(signature, of: bytes)
        } catch {
            guard error.isVerdict else { throw error }
            let text = "INVALID_SIGNATURE  \(error)\n"
            return try Console.show(text, in: output, endingWith: .invalidSignature) { object in
                object.member("valid", false)
                object.member("code", error.code)
                object.member("detail", error.description)
            }
        }
        let weakness = key.isWeak ? " — weak: below 2048 bits" : ""
        try Console.show("VALID_SIGNATURE  made by \(key)\(weakness)\n", in: output) { object in
            object.member("valid", true)
            object.member("code", "valid")
            object.member("key", key.label)
        }
    }
}

extension RequestorSigningError {
    /// Whether the error is about the signature: the ID was acceptable, and the check could be made.
    fileprivate var isVerdict: Bool {
        switch self {
        case .unsuitable, .undecided: false
        default: true
        }
    }
}

extension TokenInput {
    /// Takes the ID from the argument or, if that is `-`, from standard input to the last byte.
    ///
    /// Throws if it cannot be read, or is too long: its beginning would be another ID.
    fileprivate static func requestorID(_ argument: String) throws(CommandFailure) -> [UInt8] {
        try CommandFailure.refuseRepaired([argument])
        let limit = 1 << 16
        let bytes =
            argument == "-"
            ? try standardInput("the requestor ID", upTo: limit + 1) : Array(argument.utf8)
        guard bytes.count <= limit else {
            throw CommandFailure("too_large", "the requestor ID is longer than \(limit) bytes", exitCode: .usage)
        }
        return bytes
    }

    /// Reads a signature from standard input, without the line end after it.
    fileprivate static func signature() throws(CommandFailure) -> String {
        var bytes = try standardInput("the signature", upTo: 1 << 16)
        if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }
}
#endif
