#if Client
public import BrokerMessages
public import EntitlementValues
import TextCodecs

/// Plays the sign-on framework of a device platform, which applications ask on the device.
///
/// ```swift
/// let framework = PartnerFramework(user: "ok", mappingID: "sample-satellite")
/// let status = try framework.status(at: simulator.now)
/// let answer = framework.samlResponse(to: text)
/// ```
public struct PartnerFramework: Sendable, Hashable {
    /// What the viewer did when the framework asked.
    public enum Choice: String, Sendable, CaseIterable {
        /// Allowed the application to see the subscription.
        case granted
        /// Forbade it.
        case denied
        /// Was not asked yet.
        case undetermined
        /// Took a provider that is not in the platform's list.
        case other
        /// Closed the picker.
        case cancel
        /// Took a provider that the application does not support.
        case unsupported
        /// Allowed it, but the sign-on with the platform has ended.
        case expired
    }

    /// The user's name in the world.
    public var user: String
    /// The platform's id of the provider.
    public var mappingID: String
    /// What the viewer did.
    public var choice: Choice

    /// Makes a framework with one viewer.
    ///
    /// - Parameters:
    ///   - user: The user's name in the world.
    ///   - mappingID: The platform's id of the provider.
    ///   - choice: What the viewer did.
    public init(user: String = "ok", mappingID: String, choice: Choice = .granted) {
        (self.user, self.mappingID, self.choice) = (user, mappingID, choice)
    }

    /// What the application learns, and sends along as `AP-Partner-Framework-Status`.
    ///
    /// - Parameter now: The time on the device.
    /// - Returns: The status; good for an hour if the sign-on is.
    /// - Throws: `BrokerHeaderError` if the mapping id cannot be sent.
    public func status(at now: Timestamp) throws(BrokerHeaderError) -> PartnerFrameworkStatus {
        let provider = PartnerFrameworkStatus.Provider(mappingID: mappingID, expires: now + .hours(1))
        switch choice {
        case .granted: return try PartnerFrameworkStatus(permission: .init(.granted), provider: provider)
        case .denied: return try PartnerFrameworkStatus(permission: .init(.denied))
        case .undetermined: return try PartnerFrameworkStatus(permission: .init(.notDetermined))
        case .other, .cancel, .unsupported: return try PartnerFrameworkStatus(permission: .init(.granted))
        case .expired:
            return try PartnerFrameworkStatus(
                permission: .init(.granted), provider: .init(mappingID: mappingID, expires: now - .hours(1)))
        }
    }

    /// What the framework answers to the broker's request; the application sends it back.
    ///
    /// - Parameter request: The text of `authenticationRequest.request`.
    /// - Returns: The value of the field `SAMLResponse`; `nil` if the viewer is not signed on, or the text is not a
    ///   request of a simulator.
    public func samlResponse(to request: String) -> String? {
        guard choice == .granted, let bytes = Base64.decode(Array(request.utf8), options: .canonical),
            let xml = bytes.withSpan({ String(validating: $0) }), let id = PartnerMessage.requestID(in: xml)
        else { return nil }
        return Base64.encode(Array(PartnerMessage.response(to: id, user: user).utf8))
    }
}

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
