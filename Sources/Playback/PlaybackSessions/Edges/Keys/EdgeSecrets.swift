package import EntitlementKeys
import EntitlementValues
import HostSystem
import OpenSSLBridge
import TextCodecs

/// The secrets that the service shares with edges: the first one signs, and all of them verify.
///
/// To rotate, give the new secret to all edges, put it first here, and take the old one out once the last grant that it
/// signed has ended.
public struct EdgeSecrets: Sendable {
    /// How many secrets there may be.
    public static let maximumCount = 8

    /// The secrets, of which the first one signs.
    public let secrets: [EdgeSecret]

    /// The secret that signs.
    let first: EdgeSecret

    /// Makes a ring.
    ///
    /// - Parameter secrets: The secrets; the first one signs.
    /// - Throws: `.noKeys` for an empty ring; `.unusableKey` if a secret is there twice, or there are too many.
    public init(_ secrets: [EdgeSecret]) throws(PlaybackSessionError) {
        guard let first = secrets.first else { throw .noKeys }
        guard secrets.count <= Self.maximumCount else {
            throw .unusableKey(
                file: secrets[Self.maximumCount].label.printable, code: "too_many_keys",
                reason: "there are at most \(Self.maximumCount) secrets; take out those that are not used")
        }
        for (index, secret) in secrets.enumerated() where secrets[..<index].contains(where: { $0.id == secret.id }) {
            throw .unusableKey(
                file: secret.label.printable, code: "repeated_key",
                reason: "this secret is there already; leave one out")
        }
        (self.secrets, self.first) = (secrets, first)
    }

    /// Reads a ring from files, each with one secret.
    ///
    /// - Parameter paths: The files; the first one has the secret that signs.
    /// - Throws: `.unusableKey` or `.noKeys`.
    public init(contentsOfFiles paths: [String]) throws(PlaybackSessionError) {
        var secrets: [EdgeSecret] = []
        for path in paths { secrets.append(try EdgeSecret(contentsOfFile: path)) }
        try self.init(secrets)
    }
}

/// A secret that the service and an edge share, as 64 to 128 hexadecimal digits.
///
/// Edges take their secrets as text, in a configuration or on a page; make one with `openssl rand -hex 32`.
public struct EdgeSecret: Sendable {
    /// The name of the secret, which follows from it and reveals nothing of it: 8 hexadecimal digits.
    public let id: String
    /// The file's name, or the name given with a secret in memory.
    public let label: String
    /// The digits.
    let text: WipedBytes
    /// The key that the digits stand for.
    let key: AuthenticationKey

    /// Reads a secret from a file of lower-case digits; one line end at its end is dropped.
    ///
    /// - Parameter path: The file.
    /// - Throws: `.unusableKey`.
    public init(contentsOfFile path: String) throws(PlaybackSessionError) {
        self = try rethrowing(Self(keyFile: path), as: PlaybackSessionError.init)
    }

    /// Reads a secret from a file, and throws what other readers of keys throw.
    package init(keyFile path: String) throws(KeyError) {
        let content = try rethrowing(SecretFile.text(path)) { (failure: FileFailure) in
            KeyError(failure, reading: path)
        }
        try self.init(content, named: path)
    }

    /// Takes a secret from memory; the caller wipes the array.
    ///
    /// - Parameters:
    ///   - digits: The lower-case hexadecimal digits in ASCII.
    ///   - name: Names the secret in errors and lists.
    /// - Throws: `.unusableKey`.
    public init(_ digits: [UInt8], named name: String) throws(PlaybackSessionError) {
        self = try rethrowing(Self(WipedBytes(digits), named: name), as: PlaybackSessionError.init)
    }

    private init(_ digits: WipedBytes, named name: String) throws(KeyError) {
        label = String(name.split(separator: "/").last ?? Substring(name))
        guard let bytes = Self.bytes(of: digits) else {
            throw .unreadable(
                file: name.printable,
                reason: "not 64 to 128 lower-case hexadecimal digits; make a secret with: openssl rand -hex 32")
        }
        (text, key) = (digits, AuthenticationKey(bytes, digest: .sha256))
        do throws(OpenSSLFailure) {
            let code = try key.code(of: Array("tve edge secret".utf8))
            id = Hex.encode(code.prefix(4))
        } catch {
            throw .unreadable(file: name.printable, reason: error.description)
        }
    }

    private static func bytes(of digits: WipedBytes) -> WipedBytes? {
        digits.withSpan { digits in
            guard 64...128 ~= digits.count, digits.count.isMultiple(of: 2) else { return nil }
            var isValid = true
            let bytes = WipedBytes(capacity: digits.count / 2) { output in
                for index in stride(from: 0, to: digits.count, by: 2) {
                    guard let high = digits[index].lowerCaseDigitValue, let low = digits[index + 1].lowerCaseDigitValue
                    else { return isValid = false }
                    output.append(high << 4 | low)
                }
            }
            return isValid ? bytes : nil
        }
    }
}

extension EdgeSecret: CustomStringConvertible, CustomReflectable {
    /// The name.
    public var description: String { "edge secret \(id)" }

    /// Shows the name only.
    public var customMirror: Mirror { Mirror(self, children: ["id": id]) }
}

extension UInt8 {
    /// The value of a hexadecimal digit as this package writes it; `nil` for upper case, too.
    fileprivate var lowerCaseDigitValue: UInt8? { 0x41...0x46 ~= self ? nil : hexDigitValue }
}
