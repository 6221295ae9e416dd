import AppEntitlements
import Foundation
import Testing

/// Writes each callback down as the rows have it: its name, and its arguments as JSON.
///
/// Of providers there are their identifiers, and names in the place of what is another one in each run.
@MainActor
final class RowRecorder: EntitlementDelegate {
    private(set) var lines: [String] = []
    /// The address of the browser's last visit.
    private(set) var address: String?

    func forget() { lines = [] }

    /// Waits for a callback.
    ///
    /// - Parameter beginning: How its line begins.
    /// - Throws: An error if it does not come within 120 seconds.
    func wait(for beginning: String) async throws {
        try await wait("\(beginning) does not come") { $0.contains { $0.hasPrefix(beginning) } }
    }

    /// Waits for so many callbacks of a row.
    func wait(for count: Int, of row: String) async throws {
        try await wait("\(row): not all callbacks come") { $0.count >= count }
    }

    private func wait(_ fault: String, until isDone: ([String]) -> Bool) async throws {
        for _ in 0..<24_000 {
            if isDone(lines) { return }
            try await Task.sleep(for: .milliseconds(5))
        }
        Issue.record("\(fault); there are \(lines)")
        throw CancellationError()
    }

    func tell(_ name: String, _ arguments: JSONValue...) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let json = (try? encoder.encode(arguments)) ?? Data()
        lines.append("\(name) \(String(decoding: json, as: UTF8.self))")
    }

    func setRequestorComplete(_ status: Int) { tell("setRequestorComplete", .integer(Int64(status))) }

    func setAuthenticationStatus(_ status: Int, errorCode: String) {
        tell("setAuthenticationStatus", .integer(Int64(status)), .text(errorCode))
    }

    func setToken(_ token: String, forResource resource: String) {
        tell("setToken", .text("the token"), .text(resource))
    }

    func tokenRequestFailed(_ resource: String, errorCode: String, errorDescription: String) {
        tell("tokenRequestFailed", .text(resource), .text(errorCode), .text(errorDescription))
    }

    func displayProviderDialog(_ mvpds: [MVPD]) {
        tell("displayProviderDialog", .list(mvpds.map { .text($0.id) }))
    }

    func navigateToUrl(_ url: String) {
        address = url
        tell("navigateToUrl", .text("the address"))
    }

    func preauthorizedResources(_ resources: [String]) {
        tell("preauthorizedResources", .list(resources.map(JSONValue.text)))
    }

    func selectedProvider(_ mvpd: MVPD?) { tell("selectedProvider", mvpd.map { .text($0.id) } ?? .null) }

    func setMetadataStatus(
        _ metadata: JSONValue?, encrypted: Bool, forKey key: Int, andArguments arguments: [String: String]
    ) {
        let question = arguments.mapValues(JSONValue.text)
        tell("setMetadataStatus", metadata ?? .null, .boolean(encrypted), .integer(Int64(key)), .object(question))
    }

    func sendTrackingData(_ data: [String?], forEventType event: Int) {
        var array = data.map { $0.map(JSONValue.text) ?? .null }
        // The gateway verifies the media token, and so knows the user; the rows are without.
        if event != 2, array.count > 2 { array[2] = .null }
        tell("sendTrackingData", .list(array), .integer(Int64(event)))
    }

    func status(_ dictionary: [String: String]) {
        var members = dictionary.mapValues(JSONValue.text)
        if dictionary["errorId"] == "REGCODE" {
            members["message"] = .text("the code")
            // Told here beside the code, for a picture to scan.
            (members["activationURL"], members["activationURLComplete"]) = (nil, nil)
        }
        tell("status", .object(members))
    }
}
