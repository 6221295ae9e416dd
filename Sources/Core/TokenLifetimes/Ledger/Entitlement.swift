public import EntitlementValues
import OpenSSLBridge
import TextCodecs

/// Identifies what a ledger keeps a lifetime of: a subscriber's authentication, or the authorization of one resource.
///
/// The parts are kept apart and compared byte by byte: two spellings of a resource are two resources.
public enum Entitlement: Hashable, Sendable {
    /// The subscriber is known to a provider, for one requestor.
    case authentication(requestor: RequestorID, mvpd: MVPDID)
    /// The provider lets the subscriber watch one resource of a requestor: the exact string that the app asked for.
    case authorization(requestor: RequestorID, mvpd: MVPDID, resource: ResourceID)

    /// The brand.
    public var requestor: RequestorID {
        switch self {
        case .authentication(let requestor, _), .authorization(let requestor, _, _): requestor
        }
    }

    /// The provider.
    public var mvpd: MVPDID {
        switch self {
        case .authentication(_, let mvpd), .authorization(_, let mvpd, _): mvpd
        }
    }

    /// What was authorized; `nil` for an authentication.
    public var resource: ResourceID? {
        switch self {
        case .authentication: nil
        case .authorization(_, _, let resource): resource
        }
    }
}

// The compiler's own implementation copies the parts before it compares them: a fifth of the time of a look-up.
extension Entitlement {
    /// Compares the bytes of all parts; the resource last, since it is the longest.
    public static func == (one: Entitlement, other: Entitlement) -> Bool {
        switch one {
        case .authentication(let requestor, let mvpd):
            guard case .authentication(let otherRequestor, let otherMVPD) = other else { return false }
            return requestor.rawValue.hasSameBytes(as: otherRequestor.rawValue)
                && mvpd.rawValue.hasSameBytes(as: otherMVPD.rawValue)
        case .authorization(let requestor, let mvpd, let resource):
            guard case .authorization(let otherRequestor, let otherMVPD, let otherResource) = other else {
                return false
            }
            return requestor.rawValue.hasSameBytes(as: otherRequestor.rawValue)
                && mvpd.rawValue.hasSameBytes(as: otherMVPD.rawValue)
                && resource.rawValue.hasSameBytes(as: otherResource.rawValue)
        }
    }

    /// Hashes the bytes of all parts, in step with `==`.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .authentication(let requestor, let mvpd):
            hasher.combine(bytesOf: requestor.rawValue)
            hasher.combine(bytesOf: mvpd.rawValue)
        case .authorization(let requestor, let mvpd, let resource):
            hasher.combine(bytesOf: requestor.rawValue)
            hasher.combine(bytesOf: mvpd.rawValue)
            hasher.combine(bytesOf: resource.rawValue)
        }
    }
}

extension Entitlement: Comparable {
    /// Orders by the bytes of requestor, provider and resource; an authentication comes before its authorizations.
    public static func < (one: Entitlement, other: Entitlement) -> Bool {
        if one.requestor != other.requestor { return one.requestor.precedes(other.requestor) }
        if one.mvpd != other.mvpd { return one.mvpd.precedes(other.mvpd) }
        guard let resource = other.resource else { return false }
        return one.resource.map { $0.precedes(resource) } ?? true
    }
}

extension Entitlement: CustomStringConvertible {
    /// The names in one line, with control characters escaped.
    public var description: String {
        let pair = "requestor \(requestor.rawValue.printable), MVPD \(mvpd.rawValue.printable)"
        return switch self {
        case .authentication: "authentication of \(pair)"
        case .authorization(_, _, let resource):
            "authorization of \(pair), resource \(resource.rawValue.printable)"
        }
    }
}

extension EntitlementIdentifier {
    func precedes(_ other: Self) -> Bool {
        rawValue.utf8.lexicographicallyPrecedes(other.rawValue.utf8)
    }
}

/// Identifies the device that entitlements are bound to, as tokens spell it.
///
/// It identifies a person's device: keep it out of logs.
public struct DeviceID: EntitlementIdentifier {
    /// The text as tokens carry it.
    public let rawValue: String

    /// Takes the text as it is.
    ///
    /// - Parameter rawValue: The text.
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// Makes the ID that tokens of native clients carry: SHA-1 of the `device_id` parameter as text, in lower-case
    /// hexadecimal digits.
    ///
    /// Browser tokens carry the parameter itself. `nil` if libcrypto could not hash.
    ///
    /// - Parameter parameter: The `device_id` parameter.
    public init?(hashing parameter: String) {
        guard let digest = try? Digest.insecureSHA1.hash(Array(parameter.utf8)) else { return nil }
        rawValue = Hex.encode(digest)
    }
}
