import TextCodecs

/// A token in the query of an address.
///
/// A query is encoded in one of two ways. As a form (`URLSearchParams`, `URLEncoder`, `http_build_query`), a space is `+`, and
/// a plus is `%2B`. By RFC 3986 alone (`encodeURIComponent`, `URLComponents`), a space is `%20`, and a plus may be itself. Which
/// of them it was, only the signature of a plain token tells, so its reader must still see what was sent.
package enum QueryToken {
    private static let format = FormatBytes(.wire)

    /// Takes the encoding of the query off a token, as far as a verifier does not do that.
    ///
    /// - A plain token stays percent-encoded, since a verifier decodes that itself: first with each unencoded `+` as a
    ///   plus and, if no key verifies the result, once more with each as a space.
    /// - Anything else is decoded as a form. In Base64 a space means nothing, so a verifier reads each one inside as the `+`
    ///   that it was.
    ///
    /// `value` is what stands between `=` and `&`, as it was sent. If an escape in it is broken, it is returned as it
    /// is: a verdict on that says more than a missing token.
    package static func text(of value: [UInt8]) -> String {
        let decoded = value.withSpan { Percent.decode($0, in: 0..<$0.count, plusIsSpaceFrom: 0) }
        guard let form = decoded, let literal = Percent.decode(value) else {
            return String(decoding: value, as: UTF8.self)
        }
        let start = form.withSpan { $0.skippingByteOrderMarkAndWhiteSpace(0) }
        // Encoded twice: what is left is an encoding that a verifier takes off.
        if form.withSpan({ $0.hasPercentEncoded(format.percentMarker, at: start) }) {
            return String(decoding: literal[start...], as: UTF8.self)
        }
        guard form.withSpan({ $0.has(format.openingMarker, at: start) }), literal != form else {
            return String(decoding: form, as: UTF8.self)
        }
        return encoded(literal, besides: form, from: start)
    }

    /// Percent-encodes a plain token, but for each `+` that was sent unencoded.
    ///
    /// Such a `+` is itself in `literal`, and a space in `form`. Both have one length, and the token begins at `start`
    /// in both.
    private static func encoded(_ literal: [UInt8], besides form: [UInt8], from start: Int) -> String {
        var text = ""
        var next = start
        for index in start..<literal.count where literal[index] != form[index] {
            text += Percent.encode(literal[next..<index]) + "+"
            next = index + 1
        }
        return text + Percent.encode(literal[next...])
    }
}
