package import TextCodecs
import EntitlementValues
package import MetadataDecryption

/// One attribute of a user, with the places of its parts in the body.
///
/// What a program needs that changes an attribute and leaves every other byte of the body as it was.
package struct AttributePlace {
    /// Where the attribute is.
    package let path: JSONLocation
    /// Which attribute it is.
    package let name: MetadataAttribute
    /// How its value came, or why that is not known.
    package let state: Result<AttributeState, AttributeError>
    /// Its value; `nil` where it is missing.
    package let value: JSONValue?
    /// The value of its `state` member, where it has one.
    package let stateValue: JSONValue?

    /// The value with all that is in it.
    let node: JSONNode?
    /// Members of the attribute that are not known here.
    let unknownFields: [JSONField]
}

/// The attributes of a body, with their places in it.
package struct AttributePlaces {
    /// The attributes, in the order of the body.
    package let attributes: [AttributePlace]
    /// Why some profiles could not be read, whose attributes are then not among `attributes`.
    package let faults: [ServiceResponseError]
    /// Version 1: the value of the `encrypted` member, where it is a list of names.
    package let encryptedNames: JSONValue?

    /// Reads a body of `profiles`, or a single profile.
    ///
    /// Everything but the attributes is left alone.
    package init(profiles text: Span<UInt8>) throws(ServiceResponseError) {
        var body = try BodyObject(body: text)
        var places: [AttributePlace] = []
        var faults: [ServiceResponseError] = []
        if let profiles = body.take("profiles") {
            try profiles.requireObject(at: .root + "profiles")
            for member in profiles.members {
                let path = .root + "profiles" + String(decoding: member.name, as: UTF8.self)
                do throws(ServiceResponseError) {
                    var profile = try BodyObject(member.node, at: path)
                    places += try Self.places(inProfile: &profile, text)
                } catch {
                    faults.append(error)
                }
            }
        } else if let node = body.take("attributes") {
            places = try Self.places(inAttributes: node, at: body.path + "attributes", text)
        } else {
            throw body.refusal(text, missing: "profiles")
        }
        attributes = places
        self.faults = faults
        encryptedNames = nil
    }

    /// Reads a body of `usermetadata`.
    package init(userMetadata text: Span<UInt8>) throws(ServiceResponseError) {
        var body = try BodyObject(body: text)
        guard let data = body.take("data") else { throw body.refusal(text, missing: "data") }
        let marking = try EncryptedMarking(&body, text)
        attributes = try Self.places(inData: data, marking, text)
        faults = []
        encryptedNames = marking.names
    }

    static func places(
        inProfile profile: inout BodyObject,
        _ text: Span<UInt8>
    ) throws(ServiceResponseError) -> [AttributePlace] {
        guard let attributes = profile.take("attributes") else { return [] }
        return try places(inAttributes: attributes, at: profile.path + "attributes", text)
    }

    /// Reads the attributes of a profile, each with a `state` of its own.
    static func places(
        inAttributes node: JSONNode,
        at path: JSONLocation,
        _ text: Span<UInt8>
    ) throws(ServiceResponseError) -> [AttributePlace] {
        try node.requireObject(at: path)
        return node.members.map { member in
            let name = String(decoding: member.name, as: UTF8.self)
            let value = member.node.member("value")
            let state = member.node.member("state")
            return AttributePlace(
                path: path + name,
                name: MetadataAttribute(name),
                state: value == nil ? .failure(.malformed) : state.attributeState(text),
                value: value?.value,
                stateValue: state?.value,
                node: value,
                unknownFields: member.node.fields(text) { $0 != "value" && $0 != "state" }
            )
        }
    }

    /// Reads the attributes of a body of version 1, whose marking is beside them.
    static func places(
        inData node: JSONNode,
        _ marking: EncryptedMarking,
        _ text: Span<UInt8>
    ) throws(ServiceResponseError) -> [AttributePlace] {
        let path = JSONLocation.root + "data"
        try node.requireObject(at: path)
        return node.members.map { member in
            let name = MetadataAttribute(String(decoding: member.name, as: UTF8.self))
            return AttributePlace(
                path: path + name.rawValue,
                name: name,
                state: .success(marking.isEncrypted(name) ? .encrypted : .plain),
                value: member.node.value,
                stateValue: nil,
                node: member.node,
                unknownFields: []
            )
        }
    }
}

/// What a body of version 1 says about encryption: the names of the encrypted attributes, or one bool value for all.
///
/// A marking that is neither is an error of the whole body, since nothing in it could be told plain from encrypted.
struct EncryptedMarking {
    let attributes: Set<MetadataAttribute>
    let isEncryptedThroughout: Bool
    let names: JSONValue?

    init(_ body: inout BodyObject, _ text: Span<UInt8>) throws(ServiceResponseError) {
        let path = body.path + "encrypted"
        guard let node = body.take("encrypted") else {
            (attributes, isEncryptedThroughout, names) = ([], false, nil)
            return
        }
        switch node.value.kind {
        case .boolean:
            (attributes, isEncryptedThroughout, names) = ([], node.boolean(text) == true, nil)
        case .array:
            var found: Set<MetadataAttribute> = []
            for (index, element) in node.elements.enumerated() {
                guard let name = element.string(text) else {
                    throw .wrongType(path + .element(index), expected: .text)
                }
                found.insert(MetadataAttribute(name))
            }
            (attributes, isEncryptedThroughout, names) = (found, false, node.value)
        default:
            throw .wrongType(path, expected: .marking)
        }
    }

    func isEncrypted(_ name: MetadataAttribute) -> Bool {
        isEncryptedThroughout || attributes.contains(name)
    }
}

extension JSONNode {
    func requireObject(at path: JSONLocation) throws(ServiceResponseError) {
        guard value.kind == .object else { throw .wrongType(path, expected: .object) }
    }

    /// A member by its name; `nil` where it is missing, or where the value is no object.
    func member(_ name: String) -> JSONNode? {
        members.first { $0.name.elementsEqual(name.utf8) }?.node
    }

    /// The members with names that are wanted, as they stand in the text.
    func fields(_ text: Span<UInt8>, where isWanted: (String) -> Bool = { _ in true }) -> [JSONField] {
        members.fields(text).filter { isWanted($0.name) }
    }
}

extension [JSONNode.Member] {
    func fields(_ text: Span<UInt8>) -> [JSONField] {
        map { JSONField(name: String(decoding: $0.name, as: UTF8.self), value: JSONText(text, $0.node)) }
    }
}

extension JSONNode? {
    fileprivate func attributeState(_ text: Span<UInt8>) -> Result<AttributeState, AttributeError> {
        guard let state = self?.string(text).flatMap(AttributeState.init(text:)) else { return .failure(.unknownState) }
        return .success(state)
    }
}
