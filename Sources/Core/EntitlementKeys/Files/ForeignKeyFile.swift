import TextCodecs

/// Recognises files that other programs keep keys in, and that must be converted first.
///
/// Sources: RFC 9580 §4.2 and §6.2 (OpenPGP), RFC 4253 §6.6 and RFC 4716 (SSH), RFC 7517 (JSON Web Keys).
enum ForeignKeyFile {
    /// An OpenPGP key or message, in text or in bytes.
    case openPGP
    /// A public key on one line, as OpenSSH writes it; whether it is one of RSA or P-256.
    case sshPublicKey(isUsable: Bool)
    /// A public key in the form of RFC 4716.
    case ssh2PublicKey
    /// A JSON Web Key, or a set of them.
    case jsonWebKey(isSet: Bool)

    /// Recognises a file by its content; `nil` if it may be a key file.
    init?(recognising bytes: Span<UInt8>) {
        // Nothing that is read here has more before its first block than a few lines of remarks.
        let text = bytes.extracting(first: 65_536)
        let start = text.firstIndex { !$0.isWhiteSpace && $0 != 0xEF && $0 != 0xBB && $0 != 0xBF } ?? text.count
        if let block = text.position(of: "-----BEGIN ") {
            guard text.has("-----BEGIN PGP ", at: block) else { return nil }
            self = .openPGP
        } else if text.has("---- BEGIN SSH2 PUBLIC KEY", at: start) {
            self = .ssh2PublicKey
        } else if ["ssh-rsa ", "ecdsa-sha2-nistp256 "].contains(where: { text.has($0, at: start) }) {
            self = .sshPublicKey(isUsable: true)
        } else if ["ssh-", "ecdsa-sha2-", "sk-ssh-", "sk-ecdsa-"].contains(where: { text.has($0, at: start) }) {
            self = .sshPublicKey(isUsable: false)
        } else if text.has("{", at: start), text.position(of: "\"keys\"") != nil || text.position(of: "\"kty\"") != nil
        {
            self = .jsonWebKey(isSet: text.position(of: "\"keys\"") != nil)
        } else if text.startsLikeOpenPGP {
            self = .openPGP
        } else {
            return nil
        }
    }

    /// Says, as `.unsupported`, what the file is and how to make a key file of it.
    func error(for file: String) -> KeyError {
        switch self {
        case .openPGP:
            .unsupported(
                file: file, found: "OpenPGP",
                advice:
                    "ask for the RSA key in PEM; of a key of your own: gpg --export-ssh-key ID! > KEY.pub, and then "
                    + "ssh-keygen -e -m PKCS8 -f KEY.pub")
        case .sshPublicKey(isUsable: true):
            .unsupported(
                file: file, found: "a public key in OpenSSH's own format",
                advice: "convert it: ssh-keygen -e -m PKCS8 -f FILE > KEY.pem")
        case .sshPublicKey(isUsable: false):
            .unsupported(
                file: file, found: "a public key of OpenSSH that is neither RSA nor P-256",
                advice: "ask for an RSA key")
        case .ssh2PublicKey:
            .unsupported(
                file: file, found: "an SSH2 public key",
                advice:
                    "convert it: ssh-keygen -i -f FILE > KEY.pub, and then ssh-keygen -e -m PKCS8 -f KEY.pub > KEY.pem")
        case .jsonWebKey(let isSet):
            .unsupported(
                file: file, found: isSet ? "a set of JSON Web Keys (JWKS)" : "a JSON Web Key (JWK)",
                advice: "ask for the key in PEM; if it has x5c, that is its certificate: "
                    + "jq -r '.\(isSet ? "keys[0]." : "")x5c[0]' FILE | base64 -d > KEY.der")
        }
    }
}

extension Span where Element == UInt8 {
    /// Whether the bytes start like an OpenPGP key, of version 3, 4 or 6, in the old or the new form of packets.
    fileprivate var startsLikeOpenPGP: Bool {
        guard count > 8 else { return false }
        // A packet's tag (5: a private, 6: a public key), the length of its length, and after it the version.
        switch self[0] {
        case 0x94, 0x98: return [3, 4].contains(self[2])
        case 0x95, 0x99: return [3, 4].contains(self[3])
        case 0xC5, 0xC6: return [3, 4, 6].contains(self[self[1] < 192 ? 2 : 3])
        default: return false
        }
    }

    fileprivate func firstIndex(where isWanted: (UInt8) -> Bool) -> Int? {
        indices.first { isWanted(self[$0]) }
    }

    /// Tells whether a text stands at a position.
    fileprivate func has(_ text: String, at position: Int) -> Bool { has(Array(text.utf8), at: position) }

    private func has(_ bytes: [UInt8], at position: Int) -> Bool {
        position + bytes.count <= count && bytes.indices.allSatisfy { self[position + $0] == bytes[$0] }
    }

    /// Finds the first place of a text.
    func position(of text: String) -> Int? { position(of: Array(text.utf8)) }

    /// Finds the first place of some bytes.
    func position(of bytes: [UInt8]) -> Int? { indices.first { has(bytes, at: $0) } }
}
