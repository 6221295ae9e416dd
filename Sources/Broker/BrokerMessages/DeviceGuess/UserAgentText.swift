import TextCodecs

/// A `User-Agent` to search in, cut so that a hostile one costs no more than a common one.
struct UserAgentText {
    /// How much of a text is searched, in bytes; real ones seldom have more than 300.
    static let maximumLength = 512
    /// The longest model or version that is taken out, in bytes.
    private static let maximumPart = 64

    private let bytes: [UInt8]

    /// Takes a text; `nil` if it has anything but printable ASCII, as no device sends.
    init?(_ text: String) {
        let bytes = Array(text.utf8.prefix(Self.maximumLength))
        guard !bytes.isEmpty, bytes.allSatisfy({ 0x20...0x7E ~= $0 }) else { return nil }
        self.bytes = bytes
    }

    /// Tells whether a word occurs.
    func contains(_ word: String) -> Bool { end(of: word) != nil }

    /// The place after the first occurrence of a word.
    private func end(of word: String, from start: Int = 0) -> Int? {
        let word = Array(word.utf8)
        guard bytes.count - start >= word.count, let first = word.first else { return nil }
        for index in start...bytes.count - word.count where bytes[index] == first {
            if bytes[index..<index + word.count].elementsEqual(word) { return index + word.count }
        }
        return nil
    }

    /// The number after a word: digits with dots between them, of which some platforms make underscores.
    func version(after word: String) -> String? {
        end(of: word).flatMap { version(from: $0) }
    }

    private func version(from start: Int) -> String? {
        let version = bytes[start...].prefix(Self.maximumPart).prefix {
            $0.isASCIIDigit || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "_")
        }
        guard version.first?.isASCIIDigit == true else { return nil }
        let dotted = version.map { $0 == UInt8(ascii: "_") ? UInt8(ascii: ".") : $0 }
        return String(decoding: dotted.reversed().drop { $0 == UInt8(ascii: ".") }.reversed(), as: UTF8.self)
    }

    /// The number after the first slash that comes after a word: `AppleTV11,1/16.1`.
    func version(afterSlashAfter word: String) -> String? {
        guard let start = end(of: word), let slash = bytes[start...].firstIndex(of: UInt8(ascii: "/")) else {
            return nil
        }
        return version(from: slash + 1)
    }

    /// What follows a word, up to one of some characters or the end.
    func text(after word: String, until stops: String) -> String? {
        end(of: word).flatMap { text(from: $0, until: stops) }
    }

    private func text(from start: Int, until stops: String) -> String? {
        let part = bytes[start...].prefix { !stops.utf8.contains($0) }
        return Self.trimmed(part)
    }

    private static func trimmed(_ part: some Sequence<UInt8>) -> String? {
        let blank = UInt8(ascii: " ")
        let trimmed = part.drop { $0 == blank }.reversed().drop { $0 == blank }.reversed()
        guard 1...maximumPart ~= trimmed.count else { return nil }
        return String(decoding: trimmed, as: UTF8.self)
    }

    /// The model that Android writes after its version: `(Linux; U; Android 9; en-us; SM-T510 Build/PPR1)`.
    ///
    /// Newer browsers write `K` for every model.
    var handsetModel: String? {
        guard let version = end(of: "Android ") ?? end(of: "Android") else { return nil }
        let list = bytes[version...].prefix { $0 != UInt8(ascii: ")") }
        for part in list.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false).dropFirst() {
            guard let text = Self.trimmed(part) else { continue }
            let model = UserAgentText(text)?.beforeBuild
            guard let model, !Self.isLocale(model), !Self.otherWords.contains(model), !model.hasPrefix("rv:") else {
                if text.utf8.starts(with: "Build/".utf8) { return nil }
                continue
            }
            return model == "K" ? nil : model
        }
        return nil
    }

    private static let otherWords: Set<String> = ["wv", "Mobile", "Tablet", "TV", "U", "arm_64", "Android TV"]

    /// The text before `Build/`.
    private var beforeBuild: String? {
        guard let build = end(of: "Build/") else { return String(decoding: bytes, as: UTF8.self) }
        return Self.trimmed(bytes[..<(build - 6)])
    }

    /// Whether the browser writes one model and one version for all of Android's.
    var isReduced: Bool { contains("Android 10; K)") }

    /// Whether a text is a language, with or without a country: `en`, `en-us`.
    private static func isLocale(_ text: String) -> Bool {
        let parts = text.utf8.split(omittingEmptySubsequences: false) {
            $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
        }
        return 1...2 ~= parts.count && parts.allSatisfy { $0.count == 2 && $0.allSatisfy(\.isASCIILetter) }
            && parts[0].allSatisfy { $0 & 0x20 != 0 }
    }
}
