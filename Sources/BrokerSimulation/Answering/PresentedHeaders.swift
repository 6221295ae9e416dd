#if Client
import BrokerMessages
import HTTPTypes
import ServiceResponses

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

    init(_ fields: HTTPFields, for endpoint: Endpoint) {
        for field in KnownField.allCases {
            guard let name = HTTPField.Name(field.rawValue) else { continue }
            let isRequired = endpoint.requiredFields.contains(field)
            guard let value = fields[name] else {
                if isRequired { refuse(field, for: endpoint, "\(field.rawValue) is missing") }
                continue
            }
            guard isRequired || endpoint.optionalFields.contains(field) else {
                notes.append("\(field.rawValue) is not documented for this endpoint")
                continue
            }
            do throws(BrokerHeaderError) {
                try read(field, value)
            } catch {
                refuse(field, for: endpoint, error.description)
            }
        }
    }

    private mutating func read(_ field: KnownField, _ value: String) throws(BrokerHeaderError) {
        switch field {
        case .authorization: bearer = try BearerToken(headerValue: value)
        case .deviceIdentifier: device = try DeviceIdentifier(headerValue: value)
        case .deviceInfo: deviceInfo = try DeviceInfo(headerValue: value)
        case .subjectToken, .rokuToken: platform = try PlatformToken(name: field.rawValue, headerValue: value)
        case .serviceToken: service = try ServiceToken(headerValue: value)
        case .partnerStatus: partner = try PartnerFrameworkStatus(headerValue: value)
        case .temporaryIdentity: temporary = try TemporaryIdentity(headerValue: value)
        case .visitor: _ = try VisitorIdentifier(headerValue: value)
        case .forwardedFor: _ = try ClientAddress(headerValue: value)
        }
    }

    /// Notes what is wrong, and refuses with the documented code if there is one.
    private mutating func refuse(_ field: KnownField, for endpoint: Endpoint, _ note: String) {
        notes.append(note)
        switch field {
        // Registration has errors of its own.
        case .deviceInfo where endpoint == .register || endpoint == .token:
            refusals.append(.registration(.invalidRequest, "X-Device-Info is missing or malformed."))
        case .deviceInfo: refusals.append(.code(.invalidHeaderDeviceInfo))
        case .deviceIdentifier: refusals.append(.code(.invalidHeaderDeviceIdentifier))
        case .temporaryIdentity: refusals.append(.code(.invalidHeaderIdentityForTemporaryAccess))
        // The bearer token is checked by itself, with another status; partner sign-on has codes for its field. For the
        // others no code is documented.
        case .authorization, .partnerStatus, .subjectToken, .rokuToken, .serviceToken, .visitor, .forwardedFor: break
        }
    }
}
#endif
