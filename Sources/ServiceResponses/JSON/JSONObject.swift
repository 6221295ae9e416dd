import TextCodecs
import EntitlementValues

/// The members of an object that is read by its definition: each is taken once, and what is left is what the
/// definition does not know.
///
/// `null` counts as absent, since services write it for what they do not have.
struct JSONObject {
    let path: JSONLocation
    /// Instants that were taken although they cannot be meant.
    private(set) var faults: [ServiceResponseError] = []
    private var rest: [JSONNode.Member]

    init(_ node: JSONNode, at path: JSONLocation) throws(ServiceResponseError) {
        guard node.value.kind == .object else { throw .wrongType(path, expected: .object) }
        self.path = path
        rest = node.members
    }

    /// Reads a whole body.
    init(body text: Span<UInt8>) throws(ServiceResponseError) {
        try self.init(try JSONReader.body(text), at: .root)
    }

    mutating func take(_ name: String) -> JSONNode? {
        guard let index = rest.firstIndex(where: { $0.name.elementsEqual(name.utf8) }) else { return nil }
        let node = rest.remove(at: index).node
        return node.value.kind == .null ? nil : node
    }

    mutating func require(_ name: String) throws(ServiceResponseError) -> JSONNode {
        guard let node = take(name) else { throw .missing(path + name) }
        return node
    }

    /// Why a body has not what it must have: it may be the service's error object instead, which has a status.
    func refusal(_ text: Span<UInt8>, missing name: String) -> ServiceResponseError {
        if let error = try? EnhancedError(self, text), error.status != nil { return .refused(error) }
        return .missing(path + name)
    }

    /// What was not taken, in the order of the body.
    func unknownFields(_ text: Span<UInt8>) -> [JSONField] {
        rest.fields(text)
    }

    // MARK: Types

    mutating func takeText(_ name: String, _ text: Span<UInt8>) throws(ServiceResponseError) -> String? {
        guard let node = take(name) else { return nil }
        guard let string = node.string(text) else { throw .wrongType(path + name, expected: .text) }
        return string
    }

    mutating func takeIdentifier(_ name: String, _ text: Span<UInt8>) throws(ServiceResponseError) -> String? {
        guard let string = try takeText(name, text) else { return nil }
        guard !string.isEmpty else { throw .wrongType(path + name, expected: .identifier) }
        return string
    }

    mutating func requireIdentifier(_ name: String, _ text: Span<UInt8>) throws(ServiceResponseError) -> String {
        guard let string = try takeIdentifier(name, text) else { throw .missing(path + name) }
        return string
    }

    mutating func requireBoolean(_ name: String, _ text: Span<UInt8>) throws(ServiceResponseError) -> Bool {
        guard let bool = try require(name).boolean(text) else { throw .wrongType(path + name, expected: .boolean) }
        return bool
    }

    mutating func takeInstant(
        _ name: String,
        _ text: Span<UInt8>,
        in unit: TimestampUnit = .milliseconds
    ) throws(ServiceResponseError) -> Timestamp? {
        guard let node = take(name) else { return nil }
        let number: Int64?
        do throws(TimestampFault) {
            number = try node.wholeNumber(text)
        } catch {
            throw .badTimestamp(path + name, error)
        }
        guard let number else { throw .wrongType(path + name, expected: .timestamp) }
        if let fault = unit.fault(number) { faults.append(.badTimestamp(path + name, fault)) }
        return unit.instant(number)
    }

    mutating func requireInstant(_ name: String, _ text: Span<UInt8>) throws(ServiceResponseError) -> Timestamp {
        guard let instant = try takeInstant(name, text) else { throw .missing(path + name) }
        return instant
    }
}

extension JSONReader {
    /// Longer than any body that a service sends, and short enough to be read at once.
    static let maximumBodyLength = 8 << 20

    static func body(_ text: Span<UInt8>) throws(ServiceResponseError) -> JSONNode {
        guard text.count <= maximumBodyLength else { throw .tooLarge(limit: maximumBodyLength) }
        guard text.isTextWithoutNUL else { throw .notJSON(reason: "not UTF-8, or NUL in it") }
        do throws(JSONFault) {
            return try node(of: text, in: 0..<text.count)
        } catch {
            switch error.kind {
            case .syntax: throw .notJSON(reason: error.reason)
            case .repeatedMember: throw .duplicateMember(error.location)
            case .tooDeep: throw .tooDeep
            }
        }
    }
}

extension JSONNode {
    /// The text of a string; `nil` for other values, and for half a surrogate pair.
    func string(_ text: Span<UInt8>) -> String? {
        guard value.kind == .string, let bytes = JSONReader.string(text, value) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    func boolean(_ text: Span<UInt8>) -> Bool? {
        guard value.kind == .boolean else { return nil }
        return text[value.range.lowerBound] == UInt8(ascii: "t")
    }

    /// The value as it stands in the text.
    func raw(_ text: Span<UInt8>) -> String {
        let bytes = value.range.map { text[$0] }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension JSONText {
    init(_ text: Span<UInt8>, _ node: JSONNode) { self.init(node.raw(text)) }
}
