#if Client
import BrokerMessages
import HTTPTypes

/// The values of header fields that are known for a request.
///
/// An endpoint takes those of them that its reference has.
struct KnownFields: Sendable {
    private var fields: [RequestField: HTTPField] = [:]

    /// Knows nothing.
    init() {}

    /// Knows what belongs to a device, also before it is registered.
    ///
    /// - Parameters:
    ///   - device: The device.
    ///   - clientAddress: The client's address.
    init(of device: Device, at clientAddress: ClientAddress?) {
        add(device.identifier, as: .deviceIdentifier)
        add(device.info, as: .deviceInfo)
        add(clientAddress, as: .clientAddress)
    }

    /// Knows what a caller knows.
    ///
    /// - Parameter caller: The caller.
    init(of caller: Caller) {
        self.init(of: caller.device, at: caller.clientAddress)
        add(caller.platformToken)
        add(caller.serviceToken, as: .serviceToken)
        add(caller.partnerStatus, as: .partnerStatus)
        add(caller.temporaryIdentity, as: .temporaryIdentity)
        add(caller.visitorIdentifier, as: .visitorIdentifier)
    }

    /// Adds a value.
    ///
    /// - Parameters:
    ///   - header: The value; `nil` if it is not known.
    ///   - field: The column of the reference that it belongs to.
    mutating func add<Header: BrokerHeader>(_ header: Header?, as field: RequestField) {
        guard let header, let name = HTTPField.Name(Header.name) else { return }
        fields[field] = HTTPField(name: name, value: header.headerValue)
    }

    /// Adds a platform's token, whose field has a name by platform.
    ///
    /// - Parameter token: The token; `nil` if it is not known.
    mutating func add(_ token: PlatformToken?) {
        guard let token, let name = HTTPField.Name(token.name) else { return }
        fields[.platformToken] = HTTPField(name: name, value: token.headerValue)
    }

    /// Whether a value is known.
    func has(_ field: RequestField) -> Bool { fields[field] != nil }

    /// The header fields for an endpoint, except `Authorization`, which is added when the request is sent.
    ///
    /// - Parameters:
    ///   - endpoint: The endpoint.
    ///   - settings: Which fields go out beyond the reference.
    /// - Returns: The fields, in the order of the reference.
    /// - Throws: `RequestFault.missingField` if a required value is not known.
    func fields(for endpoint: BrokerEndpoint, settings: BrokerSettings) throws(RequestFault) -> HTTPFields {
        let rule = endpoint.rule
        var optional = rule.optional
        if settings.sendsDeviceHeadersEverywhere, rule.isVersion2 { optional += [.deviceIdentifier, .deviceInfo] }
        if !settings.sendsClientAddressOnRegistration, rule.isRegistration {
            optional.removeAll { $0 == .clientAddress }
        }
        var chosen = HTTPFields()
        for field in RequestField.allCases where field != .authorization {
            if let value = fields[field] {
                if rule.required.contains(field) || optional.contains(field) { chosen.append(value) }
            } else if rule.required.contains(field) {
                throw .missingField(name: field.rawValue)
            }
        }
        return chosen
    }
}
#endif
