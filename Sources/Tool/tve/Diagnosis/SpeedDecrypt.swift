#if CLI
import ArgumentParser
import EntitlementKeys
import MetadataDecryption
import OpenSSLBridge
import OpenSSLReference
import TextCodecs

struct SpeedDecrypt: ParsableCommand, OutputChoosing {
    static let configuration = CommandConfiguration(
        commandName: "decrypt",
        abstract: "Time whole decryptions of user metadata.",
        discussion: """
            Examples:
              tve speed decrypt
              tve speed decrypt --key programmer.key --seconds 10
              tve speed decrypt --bits 2048 --output json

            ours is a whole decryption, from the Base64 of one block to the text. floor is EVP_PKEY_decrypt of the \
            same block, with value and context prepared in advance. repeat is a value that was decrypted before and is \
            remembered, as in batches.

            Exit codes: 0 done; 64 usage; 66 no such key file; 69 OpenSSL failed; 74 output failed; 78 bad key.
            """
    )

    @OptionGroup var speed: SpeedOptions
    var output: OutputForm { speed.output }

    func run() throws {
        try speed.run(measure)
    }

    private func measure(_ key: SigningKey) throws -> SpeedResult {
        let text = "77754"
        guard let block = try? key.storage.key.encrypt(Array(text.utf8), padding: .pkcs1v15),
            let keys = try? DecryptionKeys(of: key), let reference = try? ReferenceKey(copying: key.storage.key)
        else { throw SpeedOptions.failed }
        let value = Array(Base64.encode(block).utf8)
        let decrypter = MetadataDecrypter(keys: keys)
        let remembering = MetadataDecrypter(keys: keys, memo: MetadataMemo(capacity: 1))
        // Every 32 decryptions libcrypto makes a new blinding factor, which takes as long as one; so each run has one.
        let run = 32
        func decrypts(_ decrypter: MetadataDecrypter) -> Bool {
            (0..<run).allSatisfy { _ in (try? decrypter.decrypt(value, of: .zip))?.text == text }
        }
        let times = SpeedRounds(seconds: speed.seconds, each: run).times([
            { decrypts(decrypter) },
            { (try? reference.decrypt(block, rounds: run)) != nil },
            { decrypts(remembering) },
        ])
        guard let times else { throw SpeedOptions.failed }
        return SpeedResult(
            operation: "decrypt", bits: key.bits, ours: times[0], floor: times[1], other: ("repeat", times[2]))
    }
}
#endif
