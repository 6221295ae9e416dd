/// An operation of the broker's API.
///
/// What the broker's reference says of each is one row of one table, which the client sends by and the simulated broker
/// reads by. Its raw value is a stable name for metrics, logs and journals; it holds nothing of a request.
public struct BrokerEndpoint: RawRepresentable, Sendable {
    /// The name.
    public let rawValue: String
    /// Which errors an endpoint has, and who counts its requests.
    package let family: Family
    /// The request's method.
    package let method: Method
    /// The path, with `{name}` for each segment that a request fills in.
    ///
    /// It holds nothing of a request, so metrics and spans may show it.
    package let path: String
    /// The segments of the path, in order.
    package let segments: [Segment]
    /// The statuses of success: that of the reference, then those of other documents.
    package let successes: [Int]
    /// Fields without which the client sends nothing.
    package let required: Set<RequestField>
    /// Fields that are sent if their values are known.
    package let optional: Set<RequestField>
    /// When calls may be repeated although the broker may have acted on them.
    package let repetition: Repetition

    init(
        _ name: String,
        _ method: Method,
        at path: String,
        family: Family = .service,
        successes: [Int] = [200],
        required: Set<RequestField> = [],
        optional: Set<RequestField> = [],
        repetition: Repetition? = nil
    ) {
        (rawValue, self.family, self.method, self.path, self.successes) = (name, family, method, path, successes)
        (self.required, self.optional) = (required, optional)
        self.repetition = repetition ?? (method == .get ? .afterFailures : .ifUnsent)
        segments = path.split(separator: "/").map { part in
            let parameter = part.first == "{" ? Parameter(rawValue: String(part.dropFirst().dropLast())) : nil
            return parameter.map { .open($0) } ?? .fixed(String(part))
        }
    }

    /// Finds an endpoint by its name.
    ///
    /// - Parameter rawValue: The name; `nil` is returned if no endpoint has it.
    public init?(rawValue: String) {
        guard let found = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = found
    }
}

extension BrokerEndpoint {
    /// What endpoints have in common.
    package enum Family: Sendable {
        /// Registers applications and brings their tokens; errors are those of RFC 7591 and RFC 6749.
        case registration
        /// Version 2 of the API proper.
        case service
        /// What browsers call; errors are pages.
        case browser
        /// Resets of temporary access, on a host of their own that counts no requests.
        case reset
    }

    /// The method of a request.
    package enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
        case delete = "DELETE"
    }

    /// A segment of a path that a request fills in.
    package enum Parameter: String, Sendable, Hashable {
        case requestor
        case mvpd
        case code
        case partner
    }

    /// A segment of a path.
    package enum Segment: Sendable, Hashable {
        /// One that is the same in all requests.
        case fixed(String)
        /// One that a request fills in.
        case open(Parameter)
    }

    /// When a call may be repeated although the broker may have acted on it.
    ///
    /// The statuses 401 and 429 prove that it has not, so any call may be repeated after them.
    package enum Repetition: Sendable {
        /// After a broken connection and after 5xx.
        case afterFailures
        /// Only if nothing was sent.
        case ifUnsent
    }
}

extension BrokerEndpoint: Hashable {
    /// Whether both have one name.
    public static func == (one: BrokerEndpoint, other: BrokerEndpoint) -> Bool { one.rawValue == other.rawValue }

    /// Feeds the name into a hash.
    public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
}

extension BrokerEndpoint: CustomStringConvertible {
    /// The name.
    public var description: String { rawValue }
}

/// A header field that some of the broker's endpoints take, and others do not.
///
/// The name of a platform's token differs by platform, so this is a column of the reference, not the name of a field.
package enum RequestField: Sendable, Hashable, CaseIterable {
    case authorization
    case deviceIdentifier
    case deviceInfo
    case clientAddress
    case platformToken
    case serviceToken
    case partnerStatus
    case temporaryIdentity
    case visitorIdentifier
    case sessionIdentifier
    case sdkIdentifier

    /// What the operator's libraries send with any call: it is known, and nothing reads it.
    package static let ofLibraries: Set<RequestField> = [.sessionIdentifier, .sdkIdentifier]

    /// The names that the field may have; one, but for a platform's token.
    package var names: [String] {
        switch self {
        case .authorization: [BearerToken.name]
        case .deviceIdentifier: [DeviceIdentifier.name]
        case .deviceInfo: [DeviceInfo.name]
        case .clientAddress: [ClientAddress.name]
        case .platformToken: PlatformToken.names
        case .serviceToken: [ServiceToken.name]
        case .partnerStatus: [PartnerFrameworkStatus.name]
        case .temporaryIdentity: [TemporaryIdentity.name]
        case .visitorIdentifier: [VisitorIdentifier.name]
        case .sessionIdentifier: ["AP-Session-Identifier"]
        case .sdkIdentifier: ["AP-SDK-Identifier"]
        }
    }
}
