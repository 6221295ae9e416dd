import EntitlementValues
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
