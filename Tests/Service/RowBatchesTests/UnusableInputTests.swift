import RowBatches
import Testing

@Suite struct UnusableInputTests {
    private func recognised(_ text: String, _ names: String...) -> UnusableInput? {
        UnusableInput(insteadOfObjects: Array(text.utf8), names: names)
    }

    @Test(arguments: [
        ([0x1F, 0x8B, 8, 0], UnusableInput.gzip), ([0x28, 0xB5, 0x2F, 0xFD, 4], .zstandard),
        (Array("BZh91AY".utf8), .bzip2), ([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0, 0], .xz),
        (Array("PK\u{3}\u{4}\u{14}".utf8), .zip), (Array("PAR1\u{15}".utf8), .parquet),
        (Array("Obj\u{1}\u{4}".utf8), .avro), (Array("ORC".utf8), .orc), ([0xFF, 0xFE, 0x7B, 0], .utf16),
        ([0xFE, 0xFF, 0, 0x7B], .utf16), (Array("{\0\"\0z\0".utf8), .utf16LittleEndian),
        (Array("\0{\0\"\0z".utf8), .utf16BigEndian), (Array("i\0d\0,\0".utf8), .utf16LittleEndian),
    ])
    func `Other formats are recognised by their signature`(_ head: [UInt8], _ input: UnusableInput) {
        #expect(UnusableInput(signatureOf: head) == input)
        #expect(UnusableInput(insteadOfObjects: head, names: ["zip"]) == input)
    }

    @Test(arguments: [
        ("{\n  \"zip\": 1\n}", UnusableInput.prettyPrinted), (" { \r\n", .prettyPrinted), ("[\n{}", .array),
        ("[", .array), ("  [{\"zip\":1}]", .array), ("id,zip\n1,2\n", .separated(by: ",")),
        ("\"id\", \"zip\"\r\n", .separated(by: ",")), ("\u{FEFF}zip,id\n", .separated(by: ",")),
        ("id;zip\n", .separated(by: ";")), ("id\tzip\n", .separated(by: "\t")), ("zip\n77754\n", .separated(by: ",")),
        ("id|zip\n", .separated(by: "|")), ("\0\0\0\u{1}\u{2}{\"zip\":1}\n", .confluent),
        ("\0\0\0\0\n{\"zip\":1}\n", .confluent), ("\0\0\0\0\t{\"zip\":1}\n", .confluent),
        ("key\t\0\0\0\0\n{\"zip\":1}\n", .confluent),
    ])
    func `JSON over several lines and headers are recognised`(_ text: String, _ input: UnusableInput) {
        #expect(recognised(text, "zip") == input)
    }

    @Test(arguments: [
        "{}", "{", "{\"zip\":1}\n", "", "\n", "[]\n", "[1]\n", "id,town\n", "zipper,id\n", "{\0", "\0\0\0\0", "{\0\0\0",
        "\0\0\0\0\u{1}\u{2}", "key\t{\"zip\":1}",
    ])
    func `Rows and damaged rows are not`(_ text: String) {
        #expect(recognised(text, "zip") == nil)
    }
}
