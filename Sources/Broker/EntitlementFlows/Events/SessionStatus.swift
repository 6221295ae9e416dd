#if Client
public import EntitlementValues
import ServiceResponses

/// Something noteworthy, by the code of the operator's library: `N000`, `CFG429`, `VSA203`.
///
/// The library handed it to `status` as a dictionary; ``dictionary`` is that. Descriptions and mirrors show neither the
/// message nor the further keys: providers write them.
public struct SessionStatus: Sendable, Hashable {
    /// How grave it is.
    public enum Level: String, Sendable, Hashable, CaseIterable {
        /// For the record.
        case info = "Info"
        /// Something ended well.
        case success = "Success"
        /// Something is not as it should be, and goes on.
        case warning = "Warning"
        /// Something failed.
        case error = "Error"
    }

    /// The code, `errorId`.
    public let code: StatusCode
    /// How grave it is.
    public let level: Level

    private let redactedMessage: Redacted<String?>
    private let redactedDetails: Redacted<[String: String]>

    /// A text for people; `nil` if there is none.
    ///
    /// It is not trusted: a provider may have written it.
    public var message: String? { redactedMessage.value }

    /// Further keys of the dictionary with their values, for example `resource` and `details`.
    public var furtherKeys: [String: String] { redactedDetails.value }

    /// Describes something noteworthy.
    ///
    /// - Parameters:
    ///   - code: The code.
    ///   - level: How grave it is; as the code usually is, if none is given.
    ///   - message: A text for people.
    ///   - furtherKeys: Further keys of the dictionary; `errorId`, `level` and `message` are not among them.
    public init(
        _ code: StatusCode,
        level: Level? = nil,
        message: String? = nil,
        furtherKeys: [String: String] = [:]
    ) {
        (self.code, self.level) = (code, level ?? code.level)
        (redactedMessage, redactedDetails) = (Redacted(message), Redacted(furtherKeys))
    }
}

extension SessionStatus: CustomStringConvertible {
    /// The code and how grave it is.
    public var description: String { "\(code.rawValue) (\(level.rawValue))" }
}

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
