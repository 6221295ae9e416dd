import EntitlementValues
import HostSystem
import TextCodecs

/// Writes and reads records of devices as JSON.
enum DeviceRecordCoding {
    static let schema: UInt32 = 1

    static func encode(_ record: DeviceRecord) -> [UInt8] {
        var object = JSONWriter(escaping: .minimal)
        object.member("device", record.device.rawValue)
        let scopes = record.registrations.keys.sorted { ($0.origin, $0.application) < ($1.origin, $1.application) }
        object.member(
            "registrations",
            scopes.map { scope in
                var entry = JSONWriter(escaping: .minimal)
                entry.member("origin", scope.origin)
                entry.member("application", scope.application)
                if let registration = record.registrations[scope] {
                    entry.member("clientID", registration.credentials.clientID)
                    entry.member("clientSecret", registration.credentials.clientSecret)
                    if let token = registration.token {
                        entry.member("token", token.text)
                        entry.member("createdAt", token.createdAt.milliseconds)
                        entry.member("expires", token.expires.milliseconds)
                    }
                }
                return entry
            })
        return object.finished
    }

    static func decode(_ text: Span<UInt8>) throws(DeviceRecordsError) -> DeviceRecord {
        do throws(JSONFault) {
            let object = try JSONObject(text, in: 0..<text.count, nulls: .countAsAbsent)
            var record = DeviceRecord(of: DeviceKey(try object.requiredIdentifier("device", in: text)))
            for entry in try object.objects("registrations", in: text) {
                let scope = RegistrationScope(
                    origin: try entry.requiredIdentifier("origin", in: text),
                    application: try entry.requiredIdentifier("application", in: text))
                let credentials = ClientCredentials(
                    clientID: try entry.requiredIdentifier("clientID", in: text),
                    clientSecret: try entry.requiredIdentifier("clientSecret", in: text))
                record.adopt(credentials, for: scope)
                if let token = try entry.string("token", in: text) {
                    let created = try entry.required("createdAt", try entry.integer("createdAt", in: text))
                    let expires = try entry.required("expires", try entry.integer("expires", in: text))
                    record.adopt(
                        AccessToken(
                            text: token, createdAt: Timestamp(milliseconds: created),
                            expires: Timestamp(milliseconds: expires)), madeWith: credentials, for: scope)
                }
            }
            return record
        } catch {
            throw .damaged(at: error.location)
        }
    }
}
