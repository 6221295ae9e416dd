/// A code of the operator's library for what it told with `status`, its second system of errors: `errorId`.
public struct StatusCode: RawRepresentable, Sendable, Hashable {
    /// The code as the operator's library writes it.
    public let rawValue: String

    /// Makes a code, unchanged.
    public init(rawValue: String) { self.rawValue = rawValue }

    static let partnerFailed = StatusCode(rawValue: "AAPL")
    static let partnerAccountStays = StatusCode(rawValue: "VSA203")
    static let partnerPermissionDenied = StatusCode(rawValue: "VSA403")
    static let partnerPermissionUndetermined = StatusCode(rawValue: "VSA404")
    static let partnerRequestFailed = StatusCode(rawValue: "VSA503")
    static let internalFailure = StatusCode(rawValue: "500")
    static let returnNotAllowed = StatusCode(rawValue: "SEC403")
    static let connectionNotTrusted = StatusCode(rawValue: "SEC420")
    static let requestorNotValid = StatusCode(rawValue: "CFG400")
    static let serverNotFound = StatusCode(rawValue: "CFG404")
    static let configurationThrottled = StatusCode(rawValue: "CFG429")
    static let notAuthenticated = StatusCode(rawValue: "N000")
    static let otherProviderChosen = StatusCode(rawValue: "N003")
    static let providerNotSupported = StatusCode(rawValue: "N004")
    static let pickerCancelled = StatusCode(rawValue: "N005")
    static let authenticatedByDegradation = StatusCode(rawValue: "N010")
    static let authenticatedByTemporaryAccess = StatusCode(rawValue: "N011")
    static let temporaryAccessEnded = StatusCode(rawValue: "N111")
    static let authenticationNotFound = StatusCode(rawValue: "N130")
    static let authenticationFailed = StatusCode(rawValue: "N500")
    static let notRegistered = StatusCode(rawValue: "R400")
    static let noAccessToken = StatusCode(rawValue: "R401")
    static let registrationCodeFailed = StatusCode(rawValue: "REG500")
    static let registrationCode = StatusCode(rawValue: "REGCODE")
    static let authorizedByDegradation = StatusCode(rawValue: "Z010")
    static let authorizedByTemporaryAccess = StatusCode(rawValue: "Z011")
    static let notAuthorized = StatusCode(rawValue: "Z100")
    static let providerNotReached = StatusCode(rawValue: "Z120")
    static let resourceNotValid = StatusCode(rawValue: "Z130")
    static let deniedByDegradation = StatusCode(rawValue: "Z169")
    static let authorizationFailed = StatusCode(rawValue: "Z500")
    static let preauthorizationFailed = StatusCode(rawValue: "P100")

    /// `CFG5xx`: the configuration cannot be had because a server failed.
    static func configurationFailed(_ status: Int) -> StatusCode {
        StatusCode(rawValue: "CFG\(500...599 ~= status ? status : 500)")
    }

    /// How grave the code is, in the lower case of the operator's sample: `info`, `success`, `warning` or `error`.
    public var level: String {
        switch rawValue {
        case "REGCODE": "success"
        case "N000", "N003", "N004", "N005", "N011", "Z011", "VSA203", "VSA403", "VSA404", "VSA503": "info"
        case "N010", "N111", "Z010", "CFG100", "SEC412", "LS011": "warning"
        default: "error"
        }
    }
}
