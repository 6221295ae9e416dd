import AppEntitlements
import Testing

/// Writes each callback down as a line.
@MainActor
final class Recorder: EntitlementDelegate {
    private(set) var lines: [String] = []
    private(set) var tokens: [String: String] = [:]
    private(set) var metadata: [JSONValue?] = []
    private(set) var codes: [[String: String]] = []
    private(set) var urls: [String] = []
    /// The addresses in the provider's texts, by resource.
    private(set) var links: [String: [String]] = [:]

    /// Waits for a line, and takes all lines up to it away.
    ///
    /// - Parameters:
    ///   - wanted: The line, or how it begins.
    ///   - sourceLocation: Where the test waits.
    /// - Returns: The lines up to it.
    /// - Throws: An error if it does not come within twenty seconds.
    @discardableResult
    func until(_ wanted: String, sourceLocation: SourceLocation = #_sourceLocation) async throws -> [String] {
        for _ in 0..<4000 {
            if let index = lines.firstIndex(where: { $0.hasPrefix(wanted) }) {
                let found = Array(lines[...index])
                lines.removeSubrange(...index)
                return found
            }
            try await Task.sleep(for: .milliseconds(5))
        }
        Issue.record("\(wanted) did not come; there are \(lines)", sourceLocation: sourceLocation)
        throw CancellationError()
    }

    /// Waits for what does not come by itself, and returns all lines since then.
    func rest() async throws -> [String] {
        try await Task.sleep(for: .milliseconds(30))
        defer { lines = [] }
        return lines
    }

    func setRequestorComplete(_ status: Int) { lines.append("setRequestorComplete \(status)") }

    func setAuthenticationStatus(_ status: Int, errorCode: String) {
        lines.append("setAuthenticationStatus \(status) \(errorCode)")
    }

    func setToken(_ token: String, forResource resource: String) {
        tokens[resource] = token
        lines.append("setToken \(resource)")
    }

    func tokenRequestFailed(_ resource: String, errorCode: String, errorDescription: String) {
        lines.append("tokenRequestFailed \(resource)|\(errorCode)|\(errorDescription)")
    }

    func tokenRequestFailed(_ resource: String, errorCode: String, errorDescription: String, links: [String]) {
        self.links[resource] = links
        tokenRequestFailed(resource, errorCode: errorCode, errorDescription: errorDescription)
    }

    func displayProviderDialog(_ mvpds: [MVPD]) {
        lines.append("displayProviderDialog \(mvpds.map(\.id).joined(separator: " "))")
    }

    func navigateToUrl(_ url: String) {
        urls.append(url)
        lines.append("navigateToUrl \(url)")
    }

    func navigateToUrl(_ url: String, useSVC: Bool) { lines.append("navigateToUrl \(url) useSVC \(useSVC)") }

    func preauthorizedResources(_ resources: [String]) {
        lines.append("preauthorizedResources \(resources.joined(separator: " "))")
    }

    func selectedProvider(_ mvpd: MVPD?) {
        lines.append("selectedProvider \(mvpd.map { "\($0.id) \($0.displayName)" } ?? "none")")
    }

    func setMetadataStatus(
        _ metadata: JSONValue?, encrypted: Bool, forKey key: Int, andArguments arguments: [String: String]
    ) {
        self.metadata.append(metadata)
        lines.append("setMetadataStatus \(metadata?.text ?? metadata?.description ?? "none") \(encrypted) \(key)")
    }

    func sendTrackingData(_ data: [String?], forEventType event: Int) {
        lines.append("sendTrackingData \(event) \(data.map { $0 ?? "-" }.joined(separator: " "))")
    }

    func status(_ dictionary: [String: String]) {
        codes.append(dictionary)
        lines.append("status \(dictionary["errorId"] ?? "none") \(dictionary["level"] ?? "none")")
    }
}
