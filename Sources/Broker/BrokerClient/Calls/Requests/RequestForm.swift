#if Client
import BrokerMessages
import TextCodecs

/// What a request holds besides its header fields.
package struct RequestForm: Sendable {
    /// The segments of the path that the endpoint leaves open.
    let path: [BrokerEndpoint.Parameter: String]
    /// Names and values of the query, in order.
    let query: [(name: String, value: String)]
    /// The body; empty for none.
    let body: [UInt8]
    /// The media type of the body; `nil` if there is none.
    let mediaType: String?

    /// Describes a request without body.
    package init(path: [BrokerEndpoint.Parameter: String] = [:], query: [(name: String, value: String)] = []) {
        (self.path, self.query) = (path, query)
        (body, mediaType) = ([], nil)
    }

    /// Describes a request with a body.
    init<Body: BrokerRequest>(path: [BrokerEndpoint.Parameter: String] = [:], body: Body) {
        (self.path, query) = (path, [])
        (self.body, mediaType) = (body.encoded(), Body.mediaType)
    }

    /// Longer than most, so that a path is made in one piece of memory.
    private static let usualPathLength = 64

    /// Makes the path of the request, and the query after a `?`.
    ///
    /// Each value becomes one segment, whatever characters it has: all but unreserved characters are percent-encoded
    /// (RFC 3986 §2.1), so a slash, a `?` or a `#` in an identifier does not change which endpoint is asked.
    ///
    /// Throws `.badIdentifier` if a value is missing, empty, `.` or `..`.
    package func target(at endpoint: BrokerEndpoint) throws(RequestFault) -> String {
        var target = ""
        target.reserveCapacity(Self.usualPathLength)
        for segment in endpoint.segments {
            target += "/"
            switch segment {
            case .fixed(let text): target += text
            case .open(let parameter):
                guard let text = Percent.encode(pathSegment: path[parameter] ?? "") else {
                    throw .badIdentifier(name: parameter.rawValue)
                }
                target += text
            }
        }
        guard !query.isEmpty else { return target }
        return target + "?"
            + query.map { "\(Percent.encode($0.name.utf8))=\(Percent.encode($0.value.utf8))" }.joined(separator: "&")
    }
}

/// A defect of a request that was found before anything was sent.
///
/// No case holds a value of the request: codes may be in it.
@nonexhaustive
public enum RequestFault: Error, Sendable, Hashable {
    /// The endpoint needs a header field, and the caller does not have its value.
    case missingField(name: String)
    /// An identifier cannot be a segment of a path: it is empty, or only dots.
    case badIdentifier(name: String)
    /// The broker would take an identifier for all of its kind: it is empty, or the word *all*.
    case ambiguousIdentifier(name: String)
    /// A list of resources is empty.
    case noResources
    /// The number of resources for one request is not positive.
    case badGroupSize
    /// The environment does not say where resets of temporary access are made.
    case noManagement
    /// The client's address is not one IPv4 or IPv6 address.
    case badClientAddress
    /// The caller has a borrowed access token, so it has no registration.
    case borrowedToken

    /// The stable name of the fault, for programs and log searches.
    public var code: String {
        switch self {
        case .missingField: "missing_header_field"
        case .badIdentifier: "bad_identifier"
        case .ambiguousIdentifier: "ambiguous_identifier"
        case .noResources: "no_resources"
        case .badGroupSize: "bad_group_size"
        case .noManagement: "no_management"
        case .badClientAddress: "bad_client_address"
        case .borrowedToken: "borrowed_token"
        }
    }
}

extension RequestFault: CustomStringConvertible {
    /// What is wrong, and what to do, without values.
    public var description: String {
        switch self {
        case .missingField(let name):
            "this call needs the header field \(name); give the caller its value. Nothing was sent"
        case .badIdentifier(let name):
            "the \(name) is empty, \".\" or \"..\", which cannot stand in a path. Nothing was sent"
        case .ambiguousIdentifier(let name):
            "the identifier of the \(name) is empty or \"all\", which would mean each of them; if that is meant, say so. "
                + "Nothing was sent"
        case .noResources:
            "the list of resources is empty; name at least one. Nothing was sent"
        case .badGroupSize:
            "the number of resources for one request is not positive. Nothing was sent"
        case .noManagement:
            "the environment has no origin of the management API, where resets are made; ask the broker's operator for it, "
                + "and make the environment with it. Nothing was sent"
        case .badClientAddress:
            "the client's address is not one IPv4 or IPv6 address without port or zone; take that of the connection, since "
                + "without it the device would count as this server itself. Nothing was sent"
        case .borrowedToken:
            "a caller with a borrowed access token has no registration to make or to forget. Nothing was sent"
        }
    }
}
#endif
