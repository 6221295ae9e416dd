#if Client
import EntitlementValues

// Each comment says when a session sends the code. The names in capitals are those of the operator's table.

// MARK: The device's sign-on partner

extension StatusCode {
    /// The partner's framework failed: a partner session or profile was refused for a reason that has no code of its
    /// own.
    public static let partnerFailed: StatusCode = "AAPL"
    /// `AAPL` as the table of codes spells it too; sessions send ``partnerFailed``.
    public static let partnerFailedError: StatusCode = "AAPL_ERROR"
    /// `AAPL` as the cookbook for single sign-on spells it; sessions send ``partnerFailed``.
    public static let partnerFailedMisspelt: StatusCode = "APPL_ERROR"
    /// After a logout: the device's own account signs the user in again.
    ///
    /// That ends when the user leaves the account in the system's settings.
    public static let partnerAccountStays: StatusCode = "VSA203"
    /// The partner says that the user denies access to the account, or that the application may not ask.
    public static let partnerPermissionDenied: StatusCode = "VSA403"
    /// The partner says that the user has not decided about access to the account.
    public static let partnerPermissionUndetermined: StatusCode = "VSA404"
    /// The partner could not say anything of the account, or nothing that holds.
    public static let partnerRequestFailed: StatusCode = "VSA503"
}

// MARK: The library itself, and security

extension StatusCode {
    /// The session itself failed: a record could not be read or changed, or a request was not complete.
    public static let internalFailure: StatusCode = "500"
    /// The address to return to is not one of the requestor's domains (`invalid_parameter_redirect_url`).
    public static let domainNotAllowed: StatusCode = "SEC403"
    /// The device has another identifier than its record, whose identifier counts.
    public static let deviceChanged: StatusCode = "SEC412"
    /// TLS failed: the server's certificate is not trusted, or another server answers in the broker's place.
    public static let connectionNotTrusted: StatusCode = "SEC420"
}

// MARK: The configuration

extension StatusCode {
    /// The clock is off by more than a minute, measured by the broker's answers.
    public static let clockIsWrong: StatusCode = "CFG100"
    /// The broker does not know the requestor, or none was set.
    public static let requestorNotValid: StatusCode = "CFG400"
    /// The broker cannot be reached.
    public static let serverNotFound: StatusCode = "CFG404"
    /// Never sent: the library is too old for the operator's servers.
    public static let libraryTooOld: StatusCode = "CFG410"
    /// The broker takes no more requests from this client address (`setRequestor`).
    public static let configurationThrottled: StatusCode = "CFG429"

    /// `CFG5xx`: the broker failed with a server error (`setRequestor`).
    ///
    /// - Parameter status: The HTTP status, 500 to 599; another one counts as 500.
    /// - Returns: The code, for example `CFG503`.
    public static func configurationFailed(status: Int) -> StatusCode {
        StatusCode("CFG\((500...599).contains(status) ? status : 500)")
    }
}

// MARK: Authentication

extension StatusCode {
    /// The user is not signed in.
    public static let notAuthenticated: StatusCode = "N000"
    /// Never sent: a passive authentication has begun, for which the broker's API has no call.
    public static let passiveAuthentication: StatusCode = "N001"
    /// The user chose another provider than the partner's picker lists.
    public static let otherProviderChosen: StatusCode = "N003"
    /// The user chose a provider in the partner's picker that the requestor does not support there.
    public static let providerNotSupported: StatusCode = "N004"
    /// The user closed the picker, the partner's or the application's, without a choice, or cancelled the sign-in.
    public static let pickerCancelled: StatusCode = "N005"
    /// The user counts as signed in, because a rule for the provider's failure lets everyone in.
    public static let authenticatedByDegradation: StatusCode = "N010"
    /// The user has temporary access.
    public static let authenticatedByTemporaryAccess: StatusCode = "N011"
    /// The temporary access is over, or its resources are used up.
    public static let temporaryAccessEnded: StatusCode = "N111"
    /// The code of the sign-in has ended, or the broker does not know its session anymore.
    public static let authenticationNotFound: StatusCode = "N130"
    /// The authentication failed for a reason that has no code of its own.
    public static let authenticationFailed: StatusCode = "N500"
}

// MARK: Registration

extension StatusCode {
    /// The broker does not register the application: the software statement is not valid, or was revoked.
    public static let notRegistered: StatusCode = "R400"
    /// The broker gives no access token.
    public static let noAccessToken: StatusCode = "R401"
    /// The broker gives no code for another screen.
    public static let noRegistrationCode: StatusCode = "REG500"
    /// A code is there, which the user types on another screen: the message is the code.
    public static let registrationCode: StatusCode = "REGCODE"
}

// MARK: Authorization and preauthorization

extension StatusCode {
    /// The user may watch, because a rule for the provider's failure lets everyone watch.
    public static let authorizedByDegradation: StatusCode = "Z010"
    /// The user may watch by temporary access.
    public static let authorizedByTemporaryAccess: StatusCode = "Z011"
    /// The user may not watch; or the broker takes no more requests from this client address.
    public static let notAuthorized: StatusCode = "Z100"
    /// Never sent: the operator's servers suspect an abuse, which the broker's API does not tell.
    public static let repeatedlyDenied: StatusCode = "Z110"
    /// The provider could not be asked.
    public static let providerNotReached: StatusCode = "Z120"
    /// The resource is malformed.
    public static let resourceNotValid: StatusCode = "Z130"
    /// A rule for the provider's failure lets no one watch.
    public static let deniedByDegradation: StatusCode = "Z169"
    /// The authorization failed for a reason that has no code of its own.
    public static let authorizationFailed: StatusCode = "Z500"
    /// The preauthorization failed: too many resources, too many requests, or another reason.
    public static let preauthorizationFailed: StatusCode = "P100"
}

// MARK: Individualization and storage

extension StatusCode {
    /// Never sent: the server that gives devices their identifiers did not answer.
    public static let individualizationTimeout: StatusCode = "IS0"
    /// Never sent: a browser's storage does not keep anything.
    public static let volatileStorage: StatusCode = "LS011"

    /// Never sent: `IS2xx`, `IS4xx` and `IS5xx`, by which the server that gives devices their identifiers failed.
    ///
    /// - Parameter status: The HTTP status.
    /// - Returns: The code, for example `IS404`.
    public static func individualizationFailed(status: Int) -> StatusCode { StatusCode("IS\(status)") }

    /// The codes of the operator's table that stand alone; `CFG5xx`, `IS2xx`, `IS4xx` and `IS5xx` are families.
    public static let documented: [StatusCode] = [
        .partnerFailed, .partnerFailedError, .partnerFailedMisspelt, .partnerAccountStays, .partnerPermissionDenied,
        .partnerPermissionUndetermined, .partnerRequestFailed, .internalFailure, .domainNotAllowed, .deviceChanged,
        .connectionNotTrusted, .clockIsWrong, .requestorNotValid, .serverNotFound, .libraryTooOld,
        .configurationThrottled, .notAuthenticated, .passiveAuthentication, .otherProviderChosen,
        .providerNotSupported, .pickerCancelled, .authenticatedByDegradation, .authenticatedByTemporaryAccess,
        .temporaryAccessEnded, .authenticationNotFound, .authenticationFailed, .notRegistered, .noAccessToken,
        .noRegistrationCode, .registrationCode, .authorizedByDegradation, .authorizedByTemporaryAccess, .notAuthorized,
        .repeatedlyDenied, .providerNotReached, .resourceNotValid, .deniedByDegradation, .authorizationFailed,
        .preauthorizationFailed, .individualizationTimeout, .volatileStorage,
    ]

    /// The codes that stand alone and that no session sends.
    static let neverSent: Set<StatusCode> = [
        .partnerFailedError, .partnerFailedMisspelt, .libraryTooOld, .passiveAuthentication, .repeatedlyDenied,
        .individualizationTimeout, .volatileStorage,
    ]
}
#endif
