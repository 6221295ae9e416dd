public import EntitlementValues
package import TextCodecs

/// The answer to looking at an authentication session: what it has, what it lacks, and the device that started it.
public struct SessionStatusResponse: ServiceResponse, Hashable {
    /// The parameters that the session has.
    public let existingParameters: SessionParameters
    /// The parameters that the session lacks.
    public let missingParameters: [MissingParameter]
    /// The device that started the session; `nil` if there is none, or if it could not be read.
    public let device: SessionDevice?
    /// When the session begins.
    public let notBefore: Timestamp?
    /// When the session ends, and with it the code.
    public let notAfter: Timestamp?
    /// Errors of parts that could not be read and were left out, and warnings about implausible times.
    ///
    /// Only the first 100 are listed; see ``faultCount``.
    public let faults: [ServiceResponseError]
    /// The number of all faults.
    public let faultCount: Int
    /// Members of the body that this library does not know, as they were sent.
    public let unknownFields: [JSONField]

    /// Makes an answer to be sent.
    package init(
        existingParameters: SessionParameters,
        missingParameters: [MissingParameter] = [],
        device: SessionDevice? = nil,
        notBefore: Timestamp? = nil,
        notAfter: Timestamp? = nil,
        unknownFields: [JSONField] = []
    ) {
        (self.existingParameters, self.missingParameters) = (existingParameters, missingParameters)
        (self.device, self.notBefore, self.notAfter) = (device, notBefore, notAfter)
        (faults, faultCount, self.unknownFields) = ([], 0, unknownFields)
    }

    /// Reads a body.
    ///
    /// - Parameter bytes: The whole body, JSON in UTF-8.
    /// - Throws: `ServiceResponseError` if the body is not JSON, has no `existingParameters`, or is the broker's error
    ///   object. An error in the device or in one name of a list is not thrown; it is in `faults`.
    public init(parsing bytes: Span<UInt8>) throws(ServiceResponseError) {
        var body = try BodyObject(body: bytes)
        var faults = ResponseFaults()
        existingParameters = try SessionParameters(of: &body, in: bytes)
        missingParameters = try body.takeMissingParameters(bytes, faults: &faults)
        notBefore = try body.takeInstant("notBefore", bytes)
        notAfter = try body.takeInstant("notAfter", bytes)
        var device: SessionDevice?
        if let node = body.take("device") {
            do throws(ServiceResponseError) {
                device = try SessionDevice(node, at: body.path + "device", in: bytes)
            } catch {
                faults.append(error)
            }
        }
        self.device = device
        faults.append(contentsOf: body.faults)
        (self.faults, faultCount) = (faults.first, faults.count)
        unknownFields = body.unknownFields(bytes)
    }
}

extension SessionStatusResponse: CustomStringConvertible {
    /// The service provider and what is missing, and the faults.
    public var description: String {
        let missing =
            missingParameters.isEmpty ? "nothing" : missingParameters.map(\.rawValue.printable).joined(separator: ", ")
        let session = "session of \(existingParameters.serviceProvider.rawValue.printable), missing \(missing)"
        return ([session] + faults.map(\.description)).joined(separator: "; ")
    }
}

extension SessionStatusResponse: EncodableResponse {
    package var object: JSONWriter {
        var object = JSONWriter()
        object.member("existingParameters", existingParameters.object)
        object.member("missingParameters", missingParameters)
        if let device { object.member("device", device.object) }
        object.member("notBefore", digitsOf: notBefore)
        object.member("notAfter", digitsOf: notAfter)
        object.members(unknownFields)
        return object
    }
}
