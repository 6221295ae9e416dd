import EntitlementValues
package import TextCodecs

/// The answer of `logout`: what is left to do for each provider.
///
/// The broker has deleted the profiles already.
public struct LogoutResponse: ServiceResponse, Hashable {
    /// The steps, one for each provider, in the order of the body.
    public let logouts: [LogoutStep]
    /// Errors of the steps that could not be read and are not in `logouts`.
    ///
    /// Only the first 100 are listed; see ``faultCount``.
    public let faults: [ServiceResponseError]
    /// The number of all faults.
    public let faultCount: Int
    /// Members of the body that this library does not know, as they were sent.
    public let unknownFields: [JSONField]

    /// Makes an answer to be sent, with steps each of another provider: the body is a map by provider.
    package init(logouts: [LogoutStep], unknownFields: [JSONField] = []) {
        (self.logouts, self.unknownFields) = (logouts, unknownFields)
        (faults, faultCount) = ([], 0)
    }

    /// Reads a body.
    ///
    /// - Parameter bytes: The whole body, JSON in UTF-8.
    /// - Throws: `ServiceResponseError` if the body is not JSON, has no `logouts`, has more than `ResponseLimits`
    ///   allow, or is the broker's error object. An error in one step is not thrown; it is in `faults`.
    public init(parsing bytes: Span<UInt8>) throws(ServiceResponseError) {
        var body = try BodyObject(body: bytes)
        guard let node = body.take("logouts") else { throw body.refusal(bytes, missing: "logouts") }
        let path = body.path + "logouts"
        try node.requireObject(at: path)
        try ResponseLimits.check(node.members.count, at: path)
        var logouts: [LogoutStep] = []
        var faults = ResponseFaults()
        for member in node.members {
            let mvpd = member.name
            do throws(ServiceResponseError) {
                logouts.append(try LogoutStep(member.node, key: mvpd, at: path + mvpd, in: bytes))
            } catch {
                faults.append(error)
            }
        }
        self.logouts = logouts
        (self.faults, faultCount) = (faults.first, faults.count)
        unknownFields = body.unknownFields(bytes)
    }
}

extension LogoutResponse: CustomStringConvertible {
    /// The steps and faults, without addresses.
    public var description: String {
        (logouts.map(\.description) + faults.map(\.description)).joined(separator: "; ")
    }
}

extension LogoutResponse: EncodableResponse {
    package var object: JSONWriter {
        var map = JSONWriter()
        for step in logouts { map.member(step.key.rawValue, step.object) }
        var object = JSONWriter()
        object.member("logouts", map)
        object.members(unknownFields)
        return object
    }
}
