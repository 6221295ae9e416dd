import EntitlementValues
import TextCodecs

/// Reads the claims from the very bytes whose signature was checked.
enum ClaimsReader {
    /// Reads the claims in the signed range of a token's plain text.
    ///
    /// The format has the names of the elements and the forms of the issue time. `maximumTTL` is the policy's. Throws
    /// `.malformed` or `.foreignToken`.
    static func claims(
        in text: Span<UInt8>,
        range: Range<Int>,
        format: FormatBytes,
        maximumTTL: TimeToLive
    ) throws(SignedTextError) -> MediaTokenClaims {
        var scanner = try SignedTextScanner(text, in: range)
        try checkRoot(text, scanner.root, format: format)
        var found = [ElementText?](repeating: nil, count: TokenElement.allCases.count)
        while let element = try scanner.next(text) {
            if let index = format.elements.firstIndex(where: { text.equals($0, in: element.name) }) {
                guard found[index] == nil else { throw .malformed(.repeatedElement(format.name(at: index))) }
                found[index] = element.content
            } else if format.isRoot(text, element.name) {
                throw .malformed(.markup(offset: element.name.lowerBound - range.lowerBound))
            }
        }
        func required(_ element: TokenElement) throws(SignedTextError) -> ElementText {
            guard let content = found[element.rawValue] else {
                throw .malformed(.missingElement(format.name(at: element.rawValue)))
            }
            return content
        }
        func string(_ element: TokenElement) throws(SignedTextError) -> String {
            let string = try required(element).string(text)
            guard !string.isEmpty else { throw .malformed(.emptyElement(format.name(at: element.rawValue))) }
            return string
        }
        let proxy = found[TokenElement.proxyMVPDID.rawValue]?.string(text) ?? ""
        return MediaTokenClaims(
            sessionGUID: SessionGUID(try string(.sessionGUID)),
            requestor: RequestorID(try string(.requestorID)),
            resource: ResourceID(try string(.resourceID)),
            ttl: try ttl(text, required(.ttl), maximum: maximumTTL),
            issued: try issueTime(text, required(.issueTime), forms: format.issueTimeForms),
            mvpd: MVPDID(try string(.mvpdID)),
            proxyMVPD: proxy.isEmpty ? nil : MVPDID(proxy)
        )
    }

    private static func checkRoot(
        _ text: Span<UInt8>,
        _ name: Range<Int>,
        format: FormatBytes
    ) throws(SignedTextError) {
        if format.roots.contains(where: { text.equals($0, in: name) }) { return }
        guard let foreign = format.foreignRoots.first(where: { text.equals($0, in: name) }) else {
            throw .malformed(.root)
        }
        switch foreign {
        case authenticationRoot: throw .foreignToken(.authenticationToken)
        case authorizationRoot: throw .foreignToken(.authorizationToken)
        default: throw .foreignToken(.other)
        }
    }

    private static func ttl(
        _ text: Span<UInt8>,
        _ content: ElementText,
        maximum: TimeToLive
    ) throws(SignedTextError) -> TimeToLive {
        guard let milliseconds = content.read(text, { $0.decimal(in: 0..<$0.count, maximumDigits: 18) }),
            (1...maximum.milliseconds).contains(milliseconds)
        else { throw .malformed(.ttl) }
        return TimeToLive(milliseconds: milliseconds)
    }

    private static func issueTime(
        _ text: Span<UInt8>,
        _ content: ElementText,
        forms: DateForms
    ) throws(SignedTextError) -> Timestamp {
        guard let issued = content.read(text, { Timestamp($0, in: 0..<$0.count, forms: forms) }) else {
            throw .malformed(.issueTime)
        }
        return issued
    }
}

private let authenticationRoot = Array("simpleAuthenticationToken".utf8)
private let authorizationRoot = Array("simpleAuthorizationToken".utf8)
