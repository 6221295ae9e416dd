#if Client
import HostSystem
import OpenSSLBridge

/// What stands for a secret or an identifier in a review.
struct Pseudonym: Hashable, Sendable {
    fileprivate let code: UInt64
}

/// Makes pseudonyms: the same for the same text, and useless without the key, which is random and goes with the review.
struct Pseudonyms: Sendable {
    private let key: AuthenticationKey

    init() throws(OpenSSLFailure) {
        key = AuthenticationKey(WipedBytes(try randomBytes(32)), digest: .sha256)
    }

    func name(_ bytes: [UInt8]) throws(OpenSSLFailure) -> Pseudonym {
        Pseudonym(code: try key.code(of: bytes).prefix(8).reduce(0) { $0 << 8 | UInt64($1) })
    }

    func name(_ text: String) throws(OpenSSLFailure) -> Pseudonym { try name(Array(text.utf8)) }

    /// Names a text; `nil` if there is none, or nothing in it.
    func name(_ text: String?) throws(OpenSSLFailure) -> Pseudonym? {
        guard let text, !text.isEmpty else { return nil }
        return try name(text)
    }

    /// Names the place that an address leads to: its query does not count.
    func place(_ address: WebAddress?) throws(OpenSSLFailure) -> Pseudonym? {
        try name(address.map { $0.origin + $0.path })
    }
}
#endif
