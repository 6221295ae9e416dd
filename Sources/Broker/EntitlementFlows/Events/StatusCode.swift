#if Client
public import EntitlementValues

/// A code of the operator's library for what it told with `status`, its second system of errors: `errorId`.
///
/// The names stand in ``documented``; others are kept as they are. Upper and lower case are different.
///
/// Source: the operator's page on error reporting, and the page on throttling for `CFG429`.
public struct StatusCode: EntitlementIdentifier {
    /// The code as the operator's library writes it.
    public let rawValue: String

    /// Makes a code, unchanged.
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// How grave the code is by the operator's table; an error for codes that the table does not name.
    public var level: SessionStatus.Level { Self.levels[self] ?? .error }

    /// Whether sessions send this code.
    ///
    /// Some codes tell of things that only the library itself could meet: passive authentication, a browser's storage,
    /// its own age. They are named so that code that switches over them still compiles.
    public var isSent: Bool {
        let families = ["IS0", "IS2", "IS4", "IS5"]
        return !Self.neverSent.contains(self) && !families.contains { rawValue.hasPrefix($0) }
    }

    /// The codes of which ``level`` is not an error.
    private static let levels: [StatusCode: SessionStatus.Level] = [
        .notAuthenticated: .info, .passiveAuthentication: .info, .otherProviderChosen: .info,
        .providerNotSupported: .info, .pickerCancelled: .info, .authenticatedByTemporaryAccess: .info,
        .authorizedByTemporaryAccess: .info, .partnerAccountStays: .info, .partnerPermissionDenied: .info,
        .partnerPermissionUndetermined: .info, .partnerRequestFailed: .info,
        .authenticatedByDegradation: .warning, .temporaryAccessEnded: .warning, .authorizedByDegradation: .warning,
        .clockIsWrong: .warning, .deviceChanged: .warning, .volatileStorage: .warning,
        .registrationCode: .success,
    ]
}
#endif
