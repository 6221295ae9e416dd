#if Client
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
#endif
