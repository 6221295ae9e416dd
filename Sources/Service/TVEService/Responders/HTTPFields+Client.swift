#if Service
import HTTPTypes
import TextCodecs

/// Why a header field does not say which client a request comes from.
enum StatedClientFault: Error {
    /// The field is missing or empty, or there is more than one.
    case notOnce
    /// The last entry of the field is something else than an address.
    case notAnAddress

    /// What is wrong, without the value of the field.
    var detail: String {
        switch self {
        case .notOnce: "the header field with the client's address must occur exactly once"
        case .notAnAddress: "the last entry of the header field with the client's address is not an address"
        }
    }
}

extension HTTPFields {
    /// The client that a request comes from, as the trusted proxy states it in a header field.
    ///
    /// Of a list of addresses, as in `X-Forwarded-For`, the last one counts: the proxy in front of this service added it,
    /// and the client could have written all others. Some proxies add the port.
    ///
    /// It is returned with its port if that is there. Throws if the proxy does not say it, or says it in a way that
    /// clients could have made up.
    func client(statedIn name: HTTPField.Name) throws(StatedClientFault) -> IPEndpoint {
        // A proxy that does not join the fields would leave open which of them it wrote. Bytes are split, since a comma
        // with a combining mark after it is another character.
        guard let value = onlyValue(of: name),
            let last = value.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).last
        else { throw .notOnce }
        let entry = Array(last)
        let range = entry.withSpan { $0.trimmingWhiteSpace(0..<$0.count) }
        guard let client = IPEndpoint(bytes: entry[range]) else { throw .notAnAddress }
        return client
    }
}
#endif
