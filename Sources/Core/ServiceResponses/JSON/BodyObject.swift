package import EntitlementValues
package import TextCodecs

/// Reads an object of a body by its definition: members that were not asked for are what the definition does not know.
///
/// `null` counts as absent, since services write it for what they do not have.
package struct BodyObject {
    private var object: JSONObject
    /// Instants that were taken although they are not plausible.
    package private(set) var faults: [ServiceResponseError] = []

    /// Where the object is in the body.
    package var path: JSONLocation { object.location }

    /// Reads an object inside a body, at its place there.
    ///
    /// Throws `.wrongType(_:expected:)` if the value is not an object.
    package init(_ node: JSONNode, at path: JSONLocation) throws(ServiceResponseError) {
        object = try ServiceResponseError.mapping(JSONObject(node, at: path, nulls: .countAsAbsent))
    }

    /// Reads a whole body, JSON in UTF-8.
    ///
    /// The reading ends when one of its arrays has more than `maximumElements`. Throws if the body is not a JSON object
    /// within ``ResponseLimits``.
    package init(body text: Span<UInt8>, maximumElements: Int = .max) throws(ServiceResponseError) {
        try self.init(try JSONReader.body(text, maximumElements: maximumElements), at: .root)
    }

    /// The value of a member; `nil` if the member is absent.
    package mutating func take(_ name: String) -> JSONNode? {
        object.take(name)
        return object.node(name)
    }

    /// The value of a member that must be there.
    package mutating func require(_ name: String) throws(ServiceResponseError) -> JSONNode {
        try take(name) { object throws(JSONFault) in try object.requiredNode(name) }
    }

    /// Tells whether there is a member that is not `null`, without taking it.
    package func contains(_ name: String) -> Bool { object.node(name) != nil }

    /// Tells whether there is a member of a name, `null` or not.
    func has(_ name: String) -> Bool { object.contains(name) }

    /// Why a body does not have what it must have: it may be the service's error object instead.
    ///
    /// A bare error object must have a status, since other bodies have codes of their own.
    package func refusal(_ text: Span<UInt8>, missing name: String) -> ServiceResponseError {
        if let error = try? EnhancedError(wrappedIn: self, text) { return .refused(error) }
        if let error = try? EnhancedError(self, text), error.status != nil { return .refused(error) }
        return .missing(path + name)
    }

    /// The members that were not asked for, in the order of the body.
    package func unknownFields(_ text: Span<UInt8>) -> [JSONField] {
        object.unknownMembers.fields(text)
    }

    // MARK: Types

    /// A member that is a string; `nil` if the member is absent.
    package mutating func takeText(_ name: String, _ text: Span<UInt8>) throws(ServiceResponseError) -> String? {
        try take(name) { object throws(JSONFault) in try object.string(name, in: text) }
    }

    /// A member that is a string, and must be there.
    package mutating func requireText(_ name: String, _ text: Span<UInt8>) throws(ServiceResponseError) -> String {
        guard let string = try takeText(name, text) else { throw .missing(path + name) }
        return string
    }

    /// A member that is a string with something in it; `nil` if the member is absent.
    package mutating func takeIdentifier(_ name: String, _ text: Span<UInt8>) throws(ServiceResponseError) -> String? {
        try take(name) { object throws(JSONFault) in try object.identifier(name, in: text) }
    }

    /// A member that is a string with something in it, and must be there.
    package mutating func requireIdentifier(_ name: String, _ text: Span<UInt8>) throws(ServiceResponseError) -> String
    {
        try take(name) { object throws(JSONFault) in try object.requiredIdentifier(name, in: text) }
    }

    /// A member that is `true` or `false`; `nil` if the member is absent.
    package mutating func takeBoolean(_ name: String, _ text: Span<UInt8>) throws(ServiceResponseError) -> Bool? {
        try take(name) { object throws(JSONFault) in try object.boolean(name, in: text) }
    }

    /// A member that is `true` or `false`, and must be there.
    package mutating func requireBoolean(_ name: String, _ text: Span<UInt8>) throws(ServiceResponseError) -> Bool {
        try take(name) { object throws(JSONFault) in
            try object.required(name, try object.boolean(name, in: text))
        }
    }

    /// A member that is an instant: a number, or a string of digits; `nil` if the member is absent.
    ///
    /// An instant that is not plausible is taken as sent and noted in `faults`.
    package mutating func takeInstant(
        _ name: String,
        _ text: Span<UInt8>,
        in unit: TimestampUnit = .milliseconds
    ) throws(ServiceResponseError) -> Timestamp? {
        guard let number = try takeTimeNumber(name, text) else { return nil }
        if unit == .seconds, number.multipliedReportingOverflow(by: 1000).overflow {
            throw .badTimestamp(path + name, .overflow)
        }
        if let fault = unit.fault(number) { faults.append(.badTimestamp(path + name, fault)) }
        return unit.instant(number)
    }

    /// A member that is an instant, and must be there.
    package mutating func requireInstant(_ name: String, _ text: Span<UInt8>) throws(ServiceResponseError) -> Timestamp
    {
        guard let instant = try takeInstant(name, text) else { throw .missing(path + name) }
        return instant
    }

    /// A member that is a count: a whole number, or a string of its digits; `nil` if the member is absent.
    package mutating func takeWholeNumber(
        _ name: String,
        _ text: Span<UInt8>
    ) throws(ServiceResponseError) -> Int64? {
        guard let node = take(name) else { return nil }
        guard let number = try? node.wholeNumber(text) else {
            throw .wrongType(path + name, expected: .wholeNumber)
        }
        return number
    }

    /// A member that is a count, and must be there.
    package mutating func requireWholeNumber(_ name: String, _ text: Span<UInt8>) throws(ServiceResponseError) -> Int64
    {
        guard let number = try takeWholeNumber(name, text) else { throw .missing(path + name) }
        return number
    }

    /// A member that is an instant or a length of time, as the number of its unit; `nil` if the member is absent.
    ///
    /// It differs from a count in the faults that it has.
    private mutating func takeTimeNumber(
        _ name: String,
        _ text: Span<UInt8>
    ) throws(ServiceResponseError) -> Int64? {
        guard let node = take(name) else { return nil }
        let number: Int64?
        do throws(TimestampFault) {
            number = try node.wholeNumber(text)
        } catch {
            throw .badTimestamp(path + name, error)
        }
        guard let number else { throw .wrongType(path + name, expected: .timestamp) }
        return number
    }

    /// A member that is a length of time in seconds, and must be there.
    package mutating func requireSeconds(_ name: String, _ text: Span<UInt8>) throws(ServiceResponseError) -> TimeToLive
    {
        guard let number = try takeTimeNumber(name, text) else { throw .missing(path + name) }
        guard number >= 0 else { throw .badTimestamp(path + name, .negative) }
        guard !number.multipliedReportingOverflow(by: 1000).overflow else {
            throw .badTimestamp(path + name, .overflow)
        }
        return .seconds(number)
    }

    private mutating func take<Value>(
        _ name: String,
        _ read: (JSONObject) throws(JSONFault) -> Value
    ) throws(ServiceResponseError) -> Value {
        object.take(name)
        do throws(JSONFault) {
            return try read(object)
        } catch {
            throw ServiceResponseError(error)
        }
    }
}

extension ServiceResponseError {
    /// Runs `read`; a fault of the JSON becomes an error of the response.
    fileprivate static func mapping<Value>(
        _ read: @autoclosure () throws(JSONFault) -> Value
    ) throws(ServiceResponseError) -> Value {
        do throws(JSONFault) {
            return try read()
        } catch {
            throw ServiceResponseError(error)
        }
    }

    fileprivate init(_ fault: JSONFault) {
        self =
            switch fault.kind {
            case .syntax, .notAllowed: .notJSON(reason: fault.reason)
            case .repeatedMember: .duplicateMember(fault.location)
            case .tooDeep: .tooDeep
            case .tooManyMembers(let limit): .tooMany(fault.location, limit: limit)
            case .tooManyValues(let limit): .tooMany(.root, limit: limit)
            case .missing: .missing(fault.location)
            case .wrongType(let type): .wrongType(fault.location, expected: ExpectedType(type))
            }
    }
}

extension ExpectedType {
    fileprivate init(_ type: JSONType) {
        self =
            switch type {
            case .object: .object
            case .array: .array
            case .string: .text
            case .identifier: .identifier
            case .boolean: .boolean
            case .wholeNumber: .wholeNumber
            }
    }
}

extension JSONReader {
    static func body(
        _ text: Span<UInt8>,
        maximumElements: Int = .max
    ) throws(ServiceResponseError) -> JSONNode {
        guard text.count <= ResponseLimits.maximumLength else { throw .tooLarge(limit: ResponseLimits.maximumLength) }
        guard text.isTextWithoutNUL else { throw .notJSON(reason: "not UTF-8, or NUL in it") }
        return try ServiceResponseError.mapping(
            node(
                of: text, in: text.afterByteOrderMark, maximumValues: ResponseLimits.maximumValues,
                maximumElements: maximumElements))
    }
}

extension JSONNode {
    /// The text of a string; `nil` for other values, and for half a surrogate pair.
    package func string(_ text: Span<UInt8>) -> String? {
        value.kind == .string ? value.string(in: text) : nil
    }

    func boolean(_ text: Span<UInt8>) -> Bool? {
        value.kind == .boolean ? value.isTrue(in: text) : nil
    }

    /// The value as it stands in the text.
    func raw(_ text: Span<UInt8>) -> String {
        String(copying: text.extracting(value.range))
    }
}

extension JSONText {
    /// Takes a value of a body as it was sent.
    package init(_ text: Span<UInt8>, _ node: JSONNode) { self.init(node.raw(text)) }
}
