import Foundation
import HostSystem
import SealedRecords
import Testing
import TextCodecs

@Suite struct SealingKeysTests {
    static let digits = String(repeating: "0a", count: 32), others = String(repeating: "F1", count: 32)
    static let good = "tve-sealing-keys 1\nindex \(digits)\nseal 2026-05 \(others)\nseal 2026-11 \(digits)\n"

    let folder: URL
    var path: String { folder.appending(path: "keys").path }

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "tve-keys-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    private func removeFolder() { try? FileManager.default.removeItem(at: folder) }

    private func write(_ text: String, _ mode: Int = 0o600) throws {
        try Data(text.utf8).write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    @Test func `A ring is written and read again`() throws {
        defer { removeFolder() }
        let keys = try SealingKeys.generate(id: "a").addingKey(id: "b.2-_")
        try keys.write(to: path)
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        let read = try SealingKeys(contentsOfFile: path)
        #expect(read.ids == ["a", "b.2-_"])
        let (one, other) = (RecordSealer(keys), RecordSealer(read))
        let place = try one.key(of: "device", for: .device)
        #expect(try other.key(of: "device", for: .device) == place)
        let context = RecordContext(purpose: .device, schema: 1, key: place, version: 1)
        let content: [UInt8] = [1, 2, 3]
        let opened = try other.open(try one.seal(content.span, in: context), in: context)
        #expect(opened.count == 3)
    }

    @Test func `A file that is there stays as it is`() throws {
        defer { removeFolder() }
        try write("something else")
        let error = #expect(throws: SealingError.self) { try SealingKeys.generate(id: "a").write(to: path) }
        #expect(error?.code == "sealing_keys_unreadable")
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "something else")
    }

    @Test(arguments: [
        good, good.replacing("\n", with: "\r\n"), "\n# keys\n\n" + good + "\n# end", String(good.dropLast()),
        good.replacing("seal 2026-05", with: "  seal\t2026-05  "),
    ])
    func `Lines may be spaced and commented`(_ text: String) throws {
        defer { removeFolder() }
        try write(text)
        #expect(try SealingKeys(contentsOfFile: path).ids == ["2026-05", "2026-11"])
    }

    @Test(arguments: [
        ("", 0), ("\n", 0), ("tve-sealing-keys 1\n", 0), ("tve-sealing-keys 2\n" + good, 1), ("index \(digits)\n", 1),
        ("tve-sealing-keys 1\nindex \(digits)\n", 0), ("tve-sealing-keys 1\nseal a \(digits)\n", 0),
        (good + "index \(digits)\n", 5), (good + "seal 2026-05 \(digits)\n", 5), (good + "seal a\n", 5),
        (good + "seal a b \(digits)\n", 5), (good + "open a \(digits)\n", 5), (good + "seal a/b \(digits)\n", 5),
        (good + "seal \(String(repeating: "x", count: 33)) \(digits)\n", 5), (good + "seal a \(digits)0\n", 5),
        (good + "seal a \(digits.dropLast(2))\n", 5), (good + "seal a \(digits.dropLast())g\n", 5),
        (good + "seal a \(digits.dropLast())\u{E9}\n", 5), (good + "index\n", 5),
    ])
    func `Other texts are refused with their line`(_ text: String, _ line: Int) throws {
        defer { removeFolder() }
        try write(text)
        let error = #expect(throws: SealingError.self) { try SealingKeys(contentsOfFile: path) }
        guard case .malformedKeys(path, line, let reason) = error else {
            Issue.record("\(error as Any)")
            return
        }
        #expect(!reason.contains(Self.digits) && !reason.contains(Self.others))
        #expect(error?.code == "sealing_keys_malformed")
    }

    @Test func `A ring has at most thirty-two keys`() throws {
        defer { removeFolder() }
        var keys = try SealingKeys.generate(id: "0")
        for number in 1..<SealingKeys.maximumCount {
            keys = try keys.addingKey(id: String(repeating: "\(number % 10)", count: number))
        }
        #expect(throws: SealingError.self) { try keys.addingKey(id: "more") }
        try keys.write(to: path)
        #expect(try SealingKeys(contentsOfFile: path).ids == keys.ids)
        let text = try String(contentsOfFile: path, encoding: .utf8)
        try write(text + "seal more \(Self.digits)\n")
        #expect(throws: SealingError.self) { try SealingKeys(contentsOfFile: path) }
    }

    @Test(arguments: [0o644, 0o604, 0o620, 0o660])
    func `A file that others may read or change is refused`(_ mode: Int) throws {
        defer { removeFolder() }
        try write(Self.good, mode)
        #expect(throws: SealingError.keysOpenToOthers(file: path)) { try SealingKeys(contentsOfFile: path) }
    }

    @Test(arguments: [0o602, 0o666])
    func `A file that every user may change is refused`(_ mode: Int) throws {
        defer { removeFolder() }
        try write(Self.good, mode)
        let error = #expect(throws: SealingError.self) { try SealingKeys(contentsOfFile: path) }
        #expect(error?.description.contains("every user may change it") == true)
    }

    @Test(arguments: [0o600, 0o400, 0o440, 0o640])
    func `The owner and the group may read it`(_ mode: Int) throws {
        defer { removeFolder() }
        try write(Self.good, mode)
        #expect(try SealingKeys(contentsOfFile: path).ids.count == 2)
    }

    @Test func `A missing file and a long one are errors`() throws {
        defer { removeFolder() }
        let missing = #expect(throws: SealingError.self) { try SealingKeys(contentsOfFile: path) }
        #expect(missing?.code == "sealing_keys_unreadable")
        #expect(missing?.description.contains(path) == true)
        try write(Self.good + String(repeating: "#\n", count: 4096))
        #expect(throws: SealingError.self) { try SealingKeys(contentsOfFile: path) }
    }

    @Test(arguments: ["", "a b", "a/b", "\u{E9}", "a\n", String(repeating: "x", count: 33)])
    func `Other names of keys are refused`(_ id: String) throws {
        defer { removeFolder() }
        #expect(throws: SealingError.unusableKeyID) { try SealingKeys.generate(id: id) }
        let keys = try SealingKeys.generate(id: "a")
        #expect(throws: SealingError.self) { try keys.addingKey(id: "a") }
    }

    /// The keys are text, and no six bytes of them are alike, so that each spelling is one that nothing else has.
    @Test func `A ring shows names only`() throws {
        defer { removeFolder() }
        let secrets = [
            "an-index-key-of-thirty-two-bytes", "the-older-key-of-thirty-two-byte", "THE+NEWER/KEY=OF_THIRTY~TWO!BYTE",
        ].map { Array($0.utf8) }
        let digits = secrets.map { Hex.encode($0) }
        try write("tve-sealing-keys 1\nindex \(digits[0])\nseal 2026-05 \(digits[1])\nseal 2026-11 \(digits[2])\n")
        let keys = try SealingKeys(contentsOfFile: path)
        var dumped = ""
        dump(keys, to: &dumped)
        dump(RecordSealer(keys), to: &dumped)
        #expect(dumped.contains("2026-05"))
        #expect("\(keys)" == "sealing keys 2026-05, 2026-11")
        let shown = dumped + String(reflecting: keys) + String(reflecting: RecordSealer(keys))
        for secret in secrets {
            for spelled in ["key \(secret)", Hex.encode(secret), Data(secret).base64EncodedString()] {
                #expect(ShownBytes(in: spelled).hasPart(of: secret), "the search finds \(spelled)")
            }
            #expect(!ShownBytes(in: shown).hasPart(of: secret))
        }
    }
}

/// Looks for bytes in a text that was shown, however they are spelled there.
private struct ShownBytes {
    private static let partLength = 6
    /// The text as it is, in small letters, and its numbers alone: a dump has a line for each element of a list.
    private let text, small, numbers: String

    init(in text: String) {
        self.text = text
        small = text.lowercased()
        numbers = " " + text.split { !$0.isASCII || !$0.isNumber }.joined(separator: " ") + " "
    }

    /// Whether any six bytes on end are in the text: as text, hexadecimal digits, Base64, or numbers.
    func hasPart(of bytes: [UInt8]) -> Bool {
        (0...bytes.count - Self.partLength).contains { start in
            let part = bytes[start..<start + Self.partLength]
            return text.contains(String(decoding: part, as: UTF8.self)) || small.contains(Hex.encode(Array(part)))
                || text.contains(Data(part).base64EncodedString())
                || numbers.contains(" " + part.map { "\($0)" }.joined(separator: " ") + " ")
        }
    }
}
