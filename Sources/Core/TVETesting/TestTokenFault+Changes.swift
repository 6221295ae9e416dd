import EntitlementValues
import TextCodecs

// The steps in which a token is made, each with the faults that it applies. All other faults leave the step unchanged.

extension TestTokenFault {
    func changing(_ claims: TestTokenClaims) -> TestTokenClaims {
        var claims = claims
        switch self {
        case .expired: claims.issued = claims.issued - claims.ttl - .hours(1)
        case .farPast: claims.issueTimeText = "1970-01-01 00:00:00 +0000"
        case .notYetValid: claims.issued = claims.issued + .hours(1)
        case .farFuture: claims.issueTimeText = "9999-12-31 23:59:59 +0000"
        case .otherRequestor: claims.requestor = RequestorID(claims.requestor.rawValue + "X")
        case .otherResource: claims.resource = ResourceID(claims.resource.rawValue + "X")
        case .resourceInOtherCase: claims.resource = ResourceID(claims.resource.rawValue.inOtherCase)
        case .resourceTrailingSpace: claims.resource = ResourceID(claims.resource.rawValue + " ")
        case .ttlNegative: claims.ttlText = "-420000"
        case .ttlPlusSign: claims.ttlText = "+420000"
        case .ttlExponent: claims.ttlText = "1e6"
        case .ttlWithSpaces: claims.ttlText = " 420000 "
        case .ttlZero: claims.ttlText = "0"
        case .ttlAboveCap: claims.ttlText = "86400001"
        case .ttlAboveInt64: claims.ttlText = "9223372036854775808"
        case .issueTimeWithoutZone: claims.issueTimeText = "2017-03-16 07:39:48"
        case .issueTimeImpossibleDate: claims.issueTimeText = "2017-02-29 07:39:48 -0700"
        case .issueTimeMonth13: claims.issueTimeText = "2017-13-01 07:39:48 -0700"
        case .issueTimeLeapSecond: claims.issueTimeText = "2016-12-31 23:59:60 +0000"
        default: break
        }
        return claims
    }

    func change(elements: inout [XMLElement]) {
        func index(_ name: String) -> Int { elements.firstIndex { $0.name == name } ?? 0 }
        switch self {
        case .requestorMissing: elements.remove(at: index("requestorID"))
        case .resourceMissing: elements.remove(at: index("resourceID"))
        case .resourceTwice: elements.append(elements[index("resourceID")])
        case .resourceEmpty: elements[index("resourceID")].content = ""
        case .ttlMissing: elements.remove(at: index("ttl"))
        case .issueTimeMissing: elements.remove(at: index("issueTime"))
        case .commentBetweenDigits: elements[index("ttl")].content = "42<!-- -->0000"
        case .bareAmpersand: elements[index("resourceID")].content += " & more"
        default: break
        }
    }

    func change(signed: inout [UInt8], layout: TestTokenLayout) {
        let root = layout.root.rawValue
        switch self {
        case .nul: signed.insert(0, at: signed.count - root.utf8.count - 3)
        case .invalidUTF8: signed.insert(contentsOf: [0xC3, 0x28], at: signed.count - root.utf8.count - 3)
        case .byteOrderMark: signed.insert(contentsOf: [0xEF, 0xBB, 0xBF], at: 0)
        case .doctype: signed.insert(contentsOf: Array("<!DOCTYPE \(root)>".utf8), at: 0)
        case .entityBomb: signed.insert(contentsOf: Array(nestedEntities(root).utf8), at: 0)
        case .processingInstruction: signed.insert(contentsOf: Array("<?xml version=\"1.0\"?>".utf8), at: 0)
        case .nestedRoot: signed = Array("<\(root)>".utf8) + signed + Array("</\(root)>".utf8)
        case .secondRoot: signed += signed
        case .textAfterRoot: signed += Array("more".utf8)
        case .strayText: signed.insert(contentsOf: Array("more".utf8), at: root.utf8.count + 2)
        case .attribute: signed.insert(contentsOf: Array(" version=\"1\"".utf8), at: root.utf8.count + 1)
        case .authenticationToken: signed = signed.renamingRoot(root, to: "simpleAuthenticationToken")
        case .authorizationToken: signed = signed.renamingRoot(root, to: "simpleAuthorizationToken")
        default: break
        }
    }

    func change(signature: inout String) {
        var bytes = Array(signature.utf8)
        switch self {
        case .signatureEmpty: bytes = []
        case .signatureNotBase64: bytes[10] = UInt8(ascii: "*")
        case .signatureTrailingBits: bytes = bytes.settingTrailingBits
        case .signatureTooShort: bytes = Array(bytes.dropFirst(4))
        case .signatureTooLong: bytes = Array("AAAA".utf8) + bytes
        case .signatureBitFlipped: bytes[10] = bytes[10] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
        default: break
        }
        signature = String(decoding: bytes, as: UTF8.self)
    }

    func changeAfterSigning(signed: inout [UInt8]) {
        let guid = Array("<sessionGUID>".utf8)
        let place = (0..<max(1, signed.count - guid.count)).first { signed[$0...].starts(with: guid) } ?? 0
        let first = place + guid.count
        switch self {
        case .bodyByteChanged:
            signed[first] = signed[first] == UInt8(ascii: "f") ? UInt8(ascii: "e") : UInt8(ascii: "f")
        case .bodySpaceAdded: signed.insert(UInt8(ascii: " "), at: place)
        case .bodyLineEndAdded: signed.insert(UInt8(ascii: "\n"), at: place)
        case .bodyEntityForCharacter:
            signed.replaceSubrange(first...first, with: Array("&#\(signed[first]);".utf8))
        default: break
        }
    }

    func change(markers: inout (opening: String, closing: String)) {
        switch self {
        case .oneMarker: markers.closing = ""
        case .threeMarkers: markers.closing += "<signatureInfo>"
        case .swappedMarkers: markers = ("</signatureInfo>", "<signatureInfo>")
        default: break
        }
    }

    func change(plain: inout [UInt8]) {
        guard self == .entityEscaped else { return }
        plain = Array(SignedText.escaped(String(decoding: plain, as: UTF8.self)).utf8)
    }

    func change(token: inout [UInt8], layout: TestTokenLayout) {
        switch self {
        case .empty: token = []
        case .onlyWhiteSpace: token = Array(" \r\n\t ".utf8)
        case .quoted: token = [UInt8(ascii: "\"")] + token + [UInt8(ascii: "\"")]
        case .json: token = Array("{\"token\":true}".utf8)
        case .restBody:
            let body = Base64.encode(token)
            token = Array("{\"decisions\":[{\"authorized\":true,\"token\":{\"serializedToken\":\"\(body)\"}}]}".utf8)
        case .jwt:
            let header = Base64.encodeURLSafe(Array("{\"alg\":\"RS256\"}".utf8))
            let payload = Base64.encodeURLSafe(Array("{\"sub\":\"test\"}".utf8))
            token = Array("\(header).\(payload).\(Base64.encodeURLSafe([UInt8](repeating: 7, count: 256)))".utf8)
        case .xmlSignature:
            token = Array(xmlSignatureLookalike.utf8)
        case .threeBase64Layers:
            for _ in layout.base64Layers..<3 { token = Array(Base64.encode(token).utf8) }
        case .tooLarge: token += [UInt8](repeating: UInt8(ascii: " "), count: max(0, 65_537 - token.count))
        default: break
        }
    }
}

private func nestedEntities(_ root: String) -> String {
    let levels = (1...9).map { "<!ENTITY e\($0) \"\(String(repeating: "&e\($0 - 1);", count: 10))\">" }
    return "<!DOCTYPE \(root) [<!ENTITY e0 \"ha\">\(levels.joined())]>"
}

/// A document of another service whose root has the same name, with invented values.
private let xmlSignatureLookalike = """
    <?xml version="1.0" encoding="UTF-8"?><authToken><titleID>T1</titleID><ttl>300000</ttl>\
    <issueTime>2016-03-18T00:08:41+0000</issueTime>\
    <Signature xmlns="http://www.w3.org/2000/09/xmldsig#"><SignatureValue>AA==</SignatureValue></Signature></authToken>
    """

extension String {
    fileprivate var inOtherCase: String {
        let lowered = lowercased()
        return lowered == self ? uppercased() : lowered
    }
}

extension [UInt8] {
    fileprivate func renamingRoot(_ root: String, to name: String) -> [UInt8] {
        Array("<\(name)>".utf8) + dropFirst(root.utf8.count + 2).dropLast(root.utf8.count + 3)
            + Array("</\(name)>".utf8)
    }

    /// Base64 of the same bytes, with bits set after the last byte.
    fileprivate var settingTrailingBits: [UInt8] {
        var symbols = self
        guard let padding = symbols.firstIndex(of: UInt8(ascii: "=")), padding > 0 else {
            return symbols + [UInt8(ascii: "=")]
        }
        // `A`, `Q`, `g`, `w` (and for one `=` every fourth symbol) end in zero bits; the next symbol does not.
        symbols[padding - 1] += 1
        return symbols
    }
}
