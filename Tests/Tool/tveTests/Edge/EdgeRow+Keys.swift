#if CLI
import EntitlementKeys
import EntitlementValues
import HostSystem
import MetadataDecryption
import OpenSSLBridge
import RequestorSigning
import TVETesting

extension EdgeRow {
    private static let early = Timestamp(milliseconds: 1_780_000_000_000)
    private static let late = Timestamp(milliseconds: 1_780_000_600_000)

    /// Keys, and what is decrypted or signed with them.
    static let keys: [EdgeRow] = [
        EdgeRow(
            "KeyError.noSuchFile", KeyError.noSuchFile(file: "a.pem"), ends: 66, "no_such_file", at: "a.pem",
            "a.pem: no such file or folder"),
        EdgeRow(
            "KeyError.unreadable", KeyError.unreadable(file: "a.pem", reason: "is a folder, not a file"), ends: 78,
            "unreadable_key", at: "a.pem", "a.pem: is a folder, not a file"),
        EdgeRow(
            "KeyError.unsupported", KeyError.unsupported(file: "a.pem", found: "a request", advice: "give the key"),
            ends: 78, "unsupported_key", at: "a.pem", "a.pem: a request; give the key"),
        EdgeRow(
            "KeyError.tooSmall", KeyError.tooSmall(file: "a.pem", bits: 1024, minimum: 2048), ends: 78, "key_too_small",
            at: "a.pem", "a.pem: an RSA key of 1024 bits; at least 2048 are needed here"),
        EdgeRow(
            "KeyError.tooLarge", KeyError.tooLarge(file: "a.pem", bits: 9000), ends: 78, "key_too_large", at: "a.pem",
            "a.pem: an RSA key of 9000 bits; at most 8192 are accepted"),
        EdgeRow(
            "KeyError.weakExponent", KeyError.weakExponent(file: "a.pem"), ends: 78, "weak_exponent", at: "a.pem",
            """
            a.pem: an RSA key whose public exponent is even, 1, or longer than 32 bits; ask its owner \
            for a new one
            """),
        EdgeRow(
            "KeyError.passwordRequired", KeyError.passwordRequired(file: "a.pem", format: "PKCS#8"), ends: 78,
            "password_required", at: "a.pem", "a.pem: PKCS#8; give its password (--password-file FILE)"),
        EdgeRow(
            "KeyError.badPassword", KeyError.badPassword(file: "a.pem", format: "PKCS#12"), ends: 78, "bad_password",
            at: "a.pem", "a.pem: PKCS#12: the password is wrong (or the file is damaged)"),
        EdgeRow(
            "KeyError.needsLegacyProvider",
            KeyError.needsLegacyProvider(file: "a.pem", format: "PKCS#12", provider: "legacy.so"), ends: 78,
            "needs_legacy_provider", at: "a.pem",
            """
            a.pem: PKCS#12, needs OpenSSL's legacy provider, and legacy.so cannot be loaded; install it \
            (Debian 13: openssl-provider-legacy), or convert the file where it is installed: openssl \
            pkcs12 -legacy -in FILE -out PEM and openssl pkcs12 -export -in PEM -out NEW (a key alone: \
            openssl pkey -provider legacy -provider default -in FILE -aes256 -out NEW)
            """),
        EdgeRow(
            "KeyError.noKey", KeyError.noKey(file: "a.pem", reason: "only comments"), ends: 78, "no_key", at: "a.pem",
            "a.pem: only comments"),
        EdgeRow(
            "KeyError.undecided", KeyError.undecided(file: "a.pem", reason: "libcrypto failed"), ends: 69, "internal",
            at: "a.pem", "a.pem: libcrypto failed"),
        EdgeRow(
            "MetadataDecryptionError.foreignScheme", MetadataDecryptionError.foreignScheme("householdID"), ends: 20,
            "foreign_scheme", "householdID is encrypted by its provider for another party; ask for zip instead"),
        EdgeRow(
            "MetadataDecryptionError.isJWE", MetadataDecryptionError.isJWE, ends: 20, "is_jwe",
            """
            an encrypted JSON Web Token (five parts), not a value of RSA blocks; ask the service what \
            it sends
            """),
        EdgeRow(
            "MetadataDecryptionError.notBase64", MetadataDecryptionError.notBase64, ends: 20, "not_base64",
            "not Base64: the value was damaged on its way, is still percent-encoded, or is not encrypted"),
        EdgeRow(
            "MetadataDecryptionError.encoded", MetadataDecryptionError.encoded(.utf16), ends: 20, "not_base64",
            """
            not Base64: the value is UTF-16, in which Windows PowerShell writes files; convert it: \
            iconv -f UTF-16 -t UTF-8 FILE (without a byte order mark: -f UTF-16LE)
            """),
        EdgeRow(
            "MetadataDecryptionError.wrongLength",
            MetadataDecryptionError.wrongLength(MetadataLength(bytes: 100, blockLengths: [256])), ends: 20,
            "wrong_length",
            """
            100 bytes are not a multiple of 256, the block length of the keys: the value was encrypted \
            for a key of another size, or cut off
            """),
        EdgeRow(
            "MetadataDecryptionError.undecryptable", MetadataDecryptionError.undecryptable, ends: 20, "undecryptable",
            """
            no key of the ring decrypts this value: check that the private key for the certificate that \
            the service uses is among them, and that the attribute is the right one
            """),
        EdgeRow(
            "MetadataDecryptionError.undecided", MetadataDecryptionError.undecided(.noKeys), ends: 69, "internal",
            "there are no keys to decrypt with"),
        EdgeRow(
            "RequestorSigningError.unsuitable", RequestorSigningError.unsuitable(field: "requestor ID", .empty),
            ends: 64, "unsuitable_text", "the requestor ID is empty"),
        EdgeRow(
            "RequestorSigningError.unsuitableClaim", RequestorSigningError.unsuitableClaim(name: "iss", .repeated),
            ends: 64, "unsuitable_claim", "the claim \"iss\" occurs twice in one object"),
        EdgeRow(
            "RequestorSigningError.unsuitableSetting", RequestorSigningError.unsuitableSetting(.leeway(.seconds(900))),
            ends: 64, "unsuitable_setting", "a leeway of 15 min is not between 0 and 10 minutes"),
        EdgeRow(
            "RequestorSigningError.unreadableSecret",
            RequestorSigningError.unreadableSecret(file: "secret.txt", reason: "is empty"), ends: 64,
            "unreadable_secret", "secret.txt: is empty"),
        EdgeRow(
            "RequestorSigningError.tooLarge", RequestorSigningError.tooLarge(limit: 65_536), ends: 64, "too_large",
            "longer than 65536 bytes"),
        EdgeRow(
            "RequestorSigningError.malformed", RequestorSigningError.malformed(.partCount(2)), ends: 64, "malformed",
            "not a JSON Web Token: 2 parts instead of three between dots"),
        EdgeRow(
            "RequestorSigningError.unsupportedAlgorithm", RequestorSigningError.unsupportedAlgorithm("none"), ends: 64,
            "unsupported_algorithm", "signed with the algorithm \"none\", which this verifier does not accept"),
        EdgeRow(
            "RequestorSigningError.unknownPublicKey", RequestorSigningError.unknownPublicKey, ends: 64,
            "unknown_public_key", "the request names another public key than the verifier's"),
        EdgeRow(
            "RequestorSigningError.badSignature", RequestorSigningError.badSignature, ends: 64, "bad_signature",
            "no trusted key made this signature: the text was changed, or it was signed with another key"),
        EdgeRow(
            "RequestorSigningError.expired", RequestorSigningError.expired(at: early, now: late), ends: 64, "expired",
            "expired at 2026-05-28T20:26:40Z, 10 min before now (2026-05-28T20:36:40Z); get a new one"),
        EdgeRow(
            "RequestorSigningError.notYetValid", RequestorSigningError.notYetValid(from: late, now: early), ends: 64,
            "not_yet_valid",
            """
            valid from 2026-05-28T20:36:40Z, 10 min after now (2026-05-28T20:26:40Z): this machine's \
            clock or the issuer's is wrong
            """),
        EdgeRow(
            "RequestorSigningError.outsideWindow",
            RequestorSigningError.outsideWindow(sent: early, now: late, window: .seconds(30)), ends: 64,
            "outside_window",
            """
            the request was made at 2026-05-28T20:26:40Z, more than 30 s from now \
            (2026-05-28T20:36:40Z): a clock is wrong, the request was sent again, or its time is not in \
            milliseconds
            """),
        EdgeRow(
            "RequestorSigningError.missingClaim", RequestorSigningError.missingClaim("exp"), ends: 64, "missing_claim",
            "the claim \"exp\" is missing"),
        EdgeRow(
            "RequestorSigningError.mismatch",
            RequestorSigningError.mismatch(field: "aud", expected: ["a"], presented: ["b"]), ends: 64, "mismatch",
            "aud is \"b\", not \"a\""),
        EdgeRow(
            "RequestorSigningError.undecided", RequestorSigningError.undecided(.noKeys), ends: 69, "internal",
            "there are no keys to verify with"),
        EdgeRow(
            "SecretFileFailure.unreadable",
            SecretFileFailure.unreadable(FileFailure(reason: "is a folder, not a file")), option: "join.key",
            file: "join.key", ends: 78, "unreadable_key", at: "join.key",
            "join.key: is a folder, not a file"),
        EdgeRow(
            "SecretFileFailure.keyTooSmall", SecretFileFailure.keyTooSmall(count: 31), option: "join.key",
            file: "join.key", ends: 78, "key_too_small", at: "join.key",
            """
            join.key: 31 bytes are too few for a key; make one with: (umask 077 && openssl rand -out \
            FILE 32)
            """),
        EdgeRow(
            "OpenSSLFailure", OpenSSLFailure("drawing random bytes"), ends: 69, "internal",
            "drawing random bytes failed"),
        EdgeRow(
            "TestIssuerError.signingFailed", TestIssuerError.signingFailed("libcrypto failed"), ends: 69, "internal",
            "the test token could not be signed (libcrypto failed)"),
    ]
}
#endif
