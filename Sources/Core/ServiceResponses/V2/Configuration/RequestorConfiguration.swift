public import EntitlementValues
import TextCodecs

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
