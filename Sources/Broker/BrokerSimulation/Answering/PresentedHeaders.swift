#if Client
import BrokerMessages
import HTTPTypes
import ServiceResponses
import TextCodecs

/// The header fields of a request, as far as its endpoint reads them.
struct PresentedHeaders: Sendable {
    private(set) var bearer: BearerToken?
    private(set) var device: DeviceIdentifier?
    private(set) var deviceInfo: DeviceInfo?
    private(set) var platform: PlatformToken?
    private(set) var service: ServiceToken?
    private(set) var partner: PartnerFrameworkStatus?
    private(set) var temporary: TemporaryIdentity?
    /// What is unusual about them, for the journal; without values.
    private(set) var notes: [String] = []
    /// The refusals that they call for, in the order of the fields; empty if all is well.
    private(set) var refusals: [Refusal] = []

    init(_ fields: HTTPFields, for endpoint: BrokerEndpoint) {
        // Browsers, and proxies before them, send what they like.
        guard endpoint.family != .browser else { return }
        for field in RequestField.allCases where !RequestField.ofLibraries.contains(field) {
            let isRequired = endpoint.required.contains(field)
            let sent = field.names.compactMap { name in
                HTTPField.Name(name).flatMap { fields[$0] }.map { (name: name, value: $0) }
            }
            if isRequired, sent.isEmpty {
                if field == .deviceInfo, let agent = fields[.userAgent], UserAgent.isOfBrowser(agent) {
                    notes.append("\(DeviceInfo.name) is missing, which browsers may leave out")
                } else {
                    refuse(field, for: endpoint, "\(field.names.joined(separator: " or ")) is missing")
                }
            }
            for (name, value) in sent {
                guard isRequired || endpoint.optional.contains(field) || isOfDevice(field, endpoint) else {
                    notes.append("\(name) is not documented for this endpoint")
                    continue
                }
                do throws(BrokerHeaderError) {
                    try read(field, named: name, value)
                    if !Self.hasCanonicalBase64(field, value) {
                        refuse(field, for: endpoint, "\(name) is not Base64 of RFC 4648 §4, padded and on one line")
                    }
                } catch {
                    refuse(field, for: endpoint, error.description)
                }
            }
        }
    }

    /// Whether Base64 that a refusal is documented for is as the reference has it: other spellings are read, too, but who
    /// writes them must not count on the broker's doing so.
    private static func hasCanonicalBase64(_ field: RequestField, _ value: String) -> Bool {
        let encoded: Substring
        switch field {
        // The value has been read: it begins with `fingerprint`, and one space belongs after it.
        case .deviceIdentifier: encoded = value.dropFirst("fingerprint ".count)
        case .deviceInfo, .temporaryIdentity: encoded = value[...]
        default: return true
        }
        return Base64.decode(Array(encoded.utf8), options: .canonical) != nil
    }

    /// Whether the operator's checklist asks for a field that the endpoint's reference does not have.
    private func isOfDevice(_ field: RequestField, _ endpoint: BrokerEndpoint) -> Bool {
        endpoint.family == .service && (field == .deviceIdentifier || field == .deviceInfo)
    }

    private mutating func read(_ field: RequestField, named name: String, _ value: String) throws(BrokerHeaderError) {
        switch field {
        case .authorization: bearer = try BearerToken(headerValue: value)
        case .deviceIdentifier: device = try DeviceIdentifier(headerValue: value)
        case .deviceInfo: deviceInfo = try DeviceInfo(headerValue: value)
        case .platformToken: platform = try PlatformToken(name: name, headerValue: value)
        case .serviceToken: service = try ServiceToken(headerValue: value)
        case .partnerStatus: partner = try PartnerFrameworkStatus(headerValue: value)
        case .temporaryIdentity: temporary = try TemporaryIdentity(headerValue: value)
        case .visitorIdentifier: _ = try VisitorIdentifier(headerValue: value)
        case .clientAddress: _ = try ClientAddress(headerValue: value)
        case .sessionIdentifier, .sdkIdentifier: break
        }
    }

    /// Notes what is wrong, and refuses with the documented code if there is one.
    private mutating func refuse(_ field: RequestField, for endpoint: BrokerEndpoint, _ note: String) {
        notes.append(note)
        switch field {
        // Registration has errors of its own.
        case .deviceInfo where endpoint.family == .registration:
            refusals.append(.registration(.invalidRequest, "X-Device-Info is missing or malformed."))
        case .deviceInfo: refusals.append(.code(.invalidHeaderDeviceInfo))
        case .deviceIdentifier: refusals.append(.code(.invalidHeaderDeviceIdentifier))
        case .temporaryIdentity: refusals.append(.code(.invalidHeaderIdentityForTemporaryAccess))
        // The bearer token is checked by itself, with another status; partner sign-on has codes for its field. For the
        // others no code is documented.
        case .authorization, .partnerStatus, .platformToken, .serviceToken, .visitorIdentifier, .clientAddress,
            .sessionIdentifier, .sdkIdentifier:
            break
        }
    }
}
#endif
