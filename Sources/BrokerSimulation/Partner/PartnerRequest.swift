#if Client
import EntitlementValues
import TextCodecs

/// A request to the sign-on of a device platform, until its answer comes.
struct PartnerRequest: Sendable, Hashable {
    let id: String
    let holder: ProfileHolder
    let mvpd: MVPDID
    let notAfter: Timestamp

    /// The request as the device hands it to its platform, in Base64.
    var message: String { Base64.encode(Array(PartnerMessage.request(id: id).utf8)) }
}

/// The messages between broker and platform: SAML in form, as far as it is needed here.
enum PartnerMessage {
    private static let protocolName = "urn:oasis:names:tc:SAML:2.0:protocol"

    static func request(id: String) -> String {
        "<samlp:AuthnRequest xmlns:samlp=\"\(protocolName)\" ID=\"_\(id)\" Version=\"2.0\">"
            + "<Issuer>\(CompactSigner.issuer)</Issuer></samlp:AuthnRequest>"
    }

    static func response(to id: String, user: String) -> String {
        "<samlp:Response xmlns:samlp=\"\(protocolName)\" InResponseTo=\"_\(id)\" Version=\"2.0\">"
            + "<Subject>\(Percent.encode(user.utf8))</Subject></samlp:Response>"
    }

    /// The id of a request.
    static func requestID(in xml: String) -> String? { text(in: xml, between: " ID=\"_", and: "\"") }

    /// The request's id and the user's name in an answer; `nil` unless ``response(to:user:)`` makes exactly this one.
    ///
    /// It has no signature: the id, which the simulator made for one device and takes once, makes the answer genuine.
    static func answer(in xml: String) -> (requestID: String, user: String)? {
        guard let id = text(in: xml, between: "InResponseTo=\"_", and: "\""),
            let encoded = text(in: xml, between: "<Subject>", and: "</Subject>"),
            let user = Percent.decode(Array(encoded.utf8)).flatMap({ bytes in
                bytes.withSpan { String(validating: $0) }
            }),
            response(to: id, user: user).hasSameBytes(as: xml)
        else { return nil }
        return (id, user)
    }

    private static func text(in xml: String, between start: String, and end: String) -> String? {
        let bytes = Array(xml.utf8)
        guard let from = bytes.firstRange(of: Array(start.utf8))?.upperBound,
            let until = bytes[from...].firstRange(of: Array(end.utf8))?.lowerBound
        else { return nil }
        return String(decoding: bytes[from..<until], as: UTF8.self)
    }
}
#endif
