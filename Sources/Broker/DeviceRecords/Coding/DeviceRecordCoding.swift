import BrokerMessages
import EntitlementValues
package import SealedRecords
import ServiceResponses
package import TextCodecs

/// Writes records of devices as JSON, and reads them.
///
/// Credentials, tokens and profiles are written as the broker sends them. Members that this release does not know are
/// kept at every level, so that it can share a store with a newer one. A form that it could not keep whole has another
/// schema, which it refuses.
enum DeviceRecordCoding {
    /// Writes a record.
    ///
    /// - Parameter record: The record.
    /// - Returns: One JSON object; equal records give equal bytes.
    static func encode(_ record: DeviceRecord) -> [UInt8] {
        var object = JSONWriter()
        object.member("device", record.device.rawValue)
        object.member("subject", ifPresent: record.subject)
        object.member("identifier", ifPresent: record.identifier?.text)
        let scopes = record.registrations.sorted { $0.key.precedes($1.key) }
        object.member("registrations", objects: scopes) { $0.value.write(to: &$1, for: $0.key) }
        let requestors = record.requestors.sorted { $0.key.rawValue.precedes($1.key.rawValue) }
        object.member("requestors") { object in
            for (requestor, contents) in requestors { object.member(requestor.rawValue, object: contents.write) }
        }
        object.members(record.unknownFields)
        return object.finished
    }

    /// Reads a record.
    ///
    /// - Parameter text: What `encode` wrote.
    /// - Returns: The record.
    /// - Throws: `JSONFault` at the member that is missing or has another type.
    static func decode(_ text: Span<UInt8>) throws(JSONFault) -> DeviceRecord {
        do throws(ServiceResponseError) {
            var object = try BodyObject(body: text)
            let device = try object.requireText("device", text)
            let subject = try object.takeText("subject", text)
            let identifier = try object.takeIdentifier("identifier", text)
            return DeviceRecord(
                DeviceKey(device),
                identifier: try identifier.map { text throws(ServiceResponseError) in
                    try mapping(.root + "identifier") { () throws(BrokerHeaderError) in try DeviceIdentifier(text) }
                },
                registrations: try registrations(&object, text),
                requestors: try requestors(&object, text),
                subject: subject,
                unknownFields: object.unknownFields(text))
        } catch {
            throw JSONFault(.notAllowed, at: error.path ?? .root, "is not that of a device's record")
        }
    }

    private static func registrations(
        _ object: inout BodyObject,
        _ text: Span<UInt8>
    ) throws(ServiceResponseError) -> [RegistrationScope: DeviceRegistration] {
        let path = object.path + "registrations"
        var registrations: [RegistrationScope: DeviceRegistration] = [:]
        for (index, node) in try object.require("registrations").elements.enumerated() {
            var entry = try BodyObject(node, at: path + .element(index))
            let scope = RegistrationScope(
                origin: try entry.requireText("origin", text), application: try entry.requireText("application", text))
            registrations[scope] = try DeviceRegistration(&entry, text)
        }
        return registrations
    }

    private static func requestors(
        _ object: inout BodyObject,
        _ text: Span<UInt8>
    ) throws(ServiceResponseError) -> [RequestorID: RequestorRecord] {
        let path = object.path + "requestors"
        var requestors: [RequestorID: RequestorRecord] = [:]
        for member in try object.require("requestors").members {
            requestors[RequestorID(member.name)] = try RequestorRecord(member.node, at: path + member.name, in: text)
        }
        return requestors
    }

    /// Runs `read`; a text that is not a value of a header is an error at its place.
    static func mapping<Value>(
        _ path: JSONLocation,
        _ read: () throws(BrokerHeaderError) -> Value
    ) throws(ServiceResponseError) -> Value {
        try rethrowing(read()) { (_: BrokerHeaderError) in ServiceResponseError.wrongType(path, expected: .text) }
    }
}

extension DeviceRecord: SealedRecord {
    package static let purpose: RecordPurpose = .device
    package static let schema: UInt32 = 1

    package var encoded: [UInt8] { DeviceRecordCoding.encode(self) }

    package init(decoding content: Span<UInt8>) throws(JSONFault) { self = try DeviceRecordCoding.decode(content) }

    package func belongs(to name: String) -> Bool { device == DeviceKey(name) }
}

extension BodyObject {
    /// A member that is an instant in milliseconds; `nil` if the member is absent.
    mutating func takeMilliseconds(_ name: String, _ text: Span<UInt8>) throws(ServiceResponseError) -> Timestamp? {
        try takeWholeNumber(name, text).map(Timestamp.init(milliseconds:))
    }

    /// A member that is an instant in milliseconds, and must be there.
    mutating func requireMilliseconds(_ name: String, _ text: Span<UInt8>) throws(ServiceResponseError) -> Timestamp {
        Timestamp(milliseconds: try requireWholeNumber(name, text))
    }
}

extension String {
    /// Whether the text comes before another in the order of their bytes, which no locale changes.
    func precedes(_ other: String) -> Bool { utf8.lexicographicallyPrecedes(other.utf8) }
}

extension RegistrationScope {
    fileprivate func precedes(_ other: RegistrationScope) -> Bool {
        origin == other.origin ? application.precedes(other.application) : origin.precedes(other.origin)
    }
}

extension DeviceRegistration {
    fileprivate init(_ object: inout BodyObject, _ text: Span<UInt8>) throws(ServiceResponseError) {
        // Where they say that something is wrong counts from their own start, as in an answer.
        let credentials = try BodyObject(try object.require("credentials"), at: .root)
        let token = object.take("token")
        self.init(
            credentials: try ClientCredentials(credentials, text),
            token: try token.map { node throws(ServiceResponseError) in
                try AccessToken(try BodyObject(node, at: .root), text)
            },
            unknownFields: object.unknownFields(text))
    }

    fileprivate func write(to object: inout JSONWriter, for scope: RegistrationScope) {
        object.member("origin", scope.origin)
        object.member("application", scope.application)
        object.member("credentials", credentials.object)
        if let token { object.member("token", token.object) }
        object.members(unknownFields)
    }
}
