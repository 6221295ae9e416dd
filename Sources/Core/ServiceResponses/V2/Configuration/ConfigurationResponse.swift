public import EntitlementValues
package import TextCodecs

/// The answer of `configuration`: the providers that a user of the service provider may choose from.
///
/// Only ``requestor`` is the broker's contract. The broker also says what it takes the device for, in members whose
/// names have changed; they are in ``unknownFields``.
public struct ConfigurationResponse: ServiceResponse, Hashable {
    /// The service provider, with its providers.
    public let requestor: RequestorConfiguration
    /// Errors of the providers and domains that could not be read and are not in ``requestor``.
    ///
    /// Only the first 100 are listed; see ``faultCount``.
    public let faults: [ServiceResponseError]
    /// The number of all faults.
    public let faultCount: Int
    /// Members of the body that this library does not know, as they were sent.
    public let unknownFields: [JSONField]

    /// The most providers that are read.
    ///
    /// Other lists of the broker end at `ResponseLimits.maximumElements`; brokers have many hundreds of providers.
    public static let maximumProviders = 3000

    /// Makes an answer to be sent.
    package init(requestor: RequestorConfiguration, unknownFields: [JSONField] = []) {
        (self.requestor, self.unknownFields) = (requestor, unknownFields)
        (faults, faultCount) = ([], 0)
    }

    /// Reads a body.
    ///
    /// - Parameter bytes: The whole body, JSON in UTF-8.
    /// - Throws: `ServiceResponseError` if the body is not JSON, has no `requestor` or no `mvpds`, has more than
    ///   ``maximumProviders`` or `ResponseLimits` allow, or is the broker's error object. An error in one provider or
    ///   domain is not thrown; it is in `faults`.
    public init(parsing bytes: Span<UInt8>) throws(ServiceResponseError) {
        var body = try BodyObject(body: bytes)
        guard let node = body.take("requestor") else { throw body.refusal(bytes, missing: "requestor") }
        var faults = ResponseFaults()
        requestor = try RequestorConfiguration(node, of: &body, in: bytes, faults: &faults)
        (self.faults, faultCount) = (faults.first, faults.count)
        unknownFields = body.unknownFields(bytes)
    }
}

extension ConfigurationResponse: CustomStringConvertible {
    /// The service provider, the number of its providers, and the faults.
    public var description: String {
        ([requestor.description] + faults.map(\.description)).joined(separator: "; ")
    }
}

extension ConfigurationResponse: EncodableResponse {
    package var object: JSONWriter {
        var object = JSONWriter()
        object.member("requestor", requestor.object)
        object.members(unknownFields)
        return object
    }
}

/// A service provider as the broker knows it: its domains, and the providers that it is integrated with.
public struct RequestorConfiguration: Sendable, Hashable {
    /// The service provider.
    public let id: RequestorID
    /// Its name for people.
    public let name: String?
    /// The domains that sessions may name and return to.
    public let domains: [ConfiguredDomain]
    /// The providers, in the order of the body.
    public package(set) var mvpds: [MVPD]
    /// Members that this library does not know, as they were sent.
    public let unknownFields: [JSONField]

    /// Makes a configuration to be sent.
    package init(
        id: RequestorID,
        name: String? = nil,
        domains: [ConfiguredDomain] = [],
        mvpds: [MVPD],
        unknownFields: [JSONField] = []
    ) {
        (self.id, self.name, self.domains) = (id, name, domains)
        (self.mvpds, self.unknownFields) = (mvpds, unknownFields)
    }

    /// Reads the member `requestor`; its providers may also be beside it, as the reference lists them.
    init(
        _ node: JSONNode,
        of body: inout BodyObject,
        in text: Span<UInt8>,
        faults: inout ResponseFaults
    ) throws(ServiceResponseError) {
        var object = try BodyObject(node, at: body.path + "requestor")
        id = RequestorID(try object.requireIdentifier("id", text))
        name = try object.takeText("name", text)
        domains =
            try object.takeElements("domains", text, faults: &faults) { node, path throws(ServiceResponseError) in
                try ConfiguredDomain(node, at: path, in: text)
            } ?? []
        let limit = ConfigurationResponse.maximumProviders
        func mvpds(of parent: inout BodyObject) throws(ServiceResponseError) -> [MVPD]? {
            try parent.takeElements("mvpds", text, limit: limit, faults: &faults) {
                node, path throws(ServiceResponseError) in try MVPD(node, at: path, in: text)
            }
        }
        if let inside = try mvpds(of: &object) {
            self.mvpds = inside
        } else if let beside = try mvpds(of: &body) {
            self.mvpds = beside
        } else {
            throw .missing(object.path + "mvpds")
        }
        unknownFields = object.unknownFields(text)
    }

    var object: JSONWriter {
        var object = JSONWriter()
        object.member("id", id.rawValue)
        object.member("name", ifPresent: name)
        if !domains.isEmpty { object.member("domains", domains.map(\.object)) }
        object.member("mvpds", mvpds.map(\.object))
        object.members(unknownFields)
        return object
    }
}

extension RequestorConfiguration: CustomStringConvertible {
    /// The service provider, and how many providers it has.
    public var description: String { "\(id.rawValue.printable) with \(mvpds.count) providers" }
}

/// A domain of a service provider.
public struct ConfiguredDomain: Sendable, Hashable {
    /// The domain's name.
    public let name: String
    /// Whether a login may begin at the provider; `nil` if the broker does not say.
    public let isMVPDInitiated: Bool?
    /// Members that this library does not know, as they were sent.
    public let unknownFields: [JSONField]

    /// Makes a domain to be sent.
    package init(name: String, isMVPDInitiated: Bool? = nil, unknownFields: [JSONField] = []) {
        (self.name, self.isMVPDInitiated, self.unknownFields) = (name, isMVPDInitiated, unknownFields)
    }

    init(_ node: JSONNode, at path: JSONLocation, in text: Span<UInt8>) throws(ServiceResponseError) {
        var object = try BodyObject(node, at: path)
        name = try object.requireIdentifier("name", text)
        isMVPDInitiated = try object.takeBoolean("mvpdInitiated", text)
        unknownFields = object.unknownFields(text)
    }

    var object: JSONWriter {
        var object = JSONWriter()
        object.member("name", name)
        object.member("mvpdInitiated", ifPresent: isMVPDInitiated)
        object.members(unknownFields)
        return object
    }
}
