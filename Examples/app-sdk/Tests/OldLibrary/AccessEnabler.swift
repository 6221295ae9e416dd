// What the sample needs of the operator's library, so that the code before the change is compiled, too.
//
// Source: the operator's reference of its library for iOS and tvOS.

@MainActor
package protocol EntitlementDelegate: AnyObject {
    func setRequestorComplete(_ status: Int32)
    func setAuthenticationStatus(_ status: Int32, errorCode: String)
    func setToken(_ token: String, forResource resource: String)
    func tokenRequestFailed(_ resource: String, errorCode: String, errorDescription: String)
    func displayProviderDialog(_ mvpds: [MVPD])
    func navigate(toUrl url: String)
}

package struct MVPD: Sendable {
    package let ID: String
    package let displayName: String
}

@MainActor
package final class AccessEnabler {
    package weak var delegate: (any EntitlementDelegate)?
    package init(_ softwareStatement: String) {}
    package func setRequestor(_ requestorID: String) {}
    package func getAuthorization(_ resource: String) {}
    package func setSelectedProvider(_ providerID: String?) {}
    package func handleExternalURL(_ url: String) {}
}
