import AppEntitlements
import Foundation

/// A screen that shows each callback as a line of text.
@MainActor
final class Screen: EntitlementDelegate {
    private let lines: AsyncStream<String>
    private let more: AsyncStream<String>.Continuation
    private var reader: AsyncStream<String>.Iterator

    /// Makes an empty screen.
    init() {
        (lines, more) = AsyncStream.makeStream()
        reader = lines.makeAsyncIterator()
    }

    /// Shows a line.
    func show(_ line: String) {
        FileHandle.standardOutput.write(Data("\(line)\n".utf8))
    }

    /// Waits for a callback; statuses and data for analytics may come before it, others may not.
    ///
    /// - Parameter line: The line of the callback.
    /// - Throws: ``Surprise`` if another one comes.
    func expect(_ line: String) async throws {
        while let next = await next() {
            if next == line { return }
            // These say what other callbacks say, too.
            let isAside = ["status", "sendTrackingData", "setAuthenticationStatus 1"].contains(where: next.hasPrefix)
            // An app that asks for a resource is also told whether the viewer is signed in.
            let isKnown = line.hasPrefix("tokenRequestFailed") && next.hasPrefix("setAuthenticationStatus")
            guard isAside || isKnown else { throw Surprise(wanted: line, found: next) }
        }
    }

    private func next() async -> String? {
        var reader = self.reader
        defer { self.reader = reader }
        return await reader.next(isolation: MainActor.shared)
    }

    private func tell(_ line: String) {
        show(line)
        more.yield(line)
    }

    func setRequestorComplete(_ status: Int) { tell("setRequestorComplete \(status)") }

    func setAuthenticationStatus(_ status: Int, errorCode: String) {
        tell("setAuthenticationStatus \(status) \(errorCode)")
    }

    // The token opens the stream, so it is not shown.
    func setToken(_ token: String, forResource resource: String) { tell("setToken \(resource)") }

    func tokenRequestFailed(_ resource: String, errorCode: String, errorDescription: String) {
        tell("tokenRequestFailed \(resource) \(errorCode) \(errorDescription)")
    }

    func displayProviderDialog(_ mvpds: [MVPD]) {
        tell("displayProviderDialog \(mvpds.map(\.id).joined(separator: " "))")
    }

    func navigateToUrl(_ url: String) { tell("navigateToUrl \(url)") }

    func preauthorizedResources(_ resources: [String]) {
        tell("preauthorizedResources \(resources.joined(separator: " "))")
    }

    func selectedProvider(_ mvpd: MVPD?) { tell("selectedProvider \(mvpd?.id ?? "") \(mvpd?.displayName ?? "")") }

    func sendTrackingData(_ data: [String?], forEventType event: Int) {
        tell("sendTrackingData \(event) \(data.map { $0 ?? "null" }.joined(separator: " "))")
    }

    func status(_ dictionary: [String: String]) {
        tell("status " + dictionary.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " "))
    }
}

/// A callback that was not expected.
struct Surprise: Error, CustomStringConvertible {
    let wanted: String
    let found: String

    var description: String { "expected \(wanted), found \(found)" }
}
