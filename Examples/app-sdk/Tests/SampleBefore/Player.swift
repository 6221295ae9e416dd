import Foundation
import OldLibrary

@MainActor
final class Player: EntitlementDelegate {
    private let library: AccessEnabler
    private let screen: any Screen

    init(softwareStatement: String, screen: any Screen) {
        library = AccessEnabler(softwareStatement)
        self.screen = screen
        library.delegate = self
        library.setRequestor("REF30")
    }

    func play(_ channel: String) { library.getAuthorization(channel) }

    func cameBack(to address: URL) { library.handleExternalURL(address.absoluteString) }

    func setRequestorComplete(_ status: Int32) {
        if status == 0 { screen.show("This does not work at the moment.") }
    }

    func displayProviderDialog(_ mvpds: [MVPD]) {
        screen.choose(among: mvpds.map(\.displayName)) { [library] index in
            library.setSelectedProvider(index.map { mvpds[$0].ID })
        }
    }

    func navigate(toUrl url: String) { screen.openBrowser(url) }

    func setAuthenticationStatus(_ status: Int32, errorCode: String) { screen.isSignedIn = status == 1 }

    // The app's own server verifies the media token before it lets the stream begin.
    func setToken(_ token: String, forResource resource: String) { screen.sendToServer(token, resource) }

    func tokenRequestFailed(_ resource: String, errorCode: String, errorDescription: String) {
        screen.show(errorDescription.isEmpty ? errorCode : errorDescription)
    }
}
