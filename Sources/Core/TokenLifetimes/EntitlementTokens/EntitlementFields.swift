import EntitlementKeys
public import EntitlementValues
import MediaTokens

/// Reads the fields of an AuthN or AuthZ token, from bytes whose signature was checked.
enum EntitlementFields {
    /// Reads a token; throws `.malformed`, or `.foreignToken` for a media token.
    static func token(in signed: SignedText) throws(SignedTextError) -> VerifiedEntitlementToken {
        let bytes = signed.bytes[...]
        let text = bytes.span
        var scanner = try SignedTextScanner(text, in: signed.range, isLenient: true)
        let kind = try Kind(text, root: scanner.root)
        var found = Found(isAuthentication: kind == .authentication)
        while let element = try scanner.next(text) {
            try found.take(element, of: text, in: signed.range)
        }
        return VerifiedEntitlementToken(
            entitlement: try found.entitlement(),
            expires: try found.expires(),
            device: found.device,
            ttl: found.ttl,
            key: signed.signer.key
        )
    }

    private enum Kind: String, CaseIterable {
        case authentication = "simpleAuthenticationToken"
        case authorization = "simpleAuthorizationToken"

        init(_ text: Span<UInt8>, root: Range<Int>) throws(SignedTextError) {
            if let kind = Self.allCases.first(where: { text.equals($0.rawValue, in: root) }) {
                self = kind
            } else {
                throw mediaTokenRoots.contains { text.equals($0, in: root) }
                    ? .foreignToken(.mediaToken) : .malformed(.root)
            }
        }

        static func isRoot(_ text: Span<UInt8>, _ name: Range<Int>) -> Bool {
            (mediaTokenRoots + allCases.map(\.rawValue)).contains { text.equals($0, in: name) }
        }
    }

    private enum Name: String {
        case guid = "simpleTokenAuthenticationGuid"
        case requestor = "simpleTokenRequestorID"
        case mvpd = "simpleTokenMsoID"
        case resource = "simpleTokenResourceID"
        case authenticationExpires = "simpleTokenExpires"
        /// A date, despite the name.
        case authorizationExpires = "simpleTokenTTL"
        case device = "simpleTokenDeviceID"
        case fingerprint = "simpleTokenFingerprint"
    }

    /// The elements found so far.
    private struct Found {
        let isAuthentication: Bool
        private var texts: [Name: String] = [:]
        /// The lifetime, in seconds (milliseconds in a media token).
        ///
        /// For information only: a value that cannot be read does not make a token malformed.
        private(set) var ttl: TimeToLive?

        init(isAuthentication: Bool) { self.isAuthentication = isAuthentication }

        private var known: [Name] {
            isAuthentication
                ? [.guid, .requestor, .mvpd, .authenticationExpires, .device, .fingerprint]
                : [.requestor, .mvpd, .resource, .authorizationExpires, .device, .fingerprint]
        }

        mutating func take(
            _ element: SignedTextScanner.Element,
            of text: Span<UInt8>,
            in range: Range<Int>
        ) throws(SignedTextError) {
            let markup = SignedTextError.malformed(.markup(offset: element.name.lowerBound - range.lowerBound))
            if ([element.name] + element.inner).contains(where: { Kind.isRoot(text, $0) }) { throw markup }
            if text.equals("ttl", in: element.name) {
                ttl = Int64(element.content.string(text)).map { .seconds($0) }
            }
            guard let name = known.first(where: { text.equals($0.rawValue, in: element.name) }) else { return }
            guard element.inner.isEmpty else { throw markup }
            guard texts.updateValue(element.content.string(text), forKey: name) == nil else {
                throw .malformed(.repeatedElement(name.rawValue))
            }
        }

        func entitlement() throws(SignedTextError) -> Entitlement {
            let requestor = RequestorID(try required(.requestor))
            let mvpd = MVPDID(try required(.mvpd))
            if isAuthentication {
                _ = try required(.guid)
                return .authentication(requestor: requestor, mvpd: mvpd)
            }
            let resource = ResourceID(try required(.resource))
            return .authorization(requestor: requestor, mvpd: mvpd, resource: resource)
        }

        func expires() throws(SignedTextError) -> Timestamp? {
            Timestamp(tokenDate: try required(isAuthentication ? .authenticationExpires : .authorizationExpires))
        }

        var device: DeviceID? {
            [.device, .fingerprint].lazy.compactMap { texts[$0] }.first { !$0.isEmpty }.map { DeviceID($0) }
        }

        private func required(_ name: Name) throws(SignedTextError) -> String {
            guard let text = texts[name] else { throw .malformed(.missingElement(name.rawValue)) }
            guard !text.isEmpty else { throw .malformed(.emptyElement(name.rawValue)) }
            return text
        }
    }
}

private let mediaTokenRoots = MediaTokenFormat.wire.roots

extension Span<UInt8> {
    fileprivate func equals(_ name: String, in range: Range<Int>) -> Bool {
        range.count == name.utf8.count && zip(range, name.utf8).allSatisfy { self[$0] == $1 }
    }
}

extension Timestamp {
    /// Reads a date of an AuthN or AuthZ token: `yyyy/MM/dd HH:mm:ss GMT ±hhmm`, or with `_GMT`.
    ///
    /// The offset counts, and the letters mean nothing. `nil` for any other text, which counts as expired.
    ///
    /// - Parameter text: The text of the date.
    public init?(tokenDate text: String) {
        let bytes = Array(text.utf8)[...]
        // The other forms that a media token's issue time may have are shorter, or have no slashes.
        guard bytes.count == 29, bytes[4] == UInt8(ascii: "/") else { return nil }
        self.init(bytes.span, in: 0..<bytes.count, forms: [.slashes, .gmtBeforeOffset])
    }
}
