import EntitlementKeys
import EntitlementValues
import HostSystem
import OpenSSLBridge
import TextCodecs

/// The ring of keys that records are sealed with, and the key that their places are calculated with.
///
/// ```
/// tve-sealing-keys 1
/// index 6f1c…                     64 hexadecimal digits
/// seal 2026-05 90ab…              the name of a key, and 64 digits
/// seal 2026-11 11d4…              the last key seals, all of them open
/// ```
///
/// Empty lines and lines that begin with `#` mean nothing. To rotate, ``addingKey(id:)`` and ``write(to:)`` make a file
/// with one more key; records are sealed with it as they change. Where several hosts share a store, a key must be known
/// everywhere before it seals: first add its line above the last one on all hosts, then move it to the end. Remove a key
/// once no record that it sealed can be left.
///
/// The index key does not rotate. It hides which device a record belongs to, and every place in the store follows from
/// it: with another one, no record would be found, and devices would register anew. What records hold is sealed with the
/// other keys.
public struct SealingKeys: Sendable {
    /// How many sealing keys a ring may have.
    public static let maximumCount = 32
    /// How many bytes the name of a key may have.
    public static let maximumIDLength = 32
    /// How many bytes each key has.
    static let keyLength = 32

    /// One sealing key.
    struct Key: Sendable, CustomReflectable {
        let id: String
        let secret: AuthenticationKey

        var customMirror: Mirror { Mirror(self, children: ["id": id]) }
    }

    let index: AuthenticationKey
    let keys: [Key]

    init(index: AuthenticationKey, keys: [Key]) {
        (self.index, self.keys) = (index, keys)
    }

    /// The names of the sealing keys; the last one seals.
    public var ids: [String] { keys.map(\.id) }

    /// Reads a ring from a file, which is overwritten in memory afterwards.
    ///
    /// - Parameter path: A file of at most 4096 bytes that users outside its group cannot read, and only its owner can
    ///   change.
    /// - Throws: `.unreadableKeys`, `.keysOpenToOthers` or `.malformedKeys`.
    public init(contentsOfFile path: String) throws(SealingError) {
        let unreadable = { (failure: FileFailure) in
            SealingError.unreadableKeys(file: Files.shown(path), reason: failure.reason)
        }
        let isOpen = try rethrowing(
            Files.kind(of: path) == .regular ? Files.isOpenBeyondGroup(path) : false, as: unreadable)
        let text = try rethrowing(SecretFile.text(path), as: unreadable)
        guard !isOpen else { throw .keysOpenToOthers(file: path) }
        self = try text.withSpan { text throws(SealingError) in
            try SealingKeysReader.keys(in: text, of: path)
        }
    }

    /// Makes a ring with an index key and one sealing key, all random.
    ///
    /// - Parameter id: The name of the sealing key: 1 to 32 ASCII letters, digits, dots, hyphens and underscores.
    /// - Returns: The ring.
    /// - Throws: `.unusableKeyID` or `.undecided`.
    public static func generate(id: String) throws(SealingError) -> SealingKeys {
        try SealingKeys(index: randomKey(), keys: []).addingKey(id: id)
    }

    /// Makes a ring with one more sealing key, a random one, which seals from now on.
    ///
    /// - Parameter id: The name of the key, which none of the ring has.
    /// - Returns: The ring.
    /// - Throws: `.unusableKeyID`, `.cannotAddKey` or `.undecided`.
    public func addingKey(id: String) throws(SealingError) -> SealingKeys {
        guard id.isKeyID else { throw .unusableKeyID }
        guard !ids.contains(id) else { throw .cannotAddKey(id: id, reason: "the ring has a key of this name") }
        guard keys.count < Self.maximumCount else {
            throw .cannotAddKey(id: id, reason: "the ring has \(Self.maximumCount) keys; remove one that is not used")
        }
        return SealingKeys(index: index, keys: keys + [Key(id: id, secret: try Self.randomKey())])
    }

    /// Writes the ring to a new file that only its owner may read.
    ///
    /// - Parameter path: Where the file is made. A file that is there stays as it is.
    /// - Throws: `.unreadableKeys`.
    public func write(to path: String) throws(SealingError) {
        let lines = [("index", index.bytes)] + keys.map { ("seal \($0.id)", $0.secret.bytes) }
        let header = "\(SealingKeysReader.header)\n"
        // Between the name and its two digits for each byte is a space, and a line end after them.
        let length = lines.reduce(header.utf8.count) { $0 + $1.0.utf8.count + 2 * Self.keyLength + 2 }
        let text = WipedBytes(capacity: length) { output in
            for byte in header.utf8 { output.append(byte) }
            for (name, key) in lines {
                for byte in name.utf8 { output.append(byte) }
                output.append(UInt8(ascii: " "))
                key.withSpan { key in
                    for index in key.indices {
                        for digit in [key[index] >> 4, key[index] & 15] {
                            output.append(digit < 10 ? digit + UInt8(ascii: "0") : digit - 10 + UInt8(ascii: "a"))
                        }
                    }
                }
                output.append(UInt8(ascii: "\n"))
            }
        }
        try rethrowing(Files.create(path, holding: text, isPrivate: true)) { (failure: FileFailure) in
            SealingError.unreadableKeys(file: Files.shown(path), reason: failure.reason)
        }
    }

    private static func randomKey() throws(SealingError) -> AuthenticationKey {
        let key = try SealingError.mapping { () throws(OpenSSLFailure) in try randomBytes(keyLength) }
        return AuthenticationKey(WipedBytes(key), digest: .sha256)
    }
}

extension SealingKeys {
    /// Whether another ring has the same keys in the same order.
    package func isSame(as other: SealingKeys) -> Bool {
        index.bytes.holdsSame(as: other.index.bytes)
            && keys.elementsEqual(other.keys) { $0.id == $1.id && $0.secret.bytes.holdsSame(as: $1.secret.bytes) }
    }
}

extension SealingKeys: CustomStringConvertible, CustomReflectable {
    /// The names of the sealing keys.
    public var description: String { "sealing keys \(ids.joined(separator: ", "))" }

    /// Shows the names only.
    public var customMirror: Mirror { Mirror(self, children: ["ids": ids]) }
}

extension String {
    /// Whether the text can be the name of a sealing key.
    var isKeyID: Bool {
        1...SealingKeys.maximumIDLength ~= utf8.count && utf8.allSatisfy(\.isInKeyID)
    }
}

extension UInt8 {
    fileprivate var isInKeyID: Bool {
        isASCIILetter || isASCIIDigit || [UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_")].contains(self)
    }
}
