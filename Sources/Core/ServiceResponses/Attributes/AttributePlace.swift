import EntitlementValues
package import MetadataDecryption
package import TextCodecs

/// One attribute of a user, with the ranges of its parts in the body.
///
/// A program that changes an attribute needs them to leave every other byte of the body as it was.
package struct AttributePlace {
    /// The attribute's location in the body.
    package let path: JSONLocation
    /// Which attribute it is.
    package let name: MetadataAttribute
    /// Whether its value was sent encrypted, or why that is unknown.
    package let state: Result<AttributeState, AttributeError>
    /// Its value; `nil` if it has none.
    package var value: JSONValue? { node?.value }
    /// The value of its `state` member; `nil` if it has none.
    package var stateValue: JSONValue? { stateNode?.value }

    let node: JSONNode?
    let stateNode: JSONNode?
    /// Members of the attribute that this library does not know.
    let unknownFields: [JSONField]
}

/// The attributes of a body, with the ranges of their parts.
package struct AttributePlaces {
    /// The attributes, in the order of the body.
    package let attributes: [AttributePlace]
    /// Errors of the profiles that could not be read; `attributes` has none of theirs.
    package let faults: [ServiceResponseError]
    /// The value of version 1's `encrypted` member, if it is a list of names.
    package let encryptedNames: JSONValue?

    /// Reads the attributes of a body of `profiles`, or of a single profile, and nothing else of it.
    ///
    /// Throws if the body is not JSON, or has neither `profiles` nor `attributes`.
    package init(profiles text: Span<UInt8>) throws(ServiceResponseError) {
        var body = try BodyObject(body: text)
        var places: [AttributePlace] = []
        var faults: [ServiceResponseError] = []
        if let profiles = body.take("profiles") {
            try profiles.requireObject(at: .root + "profiles")
            try ResponseLimits.check(profiles.members.count, at: .root + "profiles")
            for member in profiles.members {
                let path = .root + "profiles" + member.name
                do throws(ServiceResponseError) {
                    var profile = try BodyObject(member.node, at: path)
                    places += try Self.places(inProfile: &profile, text)
                } catch {
                    faults.append(error)
                }
                try ResponseLimits.check(places.count, at: .root + "profiles")
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

    /// Reads the attributes of a body of `usermetadata`.
    ///
    /// Throws if the body is not JSON, has no `data`, or does not say what is encrypted.
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

    /// Reads the attributes of a profile, each of which has its own `state`.
    static func places(
        inAttributes node: JSONNode,
        at path: JSONLocation,
        _ text: Span<UInt8>
    ) throws(ServiceResponseError) -> [AttributePlace] {
        try node.requireObject(at: path)
        try ResponseLimits.check(node.members.count, at: path)
        return node.members.map { member in
            let name = member.name
            let value = member.node.member("value")
            let state = member.node.member("state")
            let reported = value.isAbsent ? member.node.member("error")?.string(text) : nil
            return AttributePlace(
                path: path + name,
                name: MetadataAttribute(name),
                state: reported.map { .failure(.reported(EnhancedErrorCode($0))) }
                    ?? (value == nil ? .failure(.malformed) : state.attributeState(text)),
                node: value,
                stateNode: state,
                unknownFields: member.node.fields(text) {
                    $0 != "value" && $0 != "state" && ($0 != "error" || reported == nil)
                }
            )
        }
    }

    /// Reads the attributes of a body of version 1, in which one marking applies to all.
    static func places(
        inData node: JSONNode,
        _ marking: EncryptedMarking,
        _ text: Span<UInt8>
    ) throws(ServiceResponseError) -> [AttributePlace] {
        let path = JSONLocation.root + "data"
        try node.requireObject(at: path)
        try ResponseLimits.check(node.members.count, at: path)
        return node.members.map { member in
            let name = MetadataAttribute(member.name)
            return AttributePlace(
                path: path + name.rawValue,
                name: name,
                state: .success(marking.isEncrypted(name) ? .encrypted : .plain),
                node: member.node,
                stateNode: nil,
                unknownFields: []
            )
        }
    }
}

/// Version 1's marking of encrypted attributes: their names, or one bool for all attributes.
///
/// If the marking is neither, the whole body is refused, because no attribute is known to be plain.
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
            try ResponseLimits.check(node.elements.count, at: path)
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
    /// Checks that the value is an object.
    package func requireObject(at path: JSONLocation) throws(ServiceResponseError) {
        guard value.kind == .object else { throw .wrongType(path, expected: .object) }
    }

    /// The members whose names are wanted, as they were sent.
    func fields(_ text: Span<UInt8>, where isWanted: (String) -> Bool = { _ in true }) -> [JSONField] {
        members.filter { isWanted($0.name) }.fields(text)
    }
}

extension [JSONNode.Member] {
    /// The members as they were sent.
    package func fields(_ text: Span<UInt8>) -> [JSONField] {
        map { JSONField(name: $0.name, value: JSONText(text, $0.node)) }
    }
}

extension JSONNode? {
    /// Whether the value is missing or `null`.
    fileprivate var isAbsent: Bool {
        guard let node = self else { return true }
        return node.value.kind == .null
    }

    fileprivate func attributeState(_ text: Span<UInt8>) -> Result<AttributeState, AttributeError> {
        guard let state = self?.string(text).flatMap(AttributeState.init(text:)) else { return .failure(.unknownState) }
        return .success(state)
    }
}
