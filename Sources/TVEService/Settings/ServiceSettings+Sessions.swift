#if Service
import EntitlementValues
import HTTPTypes

extension ServiceSettings {
    /// How playback sessions are signed and presented.
    struct Sessions: Sendable {
        let keyFiles: [String]
        let lifetime: TimeToLive
        let cookie: String
        /// The query parameter of the original request that may hold a session; `nil` if none may.
        let parameter: String?
        /// The header field with the client's address; `nil` if sessions are not bound to an address.
        let clientAddressHeader: HTTPField.Name?

        /// Reads the group `sessions`; `nil` if `sessions.keyFiles` is not set.
        init?(from reader: inout SettingsReader) {
            lifetime = .seconds(Int64(reader.number("sessions.lifetimeSeconds", in: 1...86_400, default: 4 * 3600)))
            cookie = reader.text("sessions.cookie") ?? "tve_session"
            parameter = reader.parameter("sessions.parameter")
            clientAddressHeader = reader.header("sessions.clientAddressHeader")
            if HTTPField.Name(cookie) == nil {
                reader.report(.badValue, of: "sessions.cookie", detail: "is not a valid cookie name")
            }
            reader.report(
                unused: [
                    "sessions.lifetimeSeconds", "sessions.cookie", "sessions.parameter", "sessions.clientAddressHeader",
                ], without: "sessions.keyFiles")
            guard let keyFiles = reader.list("sessions.keyFiles") else { return nil }
            self.keyFiles = keyFiles
        }
    }
}
#endif
