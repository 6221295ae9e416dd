public import EntitlementValues
import TextCodecs

/// The request for decisions on resources, `POST decisions/authorize/{mvpd}` and `POST decisions/preauthorize/{mvpd}`.
public struct DecisionsRequest: BrokerRequest {
    /// `application/json;charset=utf-8`: without the charset, a proxy may take other characters than ASCII for Latin-1.
    public static let mediaType = "application/json;charset=utf-8"

    /// The resources: plain strings, or MRSS as text.
    ///
    /// The broker decides how many it takes: one to authorize and five to preauthorize, as a rule.
    public let resources: [ResourceID]

    /// Makes a request.
    ///
    /// - Parameter resources: The resources, which are sent as they are.
    public init(resources: [ResourceID]) {
        self.resources = resources
    }

    /// Reads a body.
    ///
    /// - Parameter bytes: The whole body, JSON. An empty list is read: it is the broker that refuses it.
    /// - Throws: `BrokerRequestError`.
    public init(parsing bytes: Span<UInt8>) throws(BrokerRequestError) {
        let object = try BrokerRequestError.object(bytes)
        let place = JSONLocation.root + "resources"
        let list = try BrokerRequestError.mapping(object.requiredNode("resources"))
        guard list.value.kind == .array else { throw .wrongType(place, reason: "\(place) is not an array") }
        guard list.elements.count <= BrokerRequestLimits.maximumResources else {
            throw .tooMany(place, limit: BrokerRequestLimits.maximumResources)
        }
        var resources: [ResourceID] = []
        for (index, element) in list.elements.enumerated() {
            guard let text = element.value.kind == .string ? element.value.string(in: bytes) : nil else {
                let element = place + .element(index)
                throw .wrongType(element, reason: "\(element) is not a string")
            }
            resources.append(ResourceID(text))
        }
        self.resources = resources
    }

    /// Writes the body.
    ///
    /// - Returns: JSON.
    public func encoded() -> [UInt8] {
        var object = JSONWriter()
        object.member("resources", resources.map(\.rawValue))
        return object.finished
    }
}
