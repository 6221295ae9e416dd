import TextCodecs

/// The answer of `decisions` (REST v2): whether the user may watch each resource, with media tokens to start playback.
///
/// Only the tokens are signed, so call ``verified(by:expecting:at:)`` before playback.
public struct DecisionsResponse: ServiceResponse {
    /// The decisions, in the order of the body.
    public let decisions: [Decision]
    /// Errors of the decisions that could not be read and are not in `decisions`, and warnings about implausible times.
    ///
    /// Only the first 100 are listed; see ``faultCount``.
    public let faults: [ServiceResponseError]
    /// The number of all faults.
    public let faultCount: Int
    /// Members of the body that this library does not know, as they were sent.
    public let unknownFields: [JSONField]

    /// Makes an answer to be sent.
    package init(decisions: [Decision], unknownFields: [JSONField] = []) {
        (self.decisions, self.unknownFields) = (decisions, unknownFields)
        (faults, faultCount) = ([], 0)
    }

    /// Reads a body.
    ///
    /// - Parameter bytes: The whole body, JSON in UTF-8.
    /// - Throws: `ServiceResponseError` if the body is not JSON, has no `decisions`, has more than
    ///   ``ResponseLimits`` allow, or is the service's error object. An error in one decision is not thrown; it is in
    ///   `faults`.
    public init(parsing bytes: Span<UInt8>) throws(ServiceResponseError) {
        // The limit of decisions ends the reading: nodes take a hundred times the memory of their text.
        var body = try BodyObject(body: bytes, maximumElements: ResponseLimits.maximumElements)
        guard let node = body.take("decisions") else { throw body.refusal(bytes, missing: "decisions") }
        let path = body.path + "decisions"
        guard node.value.kind == .array else { throw .wrongType(path, expected: .array) }
        var decisions: [Decision] = []
        var faults = ResponseFaults()
        for (index, element) in node.elements.enumerated() {
            do throws(ServiceResponseError) {
                var warnings: [ServiceResponseError] = []
                decisions.append(try Decision(element, at: path + .element(index), in: bytes, faults: &warnings))
                faults.append(contentsOf: warnings)
            } catch {
                faults.append(error)
            }
        }
        self.decisions = decisions
        (self.faults, faultCount) = (faults.first, faults.count)
        unknownFields = body.unknownFields(bytes)
    }
}

extension DecisionsResponse: CustomStringConvertible {
    /// The decisions and faults, without the tokens.
    public var description: String {
        (decisions.map(\.description) + faults.map(\.description)).joined(separator: "; ")
    }
}
