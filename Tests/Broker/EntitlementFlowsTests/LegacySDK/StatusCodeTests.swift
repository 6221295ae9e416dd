#if Client
import EntitlementFlows
import EntitlementValues
import Testing

/// The codes of the second error system, row by row: code, level, and whether a session sends it.
@Suite struct StatusCodeTests {
    static let rows: [(code: StatusCode, text: String, level: SessionStatus.Level, isSent: Bool)] = [
        (.partnerFailed, "AAPL", .error, true),
        (.partnerFailedError, "AAPL_ERROR", .error, false),
        (.partnerFailedMisspelt, "APPL_ERROR", .error, false),
        (.partnerAccountStays, "VSA203", .info, true),
        (.partnerPermissionDenied, "VSA403", .info, true),
        (.partnerPermissionUndetermined, "VSA404", .info, true),
        (.partnerRequestFailed, "VSA503", .info, true),
        (.internalFailure, "500", .error, true),
        (.domainNotAllowed, "SEC403", .error, true),
        (.deviceChanged, "SEC412", .warning, true),
        (.connectionNotTrusted, "SEC420", .error, true),
        (.clockIsWrong, "CFG100", .warning, true),
        (.requestorNotValid, "CFG400", .error, true),
        (.serverNotFound, "CFG404", .error, true),
        (.libraryTooOld, "CFG410", .error, false),
        (.configurationThrottled, "CFG429", .error, true),
        (.notAuthenticated, "N000", .info, true),
        (.passiveAuthentication, "N001", .info, false),
        (.otherProviderChosen, "N003", .info, true),
        (.providerNotSupported, "N004", .info, true),
        (.pickerCancelled, "N005", .info, true),
        (.authenticatedByDegradation, "N010", .warning, true),
        (.authenticatedByTemporaryAccess, "N011", .info, true),
        (.temporaryAccessEnded, "N111", .warning, true),
        (.authenticationNotFound, "N130", .error, true),
        (.authenticationFailed, "N500", .error, true),
        (.notRegistered, "R400", .error, true),
        (.noAccessToken, "R401", .error, true),
        (.noRegistrationCode, "REG500", .error, true),
        (.registrationCode, "REGCODE", .success, true),
        (.authorizedByDegradation, "Z010", .warning, true),
        (.authorizedByTemporaryAccess, "Z011", .info, true),
        (.notAuthorized, "Z100", .error, true),
        (.repeatedlyDenied, "Z110", .error, false),
        (.providerNotReached, "Z120", .error, true),
        (.resourceNotValid, "Z130", .error, true),
        (.deniedByDegradation, "Z169", .error, true),
        (.authorizationFailed, "Z500", .error, true),
        (.preauthorizationFailed, "P100", .error, true),
        (.individualizationTimeout, "IS0", .error, false),
        (.volatileStorage, "LS011", .warning, false),
    ]

    @Test(arguments: rows.indices)
    func `A code has its text and its level`(row: Int) {
        let row = Self.rows[row]
        #expect(row.code.rawValue == row.text)
        #expect(row.code.level == row.level)
        #expect(row.code.isSent == row.isSent)
        #expect(SessionStatus(row.code).level == row.level)
    }

    @Test func `Each documented code is in the table, once`() {
        #expect(StatusCode.documented == Self.rows.map(\.code))
        #expect(Set(StatusCode.documented).count == Self.rows.count)
    }

    @Test(arguments: [(500, "CFG500"), (503, "CFG503"), (599, "CFG599"), (404, "CFG500"), (600, "CFG500")])
    func `A failure of the configuration names the HTTP status`(status: Int, text: String) {
        #expect(StatusCode.configurationFailed(status: status).rawValue == text)
        #expect(StatusCode.configurationFailed(status: status).level == .error)
    }

    @Test(arguments: [204, 404, 503])
    func `Failures of individualization are never sent`(status: Int) {
        let code = StatusCode.individualizationFailed(status: status)
        #expect(code.rawValue == "IS\(status)")
        #expect(!code.isSent)
        #expect(code.level == .error)
    }

    @Test func `A code that is not known is kept, and is an error`() {
        let code: StatusCode = "Z999"
        #expect(code.level == .error && code.isSent)
    }

    @Test func `A status does not show what a provider wrote`() {
        let status = SessionStatus(.notAuthorized, message: "secret text", furtherKeys: ["details": "secret details"])
        #expect(status.message == "secret text")
        #expect("\(status)" == "Z100 (Error)")
        var dumped = ""
        dump(status, to: &dumped)
        #expect(!dumped.contains("secret"))
    }
}
#endif
