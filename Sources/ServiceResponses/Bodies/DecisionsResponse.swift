import TextCodecs

/// A body of `decisions` (REST v2): for each resource asked for, whether the user may watch it, and the media token to
/// start it with.
///
/// Nothing in it is signed but the tokens, so playback is decided by ``verified(by:expecting:at:)``.
public struct DecisionsResponse: ServiceResponse {
    /// The decisions, in the order of the body.
    public let decisions: [Decision]
    /// Why some decisions could not be read, which are then not among `decisions`, and times that cannot be meant.
    public let faults: [ServiceResponseError]
    /// Members of the body that are not known here.
    public let unknownFields: [JSONField]

    /// Reads a body.
    ///
    /// - Throws: `ServiceResponseError` where nothing can be had from it: it is not JSON, has no `decisions`, or is the
    ///   service's error object. A fault in one decision is among `faults` instead.
    public init(parsing bytes: Span<UInt8>) throws(ServiceResponseError) {
        var body = try BodyObject(body: bytes)
        guard let node = body.take("decisions") else { throw body.refusal(bytes, missing: "decisions") }
        let path = body.path + "decisions"
        guard node.value.kind == .array else { throw .wrongType(path, expected: .array) }
        var decisions: [Decision] = []
        var faults: [ServiceResponseError] = []
        for (index, element) in node.elements.enumerated() {
            do throws(ServiceResponseError) {
                decisions.append(try Decision(element, at: path + .element(index), bytes, &faults))
            } catch {
                faults.append(error)
            }
        }
        self.decisions = decisions
        self.faults = faults
        unknownFields = body.unknownFields(bytes)
    }
}

extension DecisionsResponse: CustomStringConvertible {
    /// The decisions and faults, no token.
    public var description: String {
        (decisions.map(\.description) + faults.map(\.description)).joined(separator: "; ")
    }
}
