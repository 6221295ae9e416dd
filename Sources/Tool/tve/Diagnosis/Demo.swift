#if CLI
import ArgumentParser
import EntitlementKeys
import EntitlementValues
import HostSystem
import MediaTokens
import MetadataDecryption
import OpenSSLBridge
import TVETesting
import TextCodecs

struct Demo: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Show everything on throw-away keys, without server, network or files.",
        discussion: """
            Example:
              tve demo
            """
    )

    func run() throws {
        let issuer = try TestMediaTokenIssuer()
        let keys = try issuer.verificationKeys
        let verifier = MediaTokenVerifier(keys: keys)
        let now = Timestamp.now
        let claims = TestTokenClaims(requestor: "REF30", resource: "DemoChannel", issued: now)
        let expectations = TokenExpectations(requestor: "REF30", resource: "DemoChannel")

        try say("1. Keys")
        try say(
            """
               Made an RSA key of \(issuer.key.bits) bits that lives as long as this process. It plays the broker. \
            In production
               you have the broker's certificate, and only the broker has the private key.
            """)

        var layout = TestTokenLayout()
        layout.base64Layers = 1
        let token = try issuer.issueText(claims, layout: layout)
        try say("\n2. A token, as a REST service hands it to the app (Base64 around the signed text):")
        try say("   \(token.prefix(72))…  (\(token.utf8.count) characters)")

        let verdict = verifier.verdict(on: token, expecting: expectations, at: now)
        try say("\n3. Verified for requestor REF30 and resource DemoChannel: \(verdict.status.rawValue)")
        if let claims = verdict.authenticClaims { try say(aligned(claims.lines).indented, end: "") }
        try say("   Start the stream.")

        try say("\n4. Five refusals")
        try refuse("One byte of the signed text was changed on the way.", .bodyByteChanged)
        try refuse("The token was issued hours ago.", .expired)
        try refuse("A valid token for another channel.", .otherResource)
        try refuse("A valid token from another programmer's app.", .otherRequestor)
        try refuse("Not a token, but the whole response of the REST service.", .restBody)

        func refuse(_ story: String, _ fault: TestTokenFault) throws {
            let broken = try issuer.issueText(claims, layout: layout, fault: fault)
            let verdict = verifier.verdict(on: broken, expecting: expectations, at: now)
            // The story must be true.
            guard verdict.status == fault.expectedStatus, verdict.code == fault.expectedCode else {
                throw ValidationError("the demo expected \(fault.expectedCode) and saw \(verdict.code)")
            }
            try say("   \(story)\n     \(verdict.status.rawValue): \(verdict.detail)")
        }

        try decryptMetadata()

        let export = folder.map { "\n   export PATH=\"\($0):$PATH\"" } ?? ""
        try say(
            """

            6. Your turn\(export)
               openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out test-key.pem
               openssl pkey -in test-key.pem -pubout -out test-issuer.pem
               tve issue media-token --key test-key.pem --requestor REF30 --resource REF30 > token.txt
               tve verify - --keys test-issuer.pem --requestor REF30 --resource REF30 < token.txt
               tve issue media-token --list-faults
               printf 77754 | openssl pkeyutl -encrypt -inkey test-key.pem | base64 | tve decrypt - --keys test-key.pem
            """)
    }

    /// Encrypts a ZIP code as a service does, and decrypts it with the right key and with another one.
    private func decryptMetadata() throws {
        let keys = try makeKeys("yours")
        guard let key = keys.keys.first else { throw ValidationError("the demo made no key") }
        // A service has the public half in a certificate.
        let text = Array("77754".utf8)
        let value = Base64.encode(try key.storage.key.encrypt(text, padding: .pkcs1v15))
        try say("\n5. User metadata: a ZIP code, encrypted for the programmer (you, this time)")
        try say("   \(value.prefix(72))…  (\(value.utf8.count) characters)")
        try say("   With your private key: \(try MetadataDecrypter(keys: keys).decrypt(value, of: .zip).text)")
        let other = MetadataDecrypter(keys: try makeKeys("other"))
        let outcome = Result { () throws(MetadataDecryptionError) in try other.decrypt(value, of: .zip) }
        guard case .failure(let error) = outcome, error == .undecryptable else {
            throw ValidationError("the demo expected undecryptable")
        }
        try say("   With another key: \(error)")
    }

    /// Makes a private key that is not stored.
    private func makeKeys(_ name: String) throws(KeyError) -> DecryptionKeys {
        try KeyMaterial.generated(bits: 2048, named: name).unencryptedPEM()
            .withSpan { pem throws(KeyError) in try DecryptionKeys(pem, named: name) }
    }

    /// The folder of this program, as the command line names it; `nil` if the shell has found it in `PATH`.
    private var folder: String? {
        let program = CommandLine.arguments.first ?? ""
        guard let slash = program.lastIndex(of: "/") else { return nil }
        let folder = slash == program.startIndex ? "/" : String(program[..<slash])
        return folder.hasPrefix("/") ? folder : "$PWD/\(folder)"
    }

    private func say(_ text: String, end: String = "\n") throws {
        try Console.write(text + end)
    }
}

extension String {
    fileprivate var indented: String {
        split(separator: "\n").map { " \($0)\n" }.joined()
    }
}
#endif
