import EntitlementValues
import ServiceResponses
import TextCodecs

/// Reads an object of a header's JSON: members that were not asked for are what the definition does not know.
///
/// `null` counts as absent.
struct HeaderObject {
    private let header: String
    private var object: JSONObject

    /// Reads a whole text.
    init(_ text: Span<UInt8>, of header: String) throws(BrokerHeaderError) {
        self.header = header
        let node = try BrokerHeaderError.mapping(
            header, JSONReader.node(of: text, in: text.afterByteOrderMark, maximumValues: text.count))
        object = try BrokerHeaderError.mapping(header, JSONObject(node, at: .root, nulls: .countAsAbsent))
    }

    private init(_ object: JSONObject, of header: String) {
        (self.header, self.object) = (header, object)
    }

    /// The object in a member; `nil` if it is absent.
    mutating func takeObject(_ name: String) throws(BrokerHeaderError) -> HeaderObject? {
        let inner: JSONObject? = try take(name) { object throws(JSONFault) in
            guard let node = object.node(name) else { return nil }
            return try JSONObject(node, at: object.location + name, nulls: .countAsAbsent)
        }
        return inner.map { HeaderObject($0, of: header) }
    }

    /// The object in a member that must be there.
    mutating func requireObject(_ name: String) throws(BrokerHeaderError) -> HeaderObject {
        let inner = try takeObject(name)
        return try take(name) { object throws(JSONFault) in try object.required(name, inner) }
    }

    mutating func takeText(_ name: String, _ text: Span<UInt8>) throws(BrokerHeaderError) -> String? {
        try take(name) { object throws(JSONFault) in try object.string(name, in: text) }
    }

    mutating func requireIdentifier(_ name: String, _ text: Span<UInt8>) throws(BrokerHeaderError) -> String {
        try take(name) { object throws(JSONFault) in try object.requiredIdentifier(name, in: text) }
    }

    /// An instant in milliseconds, as a number or a string of digits; `nil` if it is absent.
    mutating func takeMilliseconds(_ name: String, _ text: Span<UInt8>) throws(BrokerHeaderError) -> Timestamp? {
        object.take(name)
        guard let node = object.node(name) else { return nil }
        let place = object.location + name
        do throws(TimestampFault) {
            if let number = try node.wholeNumber(text) { return Timestamp(milliseconds: number) }
        } catch {
            throw .badMember(header: header, place, reason: "\(place) is not a time in milliseconds: \(error)")
        }
        throw .badMember(header: header, place, reason: "\(place) is not \(ExpectedType.timestamp.rawValue)")
    }

    /// The members that were not asked for, in their order.
    func unknownFields(_ text: Span<UInt8>) -> [JSONField] {
        object.unknownMembers.fields(text)
    }

    private mutating func take<Value>(
        _ name: String,
        _ read: (JSONObject) throws(JSONFault) -> Value
    ) throws(BrokerHeaderError) -> Value {
        object.take(name)
        return try BrokerHeaderError.mapping(header, read(object))
    }
}
