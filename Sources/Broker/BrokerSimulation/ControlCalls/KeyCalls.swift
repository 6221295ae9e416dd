#if Client
import BrokerMessages
import EntitlementKeys
import EntitlementValues
import HTTPTypes
import TextCodecs

extension SimulatorSite {
    /// What is public of the simulator's keys.
    enum PublishedKey: Sendable {
        case media, access, weak, both
    }

    static let keyPaths: [[String]: PublishedKey] = [
        ["keys", "media.pem"]: .media, ["keys", "access.pem"]: .access,
        ["keys", "weak.pem"]: .weak, ["jwks.json"]: .both,
    ]

    func showKey(_ key: PublishedKey, _ visit: SiteVisit) throws(SiteFault) -> Reply {
        guard visit.method == .get else { throw .wrongMethod(allowed: ["GET"]) }
        let keys = simulator.keys
        switch key {
        case .media: return .pem(keys.mediaPEM)
        case .access: return .pem(keys.accessPEM)
        case .weak: return .pem(try rethrowing(simulator.weakMediaPEM, as: SiteFault.refused))
        case .both:
            var object = JSONWriter()
            object.member("keys", [keys.access, keys.media].compactMap(\.webKey))
            return .control(object)
        }
    }

    /// `GET /sim/software-statement?requestor=…[&scope=…]`: as text, to be put into a file.
    func softwareStatement(_ visit: SiteVisit) throws(SiteFault) -> Reply {
        guard let requestor = visit.parameter("requestor") else { throw .badRequest("the query lacks requestor") }
        let statement = try rethrowing(
            simulator.softwareStatement(
                of: RequestorID(requestor), allowing: visit.parameter("scope").map { AccessScope($0) }),
            as: SiteFault.refused)
        return .file(Array((statement + "\n").utf8), type: "text/plain;charset=UTF-8")
    }
}

extension Reply {
    fileprivate static func pem(_ text: String) -> Reply { .file(Array(text.utf8), type: "application/x-pem-file") }

    /// Something to be saved, of a media type.
    static func file(_ bytes: [UInt8], type: String) -> Reply {
        Reply(
            fields: ["Content-Type": type, "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"],
            body: bytes)
    }
}

extension SigningKey {
    /// The public half as a JSON Web Key (RFC 7517, RFC 7518 §6.3.1).
    fileprivate var webKey: JSONWriter? {
        guard let (modulus, exponent) = RSAPublicNumbers.numbers(in: subjectPublicKeyInfo) else { return nil }
        var object = JSONWriter()
        object.member("kty", "RSA")
        object.member("use", "sig")
        object.member("alg", "RS256")
        object.member("kid", fingerprint)
        object.member("n", Base64.encodeURLSafe(Array(modulus)))
        object.member("e", Base64.encodeURLSafe(Array(exponent)))
        return object
    }
}

/// Finds modulus and exponent in a SubjectPublicKeyInfo that OpenSSL wrote (RFC 5280 §4.1, RFC 8017 §A.1.1).
private enum RSAPublicNumbers {
    static func numbers(in der: [UInt8]) -> (modulus: ArraySlice<UInt8>, exponent: ArraySlice<UInt8>)? {
        guard var information = contents(of: 0x30, der[...])?.inside,
            let algorithm = contents(of: 0x30, information)
        else { return nil }
        information = algorithm.rest
        // The bit string begins with the number of its unused bits.
        guard let bits = contents(of: 0x03, information)?.inside.dropFirst(),
            let numbers = contents(of: 0x30, bits)?.inside, let modulus = contents(of: 0x02, numbers),
            let exponent = contents(of: 0x02, modulus.rest)
        else { return nil }
        // A leading zero only says that the number is not negative.
        return (modulus.inside.drop { $0 == 0 }, exponent.inside.drop { $0 == 0 })
    }

    private static func contents(
        of tag: UInt8,
        _ der: ArraySlice<UInt8>
    ) -> (inside: ArraySlice<UInt8>, rest: ArraySlice<UInt8>)? {
        guard der.first == tag, let first = der.dropFirst().first else { return nil }
        let lengthBytes = first < 0x80 ? 0 : Int(first & 0x7F)
        let head = der.dropFirst(2)
        guard lengthBytes <= 4, head.count >= lengthBytes else { return nil }
        let length = lengthBytes == 0 ? Int(first) : head.prefix(lengthBytes).reduce(0) { $0 << 8 | Int($1) }
        let body = head.dropFirst(lengthBytes)
        guard body.count >= length else { return nil }
        return (body.prefix(length), body.dropFirst(length))
    }
}
#endif
