import HostSystem
import OpenSSLBridge
import TextCodecs

/// Reads the text of a file of sealing keys.
///
/// Digits of keys go from the file's memory to the keys' own, which both are overwritten; no string holds them.
struct SealingKeysReader {
    static let header = "tve-sealing-keys 1"

    private let file: String
    private var number = 0
    private var isHeaderRead = false
    private var index: AuthenticationKey?
    private var keys: [SealingKeys.Key] = []

    /// Reads a ring from the whole text of a file, whose name is for errors; throws `.malformedKeys`.
    static func keys(in text: Span<UInt8>, of file: String) throws(SealingError) -> SealingKeys {
        var reader = SealingKeysReader(file: file)
        var start = 0
        while start < text.count {
            let end = text.firstIndex(of: UInt8(ascii: "\n"), in: start..<text.count) ?? text.count
            try reader.take(text, in: text.trimmingWhiteSpace(start..<end))
            start = end + 1
        }
        guard let index = reader.index, !reader.keys.isEmpty else {
            throw .malformedKeys(file: file, line: 0, reason: "it needs a line \"index\" and a line \"seal\"")
        }
        return SealingKeys(index: index, keys: reader.keys)
    }

    private init(file: String) { self.file = file }

    private mutating func take(_ text: Span<UInt8>, in range: Range<Int>) throws(SealingError) {
        number += 1
        guard !range.isEmpty, text[range.lowerBound] != UInt8(ascii: "#") else { return }
        guard isHeaderRead else {
            guard range.count == Self.header.utf8.count, zip(range, Self.header.utf8).allSatisfy({ text[$0] == $1 })
            else {
                throw fault("the first line must be \"\(Self.header)\"")
            }
            return isHeaderRead = true
        }
        let words = words(of: text, in: range)
        let name = String(copying: text.extracting(words[0]))
        switch (name, words.count) {
        case ("index", 2):
            guard index == nil else { throw fault("a second line \"index\"") }
            index = try key(text, in: words[1])
        case ("seal", 3):
            let id = String(copying: text.extracting(words[1]))
            guard id.isKeyID else { throw fault(SealingError.unusableKeyID.description) }
            guard !keys.contains(where: { $0.id == id }) else { throw fault("a second key of the name \(id)") }
            guard keys.count < SealingKeys.maximumCount else {
                throw fault("more than \(SealingKeys.maximumCount) keys")
            }
            keys.append(SealingKeys.Key(id: id, secret: try key(text, in: words[2])))
        default: throw fault("a line is \"index KEY\" or \"seal NAME KEY\"")
        }
    }

    private func words(of text: Span<UInt8>, in range: Range<Int>) -> [Range<Int>] {
        var words: [Range<Int>] = []
        var start = range.lowerBound
        for place in range where text[place].isWhiteSpace {
            if start < place { words.append(start..<place) }
            start = place + 1
        }
        return words + [start..<range.upperBound]
    }

    private func key(_ text: Span<UInt8>, in range: Range<Int>) throws(SealingError) -> AuthenticationKey {
        guard range.count == 2 * SealingKeys.keyLength else {
            throw fault(
                "a key has \(2 * SealingKeys.keyLength) hexadecimal digits; make one with: openssl rand -hex 32")
        }
        var isWhole = true
        let key = WipedBytes(capacity: SealingKeys.keyLength) { output in
            for place in stride(from: range.lowerBound, to: range.upperBound, by: 2) {
                guard let high = text[place].hexDigitValue, let low = text[place + 1].hexDigitValue else {
                    return isWhole = false
                }
                output.append(high << 4 | low)
            }
        }
        guard isWhole else { throw fault("a key has characters that are not hexadecimal digits") }
        return AuthenticationKey(key, digest: .sha256)
    }

    private func fault(_ reason: String) -> SealingError {
        .malformedKeys(file: file, line: number, reason: reason)
    }
}
