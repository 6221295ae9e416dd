#if Service
import BrokerClient

/// The address of a service of the programmer's own: an origin and a path.
package struct GatewayAddress: Sendable, Hashable {
    let origin: BrokerOrigin
    /// The path with the query, which begins with a slash.
    let path: String

    /// Reads a setting; `nil` if it is not set, or not an address of https.
    ///
    /// - Parameters:
    ///   - name: The name of the setting.
    ///   - reader: The settings.
    init?(_ name: String, from reader: inout SettingsReader) {
        guard let text = reader.text(name) else { return nil }
        guard let address = GatewayAddress(text) else {
            reader.report(
                .badValue, of: name,
                detail: "is not an address such as https://HOST/PATH; http:// is accepted for this machine only")
            return nil
        }
        self = address
    }

    /// Reads an address; `nil` if it is not one.
    package init?(_ text: String) {
        guard text.utf8.allSatisfy({ 0x21...0x7E ~= $0 }), !text.contains("#"),
            let start = text.firstRange(of: "://")?.upperBound
        else { return nil }
        let end = text[start...].firstIndex { $0 == "/" || $0 == "?" } ?? text.endIndex
        guard let origin = try? BrokerOrigin(parsing: String(text[..<end])) else { return nil }
        self.origin = origin
        path = text[end...].hasPrefix("/") ? String(text[end...]) : "/" + text[end...]
    }
}
#endif
