// Decrypts any bytes as a value, and checks what must hold for every outcome.

import EntitlementKeys
import EntitlementValues
import MetadataDecryption

/// Checks one input; libFuzzer calls it.
@c(LLVMFuzzerTestOneInput)
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    check(unsafe Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
}

/// Small keys, since the size changes no path and every run does arithmetic with them.
private let ring: DecryptionKeys = {
    // Read from the source tree, so that the seeds' values decrypt here.
    let keys = #filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined() + "/Vectors/keys/"
    do {
        return try DecryptionKeys(
            contentsOf: [
                keys + "test-only-issuer-1024.pkcs8.pem", keys + "test-only-issuer-1025.pkcs8.pem",
                keys + "test-only-issuer-2048.pkcs8.pem",
            ], allowingWeakKeys: true)
    } catch {
        fatalError("\(error)")
    }
}()

private let memo = MetadataMemo(capacity: 64)
private let remembering = MetadataDecrypter(keys: ring, memo: memo)
private let decrypter = MetadataDecrypter(keys: ring)
private let attributes: [MetadataAttribute?] = [nil, .zip, .hbaStatus, .maxRating, .channelID, "encryptedZip"]

private func check(_ bytes: [UInt8]) {
    let plain = outcome(decrypter, bytes, nil)
    for attribute in attributes {
        let found = outcome(remembering, bytes, attribute)
        require(found == outcome(remembering, bytes, attribute), "a repeat answers the same")
        switch (found, plain) {
        case (.text(let text, let label), .text(let plainText, let plainLabel)):
            // With an attribute another key may be chosen, but never another text of the same key.
            require(label != plainLabel || text == plainText, "one key, one text")
        case (.code("undecryptable"), _):
            require(!plain.isSeenWithoutKey, "a fault that is visible without a key is reported for every attribute")
        case (.code(let code), _):
            require(
                code == "foreign_scheme" || found == plain,
                "the attribute changes no fault that is visible without a key")
        default: break
        }
    }
    require(memo.count <= memo.capacity, "the memo is bounded")
}

private enum Outcome: Equatable {
    case text([UInt8], String)
    case code(String)

    var isSeenWithoutKey: Bool { self != .code("undecryptable") && !isText }
    private var isText: Bool { if case .text = self { true } else { false } }
}

private func outcome(_ decrypter: MetadataDecrypter, _ bytes: [UInt8], _ attribute: MetadataAttribute?) -> Outcome {
    do throws(MetadataDecryptionError) {
        let read = try decrypter.decrypt(bytes.span, of: attribute)
        require(!read.text.isEmpty && !read.text.utf8.contains(0), "a text is not empty and contains no NUL")
        return .text(Array(read.text.utf8), read.key.label)
    } catch {
        require(error.code != "internal", "every input can be decided")
        require(error.description.unicodeScalars.allSatisfy { $0.value >= 0x20 }, "the description is one line")
        return .code(error.code)
    }
}

private func require(_ holds: Bool, _ claim: StaticString) {
    if !holds { fatalError("broken: \(claim)") }
}
