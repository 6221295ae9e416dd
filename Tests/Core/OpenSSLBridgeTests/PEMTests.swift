import HostSystem
import OpenSSLBridge
import TestVectors
import Testing

@Suite struct PEMTests {
    @Test func `Blocks are read in order and text around them is skipped`() throws {
        let text = Array(
            """
            Bag Attributes
            -----BEGIN ONE-----
            AQID
            -----END ONE-----
            words between
            -----BEGIN TWO-----
            BAU=
            -----END TWO-----

            """.utf8)
        let blocks = try pemBlocks(in: text.span)
        #expect(blocks.map(\.label) == ["ONE", "TWO"])
        #expect(blocks.map(\.content.array) == [[1, 2, 3], [4, 5]])
        #expect(blocks.allSatisfy { !$0.isEncrypted && $0.encryption == nil })
    }

    @Test(arguments: ["", "no block", "-----BEGIN ONE\nAQID\n"]) func `Text without a begin line has no blocks`(
        _ text: String
    )
        throws
    {
        let bytes = Array(text.utf8)
        #expect(try pemBlocks(in: bytes.span).isEmpty)
        #expect(queuedRecords().isEmpty)
    }

    @Test(arguments: [
        "-----BEGIN ONE-----\nAQID\n", "-----BEGIN ONE-----\n!!\n-----END ONE-----\n",
        "-----BEGIN ONE-----\nAQID\n-----END TWO-----\n",
    ])
    func `A damaged block is an error`(_ text: String) {
        let bytes = Array(text.utf8)
        #expect(throws: OpenSSLFailure.self) { try pemBlocks(in: bytes.span) }
        #expect(queuedRecords().isEmpty)
    }

    @Test func `Encrypted blocks name their cipher`() throws {
        let text = try TestKeys.bytes("formats/test-only-1024.traditional-aes256.pem")
        let block = try #require(try pemBlocks(in: text.span).first)
        #expect(block.label == "RSA PRIVATE KEY")
        #expect(block.isEncrypted)
        #expect(block.encryption?.cipher == "AES-256-CBC")
        #expect(block.encryption?.usesOldCipher == false)
    }

    @Test func `PKCS#7 gives its certificates`() throws {
        let der = try TestKeys.bytes("formats/test-only-1024.der.p7b")
        let certificates = try pkcs7Certificates(der: der.span)
        let expected = try TestKeys.bytes("formats/test-only-1024.cert.der")
        #expect(certificates.map(\.array) == [expected])
    }
}
