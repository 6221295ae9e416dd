#if Service
import Hummingbird
import MediaTokens
import TextCodecs

/// The parameters of a query, read as those of a form (WHATWG URL §5.1): `+` is a space, and so is `%20`; `%2B` is a plus.
///
/// Browsers, and most of what makes queries, write them so, names as well as values.
struct RequestQuery {
    private let text: ArraySlice<UInt8>

    /// Takes what stands after `?`.
    init(_ text: ArraySlice<UInt8>) { self.text = text }

    /// The values of a parameter, in their order.
    func values(of parameter: String) -> [String] {
        sent(of: parameter).map { String(decoding: Self.decoded($0), as: UTF8.self) }
    }

    /// The tokens that a parameter holds, as texts for verifiers.
    func tokens(of parameter: String) -> [String] { sent(of: parameter).map { QueryToken.text(of: $0) } }

    /// The value of a parameter that stands once or not at all; `nil` if it is absent.
    ///
    /// Throws with the status 400 if it stands more than once: of two values, programs do not agree which one counts.
    func value(of parameter: String) throws(RequestError) -> String? {
        let values = values(of: parameter)
        guard values.count < 2 else { throw .badRequest("\(parameter) is in the query more than once") }
        return values.first
    }

    /// The values of a parameter as they were sent.
    ///
    /// Its name may have escapes and counts then like any other. Few queries have any, so those are split as they are.
    private func sent(of parameter: String) -> [[UInt8]] {
        guard text.contains(UInt8(ascii: "%")) else {
            let text = text.span
            let values = parameter.withBytes { text.values(of: $0, between: UInt8(ascii: "&")) }
            return values.map { Array(copying: text.extracting($0)) }
        }
        return text.split(separator: UInt8(ascii: "&")).compactMap { part in
            let name = Array(part.prefix { $0 != UInt8(ascii: "=") })
            guard Self.decoded(name).elementsEqual(parameter.utf8) else { return nil }
            return Array(part.dropFirst(name.count + 1))
        }
    }

    /// Decodes a name or a value.
    ///
    /// A broken escape is kept as it is: a verdict on the text says more than a missing one.
    private static func decoded(_ sent: [UInt8]) -> [UInt8] {
        sent.withSpan { Percent.decode($0, in: 0..<$0.count, plusIsSpaceFrom: 0) } ?? sent
    }
}

extension Request {
    /// The parameters of the target's query.
    var queryParameters: RequestQuery { RequestQuery(Array((uri.query ?? "").utf8)[...]) }
}
#endif
