#if Service
import BrokerClient

/// Where the events of devices go, as JSON on a line each.
enum EventsDestination: Sendable, Hashable {
    /// They are appended to a file.
    case file(String)
    /// They are posted.
    case webhook(GatewayAddress)

    /// What takes the events there.
    ///
    /// - Parameter transport: Posts them.
    /// - Returns: A file or a webhook.
    func sink(over transport: any HTTPTransport) -> any EventSink {
        switch self {
        case .file(let path): EventFile(path)
        case .webhook(let address): EventWebhook(to: address, over: transport)
        }
    }

    /// Reads a setting; `nil` if it is not set.
    ///
    /// - Parameters:
    ///   - name: The name of the setting.
    ///   - reader: The settings.
    init?(_ name: String, from reader: inout SettingsReader) {
        guard let text = reader.text(name) else { return nil }
        guard text.contains("://") else {
            self = .file(text)
            return
        }
        guard let address = GatewayAddress(name, from: &reader) else { return nil }
        self = .webhook(address)
    }
}
#endif
