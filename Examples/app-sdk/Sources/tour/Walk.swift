import AppEntitlements
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// One walk through the example: from a TV without a viewer who is signed in to a clip, a denial and the logout.
@MainActor
struct Walk {
    /// The channels of the example, of which two are refused.
    private static let channels = ["SampleNews", "SampleSports", "SampleKids", "SampleMovies", "SampleNight"]

    private let address: URL
    private let client: EntitlementClient
    private let screen = Screen()

    /// Prepares the walk.
    ///
    /// - Parameter address: The address of the example.
    init(at address: URL) {
        self.address = address
        let device = DeviceDescription(
            model: "Set 55", version: "1", osName: "Linux", osVersion: "6", connectionType: "wired",
            primaryHardwareType: "TV", more: ["manufacturer": .text("Sample")])
        client = EntitlementClient(
            at: address, device: device, signingIn: .otherScreen, store: InMemoryDeviceStateStore())
        client.delegate = screen
    }

    /// Walks.
    ///
    /// - Throws: ``Surprise`` if a callback is another one than expected; an error of a request for a clip.
    func run() async throws {
        client.setRequestor("tv")
        try await screen.expect("setRequestorComplete 1")
        client.checkAuthentication()
        try await screen.expect("setAuthenticationStatus 0 User Not Authenticated Error")
        client.getAuthorization("SampleNews")
        try await screen.expect("displayProviderDialog SampleCable SampleFiber TempPass")
        client.setSelectedProvider("SampleCable")
        // The code is on the line of the status REGCODE; the other screen has half an hour.
        try await screen.expect("setAuthenticationStatus 1 ")
        // What was asked for first goes on by itself.
        try await screen.expect("setToken SampleNews")
        try await play("SampleNews")
        client.checkPreauthorizedResources(Self.channels)
        try await screen.expect("preauthorizedResources SampleNews SampleSports SampleKids")
        client.checkAuthorization("SampleMovies")
        try await screen.expect(
            "tokenRequestFailed SampleMovies User not Authorized Error "
                + "Sample Movies is not in your package. Call Sample Cable to add it: 555 0100.")
        client.getSelectedProvider()
        try await screen.expect("selectedProvider SampleCable Sample Cable")
        client.logout()
        try await screen.expect("setAuthenticationStatus 0 User Not Authenticated Error")
        client.checkAuthorization("SampleNews")
        try await screen.expect("tokenRequestFailed SampleNews User Not Authenticated Error ")
    }

    /// Fetches a clip as a player does: the playlist, and each file that it names, with the session in the query.
    private func play(_ resource: String) async throws {
        guard let playback = client.playback(of: resource) else { throw Surprise(wanted: "a playback", found: "none") }
        let folder = address.appendingPathComponent("media").appendingPathComponent(resource)
        let playlist = try await file("index.m3u8", in: folder, with: playback)
        let lines = String(decoding: playlist, as: UTF8.self).split(separator: "\n")
        // Files are lines of their own, but for the beginning, which an attribute names.
        let names = lines.compactMap { line -> String? in
            guard line.hasPrefix("#") else { return String(line) }
            return line.range(of: "URI=\"").map { String(line[$0.upperBound...].prefix { $0 != "\"" }) }
        }
        var bytes = playlist.count
        for name in names { bytes += try await file(name, in: folder, with: playback).count }
        screen.show("played \(resource): \(names.count + 1) files, \(bytes) bytes")
    }

    private func file(_ name: String, in folder: URL, with playback: Playback) async throws -> Data {
        // The characters of a session need no escaping.
        guard let url = URL(string: "\(folder.absoluteString)/\(name)?session=\(playback.session)") else {
            throw Surprise(wanted: "an address", found: "none")
        }
        let (data, answer) = try await URLSession.shared.data(from: url)
        let status = (answer as? HTTPURLResponse)?.statusCode ?? 0
        guard status == 200 else { throw Surprise(wanted: "\(name): 200", found: "\(status)") }
        return data
    }
}
