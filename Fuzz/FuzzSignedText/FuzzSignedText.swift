// Compares the scanner of signed texts with the platform's XML parser (libxml2), and with a verifier that gets the same
// text with a good signature. Both must read every text that the scanner accepts in the same way.

import EntitlementKeys
import EntitlementValues
import Foundation
import MediaTokens
import OpenSSLBridge
import TextCodecs

#if canImport(FoundationXML)
import FoundationXML
#endif

/// Checks one input; libFuzzer calls it.
@c(LLVMFuzzerTestOneInput)
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    check(unsafe Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
}

private let marker = Array("<signatureInfo>".utf8)
private let anything = TokenExpectations(requestor: .unchecked, resource: .unchecked)

private func check(_ signedText: [UInt8]) {
    let token = marker + Array("AAAA".utf8) + marker + signedText
    guard let ours = try? UnverifiedMediaToken(parsing: token.span) else { return }
    checkAgainstXML(ours, signedText)
    checkUnderSignature(ours, signedText)
}

// MARK: The other parser

private func checkAgainstXML(_ ours: UnverifiedMediaToken, _ signedText: [UInt8]) {
    let theirs = XMLContent()
    let parser = XMLParser(data: Data(signedText))
    parser.delegate = theirs
    require(parser.parse() && !theirs.isForeign, "an XML parser reads what the scanner accepts")
    require(isSame(ours.root, theirs.root), "the same root")
    require(ours.elements.count == theirs.elements.count, "the same number of elements")
    for (mine, other) in zip(ours.elements, theirs.elements) {
        require(isSame(mine.name, other.name), "the same names in the same order")
        require(isSame(mine.text, other.text), "the same texts")
    }
}

/// The result of the platform's parser: a root and flat elements, or markup that no signed text may have.
private final class XMLContent: NSObject, XMLParserDelegate {
    private(set) var root = ""
    private(set) var elements: [(name: String, text: String)] = []
    private(set) var isForeign = false
    private var depth = 0

    func parser(
        _ parser: XMLParser,
        didStartElement name: String,
        namespaceURI: String?,
        qualifiedName: String?,
        attributes: [String: String]
    ) {
        depth += 1
        if depth == 1 { root = name } else { elements.append((name, "")) }
        if depth > 2 || !attributes.isEmpty { isForeign = true }
    }

    func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
        depth -= 1
    }

    func parser(_ parser: XMLParser, foundCharacters text: String) {
        if depth == 2 {
            elements[elements.count - 1].text += text
        } else if !text.utf8.allSatisfy({ [0x20, 0x0A, 0x0D, 0x09].contains($0) }) {
            isForeign = true
        }
    }

    /// Takes a CDATA section, which comes in one piece.
    ///
    /// libxml2's push parser does not convert line ends in it, contrary to XML 1.0 §2.11 and its other parser, so they
    /// are converted here.
    func parser(_ parser: XMLParser, foundCDATA text: Data) {
        guard depth == 2 else { return isForeign = true }
        var bytes: [UInt8] = []
        for byte in text {
            if byte == UInt8(ascii: "\n"), bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
            bytes.append(byte)
        }
        let lines = bytes.map { $0 == UInt8(ascii: "\r") ? UInt8(ascii: "\n") : $0 }
        elements[elements.count - 1].text += String(decoding: lines, as: UTF8.self)
    }

    func parser(_ parser: XMLParser, foundComment comment: String) { isForeign = true }
    func parser(_ parser: XMLParser, foundProcessingInstructionWithTarget target: String, data: String?) {
        isForeign = true
    }
}

// MARK: Under a good signature

private struct Issuer {
    let key: SigningKey
    let verifier: MediaTokenVerifier
}

private let issuer: Issuer = {
    let folder = #filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined()
    do {
        // 1024 bits: signing is most of the time that an input takes.
        let path = folder + "/Vectors/keys/test-only-issuer-1024.pkcs8.pem"
        let key = try SigningKey(contentsOfFile: path, allowingWeakKeys: true)
        return Issuer(key: key, verifier: MediaTokenVerifier(keys: try VerificationKeys(of: key)))
    } catch {
        fatalError("\(error)")
    }
}()

/// Checks that a verifier finds the same claims, or the same error, as the diagnosis without a key.
private func checkUnderSignature(_ ours: UnverifiedMediaToken, _ signedText: [UInt8]) {
    let signature: [UInt8]
    do {
        let digest = try Digest.sha256.hash(signedText.span, in: 0..<signedText.count)
        signature = try issuer.key.sign(digest: digest, algorithm: .sha256)
    } catch {
        fatalError("\(error)")
    }
    let token = marker + Array(Base64.encode(signature).utf8) + marker + signedText
    var now = Timestamp(milliseconds: 0)
    if case .success(let claims) = ours.claims { now = claims.issued }
    let verdict = issuer.verifier.verdict(on: token.span, expecting: anything, at: now)
    require(verdict.key != nil, "a good signature is good over any text")
    switch (ours.claims, verdict.result) {
    case (.success(let claims), .success(let token)): require(claims == token.claims, "the same claims")
    case (.failure(let error), .failure(let refusal)): require(error == refusal, "the same refusal")
    default: fatalError("broken: the diagnosis and the verifier disagree")
    }
}

/// Swift's own `==` would accept canonically equivalent texts.
private func isSame(_ one: String, _ other: String) -> Bool {
    one.utf8.elementsEqual(other.utf8)
}

private func require(_ holds: Bool, _ claim: StaticString) {
    if !holds { fatalError("broken: \(claim)") }
}
