#if Client
import BrokerMessages
package import HTTPTypes
import ServiceResponses

/// The values of header fields that are known for a request.
///
/// An endpoint takes those of them that its reference has.
package struct KnownFields: Sendable {
    /// A list, since there are a handful at most.
    private var known: [(field: RequestField, value: HTTPField)] = []
    /// What the program on the device calls itself; `nil` if it is not known.
    private(set) var userAgent: HTTPField?

    /// How many fields are added to these, for which room is made at once.
    private static let furtherFields = 4

    /// Knows nothing.
    package init() {}

    /// Knows what belongs to a device, also before it is registered.
    init(of device: Device, at clientAddress: ClientAddress?) {
        known.reserveCapacity(RequestField.allCases.count)
        set(.deviceIdentifier, to: device.fields.value.identifier)
        set(.deviceInfo, to: device.fields.value.info)
        userAgent = device.fields.value.userAgent
        if let clientAddress, let name = HTTPField.Name.clientAddress {
            set(.clientAddress, to: HTTPField(name: name, value: clientAddress.headerValue))
        }
    }

    /// Knows what a caller knows.
    init(of caller: Caller) {
        self.init(of: caller.device, at: caller.clientAddress)
        add(caller.platformToken)
        add(caller.serviceToken, as: .serviceToken)
        add(caller.partnerStatus, as: .partnerStatus)
        add(caller.temporaryIdentity, as: .temporaryIdentity)
        add(caller.visitorIdentifier, as: .visitorIdentifier)
    }

    /// Adds a value, as the column of the reference that it belongs to; does nothing if it is not known.
    package mutating func add<Header: BrokerHeader>(_ header: Header?, as field: RequestField) {
        guard let header, let name = HTTPField.Name(Header.name) else { return }
        set(field, to: HTTPField(name: name, value: header.headerValue))
    }

    /// Adds a platform's token, whose field has a name by platform; does nothing if it is not known.
    package mutating func add(_ token: PlatformToken?) {
        guard let token, let name = HTTPField.Name(token.name) else { return }
        set(.platformToken, to: HTTPField(name: name, value: token.headerValue))
    }

    private mutating func set(_ field: RequestField, to value: HTTPField?) {
        guard let value else { return }
        known.removeAll { $0.field == field }
        known.append((field, value))
    }

    /// The header fields for an endpoint in the order of the reference, except `Authorization`.
    ///
    /// That one is added when the request is sent. The settings say which fields go out beyond the reference. Throws
    /// `.missingField` if a required value is not known.
    package func fields(for endpoint: BrokerEndpoint, settings: BrokerSettings) throws(RequestFault) -> HTTPFields {
        var optional = endpoint.optional
        if settings.sendsDeviceHeadersEverywhere, endpoint.family == .service {
            optional.formUnion([.deviceIdentifier, .deviceInfo])
        }
        if !settings.sendsClientAddressOnRegistration, endpoint.family == .registration {
            optional.remove(.clientAddress)
        }
        var chosen = HTTPFields()
        chosen.reserveCapacity(known.count + Self.furtherFields)
        for field in RequestField.allCases where field != .authorization {
            let isRequired = endpoint.required.contains(field)
            if let value = known.first(where: { $0.field == field })?.value {
                if isRequired || optional.contains(field) { chosen.append(value) }
            } else if isRequired {
                throw .missingField(name: field.names.joined(separator: " or "))
            }
        }
        return chosen
    }
}

extension HTTPField.Name {
    /// The name of the client's address, which nearly all requests have.
    static let clientAddress = HTTPField.Name(ClientAddress.name)
}
#endif
