#if Client
import HTTPTypes

/// A header field that some of the broker's endpoints take, and others do not.
///
/// The names of a platform's token differ by platform, so this is the column of the reference, not the name of a field.
enum RequestField: String, Sendable, Hashable, CaseIterable {
    case authorization = "Authorization"
    case deviceIdentifier = "AP-Device-Identifier"
    case deviceInfo = "X-Device-Info"
    case clientAddress = "X-Forwarded-For"
    case platformToken = "Adobe-Subject-Token or X-Roku-Reserved-Roku-Connect-Token"
    case serviceToken = "AD-Service-Token"
    case partnerStatus = "AP-Partner-Framework-Status"
    case temporaryIdentity = "AP-TempPass-Identity"
    case visitorIdentifier = "AP-Visitor-Identifier"

    /// The name of the client's address, which nearly all requests have.
    static let clientAddressName = HTTPField.Name(RequestField.clientAddress.rawValue)
    /// All but the one that is added when a request is sent.
    static let allButAuthorization = allCases.filter { $0 != .authorization }
}
#endif
