#if canImport(VideoSubscriberAccount) && canImport(UIKit) && !targetEnvironment(macCatalyst)
public import UIKit
#endif

/// What an app is called back with: the callbacks of the operator's library, on the main actor, in its order.
///
/// The second group has implementations that do nothing, for apps that do not need them.
@MainActor
public protocol EntitlementDelegate: AnyObject {
    /// `setRequestor` is done: 1, or 0 if it failed, after a `status` with `CFG…`.
    func setRequestorComplete(_ status: Int)

    /// The viewer is signed in: 1 and an empty text, or 0 and an ``OriginalError``. After `logout`, 0 means success.
    func setAuthenticationStatus(_ status: Int, errorCode: String)

    /// The resource may be played. The token is a playback session for the media servers, not a media token: it has been
    /// verified and used up already, so there is nothing to verify in the app or on a server of its own.
    func setToken(_ token: String, forResource resource: String)

    /// The resource may not be played: an ``OriginalError``, and the provider's text without markup, or an empty one.
    func tokenRequestFailed(_ resource: String, errorCode: String, errorDescription: String)

    /// The viewer chooses a provider; the one of the last time comes first. Answer with `setSelectedProvider`.
    func displayProviderDialog(_ mvpds: [MVPD])

    /// The viewer's browser opens an address, of a login or of a logout. Answer with `handleExternalURL` when it comes
    /// back to the app, each time if there are several logout pages, or with `setSelectedProvider(nil)` if the viewer
    /// closes it.
    func navigateToUrl(_ url: String)

    // MARK: Callbacks that not all apps need

    /// In place of ``navigateToUrl(_:)`` if the option `handleSVC` is set and the system's browser is to be taken.
    func navigateToUrl(_ url: String, useSVC: Bool)

    /// In place of ``tokenRequestFailed(_:errorCode:errorDescription:)``, with the addresses in the provider's text, such
    /// as that of an upgrade; all of them are `https`. The provider has chosen them, so let the viewer open them in a browser.
    func tokenRequestFailed(_ resource: String, errorCode: String, errorDescription: String, links: [String])

    /// The resources that are permitted, in the order of the call.
    func preauthorizedResources(_ resources: [String])

    /// The provider that the viewer chose last.
    func selectedProvider(_ mvpd: MVPD?)

    /// An answer to `getMetadata`: its value, whether it is encrypted still, ``MetadataKey`` by its number, the question.
    ///
    /// The number of an operation that is not known is -1.
    func setMetadataStatus(
        _ metadata: JSONValue?, encrypted: Bool, forKey key: Int, andArguments arguments: [String: String])

    /// The operator's array for analytics, index by index, and 0 to 2 for authentication, authorization and choice.
    func sendTrackingData(_ data: [String?], forEventType event: Int)

    /// Something noteworthy: `errorId`, `level`, `message` if there is one, and further keys: of a denial `resource`, and
    /// `links` with the `https` addresses in the provider's text, a space between them.
    func status(_ dictionary: [String: String])

    #if canImport(VideoSubscriberAccount) && canImport(UIKit) && !targetEnvironment(macCatalyst)
    /// The account of the device wants a view to be shown.
    func presentTvProviderDialog(_ viewController: UIViewController)

    /// The account of the device wants the view to be closed.
    func dismissTvProviderDialog(_ viewController: UIViewController)
    #endif
}

extension EntitlementDelegate {
    /// Calls ``navigateToUrl(_:)``.
    public func navigateToUrl(_ url: String, useSVC: Bool) { navigateToUrl(url) }
    /// Calls ``tokenRequestFailed(_:errorCode:errorDescription:)``.
    public func tokenRequestFailed(_ resource: String, errorCode: String, errorDescription: String, links: [String]) {
        tokenRequestFailed(resource, errorCode: errorCode, errorDescription: errorDescription)
    }
    /// Does nothing.
    public func preauthorizedResources(_ resources: [String]) {}
    /// Does nothing.
    public func selectedProvider(_ mvpd: MVPD?) {}
    /// Does nothing.
    public func setMetadataStatus(
        _ metadata: JSONValue?, encrypted: Bool, forKey key: Int, andArguments arguments: [String: String]
    ) {}
    /// Does nothing.
    public func sendTrackingData(_ data: [String?], forEventType event: Int) {}
    /// Does nothing.
    public func status(_ dictionary: [String: String]) {}
    #if canImport(VideoSubscriberAccount) && canImport(UIKit) && !targetEnvironment(macCatalyst)
    /// Does nothing.
    public func presentTvProviderDialog(_ viewController: UIViewController) {}
    /// Does nothing.
    public func dismissTvProviderDialog(_ viewController: UIViewController) {}
    #endif
}
