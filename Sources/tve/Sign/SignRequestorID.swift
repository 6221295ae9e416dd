#if CLI
import TextCodecs
import ArgumentParser
import EntitlementKeys
import EntitlementValues
import RequestorSigning

struct SignRequestorID: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "requestor-id",
        abstract: "Sign a requestor ID: SHA-256 with RSA, in Base64.",
        discussion: """
            Examples:
              tve sign requestor-id REF30 --key programmer.key
              printf %s "$ID" | tve sign requestor-id - --key programmer.key
              tve sign requestor-id REF30 --key programmer.p12 \\
                  --password-file password.txt --output json

            The same command line gives the same signature at all times, and it is what \
            openssl dgst -sha256 -sign gives. tve sign check is its counterpart.

            Exit codes: 0 signed; 64 usage or an ID that is not signed; 66 no such key file; 69 OpenSSL failed; 74 \
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

    @Option(name: .long, help: "How to show the result and failures: text or json.")
    var output = OutputForm.text

    func validate() throws {
        try signing.requireKey()
    }

    func run() throws {
        // The key first: nothing is read from a pipe for a run that cannot succeed.
        let key = try signing.read(output)
        let bytes = try TokenInput.requestorID(id, output)
        var options: RequestorSignatureOptions = []
        if legacySha1 { options.insert(.legacySHA1) }
        if legacyLineWrapped { options.insert(.legacyLineWrapped) }
        let signature: String
        do throws(RequestorSigningError) {
            signature = try RequestorSigner(key: key).sign(bytes.span, options: options)
        } catch {
            throw Console.fail(error, output)
        }
        try Console.write(signed: signature, as: "signature", key: key.label, output)
    }
}

struct SignCheck: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Say whether a signature is that of a requestor ID.",
        discussion: """
            Examples:
              tve sign check REF30 --signature "$SIGNATURE" --keys programmer.pem
              tve sign requestor-id REF30 --key programmer.key |
                  tve sign check REF30 --signature - --keys programmer.pem

            Exit codes: 0 one of the keys made it; 11 none did; 64 usage or an ID that is not signed; 66 no such \
            key file; 69 could not decide; 74 input or output failed; 78 bad key.
            """
    )

    @Argument(help: "The requestor ID, byte by byte; - reads it from standard input.")
    var id: String

    @Option(name: .long, help: "The signature in Base64; - reads it from standard input.")
    var signature: String

    @Option(
        name: .long, parsing: .upToNextOption, help: "Certificates or public keys: files or folders.",
        completion: .file())
    var keys: [String]

    @OptionGroup var password: PasswordOptions

    @Flag(name: .long, help: "Also accept SHA-1 signatures. For archives only.")
    var allowSha1 = false

    @Option(name: .long, help: "How to show the answer and failures: text or json.")
    var output = OutputForm.text

    func validate() throws {
        guard id != "-" || signature != "-" else {
            throw ValidationError("Either the ID or the signature can be read from standard input.")
        }
        guard password.descriptor != 0 || (id != "-" && signature != "-") else {
            throw ValidationError("--password-fd 0 is standard input, where the ID or the signature comes from.")
        }
    }

    func run() throws {
        let verifier = RequestorVerifier(
            keys: try KeyPaths(paths: keys).read(try password.read(output), output), acceptsLegacySHA1: allowSha1)
        let bytes = try TokenInput.requestorID(id, output)
        let signature = signature == "-" ? try TokenInput.signature(output) : signature
        let result = Result { () throws(RequestorSigningError) in
            try verifier.verify(signature, of: bytes.span)
        }
        switch result {
        case .failure(let error) where error.saysNothingOfTheSignature: throw Console.fail(error, output)
        default: throw answer(result)
        }
    }

    /// Shows the answer, and returns the exit code to throw.
    private func answer(_ result: Result<VerificationKey, RequestorSigningError>) -> ExitCode {
        var object = JSONWriter()
        let text: String
        switch result {
        case .success(let key):
            object.member("valid", true)
            object.member("code", "valid")
            object.member("key", key.label)
            text = "VALID_SIGNATURE  made by \(key)\(key.isWeak ? " — weak: below 2048 bits" : "")\n"
        case .failure(let error):
            object.member("valid", false)
            object.member("code", error.code)
            object.member("detail", error.description)
            text = "INVALID_SIGNATURE  \(error)\n"
        }
        let shown = output == .json ? object.finished + [UInt8(ascii: "\n")] : Array(text.utf8)
        if case .success = result { return Console.write(shown, output, exitCode: 0) }
        return Console.write(shown, output, exitCode: ExitCode.invalidSignature.rawValue)
    }
}

extension RequestorSigningError {
    /// Whether the ID was refused, or nothing could be decided.
    fileprivate var saysNothingOfTheSignature: Bool {
        switch self {
        case .unsuitable, .undecided: true
        default: false
        }
    }
}

extension TokenInput {
    /// Takes the ID from the argument, or every byte of standard input where it is `-`.
    ///
    /// A longer text than is read is refused: a signature over its beginning would be one over another ID.
    fileprivate static func requestorID(_ argument: String, _ form: OutputForm) throws -> [UInt8] {
        try Console.refuseRepaired([argument], form)
        let limit = 1 << 16
        let bytes =
            argument == "-"
            ? try standardInput("the requestor ID", upTo: limit + 1, form) : Array(argument.utf8)
        guard bytes.count <= limit else {
            throw Console.fail(
                "too_large", file: nil, "the requestor ID is longer than \(limit) bytes", form, .usage)
        }
        return bytes
    }

    /// Reads a signature from standard input; one line end behind it is no part of it.
    fileprivate static func signature(_ form: OutputForm) throws -> String {
        var bytes = try standardInput("the signature", upTo: 1 << 16, form)
        if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }
}
#endif
