#if CLI
import ArgumentParser
import EntitlementValues
import MediaTokens
import RequestorSigning
import RowBatches
import TextCodecs

struct Inspect: ParsableCommand, OutputChoosing {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Show what is in a token, layer by layer, without checking anything.",
        discussion: """
            Examples:
              tve inspect - < token.txt
              printf %s "$TOKEN" | tve inspect - --output json

            Nothing that it shows is verified: anyone can write such a text. It also shows JSON Web Tokens (service \
            tokens, access tokens, software statements, playback sessions), which are not media tokens.

            Exit codes: 0 the token could be parsed; 10 it could not.
            """
    )

    @Argument(help: "The token; - or nothing reads it from standard input.")
    var token: String?

    @Option(name: .long, help: ArgumentHelp("How to show it: text or json.", valueName: "form"))
    var output = OutputForm.text

    func run() throws {
        let bytes = try TokenInput.bytes(token)
        if let token = UnverifiedJSONWebToken(bytes) {
            return try Console.show(token.text, or: token.object, in: output)
        }
        let token: UnverifiedMediaToken
        do throws(MediaTokenError) {
            token = try UnverifiedMediaToken(parsing: bytes)
        } catch {
            return try Console.show(
                "\(error.status)  \(error)\n", or: error.object, in: output,
                endingWith: ExitCode(error.status.exitCode))
        }
        try Console.show(token.text, or: token.object, in: output)
    }
}

extension UnverifiedMediaToken {
    fileprivate var text: String {
        var text = "UNVERIFIED  parsed without a key; anyone can write such a text\n"
        let outside = layers.isPercentEncoded ? "percent-encoded" : "\(layers.base64) of Base64"
        text += aligned([
            ("outer layers", outside),
            ("signature", "\(signatureLength) bytes, as an RSA key of \(signatureLength * 8) bits makes"),
            ("second marker", closingMarker),
            ("signed text", "\(signedLength) bytes, root \(root)"),
        ])
        text += aligned(elements.map { ("  <\($0.name)>", $0.text) })
        switch claims {
        case .success(let claims): return text + "  reads as: issued \(claims.issued), expires \(claims.expires)\n"
        case .failure(let error): return text + "  a verifier would refuse the fields: \(error)\n"
        }
    }

    fileprivate var object: JSONWriter {
        var object = JSONWriter()
        object.member("verified", false)
        object.member("base64Layers", layers.base64)
        object.member("percentEncoded", layers.isPercentEncoded)
        object.member("signatureBytes", signatureLength)
        object.member("secondMarker", closingMarker)
        object.member("signedBytes", signedLength)
        object.member("root", root)
        object.member("elements", elements.map(\.object))
        switch claims {
        case .success(let claims): object.member("unverifiedClaims", claims.object)
        case .failure(let error): object.member("refusal", error.object)
        }
        return object
    }
}

extension UnverifiedMediaToken.Element {
    fileprivate var object: JSONWriter {
        var object = JSONWriter()
        object.member("name", name)
        object.member("text", text)
        return object
    }
}

extension MediaTokenError {
    fileprivate var object: JSONWriter {
        var object = JSONWriter()
        object.member("status", status.rawValue)
        object.member("code", code)
        object.member("detail", description)
        return object
    }
}

extension UnverifiedJSONWebToken {
    /// Parses bytes; `nil` if they are not a JSON Web Token.
    ///
    /// White space around it, such as a line end, is ignored.
    init?(_ bytes: [UInt8]) {
        let text = bytes.withSpan { $0.trimmingWhiteSpace(0..<$0.count) }
        guard let token = try? UnverifiedJSONWebToken(parsing: String(decoding: bytes[text], as: UTF8.self)) else {
            return nil
        }
        self = token
    }

    /// The header and the claims as lines for people.
    var text: String {
        var text = "UNVERIFIED  a JSON Web Token, parsed without a key; anyone can write such a text\n"
        text += aligned([
            ("not a media token", "tve verify refuses it"),
            ("signature", "\(signatureLength) bytes, the header says \(algorithm)"),
        ])
        text += aligned(header.members.map { ("  header \($0.name)", $0.value.shown) })
        text += aligned(payload.members.map { ("  claim \($0.name)", $0.value.shown) })
        switch claims {
        case .success(let claims):
            let dates = claims.dates.map { "\($0.words) \($0.instant)" }
            return text + "  reads as: \(dates.isEmpty ? "no dates" : dates.joined(separator: ", "))\n"
        case .failure(let error):
            return text + "  a verifier would refuse the claims: \(error)\n"
        }
    }

    /// The header and the claims as JSON.
    var object: JSONWriter {
        var object = JSONWriter()
        object.member("verified", false)
        object.member("type", "jwt")
        object.member("algorithm", algorithm)
        if let keyID { object.member("keyID", keyID) }
        object.member("signatureBytes", signatureLength)
        object.member("header", json: .object(header))
        object.member("unverifiedClaims", json: .object(payload))
        switch claims {
        case .success(let claims):
            for date in claims.dates { object.member(date.name, date.instant.milliseconds) }
        case .failure(let error):
            var refusal = JSONWriter()
            refusal.member("code", error.code)
            refusal.member("detail", error.description)
            object.member("refusal", refusal)
        }
        return object
    }
}

extension JSONWebTokenClaims {
    fileprivate var dates: [(name: String, words: String, instant: Timestamp)] {
        [("issued", "issued", issued), ("notBefore", "good from", notBefore), ("expires", "expires", expires)]
            .compactMap { date in date.2.map { (date.0, date.1, $0) } }
    }
}

extension JSON {
    /// A string as it is, anything else as JSON.
    fileprivate var shown: String { string ?? json }
}
#endif
