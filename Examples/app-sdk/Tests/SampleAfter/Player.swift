import AppEntitlements
import Foundation

@MainActor
final class Player: EntitlementDelegate {
    private let library: EntitlementClient
    private let screen: any Screen

    init(gateway: URL, device: DeviceDescription, folder: URL, screen: any Screen) {
        library = EntitlementClient(
            at: gateway, device: device, signingIn: .browser(returnTo: "exampletv://done"),
            store: FileDeviceStateStore(in: folder))
        self.screen = screen
        library.delegate = self
        library.setRequestor("tv")
    }

    func play(_ channel: String) { library.getAuthorization(channel) }

    func cameBack(to address: URL) { library.handleExternalURL(address.absoluteString) }

    func setRequestorComplete(_ status: Int) {
        if status == 0 { screen.show("This does not work at the moment.") }
    }

    func displayProviderDialog(_ mvpds: [MVPD]) {
        screen.choose(among: mvpds.map(\.displayName)) { [library] index in
            library.setSelectedProvider(index.map { mvpds[$0].id })
        }
    }

    func navigateToUrl(_ url: String) { screen.openBrowser(url) }

    func setAuthenticationStatus(_ status: Int, errorCode: String) { screen.isSignedIn = status == 1 }

    // The gateway has verified the media token; this is the session that the media servers take.
    func setToken(_ token: String, forResource resource: String) { screen.startStream(resource, token) }

    func tokenRequestFailed(_ resource: String, errorCode: String, errorDescription: String) {
        screen.show(errorDescription.isEmpty ? errorCode : errorDescription)
    }
}
